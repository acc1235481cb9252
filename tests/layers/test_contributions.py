"""The parts of a label score add up to it, in every shape of network."""

import pytest
import torch
from layers.test_parser_network import LENGTHS, OPTIONS, SMALL, build, make_inputs
from tiny_network import make_network

from spacy_lal.layers.contributions import (
    encode_sentences,
    score_spans,
    span_vectors,
    split_scores,
    sum_blocks,
)

WITH_SPANS = sorted(name for name, options in OPTIONS.items() if options.get("n_labels") != 0)


def all_cells(n, n_labels):
    return [(i, j, y) for i in range(n) for j in range(i + 1, n + 1) for y in range(1, n_labels)]


def split(network, n):
    """All cells of a sentence of n words, their parts, and the chart."""
    inputs = make_inputs(network, [n])
    cells = all_cells(n, network.sizes.n_labels)
    vectors = span_vectors(network, encode_sentences(network, inputs).fenceposts[0], [(i, j) for i, j, _ in cells])
    parts = split_scores(network, vectors, torch.tensor([y for *_, y in cells]))
    return cells, vectors, parts, network(inputs).labels[0].detach()


@pytest.mark.parametrize("name", WITH_SPANS)
def test_parts_add_up_to_the_score(name):
    network = build(name)
    for n in LENGTHS:
        cells, _, parts, chart = split(network, n)
        scores = torch.stack([chart[cell] for cell in cells])
        total = parts.bias + parts.blocks.sum(1) + parts.tokens
        assert (total - scores).abs().max() < 1e-4
        attention = network.label_attention
        heads = attention.n_label_heads if attention is not None and network.fenceposts.layout.n_label_heads else 0
        assert parts.blocks.shape == (len(cells), heads)
        assert bool(parts.tokens.any()) == (network.config.fenceposts.token_skip or not heads)


def test_a_single_hidden_unit_is_not_normalised():
    torch.manual_seed(0)
    network = make_network(**{**SMALL, "span_hidden_width": 1}).eval()
    cells, _, parts, chart = split(network, 7)
    scores = torch.stack([chart[cell] for cell in cells])
    assert (parts.bias + parts.blocks.sum(1) + parts.tokens - scores).abs().max() < 1e-4


@pytest.mark.parametrize("name", ["default", "odd_blocks", "whole_tokens"])
def test_a_part_is_that_of_its_block(name):
    """By the rule written out for one block: its share of W1 s, through the norm and the units that are active."""
    network = build(name)
    proj_width, n_label_heads = network.config.label_attention.proj_width, network.n_label_heads
    _, vectors, parts, _ = split(network, 4)
    row, head = 5, 2
    first = proj_width // 2
    forward = range(head * first, (head + 1) * first)
    last = proj_width - first
    offset = n_label_heads * first
    backward = range(offset + head * last, offset + (head + 1) * last)
    indices = [*forward, *backward]

    scorer = network.double().span_scorer
    weight = scorer.hidden.weight.detach()
    vector = vectors[row].double()
    hidden = weight @ vector + scorer.hidden.bias.detach()
    scale = 1.0 / (hidden.std() + 1e-3)
    active = scorer.norm.gain * (hidden - hidden.mean()) * scale + scorer.norm.bias > 0
    _, _, label = all_cells(4, network.sizes.n_labels)[row]
    share = weight[:, indices] @ vector[indices]
    expected = (scorer.output.weight[label - 1] * active * scorer.norm.gain * (share - share.mean()) * scale).sum()
    assert parts.blocks[row, head].item() == pytest.approx(expected.item(), abs=1e-5)


def test_scores_of_spans_are_those_of_the_chart():
    network = build("whole_tokens")
    inputs = make_inputs(network, [7])
    spans = [(0, 7), (2, 3), (1, 5)]
    scores = score_spans(network, span_vectors(network, encode_sentences(network, inputs).fenceposts[0], spans))
    chart = network(inputs).labels[0]
    for span, row in zip(spans, scores, strict=True):
        assert torch.allclose(row, chart[span], atol=1e-5)
    assert not scores[:, 0].any()


def test_attention_is_the_networks():
    network = build("query_per_token")
    inputs = make_inputs(network, LENGTHS)
    expected = network(inputs, return_attention=True).label_attention
    assert torch.allclose(encode_sentences(network, inputs).label_attention, expected)
    assert encode_sentences(build("no_label_attention"), inputs).label_attention is None


def test_blocks_of_odd_width():
    layout = build("odd_blocks").fenceposts.layout  # 5 heads of 2 + 3 features
    features = torch.arange(25.0)[None]
    assert sum_blocks(layout, features).tolist() == [
        [2 * (2 * k) + 1 + 3 * (10 + 3 * k) + 3 for k in range(5)],
    ]


def test_a_network_without_spans_is_refused():
    network = build("only_arcs")
    fenceposts = encode_sentences(network, make_inputs(network, [4])).fenceposts[0]
    with pytest.raises(ValueError, match="scores no spans"):
        span_vectors(network, fenceposts, [(0, 1)])
    with pytest.raises(ValueError, match="scores no spans"):
        split_scores(network, fenceposts[1:2], torch.tensor([1]))


@pytest.mark.parametrize("name", ["default", "ties"])
def test_no_spans(name):
    network = build(name)
    scores = score_spans(network, torch.zeros(0, network.fenceposts.layout.width))
    assert scores.shape == (0, network.sizes.n_labels)
