"""Parses on a Doc: how they are written, and read on the Doc's present tokens.

Dependencies are spaCy's `token.head` and `token.dep_`. Constituents are the span group
`doc.spans["constituents"]`: a labelled Span for each, pre-order, a unary chain as
several Spans; `doc.spans["parse_methods"]` says how each sentence was parsed, and which
component wrote the parse (`confidence.py`)."""

import re
from bisect import bisect_left
from typing import Dict, List, Literal, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc, Span

from ..files import TreebankError, quoted
from ..trees import (
    Constituent,
    SpanError,
    collapse_chains,
    expand_chains,
    nested_spans,
    split_chain,
)
from .sentences import sentence_bounds, sentence_of, sentence_words, words_of
from .span_groups import (
    GroupSpan,
    check_present,
    read_group,
    warn_of_lost,
    write_group,
)

SPANS_KEY = "constituents"
METHODS_KEY = "parse_methods"
ROOT_DEPREL = "ROOT"
# spaCy counts a token without head offset and deprel as unparsed.
UNKNOWN_DEPREL = WHITESPACE_DEPREL = "dep"

# A half-open range of words of a sentence, and its unary chain ("S::VP").
CollapsedSpan = Tuple[int, int, str]
# Both trees are found together; independently; in pieces, which are joined.
ParseMethod = Literal["joint", "separate", "split"]
Layer = Literal["heads", "constituents"]
LAYERS: Tuple[Layer, ...] = ("heads", "constituents")


class SentenceParse(NamedTuple):
    """A parse of one sentence of n words, ready to be written.
    constituents (Optional[List[Tuple[int, int, str]]]): Half-open spans of word
        positions with their unary chain ("S::VP"), pre-order. None keeps the Doc's
        constituents.
    heads (Optional[ndarray]): Shape: (n,). The head of each word, counted from 1; 0 is
        the root. None keeps the heads.
    deprels (Optional[List[str]]): One for each word.
    method (Optional[str]): How it was found. None leaves the sentence without a
        mark."""

    constituents: Optional[List[CollapsedSpan]]
    heads: Optional[Sequence[int]]
    deprels: Optional[Sequence[str]]
    method: Optional[ParseMethod] = None


class SentenceHeads(NamedTuple):
    """The heads of one sentence of n words.
    start, end (int): Half-open range of the sentence's tokens.
    words (Sequence[int]): The Doc indices of its words.
    heads (Sequence[int]): The head of each word, counted from 1; 0 is the root.
    deprels (Sequence[str]): The deprel of each word."""

    start: int
    end: int
    words: Sequence[int]
    heads: Sequence[int]
    deprels: Sequence[str]


# Constituents


def set_constituents(
    doc: Doc,
    sentences: List[List[int]],
    constituents: Sequence[Sequence[CollapsedSpan]],
) -> None:
    """Write `doc.spans["constituents"]`.
    sentences (List[List[int]]): The words of each sentence, from `sentence_words`, in
        order.
    constituents (Sequence[Sequence[Tuple[int, int, str]]]): For each sentence, spans of
        word positions, pre-order."""
    spans = []
    for words, sentence in zip(sentences, constituents, strict=True):
        for start, end, label in expand_chains(Constituent(*span) for span in sentence):
            spans.append(Span(doc, words[start], words[end - 1] + 1, label=label))
    write_group(doc, SPANS_KEY, spans)


def constituent_tokens(
    doc: Doc, start: int = 0, end: Optional[int] = None
) -> List[Tuple[int, int, str]]:
    """Give a Doc's constituents as half-open ranges of its tokens, pre-order; over the
    same tokens, in the group's order. With a range of tokens, at least those that begin
    in it.
    RAISES (StaleParseError): As `read_group`."""
    spans = read_group(doc, SPANS_KEY, start, end) if SPANS_KEY in doc.spans else []
    if any(span.is_cut for span in spans):
        warn_of_lost("constituents")
    found = [Constituent(*span.place, span.label) for span in spans if span.place]
    return sorted(found, key=lambda one: (one[0], -one[1]))


def check_tree(doc: Doc, where: str) -> None:
    """Check a gold Doc, named `where`.
    RAISES (TreebankError): Constituents cross, or a label fits in no tree."""
    spans = constituent_tokens(doc)
    reason = ""
    try:
        nested_spans(spans, len(doc))
    except SpanError as error:
        reason = str(error)
    odd = [label for *_, label in spans if not _fits_in_a_tree(label)]
    if odd and not reason:
        reason = f"expected labels without white space and brackets, got {min(odd)!r}"
    if reason:
        raise TreebankError(f"{where}: {reason}, in {quoted(doc.text, 100)}")


def _fits_in_a_tree(label: str) -> bool:
    """Tell whether brackets can show a label."""
    parts = split_chain(label)
    return bool(parts) and all(parts) and not re.search(r"[\s()]", label)


