"""Parsers with windows, position queries and selectors: trained, saved, folded, in batches; refused settings."""

import math
import pickle

import numpy as np
import pytest
import spacy
from selective_parser import LAYER, LAYERS, SELECTOR, gold_sentences, join_of, model_config, selective_nlp
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry
from thinc.api import Config
from tiny_pipeline import make_examples, parses

NO_DROPOUT = {"attention_dropout": 0.0, "relu_dropout": 0.0, "residual_dropout": 0.0}
WORDS = "She sees a dog in the park , and nobody drives 😀 ( هذا .".split()


def make_docs(nlp, lengths=(1, 0, 5, 2, 17, 1, 3, 40)):
    rng = np.random.default_rng(0)
    docs = []
    for length in lengths:
        words = [WORDS[i] for i in rng.integers(len(WORDS), size=length)]
        docs.append(Doc(nlp.vocab, words=words, sent_starts=[i == 0 for i in range(length)]))
    return docs


@pytest.fixture(scope="module", params=LAYERS)
def nlp(request):
    return selective_nlp(LAYERS[request.param])


def test_batches_and_storage(nlp, tmp_path):
    expected = parses(nlp(doc) for doc in make_docs(nlp))
    assert len({str(one) for one in expected}) > 4
    for batch_size in (1, 3, 100):
        assert parses(nlp.pipe(make_docs(nlp), batch_size=batch_size)) == expected
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for other in (
        loaded,
        pickle.loads(pickle.dumps(nlp)),
        spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes()),
    ):
        assert parses(other(doc) for doc in make_docs(other)) == expected
    assert loaded.config["components"] == nlp.config["components"]


@pytest.mark.parametrize("name", ["unfactored", "factored", "positions", "selector"])
def test_two_sentences_are_learned(name):  # D12
    layers = [{**layer, **NO_DROPOUT} for layer in LAYERS[name]]
    join = join_of(layers)
    chars = {"@misc": "spacy-lal.CharLSTM.v1", "char_width": 8, "dropout": 0.0}
    inputs = {"@misc": "spacy-lal.InputLayer.v1", "join": join, "dropout": 0.0, "*": {"chars": chars}}
    biaffine = {"@misc": "spacy-lal.BiaffineScorer.v1", "arc_width": 8, "deprel_width": 8, "dropout": 0.0}
    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("en")
    model = model_config(layers, join, inputs=inputs, hidden_width=32, biaffine_scorer=biaffine)
    nlp.add_pipe("lal_parser", config={"model": model})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    losses = []
    for _ in range(150):
        losses.append(nlp.update(examples, sgd=optimizer)["lal_parser"])
        if max(losses[-3:]) < 0.1:
            break
    assert losses[-1] < 0.1 < losses[0]
    for doc, example in zip(nlp.pipe(gold_sentences(nlp)), examples, strict=True):
        assert [token.head.i for token in doc] == [token.head.i for token in example.reference]
        assert parses([doc])[0][0] == parses([example.reference])[0][0]


SHORT = [(["Go"], [(0, 1, "VP")]), (["Go", "!"], [(0, 2, "S")]), (["Yes", ",", "go"], [(0, 3, "S"), (2, 3, "VP")])]
SHORT += [
    (["I", "saw", "it", "."], [(0, 4, "S"), (1, 3, "VP")]),
    (["I"], [(0, 1, "NP")]),
    (["I", "saw", "a", "dog", "."], [(0, 5, "S")]),
]


def short_examples(nlp):
    examples = []
    for words, spans in SHORT:
        doc = Doc(nlp.vocab, words=words, heads=[0] * len(words), deps=["ROOT"] + ["dep"] * (len(words) - 1))
        doc.spans["constituents"] = [Span(doc, *span) for span in spans]
        examples.append(Example(Doc(nlp.vocab, words=words), doc))
    return examples


@pytest.mark.parametrize("mode, on_empty", [("hard", "all"), ("sample", "all"), ("soft", "all")])
def test_sentences_of_one_to_five_words_train_calmly(mode, on_empty):
    """Rows without a chosen key are common there, and in the reference's form their gradients reach 1e7."""
    selector = {**SELECTOR, "mode": mode, "on_empty": on_empty}
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", config={"model": model_config([{**LAYER, "selector": selector}])})
    examples = short_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    network = nlp.get_pipe("lal_parser").model.attrs["get_network"](nlp.get_pipe("lal_parser").model)
    selectors = [layer.attention.selector for layer in network.encoder.layers]
    largest, losses = 0.0, []
    for _ in range(60):
        losses.append(nlp.update(examples, sgd=False)["lal_parser"])
        grads = [p.grad.norm().item() for selector in selectors for p in selector.parameters()]
        largest = max(largest, *grads)
        nlp.finish_updates(optimizer) if hasattr(nlp, "finish_updates") else nlp.get_pipe("lal_parser").finish_update(
            optimizer
        )
    assert 0.0 < largest < 100.0 and all(map(math.isfinite, losses))
    assert sum(losses[-10:]) < 0.8 * sum(losses[:10])
    assert all(parameter.isfinite().all() for parameter in network.parameters())


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


@pytest.mark.parametrize(
    "encoder, message",
    [
        ({"@misc": "spacy-lal.NoEncoder.v1", "window": 3}, "window"),
        ({"@misc": "spacy-lal.NoEncoder.v1", "selector": SELECTOR}, "selector"),
        ({"@misc": "spacy-lal.Encoder.v1", "*": {"one": LAYER}, "window": 3}, "window"),
    ],
)
def test_windows_and_selectors_without_self_attention_are_refused(encoder, message):
    model = {**model_config([LAYER]), "encoder": encoder}
    nlp = spacy.blank("en")
    with pytest.raises((ValueError, TypeError), match=message):
        nlp.add_pipe("lal_parser", config={"model": model})


def test_position_queries_of_concatenated_positions_are_refused():
    layers = [{**LAYER, "queries": "positions", "factored": False}]
    with pytest.raises(ValueError, match="requires join = \"sum\" of the inputs, got join = 'concat'"):
        spacy.blank("en").add_pipe("lal_parser", config={"model": model_config(layers)})
