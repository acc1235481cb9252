"""Gradients on their way into the network: padding; those of the loss against plain
autograd over full charts."""

from dataclasses import asdict

import numpy
import pytest
import small_blocks
import torch
from dense import to_dense
from thinc.api import fix_random_seed

from spacy_lal.layers.parser_scorers import SpanScorer
from spacy_lal.loss.gold import GoldParse
from spacy_lal.loss.parser import ParserLoss
from spacy_lal.models.batches import NetworkBatch, SentenceFeatures, VectorRows
from spacy_lal.models.parser import ParserTask
from spacy_lal.models.torch.network import network_layer
from spacy_lal.scores import ParserScores, ScoresGradient, SparseGradient

SETTINGS = {"span_hidden_width": 9, "arc_hidden_width": 7}  # no two scorers alike
CONFIGS = {
    "default": {},
    "no_label_attention": {"label_attention": False},
    "as_bundled": {
        "n_layers": 0,
        "factored": False,
        "label_own_projection": True,
        "whole_tokens": True,
    },
    "arcs_from_tokens": {
        "label_own_projection": True,
        "whole_tokens": True,
        "arcs_from_tokens": True,
    },
    "ties": {"label_ties": True, "n_label_heads": 3, "whole_tokens": True},
}
N_LABELS, N_DEPRELS = 5, 4


def make_gold(n, rng, has_tree=True, has_heads=True):
    labels = numpy.zeros((n + 1, n + 1), dtype=numpy.int32)

    def add(start, end):
        labels[start, end] = rng.integers(end - start == n, N_LABELS)
        if end - start > 1:
            split = rng.integers(start + 1, end)
            add(start, split)
            add(split, end)

    if n:
        add(0, n)
    heads, deprels = rng.integers(0, n + 1, n), rng.integers(-1, N_DEPRELS, n)
    if not has_heads:
        heads, deprels = heads * 0 - 1, deprels * 0 - 1
    return GoldParse(
        labels if has_tree else None,
        heads.astype(numpy.int32),
        deprels.astype(numpy.int32),
    )


GOLDS = {
    "both": lambda rng: [make_gold(n, rng) for n in (4, 9, 2, 6)],
    "no_trees": lambda rng: [make_gold(n, rng, has_tree=False) for n in (4, 9, 2)],
    "some_trees": lambda rng: [
        make_gold(4, rng, has_tree=False),
        make_gold(9, rng, has_heads=False),
    ],
    "short": lambda rng: [make_gold(n, rng) for n in (0, 1, 1, 0)],
    "nothing": lambda rng: [
        make_gold(n, rng, has_tree=False, has_heads=False) for n in (3, 1)
    ],
}


def make_network(**settings):
    fix_random_seed(1)
    config, sizes = small_blocks.network_config(
        **SETTINGS, **settings, n_labels=N_LABELS, n_deprels=N_DEPRELS
    )
    model = network_layer("parser_network", ParserTask(config))
    model.shims[0].set_sizes(asdict(sizes))
    model.shims[0].build()
    for parameter in model.shims[0].network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def make_batch(lengths, rng):
    ends = numpy.cumsum(lengths)
    rows = [numpy.arange(end - n, end) for end, n in zip(ends, lengths, strict=True)]
    data = rng.normal(size=(sum(lengths), 6)).astype("float32")
    return NetworkBatch(
        [SentenceFeatures(one) for one in rows], VectorRows(data, rows, False)
    )


def plain_chart(scorer, fenceposts, lengths):
    label_heads = None if scorer.ties is None else scorer.ties(fenceposts)
    spans = fenceposts[:, None] - fenceposts[:, :, None]
    scores = scorer.output(scorer.norm(scorer.hidden(spans)).relu())
    if label_heads is not None:
        own = label_heads[:, None] - label_heads[:, :, None]
        own = own[..., : scores.shape[-1] - 1]
        scores = scores + torch.nn.functional.pad(own, (1, 0))
    places = torch.arange(fenceposts.shape[1])
    real = (places[:, None] < places) & (places <= lengths[:, None, None])
    chart = torch.nn.functional.pad(scores, (1, 0)) * real.unsqueeze(-1)
    return chart, label_heads


