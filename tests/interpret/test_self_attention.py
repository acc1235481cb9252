"""Self-attention as data, and its limits at test time: only in their block, only in their thread, never saved."""

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from interpret.tiny_parser import tiny_nlp
from selective_parser import LAYER, LAYERS, gold_sentences, selective_nlp
from spacy.tokens import Doc
from tiny_pipeline import SENTENCES, make_examples

from spacy_lal.interpret import attention_limits, self_attention

TESTS = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def nlp():
    return selective_nlp([LAYER], steps=3)


@pytest.fixture(scope="module")
def doc(nlp):
    words = [*SENTENCES[0]["words"], "\n", *SENTENCES[1]["words"]]
    return Doc(nlp.vocab, words=words, sent_starts=[i in (0, 9) for i in range(len(words))])


def scores(nlp, docs):
    parser = nlp.get_pipe("lal_parser")
    return [one.labels for one in parser.model.predict(docs)]


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name", ["factored", "positions", "selector", "selector_nothing"])
def test_weights_of_each_sentence(name):
    nlp = selective_nlp(LAYERS[name], steps=2)
    docs = gold_sentences(nlp)
    for doc, sentence in zip(docs, SENTENCES, strict=True):
        (found,) = self_attention(nlp, doc)
        n = len(sentence["words"])
        assert found.tokens == ("<START>", *sentence["words"], "<STOP>")
        assert [layer.weights.shape for layer in found.layers] == [(2, n + 2, n + 2)] * len(found.layers)
        for layer in found.layers:
            sums = layer.weights.sum(-1)
            assert np.allclose(sums[sums > 0.0], 1.0, atol=1e-4) and (sums > 0.0).any()
            if layer.choice is not None:
                assert layer.choice.dtype == bool and layer.prob.shape == layer.weights.shape
                assert not layer.choice[layer.prob < 0.5].any()
        assert [layer.choice is not None for layer in found.layers] == {
            "selector": [True, False],
            "selector_nothing": [True, True],
        }.get(name, [False] * len(found.layers))


def test_a_span_stands_for_its_sentence(nlp, doc):
    first, second = self_attention(nlp, doc)
    assert len(first.tokens) == 10 and len(second.tokens) == 7
    found = self_attention(nlp.get_pipe("lal_parser"), doc[10:12])
    assert found.tokens == second.tokens
    for one, other in zip(found.layers, second.layers, strict=True):
        assert np.array_equal(one.weights, other.weights)


def test_records_are_the_cells():
    nlp = selective_nlp(LAYERS["selector"], steps=1)
    (found,) = self_attention(nlp, gold_sentences(nlp)[1])
    records = found.records()
    assert len(records) == sum(layer.weights.size for layer in found.layers)
    record = next(r for r in records if (r["layer"], r["head"], r["query"], r["key"]) == (0, 1, 2, 3))
    assert (record["query_token"], record["key_token"]) == ("the", "person")
    layer = found.layers[0]
    assert record["weight"] == layer.weights[1, 2, 3] and record["prob"] == layer.prob[1, 2, 3]
    assert record["choice"] is bool(layer.choice[1, 2, 3])
    assert "prob" not in records[-1]


def test_sentences_without_words(nlp):
    doc = Doc(nlp.vocab, words=["\n", "Go"], sent_starts=[True, True])
    nothing, something = self_attention(nlp, doc)
    assert nothing.tokens == ("<START>", "<STOP>") and not nothing.layers[0].weights.any()
    assert something.layers[1].weights.shape == (2, 3, 3)
    assert self_attention(nlp, Doc(nlp.vocab)) == []


@pytest.mark.parametrize(
    "limits",
    [
        {"content_off": [0, 1]},
        {"position_off": [1]},
        {"window": 1},
        {"window": {1: 0}},
        {"window": 1, "relaxed_window": True},
    ],
)
def test_limits_hold_in_their_block_alone(nlp, doc, limits):
    before, weights = scores(nlp, [doc]), self_attention(nlp, doc)[0].layers
    stored = nlp.to_bytes()
    with attention_limits(nlp, **limits):
        inside = scores(nlp, [doc])
        folded = [
            one.labels
            for _, some in nlp.get_pipe("lal_parser").model.attrs["iter_scores"](
                nlp.get_pipe("lal_parser").model, [doc], pruned=True
            )
            for one in some
        ]
        changed = self_attention(nlp, doc)[0].layers
        assert nlp.to_bytes() == stored
    assert not same(inside, before) and same(scores(nlp, [doc]), before)
    for unfolded, pruned in zip(sorted(inside, key=len), sorted(folded, key=len), strict=True):
        upper = np.triu_indices(len(unfolded), 1)
        assert np.allclose(unfolded[upper][:, 2:].max(-1), pruned[upper][:, 2], atol=1e-5)
    if "window" in limits:
        width = limits["window"] if isinstance(limits["window"], int) else 0
        far = np.abs(np.subtract.outer(np.arange(10), np.arange(10))) > width
        if limits.get("relaxed_window"):
            far[[0, 1, 8, 9]] = far[:, [0, 1, 8, 9]] = False
        assert not changed[1].weights[:, far].any() and weights[1].weights[:, far].all()
        assert bool(changed[0].weights[:, far].any()) is isinstance(limits["window"], dict)


