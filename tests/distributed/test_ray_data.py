"""Ray Data for real: two actors on a local cluster, Parquet in, Parquet out, one of
them killed midway."""

import os
from pathlib import Path
from typing import Iterator

import pyarrow.parquet as pq
import pytest
from cluster_texts import Deadly, check_every_text_once

from spacy_lal.distributed import parse_ray

pytestmark = pytest.mark.cluster
RAY = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_worker_niceness": "0",
}


@pytest.fixture
def ray_cluster(deadly: Deadly, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two CPUs on this machine; workers inherit the environment."""
    import ray

    monkeypatch.setenv("PYTHONPATH", deadly.python_path)
    for name, value in RAY.items():
        monkeypatch.setenv(name, value)
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=200_000_000,
    )
    yield
    ray.shutdown()


def test_a_killed_actor_loses_nothing(
    ray_cluster: None, deadly: Deadly, pipeline: Path, tmp_path: Path
):
    import ray

    dataset = ray.data.read_parquet(str(deadly.source))
    parsed = parse_ray(dataset, deadly.pipeline, concurrency=2, rows_per_batch=16)
    parsed.write_parquet(str(tmp_path / "parsed"))
    assert int(deadly.died.read_text()) != os.getpid()
    check_every_text_once(pq.read_table(tmp_path / "parsed").to_pylist(), pipeline)
