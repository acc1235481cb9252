"""JSON lines follow the schema of docs/reference/formats.md, read from its
tables."""

import re
from pathlib import Path
from typing import Dict

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_lal.cli.parse import to_records
from spacy_lal.cli.texts import Origin
from spacy_lal.export import SCHEMA_VERSION, read_parses, sentence_record

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "formats.md"
TEXT = "The  old\tcat sleeps \U0001f408. Go on!"
LISTS = (
    "start_chars",
    "end_chars",
    "tags",
    "pos",
    "morphs",
    "lemmas",
    "heads",
    "deprels",
)
CHECKS = {
    "integer": lambda value: type(value) is int,
    "string": lambda value: type(value) is str,
    "boolean": lambda value: type(value) is bool,
    "object": lambda value: type(value) is dict,
}


def tables() -> Dict[str, Dict[str, str]]:
    """Types by field."""
    section = (
        PAGE.read_text(encoding="utf8")
        .split("## The schema of JSON lines")[1]
        .split("\n## ")[0]
    )
    found = []
    for block in section.split("| field | type | meaning |\n|---|---|---|\n")[1:]:
        found.append(
            dict(
                re.findall(
                    r"^\| `(\w+)` \| ([\w, ]+) \|", block.split("\n\n")[0], re.MULTILINE
                )
            )
        )
    return dict(zip(("both", "json"), found, strict=True))


def fits(value: object, kind: str) -> bool:
    kind, _, null = kind.partition(", or ")
    if value is None:
        return null == "null"
    if kind.startswith("list of "):
        return isinstance(value, list) and all(
            CHECKS[kind.removeprefix("list of ")](item) for item in value
        )
    return CHECKS[kind](value)


def check_record(record, fields):
    assert set(record) == set(fields)
    for name, kind in fields.items():
        assert fits(record[name], kind), (name, kind, record[name])
    assert {len(record[name]) for name in LISTS if record[name] is not None} == {
        len(record["tokens"])
    }


def check_offsets(record, text):
    for token, start, end in zip(
        record["tokens"], record["start_chars"], record["end_chars"], strict=True
    ):
        assert text[start:end] == token
    for span in record["constituents"]:
        assert set(span) == {"start", "end", "start_char", "end_char", "label"}
        assert 0 <= span["start"] < span["end"] <= len(record["tokens"])
        assert span["start_char"] == record["start_chars"][span["start"]]
        assert span["end_char"] == record["end_chars"][span["end"] - 1]


@pytest.fixture(scope="module")
def doc(pipeline) -> Doc:
    return spacy.load(pipeline)(TEXT)


def test_json_lines(doc):
    fields = {**tables()["both"], **tables()["json"]}
    records = list(to_records(doc, Origin(3, 9, "a")))
    assert len(records) == 2
    for number, record in enumerate(records, start=1):
        check_record(record, fields)
        check_offsets(record, TEXT)
        assert (record["schema"], record["doc"], record["line"], record["id"]) == (
            SCHEMA_VERSION,
            3,
            9,
            "a",
        )
        assert (
            record["sentence"] == number
            and TEXT[record["start_char"] : record["end_char"]] == record["text"]
        )
        assert [i for i, head in enumerate(record["heads"]) if head == i] == [
            record["deprels"].index("ROOT")
        ]
        assert not [token for token in record["tokens"] if token.isspace()]


def test_nothing_is_null():
    bare = Doc(Vocab(), words=["He", "left"], sent_starts=[True, False])
    (sentence,) = read_parses(bare)
    record = sentence_record(sentence)
    assert [name for name, value in record.items() if value is None] == [
        "tags", "pos", "morphs", "lemmas", "heads", "deprels", "constituents"
    ]  # fmt: skip
