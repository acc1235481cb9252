"""Constituents on a Doc: the span group `doc.spans["constituents"]`."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import List, Optional, Sequence, Tuple

from spacy.tokens import Doc, Span

from ..trees import collapse_chains, expand_chains
from .sentences import sentence_bounds, sentence_words
from .span_groups import PreorderGroup, present_spans, spans_between, warn_of_lost

SPANS_KEY = "constituents"

CollapsedSpan = Tuple[int, int, str]


def set_constituents(doc: Doc, sentences: List[List[int]], constituents: Sequence[Sequence[CollapsedSpan]]) -> None:
    """Write `doc.spans["constituents"]`.

    sentences (List[List[int]]): The words of each sentence, from `sentence_words`, in order.
    constituents (Sequence[Sequence[Tuple[int, int, str]]]): For each sentence, spans of word positions, pre-order.
    """
    spans = []
    for words, sentence in zip(sentences, constituents, strict=True):
        for start, end, label in expand_chains(sentence):
            spans.append(Span(doc, words[start], words[end - 1] + 1, label=label))
    doc.spans[SPANS_KEY] = PreorderGroup(doc, SPANS_KEY, spans)


def constituent_tokens(doc: Doc) -> List[Tuple[int, int, str]]:
    """A Doc's constituents as half-open ranges of its tokens, in the order of the span group.

    RAISES (StaleParseError): The Doc's text has changed since they were written.
    """
    return present_spans(doc.spans[SPANS_KEY]) if SPANS_KEY in doc.spans else []


def get_constituents(doc: Doc) -> List[List[CollapsedSpan]]:
    """For each sentence, its constituents as spans of word positions with their unary chains, pre-order. A constituent
    that crosses a sentence boundary is left out, with a warning.

    RAISES (ValueError): Sentence boundaries are not known. (StaleParseError): As `constituent_tokens`.
    """
    sentences = sentence_words(doc)
    if SPANS_KEY not in doc.spans:
        return [[] for _ in sentences]
    firsts = [0, *accumulate(map(len, sentences))]  # how many words lie before each sentence
    words_before = [0, *accumulate((~doc.to_array("IS_SPACE").astype(bool)).tolist())]  # and before each token
    expanded: List[List[CollapsedSpan]] = [[] for _ in sentences]
    any_lost = False
    for start, end, label in present_spans(doc.spans[SPANS_KEY], preorder=True):
        first, last = words_before[start], words_before[end]
        if first == last:
            continue
        sentence = bisect_right(firsts, first, hi=len(sentences)) - 1
        if last <= firsts[sentence + 1]:
            expanded[sentence].append((first - firsts[sentence], last - firsts[sentence], label))
        else:
            any_lost = True
    if any_lost:
        warn_of_lost()
    return [collapse_chains(spans) for spans in expanded]


def constituents_of(sentence: Span, words: List[int], in_order: Optional[bool] = None) -> List[CollapsedSpan]:
    """The result of `get_constituents` for one sentence.

    in_order (Optional[bool]): Whether the span group is in pre-order, if the caller knows it.
    """
    found = spans_between(sentence.doc.spans[SPANS_KEY], sentence.start, sentence.end, in_order)
    if found is None:
        bounds = sentence_bounds(sentence.doc)
        return get_constituents(sentence.doc)[bisect_right(bounds, sentence.start, key=lambda ends: ends[0]) - 1]
    places = [(bisect_left(words, start), bisect_left(words, end), label) for start, end, label in found]
    return collapse_chains([place for place in places if place[0] < place[1]])
