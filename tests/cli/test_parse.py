"""`lal parse`: formats, ids, streams."""

import json

import pytest
import spacy
from nltk import Tree
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_lal.cli import workers as module
from spacy_lal.cli.texts import Origin
from spacy_lal.cli.workers import parse_texts
from spacy_lal.treebanks.corpora import TreebankCorpus
from spacy_lal.trees.brackets import read_brackets
from spacy_lal.trees.conllu import read_conllu

TEXT = "The old cat sleeps. Go on (now)!\r\n \r\n\r\nHe  left\tthe 🐈."
WORDS = ["The old cat sleeps .", "Go on ( now ) !", "He left the 🐈 ."]
NAMED = (
    '{"id": "a 7", "text": "The old cat sleeps. Go on!"}\n\n{"id": "b", "text": " '
    '"}\n{"text": "He left.", "id": 12}\n'
)
EXPECTED = [("a 7", 1), ("a 7", 1), ("12", 4)]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT.encode())
    return path


@pytest.fixture
def named(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text(NAMED)
    return path


@pytest.fixture
def parse(lal, pipeline):
    """Runs the command with the small pipeline; it must succeed."""

    def run(*args, stdin=b""):
        result = lal("parse", "-m", pipeline, *args, stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    return run


def test_brackets(parse, file, named):
    lines = parse(file).splitlines()
    assert [" ".join(tree.leaves()) for tree in read_brackets(lines)] == WORDS
    by_line = [f"{line}\t{tree}" for line, tree in zip((1, 1, 4), lines, strict=True)]
    assert parse(file, "--ids").splitlines() == by_line
    bare = parse(named).splitlines()
    assert parse(named, "--ids").splitlines() == [
        f"{n}\t{tree}" for (n, _), tree in zip(EXPECTED, bare, strict=True)
    ]


def test_json(parse, file, named):
    records = [
        json.loads(line) for line in parse(file, "--format", "json").splitlines()
    ]
    assert [" ".join(record["tokens"]) for record in records] == WORDS
    assert [(record["doc"], record["sentence"]) for record in records] == [
        (0, 1),
        (0, 2),
        (1, 1),
    ]
    lines = TEXT.split("\n")
    for record in records:
        n = len(record["tokens"])
        assert (
            len(record["tags"]) == len(record["deprels"]) == len(record["heads"]) == n
        )
        assert (
            sum(head == i for i, head in enumerate(record["heads"])) == 1
        )  # the root is its own head
        assert all(
            0 <= span["start"] < span["end"] <= n and span["label"]
            for span in record["constituents"]
        )
        assert (
            lines[record["line"] - 1][record["start_char"] : record["end_char"]]
            == record["text"]
        )  # the join
    records = [json.loads(line) for line in parse(named, "-f", "json").splitlines()]
    assert [
        (record["id"], record["line"]) for record in records
    ] == EXPECTED and records[0]["file"] is None
    several = [
        json.loads(line) for line in parse(file, named, "-f", "json").splitlines()
    ]
    assert [record["file"] for record in several] == [str(file)] * 3 + [str(named)] * 3


def test_conllu(parse, file, named, tmp_path):
    output = tmp_path / "out.conllu"  # its ending names the format
    assert parse(file, "-o", output) == ""
    sentences = list(read_conllu(output))
    assert [" ".join(sentence.words) for sentence in sentences] == WORDS
    assert [sentence.metadata["sent_id"] for sentence in sentences] == [
        "1-1",
        "1-2",
        "2-1",
    ]
    assert sentences[0].spaces == [True, True, True, False, True]
    for sentence in sentences:
        assert sentence.heads.count(0) == 1 and "ROOT" not in sentence.deprels
        assert Tree.fromstring(sentence.metadata["tree"])

    def comments(*args):
        parse(*args, "-o", output)
        names = ("sent_id", "text_id", "line")
        return [
            [sent.metadata.get(name) for name in names] for sent in read_conllu(output)
        ]

    assert comments(named) == [
        ["a 7-1", "a 7", "1"],
        ["a 7-2", "a 7", "1"],
        ["12-1", "12", "4"],
    ]
    assert comments(file, "--ids") == [
        ["1-1", "1", "1"],
        ["1-2", "1", "1"],
        ["4-1", "4", "4"],
    ]
    assert comments("--text", "Go on!") == [["1-1", None, None]]


def test_docs_are_what_a_corpus_reader_takes(parse, pipeline, file, named, tmp_path):
    output = tmp_path / "corpus" / "silver.spacy"
    parse(file, "-o", output)
    nlp = spacy.load(pipeline)
    references = [eg.reference for eg in TreebankCorpus(output)(nlp)]
    assert [doc.text for doc in references] == [
        line for line in TEXT.split("\r\n") if line.strip()
    ]
    for doc, parsed in zip(
        references, nlp.pipe(doc.text for doc in references), strict=True
    ):
        assert doc.to_json()["tokens"] == parsed.to_json()["tokens"]
        assert doc._.parse_string == parsed._.parse_string and not doc.user_data
    parse(named, "-o", output, "--ids")
    notes = [
        doc.user_data
        for doc in DocBin(store_user_data=True).from_disk(output).get_docs(Vocab())
    ]
    assert notes == [{"id": "a 7", "line": 1}, {"id": "12", "line": 4}]


def test_drawings(parse, named):
    lines = parse("--text", "The cat sleeps.", "--format", "tree").splitlines()
    table = lines[
        next(i for i, line in enumerate(lines) if line.split()[:1] == ["word"]) :
    ]
    assert [row.split()[:2] for row in table[1:5]] == [
        ["1", "The"],
        ["2", "cat"],
        ["3", "sleeps"],
        ["4", "."],
    ]
    headings = [line for line in parse(named, "-f", "tree").splitlines() if "#" in line]
    assert headings[1:] == [
        "# line 1, id a 7, sentence 2",
        "# line 4, id 12, sentence 1",
    ]


def test_two_processes(parse, named):
    assert parse(named, "-f", "json") == parse(
        named, "-f", "json", "--n-process", 2, "--batch-size", 1
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--format", "xml"), "got xml"),
        (("-o", "x.pdf"), "expected an ending of .ptb, .conllu"),
        (("-i", "xml"), "expected an input format of text, jsonl, csv, tsv, got 'xml'"),
    ],
)
def test_bad_calls(lal, pipeline, args, message):
    result = lal("parse", "-m", pipeline, "Go on!", *args)
    assert result.exit_code == 2 and message in result.stderr


def test_texts_before_a_bad_line_of_another_batch_are_printed(lal, pipeline):
    result = lal(
        "parse",
        "-m",
        pipeline,
        "-",
        "-b",
        1,
        stdin=b"Go on!\n" * 9 + b"caf\xe9\nGo on!\n",
    )
    assert result.exit_code == 2 and result.stdout.count("Go") > 5
    assert result.stderr.startswith("<stdin>:10: expected UTF-8, got b'\\xe9'")


def test_trees_take_no_lemmatizer(lal, pipeline, tmp_path):
    nlp = spacy.load(pipeline)
    nlp.add_pipe("trainable_lemmatizer")  # which fails, since it was never trained
    nlp.to_disk(tmp_path / "model")
    codes = {
        kind: lal("parse", "-m", tmp_path / "model", "Go on!", "-f", kind).exit_code
        for kind in ("brackets", "tree", "csv", "json", "conllu")
    }
    assert [kind for kind, code in codes.items() if code == 0] == [
        "brackets",
        "tree",
        "csv",
    ]


def test_no_sentences(lal, pipeline, tmp_path):
    spacy.load(pipeline, exclude=["sentencizer"]).to_disk(tmp_path / "model")
    for n_process in (1, 2):
        result = lal(
            "parse", "-m", tmp_path / "model", "-n", n_process, stdin=b"Go on!\n" * 3
        )
        assert result.exit_code == 2 and "no sentence boundaries" in result.stderr
        assert "Traceback" not in result.output


def test_stream(pipeline, monkeypatch):
    """A text is parsed before the next but a batch is asked for, and the vocabulary
    does not grow."""
    monkeypatch.setattr(module, "ZONE_SIZE", 2)
    nlp = spacy.load(pipeline)
    asked = []

    def texts():
        for line in range(1, 10):
            asked.append(line)
            yield f"Go unheard{line}!", Origin(line - 1, line)

    n_strings = None
    for doc, (_, line, *_) in parse_texts(nlp, texts(), batch_size=1):
        assert doc[1].text == f"unheard{line}"
        assert asked[-1] <= line + 2
        n_strings = (
            n_strings if n_strings is not None and line > 2 else len(nlp.vocab.strings)
        )
    assert len(nlp.vocab.strings) <= n_strings
    assert line == 9
