"""What all commands share: which texts they read, where they write, how they end."""

import importlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.main import get_command

from spacy_lal.cli import COMMANDS, lal_cli
from spacy_lal.cli.inputs import Inputs
from spacy_lal.cli.io import reason, text_output
from spacy_lal.cli.texts import OTHERS, Origin, Source, find_sources, looks_wrapped
from spacy_lal.lang import DEFAULT_PIPELINE
from spacy_lal.treebanks.reader import SUFFIXES

JSONL = (
    '{"id": "a 7", "text": "Go on!"}\n\n{"id": "b", "text": " "}\n{"text": "He left.", '
    '"id": 12}\n'
)
TSV = "id\ttext\na 7\tGo on!\n\nb\t \n12\tHe left.\n"
CSV = 'text;stars;id\n"Go on!";5;a 7\n;3;b\n"He\nleft.";;\n'
TREES = b"(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))\n(S (VP (VB Go)) (. !))\n"
BAD = {
    *map(chr, [*range(9), *range(11, 32), *range(127, 160)]),
    *"\u202a\u202e\u2066",
}  # would rule a terminal


def texts(path, max_length=1000, **settings):
    inputs = Inputs([str(path)], **settings)
    return [
        (text, origin.line, origin.id)
        for text, origin in inputs.texts(inputs.find(), max_length)
    ]


# Texts


def test_an_argument_is_a_file_or_a_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("Hello", "Go on!", "letter.txt"):
        Path(name).write_text("He left.\n")
        assert find_sources(name) == [Source(name)]
    assert find_sources("He left.") == [Source("<text>", "He left.")]
    assert find_sources("-") == [Source("-")]
    Path("essays").mkdir()
    Path("essays/b.md").write_text("Go on!")
    Path("essays/b.csv").write_text("Go on!")
    assert find_sources("essays") == find_sources("*/*.md") == [Source("essays/b.md")]
    for name in (
        "missing.txt",
        "notes/missing",
        "my notes.txt",
        "missing.JSONL",
        "Missing",
        "",
        "a" * 5000,
    ):
        with pytest.raises(ValueError, match="can't find the file"):
            find_sources(name)
    with pytest.raises(ValueError, match="'missing.txt'; a text is given by --text"):
        find_sources("missing.txt")
    with pytest.raises(ValueError, match="a folder without files of .md, .text, .txt"):
        Path("empty").mkdir()
        find_sources("empty")
    with pytest.raises(Exception, match="2"):
        Inputs(["Hello"], text="Go on!")


