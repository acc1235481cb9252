"""Commands that write a file say so on stderr, with a count; `-` is stdin and stdout; progress is for terminals."""

import io
import json
import shutil
import sys

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_lal.cli.outputs import folder_size
from spacy_lal.cli.progress import pipe_progress, progress, reading_progress
from spacy_lal.cli.texts import TextReader
from spacy_lal.trees.brackets import read_brackets

TREES = "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))\n(S (VP (VB Go)) (. !))\n"


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "gold.ptb"
    path.write_text(TREES)
    return path


def last_lines(result, n=1):
    assert result.exit_code == 0, result.stderr
    return result.stderr.splitlines()[-n:]


@pytest.mark.parametrize("output_format, suffix", [("brackets", "ptb"), ("conllu", "conllu"), ("docbin", "spacy")])
def test_parse(lal, pipeline, tmp_path, output_format, suffix):
    output = tmp_path / f"out.{suffix}"
    stdin = b"The cat sleeps. Go on!\n\nHe left.\n"
    result = lal("parse", "-m", pipeline, "-", "-f", output_format, "-o", output, stdin=stdin)
    assert result.stderr == f"Wrote {output}: 3 sentences of 2 texts\n"
    one = lal("parse", "-m", pipeline, "--text", "Go on!", "-f", output_format, "-o", output)
    assert one.stderr == f"Wrote {output}: 1 sentence of 1 text\n"
    assert output.is_file()


def test_reports(lal, pipeline, gold_file, tmp_path):
    scores, trees, golds = (tmp_path / name for name in ("scores.json", "trees.ptb", "gold.ptb"))
    result = lal("evaluate", "-m", pipeline, gold_file, "-o", scores, "--trees", trees, "--gold-trees", golds)
    assert last_lines(result, 3) == [
        f"Wrote {scores}: scores of 3 sentences",
        f"Wrote {trees}: 3 trees",
        f"Wrote {golds}: 3 gold trees",
    ]
    assert len(list(read_brackets(golds.read_text().splitlines()))) == 3
    heads = tmp_path / "heads.json"
    result = lal("label-heads", "-m", pipeline, gold_file, "-o", heads)
    report = json.loads(heads.read_text())
    assert last_lines(result) == [f"Wrote {heads}: {len(report['labels'])} labels, {len(report['heads'])} label heads"]


def test_treebanks(lal, pipeline, trees, gold_file, tmp_path):
    output = tmp_path / "out.spacy"
    assert last_lines(lal("convert", trees, output)) == [f"Wrote {output}: 2 Docs, 2 sentences, 6 tokens"]
    (line,) = last_lines(lal("complete", "-m", pipeline, output, tmp_path / "both.spacy"))
    assert line.startswith(f"Wrote {tmp_path / 'both.spacy'}: 2 Docs; 2 Docs got heads")


def test_pipelines(lal, pipeline, tmp_path):
    small, mean = tmp_path / "small", tmp_path / "mean"
    expected = f"Wrote {small}: sentencizer, tagger, lal_parser; "
    (line,) = last_lines(lal("compact", "-m", pipeline, small))
    assert line == expected + folder_size(small) and line.endswith(" MB")
    (line,) = last_lines(lal("average", small, small, "-o", mean))
    assert line == f"Wrote {mean}: the mean of 2 pipelines: sentencizer, tagger, lal_parser"
    assert spacy.load(mean).pipe_names == ["sentencizer", "tagger", "lal_parser"]


