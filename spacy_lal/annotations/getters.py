"""The getters of a Doc's, Span's or Token's parse: `doc._.parse_string`, `span._.tree`, ...

They read the Doc on demand, and write nothing on it. A getter of a Span or Token reads its sentence alone. *Not* here:
roles (`predicates.py`).
"""

from bisect import bisect_left
from functools import partial
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Tuple

from nltk.tree import Tree
from spacy.tokens import Doc, Span, Token

from ..trees import nested_spans, spans_to_tree, split_chain, write_brackets
from .parses import SPANS_KEY, check_present, get_constituents, get_parse_method, sentence_constituents
from .predicates import get_predicates, get_span_predicates, get_token_predicate
from .roles import get_srl
from .sentences import has_sentences, sentence_of, sentence_words

MISSING_TAG = "X"


class NonConstituentException(ValueError):  # noqa: N818  (benepar's name)
    """The Span is no constituent. Raised by the getters of `install_extensions(strict=True)`, as by benepar's."""


class UnparsedDocError(ValueError):
    """The Doc has no constituents. Raised by the getters of `install_extensions(strict=True)`."""


class _SentenceTree:
    """The nodes of a sentence of n words in pre-order: the sentence, each word, and each constituent.

    keys (List[Tuple[int, int]]): The half-open range of word positions of each node.
    chains (List[str]): The unary chain of each node ("S::VP"), or "".
    after (List[int]): The first node after each node's subtree.
    parents (List[int]): The node above each node; -1 above the sentence.
    RAISES (CrossingSpansError): The constituents cross.
    """

    def __init__(self, sentence: Span) -> None:
        self.doc = sentence.doc
        self.words = [token.i for token in sentence if not token.is_space]
        n = len(self.words)
        spans = nested_spans(sentence_constituents(sentence, self.words), n)
        labels = {(start, end): label for start, end, label in spans}
        keys = {*((i, i + 1) for i in range(n)), *labels, *([(0, n)] if n else [])}
        self.keys = sorted(keys, key=lambda key: (key[0], -key[1]))
        self.chains = [labels.get(key, "") for key in self.keys]
        self.after, self.parents = [len(keys)] * len(keys), [-1] * len(keys)
        around: List[int] = []
        for number, (start, _) in enumerate(self.keys):
            while around and self.keys[around[-1]][1] <= start:
                self.after[around.pop()] = number
            self.parents[number] = around[-1] if around else -1
            around.append(number)

    def key_of(self, span: Span) -> Tuple[int, int]:
        """The word positions of a Span, cut to the sentence."""
        return bisect_left(self.words, span.start), bisect_left(self.words, span.end)

    def largest_within(self, span: Span) -> "List[_Node]":
        """The fewest nodes that together have the words of a Span, in order."""
        start, end = self.key_of(span)
        found: List[_Node] = []
        number = bisect_left(self.keys, (start, -end), key=lambda one: (one[0], -one[1]))
        while number < len(self.keys) and self.keys[number][0] < end:
            is_within = self.keys[number][1] <= end
            if is_within:
                found.append(_Node(self, number))
            number = self.after[number] if is_within else number + 1
        return found


class _Node(NamedTuple):
    """A constituent, a word or a sentence: the tree of its sentence, and its number in this tree."""

    tree: _SentenceTree
    number: int

    def span(self) -> Span:
        start, end = self.tree.keys[self.number]
        return self.tree.doc[self.tree.words[start] : self.tree.words[end - 1] + 1]

    def below(self) -> "List[_Node]":
        return [_Node(self.tree, i) for i in range(self.number, self.tree.after[self.number])]

    def to_nltk(self) -> Tree:
        start, end = self.tree.keys[self.number]
        nodes = range(self.number, self.tree.after[self.number])
        keys, chains = self.tree.keys, self.tree.chains
        spans = [(keys[i][0] - start, keys[i][1] - start, chains[i]) for i in nodes if chains[i]]
        return words_to_tree(self.tree.doc, self.tree.words[start:end], spans)


def words_to_tree(doc: Doc, words: List[int], constituents: List[Tuple[int, int, str]]) -> Tree:
    """The tree of some words of a Doc; a word without tag and part of speech has the tag X.

    words (List[int]): Their indices.
    constituents (List[Tuple[int, int, str]]): Half-open spans of word positions with their unary chains.
    """
    tokens = [doc[i] for i in words]
    tags = [token.tag_ or token.pos_ or MISSING_TAG for token in tokens]
    return spans_to_tree([token.text for token in tokens], tags, constituents)


def check_parsed(doc: Doc) -> None:
    """Check that a Doc has constituents and sentences.

    RAISES (UnparsedDocError): It has not.
    """
    if SPANS_KEY not in doc.spans or not has_sentences(doc):
        missing = "sentence boundaries" if SPANS_KEY in doc.spans else f"constituents (doc.spans[{SPANS_KEY!r}])"
        raise UnparsedDocError(f"the Doc has no {missing}: it must come from a pipeline with a lal_parser")


def _has_trees(doc: Doc, strict: bool) -> bool:
    if strict:
        check_parsed(doc)
    return SPANS_KEY in doc.spans and has_sentences(doc)


def _node(span: Span, strict: bool) -> Optional[_Node]:
    """None for a Span that is no node of a tree, or whose Doc has no parse.

    strict (bool): Whether to raise an error instead of returning None.
    RAISES (StaleParseError): The Doc does not have the Span's tokens. (CrossingSpansError): The constituents cross.
        (NonConstituentException, UnparsedDocError): With `strict`.
    """
    check_present(span)
    if not _has_trees(span.doc, strict):
        return None
    sentence = sentence_of(span) if len(span) else span
    if len(span) and span.end <= sentence.end:
        tree = _SentenceTree(sentence)
        key = tree.key_of(span)
        if key in tree.keys:
            return _Node(tree, tree.keys.index(key))
    if strict:
        raise NonConstituentException(f"the Span {span.start}:{span.end} is no constituent: {span.text!r}")
    return None


