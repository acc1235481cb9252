"""Parsers with windows, position queries and selectors: trained, saved, in batches;
refused settings."""

import pickle
from typing import Any

import numpy as np
import pytest
import spacy
from small_blocks import parser_block
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Config
from tiny_pipeline import make_examples, parses

LAYER: dict[str, Any] = {
    "@misc": "spacy-lal.SelfAttentionLayer.v1",
    **{"repeat": 2, "n_heads": 2, "attn_width": 8, "ff_width": 16},
}
SELECTOR: dict[str, Any] = {"@misc": "spacy-lal.Selector.v1"}
LAYERS: dict[str, list[dict[str, Any]]] = {
    "factored": [LAYER],
    "unfactored": [{**LAYER, "factored": False}],
    "window": [{**LAYER, "window": 2}],
    "relaxed": [{**LAYER, "window": 1, "relaxed_window": True}],
    "positions": [
        {**LAYER, "queries": "positions", "factored": False, "repeat": 1},
        {**LAYER, "factored": False},
    ],
    "selector": [{**LAYER, "selector": SELECTOR, "repeat": 1}, {**LAYER, "repeat": 1}],
    "selector_nothing": [
        {**LAYER, "selector": {**SELECTOR, "on_empty": "nothing"}, "window": 3}
    ],
    "selector_soft": [{**LAYER, "selector": {**SELECTOR, "mode": "soft"}}],
}
WORDS = "She sees a dog in the park , and nobody drives 😀 ( هذا .".split()


def make_nlp(name: str, dropout: float = 0.2, **options: Any) -> spacy.Language:
    rates = {f"{kind}_dropout": dropout for kind in ("attention", "relu", "residual")}
    layers = {f"layer{i}": {**layer, **rates} for i, layer in enumerate(LAYERS[name])}
    sizes = {
        "hidden_width": 16,
        "char_width": 8,
        "span_hidden_width": 12,
        "arc_hidden_width": 8,
        **options,
    }
    model = parser_block(
        label_attention=False,
        factored=name != "positions",
        deprel_hidden_width=8,
        **sizes,
    )
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "lal_parser",
        config={
            "model": {
                **model,
                "encoder": {"@misc": "spacy-lal.Encoder.v1", "*": layers},
            }
        },
    )
    return nlp


def make_docs(nlp, lengths=(1, 0, 5, 2, 17, 1, 3, 40)):
    rng = np.random.default_rng(0)
    docs = []
    for length in lengths:
        words = [WORDS[i] for i in rng.integers(len(WORDS), size=length)]
        docs.append(
            Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(length)])
        )
    return docs


@pytest.mark.parametrize("name", LAYERS)
def test_batches_and_storage(name, tmp_path):
    nlp = make_nlp(name)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(8):
        nlp.update(examples, sgd=optimizer)
    expected = parses(nlp(doc) for doc in make_docs(nlp))
    assert len({str(one) for one in expected}) > 4
    for batch_size in (1, 3, 100):
        assert parses(nlp.pipe(make_docs(nlp), batch_size=batch_size)) == expected
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    from_bytes = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    for other in (loaded, pickle.loads(pickle.dumps(nlp)), from_bytes):
        assert parses(other(doc) for doc in make_docs(other)) == expected
    assert loaded.config["components"] == nlp.config["components"]


@pytest.mark.parametrize("name", ["unfactored", "factored", "positions", "selector"])
def test_two_sentences_are_learned(name):  # D12
    rates = {f"{kind}_dropout": 0.0 for kind in ("char", "embedding", "biaffine")}
    nlp = make_nlp(name, dropout=0.0, **{"hidden_width": 32, **rates})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    losses = []
    for _ in range(150):
        losses.append(nlp.update(examples, sgd=optimizer)["lal_parser"])
        if max(losses[-3:]) < 0.1:
            break
    assert losses[-1] < 0.1 < losses[0]
    for eg in examples:
        doc = nlp(
            Doc(
                nlp.vocab,
                words=[t.text for t in eg.reference],
                sent_starts=[t.i == 0 for t in eg.reference],
            )
        )
        assert [token.head.i for token in doc] == [
            token.head.i for token in eg.reference
        ]
        assert parses([doc])[0][0] == parses([eg.reference])[0][0]


def block(**layer):
    config = Config({"layer": {"@misc": "spacy-lal.SelfAttentionLayer.v1", **layer}})
    return registry.resolve(config)["layer"]


@pytest.mark.parametrize(
    "layer, message",
    [
        ({"window": -2}, "window: expected a number of at least 0, got -2"),
        ({"queries": "words"}, "queries"),
        ({"queries": "positions"}, 'queries = "positions" requires factored = false'),
        ({"selector": {**SELECTOR, "mode": "firm"}}, "mode"),
        ({"selector": {**SELECTOR, "mode": 3}}, "mode"),
        ({"selector": {**SELECTOR, "on_empty": "none"}}, "on_empty"),
        ({"selector": {**SELECTOR, "noise": 1.0}}, "noise"),
        ({"windows": 3}, "windows"),
    ],
)
def test_wrong_settings_are_refused_when_the_config_is_read(layer, message):
    with pytest.raises((ValueError, TypeError), match=message) as error:
        block(**layer)
    if "mode" in layer.get("selector", {}):
        assert "'hard'" in str(error.value) and "'soft'" in str(error.value)
