"""Which tokens are predicates, optionally together with their tags (reference-srl.md 1.5 and 8)."""

from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from ..dropout import FeatureDropout

SLOPE = 0.1


class PredicateScorer(nn.Module):
    """A hidden layer with leaky ReLU, and linear scores.

    hidden_width (int): Width of positions.
    n_hidden (int): Hidden units.
    n_labels (int): Labels.
    dropout (float): Feature dropout on the inputs of both maps.
    """

    def __init__(self, hidden_width: int, n_hidden: int, n_labels: int, dropout: float) -> None:
        super().__init__()
        self.hidden = nn.Linear(hidden_width, n_hidden)
        self.output = nn.Linear(n_hidden, n_labels)
        self.dropout = FeatureDropout(dropout)
        for layer in (self.hidden, self.output):
            nn.init.orthogonal_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, positions: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, hidden_width) to (batch_size, seq_len, n_labels)."""
        hidden = leaky_relu(self.hidden(self.dropout(positions)), SLOPE)
        return self.output(self.dropout(hidden))
