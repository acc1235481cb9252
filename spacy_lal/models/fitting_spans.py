"""Spans of Docs that a transformer can read whole: spans with too many word pieces are cut.

A span getter counts tokens, and a hash or an address is one token of dozens of pieces. spacy-transformers drops the
pieces beyond the limit, so that the last tokens of such a span would have no vectors.
"""

from typing import Any, Iterator, List, Sequence

from spacy.tokens import Doc, Span

from .pieces import piece_limit

_MOST_PIECES_OF_CHAR = 4  # bytes, of a byte-level tokenizer
_SPECIAL = 4  # most pieces that a tokenizer adds at the ends


class FittingSpans:
    """The spans of another getter, each cut in half until it has at most as many pieces as a transformer reads. A
    single token is not cut.

    get_spans (Callable[[Sequence[Doc]], List[List[Span]]]): The other getter.
    tokenizer (PreTrainedTokenizerBase), transformer (PreTrainedModel): Their limits count.
    """

    def __init__(self, get_spans: Any, tokenizer: Any, transformer: Any) -> None:
        self.get_spans, self.tokenizer = get_spans, tokenizer
        self.limit = piece_limit(tokenizer, transformer, None)

    def __call__(self, docs: Sequence[Doc]) -> List[List[Span]]:
        """The spans of each Doc, in order."""
        nested: List[List[Span]] = self.get_spans(docs)
        limit = self.limit
        if limit is None:
            return nested
        return [[part for span in spans for part in self._parts(span, limit)] for spans in nested]

    def _parts(self, span: Span, limit: int) -> Iterator[Span]:
        if len(span) < 2 or self._fits(span, limit):
            yield span
        else:
            half = len(span) // 2
            yield from self._parts(span[:half], limit)
            yield from self._parts(span[half:], limit)

    def _fits(self, span: Span, limit: int) -> bool:
        if _MOST_PIECES_OF_CHAR * (span.end_char - span.start_char) <= limit - _SPECIAL:
            return True
        text = span.text
        if len(text.encode("utf8")) <= limit - _SPECIAL:
            return True
        # As the layer calls it, except for the warning: other padding would change the tokenizer under other threads.
        (pieces,) = self.tokenizer([text], add_special_tokens=True, padding="longest", verbose=False)["input_ids"]
        return len(pieces) <= limit
