"""Texts that come with a name: JSON lines, or lines of an id, a tab and a text. Blank lines and texts are skipped.

Not here: plain text (`texts.py`).
"""

import json
from pathlib import Path
from typing import Any, Dict, Iterator, NoReturn, Optional

from spacy_lal.cli.texts import Text, TextError, TextReader
from spacy_lal.files import quoted

TEXT, JSONL, TSV = INPUT_FORMATS = ("text", "jsonl", "tsv")
ID_FIELD = "id"
BYTES_A_CHARACTER = 6  # of JSON, which may escape each
MORE_BYTES = 1_000_000  # for the other fields of a line
LINE_ENDS = "\x85\u2028\u2029"


def text_reader(
    source: str,
    input_format: Optional[str] = None,
    *,
    paragraphs: bool = False,
    text_field: str = "text",
    max_length: int = 1_000_000,
) -> TextReader:
    """The reader of a file.

    source (str): Name of a file, or `-` for stdin.
    input_format (Optional[str]): One of INPUT_FORMATS; None goes by the ending of the name.
    paragraphs (bool): See `TextReader`; for plain text.
    text_field (str): The key of the text in a JSON object.
    max_length (int): The longest text, in characters.
    """
    kind = input_format or format_by_name(source)
    if kind == JSONL:
        return JsonLinesReader(source, text_field=text_field, max_length=max_length)
    if kind == TSV:
        return TsvReader(source, max_length=max_length)
    return TextReader(source, paragraphs=paragraphs, max_length=max_length)


def format_by_name(source: str) -> str:
    """The input format by the ending of a file's name: `.jsonl`, `.tsv`, else plain text."""
    suffix = Path(source).suffix.lower().removeprefix(".")
    return suffix if suffix in (JSONL, TSV) else TEXT


class RecordReader(TextReader):
    """Iterates over the texts of lines that are records."""

    hint = ""

    @property
    def max_bytes(self) -> int:
        """The longest line, in bytes."""
        return BYTES_A_CHARACTER * self.max_length + MORE_BYTES

    def __iter__(self) -> Iterator[Text]:
        """YIELDS (Text): The texts, in order; blank ones are skipped.
        RAISES (TextError): The file cannot be opened, a line is not UTF-8 or no record, a text is too long.
        """
        for line, record, _ in self._lines():
            if record.strip():
                text = self._read(line, record)
                if text.text.strip():
                    self._check_length(line, len(text.text))
                    yield text

    def _check_line(self, number: int, n_bytes: int, length: int) -> None:
        if n_bytes >= self.max_bytes:
            self._refuse(number, f"a line of more than {self.max_bytes} bytes")

    def _read(self, line: int, record: str) -> Text:
        raise NotImplementedError

    def _check_id(self, line: int, name: str) -> str:
        if not name.strip():
            self._refuse(line, f"expected an id, got {quoted(name)}")
        if name != name.strip() or any(ord(char) < 32 or ord(char) == 127 or char in LINE_ENDS for char in name):
            self._refuse(line, f"expected an id without tabs, line ends and outer spaces, got {quoted(name)}")
        self._check_unicode(line, name)
        return name

    def _check_unicode(self, line: int, text: str) -> None:
        """A JSON escape may be half of a surrogate pair, which no UTF-8 can hold."""
        if any("\ud800" <= char <= "\udfff" for char in text):
            self._refuse(line, f"expected Unicode, got half a surrogate pair in {quoted(text)}")

    def _refuse(self, line: int, reason: str) -> NoReturn:
        raise TextError(f"{self.name}, line {line}: {reason}")


class JsonLinesReader(RecordReader):
    """Reads JSON objects, one a line, with a text and, if they have one, an id: a string or an integer.
    Either all texts have an id, or none.

    source (str): Name of a file, or `-` for stdin.
    text_field (str): The key of the text. Other keys are ignored.
    max_length (int): The longest text, in characters.
    """

    def __init__(self, source: str, *, text_field: str = "text", max_length: int = 1_000_000) -> None:
        super().__init__(source, max_length=max_length)
        self.text_field = text_field
        self._first: Optional[Text] = None  # either all texts have an id, or none

    def _read(self, line: int, record: str) -> Text:
        found: Any = None
        try:
            found = json.loads(record)
        except (ValueError, RecursionError) as err:
            self._refuse(line, f"expected a JSON object, got {quoted(record)} ({type(err).__name__}: {err})")
        if not isinstance(found, dict):
            self._refuse(line, f"expected a JSON object, got {quoted(record)}")
        text = found.get(self.text_field)
        if not isinstance(text, str):
            got = f"the keys {', '.join(map(repr, found)) or 'none'}" if text is None else quoted(repr(text))
            self._refuse(line, f"expected a string under {self.text_field!r} (see --text-column), got {got}")
        self._check_unicode(line, text)
        read = Text(line, text, self._read_id(line, found))
        first = self._first = self._first or read
        if (read.id is None) != (first.id is None):
            other = "no id" if first.id is None else "an id"
            self._refuse(
                line, f"expected {other}, as in line {first.line}, got {'none' if read.id is None else read.id}"
            )
        return read

    def _read_id(self, line: int, found: Dict[str, Any]) -> Optional[str]:
        name = found.get(ID_FIELD)
        if name is None:
            return None
        if not isinstance(name, (str, int)) or isinstance(name, bool):
            self._refuse(line, f"expected a string or an integer under {ID_FIELD!r}, got {quoted(repr(name))}")
        return self._check_id(line, str(name))


class TsvReader(RecordReader):
    """Reads lines of an id, a tab and a text, without a heading. The text may hold further tabs."""

    def _read(self, line: int, record: str) -> Text:
        name, tab, text = record.partition("\t")
        if not tab:
            self._refuse(line, f"expected an id, a tab and a text, got {quoted(record)}")
        return Text(line, text, self._check_id(line, name))
