"""Content and position halves: the split of the features, and the feed-forward layer that keeps the halves apart.

Kitaev & Klein 2018, section 4.3: the first half of a token's features describes the token, the second half its
position. Only attention weights and layer norms may mix them.
"""

from typing import Callable, Dict, Sequence, Tuple

import torch
from torch import Tensor, nn

from .dropout import FeatureDropout
from .norm import StdNorm
from .packing import Packing
from .products import Precision, Product


def split_width(width: int, factored: bool, position_width: int = 0) -> Dict[str, int]:
    """The parts of a feature vector, in order, by name.

    width (int): Features in all.
    factored (bool): Whether content and position are kept apart.
    position_width (int): Size of the second part; 0 for half of the features.
    RETURNS (Dict[str, int]): {"content": ..., "position": ...}; {"all": width} where they are not kept apart.
    """
    if not factored:
        return {"all": width}
    position = position_width or width // 2
    return {"content": width - position, "position": position}


def split_features(inputs: Tensor, widths: Dict[str, int]) -> Tuple[Tensor, ...]:
    """Views of the parts of the last axis, in order.

    inputs (Tensor): *Shape:* (..., sum of the widths).
    RETURNS (Tuple[Tensor, ...]): *Shape of each:* (..., width of the part).
    """
    return torch.split(inputs, list(widths.values()), dim=-1) if len(widths) > 1 else (inputs,)


def join_features(parts: Sequence[Tensor]) -> Tensor:
    """The parts side by side: the inverse of `split_features`."""
    return torch.cat(list(parts), dim=-1) if len(parts) > 1 else parts[0]


class FeedForward(nn.Module):
    """Position-wise feed-forward layer with residual and layer norm; one small network per part of the features.

    y = norm(x + dropout(W2 dropout(relu(W1 x + b1)) + b2)), reference-parser.md 1.8.

    widths (Dict[str, int]): Sizes of the parts, from `split_width`.
    ff_width (int): Hidden units of all parts together.
    relu_dropout (float): Feature dropout on the hidden units.
    residual_dropout (float): Feature dropout before the residual is added.
    """

    def __init__(self, widths: Dict[str, int], ff_width: int, relu_dropout: float, residual_dropout: float) -> None:
        super().__init__()
        self.widths = dict(widths)
        hidden = ff_width // len(widths)
        self.hidden = nn.ModuleDict({part: nn.Linear(width, hidden) for part, width in widths.items()})
        self.output = nn.ModuleDict({part: nn.Linear(hidden, width) for part, width in widths.items()})
        self.norm = StdNorm(sum(widths.values()))
        self.relu_dropout = FeatureDropout(relu_dropout)
        self.residual_dropout = FeatureDropout(residual_dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """Transform every position independently.

        inputs (Tensor): *Shape:* (batch_size, seq_len, width).
        RETURNS (Tensor): *Shape:* as the input.
        """
        outputs = []
        for part, features in zip(self.widths, split_features(inputs, self.widths), strict=True):
            hidden = self.relu_dropout(self.hidden[part](features).relu())
            outputs.append(self.output[part](hidden))
        return self.norm(self.residual_dropout.add(join_features(outputs), inputs))

    def fold(self, precision: Precision) -> Callable[[Tensor, Packing], Tensor]:
        """The layer on packed positions; see `spacy_lal.layers.folding`."""
        layer = Product.inside(self, precision)
        return lambda inputs, packing: layer(inputs)
