"""The parse of a whole Doc, as a parser writes it."""

import warnings
from typing import List, Literal, NamedTuple, Optional, Sequence, Tuple

from spacy.tokens import Doc, Span

from .constituents import SPANS_KEY, CollapsedSpan, get_constituents, set_constituents
from .dependencies import UNKNOWN_DEPREL, set_heads, tokens_with_heads
from .sentences import sentence_bounds, sentence_words
from .span_groups import PreorderGroup, present_spans

METHODS_KEY = "parse_methods"

# Both trees are found together; independently; in pieces, which are joined.
ParseMethod = Literal["joint", "separate", "split"]
_Heads = Tuple[Sequence[int], Sequence[str]]  # of a sentence: heads, counted from 1, and deprels


class IncompleteHeadsWarning(UserWarning):
    """Some words of a sentence have heads, which are kept, and the others get none."""


class SentenceParse(NamedTuple):
    """A parse of one sentence of n words, ready to be written.

    constituents (Optional[List[Tuple[int, int, str]]]): Half-open spans of word positions with their unary chain
        ("S::VP"), pre-order. None keeps the Doc's constituents.
    heads (Optional[ndarray]): Shape: (n,). The head of each word, counted from 1; 0 is the root. None keeps the heads.
    deprels (Optional[List[str]]): One for each word.
    method (Optional[str]): How it was found. None leaves the sentence without a mark.
    """

    constituents: Optional[List[CollapsedSpan]]
    heads: Optional[Sequence[int]]
    deprels: Optional[Sequence[str]]
    method: Optional[ParseMethod] = None


def set_parses(doc: Doc, parses: Sequence[SentenceParse], *, overwrite: bool = True) -> None:
    """Write the parses of all sentences of a Doc onto it.

    doc (Doc): Modified in place. Its sentence boundaries stay as they are.
    parses (Sequence[SentenceParse]): One for each sentence, in order.
    overwrite (bool): Whether to replace heads and constituents that the Doc already has. If not, sentences without any
        head get heads; a sentence in which some words have heads is kept, with an IncompleteHeadsWarning. A sentence
        that is kept whole keeps its method; a sentence that is kept in part loses it.
    RAISES (ValueError): The number of parses, or of heads in one, does not fit the Doc.
    """
    sentences = sentence_words(doc)
    if len(sentences) != len(parses):
        raise ValueError(f"expected one parse for each of the Doc's {len(sentences)} sentences, got {len(parses)}")
    has_trees = all(parse.constituents is not None for parse in parses)
    has_heads = bool(parses) and all(parse.heads is not None for parse in parses)
    keeps_trees = has_trees and not overwrite and bool(doc.spans.get(SPANS_KEY))
    kept = [] if overwrite or not has_heads else _with_heads(doc, sentences)
    with_trees, with_heads = has_trees and not keeps_trees, has_heads and len(kept) < len(sentences)
    if with_trees:
        constituents = [parse.constituents or [] for parse in parses]
        set_constituents(doc, sentences, constituents)
    if with_heads:
        _set_heads(doc, sentences, [(parse.heads or (), parse.deprels or ()) for parse in parses], kept)
    if with_trees or with_heads:
        earlier = {(start, end): method for start, end, method in _methods(doc)}
        methods: List[Optional[str]] = [parse.method for parse in parses]
        with_own_heads = set(kept)
        for i, bounds in enumerate(sentence_bounds(doc)):
            keeps_heads = bounds in with_own_heads
            if keeps_trees or keeps_heads:  # the tree and the heads may come from two searches
                methods[i] = earlier.get(bounds) if keeps_heads and not with_trees else None
        _set_methods(doc, sentences, methods)


def set_sentence_parse(doc: Doc, number: int, parse: SentenceParse) -> None:
    """Write the parse of one sentence onto a Doc. Other sentences stay as they are, parsed or not.

    doc (Doc): Modified in place.
    number (int): The sentence's place in the Doc, from 0.
    parse (SentenceParse): Its parse.
    RAISES (ValueError): The number of heads does not fit the sentence.
    """
    sentences, bounds = sentence_words(doc), sentence_bounds(doc)
    start, end = bounds[number]
    if parse.constituents is not None:
        constituents = get_constituents(doc)
        constituents[number] = parse.constituents
        set_constituents(doc, sentences, constituents)
    if parse.heads is not None:
        heads: List[_Heads] = [([0] * len(words), [UNKNOWN_DEPREL] * len(words)) for words in sentences]
        heads[number] = (list(parse.heads), list(parse.deprels or ()))
        _set_heads(doc, sentences, heads, [(0, start), (end, len(doc))])
    methods = [one for one in _methods(doc) if not start <= one[0] < end]
    if parse.method and sentences[number]:
        methods.append((start, end, parse.method))
    doc.spans[METHODS_KEY] = PreorderGroup(doc, METHODS_KEY, [Span(doc, *one) for one in sorted(methods)])


def _with_heads(doc: Doc, sentences: Sequence[Sequence[int]]) -> List[Tuple[int, int]]:
    """The token ranges of the sentences that have heads: on words, or on white space in sentences without words. Warns
    of sentences in which some words lack heads."""
    kept = []
    known = tokens_with_heads(doc)
    for bounds, words in zip(sentence_bounds(doc), sentences, strict=True):
        found = known[words or slice(*bounds)]
        if found.any():
            kept.append(bounds)
        if words and found.any() and not found.all():
            missing = doc[words[int(found.argmin())]]
            warnings.warn(
                f"overwrite = false keeps the heads of a sentence that lacks a head for token {missing.i}, "
                f"{missing.text!r}, and sets none in it. Ways out: set heads and deprels of all of its words, or none",
                IncompleteHeadsWarning,
                stacklevel=4,
            )
    return kept


def _set_heads(
    doc: Doc, sentences: Sequence[List[int]], heads: Sequence[_Heads], kept: Sequence[Tuple[int, int]]
) -> None:
    """Write heads and deprels of all sentences, but for ranges of tokens that are kept."""
    saved = (doc.to_array(["HEAD", "DEP"]), doc.to_array("SENT_START")) if kept else None
    in_order = zip(sentence_bounds(doc), sentences, heads, strict=True)
    set_heads(doc, [(ends, words, *found) for ends, words, found in in_order])
    if saved is not None:
        before, sent_starts = saved
        after = doc.to_array(["HEAD", "DEP"])
        for start, end in kept:
            after[start:end] = before[start:end]
        doc.from_array(["HEAD", "DEP"], after)  # type: ignore[arg-type]
        doc.from_array(["SENT_START"], sent_starts)  # type: ignore[arg-type]


def _methods(doc: Doc) -> List[Tuple[int, int, str]]:
    """Token range and parse method of each sentence that has a method."""
    return present_spans(doc.spans[METHODS_KEY]) if METHODS_KEY in doc.spans else []


def _set_methods(doc: Doc, sentences: List[List[int]], methods: Sequence[Optional[str]]) -> None:
    spans = [
        Span(doc, start, end, label=method)
        for (start, end), words, method in zip(sentence_bounds(doc), sentences, methods, strict=True)
        if method and words  # a sentence without words has no parse
    ]
    doc.spans[METHODS_KEY] = PreorderGroup(doc, METHODS_KEY, spans)
