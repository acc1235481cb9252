"""Text that would rule a terminal: what commands print of it, and what they write to files and pipes."""

import io
import json
import sys

import pytest
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_lal.cli.formats import FORMATS, read_sentences
from spacy_lal.cli.parse_output import writer
from spacy_lal.cli.streams import fail, say
from spacy_lal.cli.texts import Origin

ESC = "\x1b]0;owned\x07\x1b[31m"
TEXT = f"The {ESC}old cat\x9b2J sleeps\u202e ."
BAD = {*map(chr, [*range(9), *range(11, 32), *range(127, 160)]), *"\u202a\u202e\u2066"}


@pytest.fixture
def doc():
    """Words, tags, labels and deprels that hold escape sequences."""
    words, heads = TEXT.split(" "), [1, 2, 2, 2, 2]
    doc = Doc(Vocab(), words=words, heads=heads, deps=[f"\x1b[1m{i}" for i in range(5)], tags=["\x9bX"] * 5)
    doc.spans["constituents"] = [Span(doc, 0, 5, "S\x1b[0m"), Span(doc, 0, 3, "\u202eNP")]
    return doc


class Tty(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("command", [("explain", TEXT, "-m"), ("parse", "--text", TEXT, "-f", "tree")])
def test_drawings_hold_no_escape_sequence(lal, pipeline, command):
    result = lal(*command, pipeline)
    assert result.exit_code == 0 and "sleeps" in result.stdout
    assert "\u241b]0;owned\u2407\u241b[31mold" in result.stdout
    assert not BAD & set(result.stdout)


@pytest.mark.parametrize("name", list(FORMATS))
def test_whatever_a_pipeline_calls_its_labels(doc, name, monkeypatch):
    """A terminal gets what can be seen, a pipe or file what there is, but drawings are for the eye anywhere."""
    written = {}
    for stream in (Tty(), io.StringIO()):
        monkeypatch.setattr(sys, "stdout", stream)
        with writer(name, None) as write:
            assert write(doc, Origin(0)) == 1
        written[stream.isatty()] = stream.getvalue()
    assert not BAD & set(written[True])
    if name == "json":
        record = json.loads(written[False])
        assert record["tokens"] == [token.text for token in doc] and record["constituents"][1]["label"] == "\u202eNP"
        assert written[True] == written[False]
    elif name == "tree":
        assert written[True] == written[False]
    else:
        assert {"\x1b", "\x9b", "\u202e"} <= set(written[False])


def test_a_tree_too_deep_to_draw(doc):
    doc.spans["constituents"] = [Span(doc, 0, 5, f"X\x1b[{i}m") for i in range(3000)]
    (sentence,) = read_sentences(doc)
    assert not BAD & set(FORMATS["tree"](sentence, Origin(0)))


def test_messages(lal, pipeline, tmp_path, capsys):
    result = lal("parse", tmp_path / "a\x1b[31mb", "-", stdin=b"Go on!")
    assert result.exit_code == 1 and not BAD & set(result.output)
    say(f"one {ESC}\n\ttwo")
    with pytest.raises(Exception, match="1"):
        fail(f"three {ESC}")
    out, err = capsys.readouterr()
    assert (out, err) == ("one \u241b]0;owned\u2407\u241b[31m\n\ttwo\n", "three \u241b]0;owned\u2407\u241b[31m\n")


def test_tables_of_a_treebank(lal, tmp_path):
    path = tmp_path / "dev.ptb"
    path.write_text("(S\x1b[31m (NN\x9b2J dawn) (\u202eX breaks))\n(S (NN dawn\n", encoding="utf8")
    for arguments in (("check", path), ("check", path, "--json")):
        result = lal(*arguments)
        assert not BAD & set(result.output)
    path.write_text("(S\x1b[31m (NN\x9b2J dawn) (\u202eX breaks))\n", encoding="utf8")
    table, as_json = (lal("check", path, *more) for more in ((), ("--json",)))
    assert "[31m" in table.stdout and not BAD & set(table.output + as_json.output)
    assert "S\x1b[31m" in json.loads(as_json.stdout)["labels"]