def test_lines_paragraphs_and_records(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfThe old\r\n cat\tsleeps.\r\n \r\n\r\nGo on!")
    assert texts(path) == [
        ("The old", 1, None),
        (" cat\tsleeps.", 2, None),
        ("Go on!", 5, None),
    ]
    assert texts(path, paragraphs=True) == [
        ("The old cat\tsleeps.", 1, None),
        ("Go on!", 5, None),
    ]
    for name, content, first in (("a.jsonl", JSONL, 1), ("a.TSV", TSV, 2)):
        (tmp_path / name).write_text(content)
        expected = [("Go on!", first, "a 7"), ("He left.", first + 3, "12")]
        assert texts(tmp_path / name) == expected
    (tmp_path / "a.csv").write_text(CSV)
    expected = [("Go on!", 2, "a 7"), ("He\nleft.", 4, None)]
    assert texts(tmp_path / "a.csv") == expected
    stars = texts(tmp_path / "a.csv", text_column="stars", id_column="stars")
    assert stars == [("5", 2, "5"), ("3", 3, "3")]
    assert texts(tmp_path / "a.csv", input_format="text")[0][0] == "text;stars;id"
    origins = [Origin(4, 7, "a"), Origin(4, 7), Origin(4), Origin(4, 7, None, "f")]
    assert [origin.name for origin in origins] == ["a", "7", "5", "f:7"]
    inputs = Inputs([str(path), str(tmp_path / "a.jsonl")])
    both = inputs.texts(inputs.find(), 100)
    assert [(origin.number, origin.file) for _, origin in both][2:4] == [
        (2, str(path)),
        (3, str(tmp_path / "a.jsonl")),
    ]


def test_wrapped_lines_are_read_as_paragraphs(tmp_path, capsys):
    wrapped = (
        "The old cat that we saw yesterday in the park\nwas asleep on the bench when "
        "the children came\nto play."
    )
    path = tmp_path / "letter.txt"
    path.write_text(f"{wrapped}\n\n" * 2)
    assert [line for _, line, _ in texts(path)] == [1, 5]
    assert "look wrapped" in capsys.readouterr().err
    assert len(texts(path, paragraphs=False)) == 6
    for lines in (
        ["He left.", "go on"] * 9,
        ["what is the capital of france", "how far is it to the moon"] * 9,
        [],
        [""],
    ):
        assert not looks_wrapped(lines)


@pytest.mark.parametrize(
    "name, line, message",
    [
        ("jsonl", "{", "expected a JSON object with a string as 'text'"),
        ("jsonl", "[1]", "expected a JSON object with a string as 'text'"),
        ("jsonl", '{"body": "Go on!"}', "a string as 'text' (see --text-column)"),
        ("jsonl", '{"text": 7}', "a string as 'text' (see --text-column)"),
        (
            "jsonl",
            '{"text": "Go on!", "id": "a\\tb"}',
            "expected an id of printable characters",
        ),
        ("jsonl", '{"text": "\\ud83d", "id": 2}', "surrogates not allowed"),
        (
            "jsonl",
            '{"text": "' + "a" * 1001 + '"}',
            "a text of more than 1000 characters",
        ),
        ("tsv", "Go on!", "expected 2 cells, as in the heading"),
        ("tsv", "a\x07\tGo on!", "expected an id of printable characters, got 'a"),
        ("csv", '3,"Go" on!', "',' expected after"),
        ("txt", "caf\udce9", "expected UTF-8, got b'\\xe9'"),
    ],
)
def test_bad_lines(tmp_path, name, line, message):
    path = tmp_path / f"texts.{name}"
    first = {
        "jsonl": '{"id": 1, "text": "He left."}\n\n',
        "tsv": "id\ttext\n1\tHe left.\n",
        "csv": "id,text\n1,He left.\n",
        "txt": "He left.\n\n",
    }[name]
    path.write_bytes((first + line).encode("utf8", "surrogateescape"))
    with pytest.raises(ValueError) as caught:
        texts(path)
    assert str(caught.value).startswith(
        (f"{path}, line 3: ", f"{path}:3: ")
    ) and message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Go on!".encode("utf-16"), ": expected text in UTF-8, got UTF-16"),
        (b"Go on!\nG\0o\n", ":2: expected text, got a NUL character"),
        (b"%PDF-1.4\nGo on!\n", ": expected text in UTF-8, got a PDF"),
        (b"PK\x03\x04word", ": expected text in UTF-8, got an archive, such as .docx"),
    ],
)
def test_binary_files_are_refused(lal, pipeline, tmp_path, content, message):
    (tmp_path / "a.txt").write_bytes(content)
    path = tmp_path / "a.txt"
    commands = [("parse", "-m", pipeline), ("train", "-o", tmp_path / "m")]
    if message.startswith(": "):  # is seen at once
        commands += [
            ("search", "NP", "-m", pipeline),
            ("check",),
            ("srl-eval", path),
            ("evalb", path),
        ]
    for command in commands:
        result = lal(*command, path)
        assert result.exit_code == 2 and f"a.txt{message}" in result.stderr, command


