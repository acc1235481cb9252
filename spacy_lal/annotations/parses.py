"""Parses on a Doc: how they are written, and read on the Doc's present tokens.

Dependencies are spaCy's `token.head` and `token.dep_`. Constituents are the span group
`doc.spans["constituents"]`: a labelled Span for each, pre-order, a unary chain as
several Spans; `doc.spans["parse_methods"]` says how each sentence was parsed, and which
component wrote the parse (`ParserSignature`)."""

import re
import weakref
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import (
    Any,
    Literal,
    Optional,
)

import numpy as np
from spacy.tokens import Doc, Span

from ..files import TreebankError, quoted
from ..trees import (
    Constituent,
    Parse,
    SpanError,
    collapse_chains,
    expand_chains,
    nested_spans,
    sorted_spans,
    split_chain,
)
from .sentences import Sentences, sentence_bounds, sentence_of, sentence_words, words_of
from .span_groups import (
    GroupSpan,
    Range,
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

Layer = Literal["heads", "constituents"]
LAYERS: tuple[Layer, ...] = ("heads", "constituents")


class ParserSignature(str):
    """The name of the component that wrote a layer of a Doc, an attribute of the group
    `doc.spans["parse_methods"]`, with a weak reference to the component. Copies of a
    Doc share it; stored, pickled or sent to another process, it is the name alone."""

    parser: Callable[[], Any]

    def __new__(cls, parser: Any) -> "ParserSignature":
        """Make the signature of a component."""
        signature = super().__new__(cls, parser.name)
        signature.parser = weakref.ref(parser)
        return signature

    def __deepcopy__(self, memo: Any) -> "ParserSignature":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


# Constituents


def set_constituents(
    doc: Doc,
    sentences: Sentences,
    constituents: Sequence[Sequence[Constituent]],
) -> None:
    """Write `doc.spans["constituents"]`.
    sentences (Sequence[Sequence[int]]): The words of each sentence, in order.
    constituents (Sequence[Sequence[Constituent]]): For each sentence, in words,
        pre-order."""
    spans = []
    for words, of_sentence in zip(sentences, constituents, strict=True):
        for part in expand_chains([Constituent(*span) for span in of_sentence]):
            last = words[part.end - 1]
            spans.append(Span(doc, words[part.start], last + 1, label=part.label))
    write_group(doc, SPANS_KEY, spans)


def constituent_tokens(
    doc: Doc, start: int = 0, end: Optional[int] = None
) -> list[Constituent]:
    """Give a Doc's constituents as half-open ranges of its tokens, pre-order; over the
    same tokens, in the group's order. With a range of tokens, at least those that begin
    in it.
    RAISES (StaleParseError): As `read_group`."""
    spans = read_group(doc, SPANS_KEY, start, end) if SPANS_KEY in doc.spans else []
    constituents = []
    is_cut = False
    for span in spans:
        is_cut |= span.is_cut
        if span.place:
            constituents.append(Constituent(*span.place, span.label))
    if is_cut:
        warn_of_lost("constituents")
    return sorted_spans(constituents)


def check_tree(doc: Doc, where: str) -> None:
    """Check a gold Doc, named `where`.
    RAISES (TreebankError): Constituents cross, or a label fits in no tree."""
    spans = constituent_tokens(doc)
    reason = ""
    try:
        nested_spans(spans, len(doc))
    except SpanError as error:
        reason = str(error)
    odd = [span.label for span in spans if not _fits_in_a_tree(span.label)]
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
) -> list[list[Constituent]]:
    """Give, for each sentence, its constituents as spans of word positions with their
    unary chains, pre-order. A constituent that crosses a sentence boundary is left out,
    with a warning.
    sentence (Optional[Span]): Read this sentence alone, at its cost.
    RAISES (ValueError): Sentence boundaries are not known.
    RAISES (StaleParseError): As `read_group`."""
    if sentence is None:
        sentences = sentence_words(doc)
        of_parts, n_lost = _divided(constituent_tokens(doc), sentences)
    else:
        start, end = sentence.start, sentence.end
        spans = constituent_tokens(doc, start, end)
        here = [span for span in spans if start <= span.start < end]
        within = [span for span in here if span.end <= end]
        of_parts, _ = _divided(within, [words_of(sentence)])
        n_lost = len(here) - len(within)
    if n_lost:
        warn_of_lost("constituents")
    return of_parts


def constituents_within(doc: Doc, parts: Sentences) -> list[list[Constituent]]:
    """Give, for each part of a Doc's sentences, the constituents within it as spans of
    word positions with their unary chains, pre-order.
    parts (Sequence[Sequence[int]]): The Doc indices of the words of each, in order.
    RAISES (StaleParseError): As `read_group`."""
    return _divided(constituent_tokens(doc), parts)[0]


def _divided(
    spans: Sequence[Constituent], parts: Sentences
) -> tuple[list[list[Constituent]], int]:
    """Give the constituents within each part, and how many lie in several parts."""
    in_order = [word for words in parts for word in words]
    spans = _in_words(spans, in_order)
    starts = [span.start for span in spans]
    of_parts = []
    n_lost = len(spans)
    first = 0
    for words in parts:
        last = first + len(words)
        here = spans[bisect_left(starts, first) : bisect_left(starts, last)]
        within = [span.moved(-first) for span in here if span.end <= last]
        n_lost -= len(within)
        of_parts.append(collapse_chains(within))
        first = last
    return of_parts, n_lost


