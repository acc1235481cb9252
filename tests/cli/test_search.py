"""`lal search`: matches with file and line; grep's exit codes."""

import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

TREES = """# a treebank
(TOP (S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sleeps))
  (. .)))

(S (NP (-LRB- -LRB-) (NN mat)) (PP (IN on) (NP (NNP Mars))))
"""


@pytest.fixture
def trees(tmp_path):
    path = tmp_path / "trees.ptb"
    path.write_text(TREES, encoding="utf8")
    return path


def test_brackets(lal, trees):
    result = lal("search", "/^NP/ << NN", trees)
    assert result.exit_code == 0
    lines = [
        f"{trees}:2: (NP-SBJ (DT The) (NN cat))",
        f"{trees}:5: (NP (-LRB- -LRB-) (NN mat))",
    ]
    assert result.stdout.splitlines() == lines
    assert lal("search", '"(" . mat', trees).stdout == f"{trees}:5: -LRB-\n"


def test_count_of_several_files(lal, trees, gold_file):
    result = lal("search", "--count", "S", trees, gold_file)
    assert (result.exit_code, result.stdout) == (0, f"{trees}:2\n{gold_file}:3\n")


def test_docs(lal, gold_file):
    result = lal("search", "VP", gold_file)
    places = [line[: line.index(" ")] for line in result.stdout.splitlines()]
    assert places == [f"{gold_file}:{place}:" for place in ("1.1", "2.1", "2.2")]
    assert result.stdout.splitlines()[1].endswith(": (VP (VB Go) (PRT (RP on)))")


def test_text(lal, pipeline, tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("The old cat sleeps.\n\nGo on! He left.\n", encoding="utf8")
    result = lal("search", "cat|left", path, "-m", pipeline)
    assert (result.exit_code, result.stdout) == (0, f"{path}:1: cat\n{path}:3: left\n")
    result = lal("search", "sleeps", "--text", "The old cat sleeps.", "-m", pipeline)
    assert (result.exit_code, result.stdout) == (0, "<text>:1: sleeps\n")
    result = lal("search", "*", "-", "-m", pipeline, "--count", stdin=b"Go on!\n")
    assert result.exit_code == 0 and int(result.stdout) >= 7


def test_stdin_of_another_format(lal, trees, gold_file):
    result = lal(
        "search", "NN", "-", "--input-format", "brackets", stdin=trees.read_bytes()
    )
    assert result.stdout == "<stdin>:2: (NN cat)\n<stdin>:5: (NN mat)\n"
    result = lal(
        "search", "NN", "-", "--input-format", "docbin", stdin=gold_file.read_bytes()
    )
    assert result.stdout == "<stdin>:1.1: (NN cat)\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("NP <", "{trees}"), "PATTERN: expected a node"),
        (("NP", "nowhere.ptb"), "can't find the file 'nowhere.ptb'"),
        (("NP", "{bad}"), "bad.ptb:2: "),
        (("NP", "{bad}", "--input-format", "docbin"), "is no .spacy file"),
        (("NP", "{unparsed}"), "unparsed.spacy: Doc 1: the Doc has no constituents"),
        (("NP", "--text", "Go", "-m", "nowhere"), "can't load the pipeline 'nowhere'"),
    ],
)
def test_errors_have_exit_code_2(lal, trees, tmp_path, args, message):
    (tmp_path / "bad.ptb").write_text("(S (A a))\n(S (A a)\n", encoding="utf8")
    DocBin(docs=[Doc(Vocab(), words=["a"])]).to_disk(tmp_path / "unparsed.spacy")
    (tmp_path / "gold.conllu").write_text(
        "1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n", encoding="utf8"
    )
    files = {"bad": "bad.ptb", "unparsed": "unparsed.spacy", "columns": "gold.conllu"}
    names = {"trees": trees, **{name: tmp_path / file for name, file in files.items()}}
    result = lal("search", *(arg.format(**names) for arg in args))
    assert result.exit_code == 2
    assert message in result.stderr and "Traceback" not in result.output


def test_traces(lal, tmp_path):
    path = tmp_path / "wsj.mrg"
    path.write_text(
        "( (S (NP-SBJ (-NONE- *PRO*-1)) (VP (VB Go)) (. .)) )\n", encoding="utf8"
    )
    assert lal("search", '"-NONE-"', path).stdout == f"{path}:1: (-NONE- *PRO*-1)\n"
    assert lal("search", "/^[*]/", path).stdout == f"{path}:1: *PRO*-1\n"
    assert lal("search", "VP , NP-SBJ", path).stdout == f"{path}:1: (VP (VB Go))\n"