def get_constituents(
    doc: Doc, sentence: Optional[Span] = None
) -> List[List[CollapsedSpan]]:
    """Give, for each sentence, its constituents as spans of word positions with their
    unary chains, pre-order. A constituent that crosses a sentence boundary is left out,
    with a warning.
    sentence (Optional[Span]): Read this sentence alone, at its cost.
    RAISES (ValueError): Sentence boundaries are not known.
    RAISES (StaleParseError): As `read_group`."""
    if sentence is None:
        bounds = sentence_bounds(doc)
        sentences = sentence_words(doc)
    else:
        bounds = [(sentence.start, sentence.end)]
        sentences = [words_of(sentence)]
    if not bounds:
        return []
    constituents = constituent_tokens(doc, bounds[0][0], bounds[-1][1])
    firsts = [start for start, _, _ in constituents]
    found = []
    n_lost = 0
    for words, (start, end) in zip(sentences, bounds, strict=True):
        here = constituents[bisect_left(firsts, start) : bisect_left(firsts, end)]
        within = [one for one in here if _ends_before(doc, one[1], end)]
        n_lost += len(here) - len(within)
        found.append(collapse_chains(_in_words(within, words)))
    if n_lost:
        warn_of_lost("constituents")
    return found


def constituents_within(
    doc: Doc, parts: Sequence[Sequence[int]]
) -> List[List[CollapsedSpan]]:
    """Give, for each part of a Doc's sentences, the constituents within it as spans of
    word positions with their unary chains, pre-order.
    parts (Sequence[Sequence[int]]): The Doc indices of the words of each, in order.
    RAISES (StaleParseError): As `read_group`."""
    in_order = [word for words in parts for word in words]
    spans = _in_words(constituent_tokens(doc), in_order)
    starts = [start for start, _, _ in spans]
    found = []
    first = 0
    for words in parts:
        last = first + len(words)
        here = spans[bisect_left(starts, first) : bisect_left(starts, last)]
        within = [
            Constituent(start - first, end - first, label)
            for start, end, label in here
            if end <= last
        ]
        found.append(collapse_chains(within))
        first = last
    return found


def _ends_before(doc: Doc, end: int, sentence_end: int) -> bool:
    """Tell whether a constituent ends within a sentence, white space aside."""
    return all(doc[i].is_space for i in range(sentence_end, end))


def _in_words(
    constituents: Sequence[Tuple[int, int, str]], words: Sequence[int]
) -> List[CollapsedSpan]:
    """Give ranges of tokens as ranges of words; those without words are left out."""
    found = []
    for first, last, label in constituents:
        start = bisect_left(words, first)
        end = bisect_left(words, last)
        if start < end:
            found.append(Constituent(start, end, label))
    return found


# Heads


def with_root_deprel(heads: Sequence[int], deprels: Sequence[str]) -> List[str]:
    """Give deprels in which roots alone have ROOT, and other words with it `dep`, as in
    Universal Dependencies."""
    others = [UNKNOWN_DEPREL if deprel == ROOT_DEPREL else deprel for deprel in deprels]
    return [
        other if head else ROOT_DEPREL
        for head, other in zip(heads, others, strict=True)
    ]


def tokens_with_heads(doc: Doc) -> np.ndarray:
    """Tell whether each token has a head. Shape: (n_tokens,), bool."""
    return doc.to_array("DEP") != 0


def set_heads(doc: Doc, sentences: Sequence[SentenceHeads]) -> None:
    """Write heads and deprels of sentences. Other sentences, and all sentence
    boundaries, stay as they are."""
    strings = doc.vocab.strings
    root = strings.add(ROOT_DEPREL)
    whitespace = strings.add(WHITESPACE_DEPREL)
    array = doc.to_array(["HEAD", "DEP"])
    sent_starts = doc.to_array("SENT_START")
    for start, end, words, heads, deprels in sentences:
        # White space depends on the token before it, or on the first word; without
        # words, the first token is the root.
        first = min(words, default=start)
        targets = [token - 1 if token > first else first for token in range(start, end)]
        labels = [root if token == first else whitespace for token in range(start, end)]
        for word, head, deprel in zip(words, heads, deprels, strict=True):
            targets[word - start] = words[head - 1] if head else word
            labels[word - start] = strings.add(deprel)
        offsets = np.array(targets) - np.arange(start, end)
        array[start:end, 0] = offsets.astype(np.uint64)
        array[start:end, 1] = labels
    doc.from_array(["HEAD", "DEP"], array)  # type: ignore[arg-type]
    # spaCy derives sentence starts from the arcs, and fails on some non-projective
    # trees: the known ones are restored.
    doc.from_array(["SENT_START"], sent_starts)  # type: ignore[arg-type]


# Parses


