"""The whole network: a sentence that is the same alone as in any batch; fenceposts."""

import pytest
import torch
from small_blocks import make_network

from spacy_lal.layers.configs import FencepostsConfig
from spacy_lal.layers.inputs import NetworkInputs
from spacy_lal.layers.parser_network import Fenceposts

SMALL = {
    "vector_width": 0,
    "hidden_width": 16,
    "n_layers": 2,
    "n_attn_heads": 2,
    "attn_width": 8,
    "ff_width": 20,
    "max_positions": 9,
    "n_label_heads": 5,
    "label_attn_width": 6,
    "label_proj_width": 4,
    "span_hidden_width": 7,
    "arc_hidden_width": 6,
    "deprel_hidden_width": 5,
    "n_labels": 6,
    "n_deprels": 3,
    "n_tags": 8,
    "scale_label_blocks": False,
}
LENGTHS = [4, 1, 11, 7]  # the longest wraps around the position table
OPTIONS = {
    "default": {},
    "whole": {"factored": False},
    "no_label_attention": {"label_attention": False},
    "own_projection": {"label_own_projection": True, "whole_tokens": True},
    "vectors": {"vector_width": 6, "n_tags": 0},
    "all_inputs": {"vector_width": 6, "n_words": 7, "n_chars": 9, "char_width": 4},
    "only_trees": {"n_deprels": 0},
    "only_arcs": {"n_labels": 0},
    "no_self_attention": {"n_layers": 0},
    "whole_tokens": {"whole_tokens": True, "scale_label_blocks": True},
    "spans_from_tokens": {
        "whole_tokens": True,
        "spans_from_tokens": True,
        "scale_label_blocks": True,
    },
    "arcs_from_tokens": {
        "whole_tokens": True,
        "arcs_from_tokens": True,
        "scale_label_blocks": True,
    },
    "ties": {
        "label_ties": True,
        "n_label_heads": 4,
        "whole_tokens": True,
        "label_proj_width": 5,
        "scale_label_blocks": True,
    },
    "ties_own_span_projections": {
        **{"span_own_projections": True, "label_ties": True, "n_label_heads": 4},
        **{"whole_tokens": True, "scale_label_blocks": True},
    },
}


def build(name):
    torch.manual_seed(0)
    network = make_network(**{**SMALL, **OPTIONS[name]}).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return network


def make_inputs(network, lengths, seed=3):
    sizes = network.sizes
    generator = torch.Generator().manual_seed(seed)
    seq_len = max(LENGTHS) + 2

    def ids(size, *shape):
        return torch.randint(1, size, shape, generator=generator) if size else None

    shape = (len(LENGTHS), seq_len)
    everything = {
        "vectors": torch.randn(*shape, sizes.vector_width, generator=generator)
        if sizes.vector_width
        else None,
        "tag_ids": ids(sizes.n_tags, *shape),
        "word_ids": ids(sizes.n_words, *shape),
        "char_ids": ids(sizes.n_chars, *shape, 5),
        "char_lengths": torch.full(shape, 5),
    }
    kept = [LENGTHS.index(n) for n in lengths]
    cut = {
        name: value[kept, : max(lengths) + 2]
        for name, value in everything.items()
        if value is not None
    }
    return NetworkInputs(torch.tensor(lengths), **cut)


def sentence_of(output, row, n):
    deprels = output.deprels[row, : n + 1]
    return [
        output.labels[row, : n + 1, : n + 1],
        output.arcs[row, : n + 1, : n + 1],
        deprels[:, : n + 1] if deprels.dim() == 3 else deprels,
        *([] if output.label_heads is None else [output.label_heads[row, : n + 1]]),
    ]


@pytest.mark.parametrize("name", OPTIONS)
def test_a_sentence_is_the_same_alone_and_in_any_batch(name):
    network = build(name)
    batch, (_, weights) = (
        network(make_inputs(network, LENGTHS)),
        network.encode(make_inputs(network, LENGTHS)),
    )
    for row, n in enumerate(LENGTHS):
        alone = network(make_inputs(network, [n]))
        for left, right in zip(
            sentence_of(alone, 0, n), sentence_of(batch, row, n), strict=True
        ):
            assert torch.allclose(left, right, atol=1e-5)
        if network.label_attention is not None:
            own = network.encode(make_inputs(network, [n]))[1]
            assert torch.allclose(own[0], weights[row, :, : n + 2], atol=1e-5)
            assert not weights[row, :, n + 2 :].any()
    pair = network(make_inputs(network, [7, 4]))
    for left, right in zip(
        sentence_of(pair, 0, 7), sentence_of(batch, 3, 7), strict=True
    ):
        assert torch.allclose(left, right, atol=1e-5)


@pytest.mark.parametrize("name", OPTIONS)
def test_gradients_are_the_same_alone_and_in_a_batch(name):
    network = build(name).double()

    def gradients(groups):
        network.zero_grad()
        for lengths in groups:
            inputs = make_inputs(network, lengths)
            vectors = None if inputs.vectors is None else inputs.vectors.double()
            output = network(inputs._replace(vectors=vectors))
            for row, n in enumerate(lengths):
                sum(
                    scores.square().sum() for scores in sentence_of(output, row, n)
                ).backward(retain_graph=True)
        return {
            k: p.grad.clone()
            for k, p in network.named_parameters()
            if p.grad is not None
        }

    alone, batch = gradients([[n] for n in LENGTHS]), gradients([LENGTHS])
    assert alone.keys() == batch.keys()
    for key, gradient in alone.items():
        assert torch.allclose(gradient, batch[key], rtol=1e-6, atol=1e-9), key


