"""Every sentence of the output knows the line and the id of its text."""

import json
from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_lal.cli.records import JsonLinesReader, TsvReader, format_by_name, text_reader
from spacy_lal.cli.texts import Origin, Text, TextError
from spacy_lal.trees.conllu import read_conllu

LINES = "The old cat sleeps. Go on!\n\n  \nHe left.\n"
JSONL = (
    '{"id": "a 7", "text": "The old cat sleeps. Go on!"}\n\n{"id": "b", "text": " "}\n{"text": "He left.", "id": 12}\n'
)
TSV = "a 7\tThe old cat sleeps. Go on!\n\nb\t \n12\tHe left.\n"
EXPECTED = [("a 7", 1), ("a 7", 1), ("12", 4)]


@pytest.fixture(params=["jsonl", "tsv"])
def named(request, tmp_path) -> Path:
    path = tmp_path / f"texts.{request.param}"
    path.write_text({"jsonl": JSONL, "tsv": TSV}[request.param])
    return path


@pytest.fixture
def plain(tmp_path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text(LINES)
    return path


def records(result):
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_json(lal, pipeline, named, plain):
    found = records(lal("parse", "-m", pipeline, named, "-f", "json"))
    assert [(record["id"], record["line"]) for record in found] == EXPECTED
    assert [(record["doc"], record["sent"]) for record in found] == [(0, 0), (0, 1), (1, 0)]
    by_line = records(lal("parse", "-m", pipeline, plain, "-f", "json"))
    assert [(record["id"], record["line"]) for record in by_line] == [("1", 1), ("1", 1), ("4", 4)]
    lines = LINES.splitlines()
    for record in by_line:  # the join
        assert lines[record["line"] - 1][record["start_char"] : record["end_char"]] == record["text"]


def test_two_processes(lal, pipeline, named):
    one = lal("parse", "-m", pipeline, named, "-f", "json")
    two = lal("parse", "-m", pipeline, named, "-f", "json", "-n", 2, "-b", 1)
    assert records(one) == records(two)


def test_brackets(lal, pipeline, named, plain):
    bare = lal("parse", "-m", pipeline, named).stdout.splitlines()
    with_ids = lal("parse", "-m", pipeline, named, "--ids").stdout.splitlines()
    assert with_ids == [f"{name}\t{tree}" for (name, _), tree in zip(EXPECTED, bare, strict=True)]
    assert lal("parse", "-m", pipeline, plain).stdout.splitlines() == bare
    by_line = lal("parse", "-m", pipeline, plain, "--ids").stdout.splitlines()
    assert by_line == [f"{line}\t{tree}" for (_, line), tree in zip(EXPECTED, bare, strict=True)]


def test_conllu(lal, pipeline, named, plain, tmp_path):
    def comments(*args):
        assert lal("parse", "-m", pipeline, *args, "-f", "conllu", "-o", tmp_path / "out.conllu").exit_code == 0
        names = ("sent_id", "text_id", "line")
        return [[sent.metadata.get(name) for name in names] for sent in read_conllu(tmp_path / "out.conllu")]

    assert comments(named) == [["a 7-1", "a 7", "1"], ["a 7-2", "a 7", "1"], ["12-1", "12", "4"]]
    assert comments(plain) == [["1-1", None, "1"], ["1-2", None, "1"], ["2-1", None, "4"]]
    assert comments(plain, "--ids") == [["1-1", "1", "1"], ["1-2", "1", "1"], ["4-1", "4", "4"]]
    assert comments("--text", "Go on!") == [["1-1", None, None]]


def test_drawings(lal, pipeline, named, plain):
    def headings(*args):
        return [line for line in lal("parse", "-m", pipeline, *args, "-f", "tree").stdout.splitlines() if "#" in line]

    assert headings(named) == [
        "# line 1, id a 7, sentence 1",
        "# line 1, id a 7, sentence 2",
        "# line 4, id 12, sentence 1",
    ]
    assert headings(plain) == ["# line 1, sentence 1", "# line 1, sentence 2", "# line 4, sentence 1"]
    assert headings("--text", "Go on!") == []
    assert headings("--text", "Go on!", "--ids") == ["# id 1, sentence 1"]


def test_docs(lal, pipeline, named, tmp_path):
    output = tmp_path / "out.spacy"

    def notes(*args):
        assert lal("parse", "-m", pipeline, named, "-f", "docbin", "-o", output, *args).exit_code == 0
        return [doc.user_data for doc in DocBin(store_user_data=True).from_disk(output).get_docs(Vocab())]

    assert notes("--ids") == [{"id": "a 7", "line": 1}, {"id": "12", "line": 4}]
    assert notes() == [{}, {}]


def test_docs_to_stdout(lal, pipeline, named):
    result = lal("parse", "-m", pipeline, named, "-f", "docbin", "-o", "-")
    assert result.exit_code == 0
    texts = [doc.text for doc in DocBin().from_bytes(result.stdout_bytes).get_docs(Vocab())]
    assert texts == ["The old cat sleeps. Go on!", "He left."]


def test_paragraphs_have_the_line_where_they_begin(lal, pipeline):
    text = b"\n\nThe old\n cat sleeps.\n\t\nGo on!\n"
    found = records(lal("parse", "-m", pipeline, "-", "--paragraphs", "-f", "json", stdin=text))
    assert [(record["line"], record["text"]) for record in found] == [(3, "The old cat sleeps."), (6, "Go on!")]


def test_format_by_name_and_by_option(lal, pipeline, tmp_path):
    assert [format_by_name(name) for name in ("a.jsonl", "a.TSV", "a.txt", "-", "jsonl")] == [
        "jsonl", "tsv", "text", "text", "text"
    ]  # fmt: skip
    path = tmp_path / "texts.tsv"
    path.write_text("Go\ton!\n")
    as_text = records(lal("parse", "-m", pipeline, path, "-i", "text", "-f", "json"))
    assert [(record["id"], record["tokens"]) for record in as_text] == [("1", ["Go", "on", "!"])]
    piped = records(lal("parse", "-m", pipeline, "-", "-i", "tsv", "-f", "json", stdin=path.read_bytes()))
    assert [(record["id"], record["tokens"]) for record in piped] == [("Go", ["on", "!"])]


def test_other_key(lal, pipeline):
    line = b'{"body": "Go on!", "text": "no", "id": 3}\n'
    args = ("-i", "jsonl", "-f", "json", "--text-column", "body")
    found = records(lal("parse", "-m", pipeline, "-", *args, stdin=line))
    assert [(record["id"], record["text"]) for record in found] == [("3", "Go on!")]


@pytest.mark.parametrize(
    "kind, line, message",
    [
        ("jsonl", "{", "expected a JSON object, got '{'"),
        ("jsonl", "[1]", "expected a JSON object, got '[1]'"),
        ("jsonl", "Go on!", "expected a JSON object, got 'Go on!'"),
        ("jsonl", '{"body": "Go on!"}', "expected a string under 'text' (see --text-column), got the keys 'body'"),
        ("jsonl", '{"text": 7}', "expected a string under 'text' (see --text-column), got '7'"),
        ("jsonl", '{"text": "Go on!", "id": 1.5}', "expected a string or an integer under 'id', got '1.5'"),
        ("jsonl", '{"text": "Go on!", "id": true}', "expected a string or an integer under 'id', got 'True'"),
        ("jsonl", '{"text": "Go on!", "id": ""}', "expected an id, got ''"),
        ("jsonl", '{"text": "Go on!", "id": "a\\tb"}', "expected an id without tabs, line ends and outer spaces"),
        ("jsonl", '{"text": "Go on!", "id": "a\\u2028b"}', "expected an id without tabs, line ends and outer spaces"),
        ("jsonl", '{"text": "\\ud83d", "id": 2}', "expected Unicode, got half a surrogate pair"),
        ("jsonl", '{"text": "Go on!", "id": "\\udc00"}', "expected Unicode, got half a surrogate pair"),
        ("jsonl", '{"text": "Go on!"}', "expected an id, as in line 1, got none"),
        ("jsonl", '{"text": "' + "a" * 1001 + '", "id": 2}', "a text of more than 1000 characters"),
        ("tsv", "Go on!", "expected an id, a tab and a text, got 'Go on!'"),
        ("tsv", "\tGo on!", "expected an id, got ''"),
        ("tsv", " a\tGo on!", "expected an id without tabs, line ends and outer spaces, got ' a'"),
    ],
)
def test_bad_lines(tmp_path, kind, line, message):
    path = tmp_path / f"texts.{kind}"
    path.write_text({"jsonl": '{"id": 1, "text": "He left."}\n\n', "tsv": "1\tHe left.\n\n"}[kind] + line)
    found = []
    with pytest.raises(TextError) as caught:
        for text in text_reader(str(path), max_length=1000):
            found.append(text)
    assert str(caught.value).startswith(f"{path}, line 3: ") and message in str(caught.value)
    assert found == [Text(1, "He left.", "1")]


def test_texts_before_a_bad_line_are_parsed(lal, pipeline):
    result = lal("parse", "-m", pipeline, "-i", "tsv", stdin=b"1\tGo on!\nHe left.\n")
    assert result.exit_code == 1 and len(result.stdout.splitlines()) == 1
    assert result.stderr == "<stdin>, line 2: expected an id, a tab and a text, got 'He left.'\n"


@pytest.mark.parametrize(
    "args, message",
    [
        (("-i", "xml"), "expected an input format of text, jsonl, tsv, got 'xml'"),
        (("-i", "tsv", "--paragraphs"), "--paragraphs goes with plain text"),
        (("--text-column", "body"), "--text-column goes with --engine"),
        (("--text", "Go on!", "-i", "tsv"), "--input-format goes with a file"),
    ],
)
def test_bad_calls(lal, pipeline, args, message):
    result = lal("parse", "-m", pipeline, *args)
    assert result.exit_code == 1 and message in result.stderr


def test_long_lines(tmp_path):
    """A line of JSON may be longer than its text, and is not cut."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"more": "x" * 10_000, "text": "\u00e9" * 10}) + "\n")
    assert list(JsonLinesReader(str(path), max_length=10)) == [(1, "\u00e9" * 10, None)]
    path.write_text(json.dumps({"more": "x" * 1_100_000, "text": "a"}) + "\n")
    with pytest.raises(TextError, match="line 1: a line of more than 1000060 bytes"):
        list(JsonLinesReader(str(path), max_length=10))


def test_byte_order_mark_and_line_ends(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"\xef\xbb\xbf1\tGo\ton!\r\n2\tHe left.")
    assert list(TsvReader(str(path))) == [(1, "Go\ton!", "1"), (2, "He left.", "2")]


def test_names_of_origins():
    assert [Origin(4, 7, "a").name, Origin(4, 7).name, Origin(4).name] == ["a", "7", "5"]


def test_folders_keep_lines_and_ids(lal, pipeline, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "in").mkdir()
    for name, content in (("a.jsonl", JSONL), ("b.tsv", TSV), ("c.txt", LINES)):
        (tmp_path / "in" / name).write_text(content)
    result = lal("parse", "-m", pipeline, tmp_path / "in", "--engine", "local", "-o", tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    for name in ("a.jsonl", "b.tsv"):
        rows = pq.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist()
        assert [(row["line"], row["id"], row["text"]) for row in rows] == [
            (1, "a 7", "The old cat sleeps. Go on!"),
            (4, "12", "He left."),
        ]
    table = pq.read_table(tmp_path / "out" / "c.txt.parquet")
    assert table.column_names[:2] == ["line", "text"] and table["line"].to_pylist() == [1, 4]
