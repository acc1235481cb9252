"""The getters of a Doc's, Span's or Token's parse: `doc._.parse_string`, `span._.tree`, ...

They read the Doc on demand, and write nothing on it. *Not* here: their names (`extensions.py`).
"""

from functools import partial
from itertools import islice
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from nltk.tree import Tree
from spacy.tokens import Doc, Span

from ..trees import spans_to_tree, split_chain, write_brackets
from .constituents import SPANS_KEY, get_constituents
from .parses import METHODS_KEY
from .sentence_trees import SentenceTree, sentence_of, tree_around
from .sentences import has_sentences, sentence_words
from .span_groups import check_present, label_around

MISSING_TAG = "X"

_Reach = Callable[[SentenceTree, int], Sequence[int]]  # from a tree and a node to the other nodes that are read


class NonConstituentException(ValueError):  # noqa: N818  (benepar's name)
    """The Span is no constituent. Raised by the getters of `install_extensions(strict=True)`, as by benepar's."""


class UnparsedDocError(ValueError):
    """The Doc has no constituents. Raised by the getters of `install_extensions(strict=True)`."""


class _Node(NamedTuple):
    """A constituent, a word or a sentence: its Doc, the tree of its sentence, and its number in this tree."""

    doc: Doc
    tree: SentenceTree
    number: int

    def span(self, number: int) -> Span:
        start, end = self.tree.keys[number]
        return self.doc[self.tree.words[start] : self.tree.words[end - 1] + 1]

    @property
    def labels(self) -> Tuple[str, ...]:
        return split_chain(self.tree.chains[self.number])

    def to_nltk(self) -> Tree:
        start, end = self.tree.keys[self.number]
        tokens = [self.doc[i] for i in self.tree.words[start:end]]
        keys, chains = self.tree.keys, self.tree.chains
        spans = [
            (keys[i][0] - start, keys[i][1] - start, chains[i])
            for i in range(self.number, self.tree.after[self.number])
            if chains[i]
        ]
        tags = [token.tag_ or token.pos_ or MISSING_TAG for token in tokens]
        return spans_to_tree([token.text for token in tokens], tags, spans)


def _has_trees(doc: Doc, strict: bool) -> bool:
    if SPANS_KEY in doc.spans and has_sentences(doc):
        return True
    if strict:
        missing = "sentence boundaries" if SPANS_KEY in doc.spans else f"constituents (doc.spans[{SPANS_KEY!r}])"
        raise UnparsedDocError(f"the Doc has no {missing}: it must come from a pipeline with a lal_parser")
    return False


def _node(span: Span, strict: bool, reach: _Reach) -> Optional[_Node]:
    """None for a Span that is no node of a tree, or whose Doc has no parse.

    strict (bool): Whether to raise an error instead of returning None.
    reach (Callable): The nodes that the caller reads.
    RAISES (StaleParseError): The Doc does not have the Span's tokens. (CrossingSpansError): The constituents of the Doc
        cross. (NonConstituentException, UnparsedDocError): With `strict`.
    """
    check_present(span)
    if not _has_trees(span.doc, strict):
        return None
    tree = tree_around(span, partial(_touched, span, reach)) if len(span) else None
    number = tree.node(tree.key_of(span)) if tree else None
    if tree and number is not None:
        return _Node(span.doc, tree, number)
    if strict:
        raise NonConstituentException(f"the Span {span.start}:{span.end} is no constituent: {span.text!r}")
    return None


def _touched(span: Span, reach: _Reach, tree: SentenceTree) -> Sequence[int]:
    number = tree.node(tree.key_of(span))
    return () if number is None else [number, *reach(tree, number)]


def _itself(tree: SentenceTree, number: int) -> Sequence[int]:
    return ()


def _below(tree: SentenceTree, number: int) -> Sequence[int]:
    return range(number + 1, tree.after[number])


def _above(tree: SentenceTree, number: int) -> Sequence[int]:
    return [tree.parents[number]] if tree.parents[number] >= 0 else ()


def get_tree(span: Span, *, strict: bool = False) -> Optional[Tree]:
    """The constituency tree of a Span, or None where the Span is no constituent (or its Doc has no parse).

    strict (bool): In all getters: raise errors as benepar does, instead of giving None or nothing.
    RAISES (NonConstituentException): With `strict`, the Span is no constituent. (UnparsedDocError): With `strict`, its
        Doc has no parse.
    """
    node = _node(span, strict, _below)
    return node.to_nltk() if node else None


def get_trees(span: Span, *, strict: bool = False) -> List[Tree]:
    """The fewest trees that together have the words of a Span, in order: of a constituent, its tree; of several
    sentences, their trees; else the trees of the largest constituents and words within. Empty for a Doc without a
    parse."""
    check_present(span)
    if not _has_trees(span.doc, strict):
        return []
    trees = []
    for sentence in _sentences(span.doc, span.start, span.end):
        tree = tree_around(sentence, partial(_within, span))
        if tree:
            trees += [_Node(span.doc, tree, number).to_nltk() for number in tree.largest_within(tree.key_of(span))]
    return trees


