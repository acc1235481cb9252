"""Samples of plain text: how much of each file, dealt out how, without which texts; and what wrong input is told."""

from pathlib import Path
from typing import List

import pytest


@pytest.fixture
def sample_text(script):
    """The script as a module."""
    return script("sample_text")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with two files: twenty texts of two words, six of one."""
    (tmp_path / "chat.txt").write_text("".join(f"hello {i}\n" for i in range(20)), encoding="utf8")
    (tmp_path / "reviews.txt").write_text("".join(f"good{i}\n" for i in range(6)), encoding="utf8")
    return tmp_path


def lines(path: Path) -> List[str]:
    """The texts of a file."""
    return path.read_text(encoding="utf8").splitlines()


def draw(sample_text, texts: Path, *names: str, words: str, options: str = "") -> List[List[str]]:
    """The outputs of these names."""
    outputs = [texts / name for name in names]
    sample_text.main([str(texts), *map(str, outputs), "--words", *words.split(), *options.split()])
    return [lines(path) for path in outputs]


def test_the_words_of_each_file_are_dealt_out_in_turn(sample_text, texts):
    first, second = draw(sample_text, texts, "a.txt", "b.txt", words="chat=12 reviews=5")
    assert [sum(text.startswith("hello") for text in part) for part in (first, second)] == [3, 3]
    assert [sum(text.startswith("good") for text in part) for part in (first, second)] == [3, 2]
    assert len(set(first + second)) == 11, "no text twice"


def test_a_file_with_fewer_words_gives_all_that_it_has(sample_text, texts):
    (part,) = draw(sample_text, texts, "a.txt", words="reviews=1000")
    assert sorted(part) == lines(texts / "reviews.txt")
    assert part != sorted(part), "shuffled"


def test_the_same_seed_draws_the_same_texts_and_another_seed_others(sample_text, texts):
    (first,) = draw(sample_text, texts, "a.txt", words="chat=20", options="--seed 3")
    (again,) = draw(sample_text, texts, "b.txt", words="chat=20", options="--seed 3")
    (other,) = draw(sample_text, texts, "c.txt", words="chat=20", options="--seed 4")
    assert first == again
    assert set(first) != set(other)


def test_texts_of_earlier_samples_are_left_out(sample_text, texts):
    (first,) = draw(sample_text, texts, "a.txt", words="chat=20")
    (rest,) = draw(sample_text, texts, "b.txt", words="chat=1000", options=f"--without {texts / 'a.txt'}")
    assert sorted(first + rest) == sorted(lines(texts / "chat.txt"))


@pytest.mark.parametrize("words", ["chat", "chat=", "chat=0", "=3", "chat=-1", "chat=many"])
def test_what_is_no_number_of_words_is_said(sample_text, texts, capsys, words):
    with pytest.raises(SystemExit):
        draw(sample_text, texts, "a.txt", words=words)
    assert f"expected NAME=N with a number of words, got {words!r}" in capsys.readouterr().err
    assert not (texts / "a.txt").exists()


def test_a_missing_file_is_named(sample_text, texts):
    with pytest.raises(ValueError, match=r"mail\.txt: expected a file of one text a line"):
        draw(sample_text, texts, "a.txt", words="chat=4 mail=4")
    assert not (texts / "a.txt").exists()


def test_another_encoding_is_named(sample_text, texts):
    (texts / "chat.txt").write_bytes("caf\u00e9\n".encode("latin1"))
    with pytest.raises(ValueError, match=r"chat\.txt: expected text in UTF-8"):
        draw(sample_text, texts, "a.txt", words="chat=4")
