"""`lal check`, `convert` and `add-trees`."""

import json
import os
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_lal.annotations import get_constituents, get_propositions
from spacy_lal.treebanks.corpora import _without_arcs
from spacy_lal.treebanks.docs import DOCBIN_ATTRS

from .conftest import gold_docs

TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"
TRAIN = [str(TOY / "train.ptb"), str(TOY / "train.conllu")]
ROW = "1\tgo\tgo\tVERB\tVB\t{feats}\t{head}\troot\t_\t_\n"
DOCUMENTS = "".join(
    ("# newdoc id = d\n" if number == 1 else "")
    + f"# sent_id = {name}{number}\n{ROW.format(feats='_', head=0)}\n"
    for name in "abc"
    for number in (1, 2)
)
CONLLU = """\
# sent_id = 1
1\tShe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\twent\t_\tVERB\tVBD\t_\t0\troot\t_\t_

"""
ROLES = {
    "sent_id": "1",
    "words": 2,
    "predicates": [
        {
            "token": 1,
            "lemma": "go",
            "roleset": "go.02",
            "args": [[0, 1, "ARG1"], [1, 2, "V"]],
        }
    ],
}
COLUMNS = (
    "#begin document (d); part 0\nd 0 0 Go VB (S(VP*)) go 02 - - * (V*) -\n#end "
    "document\n"
)


