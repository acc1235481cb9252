"""Every model of Kitaev & Klein's table (docs/explanation/encoders.md) is a config of a
few lines: built by spaCy's config system, trained on two sentences to zero loss, saved,
folded."""

from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from tiny_pipeline import make_examples

CNN = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    **{
        "width": 16,
        "embed_size": 200,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
    },
    "pretrained_vectors": None,
}
TOK2VEC = {
    "@architectures": "spacy-lal.JoinedTok2Vec.v1",
    "*": {"first": {**CNN, "depth": 1}, "second": {**CNN, "depth": 2}},
}
FEATURES: dict[str, dict[str, Any]] = {
    **{
        name: {"@misc": f"spacy-lal.{name}.v1", "dropout": 0.0}
        for name in ("Tags", "Words", "CharLSTM")
    },
    "CharConcat": {"@misc": "spacy-lal.CharConcat.v1", "char_width": 2, "dropout": 0.0},
    "Vectors": {"@misc": "spacy-lal.Vectors.v1", "mix_layers": 2},
}
NO_DROPOUT = dict.fromkeys(
    ("attention_dropout", "relu_dropout", "residual_dropout"), 0.0
)
LAYER = {
    "@misc": "spacy-lal.SelfAttentionLayer.v1",
    **{"repeat": 2, "n_heads": 2, "attn_width": 8, "ff_width": 32, **NO_DROPOUT},
}
UNFACTORED = {"factored": False}
# Each model: its features, how positions are joined, its fenceposts, and what changes
# in its layers.
MODELS: dict[str, tuple[str, str, str, list[dict[str, Any]]]] = {
    "base": ("Tags Words", "sum", "first_second", [UNFACTORED]),
    "position-only": (
        "Tags Words",
        "sum",
        "first_second",
        [{**UNFACTORED, "queries": "positions"}],
    ),
    "position-first": (
        *("Tags Words", "sum", "first_second"),
        [
            {**UNFACTORED, "repeat": 1, "queries": "positions"},
            {**UNFACTORED, "repeat": 1},
        ],
    ),
    "concatenated": ("Tags Words", "concat", "even_odd", [UNFACTORED]),
    "control": ("Tags Words", "sum", "even_odd", [{}]),
    "factored": ("Tags Words", "concat", "even_odd", [{}]),
    "char_lstm": ("CharLSTM", "concat", "even_odd", [{}]),
    "char_concat": ("CharConcat", "concat", "even_odd", [{}]),
    "vectors": ("Vectors", "concat", "even_odd", [{}]),
    "all features": (
        "Tags Words CharLSTM CharConcat Vectors",
        "concat",
        "even_odd",
        [{}],
    ),
    "windows": (
        "Tags Words",
        "concat",
        "even_odd",
        [{"window": 2, "relaxed_window": True}],
    ),
}


def make_nlp(name):
    features, join, halves, layers = MODELS[name]
    inputs = {feature: FEATURES[feature] for feature in features.split()}
    block = {
        "@architectures": "spacy-lal.LALParser.v1",
        **{"hidden_width": 32, "label_attention": None, "biaffine_scorer": None},
        "tok2vec": TOK2VEC if "Vectors" in inputs else None,
        "inputs": {
            "@misc": "spacy-lal.InputLayer.v1",
            **{"join": join, "dropout": 0.0, "*": inputs},
        },
        "encoder": {
            "@misc": "spacy-lal.Encoder.v1",
            "*": {
                f"layer{i}": {**LAYER, **changes} for i, changes in enumerate(layers)
            },
        },
        "fenceposts": {"@misc": "spacy-lal.Fenceposts.v1", "halves": halves},
        "span_scorer": {"@misc": "spacy-lal.SpanScorer.v1", "hidden_width": 16},
    }
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "lal_parser",
        config={"model": block, "decoder": {"@misc": "spacy-lal.separate_decoder.v1"}},
    )
    return nlp


def tagged_examples(nlp):
    """The two sentences; the gold tags are read."""
    examples = []
    for eg in make_examples(nlp):
        words, tags = (
            [token.text for token in eg.reference],
            [token.tag_ for token in eg.reference],
        )
        starts = [True] + [False] * (len(words) - 1)
        examples.append(
            Example(
                Doc(nlp.vocab, words=words, tags=tags, sent_starts=starts), eg.reference
            )
        )
    return examples


def train(nlp):
    """Train to zero loss. RETURNS: The last losses."""
    spacy.util.fix_random_seed(0)
    examples = tagged_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.005
    losses = []
    for _ in range(150):
        losses.append(nlp.update(examples, sgd=optimizer)["lal_parser"])
        if losses[-1] < 1e-5:
            break
    return losses


@pytest.mark.parametrize("name", MODELS)
def test_two_sentences_to_zero_loss(name, tmp_path):
    nlp = make_nlp(name)
    losses = train(nlp)
    assert losses[0] > 5.0 and losses[-1] == pytest.approx(0.0, abs=1e-5)
    golds = [eg.reference for eg in tagged_examples(nlp)]
    docs = [nlp.get_pipe("lal_parser")(eg.predicted) for eg in tagged_examples(nlp)]
    for doc, gold in zip(docs, golds, strict=True):
        assert doc[:]._.parse_string == gold[
            :
        ]._.parse_string and not doc.has_annotation("DEP")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert (
        loaded.config["components"]["lal_parser"]["model"]
        == nlp.config["components"]["lal_parser"]["model"]
    )
    models = [one.get_pipe("lal_parser").model for one in (nlp, loaded)]
    found = [
        model.predict([eg.predicted for eg in tagged_examples(nlp)]) for model in models
    ]
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one.labels, two.labels)
