"""Quotations of texts in messages: on one line, and short."""

QUOTE = 200  # characters of a line that a message shows


def quoted(text: str, length: int = QUOTE) -> str:
    r"""Quote a text for a message: on one line, with control characters escaped, cut to a maximum length.

    length (int): The longest quotation in characters, including quotes and escapes.

    >>> quoted("a\x1b[31m"), quoted("a" * 300, 10)
    ("'a\\x1b[31m'", "'aaaaa'...")
    """
    shown = repr(text[:length])
    if len(text) <= length and len(shown) <= length:
        return shown
    kept = text[: length - 5]  # two quotes and three dots
    while len(repr(kept)) > length - 3:
        kept = kept[: min(len(kept) - 1, len(kept) * (length - 3) // len(repr(kept)))]
    return f"{kept!r}..."