def read(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


# check


def test_check(lal):
    result = lal("check", *TRAIN)
    assert result.exit_code == 0
    for text in (
        "sentences                             79",
        "with one outside head",
        "S::VP",
        "nsubj",
    ):
        assert text in result.stdout
    assert (
        "and 5 more" in result.stdout
        and "more" not in lal("check", *TRAIN, "--top", 0).stdout
    )
    report = json.loads(lal("check", "--json", *TRAIN).stdout)
    assert report["sound"] and report["sentences"] == 79 and report["problems"] == []
    assert (
        "\narcs" not in lal("check", TRAIN[0]).stdout
        and "\narcs" in lal("check", TRAIN[1]).stdout
    )


def test_check_exits_with_1_for_problems(lal, tmp_path):
    result = lal(
        "check", TOY / "train.ptb", TOY / "dev.conllu", "-o", tmp_path / "report.txt"
    )
    assert result.exit_code == 1 and result.stdout == ""
    assert f"{TOY / 'train.ptb'}:1" in result.stderr and "... and" in result.stderr
    assert "disagreements" in (tmp_path / "report.txt").read_text()
    (tmp_path / "x.conllu").write_text("x\n\n" * 5000, encoding="utf-8")
    result = lal("check", tmp_path / "x.conllu", "--json")
    report = json.loads(result.stdout)
    assert (
        result.exit_code == 1
        and report["n_problems"] == 5000
        and len(report["problems"]) == 1000
    )
    assert "... and 4980 more" in result.stderr


def test_labels_are_no_terminal_escapes(lal, tmp_path):
    (tmp_path / "x.ptb").write_text("(\x1b[2J (NN go))\n", encoding="utf-8")
    result = lal("check", tmp_path / "x.ptb")
    assert "\x1b" not in result.output and "'\\x1b[2J'" in result.output


# convert


def test_convert(lal, tmp_path):
    path = tmp_path / "new" / "train.spacy"
    result = lal("convert", *TRAIN, "-o", path)
    assert (
        result.exit_code == 0
        and result.stderr == f"Wrote {path}: 79 Docs, 79 sentences, 623 tokens\n"
    )
    assert len(read(path)) == 79
    assert (
        "8 Docs, 79 sentences, 623 tokens"
        in lal("convert", *TRAIN, "-o", path, "--n-sents", 10).stderr
    )
    assert [len(list(doc.sents)) for doc in read(path)] == [10] * 7 + [9]
    assert all(len(doc.spans["constituents"]) for doc in read(path))
    assert all(
        len(doc.user_data["sent_ids"]) == len(list(doc.sents)) for doc in read(path)
    )
    lal("convert", TRAIN[0], "-o", path)
    assert not read(path)[0].has_annotation("DEP") and not read(path)[0].user_data
    lal("convert", TRAIN[1], "-o", path)
    assert "constituents" not in read(path)[0].spans


@pytest.mark.parametrize(
    "options, documents",
    [
        ((), [["a1"], ["a2"], ["b1"], ["b2"], ["c1"], ["c2"]]),
        (("--by-document",), [["a1", "a2"], ["b1", "b2"], ["c1", "c2"]]),
        (("-d", "--n-sents", 1), [["a1"], ["a2"], ["b1"], ["b2"], ["c1"], ["c2"]]),
        (("--n-sents", 3), [["a1", "a2", "b1"], ["b2", "c1", "c2"]]),
        (("-d", "-x", "^b1$"), [["a1", "a2"], ["b2"], ["c1", "c2"]]),
        (("-d", "-x", "^a1|b2|c1"), [["a2"], ["b1"], ["c2"]]),
        (("-d", "-x", "^[abc]2$"), [["a1"], ["b1"], ["c1"]]),
    ],
)
@pytest.mark.parametrize(
    "comment, option",
    [("newdoc", "-d"), ("newpar", "--by-paragraph"), ("newdoc", "--by-paragraph")],
)
def test_documents(lal, tmp_path, options, documents, comment, option):
    """Documents and paragraphs survive the exclusion of their first sentence."""
    (tmp_path / "x.conllu").write_text(
        DOCUMENTS.replace("newdoc", comment), encoding="utf-8"
    )
    options = [option if one in ("-d", "--by-document") else one for one in options]
    result = lal("convert", tmp_path / "x.conllu", "-o", tmp_path / "x.spacy", *options)
    assert result.exit_code == 0 and (
        "-x" not in options or "sentences left out" in result.stderr
    )
    assert [
        list(doc.user_data["sent_ids"]) for doc in read(tmp_path / "x.spacy")
    ] == documents


def test_convert_writes_nothing_after_an_error(lal, tmp_path):
    for args, message in (
        ((*TRAIN, "-x", "("), "is no regular expression"),
        ((*TRAIN, "-x", "."), "no sentences"),
        ((TRAIN[0], TOY / "dev.conllu"), f"{TRAIN[0]}:1"),
    ):
        result = lal("convert", *args, "-o", tmp_path / "x.spacy")
        assert (
            result.exit_code == 2
            and message in result.stderr
            and not (tmp_path / "x.spacy").exists()
        )
    copy = tmp_path / "copy.ptb"
    copy.write_bytes(Path(TRAIN[0]).read_bytes())
    assert lal("convert", copy, "-o", copy).exit_code == 2 and copy.stat().st_size > 100


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        (
            "x.conllu",
            "# c\n" + ROW.format(feats="a|b", head=0),
            ":2: expected FEATS as Name=Value pairs",
        ),
        (
            "x.conllu",
            ROW.format(feats="_", head="9" * 5000),
            ":1: expected a whole number",
        ),
        ("x.conllu", "\n", ":1: no sentences"),
        ("x.ptb", "", ":1: no sentences"),
        ("x.ptb", "(ROOT (NP (NN rain))\n", ":1: "),
        ("x.ptb", "(NN a)\n(S (NN b) (NN -EMPTY-))\n", ":2: word 2 is empty"),
        ("x.ptb", "(NN \x1b[2J" + "a" * 5000 + " " + "b" * 5000, ":1: "),
        (
            "x",
            "\x1b[2J" + "a" * 5000,
            ":1: expected a bracketed tree or a line of CoNLL-U",
        ),
        ("x", "(NN \0)", ":1: expected text, got a NUL character"),
        ("pipe.ptb", None, ": is no file"),
        ("folder", "", ": is no file"),
        ("gone.ptb", "", ": no such file"),
    ],
)
def test_files_that_are_no_treebank(lal, tmp_path, name, content, reason):
    """Neither command hangs, accepts the file, or says more than is fit for a
    terminal."""
    path = tmp_path / name
    if content is None:
        os.mkfifo(path)
    elif name == "folder":
        path.mkdir()
    elif name != "gone.ptb":
        path.write_text(content, encoding="utf-8")
    for args in (("check", path), ("convert", path, "-o", tmp_path / "out.spacy")):
        result = lal(*args)
        assert (
            result.exit_code in ((1, 2) if args[0] == "check" else (2,))
            and f"{path}{reason}" in result.stderr
        )
        assert len(result.stderr) < 1000 and result.stderr.rstrip("\n").isprintable()
        assert not (tmp_path / "out.spacy").exists()


