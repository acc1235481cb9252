"""A bidirectional LSTM over sentences or documents that gives a sequence the same output in any batch."""

import torch
from torch import Tensor, nn


class BiLSTM(nn.Module):
    """Bidirectional LSTM over padded sequences; the backward direction begins at each sequence's own last token.

    torch's LSTM reads the padding first in that direction, so a sequence's output depends on the longest sequence of
    the batch. Packed sequences avoid this, but take three times as long to train on a CPU. Here each direction is a
    separate LSTM, and sequences are reversed before and after the second.

    width (int): Width of the input and of the output, half of it from each direction.
    depth (int): Number of layers.
    dropout (float): Elementwise dropout on the output of each layer but the last.
    RAISES (ValueError): The width is odd.
    """

    def __init__(self, width: int, depth: int, dropout: float = 0.0) -> None:
        super().__init__()
        if width % 2:
            raise ValueError(f"a bidirectional LSTM needs an even width, half for each direction, got {width}")
        self.rightward = nn.ModuleList(nn.LSTM(width, width // 2) for _ in range(depth))
        self.leftward = nn.ModuleList(nn.LSTM(width, width // 2) for _ in range(depth))
        self.dropout = nn.Dropout(dropout)

    def forward(self, sequences: Tensor, lengths: Tensor) -> Tensor:
        """Encode a batch.

        sequences (Tensor): Padded at the end. *Shape:* (seq_len, batch_size, width).
        lengths (Tensor): Length of each sequence; may be 0. *Shape:* (batch_size,).
        RETURNS (Tensor): Zeros where there is padding. *Shape:* (seq_len, batch_size, width).
        """
        if not sequences.numel():
            return torch.zeros_like(sequences)
        places = torch.arange(len(sequences), device=sequences.device)[:, None]
        is_token = places < lengths
        mirror = torch.where(is_token, lengths - 1 - places, places).unsqueeze(-1).expand(-1, -1, sequences.shape[2])
        half = mirror[:, :, : sequences.shape[2] // 2]
        for i, (rightward, leftward) in enumerate(zip(self.rightward, self.leftward, strict=True)):
            inputs = self.dropout(sequences) if i else sequences
            with torch.autocast("cpu", enabled=False):  # as in CharLSTM
                from_left, _ = rightward(inputs)
                from_right, _ = leftward(inputs.gather(0, mirror))
            sequences = torch.cat([from_left, from_right.gather(0, half)], dim=-1)
        return sequences * is_token.unsqueeze(-1)
