"""The options of the syntax head and of the arcs that it needs. *Not* here: the layers that use them."""

from dataclasses import dataclass
from typing import Literal

from ..checks import check_choice, check_count, check_rates
from ..scorers.head_scorer import HeadScorer

HeadsSource = Literal["own", "doc", "none"]


@dataclass(frozen=True)
class SyntaxConfig:
    """Where the heads come from that one attention head follows (Strubell et al. 2018, sections 2.2 and 2.3).

    heads (str): "own": scores of the network's own arcs. "doc": `token.head`, for example from `lal_parser`. "none": no
        syntax head. Training shows gold heads with both "own" and "doc", so a model trained with "own" can parse with
        "doc"; a model trained with "doc" has no arcs of its own.
    parse_layer (int): The layer after which arcs are scored, from 0.
    attention_layer (int): The layer whose last attention head follows the heads; above `parse_layer`.
    gold_heads_prob (float): The share of training sentences that show gold heads. The others show predicted ones.
    arc_width (int): Width of the features of arcs.
    deprel_width (int): Width of the features of deprels.
    dropout (float): Feature dropout on the input and the features of arcs and deprels.
    RAISES (ValueError): An option is out of range.
    """

    heads: HeadsSource = "own"
    parse_layer: int = 0
    attention_layer: int = 1
    gold_heads_prob: float = 1.0
    arc_width: int = 128
    deprel_width: int = 64
    dropout: float = 0.1

    def __post_init__(self) -> None:
        check_choice("heads", self.heads, ("own", "doc", "none"))
        check_count("parse_layer", self.parse_layer, 0)
        check_count("attention_layer", self.attention_layer, 0)
        if self.heads != "none" and self.attention_layer <= self.parse_layer:
            raise ValueError(
                f"attention_layer: expected a layer above parse_layer = {self.parse_layer}, got {self.attention_layer}"
            )
        share = self.gold_heads_prob
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0.0 <= share <= 1.0:
            raise ValueError(f"gold_heads_prob: expected a number in [0, 1], got {share!r}")
        check_count("arc_width", self.arc_width)
        check_count("deprel_width", self.deprel_width)
        check_rates(dropout=self.dropout)

    def build(self, hidden_width: int, n_deprels: int) -> HeadScorer:
        """Build the scorer of arcs and deprels. hidden_width (int): Width of positions. n_deprels (int): Deprels."""
        return HeadScorer(hidden_width, self.arc_width, self.deprel_width, n_deprels, self.dropout)
