"""Label attention in its factorised form against the layer as the paper and the
reference write it."""

import math
from itertools import combinations

import pytest
import torch

from spacy_lal.checkpoint.layers import ReferenceLabelAttentionConfig
from spacy_lal.layers.configs import LabelAttentionConfig
from spacy_lal.layers.label_attention import LabelAttentionLayer, build_label_attention

N_HEADS, WIDTH = 5, 8
REFERENCE = ("query_per_token", "combine_as_self", "scrambled_queries")


def make_layer(factored, reference=(), **options):
    """reference: options of the reference that are on; without one, the layer is
    ours."""
    torch.manual_seed(0)
    config = ReferenceLabelAttentionConfig if reference else LabelAttentionConfig
    options = {"attention_dropout": 0.0, **dict.fromkeys(reference, True), **options}
    block = config(attn_width=6, proj_width=4, factored=factored, **options)
    layer = build_label_attention(block, WIDTH, N_HEADS)
    assert (type(layer) is LabelAttentionLayer) is (not reference)
    return layer


def plain_layer(layer, reference, inputs, batch_size, sentence):
    """Mrini et al. 2020, Eq. 1-4: one sentence without padding, one head after the
    other."""
    parts = list(
        zip(
            layer.widths, inputs.split(list(layer.widths.values()), dim=-1), strict=True
        )
    )
    contexts, means = [], []
    for head in range(N_HEADS):
        keys = torch.cat([x @ layer.key[part][head] for part, x in parts], dim=-1)
        values = torch.cat([x @ layer.value[part][head] for part, x in parts], dim=-1)
        if "query_per_token" in reference:
            queries = torch.cat(
                [x @ layer.query[part][head] for part, x in parts], dim=-1
            )
        else:
            asked = (
                (head * batch_size + sentence) % N_HEADS
                if "scrambled_queries" in reference
                else head
            )
            queries = torch.cat(
                [layer.query[part][asked] for part, _ in parts], dim=-1
            ).unsqueeze(0)
        weights = torch.softmax(queries @ keys.T / math.sqrt(WIDTH), dim=-1)
        means.append(weights.mean(0))
        contexts.append((weights @ values).expand(len(inputs), -1))
    split = [context.chunk(len(parts), dim=-1) for context in contexts]
    if "combine_as_self" in reference:
        joined = [
            layer.output[part](torch.cat([s[i] for s in split], dim=-1))
            for i, (part, _) in enumerate(parts)
        ]
        return layer.norm(torch.cat(joined, dim=-1) + inputs), torch.stack(means)
    blocks = []
    for context in split:
        update = torch.cat(
            [layer.output[part](context[i]) for i, (part, _) in enumerate(parts)],
            dim=-1,
        )
        blocks.append(layer.norm(layer.reduce(inputs + update)))
    return torch.cat(blocks, dim=-1), torch.stack(means)


@pytest.mark.parametrize("factored", [True, False])
@pytest.mark.parametrize(
    "reference",
    [one for n in range(4) for one in combinations(REFERENCE, n)],
    ids=lambda one: "+".join(one) or "ours",
)
def test_equals_the_plain_layer(factored, reference):
    layer = make_layer(factored, reference).eval()
    lengths, inputs = [4, 7, 2], torch.randn(3, 7, WIDTH)
    padding = torch.arange(7) >= torch.tensor(lengths)[:, None]
    output, weights = layer(inputs, padding)
    width, _ = layer.config.blocks(WIDTH, N_HEADS)
    assert output.shape == (3, 7, width)
    assert weights.shape == (3, N_HEADS, 7)
    assert torch.allclose(weights.sum(-1), torch.ones(3, N_HEADS), atol=1e-5)
    for i, n in enumerate(lengths):
        expected, mean = plain_layer(layer, reference, inputs[i, :n], 3, i)
        assert torch.allclose(output[i, :n], expected, atol=1e-5)
        assert torch.allclose(weights[i, :, :n], mean, atol=1e-5)
        assert not weights[i, ..., n:].any()


@pytest.mark.parametrize("per_token", [True, False])
@pytest.mark.parametrize("factored", [True, False])
def test_residual_dropout_is_one_mask_per_sentence_and_head(per_token, factored):
    layer = make_layer(
        factored, ["query_per_token"] if per_token else [], residual_dropout=0.5
    ).train()
    inputs, padding = torch.randn(2, 3, WIDTH), torch.zeros(2, 3, dtype=torch.bool)
    mask = (torch.rand(2 * N_HEADS, 1, WIDTH) < 0.5) * 2.0
    layer.residual_dropout.sample_mask = lambda like: mask
    output, weights = layer(inputs, padding)
    context, _ = layer.attend(inputs, padding)
    assert context.shape[2] == (3 if per_token else 1)
    projection = torch.block_diag(*(layer.output[part].weight for part in layer.widths))
    update = (context @ projection.T) * mask.view(2, N_HEADS, 1, WIDTH)
    expected = (
        layer.norm(layer.reduce(inputs.unsqueeze(1) + update))
        .transpose(1, 2)
        .flatten(2)
    )
    assert torch.allclose(output, expected, atol=1e-5)
