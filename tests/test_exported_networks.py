"""Networks without a NumPy form: packaged with `lal compact`'s library, they parse
where torch is not installed, with the scores that torch gives."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from parses_exported import parses
from role_examples import MODEL
from tiny_pipeline import make_examples

from spacy_lal.annotations import set_propositions
from spacy_lal.layers.roles_network import RolesNetwork
from spacy_lal.models.torch.network import NetworkShim
from spacy_lal.training.packaging import write_package
from spacy_lal.trees.roles import Proposition

CNN = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 8,
    "embed_size": 100,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
    "pretrained_vectors": None,
}
BILSTM = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 8,
        "attrs": ["NORM"],
        "rows": [100],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy-lal.BiLSTMEncoder.v1",
        "width": 8,
        "depth": 2,
    },
}
TOK2VEC = {
    "@architectures": "spacy-lal.JoinedTok2Vec.v1",
    "*": {"first": {**CNN, "depth": 1}, "second": BILSTM},
}
FEATURES: dict[str, dict[str, Any]] = {
    **{name: {"@misc": f"spacy-lal.{name}.v1"} for name in ("Tags", "Words")},
    "CharLSTM": {"@misc": "spacy-lal.CharLSTM.v1", "char_width": 4},
    "CharConcat": {"@misc": "spacy-lal.CharConcat.v1", "char_width": 2},
    "Vectors": {"@misc": "spacy-lal.Vectors.v1", "mix_layers": 2},
}
LAYER = {
    "@misc": "spacy-lal.SelfAttentionLayer.v1",
    "n_heads": 2,
    "attn_width": 8,
    "ff_width": 16,
}
SELECTOR = {"@misc": "spacy-lal.Selector.v1"}
LABEL_ATTENTION = {"@misc": "spacy-lal.LabelAttention.v1", "attn_width": 8}
OWN = {"@misc": "spacy-lal.SyntaxAttention.v1", "heads": "own", "arc_width": 8}
UNFACTORED = {**LAYER, "factored": False}
# By component: word features, how positions are joined, layers, other blocks.
Parsers = dict[str, tuple[str, str, list[dict[str, Any]], dict[str, Any]]]
# Kitaev & Klein's factored model with a window, Geng et al.'s selector, and a BiLSTM
FACTORED: Parsers = {
    "parser factored": (
        "Tags Words CharConcat Vectors",
        "concat",
        [{**LAYER, "window": 2, "relaxed_window": True, "selector": SELECTOR}],
        {},
    )
}
# their base model with an LSTM over characters, attention from positions, and label
# attention
BASE: Parsers = {
    "parser base": (
        "Tags CharLSTM",
        "sum",
        [{**UNFACTORED, "queries": "positions"}, UNFACTORED],
        {
            "label_attention": LABEL_ATTENTION,
            "fenceposts": {"@misc": "spacy-lal.Fenceposts.v1", "token_skip": True},
            "span_scorer": {
                "@misc": "spacy-lal.SpanScorer.v1",
                "separate_endpoints": True,
                "label_heads": True,
            },
        },
    )
}
LISA = {"roles own": {"syntax": OWN}}

SEES = Proposition(1, "see.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 4, "ARG1")), "see")


def make_nlp(parsers: Parsers, roles: dict[str, Any]):
    """An untrained pipeline."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    tags = nlp.add_pipe("attribute_ruler")
    for name, (features, join, layers, blocks) in parsers.items():
        block = {
            "@architectures": "spacy-lal.LALParser.v1",
            "hidden_width": 16,
            "tok2vec": TOK2VEC if "Vectors" in features else None,
            "inputs": {
                "@misc": "spacy-lal.InputLayer.v1",
                "join": join,
                "*": {feature: FEATURES[feature] for feature in features.split()},
            },
            "encoder": {
                "@misc": "spacy-lal.Encoder.v1",
                "*": {f"layer{i}": layer for i, layer in enumerate(layers)},
            },
            "label_attention": None,
            "span_scorer": {"@misc": "spacy-lal.SpanScorer.v1", "hidden_width": 16},
            "biaffine_scorer": {"@misc": "spacy-lal.BiaffineScorer.v1"},
        }
        nlp.add_pipe("lal_parser", name, config={"model": {**block, **blocks}})
    tok2vec = {**CNN, "depth": 1}
    for name, blocks in roles.items():
        block = {**MODEL, "tok2vec": tok2vec, **blocks}
        nlp.add_pipe("lal_srl", name, config={"model": block})
    examples = make_examples(nlp)
    for eg in examples:
        set_propositions(eg.reference, [SEES])
    nlp.initialize(lambda: examples)
    tags.add([[{}]], {"TAG": "NN"})
    return nlp


@pytest.mark.parametrize(
    ("parsers", "roles"),
    [(FACTORED, LISA), pytest.param(BASE, {}, marks=pytest.mark.slow)],
)
def test_parses_without_torch_are_those_of_torch(parsers, roles, tmp_path, capfd):
    pytest.importorskip("onnxscript")
    package = tmp_path / "package"
    done = write_package(make_nlp(parsers, roles), package, lean=True)
    names = [*parsers, *roles]
    graphs = [name for name in names if "factored" in name] + names
    lines = [f"{name} has its network as a graph" for name in graphs]
    assert sorted(done) == sorted(lines)
    assert capfd.readouterr() == ("", "")

    program = Path(__file__).with_name("parses_exported.py")
    command = [sys.executable, str(program), str(package), str(tmp_path / "found.npz")]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    without_torch = numpy.load(tmp_path / "found.npz")

    nlp = spacy.load(package)
    shims = [
        shim
        for name in names
        for node in nlp.get_pipe(name).model.walk()
        for shim in node.shims
        if isinstance(shim, NetworkShim)
    ]
    assert len(shims) == len(graphs)
    for shim in shims:
        assert shim.inference is not None
        shim.graph, shim.made = b"", None
        assert shim.inference is None
    in_torch = parses(nlp)
    assert list(without_torch) == list(in_torch)
    for name, array in in_torch.items():
        if isinstance(array, numpy.ndarray):
            close = {"atol": 1e-4, "err_msg": name}
            numpy.testing.assert_allclose(without_torch[name], array, **close)
        else:
            assert without_torch[name].tolist() == array


def test_what_is_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnx_ir", None)
    (line,) = write_package(make_nlp({}, LISA), tmp_path / "package")
    assert line.startswith("roles own stays in torch: ")
    assert line.endswith("pip install 'spacy-lal[train]'")


def test_what_depends_on_the_batch_stays_in_torch(monkeypatch, tmp_path):
    monkeypatch.setattr(RolesNetwork, "depends_on_batch", True)
    (line,) = write_package(make_nlp({}, LISA), tmp_path / "package")
    assert line.startswith("roles own stays in torch: ")
