"""The windows of a Doc that a transformer reads, in training
(`spacy-lal.sentence_windows.v1`) and in parsing: whole sentences, so that every token
is read once, in its sentence (docs/how_to/training.md). Breaks are guessed from the
text alone: a Doc has the same vectors whether its sentences are known or not."""

from collections.abc import Callable, Iterator, Sequence
from typing import Optional

from spacy.pipeline import Sentencizer
from spacy.tokens import Doc, Span, Token

# Shipped encoders have been trained with these sizes, in tokens.
WINDOW = 72  # most of a window of several sentences
MAX_WINDOW = 128  # most of any window; a longer sentence is read in strides
STRIDE = 96  # from the beginning of such a stride to the next one's
_MARKS = frozenset(Sentencizer.default_punct_chars)
_CLOSING = frozenset(")]}’”»") | {"''", "-RRB-", "-RCB-", "-RSB-"}
_AFTER_MARK = _CLOSING | frozenset("\"'")  # quotes that open or close
# Tokens: a text of quotes only must not be read once for each of them.
_MOST_AFTER_MARK = 4


def make_sentence_windows() -> Callable[[Sequence[Doc]], list[list[Span]]]:
    """Registered as `spacy-lal.sentence_windows.v1`, for
    `[components.transformer.model.get_spans]`. As many whole sentences as fit into 72
    tokens; a longer sentence is alone, one of more than 128 tokens in overlapping
    strides.

    RETURNS (Callable[[Sequence[Doc]], List[List[Span]]]): The windows of each Doc, in
        order; every token is in one."""
    return _windows


def _windows(docs: Sequence[Doc]) -> list[list[Span]]:
    return [
        [doc[start:end] for start, end in sentence_windows(doc, WINDOW)] for doc in docs
    ]


def sentence_windows(doc: Doc, window: int) -> Iterator[tuple[int, int]]:
    """The windows of a Doc of at most `window` words of several sentences, as half-open
    ranges of tokens. Whitespace belongs to the word before it, so the windows of a
    paragraph have the same words however it is wrapped."""
    words = [token.i for token in doc if not token.is_space]
    if words:
        words[0] = 0
    elif len(doc):
        yield 0, len(doc)
    breaks = set(likely_breaks(doc))
    ends = [place for place, i in enumerate(words) if i in breaks]
    bounds = [*words, len(doc)]  # of windows of words as tokens
    start = end = 0
    for next_end in [*ends, len(words)]:
        if next_end - start > window and end > start:
            yield from _strides(bounds, start, end)
            start = end
        end = next_end
    if end > start:
        yield from _strides(bounds, start, end)


def _strides(bounds: Sequence[int], start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > MAX_WINDOW:
        yield bounds[start], bounds[start + MAX_WINDOW]
        start += STRIDE
    yield bounds[start], bounds[end]


def likely_breaks(doc: Doc) -> list[int]:
    """The tokens but the first at which a sentence is likely to begin: after a blank
    line, or a mark that ends sentences and a space or line break, or a line to which
    the next word would have fitted in. None of these in lower case but after a blank
    line. An ellipsis ends no sentence."""
    breaks: list[int] = []
    text = doc.text
    # a long address is no line
    widths = [len(line) for line in text.split("\n") if " " in line.strip()]
    width = max(widths, default=1)
    last = -1
    for token in doc:
        if token.is_space:
            continue
        if last >= 0 and _is_likely_break(doc[last], token, text, width):
            breaks.append(token.i)
        last = token.i
    return breaks


def _is_likely_break(last: Token, token: Token, text: str, width: int) -> bool:
    """last (Token): The word before. text (str): The Doc's. width (int): Of its longest
    line."""
    word = token.text
    end = last.idx + len(last)
    gap = text[end : token.idx]
    if gap.count("\n") > 1:
        return True
    if word[0].islower() or word in _CLOSING or _is_mark(word):
        return False
    if "\n" in gap and _would_have_fitted(token, end, text, width):
        return True
    mark = _mark_before_quotes(last)
    needs_no_space = not mark.isascii()
    is_ellipsis = mark == "…" or (len(mark) > 1 and not mark.strip("."))
    return _is_mark(mark) and not is_ellipsis and bool(gap or needs_no_space)


def _would_have_fitted(token: Token, end: int, text: str, width: int) -> bool:
    """Whether the line that ends before a token had room for it. end (int): Of the
    line's last word."""
    n_before = end - (text.rfind("\n", 0, end) + 1)
    next_word = text[token.idx : token.idx + width].split(None, 1)[0]
    return n_before + 1 + len(next_word) <= width


def _mark_before_quotes(last: Token) -> str:
    """A word, or the word before quotes and brackets that close."""
    doc = last.doc
    first = last.i
    while first > max(0, last.i - _MOST_AFTER_MARK) and doc[first].text in _AFTER_MARK:
        first -= 1
    return doc[first].text


def _is_mark(text: str) -> bool:
    return all(char in _MARKS for char in text)


def length_groups(
    lengths: Sequence[int], spare: int, max_pieces: Optional[int] = None
) -> list[list[int]]:
    """Numbers of sequences in groups of similar length, longest first, each with at
    most `spare` padding, and at most `max_pieces` pieces, padding included, unless it
    is a single sequence."""
    groups: list[list[int]] = []
    padding = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        fits = False
        if groups:
            longest = lengths[groups[-1][0]]
            padding += longest - lengths[row]
            n_pieces = (len(groups[-1]) + 1) * longest
            is_full = max_pieces is not None and n_pieces > max_pieces
            fits = padding <= spare and not is_full
        if not fits:
            groups.append([])
            padding = 0
        groups[-1].append(row)
    return groups
