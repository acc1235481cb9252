"""The getters of a Doc's, Span's or Token's parse: `doc._.parse_string`, `span._.tree`,
... They read the Doc on demand, a Span's or Token's sentence alone, and write nothing
on it. Roles are in `predicates.py`."""

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Optional,
    Union,
)

from spacy.glossary import GLOSSARY
from spacy.tokens import Doc, Span, Token

from ..lang import known_labels
from ..trees import Parse
from .complexity import get_complexity
from .confidence import confidences_of
from .facts import get_clauses, get_relations, get_triples
from .parses import (
    METHODS_KEY,
    SPANS_KEY,
    get_parse_method,
)
from .predicates import get_predicates, get_span_predicates, get_token_predicate
from .reading import Item, UnparsedDocError, sentence_trees
from .roles import get_srl
from .sentences import has_sentences
from .units import get_units

if TYPE_CHECKING:
    from nltk.tree import Tree


TreeItem = Union[Item, Token]


class NonConstituentException(ValueError):  # noqa: N818  (benepar's name)
    """The Span is no constituent. Raised by the getters of
    `install_extensions(strict=True)`, as by benepar's."""


def _trees(item: Item, strict: bool) -> list[Parse]:
    """Give the trees of `sentence_trees`; none for a Doc without a parse, unless
    `strict`."""
    try:
        return list(sentence_trees(item))
    except UnparsedDocError as error:
        if strict:
            raise
        doc = item.doc
        was_parsed = SPANS_KEY in doc.spans or METHODS_KEY in doc.spans
        if not was_parsed and doc.to_array("DEP").any():
            reason = (
                "Span.as_doc keeps heads but no constituents: "
                "spacy_lal.annotations.as_doc(span) keeps both"
            )
            warnings.warn(f"{error}. {reason}", stacklevel=2)
        return []


class _TreeNode(NamedTuple):
    """A node of a sentence's tree: the sentence, a constituent with its unary chain, or
    a word, as a half-open range of words."""

    tree: Parse
    start: int
    end: int

    def within(self, start: int, end: int) -> "list[_TreeNode]":
        """Give the fewest nodes, other than this one, that together have a range of
        words, in order."""
        ends: dict[int, int] = {}
        for constituent in self.tree.constituents or ():
            is_other = (constituent.start, constituent.end) != self[1:]
            if is_other and constituent.is_within(start, end):
                ends.setdefault(constituent.start, constituent.end)
        nodes = []
        while start < end:
            stop = ends.get(start, start + 1)
            nodes.append(_TreeNode(self.tree, start, stop))
            start = stop
        return nodes

    def below(self) -> "list[_TreeNode]":
        """Give this node and the nodes below it, in pre-order."""
        ranges = {(i, i + 1) for i in range(self.start, self.end)} | {self[1:]}
        for constituent in self.tree.constituents or ():
            if constituent.is_within(*self[1:]):
                ranges.add((constituent.start, constituent.end))
        in_order = sorted(ranges, key=lambda place: (place[0], -place[1]))
        return [_TreeNode(self.tree, *place) for place in in_order]

    @property
    def parse(self) -> Parse:
        """Its words and what is below."""
        return self.tree.cut(self.start, self.end)

    @property
    def span(self) -> Span:
        """Its words as a Span."""
        tokens = self.tree.tokens[self.start : self.end]
        return self.tree.doc[tokens[0] : tokens[-1] + 1]


def _largest(item: Item, strict: bool) -> list[_TreeNode]:
    """Give the fewest nodes that together have the words of an item, in order."""
    nodes: list[_TreeNode] = []
    for tree in _trees(item, strict):
        whole = _TreeNode(tree, 0, len(tree.words))
        span = item[:]
        start = bisect_left(tree.tokens, span.start)
        end = bisect_left(tree.tokens, span.end)
        nodes += [whole] if (start, end) == whole[1:] else whole.within(start, end)
    return nodes


def _node(item: TreeItem, strict: bool) -> Optional[_TreeNode]:
    """Give the node of a Span or Token, or of a Doc of one sentence; None where there
    is none."""
    span = item.doc[item.i : item.i + 1] if isinstance(item, Token) else item
    nodes = _largest(span, strict)
    if len(nodes) == 1:
        return nodes[0]
    if strict:
        name = type(span).__name__
        raise NonConstituentException(
            f"the {name} is no constituent: {span.text[:80]!r}. See its _.trees"
        )
    return None


# Doc, Span and Token have these getters. Their docstrings are
# docs/reference/getters.md.


def get_tree(item: TreeItem, *, strict: bool = False) -> "Optional[Tree]":
    """Give the constituency tree; None where the item is no constituent, is a Doc of
    several sentences, or has no parse."""
    node = _node(item, strict)
    return node.parse.to_tree() if node else None


def get_trees(item: Item, *, strict: bool = False) -> "list[Tree]":
    """Give the fewest trees that together have the words, in order: of a constituent,
    its tree; of several sentences, their trees; else the trees of the largest
    constituents and words within. Empty without a parse."""
    return [node.parse.to_tree() for node in _largest(item, strict)]


