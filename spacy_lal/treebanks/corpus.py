"""Examples for training a parser: predicted Docs with gold tokens and gold sentence boundaries.

A parser learns the parses of given sentences. With spaCy's own reader, another component sets the sentences of
predicted Docs, and a gold tree over other words is useless. So here the predicted Doc of an Example begins with the
reference's tokens and boundaries, which sentencizer and senter leave as they are.

Not here: alignment of other tokens or sentences (`gold.py`), and files other than `.spacy`.
"""

import random
import warnings
from itertools import islice
from pathlib import Path
from typing import Callable, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from ..annotations import has_sentences, sentence_bounds
from .copies import copy_text, copy_tokens

SUFFIX = ".spacy"

PathOrPaths = Union[str, Path, List[Union[str, Path]]]
Augmenter = Callable[[Language, Example], Iterable[Example]]


class _Pair(NamedTuple):
    """A gold Doc and the Doc that a parser reads."""

    reference: Doc
    predicted: Doc


def make_treebank_corpus(
    path: Optional[PathOrPaths],
    trees_only: Optional[PathOrPaths] = None,
    gold_sents: bool = True,
    max_length: int = 0,
    limit: int = 0,
    shuffle: bool = False,
    augmenter: Optional[Augmenter] = None,
) -> "TreebankCorpus":
    """Registered as `spacy-lal.TreebankCorpus.v1`. Arguments as for `TreebankCorpus`.

    RAISES (ValueError): Neither `path` nor `trees_only` is given.
    """
    return TreebankCorpus(
        path,
        trees_only=trees_only,
        gold_sents=gold_sents,
        max_length=max_length,
        limit=limit,
        shuffle=shuffle,
        augmenter=augmenter,
    )


class TreebankCorpus:
    """Iterates over Examples from `.spacy` files. Docs are read once and kept; predicted Docs are fresh at each call.

    path (Optional[Union[str, Path, List[Union[str, Path]]]]): A `.spacy` file, a folder with such files at any depth,
        or a list of such paths.
    trees_only (Optional[Union[str, Path, List[Union[str, Path]]]]): Further files, from which constituents and tags are
        taken but no heads and deprels: for a treebank with another scheme of deprels.
    gold_sents (bool): Whether predicted Docs have gold sentence boundaries. Without them, a component before the parser
        must set some.
    max_length (int): Sentences of more tokens are left out, with one warning; their Doc is divided there. 0: no limit.
    limit (int): The most Docs to read. 0: all.
    shuffle (bool): Whether to shuffle the Docs at each call, with the generator of `random` that spaCy seeds.
    augmenter (Optional[Callable[[Language, Example], Iterable[Example]]]): As in spaCy's corpus.
    RAISES (ValueError): No path is given, or a limit is negative.
    """

    def __init__(
        self,
        path: Optional[PathOrPaths],
        *,
        trees_only: Optional[PathOrPaths] = None,
        gold_sents: bool = True,
        max_length: int = 0,
        limit: int = 0,
        shuffle: bool = False,
        augmenter: Optional[Augmenter] = None,
    ) -> None:
        self.paths = as_list(path)
        self.trees_only = as_list(trees_only)
        if not self.paths and not self.trees_only:
            raise ValueError(
                "the corpus has no path: expected a .spacy file or folder, for example --paths.train corpus/train.spacy"
            )
        if max_length < 0 or limit < 0:
            raise ValueError(f"expected max_length and limit of 0 or more, got {max_length} and {limit}")
        self.gold_sents = gold_sents
        self.max_length = max_length
        self.limit = limit
        self.shuffle = shuffle
        self.augmenter = augmenter
        self._read: Optional[Tuple[Vocab, List[_Pair]]] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """The Examples.

        nlp (Language): Its vocab is the Docs'.
        RAISES (ValueError): A path does not exist or has no `.spacy` files.
        """
        pairs = self._pairs(nlp.vocab)
        if self.shuffle:
            pairs = random.sample(pairs, len(pairs))
        for reference, predicted in pairs:
            eg = Example(predicted.copy(), reference)
            if self.augmenter is None:
                yield eg
            else:
                yield from self.augmenter(nlp, eg)

    def _pairs(self, vocab: Vocab) -> List[_Pair]:
        if self._read is None or self._read[0] is not vocab:
            self._read = (
                vocab,
                [_Pair(doc, copy_text(doc, with_sentences=self.gold_sents)) for doc in self._references(vocab)],
            )
        return self._read[1]

    def _references(self, vocab: Vocab) -> Iterator[Doc]:
        n_dropped = longest = 0
        docs = (doc for doc in self._documents(vocab) if len(doc))
        for doc in islice(docs, self.limit or None):
            too_long = self._too_long(doc)
            n_dropped += len(too_long)
            longest = max([longest, *(end - start for start, end in too_long)])
            yield from _without(doc, too_long)
        if n_dropped:
            warnings.warn(
                f"left out {n_dropped} sentences of more than {self.max_length} tokens (the longest has {longest})",
                stacklevel=2,
            )

    def _documents(self, vocab: Vocab) -> Iterator[Doc]:
        """The gold Docs of all files."""
        for location, with_arcs in [(p, True) for p in self.paths] + [(p, False) for p in self.trees_only]:
            for file_path in spacy_files(location):
                for doc in DocBin().from_disk(file_path).get_docs(vocab):
                    yield doc if with_arcs else copy_tokens(doc, range(len(doc)), with_arcs=False)

    def _too_long(self, doc: Doc) -> List[Tuple[int, int]]:
        if not self.max_length or len(doc) <= self.max_length:
            return []
        bounds = sentence_bounds(doc) if has_sentences(doc) else [(0, len(doc))]
        return [(start, end) for start, end in bounds if end - start > self.max_length]


def as_list(path: Optional[PathOrPaths]) -> List[Path]:
    """One path or several as a list; None is none."""
    if path is None:
        return []
    return [Path(p) for p in path] if isinstance(path, (list, tuple)) else [Path(path)]


def spacy_files(path: Path) -> List[Path]:
    """The `.spacy` files of a location, sorted by name.

    RAISES (ValueError): The location has no files.
    """
    if path.is_file():
        return [path]
    files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else []
    if not files:
        got = "a folder without any" if path.is_dir() else "a path where nothing is"
        raise ValueError(
            f"{path}: expected a .spacy file, or a folder with some (`spacy lal convert` makes them), got {got}"
        )
    return files


def _without(doc: Doc, dropped: List[Tuple[int, int]]) -> Iterator[Doc]:
    """The parts of a Doc between dropped sentences, as Docs; the Doc itself if no sentence is dropped."""
    if not dropped:
        yield doc
        return
    begin = 0
    for start, end in [*dropped, (len(doc), len(doc))]:
        if begin < start:
            yield copy_tokens(doc, range(begin, start))
        begin = end
