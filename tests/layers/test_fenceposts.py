import pytest
import torch
from spacy_lal.layers.network_config import NetworkConfig

from spacy_lal.layers.fenceposts import Fenceposts

WIDTH, HEADS, BLOCK = 8, 3, 4


@pytest.mark.parametrize("scaled", [True, False])
def test_label_blocks_then_the_whole_tokens_on_either_side(scaled):
    config = NetworkConfig(
        n_tags=5,
        hidden_width=WIDTH,
        n_label_heads=HEADS,
        label_proj_width=BLOCK,
        whole_tokens=True,
        scale_label_blocks=scaled,
    )
    encoded, tokens = torch.randn(2, 6, HEADS * BLOCK), torch.randn(2, 6, WIDTH)
    fenceposts = Fenceposts(config)(encoded, tokens)
    assert fenceposts.shape == (2, 5, config.fencepost_width)
    scale = WIDTH / (HEADS * BLOCK) if scaled else 1.0
    for sentence in range(2):
        for k in range(5):
            left = encoded[sentence, k].view(HEADS, BLOCK)[:, : BLOCK // 2].flatten()
            right = encoded[sentence, k + 1].view(HEADS, BLOCK)[:, BLOCK // 2 :].flatten()
            expected = torch.cat([left * scale, right * scale, tokens[sentence, k], tokens[sentence, k + 1]])
            torch.testing.assert_close(fenceposts[sentence, k], expected)


def test_only_whole_tokens():
    config = NetworkConfig(n_tags=5, hidden_width=WIDTH, label_attention=False, whole_tokens=True)
    tokens = torch.randn(1, 3, WIDTH)
    expected = torch.cat([tokens[:, :-1], tokens[:, 1:]], dim=-1)
    assert torch.equal(Fenceposts(config)(tokens, tokens), expected)
