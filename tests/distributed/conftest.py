"""A tiny pipeline on disk, and one that kills a worker."""

from pathlib import Path

import dying_worker
import pytest
import spacy
from cluster_texts import Deadly, make_texts, write_parquet
from tiny_pipeline import make_bert, make_nlp, train


@pytest.fixture(scope="session")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained pipeline: transformer, senter, tagger, parser."""
    folder = tmp_path_factory.mktemp("distributed")
    train(make_nlp(make_bert(folder / "bert"))).to_disk(folder / "model")
    return folder / "model"


@pytest.fixture
def deadly(pipeline: Path, tmp_path: Path) -> Deadly:
    """A pipeline that kills one worker, and a folder of texts."""
    nlp = spacy.load(pipeline)
    died = tmp_path / "died"
    nlp.add_pipe(dying_worker.NAME, first=True, config={"died": str(died)})
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "site").mkdir()
    write_parquet(tmp_path / "texts", make_texts())
    return Deadly(
        str(tmp_path / "model"),
        died,
        dying_worker.install(tmp_path / "site"),
        tmp_path / "texts",
    )