@pytest.mark.parametrize("name", OPTIONS)
def test_every_parameter_gets_a_gradient_in_training(name):
    network = build(name).train()
    output = network(make_inputs(network, LENGTHS))
    heads = [] if output.label_heads is None else [output.label_heads]
    sum(scores.square().sum() for scores in [*output[:3], *heads]).backward()
    assert [
        key
        for key, p in network.named_parameters()
        if p.grad is None or not torch.isfinite(p.grad).all()
    ] == []


def test_a_head_is_tied_by_its_own_block():
    network = build("ties")
    inputs, (start, end) = make_inputs(network, [7]), (2, 5)
    spans = []
    network.fenceposts.register_forward_hook(
        lambda layer, args, posts: spans.append(posts[0, end] - posts[0, start])
    )
    ties = network(inputs).label_heads[0]
    n_heads, weight = (
        network.label_attention.n_label_heads,
        network.span_scorer.ties.weight,
    )
    for head in range(n_heads):
        columns = [
            head * 2,
            head * 2 + 1,
            *(n_heads * 2 + head * 3 + i for i in range(3)),
        ]  # 2 forward, 3 backward
        assert torch.allclose(
            ties[end, head] - ties[start, head],
            spans[0][columns] @ weight[head],
            atol=1e-5,
        )


@pytest.mark.parametrize(
    "name, reads_blocks", [("whole_tokens", True), ("arcs_from_tokens", False)]
)
def test_whether_label_heads_have_a_part_in_arcs(name, reads_blocks):
    network = build(name)
    inputs = make_inputs(network, LENGTHS)
    before = network(inputs)
    torch.nn.init.zeros_(
        network.label_attention.norm.gain
    )  # blocks are now alike on all tokens
    after = network(inputs)
    assert not torch.allclose(after.labels, before.labels)
    assert torch.equal(after.arcs, before.arcs) is not reads_blocks
    assert torch.equal(after.deprels, before.deprels) is not reads_blocks


@pytest.mark.parametrize("name", ["default", "all_inputs"])
def test_mixed_precision(name):
    network = build(name)
    inputs = make_inputs(network, LENGTHS)
    full = network(inputs)
    network.train()
    network(inputs)  # dropout and all
    network.eval()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = network(inputs)
    sum(scores.float().square().sum() for scores in half[:3]).backward()
    assert all(
        torch.isfinite(p.grad).all() for p in network.parameters() if p.grad is not None
    )
    assert (half.arcs.float() - full.arcs).abs().mean() < 0.05 * full.arcs.abs().mean()


WIDTH, HEADS, BLOCK = 8, 3, 4


@pytest.mark.parametrize("scaled", [True, False])
def test_label_blocks_then_the_whole_tokens_on_either_side(scaled):
    config = FencepostsConfig(token_skip=True, scale_label_blocks=scaled)
    layout = config.layout(WIDTH, HEADS * BLOCK, HEADS, factored=True)
    encoded, tokens = torch.randn(2, 6, HEADS * BLOCK), torch.randn(2, 6, WIDTH)
    fenceposts = Fenceposts(layout)(encoded, tokens)
    assert fenceposts.shape == (2, 5, layout.width)
    scale = WIDTH / (HEADS * BLOCK) if scaled else 1.0
    for sentence in range(2):
        for k in range(5):
            left = encoded[sentence, k].view(HEADS, BLOCK)[:, : BLOCK // 2].flatten()
            right = (
                encoded[sentence, k + 1].view(HEADS, BLOCK)[:, BLOCK // 2 :].flatten()
            )
            expected = torch.cat(
                [
                    left * scale,
                    right * scale,
                    tokens[sentence, k],
                    tokens[sentence, k + 1],
                ]
            )
            torch.testing.assert_close(fenceposts[sentence, k], expected)


def test_only_whole_tokens():
    layout = FencepostsConfig(token_skip=True).layout(WIDTH, WIDTH, 0, factored=True)
    tokens = torch.randn(1, 3, WIDTH)
    expected = torch.cat([tokens[:, :-1], tokens[:, 1:]], dim=-1)
    assert torch.equal(Fenceposts(layout)(tokens, tokens), expected)


@pytest.mark.parametrize(
    "halves, forward, backward",
    [
        ("even_odd", slice(0, None, 2), slice(1, None, 2)),
        ("first_second", slice(0, WIDTH // 2), slice(WIDTH // 2, None)),
    ],
)
def test_halves_of_tokens_without_blocks(halves, forward, backward):
    tokens = torch.randn(2, 4, WIDTH)
    expected = torch.cat([tokens[:, :-1, forward], tokens[:, 1:, backward]], dim=-1)
    layout = FencepostsConfig(halves=halves).layout(WIDTH, WIDTH, 0, factored=True)
    assert torch.equal(Fenceposts(layout)(tokens, tokens), expected)


@pytest.mark.parametrize(
    "options, n_heads, factored, halves",
    [({}, 0, True, "even_odd"), ({}, 0, False, "first_second")],
)
def test_halves_that_are_not_named(options, n_heads, factored, halves):
    sizes = WIDTH, HEADS * BLOCK if n_heads else WIDTH, n_heads, factored
    named = FencepostsConfig(halves=halves, **options).layout(*sizes)
    assert FencepostsConfig(**options).layout(*sizes) == named


def test_columns_of_blocks_of_odd_width():
    layout = FencepostsConfig().layout(
        8, 15, 3, factored=True
    )  # 3 heads of 2 + 3 features
    assert layout.block_columns([1]).tolist() == [2, 3, 9, 10, 11]
