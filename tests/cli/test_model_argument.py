"""The pipeline is given by --model everywhere, with the bundled one as default; the former, positional forms work."""

import importlib
import inspect
import json
import shutil

import pytest
import spacy
import typer
from typer.main import get_command

from spacy_lal.cli import lal_cli
from spacy_lal.cli.inputs import Source, parse_source, text_or_file
from spacy_lal.cli.options import is_pipeline, model_and_words
from spacy_lal.lang import DEFAULT_PIPELINE

TEXT = "The old cat sleeps."
DEFAULT_MODULES = ("options", "inputs", "pipelines", "compact")


@pytest.fixture
def default(pipeline, monkeypatch):
    """The small pipeline stands in for the bundled one."""
    for name in DEFAULT_MODULES:
        monkeypatch.setattr(importlib.import_module(f"spacy_lal.cli.{name}"), "DEFAULT_PIPELINE", str(pipeline))
    return pipeline


def test_default_is_the_bundled_pipeline():
    assert DEFAULT_PIPELINE == "en_lal_md"
    assert parse_source(None, [], TEXT) == ("en_lal_md", "-", TEXT)
    assert model_and_words(None, ["dev.spacy"], "DEV.spacy") == ("en_lal_md", ["dev.spacy"])


def test_every_command_takes_the_same_option():
    """-m and --model are one, optional option, wherever a pipeline is run; -m has no other meaning elsewhere."""
    found = set()
    for name, command in get_command(lal_cli).commands.items():
        options = {option: param for param in command.params for option in param.opts}
        if "-m" in options or "--model" in options:
            found.add(name)
            assert options["--model"] is options["-m"] and not options["--model"].required
            default = "no default" if name == "compact" else f"[default: {DEFAULT_PIPELINE}]"
            assert default in options["--model"].help, name
    assert found >= {"parse", "explain", "app", "label-heads", "heads", "evaluate", "complete", "compact"}


def test_parse(lal, default, tmp_path):
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    former = lal("parse", default, "--text", TEXT)
    assert former.exit_code == 0 and former.stdout.startswith("(")
    for args in (
        ("--text", TEXT),
        ("-m", default, "--text", TEXT),
        (file,),
        ("-m", default, file),
        (file, "--model", default),
        (default, file),
    ):
        result = lal("parse", *args)
        assert (result.exit_code, result.stdout) == (0, former.stdout), args
    for args in ((), ("-",), (default,), (default, "-"), ("-m", default), ("-m", default, "-")):
        result = lal("parse", *args, stdin=TEXT.encode())
        assert (result.exit_code, result.stdout) == (0, former.stdout), args