def plain_deprels(scorer, head, dependent):
    from_head = torch.nn.functional.linear(
        head, scorer.deprel_from_head, scorer.deprel_bias
    )
    from_dependent = dependent @ scorer.deprel_from_dependent.T
    return (
        torch.einsum("bhi,rij,bdj->bdhr", head, scorer.deprel_bilinear, dependent)
        + from_head.unsqueeze(1)
        + from_dependent.unsqueeze(2)
    )


def train_once(model, batch, make_gradient):
    fix_random_seed(2)  # the dropout masks of both forms
    network = model.shims[0].network
    network.zero_grad()
    scores, backprop = model.begin_update(batch)
    d_data = backprop(make_gradient(scores))
    named = {
        name: p.grad.numpy().copy()
        for name, p in network.named_parameters()
        if p.grad is not None
    }
    return scores, {**named, "vectors": d_data}


@pytest.mark.parametrize("golds", GOLDS)
@pytest.mark.parametrize("name", CONFIGS)
def test_every_gradient_equals_that_of_full_charts(name, golds, monkeypatch):
    rng = numpy.random.default_rng(3)
    golds = GOLDS[golds](rng)
    model = make_network(**CONFIGS[name])
    batch = make_batch([len(gold.heads) for gold in golds], rng)
    gradients = []

    def of_loss(scores):
        gradients.extend(ParserLoss()(scores, golds)[1])
        return gradients

    def in_full(scores):
        dense = []
        for gradient, one in zip(gradients, scores, strict=True):
            pairs = zip(gradient[:3], one[:3], strict=True)
            arrays = (to_dense(d, a.shape) for d, a in pairs)
            dense.append(ParserScores(*arrays, label_heads=gradient.label_heads))
        return dense

    scores, ours = train_once(model, batch, of_loss)
    monkeypatch.setattr(SpanScorer, "forward", plain_chart)
    monkeypatch.setattr(
        type(model.shims[0].network.biaffine_scorer), "score_deprels", plain_deprels
    )
    plain_scores, plain = train_once(model, batch, in_full)
    for one, other in zip(scores, plain_scores, strict=True):
        for array, expected in zip(one[:3], other[:3], strict=True):
            assert numpy.allclose(array, expected, atol=1e-5)
    assert ours.keys() == plain.keys()
    for key, gradient in ours.items():
        assert numpy.allclose(gradient, plain[key], rtol=1e-5, atol=1e-5), key
    scored = any(
        gold.labels is not None or (gold.heads >= 0).any()
        for gold in golds
        if len(gold.heads)
    )
    assert any(gradient.any() for gradient in ours.values()) == scored


def test_sparse_gradients_add_up():
    shapes = (2, 4, 4, 5), (2, 4, 4), (2, 4, 4, 3)
    output = ParserScores(*(torch.zeros(shape, requires_grad=True) for shape in shapes))
    d_scores = []
    for n in (3, 2):
        labels = SparseGradient(numpy.array([(0, 1, 2)]), numpy.full(1, 7.0, "f4"))
        deprels = SparseGradient(
            numpy.array([[1, 0], [1, 0]]), numpy.ones((2, 3), "f4")
        )
        d_scores.append(
            ScoresGradient(labels, numpy.ones((n + 1, n + 1), "f4"), deprels)
        )
    torch.autograd.backward(*ParserTask(None).gradients(output, d_scores))
    labels, arcs, deprels = (tensor.grad for tensor in output[:3])
    assert labels.sum() == 14.0 and labels[1, 0, 1, 2] == 7.0
    assert deprels.sum() == 12.0 and deprels[0, 1, 0].tolist() == [2.0] * 3
    assert arcs[0].all() and arcs[1, :3, :3].all() and arcs.sum() == 16 + 9