def _within(span: Span, tree: SentenceTree) -> Sequence[int]:
    return [i for top in tree.largest_within(tree.key_of(span)) for i in range(top, tree.after[top])]


def get_parse_string(span: Span, *, strict: bool = False) -> Optional[str]:
    """The constituency tree of a Span in brackets, or None where the Span is no constituent."""
    tree = get_tree(span, strict=strict)
    return write_brackets(tree, spaces=True) if tree is not None else None


def get_labels(span: Span, *, strict: bool = False) -> Tuple[str, ...]:
    """The labels of a constituent, outermost first; empty for a word without labels or where the Span is no
    constituent."""
    node = _node(span, strict, _itself)
    return node.labels if node else ()


def iter_constituents(span: Span, *, strict: bool = False) -> Iterator[Span]:
    """The constituents at or below a Span, pre-order, words included; empty where the Span is no constituent."""
    node = _node(span, strict, _below)
    if node:
        yield from map(node.span, range(node.number, node.tree.after[node.number]))


def iter_children(span: Span, *, strict: bool = False) -> Iterator[Span]:
    """The constituents directly below a Span, words included; empty where the Span is no constituent."""
    node = _node(span, strict, SentenceTree.children)
    if node:
        yield from map(node.span, node.tree.children(node.number))


def get_parent(span: Span, *, strict: bool = False) -> Optional[Span]:
    """The smallest constituent above a Span; None for a whole sentence, or where the Span is no constituent."""
    node = _node(span, strict, _above)
    parent = node.tree.parents[node.number] if node else -1
    return node.span(parent) if node and parent >= 0 else None


def get_parse_method(span: Span) -> Optional[str]:
    """How the sentence around a Span was parsed: "joint", "separate" or "split"; None for a parse without a mark, or a
    Span not within one sentence."""
    if METHODS_KEY not in span.doc.spans or not len(span):
        return None
    check_present(span)
    return label_around(span.doc.spans[METHODS_KEY], span)


def get_doc_trees(doc: Doc, *, strict: bool = False) -> List[Tree]:
    """The constituency tree of each sentence of a Doc. Empty for a Doc without a parse; sentences of whitespace alone
    have no tree."""
    if not _has_trees(doc, strict):
        return []
    trees = []
    for words, constituents in zip(sentence_words(doc), get_constituents(doc), strict=True):
        if words:
            tags = [doc[i].tag_ or doc[i].pos_ or MISSING_TAG for i in words]
            trees.append(spans_to_tree([doc[i].text for i in words], tags, constituents))
    return trees


def get_doc_parse_string(doc: Doc, *, strict: bool = False) -> Optional[str]:
    """The constituency trees of a Doc in brackets, one sentence a line, or None where the Doc has no parse. Sentences
    of whitespace alone have no line."""
    if not _has_trees(doc, strict):
        return None
    return "\n".join(write_brackets(tree, spaces=True) for tree in get_doc_trees(doc))


def get_doc_tree(doc: Doc, *, strict: bool = False) -> Optional[Tree]:
    """The tree of a Doc of one sentence; None for a Doc of several sentences (see `get_doc_trees`), or without a
    parse."""
    sentence = _only_sentence(doc, strict)
    return get_tree(sentence, strict=strict) if sentence is not None else None


def get_doc_labels(doc: Doc, *, strict: bool = False) -> Tuple[str, ...]:
    """The labels over the whole of a Doc of one sentence, outermost first; otherwise empty."""
    sentence = _only_sentence(doc, strict)
    return get_labels(sentence, strict=strict) if sentence is not None else ()


def iter_doc_constituents(doc: Doc, *, strict: bool = False) -> Iterator[Span]:
    """The constituents of all sentences of a Doc, each sentence pre-order, words included."""
    if _has_trees(doc, strict):
        for sentence in _sentences(doc, 0, len(doc)):
            yield from iter_constituents(sentence, strict=strict)


def _sentences(doc: Doc, start: int, end: int) -> Iterator[Span]:
    """The sentences with words that have tokens in a range."""
    while start < end:
        sentence = sentence_of(doc[start : start + 1])
        if any(not token.is_space for token in sentence):
            yield sentence
        start = sentence.end


def _only_sentence(doc: Doc, strict: bool) -> Optional[Span]:
    """The one sentence of a Doc that has words; None if there is another number of them."""
    if not _has_trees(doc, strict):
        return None
    sentences = list(islice(_sentences(doc, 0, len(doc)), 2))
    if len(sentences) == 1:
        return sentences[0]
    if strict:
        number = "several sentences" if sentences else "no words"
        raise NonConstituentException(f"the Doc has {number}, and one tree is of one sentence: see doc._.trees")
    return None
