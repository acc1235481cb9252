"""Layers folded for parsing: products of weights alone are computed once, and positions are packed.

A layer with a folded form has a method `fold(precision)` beside its `forward`. A layer without one runs unchanged.
"""

from typing import Any, Callable

from torch import Tensor, nn

from .packing import Packing
from .products import Precision

# From packed positions to packed positions, *shapes:* (n_positions, width). A layer that reads the position table also
# takes its rows, *shape:* (1 or batch_size, seq_len, width).
FoldedLayer = Callable[..., Tensor]


def fold(layer: nn.Module, precision: Precision) -> FoldedLayer:
    """The folded form of a layer from positions to positions.

    layer (nn.Module): Its forward takes `inputs`, *shape:* (batch_size, seq_len, width), and `padding`, *shape:*
        (batch_size, seq_len).
    precision (Precision): The precision of matrix products, if the layer has a folded form.
    RETURNS (FoldedLayer): If folded, later changes of the weights have no effect on it.
    """
    make: Any = getattr(layer, "fold", None)
    return make(precision) if make is not None else _Unfolded(layer)


class _Unfolded:
    """A layer without a folded form."""

    def __init__(self, layer: nn.Module) -> None:
        self.layer = layer

    def __call__(self, inputs: Tensor, packing: Packing, *positions: Tensor) -> Tensor:
        return packing.pack(self.layer(packing.unpack(inputs), packing.padding, *positions))
