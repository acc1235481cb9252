"""Lines of files: what is no text is refused by number; quotations are short and printable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_lal.trees.lines import LineError, numbered_lines, quoted


@pytest.fixture
def write(tmp_path):
    def write_bytes(content):
        path = tmp_path / "x"
        path.write_bytes(content)
        return path

    return write_bytes


def test_lines_with_numbers(write):
    path = write("\ufeffa\r\n\nb\rc\x0b\n".encode())
    assert list(numbered_lines(path)) == [(1, "a\r\n"), (2, "\n"), (3, "b\rc\x0b\n")]
    assert list(numbered_lines(write(b""))) == []
    assert list(numbered_lines(write(b"abc\nabc"), max_line=4)) == [(1, "abc\n"), (2, "abc")]


@pytest.mark.parametrize(
    "content, number, reason",
    [
        ("a\n(NN b)\n".encode("utf-16"), 1, "byte order mark of UTF-16"),
        ("a\n(NN b)\n".encode("utf-16-le"), 1, "got a NUL character, as UTF-16"),
        ("a\n(NN Blåbær)\n".encode("latin-1"), 2, r"expected UTF-8, got b'\\xe5' \(invalid"),
        (b"a\nb\n\x89PNG\r\n", 3, "expected UTF-8, got b'.x89'"),
        (b"a\n" + b"b" * 100 + b"\n", 2, "expected a line of at most 50 bytes"),
        (b"a\n" + b"b" * 100, 2, "expected a line of at most 50 bytes"),
    ],
)
def test_what_is_no_line_of_a_treebank(write, content, number, reason):
    with pytest.raises(LineError, match=reason) as caught:
        list(numbered_lines(write(content), max_line=50))
    assert caught.value.number == number and len(caught.value.text) <= 1000


@given(st.text(max_size=300), st.integers(10, 250))
def test_quotations_are_short_and_printable(text, length):
    shown = quoted(text, length)
    assert len(shown) <= length and shown.isprintable()
    assert eval(shown.removesuffix("...")) == text if not shown.endswith("...") else text.startswith(eval(shown[:-3]))
    assert shown == repr(text) or len(repr(text)) > length


def test_quotations():
    assert quoted("dawn") == "'dawn'"
    assert quoted("\x1b[2J\u202e") == r"'\x1b[2J\u202e'"
    assert quoted("a" * 10_000_000) == f"'{'a' * 195}'..."
    assert len(quoted("\U000e0001" * 1000)) <= 200