def test_treebanks_are_no_texts(lal, pipeline, tmp_path):
    assert set(SUFFIXES) <= set(OTHERS)
    path = tmp_path / "gold.CONLLU"
    path.write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n", encoding="utf8")
    path.with_suffix(".html").write_text(
        "<html><body>Go on!</body></html>", encoding="utf8"
    )
    for command in ("parse", "explain", "roles"):
        result = lal(command, "--model", pipeline, path, "-o", "-")
        assert (
            result.exit_code == 2
            and f"{path} is a treebank by its ending" in result.stderr
        )
        page = lal(command, "--model", pipeline, path.with_suffix(".html"), "-o", "-")
        assert (
            page.exit_code == 2
            and "gold.html is a page with tags by its ending" in page.stderr
        )
    assert (
        lal("parse", "--model", pipeline, path, "--input-format", "text").exit_code == 0
    )


def test_every_command_reads_alike(lal, pipeline, tmp_path):
    """A bare text, --text, stdin, a file, several files."""
    text, path = "The old cat sleeps.", tmp_path / "a.txt"
    path.write_text(text)
    for command in (("parse",), ("explain", "-o", "-"), ("search", "*")):
        expected = lal(*command, text, "-m", pipeline).stdout
        for args, stdin in (
            (["--text", text], b""),
            ([], text.encode()),
            (["-"], text.encode()),
            ([path], b""),
        ):
            found = lal(*command, *args, "-m", pipeline, stdin=stdin)
            assert (
                found.exit_code == 0
                and found.stdout.split()[-1:] == expected.split()[-1:]
            ), (command, args)
        both = lal(*command, path, path, "-m", pipeline).stdout
        sections = "<h2" if command[0] == "explain" else "sleeps"
        assert both.count(sections) == 2 * expected.count(sections)


# Outputs


def test_files_appear_whole(lal, pipeline, tmp_path):
    """A command that fails leaves the earlier file, and nothing beside it."""
    text, output = tmp_path / "a.txt", tmp_path / "out.txt"
    text.write_bytes(b"Go on!\ncaf\xe9\n")
    output.write_text("earlier")
    assert lal("parse", text, "-m", pipeline, "-o", output).exit_code == 2
    assert output.read_text() == "earlier" and sorted(tmp_path.iterdir()) == [
        text,
        output,
    ]
    assert lal("parse", text, "-m", pipeline, "-o", text).exit_code == 2
    assert lal("parse", "Go on!", "-m", pipeline, "-o", tmp_path).exit_code == 2
    result = lal("parse", "Go on!", "-m", pipeline, "-o", tmp_path / "new" / "out.txt")
    assert (
        result.stderr == f"Wrote {tmp_path / 'new' / 'out.txt'}: the parse of 1 text\n"
    )


