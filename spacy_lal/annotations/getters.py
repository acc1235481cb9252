"""The getters of a Doc's, Span's or Token's parse: `doc._.parse_string`, `span._.tree`,
... They read the Doc on demand, a Span's or Token's sentence alone, and write nothing
on it. Roles are in `predicates.py`."""

import warnings
from bisect import bisect_left
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from spacy.glossary import GLOSSARY
from spacy.tokens import Doc, Span, Token

from ..lang import known_labels
from ..trees import nested_spans, spans_to_tree, split_chain, write_spans
from .clauses import get_clauses
from .confidence import confidences_of
from .parses import (
    METHODS_KEY,
    SPANS_KEY,
    CollapsedSpan,
    get_constituents,
    get_parse_method,
)
from .predicates import get_predicates, get_span_predicates, get_token_predicate
from .relations import get_relations
from .roles import get_srl
from .sentences import has_sentences, sentence_of, sentence_words, words_of
from .span_groups import check_present

if TYPE_CHECKING:
    from nltk.tree import Tree

MISSING_TAG = "X"
Item = Union[Doc, Span]


class NonConstituentException(ValueError):  # noqa: N818  (benepar's name)
    """The Span is no constituent. Raised by the getters of
    `install_extensions(strict=True)`, as by benepar's."""


class UnparsedDocError(ValueError):
    """The Doc has no constituents. Raised by the getters of
    `install_extensions(strict=True)`."""


class SentenceTree:
    """The nodes of a sentence of n words in pre-order: the sentence, each word, and
    each constituent.
    words (List[int]): The index of each word in the Doc.
    keys (List[Tuple[int, int]]): The half-open range of word positions of each node.
    chains (List[str]): The unary chain of each node ("S::VP"), or "".
    after (List[int]): The first node after each node's subtree.
    parents (List[int]): The node above each node; -1 above the sentence.
    RAISES (SpanError): The constituents cross."""

    def __init__(
        self, doc: Doc, words: List[int], constituents: Sequence[CollapsedSpan]
    ) -> None:
        n_words = len(words)
        spans = nested_spans(constituents, n_words)
        labels = {(start, end): label for start, end, label in spans}
        single_words = {(i, i + 1) for i in range(n_words)}
        keys = {(0, n_words), *single_words, *labels}
        self.doc = doc
        self.words = words
        self.keys = sorted(keys, key=_in_preorder)
        self.chains = [labels.get(key, "") for key in self.keys]
        self.after = [len(keys)] * len(keys)
        self.parents = [-1] * len(keys)
        around: List[int] = []
        for number, (start, _) in enumerate(self.keys):
            while around and self.keys[around[-1]][1] <= start:
                self.after[around.pop()] = number
            if around:
                self.parents[number] = around[-1]
            around.append(number)

    def largest_within(self, item: Item) -> List[int]:
        """Give the fewest nodes that together have the words of an item, in order."""
        first, last = (
            (0, len(item)) if isinstance(item, Doc) else (item.start, item.end)
        )
        start = bisect_left(self.words, first)
        end = bisect_left(self.words, last)
        found = []
        number = bisect_left(self.keys, (start, -end), key=_in_preorder)
        while number < len(self.keys) and self.keys[number][0] < end:
            if self.keys[number][1] <= end:
                found.append(number)
                number = self.after[number]
            else:
                number += 1
        return found

    def span(self, node: int) -> Span:
        """Give a node as a Span."""
        start, end = self.keys[node]
        return self.doc[self.words[start] : self.words[end - 1] + 1]

    def to_nltk(self, node: int = 0) -> "Tree":
        """Give the tree below a node; a word without tag and part of speech has the tag
        X."""
        return spans_to_tree(*self._below(node))

    def to_brackets(self, node: int = 0) -> str:
        """Give the brackets of `to_nltk`, with spaces in words."""
        return write_spans(*self._below(node))

    def _below(self, node: int) -> Tuple[List[str], List[str], List[CollapsedSpan]]:
        """Give words, tags and spans below a node."""
        start, end = self.keys[node]
        tokens = [self.doc[i] for i in self.words[start:end]]
        words = [token.text for token in tokens]
        tags = [token.tag_ or token.pos_ or MISSING_TAG for token in tokens]
        spans = []
        for below in range(node, self.after[node]):
            if self.chains[below]:
                first, last = self.keys[below]
                spans.append((first - start, last - start, self.chains[below]))
        return words, tags, spans


