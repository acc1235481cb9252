"""Sentences of a batch without their padding: positions one after the other, and back."""

from typing import Tuple

import torch
from torch import Tensor


class Packing:
    """The places of a padded batch's positions after the padding is left out.

    lengths (Tensor): Positions of each sentence, START and STOP among them. *Shape:* (batch_size,).
    seq_len (int): Positions of the padded batch.
    """

    def __init__(self, lengths: Tensor, seq_len: int) -> None:
        self.shape: Tuple[int, int] = (len(lengths), seq_len)
        self.padding = torch.arange(seq_len, device=lengths.device) >= lengths[:, None]
        self.places = (~self.padding).flatten().nonzero().squeeze(1)
        self.sentence = torch.div(self.places, seq_len, rounding_mode="floor")
        self.first_rows = lengths.cumsum(0) - lengths  # of each sentence, among the packed positions
        self.is_full = len(self.places) == len(lengths) * seq_len

    def pack(self, padded: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, ...) to (n_positions, ...)."""
        flat = padded.flatten(0, 1)
        return flat if self.is_full else flat.index_select(0, self.places)

    def unpack(self, packed: Tensor) -> Tensor:
        """The inverse of `pack`; 0 where there is padding."""
        if not self.is_full:
            padded = packed.new_zeros(self.shape[0] * self.shape[1], *packed.shape[1:])
            packed = padded.index_copy_(0, self.places, packed)
        return packed.unflatten(0, self.shape)

    def unpack_fenceposts(self, rows: Tensor) -> Tensor:
        """The fenceposts of each sentence, from a row for the fencepost after each position but the very last.

        rows (Tensor): *Shape:* (n_positions - 1, ...).
        RETURNS (Tensor): *Shape:* (batch_size, seq_len - 1, ...). Rows beyond a sentence's own are of other sentences.
        """
        if self.shape[0] == 1:
            return rows.unsqueeze(0)
        places = self.first_rows[:, None] + torch.arange(self.shape[1] - 1, device=rows.device)
        return rows[places.clamp_(max=len(rows) - 1)]