def test_limits_end_with_an_error(nlp, doc):
    before = scores(nlp, [doc])
    with pytest.raises(KeyError), attention_limits(nlp, window=1):
        raise KeyError
    assert same(scores(nlp, [doc]), before)


def test_other_threads_are_free(nlp, doc):
    free = scores(nlp, [doc])
    with attention_limits(nlp, window=1):
        limited = scores(nlp, [doc])
    assert not same(free, limited)

    def parse(i):
        if i % 2:
            with attention_limits(nlp, window=1):
                return same(scores(nlp, [doc]), limited)
        return same(scores(nlp, [doc]), free)

    with attention_limits(nlp, content_off=[0]), ThreadPoolExecutor(4) as pool:
        assert all(pool.map(parse, range(60)))


def test_other_pipelines_are_free(nlp, doc):
    other = selective_nlp([LAYER], steps=3)
    before = scores(other, [doc])
    with attention_limits(nlp, window=1):
        assert same(scores(other, [doc]), before)


def test_forked_workers_have_the_limits(nlp, doc):
    def trees(docs, **options):
        return [[tuple(map(int, one)) for one in self_trees(d)] for d in nlp.pipe(docs, batch_size=2, **options)]

    def self_trees(doc):
        return [(span.start, span.end) for span in doc.spans["constituents"]]

    docs = [doc.copy() for doc in gold_sentences(nlp) * 3]
    with attention_limits(nlp, content_off=[0, 1], position_off=[0, 1]):
        expected = trees([doc.copy() for doc in docs])
        assert trees([doc.copy() for doc in docs], n_process=2) == expected


SPAWN = """
import multiprocessing
from selective_parser import LAYER, gold_sentences, selective_nlp
from spacy_lal.interpret import attention_limits

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    nlp = selective_nlp([LAYER], steps=1)
    with attention_limits(nlp, window=1):
        try:
            list(nlp.pipe(gold_sentences(nlp), n_process=2))
        except ValueError as error:
            print(error)
"""


def test_spawned_workers_are_refused(tmp_path):
    (tmp_path / "spawn.py").write_text(SPAWN)
    run = subprocess.run(
        [sys.executable, "spawn.py"],
        cwd=tmp_path,
        env=with_tests_on_path(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "would not know its attention limits: expected none within their block" in run.stdout, run.stderr[-2000:]


def with_tests_on_path():
    import os

    paths = [str(TESTS), str(TESTS.parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


@pytest.mark.parametrize("make", [copy.deepcopy, pickle.dumps], ids=["copy", "pickle"])
def test_copies_within_a_block_are_refused(nlp, make):
    shim = nlp.get_pipe("lal_parser").model.layers[-1].shims[0]
    with attention_limits(nlp, window=1), pytest.raises(ValueError, match="would not know its attention limits"):
        make(shim)


def test_training_within_a_block_is_refused():
    nlp = selective_nlp([LAYER], steps=1)
    with attention_limits(nlp, window=1), pytest.raises(ValueError, match="expected no training in their block"):
        nlp.update(make_examples(nlp), sgd=nlp.resume_training())


@pytest.mark.parametrize(
    "name, limits, message",
    [
        ("factored", {"content_off": [2]}, "expected an integer from 0 to 1, got 2"),
        ("factored", {"window": {"0": 1}}, "expected an integer from 0 to 1, got '0'"),
        ("factored", {"window": -1}, "window: expected an integer of at least 0, got -1"),
        ("factored", {"window": "5"}, "window: expected None, an integer, or a mapping of layers to integers, got '5'"),
        ("factored", {"window": True}, "window: expected None, an integer, or a mapping"),
        ("factored", {"relaxed_window": True}, "relaxed_window = true requires a window|requires a window"),
        ("unfactored", {"position_off": [0]}, "layer 0 has no content and position parts: expected .* factored = true"),
        ("positions", {"content_off": [0]}, "layer 0 has no content and position parts"),
        ("selector", {"content_off": [0]}, "layer 0 has a selector, which reads both parts"),
    ],
)
def test_refused_limits(name, limits, message):
    nlp = selective_nlp(LAYERS[name], steps=0)
    with pytest.raises(ValueError, match=message), attention_limits(nlp, **limits):
        pass


def test_models_without_self_attention_are_refused():
    nlp = tiny_nlp(0, n_layers=0)
    doc = gold_sentences(nlp)[0]
    with pytest.raises(ValueError, match="a model without self-attention layers: its encoder has 0 layers"):
        self_attention(nlp, doc)
    with pytest.raises(ValueError, match="a model without self-attention layers"), attention_limits(nlp, window=1):
        pass


def test_windows_of_selective_and_position_layers():
    for name in ("selector", "positions"):
        nlp = selective_nlp(LAYERS[name], steps=1)
        doc = gold_sentences(nlp)[0]
        with attention_limits(nlp, window=1):
            (found,) = self_attention(nlp, doc)
        far = np.abs(np.subtract.outer(np.arange(10), np.arange(10))) > 1
        assert not any(layer.weights[:, far].any() for layer in found.layers)