def get_tree(span: Span, *, strict: bool = False) -> Optional[Tree]:
    """The constituency tree of a Span, or None where the Span is no constituent (or its Doc has no parse).

    strict (bool): In all getters: raise errors as benepar does, instead of giving None or nothing.
    RAISES (NonConstituentException): With `strict`, the Span is no constituent. (UnparsedDocError): With `strict`, its
        Doc has no parse.
    """
    node = _node(span, strict)
    return node.to_nltk() if node else None


def get_trees(span: Span, *, strict: bool = False) -> List[Tree]:
    """The fewest trees that together have the words of a Span, in order: of a constituent, its tree; of several
    sentences, their trees; else the trees of the largest constituents and words within. Empty for a Doc without a
    parse."""
    check_present(span)
    if not _has_trees(span.doc, strict):
        return []
    sentences = _sentences(span.doc, span.start, span.end)
    return [node.to_nltk() for sentence in sentences for node in _SentenceTree(sentence).largest_within(span)]


def get_parse_string(span: Span, *, strict: bool = False) -> Optional[str]:
    """The constituency tree of a Span in brackets, or None where the Span is no constituent."""
    tree = get_tree(span, strict=strict)
    return write_brackets(tree, spaces=True) if tree is not None else None


def get_labels(span: Span, *, strict: bool = False) -> Tuple[str, ...]:
    """The labels of a constituent, outermost first; empty for a word without labels or where the Span is no
    constituent."""
    node = _node(span, strict)
    return split_chain(node.tree.chains[node.number]) if node else ()


def iter_constituents(span: Span, *, strict: bool = False) -> Iterator[Span]:
    """The constituents at or below a Span, pre-order, words included; empty where the Span is no constituent."""
    node = _node(span, strict)
    yield from (one.span() for one in node.below()) if node else ()


def iter_children(span: Span, *, strict: bool = False) -> Iterator[Span]:
    """The constituents directly below a Span, words included; empty where the Span is no constituent."""
    node = _node(span, strict)
    yield from (x.span() for x in node.below() if x.tree.parents[x.number] == node.number) if node else ()


def get_parent(span: Span, *, strict: bool = False) -> Optional[Span]:
    """The smallest constituent above a Span; None for a whole sentence, or where the Span is no constituent."""
    node = _node(span, strict)
    parent = node.tree.parents[node.number] if node else -1
    return _Node(node.tree, parent).span() if node and parent >= 0 else None


def get_doc_trees(doc: Doc, *, strict: bool = False) -> List[Tree]:
    """The constituency tree of each sentence of a Doc. Empty for a Doc without a parse; sentences of whitespace alone
    have no tree."""
    if not _has_trees(doc, strict):
        return []
    found = zip(sentence_words(doc), get_constituents(doc), strict=True)
    return [words_to_tree(doc, words, constituents) for words, constituents in found if words]


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
    sentences = list(_sentences(doc, 0, len(doc)))
    if len(sentences) == 1:
        return sentences[0]
    if strict:
        number = "several sentences" if sentences else "no words"
        raise NonConstituentException(f"the Doc has {number}, and one tree is of one sentence: see doc._.trees")
    return None


# Extensions


def _of_token(token: Token, *, getter: Callable[..., Any], strict: bool = False) -> Any:
    return getter(token.doc[token.i : token.i + 1], strict=strict)


GETTERS: List[Tuple[Any, str, Callable[..., Any]]] = [
    (Doc, "parse_string", get_doc_parse_string),
    (Doc, "tree", get_doc_tree),
    (Doc, "trees", get_doc_trees),
    (Doc, "labels", get_doc_labels),
    (Doc, "constituents", iter_doc_constituents),
    (Doc, "predicates", get_predicates),
    (Doc, "srl", get_srl),
    (Span, "parse_string", get_parse_string),
    (Span, "tree", get_tree),
    (Span, "trees", get_trees),
    (Span, "labels", get_labels),
    (Span, "constituents", iter_constituents),
    (Span, "children", iter_children),
    (Span, "parent", get_parent),
    (Span, "parse_method", get_parse_method),
    (Span, "predicates", get_span_predicates),
    (Token, "parse_string", partial(_of_token, getter=get_parse_string)),
    (Token, "tree", partial(_of_token, getter=get_tree)),
    (Token, "labels", partial(_of_token, getter=get_labels)),
    (Token, "constituents", partial(_of_token, getter=iter_constituents)),
    (Token, "parent", partial(_of_token, getter=get_parent)),
    (Token, "predicate", get_token_predicate),
]
_NEVER_STRICT = ("parse_method", "predicates", "predicate", "srl")


def install_extensions(strict: Optional[bool] = None) -> None:
    """Give Doc, Span and Token the getters that users of benepar know. Extensions that others have set are left alone.

    strict (Optional[bool]): True: the getters raise `NonConstituentException` for a Span that is no constituent, and
        `UnparsedDocError` for a Doc without a parse, where benepar raises. False: they give None or nothing. Default:
        as before, at first False.
    """
    for cls, name, getter in GETTERS:
        is_ours = cls.has_extension(name) and _is_ours(cls.get_extension(name)[2])
        if not cls.has_extension(name) or (is_ours and strict is not None):
            chosen = partial(getter, strict=True) if strict and name not in _NEVER_STRICT else getter
            cls.set_extension(name, getter=chosen, force=True)


def _is_ours(getter: Any) -> bool:
    while isinstance(getter, partial):
        getter = getter.func
    return getattr(getter, "__module__", None) == __name__
