"""`Parse`: what is known of one sentence, gold or found. Its ways in and out are here
for trees, brackets and arrays of ids, in `conllu.py` for CoNLL-U, in `treebanks/` for
the files of treebanks, in `annotations/` for Docs."""

from dataclasses import dataclass, field, replace
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Literal,
    Optional,
    Sequence,
    Tuple,
)

from numpy import ndarray

from .brackets import parse_tree
from .roles import Proposition
from .spans import Constituent, spans_to_tree, tree_to_spans, write_spans

if TYPE_CHECKING:
    from nltk.tree import Tree

Heads = Sequence[Optional[int]]
# Both trees are found together; independently; in pieces, which are joined.
ParseMethod = Literal["joint", "separate", "split"]


@dataclass(frozen=True)
class Parse:
    """What is known of a sentence of n words. A list is empty, or has a value for each
    word; an empty string is a missing value.

    words (Sequence[str]): Raw text.
    tags (Sequence[str]): Fine-grained tags (XPOS), as in trees.
    constituents (Optional[Sequence[Constituent]]): In pre-order, one for each range of
        words ("S::VP"), without the root of treebanks. None: not known.
    heads (Optional[Sequence[Optional[int]]]): Word numbers from 1; 0 is the root, None
        a missing head. None: not known.
    roles (Optional[Tuple[Proposition, ...]]): By predicate. None: not known.
    method (Optional[ParseMethod]): How it was found. None: not by a decoder.
    tokens (Sequence[int]): The place of each word in its Doc, which may have white
        space between words.
    spaces (Optional[Sequence[bool]]): Whether white space follows. None: not known.
    ranges (Sequence[Tuple[int, int]]): Multiword tokens of CoNLL-U: the first and the
        last word, from 1.
    metadata (Dict[str, Optional[str]]): The lines `# key = value` of CoNLL-U, in order.
    path (str): The name of the file that it was read from.
    lines (Sequence[int]): The line of each word, from 1; in trees, of their beginning.
    """

    words: Sequence[str]
    tags: Sequence[str] = ()
    constituents: Optional[Sequence[Constituent]] = None
    heads: Optional[Heads] = None
    deprels: Sequence[str] = ()
    roles: Optional[Tuple[Proposition, ...]] = None
    method: Optional[ParseMethod] = None
    tokens: Sequence[int] = ()
    lemmas: Sequence[str] = ()
    pos: Sequence[str] = ()
    morphs: Sequence[str] = ()
    spaces: Optional[Sequence[bool]] = None
    ranges: Sequence[Tuple[int, int]] = ()
    metadata: Dict[str, Optional[str]] = field(default_factory=dict)
    path: str = ""
    lines: Sequence[int] = ()

    @classmethod
    def from_tree(cls, tree: "Tree") -> "Parse":
        """Words, tags and constituents of a tree, a root included.

        RAISES (SpanError): A constituent has no words; or a label that a chain can't
            hold: it is empty, is `<H>`, contains `::`, begins or ends with `:`.
        """
        return cls(*tree_to_spans(tree))

    @classmethod
    def from_brackets(cls, text: str, **options: Any) -> "Parse":
        """The parse of one bracketed tree; options and errors as in `parse_tree`."""
        return cls.from_tree(parse_tree(text, **options))

    @classmethod
    def from_ids(
        cls,
        words: Sequence[str],
        spans: Optional[ndarray],
        labels: Sequence[str],
        heads: Optional[ndarray],
        deprels: Optional[ndarray],
        deprel_strings: Sequence[str],
        **others: Any,
    ) -> "Parse":
        """A parse from arrays of ids.

        spans (Optional[ndarray]): Start, end and label id. Shape: (k, 3).
        labels, deprel_strings (Sequence[str]): Strings by id.
        heads, deprels (Optional[ndarray]): Heads from 1; deprel ids. Shape: (n,).
        others: More fields.
        """
        constituents = None
        if spans is not None:
            constituents = [
                Constituent(start, end, labels[label])
                for start, end, label in spans.tolist()
            ]
        return cls(
            words,
            constituents=constituents,
            heads=None if heads is None else heads.tolist(),
            deprels=[deprel_strings[i] for i in deprels.tolist()]
            if deprels is not None
            else (),
            **others,
        )

    @property
    def line(self) -> int:
        """The line of the first word; 0 without a file."""
        return self.lines[0] if self.lines else 0

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path or '?'}:{self.line}"

    def to_tree(self) -> "Tree":
        """The tree, with an added root if nothing covers all words; words with an empty
        tag have no preterminal.

        RAISES (SpanError): There is no word; constituents cross, or lie outside of the
            words.
        """
        return spans_to_tree(self.words, self.tags, self.constituents or ())

    def to_brackets(self, *, escape: bool = True) -> str:
        """The brackets of `to_tree` on one line, see `write_brackets`."""
        spans = self.constituents or ()
        return write_spans(self.words, self.tags, spans, escape=escape)

    def cut(self, start: int, end: int) -> "Parse":
        """The part within a half-open range of words: with the constituents that lie in
        it, without roles, ranges and metadata. Words with heads outside become roots.
        """
        lists = (
            "words",
            "tags",
            "deprels",
            "tokens",
            "lemmas",
            "pos",
            "morphs",
            "lines",
        )
        parts: Dict[str, Any] = {name: getattr(self, name)[start:end] for name in lists}
        if self.constituents is not None:
            parts["constituents"] = [
                constituent.moved(-start)
                for constituent in self.constituents
                if constituent.is_within(start, end)
            ]
        if self.heads is not None:
            parts["heads"] = [
                head and (head - start if start < head <= end else 0)
                for head in self.heads[start:end]
            ]
        if self.spaces is not None:
            parts["spaces"] = self.spaces[start:end]
        return replace(self, **parts, roles=None, ranges=(), metadata={})