def test_folder(lal, pipeline, tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Go on!\n")
    args = ("parse", "-m", pipeline, tmp_path / "in", "--engine", "local", "-o", tmp_path / "out")
    assert lal(*args).stderr == f"Wrote {tmp_path / 'out'}: 1 files parsed (1 texts), 0 skipped: done before\n"
    assert lal(*args).stderr == "0 files parsed (0 texts), 1 skipped: done before\n"


# stdin and stdout


def test_scores_to_stdout(lal, pipeline, gold_file):
    result = lal("evaluate", "-m", pipeline, "-", "-o", "-", stdin=gold_file.read_bytes())
    assert result.exit_code == 0
    assert json.loads(result.stdout)["n_sents"] == 3
    assert "const_f" in result.stderr and "Wrote" not in result.stderr  # the table makes way
    result = lal("evaluate", "-m", pipeline, gold_file, "--gold-trees", "-")
    assert len(list(read_brackets(result.stdout.splitlines()))) == 3
    twice = lal("evaluate", "-m", pipeline, gold_file, "--gold-trees", "-", "-o", "-")
    assert twice.exit_code == 1 and "expected at most one of --output" in twice.stderr


def test_reports_to_stdout(lal, pipeline, gold_file):
    result = lal("label-heads", "-m", pipeline, "-", "-o", "-", stdin=gold_file.read_bytes())
    assert result.exit_code == 0 and json.loads(result.stdout)["n_sentences"] == 3
    page = lal("explain", "-m", pipeline, "--text", "Go on!", "-o", "-")
    assert page.exit_code == 0 and page.stdout.startswith("<!DOCTYPE html>") and page.stderr == ""


def test_trees_through_pipes(lal, pipeline, trees, tmp_path):
    written = lal("convert", "-", "-", stdin=TREES.encode())
    assert written.exit_code == 0 and written.stderr == "Wrote to stdout: 2 Docs, 2 sentences, 6 tokens\n"
    docs = list(DocBin().from_bytes(written.stdout_bytes).get_docs(Vocab()))
    assert [[token.text for token in doc] for doc in docs] == [["The", "cat", "sleeps", "."], ["Go", "!"]]
    both = lal("complete", "-m", pipeline, "-", "-", stdin=written.stdout_bytes)
    assert both.exit_code == 0
    assert all(doc.has_annotation("DEP") for doc in DocBin().from_bytes(both.stdout_bytes).get_docs(Vocab()))
    checked = lal("check", "-", stdin=TREES.encode())
    assert checked.exit_code == 0 and checked.stdout.startswith("Treebank: <stdin>\n")
    assert json.loads(lal("check", "-", "--json", stdin=TREES.encode()).stdout)["brackets"] == "<stdin>"
    scored = lal("evalb", trees, "-", stdin=TREES.encode())
    assert scored.exit_code == 0 and scored.stdout == lal("evalb", trees, trees).stdout


@pytest.mark.parametrize(
    "args, stdin, message",
    [
        (("check", "-"), b"(S (NN dawn)\n", "<stdin>:1"),
        (("convert", "-", "out.spacy"), b"(S (NN dawn)\n", "<stdin>:1"),
        (("convert", "-", "out.spacy"), b"Go on!\n", "<stdin>:1: expected a bracketed tree or a line of CoNLL-U"),
        (("check", "-", "-"), b"", "expected at most one - (stdin)"),
        (("evalb", "-", "-"), b"", "expected at most one - (stdin)"),
        (("evaluate", "-m", "{pipeline}", "-"), b"no Docs", "- is no .spacy file"),
    ],
)
def test_bad_stdin(lal, pipeline, tmp_path, monkeypatch, args, stdin, message):
    monkeypatch.chdir(tmp_path)
    result = lal(*(arg.format(pipeline=pipeline) for arg in args), stdin=stdin)
    assert result.exit_code == 1
    assert message in result.stderr and "/tmp" not in result.stderr
    assert not (tmp_path / "out.spacy").exists()


# Progress


class Tty(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Tty, io.StringIO], ids=["terminal", "pipe"])
def test_progress(stream, pipeline, tmp_path, monkeypatch):
    stderr = stream()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    nlp = spacy.load(pipeline)
    assert list(progress(range(3), total=3, unit="Docs")) == [0, 1, 2]
    with pipe_progress(nlp, 2):
        assert [doc.text for doc in nlp.pipe(["Go on!", "He left."])] == ["Go on!", "He left."]
    assert [doc.text for doc in nlp.pipe(["Go on!"])] == ["Go on!"] and "pipe" not in vars(nlp)
    path = tmp_path / "text"
    path.write_text("Go on!\n")
    reader = TextReader(str(path))
    with reading_progress(reader, tmp_path / "out") as advance:
        for _ in reader:
            advance(1)
    assert bool(stderr.getvalue()) == stderr.isatty()
    assert sys.stdout.getvalue() == ""
    if stderr.isatty():
        assert "Docs" in stderr.getvalue() and "sentences=1" in stderr.getvalue()


def test_no_bar_over_the_output(monkeypatch, tmp_path):
    """Where both go to the terminal, a bar would be between the trees."""
    monkeypatch.setattr(sys, "stderr", Tty())
    monkeypatch.setattr(sys, "stdout", Tty())
    path = tmp_path / "text"
    path.write_text("Go on!\n")
    with reading_progress(TextReader(str(path)), None) as advance:
        advance(1)
    assert sys.stderr.getvalue() == sys.stdout.getvalue() == ""


def test_bytes_are_not_shown_at_a_terminal(monkeypatch, capsys, trees):
    import typer

    from spacy_lal.cli.outputs import path_or_stdout

    monkeypatch.setattr(sys, "stdout", Tty())
    with pytest.raises(typer.Exit), path_or_stdout(trees.parent / "x", binary=True) as path:
        assert path == trees.parent / "x"
        with path_or_stdout(type(path)("-"), binary=True):
            pytest.fail("nothing should be written")
    assert "stdout is a terminal" in capsys.readouterr().err
    shutil.copy(trees, path)