def _in_preorder(key: Tuple[int, int]) -> Tuple[int, int]:
    start, end = key
    return start, -end


def sentence_trees(item: Item) -> Iterator[SentenceTree]:
    """Give the trees of sentences with words, those of a Doc or around a Span, at the
    cost of these sentences.

    RAISES (UnparsedDocError): The Doc has no parse.
    RAISES (StaleParseError): The Doc does not have the Span's tokens."""
    doc = item if isinstance(item, Doc) else item.doc
    missing = ""
    if SPANS_KEY not in doc.spans:
        missing = f"constituents (doc.spans[{SPANS_KEY!r}])"
    elif not has_sentences(doc):
        missing = "sentence boundaries"
    if missing:
        raise UnparsedDocError(
            f"the Doc has no {missing}: it must come from a pipeline with a lal_parser"
        )
    if isinstance(item, Span):
        check_present(item)
        found = _of_sentences(item)
    else:
        found = zip(sentence_words(doc), get_constituents(doc), strict=True)
    yield from (
        SentenceTree(doc, words, constituents) for words, constituents in found if words
    )


def _of_sentences(span: Span) -> Iterator[Tuple[List[int], List[CollapsedSpan]]]:
    start = span.start
    while start < span.end:
        sentence = sentence_of(span.doc[start : start + 1])
        (constituents,) = get_constituents(span.doc, sentence)
        yield words_of(sentence), constituents
        start = sentence.end


def _trees(item: Item, strict: bool) -> List[SentenceTree]:
    """Give the trees of `sentence_trees`; none for a Doc without a parse, unless
    `strict`."""
    try:
        return list(sentence_trees(item))
    except UnparsedDocError as error:
        if strict:
            raise
        doc = item if isinstance(item, Doc) else item.doc
        was_parsed = SPANS_KEY in doc.spans or METHODS_KEY in doc.spans
        if not was_parsed and doc.to_array("DEP").any():
            reason = (
                "Span.as_doc keeps heads but no constituents: "
                "spacy_lal.annotations.as_doc(span) keeps both"
            )
            warnings.warn(f"{error}. {reason}", stacklevel=2)
        return []


def _node(item: Item, strict: bool) -> Optional[Tuple[SentenceTree, int]]:
    """Give the tree of a sentence and the node of a Span, or of a Doc of one sentence;
    None where there is none."""
    if not isinstance(item, Doc):
        check_present(item)
    trees = _trees(item, strict)
    nodes = trees[0].largest_within(item) if len(trees) == 1 else []
    if len(nodes) == 1:
        return trees[0], nodes[0]
    if strict:
        name = "Doc" if isinstance(item, Doc) else f"Span {item.start}:{item.end}"
        raise NonConstituentException(
            f"the {name} is no constituent: {item.text[:80]!r}. See its _.trees"
        )
    return None


# Doc, Span and Token have these getters. Their docstrings are
# docs/reference/getters.md.


def get_tree(item: Item, *, strict: bool = False) -> "Optional[Tree]":
    """Give the constituency tree; None where the item is no constituent, is a Doc of
    several sentences, or has no parse."""
    node = _node(item, strict)
    return node[0].to_nltk(node[1]) if node else None


def get_trees(item: Item, *, strict: bool = False) -> "List[Tree]":
    """Give the fewest trees that together have the words, in order: of a constituent,
    its tree; of several sentences, their trees; else the trees of the largest
    constituents and words within. Empty without a parse."""
    return [
        tree.to_nltk(node)
        for tree in _trees(item, strict)
        for node in tree.largest_within(item)
    ]


def get_parse_string(item: Item, *, strict: bool = False) -> Optional[str]:
    """Give the constituency tree in brackets, of a Doc one line a sentence; None where
    the item is no constituent, or without a parse."""
    if not isinstance(item, Doc):
        node = _node(item, strict)
        return node[0].to_brackets(node[1]) if node else None
    trees = _trees(item, strict)
    is_parsed = bool(trees) or (SPANS_KEY in item.spans and has_sentences(item))
    return "\n".join(tree.to_brackets() for tree in trees) if is_parsed else None


