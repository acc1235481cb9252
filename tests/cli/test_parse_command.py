"""`python -m spacy lal parse`: what goes in, what comes out, and what is said where that fails."""

import json
import os
import subprocess
import sys

import pytest
import spacy
from nltk import Tree

from spacy_lal.cli.inputs import TREEBANK_SUFFIXES
from spacy_lal.cli.parse import parse_texts
from spacy_lal.cli.texts import Text, TextError, TextReader
from spacy_lal.treebanks.corpus import TreebankCorpus
from spacy_lal.treebanks.reader import SUFFIXES
from spacy_lal.trees.brackets import read_brackets
from spacy_lal.trees.conllu import read_conllu

TEXT = "The old cat sleeps. Go on (now)!\r\n \r\n\r\nHe  left\tthe 🐈."
WORDS = ["The old cat sleeps .", "Go on ( now ) !", "He left the 🐈 ."]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    return path


def test_brackets(lal, pipeline, file):
    result = lal("parse", pipeline, file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert len(lines) == 3
    assert [" ".join(tree.leaves()) for tree in read_brackets(lines)] == WORDS
    assert lal("parse", pipeline, "-", stdin=TEXT.encode()).stdout == result.stdout
    assert lal("parse", pipeline, stdin=TEXT.encode()).stdout == result.stdout


def test_json(lal, pipeline, file):
    records = [json.loads(line) for line in lal("parse", pipeline, file, "--format", "json").stdout.splitlines()]
    assert [" ".join(record["tokens"]) for record in records] == WORDS
    assert [(record["doc"], record["sent"]) for record in records] == [(0, 0), (0, 1), (1, 0)]
    for record in records:
        n = len(record["tokens"])
        assert len(record["tags"]) == len(record["deprels"]) == len(record["heads"]) == n
        assert sum(head == i for i, head in enumerate(record["heads"])) == 1  # the root is its own head
        assert all(0 <= head < n for head in record["heads"])
        assert all(0 <= span["start"] < span["end"] <= n and span["label"] for span in record["constituents"])
        assert record["text"].replace("  ", " ") in TEXT.replace("  ", " ")


def test_conllu(lal, pipeline, file, tmp_path):
    output = tmp_path / "out.conllu"
    assert lal("parse", pipeline, file, "-f", "conllu", "-o", output).stdout == ""
    sentences = list(read_conllu(output))
    assert [" ".join(sentence.words) for sentence in sentences] == WORDS
    assert [sentence.metadata["sent_id"] for sentence in sentences] == ["1-1", "1-2", "2-1"]
    assert sentences[0].metadata["text"] == "The old cat sleeps."
    assert sentences[0].spaces == [True, True, True, False, True]
    for sentence in sentences:
        assert sentence.heads.count(0) == 1
        assert sentence.deprels[sentence.heads.index(0)] != "ROOT"
        assert Tree.fromstring(sentence.metadata["tree"])


def test_docs_are_what_a_corpus_reader_takes(lal, pipeline, file, tmp_path):
    output = tmp_path / "corpus" / "silver.spacy"
    assert lal("parse", pipeline, file, "-f", "docbin", "-o", output).stdout == ""
    nlp = spacy.load(pipeline)
    references = [eg.reference for eg in TreebankCorpus(output)(nlp)]
    assert [doc.text for doc in references] == [line for line in TEXT.split("\r\n") if line.strip()]
    for doc, parsed in zip(references, nlp.pipe(doc.text for doc in references), strict=True):
        assert doc.to_json()["tokens"] == parsed.to_json()["tokens"]
        assert [(c.start, c.end, c.label_) for c in doc.spans["constituents"]] == [
            (c.start, c.end, c.label_) for c in parsed.spans["constituents"]
        ]
        assert not doc.user_data


@pytest.mark.parametrize("options", [(), ("--output", "silver.txt")])
def test_docs_go_to_a_spacy_file(lal, pipeline, options):
    result = lal("parse", pipeline, "--text", "Go on!", "--format", "docbin", *options)
    assert result.exit_code == 1
    assert "docbin writes a .spacy file" in result.stderr


def test_drawing(lal, pipeline):
    result = lal("parse", pipeline, "--text", "The cat sleeps.", "--format", "tree")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.split()[:1] == ["word"]) :]
    assert [row.split()[:2] for row in table[1:5]] == [["1", "The"], ["2", "cat"], ["3", "sleeps"], ["4", "."]]


def test_paragraphs(lal, pipeline):
    text = b"\n\nThe old\n cat sleeps.\n\t\nGo on!\nHe left."
    result = lal("parse", pipeline, "-", "--paragraphs", "--format", "json", stdin=text)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(record["doc"], record["text"]) for record in records] == [
        (0, "The old cat sleeps."),
        (1, "Go on!"),
        (1, "He left."),
    ]


def test_nothing(lal, pipeline):
    for args in ((), ("--text", ""), ("--text", " \n")):
        result = lal("parse", pipeline, *args)
        assert (result.exit_code, result.output) == (0, "")


