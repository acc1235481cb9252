"""The one place where padding and windows become a mask of attention (reference-encoders.md A8).

A selector chooses among the pairs that this mask allows; see `selector.py`.
"""

from typing import NamedTuple, Sequence

import torch
from torch import Tensor


class Window(NamedTuple):
    """Which pairs of positions may attend to each other.

    width (int): Position p attends to p' if |p - p'| <= width. START is position 0, STOP position n + 1.
    relaxed (bool): START, the first word, the last word and STOP attend to all positions and are attended by all.
    """

    width: int
    relaxed: bool = False


def forbidden_pairs(padding: Tensor, windows: Sequence[Window] = ()) -> Tensor:
    """The pairs of a query and a key that get no attention.

    padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
    windows (Sequence[Window]): A pair must lie in each of them. Windows do not restrict queries at padding: without
        any allowed key their softmax would be NaN, and so would gradients.
    RETURNS (Tensor): *Shape:* (batch_size, 1, 1, seq_len) without windows, else (batch_size, 1, seq_len, seq_len).
    """
    keys = padding[:, None, None, :]
    if not windows:
        return keys
    places = torch.arange(padding.shape[1], device=padding.device)
    distances = (places[:, None] - places).abs()
    last = (~padding).sum(1)[:, None] - 1  # the position of STOP
    is_global = (places <= 1) | (places >= last - 1)  # (batch_size, seq_len)
    outside = torch.zeros_like(padding)[:, None, :] & padding[:, :, None]
    for window in windows:
        far = (distances > window.width).expand(len(padding), -1, -1)
        outside = outside | (far & ~(is_global[:, :, None] | is_global[:, None, :]) if window.relaxed else far)
    return keys | (outside & ~padding[:, :, None]).unsqueeze(1)
