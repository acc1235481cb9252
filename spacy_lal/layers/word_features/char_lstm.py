"""Character LSTM of a word (reference-parser.md 1.5), run once for each distinct word of a batch."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from ..dropout import ElementDropout, FeatureDropout
from ..network_inputs import NetworkInputs


class CharLSTMEncoder(nn.Module):
    """A bidirectional LSTM over a word's characters; its two final states side by side are the word's vector.

    n_chars (int): Size of the character vocabulary.
    char_width (int): Width of a character embedding.
    output_width (int): Width of the result, half of it from each direction.
    dropout (float): Elementwise dropout on the character embeddings.
    output_dropout (float): Feature dropout on the vectors of words.
    RAISES (ValueError): The output width is odd.
    """

    def __init__(
        self, n_chars: int, char_width: int, output_width: int, dropout: float, output_dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_chars, char_width)
        self.lstm = nn.LSTM(char_width, output_width // 2, batch_first=True, bidirectional=True)
        self.dropout, self.output_dropout = ElementDropout(dropout), FeatureDropout(output_dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Vectors of words, from `char_ids`: the characters of each word with its start and stop symbols, then 0.
        Without `char_lengths`, a word ends with its last id other than 0. A word of length 0 (padding) gets zeros.
        RETURNS (Tensor): *Shape:* (batch_size, seq_len, output_width)."""
        char_ids, char_lengths = inputs.require("char_ids"), inputs.char_lengths
        places = torch.arange(1, char_ids.shape[-1] + 1, device=char_ids.device)
        if char_lengths is None:
            char_lengths = (char_ids.ne(0) * places).amax(-1)
        lengths = char_lengths.reshape(-1, 1)
        ids = char_ids.flatten(0, 1) * (places <= lengths)
        words, inverse = torch.unique(torch.cat([lengths, ids], dim=1), dim=0, return_inverse=True)
        word_lengths, words = words[:, 0].cpu(), words[:, 1:]
        n_empty = int((word_lengths == 0).sum())  # sorted by length, so padding comes first
        outputs = words.new_zeros((len(words), 2 * self.lstm.hidden_size), dtype=self.embedding.weight.dtype)
        if n_empty < len(words):
            embedded = self.dropout(self.embedding(words[n_empty:]))
            packed = pack_padded_sequence(embedded, word_lengths[n_empty:], batch_first=True, enforce_sorted=False)
            # torch's LSTM in bfloat16 fails on CPUs that lack the instructions; on GPUs this changes nothing
            with torch.autocast("cpu", enabled=False):
                _, (states, _) = self.lstm(packed)
            outputs = torch.cat([outputs[:n_empty], states.transpose(0, 1).flatten(1)])
        return self.output_dropout(outputs.index_select(0, inverse).unflatten(0, char_ids.shape[:2]))
