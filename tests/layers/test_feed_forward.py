"""The feed-forward layer of two halves: masks of its dropout (reference-encoders.md A5, D14)."""

import torch

from spacy_lal.layers.basics import FeatureDropout, FeedForward, split_width


def test_masks_are_shared_by_positions_and_differ_between_halves_and_sentences():
    torch.manual_seed(0)
    layer = FeedForward(split_width(8, True), 400, 0.5, 0.0).train()
    kept = []
    layer.relu_dropout.register_forward_hook(lambda module, args, output: kept.append((args[0], output)))
    with torch.no_grad():
        for half in layer.hidden.values():  # so that every hidden unit is alive
            half.bias.fill_(10.0)
        layer(torch.randn(3, 5, 8))
    assert len(kept) == 2  # content, position
    masks = [output / hidden for hidden, output in kept]
    for mask in masks:
        assert torch.allclose(mask, mask[:, :1].expand_as(mask))  # one mask for all positions of a sentence
        assert set(mask.round().unique().tolist()) == {0.0, 2.0}
        assert not torch.equal(mask[0], mask[1])
    agree = (masks[0][:, 0].round() == masks[1][:, 0].round()).float().mean().item()
    assert 0.4 < agree < 0.6  # independent masks agree on half of 600 units


def test_one_mask_for_each_call():
    torch.manual_seed(0)
    dropout = FeatureDropout(0.5).train()
    first, second = (dropout(torch.ones(1, 2, 500)) for _ in range(2))
    assert 0.4 < (first == second).float().mean().item() < 0.6
