"""A word's first and last letters side by side (Kitaev & Klein 2018; reference-encoders.md A3)."""

import torch
from torch import Tensor, nn

from ..dropout import FeatureDropout
from ..network_inputs import NetworkInputs

# Ids of the symbols that stand in for letters (reference-parser.md 1.5).
SENTENCE_START, WORD_START, WORD_STOP, SENTENCE_STOP = 1, 2, 3, 4


class CharConcatEncoder(nn.Module):
    """Looks up the first and the last letters of each word.

    n_chars (int): Size of the character vocabulary.
    char_width (int): Width of a character embedding.
    n_letters (int): Places for letters, an even number.
    dropout (float): Feature dropout on the result.
    """

    def __init__(self, n_chars: int, char_width: int, n_letters: int, dropout: float) -> None:
        super().__init__()
        self.n_letters = n_letters
        self.embedding = nn.Embedding(n_chars, char_width)
        self.dropout = FeatureDropout(dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Vectors of words. RETURNS (Tensor): *Shape:* (batch_size, seq_len, n_letters * char_width)."""
        return self.dropout(self.embedding(self.letter_ids(inputs)).flatten(2))

    def letter_ids(self, inputs: NetworkInputs) -> Tensor:
        """The letters of each word. Places after the first letters of a short word hold the symbol of a word's stop,
        places after its last letters the symbol of its start. START and STOP have their own symbols in all places.

        inputs (NetworkInputs): With `char_ids`, each word between its start and stop symbols. Without `char_lengths`, a
            word ends with its last id other than 0.
        RETURNS (Tensor): Character ids. *Shape:* (batch_size, seq_len, n_letters).
        """
        char_ids, char_lengths = inputs.require("char_ids"), inputs.char_lengths
        places = torch.arange(1, char_ids.shape[-1] + 1, device=char_ids.device)
        if char_lengths is None:
            char_lengths = (char_ids.ne(0) * places).amax(-1)
        half, last = self.n_letters // 2, (char_lengths - 2).unsqueeze(-1)  # letter k stands in place k, from 1
        offsets = torch.arange(half, device=char_ids.device).expand(*char_ids.shape[:2], half)
        firsts, lasts = offsets + 1, last - offsets
        limit = char_ids.shape[-1] - 1
        first_ids = char_ids.gather(2, firsts.clamp(max=limit)).where(firsts <= last, WORD_STOP)
        last_ids = char_ids.gather(2, lasts.clamp(0, limit)).where(lasts >= 1, WORD_START)
        ids = torch.cat([first_ids, last_ids], dim=2)
        rows = torch.arange(ids.shape[1], device=ids.device)[:, None]
        ids = ids.where(rows != 0, SENTENCE_START)
        return ids.where(rows != inputs.lengths[:, None, None] + 1, SENTENCE_STOP)