@pytest.mark.parametrize(
    ("command", "ending", "content", "said"),
    [
        (["relations", "-m"], "txt", b"Go on!", "the relations of 1 text"),
        (["search", "S", "-m"], "ptb", TREES, "2 constituents"),
        (["check"], "ptb", TREES, "the report"),
        (["evalb"], "ptb", TREES, "the scores"),
        (["srl-eval"], "props", b"sleep (V*)\n\n", "the scores"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_every_output_is_said_and_is_no_input(
    lal, pipeline, tmp_path, command, ending, content, said
):
    path, output = tmp_path / f"a.{ending}", tmp_path / "out.txt"
    path.write_bytes(content)
    args = [
        *command,
        *([pipeline] if command[-1] == "-m" else []),
        path,
        *([path] if command[0][-1] in "bl" else []),
    ]
    found = lal(*args, "-o", output)
    assert (
        found.stderr.endswith(f"Wrote {output}: {said}\n")
        and output.stat().st_size
        and found.exit_code == 0
    )
    assert lal(*args, "-o", path).exit_code == 2 and path.read_bytes() == content


def test_pipes(lal, pipeline, gold_file):
    """`-` is stdin and stdout of every command."""
    scores = lal(
        "evaluate", "-m", pipeline, "-", "-o", "-", stdin=gold_file.read_bytes()
    )
    assert json.loads(scores.stdout)["n_sents"] == 3 and "const_f" in scores.stderr
    page = lal("explain", "-m", pipeline, "--text", "Go on!", "-o", "-")
    assert page.stdout.startswith("<!DOCTYPE html>") and page.stderr == ""
    written = lal("convert", "-", "-o", "-", stdin=TREES)
    both = lal("add-trees", "-m", pipeline, "-", "-o", "-", stdin=written.stdout_bytes)
    docs = list(DocBin().from_bytes(both.stdout_bytes).get_docs(Vocab()))
    assert [len(doc) for doc in docs] == [4, 2] and all(
        doc.has_annotation("DEP") for doc in docs
    )
    assert lal("check", "-", stdin=TREES).stdout.startswith("sentences  ")
    assert lal("check", "-", "-", stdin=TREES).exit_code == 2
    bad = lal("convert", "-", "-o", "-", stdin=b"(S (NN dawn)\n")
    assert bad.exit_code == 2 and bad.stderr.startswith("<stdin>:1")


class Tty(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_gets_no_escape_sequences(lal, pipeline, monkeypatch, tmp_path):
    text = "The \x1b]0;owned\x07\x1b[31mcat\x9b2J sleeps\u202e ."
    result = lal("parse", text, "-f", "tree", "-m", pipeline)
    assert "\u241b]0;owned\u2407\u241b[31mcat" in result.stdout and not BAD & set(
        result.stdout
    )
    assert not BAD & set(lal("parse", tmp_path / "a\x1b[31mb", stdin=b"Go on!").output)
    for stream in (Tty(), io.StringIO()):
        monkeypatch.setattr(sys, "stdout", stream)
        with text_output(None) as write:
            write(text)
        assert bool(BAD & set(stream.getvalue())) != stream.isatty()


# Ends


@pytest.mark.parametrize(
    "args, message",
    [
        (("parse", "Go on!", "-m", "nowhere"), "can't load the pipeline 'nowhere'"),
        (("parse", "Go on!", "-m", "{blank}"), "has no lal_parser, only: nothing"),
        (("parse", "Go on!", "-m", "{damaged}"), "can't load the pipeline"),
        (("parse", "Go on!", "-m", "{pipeline}", "-g", "0"), "can't use --gpu-id 0"),
        (("parse", "a\udce9 b", "-m", "{pipeline}"), "can't encode character"),
        (("roles", "Go on!", "-n", "99999"), "Invalid value for '--n-process'"),
        (("parse", "Go on!", "-m", "{pipeline}", "--without", "ner"), "'ner'"),
        (
            ("parse", "Go on!", "-o", "x.weird"),
            "expected an ending of .ptb, .conllu, .txt, .spacy, .json, .csv, .tsv, "
            ".jsonl, .parquet after -o, or a format of brackets,",
        ),
        (("explain", "Go on!"), "expected -o FILE that ends"),
        (("explain", "-", "-"), "expected at most one - (stdin)"),
        (("prase",), "parse"),
        (("parse", "Go on!", "-m", "{pipeline}", "-m", "{blank}"), "--model once"),
        (("parse", "Go on!", "-m", "de"), "de_core_news_sm"),
        (("parse", "Go on!", "-m", "en_lal_xl"), "can't load"),
        (("complexity", "Go on!", "--lang", "xx"), "--lang: expected one of en, "),
        (
            ("parse", "Go on!", "-m", "{pipeline}", "--resume"),
            "--resume goes on with a",
        ),
        (
            ("roles", "Go on!", "-o", "x.gif"),
            "expected an ending of .txt, .json, .props,",
        ),
        (("train", __file__, "-o", "{blank}"), ""),
        (("evaluate",), "DEV.spacy"),
    ],
)
def test_errors_are_one_message_and_code_2(lal, pipeline, tmp_path, args, message):
    names = {
        "pipeline": pipeline,
        "blank": tmp_path / "blank",
        "damaged": tmp_path / "damaged",
    }
    spacy.blank("en").to_disk(names["blank"])
    spacy.load(pipeline).to_disk(names["damaged"])
    (names["damaged"] / "lal_parser" / "model").write_bytes(b"x")
    result = lal(*(arg.format(**names) for arg in args))
    assert result.exit_code == 2, result.output
    assert message in result.stderr and "Traceback" not in result.output


def test_the_default_is_the_bundled_pipeline(lal, pipeline, monkeypatch):
    assert DEFAULT_PIPELINE == "en_lal_md"
    monkeypatch.setattr(
        importlib.import_module("spacy_lal.cli.io"), "DEFAULT_PIPELINE", str(pipeline)
    )
    assert (
        lal("parse", "The old cat sleeps.").stdout
        == lal("parse", "The old cat sleeps.", "-m", pipeline).stdout
    )


def test_a_missing_torch_is_told_with_its_extra():
    message = "expected torch, which is missing: pip install 'spacy-lal[train]'"
    assert (
        reason(ModuleNotFoundError("No module named 'torch'", name="torch")) == message
    )
    assert (
        reason(ModuleNotFoundError("No module named 'other'", name="other"))
        == "No module named 'other'"
    )


def test_the_first_line_of_each_help_is_whole(lal):
    lines = lal("--help").stdout.splitlines()
    shown = lines[lines.index("Commands:") + 1 :]
    assert {line.split()[0] for line in shown} == set(COMMANDS) and not any(
        "..." in line for line in shown
    )


def test_a_short_option_means_one_thing():
    names = {}
    for name in COMMANDS:
        for param in get_command(lal_cli).commands[name].params:
            for short in (one for one in param.opts if len(one) == 2):
                names.setdefault(short, set()).add(param.name)
    assert [short for short, meanings in names.items() if len(meanings) > 1] == []


@pytest.mark.skipif(os.name == "nt", reason="of a shell")
@pytest.mark.parametrize(
    "arguments, closed",
    [
        ("parse", "<&-"),
        ("parse -", "<&-"),
        ("complexity -", "<&-"),
        ("evalb - gold.ptb", "<&-"),
        ("parse gold.ptb", ">&-"),
        ("complexity gold.ptb", ">&-"),
    ],
)
def test_a_closed_stream_is_said(tmp_path, arguments, closed):
    (tmp_path / "gold.ptb").write_text("(S (NN a))\n")
    command = f"{sys.executable} -m spacy lal {arguments} {closed}"
    ended = subprocess.run(
        command, shell=True, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert ended.returncode == 2
    assert "closed" in ended.stderr and "Traceback" not in ended.stderr


def test_version(lal):
    assert lal("--version").stdout == f"spacy-lal {version('spacy-lal')}\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signals")
@pytest.mark.parametrize(
    "number, to_group, n_process",
    [
        (signal.SIGINT, True, 2),
        pytest.param(signal.SIGTERM, False, 2, marks=pytest.mark.slow),
        (signal.SIGTERM, False, 1),
        pytest.param(signal.SIGINT, False, 2, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it_and_leaves_nothing(
    pipeline, tmp_path, number, to_group, n_process
):
    (tmp_path / "a.txt").write_text("The old cat sleeps.\n" * 100_000)
    command = [sys.executable, "-m", "spacy", "lal", "parse", "a.txt", "--lines"]
    command += ["-m", str(pipeline), "-n", str(n_process), "-b", "4", "-o", "out.ptb"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 600
    n_workers = n_process if n_process > 1 else 0
    while (
        not list(tmp_path.glob(".out.ptb.*"))
        or len(in_group(process.pid)) != 1 + n_workers
    ):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1)
    (os.killpg if to_group else os.kill)(process.pid, number)
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (128 + number, b"")
    assert in_group(process.pid) == []
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def in_group(group):
    """The living processes of a group."""
    listed = subprocess.run(
        ["ps", "-e", "-o", "pgid=,pid=,stat="], capture_output=True, text=True
    ).stdout.split("\n")
    rows = [line.split() for line in listed if line.strip()]
    return [pid for pgid, pid, stat in rows if pgid == str(group) and stat[0] != "Z"]