def test_two_processes(lal, pipeline, file):
    one, two = lal("parse", pipeline, file), lal("parse", pipeline, file, "--n-process", 2, "--batch-size", 1)
    assert one.stdout == two.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("{pipeline}", "nowhere.txt"), "can't find the file nowhere.txt"),
        (("nowhere", "{file}"), "can't load the pipeline 'nowhere'"),
        (("{pipeline}", "{file}", "--format", "xml"), "got 'xml'"),
        (("{pipeline}", "{file}", "--output", "{file}/x"), "can't write"),
        (("{pipeline}", "--text", "a\udce9"), "--text: expected UTF-8"),
        (("{pipeline}", "{file}", "-o", "x.conllu"), "say -f conllu, or name another file"),
        (("{pipeline}", "{file}", "-o", "x.spacy"), "say -f docbin, or name another file"),
        (("{pipeline}", "{file}", "-o", "x.JSONL"), "say -f json, or name another file"),
        (("{pipeline}", "{file}", "-o", "x.pdf"), "lal parse writes no .pdf file"),
    ],
)
def test_bad_calls(lal, pipeline, file, args, message):
    result = lal("parse", *(arg.format(pipeline=pipeline, file=file) for arg in args))
    assert result.exit_code == 1
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_treebanks_are_no_texts(lal, pipeline, tmp_path):
    assert set(TREEBANK_SUFFIXES) == set(SUFFIXES)
    path = tmp_path / "gold.CONLLU"
    path.write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n", encoding="utf8")
    for command in (("parse",), ("explain",), ("roles",)):
        result = lal(*command, "--model", pipeline, path)
        assert result.exit_code == 1 and result.stdout == ""
        assert f"{path} is a treebank by its ending: expected text" in result.stderr
    result = lal("parse", "--model", pipeline, path, "--input-format", "text")
    assert result.exit_code == 0 and len(result.stdout.splitlines()) == 1


def test_no_utf8(lal, pipeline):
    result = lal("parse", pipeline, "-", stdin=b"Go on!\ncaf\xe9\nGo on!\n")
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 1  # what came before is parsed
    assert result.stderr == "<stdin>, line 2: expected UTF-8, got the bytes b'\\xe9'\n"


def test_no_parser(lal, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    result = lal("parse", tmp_path / "blank", "--text", "Go on!")
    assert result.exit_code == 1
    assert "has no lal_parser" in result.stderr


def test_no_sentences(lal, pipeline, tmp_path):
    spacy.load(pipeline, exclude=["sentencizer"]).to_disk(tmp_path / "model")
    text = tmp_path / "text"
    text.write_text("Go on!\n" * 3)
    message = f"{text}, after line 0: the Doc has no sentence boundaries"
    result = lal("parse", tmp_path / "model", text)
    assert result.exit_code == 1
    assert result.stderr.startswith(message)
    # A process of its own: the command ends it where its workers are still busy.
    command = [sys.executable, "-m", "spacy", "lal", "parse", str(tmp_path / "model"), str(text)]
    process = subprocess.run([*command, "-n", "2", "-b", "1"], capture_output=True, text=True, env=environment())
    assert process.returncode == 1
    assert process.stderr.startswith(message)


@pytest.mark.parametrize("n_process", [1, 2])
def test_closed_pipe(pipeline, tmp_path, n_process):
    text = tmp_path / "text"
    text.write_text("Go on!\n" * 600)
    command = [sys.executable, "-m", "spacy", "lal", "parse", str(pipeline), str(text), "--batch-size", "16"]
    command += ["--n-process", str(n_process)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as process:
        assert process.stdout.readline().startswith(b"(")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_stream(pipeline):
    """A text is parsed before the next but a batch is asked for, and the vocabulary does not grow."""
    nlp = spacy.load(pipeline)
    asked = []

    def texts():
        for line in range(1, 10):
            asked.append(line)
            yield Text(line, f"Go unheard{line}!")

    n_strings = None
    for doc, (number, line, name) in parse_texts(nlp, texts(), batch_size=1, zone_size=2):
        assert (number, name) == (line - 1, None)
        assert doc[1].text == f"unheard{line}"
        assert asked[-1] <= line + 2
        n_strings = n_strings if n_strings is not None and line > 2 else len(nlp.vocab.strings)
    assert len(nlp.vocab.strings) <= n_strings
    assert line == 9


def test_reader_errors(tmp_path):
    path = tmp_path / "long"
    path.write_text("ab\n\nabcd\nab\n")
    with pytest.raises(TextError, match="line 3: a text of more than 3 characters"):
        list(TextReader(str(path), max_length=3))
    with pytest.raises(TextError, match="line 3: a text of more than 4 characters"):
        list(TextReader(str(path), paragraphs=True, max_length=4))
    with pytest.raises(TextError, match="can't read"):
        list(TextReader(str(tmp_path / "nowhere")))
    with pytest.raises(TextError, match="can't read"):
        list(TextReader(str(tmp_path)))
    reader = TextReader(str(path))
    assert list(reader) == [(1, "ab", None), (3, "abcd", None), (4, "ab", None)]
    assert reader.bytes_read == reader.n_bytes


def environment() -> dict:
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


@pytest.mark.parametrize("start", ["", "a", "aa", "aaa"])
def test_a_long_line_is_called_long_wherever_it_is_cut(start, tmp_path):
    path = tmp_path / "long.txt"
    path.write_text(start + "\N{GRINNING FACE}" * 100, encoding="utf8")
    with pytest.raises(TextError, match="line 1: a text of more than 10 characters"):
        list(TextReader(str(path), max_length=10))