def set_parses(
    doc: Doc,
    parses: Sequence[SentenceParse],
    *,
    overwrite: bool = True,
    signature: Optional[str] = None,
) -> None:
    """Write the parses of all sentences of a Doc onto it.
    doc (Doc): Modified in place. Its sentence boundaries stay as they are.
    parses (Sequence[SentenceParse]): One for each sentence, in order.
    overwrite (bool): Whether to replace what the Doc already has. If not, a Doc with
        any constituent keeps its constituents, and a Doc with any head keeps its heads;
        sentences then have no method, unless both are kept.
    signature (Optional[str]): Of the component that found them (`confidence.py`).
    RAISES (ValueError): The number of parses, or of heads in one, does not fit the
        Doc."""
    sentences = sentence_words(doc)
    bounds = sentence_bounds(doc)
    if len(sentences) != len(parses):
        raise ValueError(
            f"expected one parse for each of the Doc's {len(sentences)} sentences, got "
            f"{len(parses)}"
        )
    has_trees = all(parse.constituents is not None for parse in parses)
    has_heads = bool(parses) and all(parse.heads is not None for parse in parses)
    with_trees = has_trees and (overwrite or not doc.spans.get(SPANS_KEY))
    with_heads = has_heads and (overwrite or not tokens_with_heads(doc).any())
    if with_trees:
        set_constituents(doc, sentences, [parse.constituents or [] for parse in parses])
    if with_heads:
        found = [
            SentenceHeads(*ends, words, parse.heads or (), parse.deprels or ())
            for ends, words, parse in zip(bounds, sentences, parses, strict=True)
        ]
        set_heads(doc, found)
    if with_trees or with_heads:
        methods = [
            Span(doc, *ends, parse.method)
            for ends, words, parse in zip(bounds, sentences, parses, strict=True)
            if parse.method and words
        ]
        # A tree and heads of two searches have no method.
        of_one_search = (has_trees, has_heads) == (with_trees, with_heads)
        written = {"constituents": with_trees, "heads": with_heads}
        signed = {layer: signature for layer, is_new in written.items() if is_new}
        write_methods(doc, methods if of_one_search else [], signed)


def set_sentence_parse(doc: Doc, number: int, parse: SentenceParse) -> None:
    """Write the parse of one sentence onto a Doc. Other sentences stay as they are,
    parsed or not.
    doc (Doc): Modified in place.
    number (int): The sentence's place in the Doc, from 0.
    parse (SentenceParse): Its parse.
    RAISES (ValueError): The number of heads does not fit the sentence."""
    sentences = sentence_words(doc)
    words = sentences[number]
    start, end = sentence_bounds(doc)[number]
    if parse.constituents is not None:
        constituents = get_constituents(doc)
        constituents[number] = parse.constituents
        set_constituents(doc, sentences, constituents)
    if parse.heads is not None:
        deprels = list(parse.deprels or ())
        set_heads(doc, [SentenceHeads(start, end, words, list(parse.heads), deprels)])
    methods = [
        (*one.place, one.label)
        for one in _methods(doc)
        if one.place and not start <= one.place[0] < end
    ]
    if parse.method and words:
        methods.append((start, end, parse.method))
    write_methods(doc, [Span(doc, *one) for one in sorted(methods)], {})


def get_parse_method(span: Span) -> Optional[str]:
    """Tell how the sentence around a Span was parsed: "joint", "separate" or "split";
    None for a parse without a mark, or a Span not within one sentence."""
    check_present(span)
    if not len(span):
        return None
    sentence = sentence_of(span)
    for method in _methods(span.doc, sentence.start, sentence.end):
        start, end = method.place or (0, 0)
        if start <= span.start and span.end <= end:
            return method.label
    return None


def _methods(doc: Doc, start: int = 0, end: Optional[int] = None) -> List[GroupSpan]:
    return read_group(doc, METHODS_KEY, start, end) if METHODS_KEY in doc.spans else []


def write_methods(
    doc: Doc, methods: Sequence[Span], signatures: Mapping[str, Optional[str]]
) -> None:
    """Write `doc.spans["parse_methods"]`.
    methods (Sequence[Span]): A Span for each sentence, labelled with its method.
    signatures (Mapping[str, Optional[str]]): Of the components that wrote each layer;
        a layer that is not named keeps its signature."""
    signatures = {**get_signatures(doc), **signatures}
    write_group(doc, METHODS_KEY, methods)
    doc.spans[METHODS_KEY].attrs.update(signatures)


def get_signatures(doc: Doc) -> Dict[str, Optional[str]]:
    """Give the signature of each layer of a parse; None for a layer that nobody
    signed."""
    attrs = doc.spans[METHODS_KEY].attrs if METHODS_KEY in doc.spans else {}
    return {layer: attrs.get(layer) for layer in LAYERS}
