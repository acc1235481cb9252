"""Texts for tests of clusters, one of them deadly, and the check that none got lost."""

from pathlib import Path
from typing import Any, Iterable, List, Mapping, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import spacy
from dying_worker import DEADLY
from tiny_pipeline import SENTENCES, parses

from spacy_lal.distributed import to_doc

N_TEXTS = 240
N_FILES = 4


class Deadly(NamedTuple):
    """What a test of a cluster works with.

    pipeline (str): A pipeline that kills the first worker that meets the one deadly
        text.
    died (Path): The file that this worker leaves behind.
    python_path (str): What workers need to find the component.
    source (Path): A folder of Parquet files with the columns `id` and `text`.
    """

    pipeline: str
    died: Path
    python_path: str
    source: Path


def make_texts() -> List[str]:
    """Hundreds of short texts, no two alike; one is deadly."""
    sentences = [" ".join(sentence["words"]) for sentence in SENTENCES]
    texts = [
        f"{sentences[i % 2]} {sentences[i // 2 % 2]} Text {i}." for i in range(N_TEXTS)
    ]
    texts[N_TEXTS // 2] = f"She sees a {DEADLY} dog."
    return texts


def write_parquet(folder: Path, texts: List[str]) -> None:
    """Write texts with their numbers to a folder of Parquet files."""
    folder.mkdir()
    size = len(texts) // N_FILES
    for start in range(0, len(texts), size):
        part = texts[start : start + size]
        table = pa.table({"id": list(range(start, start + len(part))), "text": part})
        pq.write_table(table, folder / f"{start:04}.parquet")


def check_every_text_once(rows: Iterable[Mapping[str, Any]], pipeline: Path) -> None:
    """Each text of `make_texts` is there once, and with the parse that it gets here."""
    rows = sorted(rows, key=lambda row: row["id"])
    texts = make_texts()
    assert [row["id"] for row in rows] == list(range(len(texts)))
    assert [row["text"] for row in rows] == texts
    nlp = spacy.load(pipeline)
    assert parses(to_doc(row, nlp.vocab) for row in rows) == parses(nlp.pipe(texts))
