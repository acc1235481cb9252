"""`spacy lal check` and `spacy lal convert`, as a user calls them."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_lal.cli import lal_cli

TOY = Path(__file__).resolve().parent.parent / "assets" / "toy"
TRAIN = [str(TOY / "train.ptb"), str(TOY / "train.conllu")]


def run(*args):
    return CliRunner().invoke(lal_cli, [str(arg) for arg in args])


def read(path):
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def test_check_reports():
    result = run("check", *TRAIN)
    assert result.exit_code == 0
    for text in [
        "sentences                             79",
        "one outside head                  99.7",
        "S::VP",
        "nsubj",
    ]:
        assert text in result.stdout
    assert "and 5 more" in result.stdout and "more" not in run("check", *TRAIN, "--top", 0).stdout


def test_check_json():
    result = run("check", "--json", *TRAIN)
    report = json.loads(result.stdout)
    assert report["sound"] and report["sentences"] == 79 and report["problems"] == []
    assert report["labels"]["NP"] > report["labels"]["S"]
    assert sum(report["lengths"]["histogram"].values()) == 79


@pytest.mark.parametrize("name", ["train.ptb", "train.conllu"])
def test_check_of_one_file(name):
    result = run("check", TOY / name)
    assert result.exit_code == 0
    assert "79" in result.stdout
    assert ("arcs" in result.stdout) == (name == "train.conllu")


def test_check_of_files_that_disagree():
    result = run("check", TOY / "train.ptb", TOY / "dev.conllu")
    assert result.exit_code == 1
    assert f"{TOY / 'train.ptb'}:1" in result.stderr
    assert "... and" in result.stderr
    assert "disagreements" in result.stdout
    result = run("check", "--json", TOY / "train.ptb", TOY / "dev.conllu")
    assert result.exit_code == 1 and len(json.loads(result.stdout)["problems"]) > 20


def test_check_of_malformed_files(tmp_path):
    (tmp_path / "x.ptb").write_text("(ROOT (NP (NN rain))\n", encoding="utf-8")
    result = run("check", tmp_path / "x.ptb")
    assert result.exit_code == 1 and f"{tmp_path / 'x.ptb'}:1: " in result.stderr
    result = run("check", tmp_path / "gone.ptb")
    assert result.exit_code == 1 and "no such file" in result.stderr


def test_convert(tmp_path):
    path = tmp_path / "new" / "train.spacy"
    result = run("convert", *TRAIN, path)
    assert result.exit_code == 0
    assert "79 Docs, 79 sentences, 623 tokens" in result.stderr
    assert len(read(path)) == 79
    result = run("convert", *TRAIN, path, "--n-sents", 10)
    assert "8 Docs, 79 sentences, 623 tokens" in result.stderr
    assert [len(list(doc.sents)) for doc in read(path)] == [10] * 7 + [9]
    assert all(len(doc.spans["constituents"]) for doc in read(path))
    assert all(len(doc.user_data["sent_ids"]) == len(list(doc.sents)) for doc in read(path))


def test_convert_one_file(tmp_path):
    assert run("convert", TRAIN[0], tmp_path / "trees.spacy").exit_code == 0
    assert run("convert", TRAIN[1], tmp_path / "arcs.spacy").exit_code == 0
    assert not read(tmp_path / "trees.spacy")[0].has_annotation("DEP")
    assert not read(tmp_path / "trees.spacy")[0].user_data
    assert "constituents" not in read(tmp_path / "arcs.spacy")[0].spans


def test_convert_leaves_out_what_is_excluded(tmp_path):
    result = run("convert", *TRAIN, tmp_path / "x.spacy", "--exclude", "-(0[1-9]|7.)$")
    assert "60 Docs" in result.stderr and "19 sentences left out" in result.stderr
    assert read(tmp_path / "x.spacy")[0].text.startswith("There") is False
    result = run("convert", *TRAIN, tmp_path / "x.spacy", "--exclude", "(")
    assert result.exit_code == 1 and "regular expression" in result.stderr
    result = run("convert", *TRAIN, tmp_path / "none.spacy", "--exclude", ".")
    assert result.exit_code == 1 and "no sentences" in result.stderr


ROW = "1\tgo\tgo\tVERB\tVB\t{feats}\t{head}\troot\t_\t_\n"
DOCUMENTS = "".join(
    ("# newdoc id = d\n" if number == 1 else "") + f"# sent_id = {name}{number}\n{ROW.format(feats='_', head=0)}\n"
    for name in "abc"
    for number in (1, 2)
)


@pytest.mark.parametrize(
    "excluded, documents",
    [
        ("^b1$", [["a1", "a2"], ["b2"], ["c1", "c2"]]),
        ("^b", [["a1", "a2"], ["c1", "c2"]]),
        ("^a1|b2|c1", [["a2"], ["b1"], ["c2"]]),
        ("^[abc]2$", [["a1"], ["b1"], ["c1"]]),
    ],
)
def test_documents_survive_the_exclusion_of_their_first_sentence(tmp_path, excluded, documents):
    (tmp_path / "x.conllu").write_text(DOCUMENTS, encoding="utf-8")
    result = run("convert", tmp_path / "x.conllu", tmp_path / "x.spacy", "--by-document", "-n", 0, "-x", excluded)
    assert result.exit_code == 0, result.stderr
    assert [list(doc.user_data["sent_ids"]) for doc in read(tmp_path / "x.spacy")] == documents


@pytest.mark.parametrize(
    "options, documents",
    [
        ((), [["a1"], ["a2"], ["b1"], ["b2"], ["c1"], ["c2"]]),
        (("--by-document",), [["a1", "a2"], ["b1", "b2"], ["c1", "c2"]]),
        (("-d", "-n", 1), [["a1"], ["a2"], ["b1"], ["b2"], ["c1"], ["c2"]]),
        (("-n", 3), [["a1", "a2", "b1"], ["b2", "c1", "c2"]]),
    ],
)
def test_convert_by_document(tmp_path, options, documents):
    (tmp_path / "x.conllu").write_text(DOCUMENTS, encoding="utf-8")
    assert run("convert", tmp_path / "x.conllu", tmp_path / "x.spacy", *options).exit_code == 0
    assert [list(doc.user_data["sent_ids"]) for doc in read(tmp_path / "x.spacy")] == documents


def test_convert_to_a_folder(tmp_path):
    assert run("convert", *TRAIN, tmp_path / "folder").exit_code == 0
    assert len(read(tmp_path / "folder" / "0000.spacy")) == 79


def test_convert_writes_nothing_where_files_disagree(tmp_path):
    path = tmp_path / "x.spacy"
    result = run("convert", TOY / "train.ptb", TOY / "dev.conllu", path)
    assert result.exit_code == 1
    assert f"{TOY / 'train.ptb'}:1" in result.stderr and "dev.conllu:" in result.stderr
    assert "Traceback" not in result.output
    assert not path.exists()


def test_convert_with_the_output_forgotten():
    result = run("convert", *TRAIN)
    assert result.exit_code == 1
    assert "the last argument" in result.stderr


# Files that are no treebank


def assert_both_refuse(reason, *paths):
    """Neither command hangs, accepts the files, or says more than is fit for a terminal."""
    for arguments in [("check", *paths), ("convert", *paths, paths[0].parent / "out.spacy")]:
        result = run(*arguments)
        assert result.exit_code == 1 and reason in result.stderr, result.output
        assert len(result.stderr) < 1000 and result.stderr.rstrip("\n").isprintable()
        assert not (paths[0].parent / "out.spacy").exists()


def test_what_is_no_file_is_called_what_it_is(tmp_path):
    folder, pipe, link = (tmp_path / name for name in ("folder.ptb", "pipe.conllu", "link.ptb"))
    folder.mkdir()
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "nowhere")
    assert_both_refuse(f"{folder}: is a directory, expected a file", folder)
    assert_both_refuse(f"{pipe}: is a pipe, expected a file", pipe)
    assert_both_refuse(f"{link}: a link to what does not exist", link)
    assert_both_refuse(f"{tmp_path / 'gone.ptb'}: no such file", tmp_path / "gone.ptb")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(tmp_path / "s.ptb"))
        assert_both_refuse(f"{tmp_path / 's.ptb'}: is a socket", tmp_path / "s.ptb")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.conllu", "# c\n" + ROW.format(feats="a|b", head=0), ":2: expected FEATS as Name=Value pairs"),
        ("x.conllu", ROW.format(feats="_", head="9" * 5000), ":1: expected a whole number"),
        ("x.conllu", "9" * 5000 + "\t_" * 9, ":1: expected a word number"),
        ("x.conllu", "\n", ":1: no sentences"),
        ("x.ptb", "", ":1: no sentences"),
        ("x.ptb", "(NN a)\n(NN -U+0020-)\n", ":2: word 1 is empty, or nothing but white space"),
        ("x.ptb", "(NN a)\n(S (NN b) (NN -EMPTY-))\n", ":2: word 2 is empty"),
        ("x.ptb", "(NN \x1b[2J" + "a" * 5000 + " " + "b" * 5000, ":1: "),
        ("x", "\x1b[2J" + "a" * 5000, ":1: expected a bracketed tree or a line of CoNLL-U"),
        ("x", "(NN \0)", ":1: expected text, got a NUL character"),
    ],
)
def test_check_refuses_what_convert_refuses(tmp_path, name, content, reason):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert_both_refuse(f"{path}{reason}", path)


def test_words_of_thousands_of_characters_that_differ(tmp_path):
    (tmp_path / "x.ptb").write_text("(NN " + "a" * 5000 + ")\n", encoding="utf-8")
    (tmp_path / "x.conllu").write_text(ROW.format(feats="_", head=0).replace("go", "\u202e" * 5000), encoding="utf-8")
    assert_both_refuse("word 1 is 'aaa", tmp_path / "x.ptb", tmp_path / "x.conllu")


def test_labels_are_no_terminal_escapes(tmp_path):
    (tmp_path / "x.ptb").write_text("(\x1b[2J (NN go))\n", encoding="utf-8")
    result = run("check", tmp_path / "x.ptb")
    assert result.exit_code == 0
    assert "\x1b" not in result.output and "'\\x1b[2J'" in result.output


def test_of_thousands_of_problems_the_first_are_kept(tmp_path):
    (tmp_path / "x.conllu").write_text("x\n\n" * 5000, encoding="utf-8")
    result = run("check", tmp_path / "x.conllu", "--json")
    report = json.loads(result.stdout)
    assert result.exit_code == 1 and not report["sound"]
    assert report["n_problems"] == 5000 and len(report["problems"]) == 1000
    assert "... and 4980 more" in result.stderr


RUN_ALL = """
import json, resource, sys
from typer.testing import CliRunner
from spacy_lal.cli import lal_cli
from spacy_lal.treebanks import docs, report  # what is imported is not what the file takes
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 300 * 2**20,) * 2)
results = []
for path in sys.argv[2:]:
    for arguments in (["check", path], ["convert", path, sys.argv[1]]):
        result = CliRunner().invoke(lal_cli, arguments)
        results.append([path, result.exit_code, result.stderr])
print(json.dumps(results))
"""


def test_a_tree_of_100_megabytes_ends_in_an_error_and_takes_little_memory(tmp_path):
    expected = {
        "line.ptb": (b"(NP (DT the) ", "expected a line of at most 10,000,000 bytes"),
        "open": (b"(NP (DT the)\n", "expected a tree of at most 200,000 brackets"),
        "line.conllu": (b"1\t", "expected a line of at most 10,000,000 bytes"),
        "long.conllu": (b"# a comment\n", "expected a sentence of at most 200,000 lines"),
    }
    for name, (piece, _) in expected.items():
        with (tmp_path / name).open("wb") as file:
            for _ in range(100):
                file.write(piece * (10**6 // len(piece)))
    paths = [str(tmp_path / name) for name in expected]
    command = [sys.executable, "-c", RUN_ALL, str(tmp_path / "out.spacy"), *paths]
    results = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert len(results) == 2 * len(expected)
    for path, code, stderr in results:
        assert code == 1 and len(stderr) < 1000
        assert f"{path}:1: {expected[Path(path).name][1]}" in stderr
