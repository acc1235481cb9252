"""Scores of rolesets (senses) from the vectors of predicates (reference-srl.md 8). LISA predicts none."""

from dataclasses import dataclass

from torch import Tensor, nn

from ..checks import check_rates
from ..dropout import ElementDropout


@dataclass(frozen=True)
class RolesetScorerConfig:
    """The scorer of rolesets. A component restricts the choice to the rolesets that a predicate's words can have.

    dropout (float): Elementwise dropout on the predicates' vectors.
    RAISES (ValueError): The rate is out of range.
    """

    dropout: float = 0.2

    def __post_init__(self) -> None:
        check_rates(dropout=self.dropout)

    def build(self, predicate_width: int, n_rolesets: int) -> "RolesetScorer":
        """Build the scorer. predicate_width (int): Width of a predicate's vector. n_rolesets (int): Rolesets."""
        return RolesetScorer(predicate_width, n_rolesets, self.dropout)


class RolesetScorer(nn.Module):
    """An affine map.

    predicate_width (int): Width of a predicate's vector.
    n_rolesets (int): Rolesets.
    dropout (float): Elementwise dropout on the input.
    """

    def __init__(self, predicate_width: int, n_rolesets: int, dropout: float) -> None:
        super().__init__()
        self.dropout = ElementDropout(dropout)
        self.output = nn.Linear(predicate_width, n_rolesets)
        nn.init.zeros_(self.output.bias)

    def forward(self, predicates: Tensor) -> Tensor:
        """*Shapes:* (n_predicates, predicate_width) to (n_predicates, n_rolesets)."""
        return self.output(self.dropout(predicates))
