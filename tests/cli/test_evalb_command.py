"""`python -m spacy lal evalb`, through the application."""

import gzip

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_lal.cli  # noqa: F401  (adds itself to spaCy's application)


@pytest.fixture
def run():
    return lambda *args: CliRunner().invoke(app, ["lal", "evalb", *map(str, args)])


@pytest.fixture
def files(tmp_path, data_dir):
    for name in ("v1.gld", "v1.tst", "v2.gld", "v2.tst"):
        (tmp_path / name).write_bytes(gzip.decompress((data_dir / "evalb" / f"{name}.gz").read_bytes()))
    return tmp_path


def golden(data_dir, name):
    return gzip.decompress((data_dir / "evalb" / f"{name}.gz").read_bytes()).decode()


def test_collins_is_the_default(run, files, data_dir):
    result = run(files / "v2.gld", files / "v2.tst")
    assert result.exit_code == 0
    assert result.stdout == golden(data_dir, "v2.COLLINS.out")
    assert result.stderr == ""


@pytest.mark.parametrize("param", ["nk", "file"])
def test_param(run, files, data_dir, param):
    path = data_dir / "evalb" / "nk.prm"
    result = run(files / "v1.gld", files / "v1.tst", "--param", path if param == "file" else param)
    assert result.exit_code == 0
    assert result.stdout == golden(data_dir, "v1.nk.out")
    assert result.stderr.startswith("2 : Length unmatch (38|39)\n")
    assert result.stderr.count("\n") == 15


def test_too_many_errors(run, files):
    result = run(files / "v1.gld", files / "v1.tst")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].startswith(" 168 ")
    assert result.stderr.count("unmatch") == 12
    assert "MAX_ERROR (10)" in result.stderr


@pytest.mark.parametrize(
    ("gold", "test", "message"),
    [
        ("(TOP (NN a))\n(TOP (NN a b))\n", "(TOP (NN a))\n(TOP (NN a))\n", "{gold}, line 2: expected a bracket"),
        ("(TOP (NN a))\n", "(TOP\n  (NN a))\n", "{test}, line 1: the line ends inside a bracket"),
        ("(TOP (NN a))\n", None, "Can't open test file ({test})"),
    ],
)
def test_bad_input(run, tmp_path, gold, test, message):
    paths = {"gold": tmp_path / "gold.ptb", "test": tmp_path / "test.ptb"}
    paths["gold"].write_text(gold)
    if test is not None:
        paths["test"].write_text(test)
    result = run(*paths.values())
    assert result.exit_code == 1
    assert message.format(**paths) in result.stderr
    assert "Traceback" not in result.output


def test_bad_param_file(run, files, tmp_path):
    result = run(files / "v2.gld", files / "v2.tst", "--param", tmp_path / "nowhere.prm")
    assert result.exit_code == 1
    assert "Can't open parameter file" in result.stderr


def test_bytes_that_are_no_utf8(run, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(b"(TOP (S (NN caf\xe9)))\r\n")
    result = run(tmp_path / "a", tmp_path / "b")
    assert result.exit_code == 0
    assert "   1    1    0  100.00 100.00" in result.stdout


def test_bytes_that_are_not_utf8_are_shown_as_they_are(run, tmp_path):
    (tmp_path / "trees.ptb").write_bytes("(S (NP (N ka\xf0r)) (V er))\n".encode("latin-1"))
    (tmp_path / "debug.prm").write_text("DEBUG 1\n")
    result = run(tmp_path / "trees.ptb", tmp_path / "trees.ptb", "--param", tmp_path / "debug.prm")
    assert result.exit_code == 0, result.exception
    assert b"ka\xf0r" in result.stdout_bytes
