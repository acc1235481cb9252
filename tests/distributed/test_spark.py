"""Spark for real: two Python workers on this machine, Parquet in, Parquet out, one of
them killed midway."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any, Iterator

import pyarrow.parquet as pq
import pytest
from cluster_texts import N_TEXTS, Deadly, check_every_text_once

from spacy_lal.distributed import parse_spark

pytestmark = pytest.mark.cluster


@pytest.fixture
def spark(
    deadly: Deadly, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Any]:
    """Two threads with a Python worker each; a task may fail three times. Locally,
    Spark gives none a second try."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.fail(
            "Spark needs Java, and there is no java on the PATH: install one, such as "
            "default-jre-headless"
        )
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYTHONPATH", deadly.python_path)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv(
        "PYSPARK_PYTHON", sys.executable
    )  # otherwise the python3 of the PATH
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
        "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
        "spark.sql.files.maxPartitionBytes": "4096",
    }
    builder = SparkSession.builder.master("local[2,4]").config(map=settings)
    session = builder.getOrCreate()
    yield session
    session.stop()


def test_a_killed_worker_loses_nothing(
    spark: Any, deadly: Deadly, pipeline: Path, tmp_path: Path
):
    df = spark.read.parquet(str(deadly.source))
    parse_spark(df, deadly.pipeline).write.parquet(str(tmp_path / "parsed"))
    assert int(deadly.died.read_text()) != os.getpid()
    check_every_text_once(pq.read_table(tmp_path / "parsed").to_pylist(), pipeline)

    docbins = parse_spark(df, deadly.pipeline, keep=["id"], output="docbin").collect()
    assert sorted(row.id for row in docbins) == list(range(N_TEXTS))
    names = {"id", "sentence", "text", "docbin"}
    assert all(set(row.asDict()) == names for row in docbins)

    with pytest.raises(match="body"):
        parse_spark(df, deadly.pipeline, text_column="body")
