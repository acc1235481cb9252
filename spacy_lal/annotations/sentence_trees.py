"""The constituency tree of one sentence as nodes, and the trees that were read last.

Getters are called node by node: if each call read its sentence from the Doc, a walk through a long sentence would cost
the square of its length. Trees of Docs with more than `MAX_READ` tokens and constituents are therefore kept, for the
Docs read last by each thread. A kept tree is read again if the span group, the tokens, the sentence boundaries, or
the nodes that were asked for have changed. A group that spaCy made, of a file or a list, records no changes: its number
of Spans, its last Span, and those of the sentence are compared. *Not* here: trees of nltk, the getters.
"""

import threading
import weakref
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from functools import partial
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from spacy.tokens import Doc, Span, SpanGroup

from ..trees import nested_spans
from .constituents import SPANS_KEY, CollapsedSpan, constituents_of, get_constituents
from .sentences import sentence_bounds, sentence_words
from .span_groups import IN_ORDER, Entry, PreorderGroup, entries_by_place, is_in_order

MAX_READ = 256  # tokens and constituents; a Doc of fewer is read whenever it is asked for
MAX_KEPT = 8  # Docs for each thread
MAX_COMPARED = 256  # Spans of a sentence in a group that records no changes; of a longer one, those of the nodes

Key = Tuple[int, int]  # a half-open range of word positions of a sentence


class SentenceTree:
    """The nodes of one sentence of n words, in pre-order. The sentence and each word are nodes, with or without labels.

    words (List[int]): The index of each word in the Doc.
    keys (List[Tuple[int, int]]): The range of word positions of each node.
    chains (List[str]): The unary chain of each node ("S::VP"), or "".
    after (List[int]): The first node after each node's subtree.
    parents (List[int]): The node above each node; -1 above the sentence.
    RAISES (CrossingSpansError): The constituents cross.
    """

    def __init__(self, words: List[int], constituents: Sequence[CollapsedSpan]) -> None:
        n = len(words)
        labels = {(start, end): label for start, end, label in nested_spans(constituents, n)}
        keys = {(i, i + 1) for i in range(n)} | labels.keys()
        self.words = words
        self.keys: List[Key] = sorted(keys | {(0, n)} if n else keys, key=lambda key: (key[0], -key[1]))
        self.chains = [labels.get(key, "") for key in self.keys]
        self.after, self.parents = self._links()
        self._numbers = {key: number for number, key in enumerate(self.keys)}

    def _links(self) -> Tuple[List[int], List[int]]:
        after, parents = [len(self.keys)] * len(self.keys), [-1] * len(self.keys)
        around: List[int] = []
        for number, (start, _) in enumerate(self.keys):
            while around and self.keys[around[-1]][1] <= start:
                after[around.pop()] = number
            parents[number] = around[-1] if around else -1
            around.append(number)
        return after, parents

    def key_of(self, span: Span) -> Key:
        """The words of a Span as word positions."""
        return bisect_left(self.words, span.start), bisect_left(self.words, span.end)

    def node(self, key: Key) -> Optional[int]:
        """The node over these words, if there is one."""
        return self._numbers.get(key)

    def children(self, node: int) -> List[int]:
        """The nodes directly below a node."""
        found, child = [], node + 1
        while child < self.after[node]:
            found.append(child)
            child = self.after[child]
        return found

    def largest_within(self, key: Key) -> List[int]:
        """The fewest nodes that together have the words of a range, in order."""
        found: List[int] = []
        number = bisect_left(self.keys, (key[0], -key[1]), key=lambda one: (one[0], -one[1]))
        while number < len(self.keys) and self.keys[number][0] < key[1]:
            if self.keys[number][1] <= key[1]:
                found.append(number)
                number = self.after[number]
            else:
                number += 1
        return found


def sentence_of(span: Span) -> Span:
    """The sentence in which a Span begins."""
    return span.doc[span.start : span.start + 1].sent if len(span.doc) > 1 else span.doc[:]


def tree_around(span: Span, touched: Callable[[SentenceTree], Sequence[int]]) -> Optional[SentenceTree]:
    """The tree of the sentence around a non-empty Span of a Doc that has constituents; None if the Span goes beyond the
    sentence.

    touched (Callable[[SentenceTree], Sequence[int]]): The nodes that the caller reads: if one of them has changed, a
        kept tree is read again.
    RAISES (CrossingSpansError): The constituents cross. (StaleParseError): As `constituent_tokens`.
    """
    doc = span.doc
    group = doc.spans[SPANS_KEY]
    if len(group) + len(doc) <= MAX_READ:
        sentence = sentence_of(span)
        words = [token.i for token in sentence if not token.is_space]
        return SentenceTree(words, constituents_of(sentence, words)) if span.end <= sentence.end else None
    kept = _kept(doc, group)
    bounds = kept.bounds_around(span)
    tree = kept.tree(doc, bounds)
    if not kept.is_unchanged(doc, bounds, touched(tree)):
        del _KEPT.docs[id(doc)]
        kept = _kept(doc, group)
        bounds = kept.bounds_around(span)
        tree = kept.tree(doc, bounds)
    return tree if span.end <= bounds[1] else None


