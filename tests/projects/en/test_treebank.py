"""What the builders share: sources are unpacked, trees put right, and nothing is
written that is not expected."""

import runpy
import sys
from pathlib import Path

import pytest
from small_sources import columns, pack

from spacy_lal.trees import format_conllu, parse_tree, read_conllu, write_brackets

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "en" / "scripts"
FILES = {
    "trees/a.ptb": "(X (NN a))\n",
    "trees/old/b.ptb": "(X (NN b))\n",
    "README.md": "not asked for\n",
}
OWLS = columns(
    """
    # sent_id = owls-1
    # text = Owls hoot
    1 Owls owl NOUN NNS _ 2 nsubj _ _
    2 hoot hoot VERB VBP _ 0 root _ _
    """
)


@pytest.fixture
def treebank(script):
    return script("treebank")


@pytest.fixture
def owls():
    return next(read_conllu(OWLS.split("\n")))


def test_an_archive_cannot_write_elsewhere(treebank, tmp_path: Path):
    path = pack(
        tmp_path / "source.tar.gz", {**FILES, "trees/../../../outside.txt": "x"}
    )
    with treebank.unpacked(path, "trees") as folder:
        assert not list(folder.parent.parent.glob("outside.txt"))
        assert not list(folder.parent.glob("*.txt"))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(S (NP (NP (PRP it))) (VP (VBZ is)))", "(S (NP (PRP it)) (VP (VBZ is)))"),
        ("(NP (NP (NP (NN a))))", "(NP (NN a))"),
        ("(NP (NP (NN a)) (NN b))", "(NP (NP (NN a)) (NN b))"),
        ("(S (VP (S (VB go))))", "(S (VP (S (VB go))))"),
        ("(X (X a))", "(X (X a))"),  # the inner X is a tag
    ],
)
def test_without_doubles(treebank, text: str, expected: str):
    assert write_brackets(treebank.without_doubles(parse_tree(text))) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "(NP (NML (NN night) (NN owl)) (NN song))",
            "(NP (NN night) (NN owl) (NN song))",
        ),
        (
            "(NP (NML (NML (NN a)) (CC and) (NML (NN b))) (NN c))",
            "(NP (NN a) (CC and) (NN b) (NN c))",
        ),
        ("(NP (NML (NP (NN a) (POS 's)) (NN b)))", "(NP (NP (NN a) (POS 's)) (NN b))"),
    ],
)
def test_without_label(treebank, text: str, expected: str):
    assert write_brackets(treebank.without_label(parse_tree(text), "NML")) == expected


def saved(treebank, tree: str, conllu: str, output: Path, flat: bool = True) -> None:
    sentences = [treebank.Sentence(parse_tree(tree, strip_root=False), conllu)]
    treebank.save("birds", {"dev": sentences}, output, flat=flat)


def test_files_are_written_if_they_are_as_expected(
    treebank, expect, tmp_path: Path, capsys
):
    files = {
        "dev.ptb": "(ROOT (NP (NML (NN Owls)) (NN hoot)))\n",
        "dev.nonml.ptb": "(ROOT (NP (NN Owls) (NN hoot)))\n",
        "dev.conllu": OWLS,
    }
    expect("birds", files)
    tree = "(TOP (NP (NP (NML (NN Owls)) (NN hoot))))"
    saved(treebank, tree, OWLS, tmp_path / "new" / "folder")
    assert {
        path.name: path.read_text("utf8")
        for path in (tmp_path / "new" / "folder").iterdir()
    } == files
    assert "dev.conllu: as expected" in capsys.readouterr().out
    saved(treebank, tree, OWLS, tmp_path / "trees only", flat=False)
    assert {path.name for path in (tmp_path / "trees only").iterdir()} == {
        "dev.ptb",
        "dev.conllu",
    }


def test_nothing_is_written_if_a_file_is_not_as_expected(
    treebank, expect, tmp_path: Path
):
    expect(
        "birds",
        {"dev.ptb": "(ROOT (NP (NN Owls) (NN hoot)))\n", "dev.conllu": OWLS + "\n"},
    )
    with pytest.raises(treebank.ChecksumError) as caught:
        saved(treebank, "(TOP (NP (NN Owls) (NN hoot)))", OWLS, tmp_path / "out")
    message = str(caught.value)
    assert "birds/dev.conllu: expected sha256" in message
    assert (
        "birds/dev.nonml.ptb: expected sha256 of a file that is not listed, got"
        in message
    )
    assert "birds/dev.ptb" not in message
    assert not (tmp_path / "out").exists()


def test_brackets_and_backslashes_survive(treebank, expect, tmp_path: Path, owls):
    owls.words = ["(owls]", "hoot\\"]
    expected = "(ROOT (NP (NN -LRB-owls-RSB-) (NN hoot\\ )))\n"
    expect("birds", {"dev.ptb": expected, "dev.conllu": format_conllu(owls)})
    saved(
        treebank,
        "(TOP (NP (NN -LRB-owls-RSB-) (NN hoot\\)))",
        format_conllu(owls),
        tmp_path,
        flat=False,
    )
    assert (tmp_path / "dev.ptb").read_text("utf8") == expected


@pytest.mark.parametrize(
    "name, n_sources", [("build_ewt", 3), ("build_gum", 1), ("build_craft", 1)]
)
def test_programs_end_with_a_message(
    name: str, n_sources: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    sources = [
        str(pack(tmp_path / f"source{i}.tar.gz", FILES)) for i in range(n_sources)
    ]
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.setattr(
        sys, "argv", [f"scripts/{name}.py", *sources, str(tmp_path / "out")]
    )
    with pytest.raises(
        SystemExit,
        match=(
            rf"^{name}.py: .*source0.tar.gz: expected .*is this the right repository\?$"
        ),
    ):
        runpy.run_path(str(SCRIPTS / f"{name}.py"), run_name="__main__")
    assert not (tmp_path / "out").exists()


def test_a_test_set_needs_no_checksum(treebank, expect, tmp_path: Path):
    expect("birds", {"dev.ptb": "expected"})
    treebank.save_files("birds", {"test.ptb": b"(X (NN a))"}, tmp_path / "out")
    assert (tmp_path / "out" / "test.ptb").read_bytes() == b"(X (NN a))"
    with pytest.raises(treebank.ChecksumError):
        treebank.save_files("birds", {"dev.ptb": b"other"}, tmp_path / "out")
