"""Lines of a treebank's file, decoded one at a time with a maximum length.

*Not* here: the meaning of a line (`brackets.py`, `conllu.py`).
"""

from pathlib import Path
from typing import Iterator, Tuple

from ..files import QUOTE, quoted

MAX_LINE = 10_000_000  # bytes of a line
MAX_CHARACTERS = 10_000_000  # characters of a sentence or a tree, over all its lines


class LineError(ValueError):
    """A line that is not valid text.

    number (int): The line, from 1.
    text (str): Its beginning, as far as it is printable.
    reason (str): The expected content.
    """

    def __init__(self, number: int, text: str, reason: str) -> None:
        self.number, self.text, self.reason = number, text, reason
        super().__init__(number, text, reason)

    def __str__(self) -> str:
        return f"line {self.number}: {self.reason}: {quoted(self.text)}"


def numbered_lines(path: Path, *, max_line: int = MAX_LINE) -> Iterator[Tuple[int, str]]:
    r"""The lines of a file with their numbers, from 1. Only `\n` ends a line and is kept; a byte order mark is removed.

    max_line (int): The longest line, in bytes; at most one such line is in memory.
    RAISES (LineError): A line is too long, is not UTF-8, or holds a NUL character.
    """
    # Read as bytes, so that an invalid byte has a line number.
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(max_line + 1):
            number += 1
            if len(raw) > max_line:
                reason = f"expected a line of at most {max_line:,} bytes, got a longer one"
                raise LineError(number, _start_of(raw), reason)
            if number == 1 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
                raise LineError(number, _start_of(raw), "expected UTF-8, got the byte order mark of UTF-16 or UTF-32")
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                bad = raw[error.start : error.end]
                raise LineError(number, _start_of(raw), f"expected UTF-8, got {bad!r} ({error.reason})") from None
            if "\0" in line:
                reason = "expected text, got a NUL character, as UTF-16 and files that are no text have"
                raise LineError(number, line[:QUOTE], reason)
            yield number, line


def has_half_pair(text: str) -> bool:
    """Whether a string has half a surrogate pair, as a JSON escape may give it: no UTF-8 can hold it."""
    return any("\ud800" <= char <= "\udfff" for char in text)


def _start_of(raw: bytes) -> str:
    return raw[:QUOTE].decode("utf-8", errors="backslashreplace")
