"""The parse of a whole Doc, as a parser writes it."""

from typing import List, Literal, NamedTuple, Optional, Sequence

from spacy.tokens import Doc, Span

from .constituents import SPANS_KEY, CollapsedSpan, set_constituents
from .dependencies import set_heads
from .sentences import sentence_bounds, sentence_words
from .span_groups import PreorderGroup

METHODS_KEY = "parse_methods"

# Both trees are found together; independently; in pieces, which are joined.
ParseMethod = Literal["joint", "separate", "split"]


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
    overwrite (bool): Whether to replace heads and constituents that the Doc already has.
    RAISES (ValueError): The number of parses, or of heads in one, does not fit the Doc.
    """
    sentences = sentence_words(doc)
    if len(sentences) != len(parses):
        raise ValueError(f"expected one parse for each of the Doc's {len(sentences)} sentences, got {len(parses)}")
    with_trees = all(parse.constituents is not None for parse in parses)
    with_trees = with_trees and (overwrite or not doc.spans.get(SPANS_KEY))
    with_heads = bool(parses) and all(parse.heads is not None for parse in parses)
    with_heads = with_heads and (overwrite or not doc.has_annotation("DEP"))
    if with_trees:
        constituents = [parse.constituents or [] for parse in parses]
        set_constituents(doc, sentences, constituents)
    if with_heads:
        bounds = sentence_bounds(doc)
        heads = [(parse.heads or (), parse.deprels or ()) for parse in parses]
        set_heads(doc, [(ends, words, *found) for ends, words, found in zip(bounds, sentences, heads, strict=True)])
    if with_trees or with_heads:
        _set_methods(doc, sentences, parses)


def _set_methods(doc: Doc, sentences: List[List[int]], parses: Sequence[SentenceParse]) -> None:
    spans = [
        Span(doc, start, end, label=parse.method)
        for (start, end), words, parse in zip(sentence_bounds(doc), sentences, parses, strict=True)
        if parse.method and words  # a sentence without words has no parse
    ]
    doc.spans[METHODS_KEY] = PreorderGroup(doc, METHODS_KEY, spans)
