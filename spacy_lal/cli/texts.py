"""Texts for a command, one at a time: from a file, from stdin, or from the command line. Records, which name their
texts: `records.py`."""

import sys
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional

from spacy_lal.files import quoted

STDIN = "-"


class TextError(ValueError):
    """Text that cannot be read. The message names the source and the line."""


class Text(NamedTuple):
    """One text to parse.

    line (int): The line where it begins, from 1; 0 where it is not from a file.
    text (str): The text.
    id (Optional[str]): Its name in the file, for formats that name texts.
    """

    line: int
    text: str
    id: Optional[str] = None


class Origin(NamedTuple):
    """Where a Doc comes from: each sentence of the output can be joined to its text.

    number (int): The place among the texts that were parsed, from 0. Blank lines are no texts.
    line (Optional[int]): The line where the text begins, from 1; None where it is not from a file.
    id (Optional[str]): The name of the text, where the input gives one.
    """

    number: int
    line: Optional[int] = None
    id: Optional[str] = None

    @classmethod
    def of(cls, number: int, text: Text) -> "Origin":
        """The origin of a Doc by its place and its text."""
        return cls(number, text.line or None, text.id)

    @property
    def name(self) -> str:
        """The id, or else the line, or else the place from 1."""
        return self.id or str(self.line or self.number + 1)


class TextReader:
    """Iterates over the texts of a file, with one in memory at a time. Blank lines are skipped.

    source (str): Name of a file, or `-` for stdin.
    paragraphs (bool): A text is a block of lines between blank lines, joined by spaces; otherwise each line is a text.
    max_length (int): The longest text, in characters.
    """

    hint = " (each line is a text; see also --paragraphs)"

    def __init__(self, source: str, *, paragraphs: bool = False, max_length: int = 1_000_000) -> None:
        self.source = source
        self.name = "<stdin>" if source == STDIN else source
        self.paragraphs = paragraphs
        self.max_length = max_length
        self.bytes_read = 0

    @property
    def max_bytes(self) -> int:
        """The longest line: bytes of the longest text, a byte order mark and the line end."""
        return 4 * self.max_length + 8

    @property
    def n_bytes(self) -> Optional[int]:
        """The size of the file; None for a source without a size."""
        path = Path(self.source)
        return path.stat().st_size if self.source != STDIN and path.is_file() else None

    @property
    def is_terminal(self) -> bool:
        """Whether the texts come from a terminal."""
        return self.source == STDIN and sys.stdin is not None and sys.stdin.isatty()

    def __iter__(self) -> Iterator[Text]:
        """YIELDS (Text): The texts, in order.
        RAISES (TextError): The file cannot be opened, a line is not UTF-8, a text is too long.
        """
        if not self.paragraphs:
            yield from (text for text in self._lines() if text.text.strip())
            return
        parts: List[str] = []
        first = 0
        for line, text, _ in self._lines():
            if text.strip():
                first = first if parts else line
                parts.append(text.strip())
                self._check_length(first, sum(map(len, parts)))
            elif parts:
                yield Text(first, " ".join(parts))
                parts = []
        if parts:
            yield Text(first, " ".join(parts))

    def _lines(self) -> Iterator[Text]:
        """Decode line by line, so that an encoding error has a line number."""
        if self.source == STDIN and sys.stdin is None:
            raise TextError("can't read <stdin>: it is closed")
        try:
            file = sys.stdin.buffer if self.source == STDIN else open(self.source, "rb")
        except OSError as err:
            raise TextError(f"can't read {self.name}: {err.strerror}") from err
        with file:
            try:
                number = 0
                while raw := file.readline(self.max_bytes):
                    number += 1
                    self.bytes_read += len(raw)
                    yield Text(number, self._decode(number, raw))
            except OSError as err:  # a directory can be opened, but not read
                raise TextError(f"can't read {self.name}: {err.strerror}") from err

    def _decode(self, number: int, raw: bytes) -> str:
        if len(raw) >= self.max_bytes and not raw.endswith(b"\n"):  # may be cut within a character
            self._check_line(number, len(raw), self.max_length + 1)
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as err:
            bad = raw[err.start : err.end]
            raise TextError(f"{self.name}, line {number}: expected UTF-8, got the bytes {bad!r}") from err
        self._check_line(number, len(raw), len(text))
        return text

    def _check_line(self, number: int, n_bytes: int, length: int) -> None:
        self._check_length(number, length)

    def _check_length(self, number: int, length: int) -> None:
        if length > self.max_length:
            raise TextError(f"{self.name}, line {number}: a text of more than {self.max_length} characters{self.hint}")


class Interruptible:
    """Texts up to the first unreadable one. The error is stored, so that earlier texts that wait in the same batch are
    still parsed.

    error (Optional[TextError]): The error that ended the texts; None at their end.
    """

    def __init__(self, texts: Iterable[Text]) -> None:
        self.texts = texts
        self.error: Optional[TextError] = None

    def __iter__(self) -> Iterator[Text]:
        try:
            yield from self.texts
        except TextError as err:
            self.error = err


def given_text(text: str, name: str = "--text") -> Iterator[Text]:
    """The text of the command line, in the form of a file's texts.

    name (str): The argument that held it, for the message.
    RAISES (TextError): It was not UTF-8.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as err:
        raise TextError(f"{name}: expected UTF-8, got {quoted(text)}") from err
    if text.strip():
        yield Text(0, text)
