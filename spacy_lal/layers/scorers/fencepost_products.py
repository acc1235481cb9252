"""The first layers of all scorers as one product, computed for each position and added to the fenceposts beside it."""

from typing import Sequence, Tuple

import torch
from torch import Tensor

from ..fenceposts import FencepostLayout
from ..products import Precision, Product


class FencepostProducts:
    """Linear layers on fenceposts, computed as layers on positions.

    layout (FencepostLayout): The layout of the fenceposts.
    weights (Sequence[Tensor]): The weights of each layer. *Shape:* (n_out, layout.width), or (n_out, 2 * token_width)
        for a layer that reads only whole tokens; such layers come last.
    bias (Tensor): The biases of all layers. *Shape:* (sum of n_out,).
    precision (Precision): The precision of matrix products.
    """

    def __init__(self, layout: FencepostLayout, weights: Sequence[Tensor], bias: Tensor, precision: Precision) -> None:
        self.layout, self.bias = layout, bias
        self.widths = [len(weight) for weight in weights]
        self.width = sum(self.widths)
        backward_width = layout.block_width - layout.forward_width
        half_widths = [layout.n_blocks * layout.forward_width, layout.n_blocks * backward_width]
        of_halves = torch.cat([weight[:, : layout.halves_width] for weight in weights if self._reads_halves(weight)])
        forward, backward = (half * layout.scale for half in of_halves.split(half_widths, dim=1))
        width = layout.token_width
        before, after = torch.cat([weight[:, weight.shape[1] - 2 * width :] for weight in weights]).split(
            [width] * 2, dim=1
        )
        self.halves = [Product(half, precision) for half in (forward, backward)]
        self.tokens = [Product(token, precision) for token in (before, after)]

    def _reads_halves(self, weight: Tensor) -> bool:
        return weight.shape[1] == self.layout.width

    def add_to(self, sums: Tensor, first: int, encoded: Tensor, tokens: Tensor) -> None:
        """Add the products of some positions to the fencepost after and the fencepost before each of them.

        sums (Tensor): Sums for all fenceposts. *Shape:* (n_positions, width).
        first (int): The number of the first position.
        encoded, tokens (Tensor): The positions after and before label attention. *Shapes:* (n, encoded_width) and (n,
            hidden_width).
        """
        after = sums[first : first + len(tokens)]
        skipped = 1 if first == 0 else 0  # no fencepost comes before the very first position
        before = sums[first - 1 + skipped : first - 1 + len(tokens)]
        if self.layout.n_blocks:
            forward, backward = self._halves(encoded)
            n_out = len(self.halves[0].weight)
            self.halves[0].add_to(after[:, :n_out], forward)
            self.halves[1].add_to(before[:, :n_out], backward[skipped:])
        if self.layout.token_width:
            self.tokens[0].add_to(after, tokens)
            self.tokens[1].add_to(before, tokens[skipped:])

    def _halves(self, encoded: Tensor) -> Tuple[Tensor, Tensor]:
        blocks = encoded.unflatten(-1, (self.layout.n_blocks, -1))
        width = self.layout.forward_width
        return blocks[..., :width].flatten(1), blocks[..., width:].flatten(1)
