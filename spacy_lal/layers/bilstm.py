"""A bidirectional LSTM over sentences or documents that gives a sequence the same output in any batch."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BiLSTM(nn.LSTM):
    """Bidirectional LSTM over padded sequences, whose backward direction begins at each sequence's own last token.

    torch's LSTM over a padded tensor reads the padding first in that direction, so that what a sequence gets depends on
    the longest one beside it. Parameters are torch's, by its names.

    width (int): Width of the input and of the output, half of it from each direction.
    depth (int): Number of layers.
    dropout (float): Elementwise dropout on the output of each layer but the last.
    RAISES (ValueError): if the width is odd.
    """

    def __init__(self, width: int, depth: int, dropout: float = 0.0) -> None:
        if width % 2:
            raise ValueError(f"a bidirectional LSTM needs an even width, half for each direction, got {width}")
        super().__init__(width, width // 2, depth, bidirectional=True, dropout=dropout if depth > 1 else 0.0)

    def forward(self, sequences: Tensor, lengths: Tensor) -> Tensor:  # type: ignore[override]
        """Encode a batch.

        sequences (Tensor): Padded, longest first. *Shape:* (seq_len, batch_size, width).
        lengths (Tensor): Length of each sequence; may be 0. *Shape:* (batch_size,).
        RETURNS (Tensor): Zeros where there is padding. *Shape:* (seq_len, batch_size, width).
        """
        seq_len, batch_size, _ = sequences.shape
        n_sequences = int((lengths > 0).sum())
        if not n_sequences:
            return torch.zeros_like(sequences)
        packed = pack_padded_sequence(sequences[:, :n_sequences], lengths[:n_sequences].cpu())
        outputs, _ = pad_packed_sequence(super().forward(packed)[0], total_length=seq_len)
        return nn.functional.pad(outputs, (0, 0, 0, batch_size - n_sequences))
