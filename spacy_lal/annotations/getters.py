"""The getters of a Doc's, Span's or Token's parse: `doc._.parse_string`, `span._.tree`, ...

They read the Doc on demand, and write nothing on it.
"""

from bisect import bisect_left
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from nltk.tree import Tree
from spacy.tokens import Doc, Span, Token

from ..trees import nested_spans, spans_to_tree, split_chain, write_brackets
from .constituents import SPANS_KEY, constituents_of, get_constituents
from .parses import METHODS_KEY
from .role_views import install_role_extensions
from .sentences import has_sentences, sentence_words
from .span_groups import check_present, label_around

MISSING_TAG = "X"


class _Constituency:
    """The constituency tree of the sentence around a span, and the span's place in it."""

    def __init__(self, span: Span) -> None:
        self.doc = span.doc
        # Callers ask for every sentence of a long Doc: the cost must not grow with the Doc.
        sentence = span.doc[span.start : span.start + 1].sent if len(span.doc) > 1 else span.doc[:]
        self.words: List[int] = [token.i for token in sentence if not token.is_space]
        constituents = nested_spans(constituents_of(sentence, self.words), len(self.words))
        self.labels: Dict[Tuple[int, int], str] = {(start, end): label for start, end, label in constituents}
        self.here = (bisect_left(self.words, span.start), bisect_left(self.words, span.end))
        self.is_node = span.end <= sentence.end and self._is_node(self.here)

    def _is_node(self, key: Tuple[int, int]) -> bool:
        start, end = key
        return key in self.labels or end - start == 1 or (start == 0 and 0 < end == len(self.words))

    def nodes(self) -> List[Tuple[int, int]]:
        """All nodes at or below the span, pre-order; a word is a node."""
        start, end = self.here
        keys = {(i, i + 1) for i in range(start, end)} | {self.here}
        keys.update(key for key in self.labels if start <= key[0] and key[1] <= end)
        return sorted(keys, key=lambda key: (key[0], -key[1]))

    def span(self, key: Tuple[int, int]) -> Span:
        start, end = key
        return self.doc[self.words[start] : self.words[end - 1] + 1]

    def tree(self) -> Tree:
        start, end = self.here
        tokens = [self.doc[i] for i in self.words[start:end]]
        spans = [(s - start, e - start, self.labels[s, e]) for s, e in self.nodes() if (s, e) in self.labels]
        tags = [token.tag_ or token.pos_ or MISSING_TAG for token in tokens]
        return spans_to_tree([token.text for token in tokens], tags, spans)


def _constituency(span: Span) -> Optional[_Constituency]:
    """None for a span that is no node of a tree, or whose Doc has no parse.

    RAISES (StaleParseError): The Doc does not have the span's tokens. (CrossingSpansError): The constituents of the Doc
        cross.
    """
    check_present(span)
    if SPANS_KEY not in span.doc.spans or not has_sentences(span.doc) or not len(span):
        return None
    constituency = _Constituency(span)
    return constituency if constituency.is_node else None


def get_tree(span: Span) -> Optional[Tree]:
    """The constituency tree of a span, or None where the span is no constituent (or its Doc has no parse)."""
    constituency = _constituency(span)
    return constituency.tree() if constituency else None


def get_parse_string(span: Span) -> Optional[str]:
    """The constituency tree of a span in brackets, or None where the span is no constituent."""
    tree = get_tree(span)
    return write_brackets(tree, spaces=True) if tree is not None else None


def get_labels(span: Span) -> Tuple[str, ...]:
    """The labels of a constituent, outermost first; empty for a word without labels or where the span is no
    constituent."""
    constituency = _constituency(span)
    return split_chain(constituency.labels.get(constituency.here, "")) if constituency else ()


def iter_constituents(span: Span) -> Iterator[Span]:
    """The constituents at or below a span, pre-order, words included; empty where the span is no constituent."""
    constituency = _constituency(span)
    if constituency:
        yield from map(constituency.span, constituency.nodes())


def iter_children(span: Span) -> Iterator[Span]:
    """The constituents directly below a span, words included; empty where the span is no constituent."""
    constituency = _constituency(span)
    if not constituency:
        return
    reached = constituency.here[0]
    for start, end in constituency.nodes()[1:]:
        if start >= reached:
            yield constituency.span((start, end))
            reached = end


def get_parent(span: Span) -> Optional[Span]:
    """The smallest constituent above a span; None for a whole sentence, or where the span is no constituent."""
    constituency = _constituency(span)
    if not constituency:
        return None
    start, end = constituency.here
    above = [key for key in constituency.labels if key[0] <= start and end <= key[1] and key != (start, end)]
    above += [(0, len(constituency.words))] if end - start < len(constituency.words) else []
    return constituency.span(min(above, key=lambda key: key[1] - key[0])) if above else None


def get_parse_method(span: Span) -> Optional[str]:
    """How the sentence around a span was parsed: "joint", "separate" or "split"; None for a parse without a mark, or a
    span not within one sentence."""
    if METHODS_KEY not in span.doc.spans or not len(span):
        return None
    check_present(span)
    return label_around(span.doc.spans[METHODS_KEY], span)


def get_doc_parse_string(doc: Doc) -> Optional[str]:
    """The constituency trees of a Doc in brackets, one sentence a line, or None where the Doc has no parse. Sentences
    of whitespace alone have no line."""
    if SPANS_KEY not in doc.spans or not has_sentences(doc):
        return None
    lines = []
    for words, constituents in zip(sentence_words(doc), get_constituents(doc), strict=True):
        if words:
            tags = [doc[i].tag_ or doc[i].pos_ or MISSING_TAG for i in words]
            tree = spans_to_tree([doc[i].text for i in words], tags, constituents)
            lines.append(write_brackets(tree, spaces=True))
    return "\n".join(lines)


def _of_token(token: Token, *, getter: Callable[[Span], Any]) -> Any:
    return getter(token.doc[token.i : token.i + 1])


def install_extensions() -> None:
    """Give Doc, Span and Token the getters that users of benepar know. Existing extensions are left alone."""
    getters: List[Tuple[Any, str, Callable]] = [
        (Doc, "parse_string", get_doc_parse_string),
        (Span, "parse_string", get_parse_string),
        (Span, "labels", get_labels),
        (Span, "constituents", iter_constituents),
        (Span, "children", iter_children),
        (Span, "parent", get_parent),
        (Span, "tree", get_tree),
        (Span, "parse_method", get_parse_method),
        (Token, "parse_string", partial(_of_token, getter=get_parse_string)),
        (Token, "labels", partial(_of_token, getter=get_labels)),
        (Token, "parent", partial(_of_token, getter=get_parent)),
    ]
    for cls, name, getter in getters:
        if not cls.has_extension(name):
            cls.set_extension(name, getter=getter)
    install_role_extensions()
