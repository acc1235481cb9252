"""Examples for training, from `.spacy` files or from CoNLL-U and roles: the readers of
configs. The predicted Doc of an Example begins with the reference's tokens and
sentences, which sentencizer and senter leave as they are: a gold tree over other words
is useless."""

import random
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Optional, Union, cast

from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

from ..annotations import (
    ROLES_KEY,
    SPANS_KEY,
    UNITS_KEY,
    check_tree,
    has_sentences,
)
from .docs import SUFFIX, copy_text, make_docs
from .reader import read_treebank
from .roles import ROLES_SUFFIX, read_role_file, with_roles

Pair = tuple[Doc, Doc]
OnePath = Union[str, Path]
PathOrPaths = Union[str, Path, list[str | Path]]
Augmenter = Callable[[Language, Example], Iterable[Example]]
# Tokens of a sentence: at 10,000, scores of spans alone would take 10 GB.
MAX_LENGTH = 500


class TreebankCorpus:
    """Registered as `spacy-lal.TreebankCorpus.v1`. Iterates over Examples from `.spacy`
    files. Docs are read once and kept; predicted Docs are fresh at each call.

    path (Optional[Union[str, Path, List[Union[str, Path]]]]): A `.spacy` file, a folder
        with such files at any depth, or a list of such paths.
    trees_only (Optional[Union[str, Path, List[Union[str, Path]]]]): Further files, from
        which constituents and tags are taken but no heads and deprels: for a treebank
        with another scheme of deprels.
    max_length (int): Docs with a sentence of more tokens are left out, with a warning
        that names the first. The chart of a sentence takes memory with the square of
        its length. 0: no limit.
    shuffle (bool): Whether to shuffle the Docs at each call, with the generator of
        `random` that spaCy seeds.
    augmenter (Optional[Callable[[Language, Example], Iterable[Example]]]): As in
        spaCy's corpus.
    RAISES (ValueError): No path is given.
    """

    def __init__(
        self,
        path: Optional[PathOrPaths],
        trees_only: Optional[PathOrPaths] = None,
        max_length: int = MAX_LENGTH,
        shuffle: bool = False,
        augmenter: Optional[Augmenter] = None,
    ) -> None:
        self.paths = _as_list(path)
        self.trees_only = _as_list(trees_only)
        if not self.paths and not self.trees_only:
            raise ValueError(
                "the corpus has no path: expected a .spacy file or folder, for example "
                "--paths.train corpus/train.spacy"
            )
        self.max_length = max_length
        self.shuffle = shuffle
        self.augmenter = augmenter
        self._read: Optional[tuple[Vocab, Any]] = None

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """The Examples.

        nlp (Language): Its vocab is the Docs'.
        RAISES (ValueError): A path does not exist or has no `.spacy` files.
        RAISES (TreebankError): Constituents of a Doc are no tree.
        """
        pairs = self._pairs(nlp.vocab)
        if self.shuffle:
            pairs = random.sample(pairs, len(pairs))
        for reference, predicted in pairs:
            eg = Example(predicted.copy(), reference)
            yield from self.augmenter(nlp, eg) if self.augmenter else [eg]

    def _pairs(self, vocab: Vocab) -> list[Pair]:
        """The references, and what a parser reads."""
        if self._read is None or self._read[0] is not vocab:
            self._read = vocab, self._read_pairs(vocab)
        return self._read[1]

    def _read_pairs(self, vocab: Vocab) -> Any:
        docs = list(self._references(vocab))
        if not any(map(len, docs)):
            files = ", ".join(map(str, [*self.paths, *self.trees_only]))
            raise ValueError(f"expected Docs with words in {files}, got none")
        return [(doc, copy_text(doc, with_sentences=True)) for doc in docs]

    def _references(self, vocab: Vocab) -> Iterator[Doc]:
        left_out = []
        for where, doc in self._documents(vocab):
            check_tree(doc, where)
            if self.max_length and self._longest(doc) > self.max_length:
                left_out.append(where)
            else:
                yield doc
        if left_out:
            message = (
                f"left out {len(left_out)} Docs with a sentence of more than "
                f"{self.max_length} tokens (first {left_out[0]})"
            )
            warnings.warn(message, stacklevel=2)

    def _documents(self, vocab: Vocab) -> Iterator[tuple[str, Doc]]:
        """The gold Docs of all files, each with its place."""
        for path in self.paths:
            yield from _placed_docs(path, vocab)
        for path in self.trees_only:
            for where, doc in _placed_docs(path, vocab):
                yield where, _without_arcs(doc)

    def _longest(self, doc: Doc) -> int:
        if len(doc) <= self.max_length or not has_sentences(doc):
            return len(doc)
        return max(len(sentence) for sentence in doc.sents)