@pytest.mark.parametrize("name", ["x.ptb", "x.conllu", "x.srl.jsonl", "x"])
def test_check_refuses_what_is_no_text(lal, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\x1f\x8b\x08")
    result = lal("check", path)
    assert result.exit_code in (1, 2)
    assert f"{path}: expected text in UTF-8, got compressed data" in result.stderr
    path.write_bytes(bytes(range(256)))
    assert lal("check", path).exit_code in (1, 2)


# Roles


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.conllu").write_text(CONLLU)
    (tmp_path / "x.srl.jsonl").write_text(json.dumps(ROLES) + "\n")
    (tmp_path / "x_gold_conll").write_text(COLUMNS)
    return tmp_path


def test_convert_roles(lal, folder):
    output = folder / "x.spacy"
    for files in (
        (folder / "x.conllu", folder / "x.srl.jsonl"),
        (folder / "x_gold_conll",),
    ):
        assert lal("convert", *files, "-o", output).exit_code == 0
        (doc,) = read(output)
        assert [one.roleset for one in get_propositions(doc)] == ["go.02"]
    assert get_constituents(doc) == [[(0, 1, "S::VP")]] and list(
        doc.user_data["sent_ids"]
    ) == ["d/0-1"]
    assert (
        "roles have no words"
        in lal("convert", folder / "x.srl.jsonl", "-o", output).stderr
    )


# complete


def write(path, *, heads=True, constituents=True):
    """The gold Docs without one of the two kinds of tree."""
    docs = []
    for gold in gold_docs(Vocab()):
        doc = gold if heads else _without_arcs(gold)
        if not constituents:
            del doc.spans["constituents"]
        doc.user_data["sent_ids"] = [f"cat-{i}" for i, _ in enumerate(gold.sents)]
        docs.append(doc)
    DocBin(attrs=DOCBIN_ATTRS, docs=docs, store_user_data=True).to_disk(path)
    return path


def test_complete(lal, pipeline, gold_file, tmp_path):
    both = tmp_path / "both.spacy"
    trees = write(tmp_path / "trees.spacy", heads=False)
    result = lal("add-trees", "-m", pipeline, trees, "-o", both)
    assert "2 Docs; 2 got heads, 0 got constituents" in result.stderr
    for old, new in zip(read(trees), read(both), strict=True):
        assert new.has_annotation("DEP") and not old.has_annotation("DEP")
        assert get_constituents(new) == get_constituents(old)
        assert new.user_data["sent_ids"] == old.user_data["sent_ids"]
    heads = write(tmp_path / "heads.spacy", constituents=False)
    result = lal("add-trees", "-m", pipeline, heads, "-o", both)
    assert "0 got heads, 2 got constituents" in result.stderr
    for old, new in zip(read(heads), read(both), strict=True):
        assert [token.head.i for token in new] == [token.head.i for token in old]
        assert new.spans["constituents"]
    assert (
        "2 Docs; 0 got heads, 0 got constituents"
        in lal("add-trees", "-m", pipeline, gold_file, "-o", both).stderr
    )
    assert lal("add-trees", "-m", pipeline, heads, "-o", heads).exit_code == 2
