"""`doc._.complexity` and `span._.complexity`: syntactic complexity of sentences."""

from ..complexity import Complexity, measure_sentence, summed
from .reading import Item, read_parses
from .sentences import words_of


def get_complexity(item: Item) -> Complexity:
    """Give the measures of syntactic complexity of a Doc, or of a Span of one or
    several sentences: a `Complexity`. Measures of constituents are None for a Doc
    without any, measures of heads for a Doc without heads, and counts of structures in
    other languages than English."""
    return summed(sentence_complexities(item))


def sentence_complexities(item: Item) -> list[Complexity]:
    """The measures of each sentence of a Doc or Span, in order.

    RAISES (ValueError): The Doc has no sentence boundaries, or the Span is not made of
        whole sentences.
    """
    parses = list(read_parses(item))
    n_words = sum(len(parse.words) for parse in parses)
    if len(words_of(item)) < n_words:
        raise ValueError(
            "complexity is measured of whole sentences: expected a Span of one or "
            f"several, got {item.text[:60]!r}, a part of one"
        )
    return [measure_sentence(parse, lang=item.doc.vocab.lang) for parse in parses]