def get_labels(item: Item, *, strict: bool = False) -> Tuple[str, ...]:
    """Give the labels of a constituent, outermost first; empty for a word without
    labels, or where the item is no constituent."""
    node = _node(item, strict)
    return split_chain(node[0].chains[node[1]]) if node else ()


def iter_constituents(item: Item, *, strict: bool = False) -> Iterator[Span]:
    """Give the constituents at or below, pre-order, words included; of a Doc, those of
    all sentences. Empty where the item is no constituent."""
    if isinstance(item, Doc):
        nodes = [(tree, 0) for tree in _trees(item, strict)]
    else:
        node = _node(item, strict)
        nodes = [node] if node else []
    for tree, top in nodes:
        yield from map(tree.span, range(top, tree.after[top]))


def iter_children(item: Item, *, strict: bool = False) -> Iterator[Span]:
    """Give the constituents directly below, words included; empty where the item is no
    constituent."""
    node = _node(item, strict)
    if node:
        tree, top = node
        yield from (
            tree.span(i)
            for i in range(top + 1, tree.after[top])
            if tree.parents[i] == top
        )


def get_parent(item: Item, *, strict: bool = False) -> Optional[Span]:
    """Give the smallest constituent above; None for a whole sentence, or where the item
    is no constituent."""
    node = _node(item, strict)
    if node is None:
        return None
    tree, number = node
    parent = tree.parents[number]
    return tree.span(parent) if parent >= 0 else None


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


def _of_token(token: Token, *, getter: Callable[..., Any], strict: bool = False) -> Any:
    return getter(token.doc[token.i : token.i + 1], strict=strict)


_TREE_GETTERS: List[Tuple[str, str, Callable[..., Any]]] = [
    ("Doc Span Token", "parse_string", get_parse_string),
    ("Doc Span Token", "tree", get_tree),
    ("Doc Span", "trees", get_trees),
    ("Doc Span Token", "labels", get_labels),
    ("Doc Span Token", "constituents", iter_constituents),
    ("Span", "children", iter_children),
    ("Span Token", "parent", get_parent),
]
GETTERS: List[Tuple[Any, str, Callable[..., Any]]] = [
    (cls, name, partial(_of_token, getter=getter) if cls is Token else getter)
    for cls in (Doc, Span, Token)
    for classes, name, getter in _TREE_GETTERS
    if cls.__name__ in classes.split()
]
_ROLE_GETTERS: List[Tuple[Any, str, Callable[..., Any]]] = [
    (Doc, "predicates", get_predicates),
    (Doc, "relations", get_relations),
    (Doc, "srl", get_srl),
    (Span, "clauses", get_clauses),
    (Span, "label_confidence", get_label_confidence),
    (Span, "parse_confidence", get_parse_confidence),
    (Span, "parse_method", get_parse_method),
    (Span, "predicates", get_span_predicates),
    (Span, "relations", get_relations),
    (Token, "head_confidence", get_head_confidence),
    (Token, "predicate", get_token_predicate),
]
GETTERS += _ROLE_GETTERS


def install_extensions(strict: Optional[bool] = None) -> None:
    """Give Doc, Span and Token the getters that users of benepar know. Extensions that
    others have set are left alone.
    strict (Optional[bool]): True: the getters raise `NonConstituentException` for a
        Span that is no constituent, and `UnparsedDocError` for a Doc without a parse,
        where benepar raises. False: they give None or nothing. Default: as before, at
        first False."""
    for label, described in known_labels().items():
        GLOSSARY.setdefault(label, described)
    for cls, name, getter in GETTERS:
        is_ours = cls.has_extension(name) and _is_ours(cls.get_extension(name)[2])
        if not cls.has_extension(name) or (is_ours and strict is not None):
            chosen = (
                partial(getter, strict=True)
                if strict and (cls, name, getter) not in _ROLE_GETTERS
                else getter
            )
            cls.set_extension(name, getter=chosen, force=True)


def _is_ours(getter: Any) -> bool:
    while isinstance(getter, partial):
        getter = getter.func
    return getattr(getter, "__module__", None) == __name__