def test_folder_with_the_default(lal, default, tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text(TEXT)
    outputs = []
    for i, args in enumerate(((tmp_path / "texts",), (default, tmp_path / "texts"))):
        result = lal("parse", *args, "--engine", "local", "-o", tmp_path / f"out{i}")
        assert result.exit_code == 0, result.stderr
        outputs.append((tmp_path / f"out{i}" / "a.txt.parquet").read_bytes())
    assert outputs[0] == outputs[1]


def test_other_commands(lal, default, gold_file, tmp_path):
    for name, output in (("label-heads", "r.json"), ("evaluate", "s.json")):
        records = []
        for args in ((gold_file,), (default, gold_file), ("--model", default, gold_file)):
            result = lal(name, *args, "-o", tmp_path / output)
            assert result.exit_code == 0, result.stderr
            records.append(json.loads((tmp_path / output).read_text()))
            records[-1].pop("sents_per_s", None)
        assert [sorted(record) for record in records] == [sorted(records[0])] * 3
        assert records[0]["n_sents" if name == "evaluate" else "n_sentences"] == 3
    out = tmp_path / "out.spacy"
    for args in ((gold_file, out), (default, gold_file, out), (gold_file, "-m", default, out)):
        assert lal("complete", *args).exit_code == 0
        assert out.stat().st_size
        out.unlink()
    assert lal("explain", TEXT).stdout == lal("explain", TEXT, "-m", default).stdout != ""


def test_compact_alone_has_no_default(lal, default, tmp_path):
    result = lal("compact", tmp_path / "out")
    assert result.exit_code == 2 and "expected a pipeline, such as --model" in result.stderr
    assert not (tmp_path / "out").exists()
    for i, args in enumerate(((default, tmp_path / "0"), ("-m", default, tmp_path / "1"))):
        assert lal("compact", *args).exit_code == 0
        assert spacy.load(tmp_path / str(i)).pipe_names == ["sentencizer", "tagger", "lal_parser"]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("parse", "-m", "{pipeline}", "a", "b"), 2, "expected FILE, got a b (the pipeline is given by --model)"),
        (("parse", "a", "b", "c"), 2, "expected FILE, got a b c"),
        (("parse", "-m", "{pipeline}", "a", "--text", TEXT), 1, "expected one of FILE and --text, got both: a"),
        (("explain", "a", "--text", TEXT), 1, "expected one of FILE and --text, got both: a"),
        (("explain",), 2, "expected a FILE (- for stdin), or --text and a text, got neither"),
        (("parse", "{file}", "--text", TEXT), 1, "expected one of FILE and --text, got both"),
        (("parse", "nowhere", "--text", TEXT), 1, "can't load the pipeline 'nowhere'"),
        (("parse", "-m", "nowhere", "--text", TEXT), 1, "can't load the pipeline 'nowhere'"),
        (("evaluate",), 2, "DEV.spacy"),
        (("evaluate", "{pipeline}"), 1, "is a pipeline, which needs a file beside it"),
        (("label-heads", "-m", "{pipeline}", "a", "b"), 2, "expected DEV.spacy, got a b"),
        (("complete", "a"), 2, "expected IN.spacy OUT, got a"),
        (("complete", "{pipeline}", "nowhere.spacy", "out"), 1, "can't find the file nowhere.spacy"),
        (("app", "-m", "x", "y"), 2, "expected options alone, got y"),
    ],
)
def test_bad_calls(lal, pipeline, gold_file, args, code, message):
    result = lal(*(arg.format(pipeline=pipeline, file=gold_file) for arg in args))
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split())


def test_a_name_that_could_be_both(pipeline, tmp_path, monkeypatch, capsys):
    """A file with the name of an installed pipeline: the command says how to name each."""
    package = tmp_path / "xx_small"
    shutil.copytree(pipeline, package / "xx_small-0.0.0")
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert is_pipeline("xx_small") and is_pipeline(str(pipeline)) and not is_pipeline(str(tmp_path))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    assert parse_source(None, ["xx_small"], None) == ("xx_small", "-", None)
    (work / "xx_small").write_text(TEXT)
    with pytest.raises(typer.Exit):
        parse_source(None, ["xx_small"], None)
    assert "both a pipeline and a file: say --model xx_small, or ./xx_small" in capsys.readouterr().err
    assert parse_source(None, ["./xx_small"], None) == (DEFAULT_PIPELINE, "./xx_small", None)
    assert parse_source("other", ["xx_small"], None) == ("other", "xx_small", None)


def test_very_long_and_odd_names():
    for name in ("a" * 5000, "a\0b", "", "é" * 4000):
        assert not is_pipeline(name)
        assert parse_source(None, [name], None).name == name
    for text in ("a" * 200_000, "/" * 100_000):
        assert text_or_file(text, None) == Source(DEFAULT_PIPELINE, "-", text)


def test_usage_shows_arguments_as_declared(lal):
    for name, usage in (
        ("parse", "[OPTIONS] [FILE|-|FOLDER]"),
        ("complete", "[OPTIONS] IN.spacy OUT"),
        ("compact", "[OPTIONS] [MODEL] OUT"),
        ("convert", "[OPTIONS] FILE... OUT"),
        ("app", "[OPTIONS]"),
    ):
        assert lal(name, "--help").stdout.splitlines()[0].endswith(f"lal {name} {usage}")


@pytest.mark.parametrize("typo, meant", [("prase", "parse"), ("evalute", "evaluate"), ("label-head", "label-heads")])
def test_typo_in_a_command(lal, typo, meant):
    result = lal(typo)
    assert result.exit_code == 2 and meant in result.stderr


def test_typo_in_an_option(lal):
    for name, typo, meant in (("parse", "--formt", "--format"), ("evaluate", "--modle", "--model")):
        result = lal(name, typo, "x")
        assert result.exit_code == 2 and meant in result.stderr


def test_every_command_has_a_help_text():
    for command in get_command(lal_cli).commands.values():
        for param in command.params:
            assert getattr(param, "help", None), f"{command.name} {param.name}"
        assert inspect.cleandoc(command.help)
