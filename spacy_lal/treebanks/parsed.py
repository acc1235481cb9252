"""Examples whose predicted Docs are parsed already, for a component that reads parses and learns something else.

A parser that was trained on a text parses it nearly without errors, and a component that learns from such parses relies
on them too much. So a corpus may have several parses of each Doc, for instance with errors on purpose, one file each
(`projects/srl/scripts/parse_with_errors.py`). *Not* here: the training of parsers, whose Examples have no parses
(`corpus.py`).
"""

import random
from pathlib import Path
from typing import Iterator, List, Optional, Tuple

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from ..annotations import ROLES_KEY
from .corpus import PathOrPaths, as_list, spacy_files


class ParsedCorpus:
    """Iterates over Examples: the predicted Doc has the annotations of the reference, but for the semantic roles.

    path (Union[str, Path, List[Union[str, Path]]]): `.spacy` files, or folders with such files, with the same Docs in
        the same order, parsed differently. Each call chooses one at random for each Doc, with the generator of `random`
        that spaCy seeds.
    limit (int): The most Docs to read. 0: all.
    shuffle (bool): Whether to shuffle the Docs at each call.
    RAISES (ValueError): No path is given, or the limit is negative.
    """

    def __init__(self, path: Optional[PathOrPaths], *, limit: int = 0, shuffle: bool = False) -> None:
        self.paths = as_list(path)
        if not self.paths:
            raise ValueError("the corpus has no path: expected .spacy files with parsed Docs")
        if limit < 0:
            raise ValueError(f"expected a limit of 0 or more, got {limit}")
        self.limit, self.shuffle = limit, shuffle
        self._read: Optional[Tuple[Vocab, List[List[Doc]]]] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """The Examples.

        nlp (Language): Its vocab is the Docs'.
        RAISES (ValueError): A path does not exist or has no `.spacy` files, or two files have different Docs.
        """
        versions = self._versions(nlp.vocab)
        order = list(range(len(versions[0])))
        if self.shuffle:
            random.shuffle(order)
        for i in order:
            reference = random.choice(versions)[i]
            predicted = reference.copy()
            predicted.spans.pop(ROLES_KEY, None)
            yield Example(predicted, reference)

    def _versions(self, vocab: Vocab) -> List[List[Doc]]:
        if self._read is None or self._read[0] is not vocab:
            files = [file for path in self.paths for file in spacy_files(path)]
            versions = [self._docs(file, vocab) for file in files]
            for file, docs in zip(files[1:], versions[1:], strict=True):
                _check_same(files[0], versions[0], file, docs)
            self._read = (vocab, versions)
        return self._read[1]

    def _docs(self, file: Path, vocab: Vocab) -> List[Doc]:
        docs = [doc for doc in DocBin().from_disk(file).get_docs(vocab) if len(doc)]
        return docs[: self.limit or None]


def _check_same(first: Path, docs: List[Doc], other: Path, others: List[Doc]) -> None:
    if len(docs) != len(others):
        raise ValueError(f"{first} has {len(docs)} Docs and {other} has {len(others)}: expected the same Docs")
    for number, (doc, another) in enumerate(zip(docs, others, strict=True)):
        if [token.orth for token in doc] != [token.orth for token in another]:
            raise ValueError(
                f"{first} and {other} have different tokens in Doc {number}: expected the same Docs, got "
                f"{doc.text[:40]!r} and {another.text[:40]!r}"
            )


def make_parsed_corpus(path: Optional[PathOrPaths], limit: int = 0, shuffle: bool = False) -> ParsedCorpus:
    """Registered as `spacy-lal.ParsedCorpus.v1`. Arguments as for `ParsedCorpus`."""
    return ParsedCorpus(path, limit=limit, shuffle=shuffle)