class PropBankCorpus(TreebankCorpus):
    """Registered as `spacy-lal.PropBankCorpus.v1`. Iterates over Examples whose
    reference has heads, deprels, tags, morphology, lemmas and roles. As with
    `TreebankCorpus`, the predicted Doc has the reference's tokens, and files are read
    once.

    path (Union[str, Path]): A CoNLL-U file. Its roles are in the file beside it with
        its name (`X.conllu`, `X.srl.jsonl`).
    brackets (Optional[Union[str, Path]]): A bracket file with the trees of the same
        sentences, for constituents.
    n_sents (int): The most sentences in a Doc.
    """

    def __init__(
        self, path: OnePath, brackets: Optional[OnePath] = None, n_sents: int = 1
    ) -> None:
        super().__init__(path)
        self.conllu = self.paths[0]
        self.roles = self.conllu.with_name(self.conllu.stem + ROLES_SUFFIX)
        self.brackets = Path(brackets) if brackets else None
        self.n_sents = n_sents

    def _documents(self, vocab: Vocab) -> Iterator[tuple[str, Doc]]:
        joined = with_roles(
            read_treebank(self.brackets, self.conllu), read_role_file(self.roles)
        )
        return (
            (str(self.conllu), doc)
            for doc in make_docs(joined, vocab, n_sents=self.n_sents)
        )


class ParsedCorpus(TreebankCorpus):
    """Registered as `spacy-lal.ParsedCorpus.v1`. Iterates over Examples whose predicted
    Doc has the annotations of the reference, but for semantic roles and units: for a
    component that reads parses and learns something else.

    A parser that was trained on a text parses it nearly without errors, and a component
    that learns from such parses relies on them too much. So a corpus may have several
    parses of each Doc, one file each.

    path (Union[str, Path, List[Union[str, Path]]]): `.spacy` files, or folders with
        such files, with the same Docs in the same order, parsed differently. Each call
        chooses one at random for each Doc, with the generator of `random` that spaCy
        seeds.
    shuffle (bool): Whether to shuffle the Docs at each call.
    RAISES (ValueError): No path is given.
    """

    def __init__(self, path: Optional[PathOrPaths], shuffle: bool = False) -> None:
        super().__init__(path, shuffle=shuffle)

    def _pairs(self, vocab: Vocab) -> list[Pair]:
        docs = cast(list[list[Pair]], super()._pairs(vocab))
        return [random.choice(versions) for versions in docs]

    def _read_pairs(self, vocab: Vocab) -> Any:
        """The versions of each Doc.

        RAISES (ValueError): A path does not exist or has no `.spacy` files, or two
            files have different Docs.
        """
        files = [file for path in self.paths for file in _spacy_files(path)]
        read = [[doc for doc in read_spacy(file, vocab) if len(doc)] for file in files]
        if not read[0]:
            raise ValueError(f"expected Docs with words in {files[0]}, got none")
        words = [[doc.to_array("ORTH").tolist() for doc in docs] for docs in read]
        for file, others in zip(files, words, strict=True):
            if others != words[0]:
                raise ValueError(
                    f"expected the same Docs, over the same tokens, in {files[0]} and "
                    f"{file}"
                )
        pairs = [[(doc, _without_roles(doc)) for doc in docs] for docs in read]
        return list(zip(*pairs, strict=True))


def _without_roles(doc: Doc) -> Doc:
    copied = doc.copy()
    for key in (ROLES_KEY, UNITS_KEY):
        copied.spans.pop(key, None)
    return copied


def _as_list(path: Optional[PathOrPaths]) -> list[Path]:
    if path is None:
        return []
    return [Path(p) for p in path] if isinstance(path, (list, tuple)) else [Path(path)]


def read_spacy(file: Path | bytes, vocab: Vocab, name: str = "") -> Iterator[Doc]:
    """The Docs of a `.spacy` file, or of its content.

    RAISES (ValueError): It is no such file.
    """
    try:
        data = file if isinstance(file, bytes) else file.read_bytes()
        docs = DocBin().from_bytes(data)
        yield from docs.get_docs(vocab)
    except Exception:  # errors of zlib, msgpack and spaCy have no common base
        raise ValueError(
            f"{name or file!s} is no .spacy file; `lal convert` writes them"
        ) from None


def _placed_docs(path: Path, vocab: Vocab) -> Iterator[tuple[str, Doc]]:
    """The Docs of all files of a location, each with its place."""
    for file in _spacy_files(path):
        for number, doc in enumerate(read_spacy(file, vocab), start=1):
            yield f"{file}, Doc {number}", doc


def _spacy_files(path: Path) -> list[Path]:
    """The `.spacy` files of a location, sorted by name."""
    files = [path] if path.is_file() else sorted(path.rglob(f"*{SUFFIX}"))
    if not files:
        raise ValueError(
            f"{path}: expected a .spacy file, or a folder with some (`spacy lal "
            "convert` makes them)"
        )
    return files


def _without_arcs(doc: Doc) -> Doc:
    """A copy with tags, sentences and constituents, and without heads and deprels."""
    copied = copy_text(doc, with_sentences=True)
    columns: list[int | str] = ["TAG", "POS", "LEMMA", "MORPH"]
    copied.from_array(columns, cast(Any, doc.to_array(columns)))
    if SPANS_KEY in doc.spans:
        copied.spans[SPANS_KEY] = doc.spans[SPANS_KEY].copy(copied)
    return copied