def _in_words(
    constituents: Sequence[Constituent], words: Sequence[int]
) -> list[Constituent]:
    """Give ranges of tokens as ranges of words; those without words are left out."""
    in_words = []
    for constituent in constituents:
        start = bisect_left(words, constituent.start)
        end = bisect_left(words, constituent.end)
        if start < end:
            in_words.append(constituent._replace(start=start, end=end))
    return in_words


# Heads


def with_root_deprel(heads: Sequence[int], deprels: Sequence[str]) -> list[str]:
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


def set_heads(doc: Doc, parses: Mapping[Range, Parse]) -> None:
    """Write heads and deprels of sentences. Other sentences, and all sentence
    boundaries, stay as they are.
    parses (Mapping[Tuple[int, int], Parse]): By half-open ranges of tokens."""
    strings = doc.vocab.strings
    root = strings.add(ROOT_DEPREL)
    whitespace = strings.add(WHITESPACE_DEPREL)
    array = doc.to_array(["HEAD", "DEP"])
    sent_starts = doc.to_array("SENT_START")
    for (start, end), parse in parses.items():
        # White space depends on the token before it, or on the first word; without
        # words, the first token is the root.
        words = parse.tokens
        first = min(words, default=start)
        targets = [token - 1 if token > first else first for token in range(start, end)]
        labels = [root if token == first else whitespace for token in range(start, end)]
        heads = parse.heads or ()
        for word, head, deprel in zip(words, heads, parse.deprels, strict=True):
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
    parses: Sequence[Parse],
    *,
    overwrite: bool = True,
    signature: Optional[ParserSignature] = None,
) -> None:
    """Write the parses of all sentences of a Doc onto it: constituents, heads and
    deprels, or those of them that are known. No head is missing.
    doc (Doc): Modified in place. Its sentence boundaries stay as they are.
    parses (Sequence[Parse]): One for each sentence, in order. A parse without `tokens`
        is of all words.
    overwrite (bool): Whether to replace what the Doc already has. If not, a Doc with
        any constituent keeps its constituents, and a Doc with any head keeps its heads;
        sentences then have no method, unless both are kept.
    signature (Optional[ParserSignature]): Of the component that found them.
    RAISES (ValueError): The number of parses, or of heads in one, does not fit the
        Doc."""
    bounds = sentence_bounds(doc)
    if len(bounds) != len(parses):
        raise ValueError(
            f"expected one parse for each of the Doc's {len(bounds)} sentences, got "
            f"{len(parses)}"
        )
    sentences = {
        ends: _with_tokens(doc, ends, parse)
        for ends, parse in zip(bounds, parses, strict=True)
    }
    has_trees = all(parse.constituents is not None for parse in parses)
    has_heads = bool(parses) and all(parse.heads is not None for parse in parses)
    with_trees = has_trees and (overwrite or not doc.spans.get(SPANS_KEY))
    with_heads = has_heads and (overwrite or not tokens_with_heads(doc).any())
    if with_trees:
        words = [parse.tokens for parse in sentences.values()]
        set_constituents(doc, words, [parse.constituents or [] for parse in parses])
    if with_heads:
        set_heads(doc, sentences)
    if with_trees or with_heads:
        methods = [
            Span(doc, *ends, parse.method)
            for ends, parse in sentences.items()
            if parse.method and parse.tokens
        ]
        # A tree and heads of two searches have no method.
        of_one_search = (has_trees, has_heads) == (with_trees, with_heads)
        written = {"constituents": with_trees, "heads": with_heads}
        signed = {layer: signature for layer, is_new in written.items() if is_new}
        write_methods(doc, methods if of_one_search else [], signed)


def _with_tokens(doc: Doc, ends: Range, parse: Parse) -> Parse:
    return parse if parse.tokens else replace(parse, tokens=words_of(doc[slice(*ends)]))


def set_sentence_parse(doc: Doc, number: int, parse: Parse) -> None:
    """Write the parse of one sentence onto a Doc. Other sentences stay as they are,
    parsed or not.
    doc (Doc): Modified in place.
    number (int): The sentence's place in the Doc, from 0.
    parse (Parse): Its parse. Without `tokens`, it is of all words.
    RAISES (ValueError): The number of heads does not fit the sentence."""
    start, end = sentence_bounds(doc)[number]
    parse = _with_tokens(doc, (start, end), parse)
    if parse.constituents is not None:
        constituents: list[Sequence[Constituent]] = [*get_constituents(doc)]
        constituents[number] = parse.constituents
        set_constituents(doc, sentence_words(doc), constituents)
    if parse.heads is not None:
        set_heads(doc, {(start, end): parse})
    methods = [
        (*method.place, method.label)
        for method in _methods(doc)
        if method.place and not start <= method.place[0] < end
    ]
    if parse.method and parse.tokens:
        methods.append((start, end, parse.method))
    write_methods(doc, [Span(doc, *method) for method in sorted(methods)], {})


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


def _methods(doc: Doc, start: int = 0, end: Optional[int] = None) -> list[GroupSpan]:
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


def get_signatures(doc: Doc) -> dict[str, Optional[str]]:
    """Give the signature of each layer of a parse; None for a layer that nobody
    signed."""
    attrs = doc.spans[METHODS_KEY].attrs if METHODS_KEY in doc.spans else {}
    return {layer: attrs.get(layer) for layer in LAYERS}
