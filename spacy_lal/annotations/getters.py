"""The getters of a Doc's, Span's or Token's parse: `doc._.parse_string`, `span._.tree`,
... They read the Doc on demand, a Span's or Token's sentence alone, and write nothing
on it. Roles are in `predicates.py`."""

import warnings
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterator,
    List,
    Optional,
    Tuple,
)

from spacy.glossary import GLOSSARY
from spacy.tokens import Doc, Span, Token

from ..lang import known_labels
from ..trees import split_chain
from .complexity import get_complexity
from .confidence import confidences_of
from .facts import get_clauses, get_relations, get_triples
from .parses import (
    METHODS_KEY,
    SPANS_KEY,
    get_parse_method,
)
from .predicates import get_predicates, get_span_predicates, get_token_predicate
from .roles import get_srl
from .sentence_trees import Item, SentenceTree, UnparsedDocError, sentence_trees
from .sentences import has_sentences
from .span_groups import check_present
from .units import get_units

if TYPE_CHECKING:
    from nltk.tree import Tree


class NonConstituentException(ValueError):  # noqa: N818  (benepar's name)
    """The Span is no constituent. Raised by the getters of
    `install_extensions(strict=True)`, as by benepar's."""


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
_PLAIN_GETTERS: List[Tuple[Any, str, Callable[..., Any]]] = [
    (Doc, "predicates", get_predicates),
    (Doc, "relations", get_relations),
    (Doc, "srl", get_srl),
    (Doc, "complexity", get_complexity),
    (Span, "complexity", get_complexity),
    (Doc, "triples", get_triples),
    (Doc, "units", get_units),
    (Span, "clauses", get_clauses),
    (Span, "label_confidence", get_label_confidence),
    (Span, "parse_confidence", get_parse_confidence),
    (Span, "parse_method", get_parse_method),
    (Span, "predicates", get_span_predicates),
    (Span, "relations", get_relations),
    (Span, "triples", get_triples),
    (Span, "units", get_units),
    (Token, "head_confidence", get_head_confidence),
    (Token, "predicate", get_token_predicate),
]
GETTERS += _PLAIN_GETTERS


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
                if strict and (cls, name, getter) not in _PLAIN_GETTERS
                else getter
            )
            cls.set_extension(name, getter=chosen, force=True)


def _is_ours(getter: Any) -> bool:
    while isinstance(getter, partial):
        getter = getter.func
    return getattr(getter, "__module__", None) == __name__
