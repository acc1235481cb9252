"""Scores of rolesets (senses) from the vectors of predicates (reference-srl.md 8). LISA predicts none."""

from torch import Tensor, nn

from ..dropout import ElementDropout


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