def get_parse_string(item: TreeItem, *, strict: bool = False) -> Optional[str]:
    """Give the constituency tree in brackets, of a Doc one line a sentence; None where
    the item is no constituent, or without a parse."""
    if not isinstance(item, Doc):
        node = _node(item, strict)
        return node.parse.to_brackets() if node else None
    trees = _trees(item, strict)
    is_parsed = bool(trees) or (SPANS_KEY in item.spans and has_sentences(item))
    return "\n".join(tree.to_brackets() for tree in trees) if is_parsed else None


def get_labels(item: TreeItem, *, strict: bool = False) -> tuple[str, ...]:
    """Give the labels of a constituent, outermost first; empty for a word without
    labels, or where the item is no constituent."""
    node = _node(item, strict)
    if node is None:
        return ()
    for constituent in node.tree.constituents or ():
        if (constituent.start, constituent.end) == node[1:]:
            return constituent.chain
    return ()


def iter_constituents(item: TreeItem, *, strict: bool = False) -> Iterator[Span]:
    """Give the constituents at or below, pre-order, words included; of a Doc, those of
    all sentences. Empty where the item is no constituent."""
    if isinstance(item, Doc):
        tops = [_TreeNode(tree, 0, len(tree.words)) for tree in _trees(item, strict)]
    else:
        node = _node(item, strict)
        tops = [node] if node else []
    for top in tops:
        for below in top.below():
            yield below.span


def iter_children(item: Item, *, strict: bool = False) -> Iterator[Span]:
    """Give the constituents directly below, words included; empty where the item is no
    constituent."""
    node = _node(item, strict)
    if node and node.end - node.start > 1:
        for child in node.within(node.start, node.end):
            yield child.span


def get_parent(item: TreeItem, *, strict: bool = False) -> Optional[Span]:
    """Give the smallest constituent above; None for a whole sentence, or where the item
    is no constituent."""
    node = _node(item, strict)
    if node is None:
        return None
    constituents = node.tree.constituents or ()
    places = [(span.start, span.end) for span in constituents]
    above = [
        (start, end)
        for start, end in [(0, len(node.tree.words)), *places]
        if start <= node.start and node.end <= end and (start, end) != node[1:]
    ]
    return _TreeNode(node.tree, *above[-1]).span if above else None


def get_head_confidence(token: Token) -> Optional[float]:
    """Give the calibrated probability that the token's head is right; None for white
    space. Each access scores the sentence: `spacy_lal.interpret.head_confidences` gives
    those of all tokens at once."""
    sentence = token.sent
    values = confidences_of(token.doc, "heads").of_heads(sentence)
    return values[token.i - sentence.start]


def get_label_confidence(span: Span) -> Optional[float]:
    """Give the calibrated probability that the constituent is one, with its labels;
    None for a Span that is none."""
    return confidences_of(span.doc, "constituents").of_constituent(span)


def get_parse_confidence(span: Span) -> Optional[float]:
    """Give the calibrated probability that all heads of the Span's sentence are right;
    None without words."""
    return confidences_of(span.doc, "heads").of_sentence(span)


_TREE_GETTERS: list[tuple[str, str, Callable[..., Any]]] = [
    ("Doc Span Token", "parse_string", get_parse_string),
    ("Doc Span Token", "tree", get_tree),
    ("Doc Span", "trees", get_trees),
    ("Doc Span Token", "labels", get_labels),
    ("Doc Span Token", "constituents", iter_constituents),
    ("Span", "children", iter_children),
    ("Span Token", "parent", get_parent),
]
_OTHER_GETTERS: list[tuple[str, str, Callable[..., Any]]] = [
    ("Doc", "predicates", get_predicates),
    ("Span", "predicates", get_span_predicates),
    ("Token", "predicate", get_token_predicate),
    ("Doc", "srl", get_srl),
    ("Doc Span", "relations", get_relations),
    ("Doc Span", "triples", get_triples),
    ("Span", "clauses", get_clauses),
    ("Doc Span", "complexity", get_complexity),
    ("Doc Span", "units", get_units),
    ("Span", "label_confidence", get_label_confidence),
    ("Span", "parse_confidence", get_parse_confidence),
    ("Span", "parse_method", get_parse_method),
    ("Token", "head_confidence", get_head_confidence),
]
GETTERS: list[tuple[Any, str, Callable[..., Any]]] = [
    (cls, name, getter)
    for cls in (Doc, Span, Token)
    for classes, name, getter in (*_TREE_GETTERS, *_OTHER_GETTERS)
    if cls.__name__ in classes.split()
]


def install_extensions(strict: Optional[bool] = None) -> None:
    """Give Doc, Span and Token the getters that users of benepar know. Extensions that
    others have set are left alone.
    strict (Optional[bool]): True: the getters raise `NonConstituentException` for a
        Span that is no constituent, and `UnparsedDocError` for a Doc without a parse,
        where benepar raises. False: they give None or nothing. Default: as before, at
        first False."""
    for label, described in known_labels().items():
        GLOSSARY.setdefault(label, described)
    of_trees = [getter for _, _, getter in _TREE_GETTERS]
    for cls, name, getter in GETTERS:
        chosen = (
            partial(getter, strict=True) if getter in of_trees and strict else getter
        )
        is_ours = False
        if cls.has_extension(name):
            known = cls.get_extension(name)[2]
            is_ours = getattr(known, "func", known) is getter
        if not cls.has_extension(name) or (is_ours and strict is not None):
            cls.set_extension(name, getter=chosen, force=True)
