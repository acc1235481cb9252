"""The batch function by itself: what goes in, what comes out, what is loaded, what is
remembered."""

import pickle
from pathlib import Path
from typing import Any, Dict, List

import pyarrow as pa
import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tiny_pipeline import TEXTS, parses

from spacy_lal import distributed
from spacy_lal.annotations import sentence_bounds
from spacy_lal.distributed import BatchParser, doc_fields, doc_row, to_doc

TEXTS_AND_NULL = [*TEXTS, None, "Two  spaces\nand a line. She sleeps."]


def make_table(**columns: List[Any]) -> pa.Table:
    return pa.table(
        {"id": list(range(len(TEXTS_AND_NULL))), "text": TEXTS_AND_NULL, **columns}
    )


def expected_docs(pipeline: Path) -> List[Any]:
    nlp = spacy.load(pipeline)
    return [None if text is None else nlp(text) for text in TEXTS_AND_NULL]


@pytest.mark.parametrize("output", ["columns", "docbin"])
def test_docs_come_back(pipeline: Path, output: str):
    table = BatchParser(str(pipeline), output=output)(make_table())
    assert table.column_names == [
        "id",
        "text",
        *(field.name for field in doc_fields(output)),
    ]
    assert [field.type for field in table.schema][2:] == [
        field.type for field in doc_fields(output)
    ]
    nlp = spacy.load(pipeline)
    for row, expected in zip(table.to_pylist(), expected_docs(pipeline), strict=True):
        doc = to_doc(row, nlp.vocab)
        if expected is None:
            assert doc is None and row["text"] is None
            continue
        assert doc is not None and doc.text == row["text"] == expected.text
        assert [token.text for token in doc] == [token.text for token in expected]
        assert parses([doc]) == parses([expected])
        assert sentence_bounds(doc) == sentence_bounds(expected)
        assert [token.tag_ for token in doc] == [token.tag_ for token in expected]
        assert doc._.parse_string == expected._.parse_string


def test_relations(pipeline: Path):
    table = BatchParser(str(pipeline), output="relations")(make_table())
    assert [field.type for field in table.schema][2:] == [
        field.type for field in doc_fields("relations")
    ]
    doc = Doc(
        Vocab(),
        words=["She", "sees", "dogs"],
        pos=["PRON", "VERB", "NOUN"],
        heads=[1, 1, 1],
        deps=["nsubj", "ROOT", "obj"],
    )
    rows = doc_row(doc, "relations")["relations"]
    assert [row["object"]["text"] for row in rows] == ["dogs"]
    assert pa.array([rows], type=doc_fields("relations")[0].type).to_pylist() == [rows]


def test_record_batches_tables_and_slices(pipeline: Path):
    parser = BatchParser(str(pipeline), keep=["id"])
    whole = parser(make_table())
    assert whole.column_names[:2] == ["id", "tokens"]
    (batch,) = make_table().to_batches()
    parsed = parser(batch)
    assert isinstance(parsed, pa.RecordBatch)
    assert pa.Table.from_batches([parsed]).equals(whole)
    parts = [
        parser(make_table().slice(start, 2))
        for start in range(0, len(TEXTS_AND_NULL), 2)
    ]
    assert [row["heads"] for part in parts for row in part.to_pylist()] == whole[
        "heads"
    ].to_pylist()
    nothing = parser(make_table().slice(0, 0))
    assert nothing.num_rows == 0 and nothing.schema.equals(whole.schema)


@pytest.mark.parametrize(
    "columns, settings, message",
    [
        (
            {"body": ["a"]},
            {},
            "has once and the parse has not, got text: the table has body",
        ),
        ({"text": [1]}, {}, "Expected a string"),
        ({"text": ["a"]}, {"keep": ["id"]}, "got id: the table has text"),
        ({"text": ["a"], "heads": ["b"]}, {}, "parse has not, got heads"),
        (
            {"text": ["a"], "docbin": ["b"]},
            {"output": "docbin"},
            "parse has not, got docbin",
        ),
    ],
)
def test_bad_batches(
    pipeline: Path,
    columns: Dict[str, List[Any]],
    settings: Dict[str, Any],
    message: str,
):
    with pytest.raises(match=message):
        BatchParser(str(pipeline), **settings)(pa.table(columns))


def test_bad_pipelines(tmp_path: Path):
    with pytest.raises(OSError, match="nowhere"):
        BatchParser("nowhere").load()
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(match="has no lal_parser, only: nothing"):
        BatchParser(str(tmp_path / "blank")).load()


def test_loaded_once_whatever_is_pickled(
    pipeline: Path, monkeypatch: pytest.MonkeyPatch
):
    distributed._load.cache_clear()
    loaded = []
    load = spacy.load
    monkeypatch.setattr(spacy, "load", lambda name: loaded.append(name) or load(name))
    parser = BatchParser(str(pipeline))
    data = pickle.dumps(parser)
    assert len(data) < 1000
    for _ in range(2):
        parser(make_table())
        assert pickle.loads(data)(make_table()).equals(parser(make_table()))
    assert loaded == [str(pipeline)]
    assert len(pickle.dumps(parser)) == len(data)


def test_a_relative_path_is_good_in_another_folder(
    pipeline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(pipeline.parent)
    parser = BatchParser("model")
    monkeypatch.chdir(tmp_path)
    assert parser.load().pipe_names[-1] == "lal_parser"


def test_words_are_forgotten(pipeline: Path, monkeypatch: pytest.MonkeyPatch):
    """Hours of text must not fill the string store, and a batch may be longer than a
    zone."""
    monkeypatch.setattr(distributed, "ZONE_SIZE", 2)
    parser = BatchParser(str(pipeline))
    strings = parser.load().vocab.strings
    sizes = []
    for i in range(3):
        unheard = [f"She sees unheard{i}x{j}." for j in range(5)]
        table = parser(pa.table({"text": unheard}))
        assert [row[2] for row in table["tokens"].to_pylist()] == [
            f"unheard{i}x{j}" for j in range(5)
        ]
        assert "unheard0x0" not in strings
        sizes.append(len(strings))
    assert sizes[0] == sizes[-1]