class _State(NamedTuple):
    """The properties of a Doc and its group by which a change shows."""

    n_spans: int
    in_order: Any
    n_changes: int
    last: Optional[Entry]  # of a group that records no changes
    n_tokens: int
    n_chars: int


class _KeptDoc:
    """The trees of one Doc."""

    def __init__(self, doc: Doc, group: SpanGroup, drop: Callable[[Any], Any]) -> None:
        self.doc = weakref.ref(doc, drop)
        self.group = group  # it refers to its Doc weakly
        self.state = _state(doc, group)
        self._in_order = is_in_order(group)
        self._bounds = sentence_bounds(doc)
        self._trees: Dict[Key, SentenceTree] = {}  # by the range of tokens
        self._places: Dict[Key, Tuple[List[Key], Dict[Key, List[Tuple[int, Entry]]]]] = {}
        self._read: Dict[Key, Tuple[List[int], List[CollapsedSpan]]] = {}

    def bounds_around(self, span: Span) -> Key:
        """The range of tokens of the sentence in which a Span begins."""
        return self._bounds[bisect_right(self._bounds, span.start, key=lambda bounds: bounds[0]) - 1]

    def tree(self, doc: Doc, bounds: Key) -> SentenceTree:
        if bounds not in self._trees:
            words, constituents = self._constituents(doc, bounds)
            ends = [(token.idx, token.idx + len(token)) for token in (doc[i] for i in words)]
            entries = entries_by_place(self.group, ends[0][0], ends[-1][1], self._in_order) if ends else {}
            self._places[bounds] = ends, entries
            self._trees[bounds] = SentenceTree(words, constituents)
        return self._trees[bounds]

    def _constituents(self, doc: Doc, bounds: Key) -> Tuple[List[int], List[CollapsedSpan]]:
        if self._in_order:
            words = [i for i in range(*bounds) if not doc[i].is_space]
            return words, constituents_of(doc[bounds[0] : bounds[1]], words, self._in_order)
        if not self._read:  # in any order: reading one sentence costs as much as reading all
            found = zip(sentence_words(doc), get_constituents(doc), strict=True)
            self._read = dict(zip(self._bounds, found, strict=True))
        return self._read[bounds]

    def is_unchanged(self, doc: Doc, bounds: Key, nodes: Sequence[int]) -> bool:
        """Whether a sentence still begins and ends as it did, without another beginning between, and nodes of its tree
        have the same tokens and labels. Of a group that records no changes, all Spans of the sentence must be the
        same."""
        # A loop in C, several times as fast as an array of the starts. The type is missing in spaCy's stub.
        sentence = next(doc[bounds[0] : bounds[1]].sents)  # type: ignore[attr-defined]
        if (sentence.start, sentence.end) != bounds:
            return False
        tree, (ends, entries) = self._trees[bounds], self._places[bounds]
        compares_all = not isinstance(self.group, PreorderGroup) and len(entries) <= MAX_COMPARED
        if compares_all and not all(map(self._has, entries.values())):
            return False
        for number in nodes:
            start, end = tree.keys[number]
            first, last = doc[tree.words[start]], doc[tree.words[end - 1]]
            place = (first.idx, last.idx + len(last))
            if place != (ends[start][0], ends[end - 1][1]):
                return False
            if not compares_all and not self._has(entries.get(place, ())):
                return False
        return True

    def _has(self, entries: Sequence[Tuple[int, Entry]]) -> bool:
        return all(_entry(self.group[i]) == entry for i, entry in entries)


def _entry(span: Span) -> Entry:
    return span.start_char, span.end_char, span.label


def _state(doc: Doc, group: SpanGroup) -> _State:
    n_changes, last = 0, None
    if isinstance(group, PreorderGroup):
        n_changes = group.n_changes
    elif len(group):
        try:
            last = _entry(group[-1])
        except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
            pass
    end = doc[-1].idx + len(doc[-1])
    return _State(len(group), group.attrs.get(IN_ORDER), n_changes, last, len(doc), end)


class _Kept(threading.local):
    """The Docs that a thread has read last."""

    def __init__(self) -> None:
        self.docs: OrderedDict[int, _KeptDoc] = OrderedDict()


_KEPT = _Kept()


def _drop(docs: "OrderedDict[int, _KeptDoc]", number: int, _: Any) -> None:
    """Forget a Doc that was deleted."""
    docs.pop(number, None)


def _kept(doc: Doc, group: SpanGroup) -> _KeptDoc:
    docs = _KEPT.docs
    kept = docs.get(id(doc))
    if kept is None or kept.doc() is not doc or kept.group is not group or kept.state != _state(doc, group):
        kept = docs[id(doc)] = _KeptDoc(doc, group, partial(_drop, docs, id(doc)))
    docs.move_to_end(id(doc))
    while len(docs) > MAX_KEPT:
        docs.popitem(last=False)
    return kept
