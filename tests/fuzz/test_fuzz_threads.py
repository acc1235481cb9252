"""Threads that share the bundled pipeline; see `benchmarks/fuzzing/threads.py`."""

import random
from pathlib import Path

import pytest
import spacy

ROOT = Path(__file__).resolve().parents[2]
__test__ = bool(
    list((ROOT / "packages").glob("en_lal_md-*"))
)  # as in test_en_lal_md.py


def test_two_thousand_texts_by_asyncio(fuzzer):
    """Half of them alone, half in small batches: four threads find what one finds."""
    threads = fuzzer("threads")
    texts = threads.make_texts(2000, random.Random(0))
    nlp = spacy.load("en_lal_md")
    docs = threads.by_to_thread(nlp, texts[:1000], 4) + threads.by_to_thread(
        nlp, texts[1000:], 4, batch_size=8
    )
    assert [doc.text for doc in docs] == texts
    assert not threads.differences(nlp, texts, [threads.parse_of(doc) for doc in docs])


@pytest.mark.parametrize("seed", [1, 2])
def test_fuzz(fuzzer, seed):
    report = fuzzer("threads").fuzz(60, seed)
    assert report.n_cases == 60
    assert not report.failures
