"""Lines of data files, decoded one at a time with a maximum length, and the error for what is wrong in them."""

import json
from pathlib import Path
from typing import Any, Iterator, Tuple

from ..files import quoted

MAX_LINE = 10_000_000  # bytes of a line


class TreebankError(ValueError):
    """Malformed or mismatched data. The message begins with the file and the line."""


def numbered_lines(path: Path, *, max_line: int = MAX_LINE) -> Iterator[Tuple[int, str]]:
    r"""The lines of a file with their numbers, from 1. Only `\n` ends a line and is kept; a byte order mark is removed.

    max_line (int): The longest line, in bytes; at most one such line is in memory.
    RAISES (TreebankError): A line is too long, is not UTF-8, or holds a NUL character.
    """
    with path.open("rb") as file:  # bytes, so that an invalid one has a line number
        number = 0
        while raw := file.readline(max_line + 1):
            number += 1
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8", errors="backslashreplace")
            reason = ""
            if len(raw) > max_line:
                reason = f"expected a line of at most {max_line:,} bytes, got a longer one"
            elif number == 1 and raw.startswith((b"\xff\xfe", b"\xfe\xff")):
                reason = "expected UTF-8, got the byte order mark of UTF-16 or UTF-32"
            elif "\0" in line:
                reason = "expected text, got a NUL character"
            else:
                try:
                    raw.decode("utf-8")
                except UnicodeDecodeError as error:
                    reason = f"expected UTF-8, got {raw[error.start : error.end]!r} ({error.reason})"
            if reason:
                raise TreebankError(f"{path}:{number}: {reason}: {quoted(line[:200])}")
            yield number, line


def json_lines(path: Path) -> Iterator[Tuple[str, Any]]:
    """The values of a file of JSON lines, each with its place, "FILE:LINE". Empty lines are skipped.

    RAISES (TreebankError): A line is no JSON.
    """
    for number, line in numbered_lines(path):
        if line.strip():
            try:
                yield f"{path}:{number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise TreebankError(f"{path}:{number}: expected JSON, got {quoted(line.strip())} ({error})") from None
