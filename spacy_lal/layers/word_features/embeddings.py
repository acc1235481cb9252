"""Learned vectors of tags and of words, looked up by id (reference-parser.md 1.4)."""

from torch import Tensor, nn

from ..dropout import FeatureDropout
from ..network_inputs import NetworkInputs


class Embedding(nn.Module):
    """A table of vectors with feature dropout.

    field (str): The field of `NetworkInputs` that holds the ids.
    n_ids (int): Rows of the table.
    width (int): Width of a vector.
    dropout (float): Feature dropout.
    """

    def __init__(self, field: str, n_ids: int, width: int, dropout: float) -> None:
        super().__init__()
        self.field = field
        self.embedding = nn.Embedding(n_ids, width)
        self.dropout = FeatureDropout(dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Look up. RETURNS (Tensor): *Shape:* (batch_size, seq_len, width)."""
        return self.dropout(self.embedding(inputs.require(self.field)))
