import pytest
import torch

from spacy_lal.layers.configs import FencepostsConfig
from spacy_lal.layers.parser_network import Fenceposts

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
            right = encoded[sentence, k + 1].view(HEADS, BLOCK)[:, BLOCK // 2 :].flatten()
            expected = torch.cat([left * scale, right * scale, tokens[sentence, k], tokens[sentence, k + 1]])
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
    [
        ({}, 0, True, "even_odd"),
        ({}, 0, False, "first_second"),
    ],
)
def test_halves_that_are_not_named(options, n_heads, factored, halves):
    sizes = WIDTH, HEADS * BLOCK if n_heads else WIDTH, n_heads, factored
    named = FencepostsConfig(halves=halves, **options).layout(*sizes)
    assert FencepostsConfig(**options).layout(*sizes) == named


def test_columns_of_blocks_of_odd_width():
    layout = FencepostsConfig().layout(8, 15, 3, factored=True)  # 3 heads of 2 + 3 features
    assert layout.block_columns([1]).tolist() == [2, 3, 9, 10, 11]
