"""The timing signal: fixed positions as sines and cosines (Vaswani et al. 2017; reference-srl.md 1.1)."""

import math

import torch
from torch import Tensor

LONGEST_PERIOD = 10_000.0


def timing_signal(seq_len: int, width: int) -> Tensor:
    """The signal of positions 0, 1, ...: all sines, then all cosines, then a zero column where the width is odd.

    seq_len (int): Number of positions.
    width (int): Width of a position, at least 4.
    RETURNS (Tensor): *Shape:* (seq_len, width), float32.
    RAISES (ValueError): The width is below 4: the periods are undefined.
    """
    if width < 4:
        raise ValueError(f"width: the timing signal needs at least 4 columns, got {width}")
    n = width // 2
    rates = torch.exp(torch.arange(n, dtype=torch.float64) * (-math.log(LONGEST_PERIOD) / (n - 1)))
    angles = torch.arange(seq_len, dtype=torch.float64)[:, None] * rates
    signal = torch.cat([angles.sin(), angles.cos(), angles.new_zeros(seq_len, width % 2)], dim=1)
    return signal.float()
