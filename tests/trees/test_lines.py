"""Lines of data files: numbers, decoding, the longest line."""

from pathlib import Path

import pytest

from spacy_lal.files import TreebankError, json_lines, numbered_lines


def test_lines_and_their_numbers(tmp_path: Path):
    path = tmp_path / "x.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\x85c\n\nlast")
    path.write_bytes("\ufeffa\r\nb\x85c\n\nlast".encode())
    assert list(numbered_lines(path)) == [
        (1, "a\r\n"),
        (2, "b\x85c\n"),
        (3, "\n"),
        (4, "last"),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (
            b"a\nb\xffc\n",
            r":2: expected UTF-8, got b'\\xff' \(invalid start byte\): 'b",
        ),
        (b"\xff\xfea\x00", ": expected text in UTF-8, got UTF-16"),
        (b"a\n\x00\n", ":2: expected text, got a NUL character"),
        (
            b"a\n" + b"x" * 200,
            ":2: expected a line of at most 100 bytes, got a longer one",
        ),
    ],
)
def test_what_is_no_text(
    tmp_path: Path, content: bytes, reason: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("spacy_lal.files.MAX_LINE", 100)
    path = tmp_path / "x.txt"
    path.write_bytes(content)
    with pytest.raises(TreebankError, match=f"x.txt{reason}"):
        list(numbered_lines(path))


def test_json_lines(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n\n[2]\n', encoding="utf8")
    assert list(json_lines(path)) == [(f"{path}:1", {"a": 1}), (f"{path}:3", [2])]
    for bad in ("{", "1" * 5000, "[" * 100_000, "[1e400]", "[-Infinity]", '{"a": NaN}'):
        path.write_text(f"\n{bad}\n", encoding="utf8")
        with pytest.raises(TreebankError, match="x.jsonl:2: expected JSON, got "):
            list(json_lines(path))
