"""Which tokens are predicates, optionally together with their tags (reference-srl.md 1.5 and 8)."""

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from ..checks import check_count, check_flags, check_rates
from ..dropout import FeatureDropout

SLOPE = 0.1


@dataclass(frozen=True)
class PredicateScorerConfig:
    """The scorer of predicates.

    layer (int): The layer after which it scores, from 0.
    hidden_width (int): Hidden units.
    dropout (float): Feature dropout on the inputs of both maps.
    with_tags (bool): Whether its labels are pairs of tag (`token.tag_`) and predicate, as in LISA; otherwise they are
        "no predicate" and "predicate".
    RAISES (ValueError): An option is out of range.
    """

    layer: int = 0
    hidden_width: int = 128
    dropout: float = 0.1
    with_tags: bool = False

    def __post_init__(self) -> None:
        check_count("layer", self.layer, 0)
        check_count("hidden_width", self.hidden_width)
        check_rates(dropout=self.dropout)
        check_flags(with_tags=self.with_tags)

    def build(self, hidden_width: int, n_labels: int) -> "PredicateScorer":
        """Build the scorer. hidden_width (int): Width of positions. n_labels (int): Number of labels."""
        return PredicateScorer(hidden_width, self.hidden_width, n_labels, self.dropout)


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
