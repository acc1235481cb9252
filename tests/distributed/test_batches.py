"""The batch function by itself: what goes in, what comes out, what is loaded, what is
remembered."""

import pickle
from pathlib import Path
from typing import Any, Dict, List

import pyarrow as pa
import pytest
import spacy
from tiny_pipeline import TEXTS, parses

from spacy_lal import distributed, to_rows
from spacy_lal.annotations import sentence_bounds
from spacy_lal.distributed import BatchParser, to_doc

TEXTS_AND_NULL = [*TEXTS, None, "Two  spaces\nand a line. She sleeps."]


def make_table(**columns: List[Any]) -> pa.Table:
    return pa.table(
        {"id": list(range(len(TEXTS_AND_NULL))), "text": TEXTS_AND_NULL, **columns}
    )


def expected_docs(pipeline: Path) -> List[Any]:
    nlp = spacy.load(pipeline)
    return [None if text is None else nlp(text) for text in TEXTS_AND_NULL]


def test_docs_come_back(pipeline: Path):
    table = BatchParser(str(pipeline))(make_table())
    assert table.column_names == ["id", "sentence", "text", "docbin"]
    nlp = spacy.load(pipeline)
    known = [doc for doc in expected_docs(pipeline) if doc is not None]
    for row, expected in zip(table.to_pylist(), known, strict=True):
        doc = to_doc(row, nlp.vocab)
        assert doc.text == expected.text and row["text"] == expected.text.strip()
        assert [token.text for token in doc] == [token.text for token in expected]
        assert parses([doc]) == parses([expected])
        assert sentence_bounds(doc) == sentence_bounds(expected)
        assert [token.tag_ for token in doc] == [token.tag_ for token in expected]
        assert doc._.parse_string == expected._.parse_string


@pytest.mark.parametrize("kind", ["parse", "relations", "complexity", "sentences"])
def test_tables_have_the_rows_of_to_rows(pipeline: Path, kind: str):
    parser = BatchParser(str(pipeline), output=kind)
    table = parser(make_table())
    types = [field.type for field in parser.fields()]
    assert [field.type for field in table.schema][1:] == types
    docs = [doc for doc in expected_docs(pipeline) if doc is not None]
    ids = [i for i, text in enumerate(TEXTS_AND_NULL) if text is not None]
    assert table.to_pylist() == list(to_rows(docs, kind, ids))


def test_record_batches_tables_and_slices(pipeline: Path):
    parser = BatchParser(str(pipeline), keep=["id"], output="parse")
    whole = parser(make_table())
    (batch,) = make_table().to_batches()
    parsed = parser(batch)
    assert isinstance(parsed, pa.RecordBatch)
    assert pa.Table.from_batches([parsed]).equals(whole)
    parts = [
        parser(make_table().slice(start, 2))
        for start in range(0, len(TEXTS_AND_NULL), 2)
    ]
    assert pa.concat_tables(parts).to_pylist() == whole.to_pylist()
    nothing = parser(make_table().slice(0, 0))
    assert nothing.num_rows == 0 and nothing.schema.equals(whole.schema)


@pytest.mark.parametrize(
    "columns, settings, message",
    [
        (
            {"body": ["a"]},
            {},
            "text",
        ),
        ({"text": [1]}, {}, "Expected a string"),
        ({"text": ["a"]}, {"keep": ["id"]}, "id"),
        ({"text": ["a"], "docbin": ["b"]}, {}, "parse has not, got docbin"),
        (
            {"text": ["a"], "subject": ["b"]},
            {"output": "relations"},
            "parse has not, got subject",
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


def test_a_pipeline_that_is_not_there():
    with pytest.raises(OSError, match="nowhere"):
        BatchParser("nowhere").load()


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
    parser = BatchParser(str(pipeline), output="parse")
    strings = parser.load().vocab.strings
    sizes = []
    for i in range(3):
        unheard = [f"She sees unheard{i}x{j}." for j in range(5)]
        table = parser(pa.table({"text": unheard}))
        assert table["text"].to_pylist() == unheard
        assert "unheard0x0" not in strings
        sizes.append(len(strings))
    assert sizes[0] == sizes[-1]
