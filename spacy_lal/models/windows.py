"""`spacy-lal.sentence_windows.v1`: the windows of a Doc that a transformer reads.

spacy-transformers' strides begin and end within sentences. A token in two strides gets the mean of a vector that saw
its whole sentence and a vector that did not. Windows of whole sentences read every token once, which improves parses
(docs/how_to/training.md). Sentence breaks are unknown when the transformer runs, so they are guessed from the text
alone: a Doc has the same vectors whether its sentences are known or not.
"""

from functools import partial
from typing import Any, Callable, Iterator, List, Optional, Sequence

from spacy.pipeline import Sentencizer
from spacy.tokens import Doc, Span

_MARKS = frozenset(Sentencizer.default_punct_chars)
_CLOSING = frozenset(")]}’”»") | {"''", "-RRB-", "-RCB-", "-RSB-"}
_AFTER_MARK = _CLOSING | frozenset("\"'")  # quotes that open or close
_MOST_AFTER_MARK = 4  # tokens: a text of quotes only must not be read once for each of them


# A tokenizer's limit above this means that it has none (transformers' VERY_LARGE_INTEGER).
NO_LIMIT = 1_000_000
_MOST_PIECES_OF_CHAR = 4  # bytes, of a byte-level tokenizer
_SPECIAL = 4  # most pieces that a tokenizer adds at the ends


def make_sentence_windows(
    window: int = 72, max_window: int = 128, stride: int = 96
) -> Callable[[Sequence[Doc]], List[List[Span]]]:
    """Registered as `spacy-lal.sentence_windows.v1`, for `[components.transformer.model.get_spans]`.

    window (int): Most tokens of a window of several sentences.
    max_window (int): Most tokens of any window. A longer sentence is read in overlapping strides.
    stride (int): Distance between the beginnings of two such strides, in tokens.
    RETURNS (Callable[[Sequence[Doc]], List[List[Span]]]): The windows of each Doc, in order; every token is in one.
    RAISES (ValueError): Not 1 <= window <= max_window, or not 1 <= stride <= max_window.
    """
    if not 1 <= window <= max_window or not 1 <= stride <= max_window:
        raise ValueError(
            "expected a window and a stride of 1 or more and no longer than max_window, got "
            f"window={window}, max_window={max_window}, stride={stride}"
        )
    return partial(_windows, window=window, max_window=max_window, stride=stride)


def _windows(docs: Sequence[Doc], *, window: int, max_window: int, stride: int) -> List[List[Span]]:
    return [list(_windows_of(doc, window, max_window, stride)) for doc in docs]


def _windows_of(doc: Doc, window: int, max_window: int, stride: int) -> Iterator[Span]:
    start = end = 0
    for next_end in [*likely_breaks(doc), len(doc)]:
        if next_end - start > window and end > start:
            yield from _strides(doc[start:end], max_window, stride)
            start = end
        end = next_end
    if end > start:
        yield from _strides(doc[start:end], max_window, stride)


def _strides(span: Span, max_window: int, stride: int) -> Iterator[Span]:
    while len(span) > max_window:
        yield span[:max_window]
        span = span[stride:]
    yield span


def likely_breaks(doc: Doc) -> List[int]:
    """The tokens at which a sentence is likely to begin, without the first token: after a line break, or after a mark
    that ends sentences and a space, unless they begin in lower case. An ellipsis ends no sentence.

    A wrong break costs more than a missed one, which only makes a window begin elsewhere.
    """
    return [i for i in range(1, len(doc)) if _is_likely_break(doc, i)]


def _is_likely_break(doc: Doc, i: int) -> bool:
    before, text = doc[i - 1], doc[i].text
    if text.isspace():
        return False
    if "\n" in before.text:
        return True
    if text[0].islower() or text in _CLOSING or _is_mark(text):
        return False
    last = i - 1
    while last > max(0, i - 1 - _MOST_AFTER_MARK) and doc[last].text in _AFTER_MARK:
        last -= 1
    mark = doc[last].text
    is_ellipsis = mark == "…" or (len(mark) > 1 and not mark.strip("."))
    return _is_mark(mark) and not is_ellipsis and bool(before.whitespace_ or not mark.isascii())


def _is_mark(text: str) -> bool:
    return all(char in _MARKS for char in text)


def piece_limit(tokenizer: Any, transformer: Any, max_pieces: Optional[int]) -> Optional[int]:
    """The longest sequence that may be read, special pieces included; None without a limit (XLNet).

    RAISES (ValueError): The limit leaves no room for a word.
    """
    limits = [max_pieces, tokenizer.model_max_length]
    n_positions = getattr(transformer.config, "max_position_embeddings", None)
    if n_positions is not None:
        # RoBERTa and its relatives count positions from the padding's position on.
        padding = getattr(getattr(transformer, "embeddings", None), "padding_idx", None)
        limits.append(n_positions - (0 if padding is None else padding + 1))
    known = [limit for limit in limits if limit is not None and 0 < limit < NO_LIMIT]
    if not known:
        return None
    if min(known) < 3:
        raise ValueError(f"A sequence of at most {min(known)} pieces has no room for a word: expected at least 3")
    return min(known)


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
