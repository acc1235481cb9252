"""The first layers of all scorers as one product, computed from the positions on both sides of each fencepost."""

from typing import List, Sequence

import torch
from torch import Tensor

from ..configs import FencepostLayout
from ..products import Precision, Product


class FencepostProducts:
    """Linear layers on fenceposts that are never made: their parts are read where the positions have them.

    layout (FencepostLayout): The layout of the fenceposts.
    weights (Sequence[Tensor]): The weights of each layer. *Shape:* (n_out, layout.width), or (n_out, 2 * token_width)
        for a layer that reads only whole tokens; such layers come last.
    bias (Tensor): The biases of all layers. *Shape:* (sum of n_out,).
    precision (Precision): The precision of matrix products.
    """

    def __init__(self, layout: FencepostLayout, weights: Sequence[Tensor], bias: Tensor, precision: Precision) -> None:
        self.layout = layout
        self.widths = [len(weight) for weight in weights]
        self.width = sum(self.widths)
        whole = [weight for weight in weights if weight.shape[1] == layout.width]
        n_whole = sum(map(len, whole))
        self.on_fenceposts = Product(self._arranged(torch.cat(whole)), precision, bias[:n_whole]) if whole else None
        tokens = weights[len(whole) :]
        self.on_tokens = Product(torch.cat(list(tokens)), precision, bias[n_whole:]) if tokens else None

    def _arranged(self, weight: Tensor) -> Tensor:
        """The columns in the order of `_features`. *Shape:* (n_out, layout.width) to the same."""
        layout = self.layout
        backward_width = layout.block_width - layout.forward_width
        widths = [layout.n_blocks * layout.forward_width, layout.n_blocks * backward_width, *[layout.token_width] * 2]
        forward, backward, before, after = weight.split(widths, dim=1)
        return torch.cat([forward * layout.scale, before, backward * layout.scale, after], dim=1)

    def __call__(self, encoded: Tensor, tokens: Tensor) -> Tensor:
        """The layers' output for the fenceposts between neighbouring positions.

        encoded, tokens (Tensor): The positions after and before label attention. *Shapes:* (n, encoded_width) and (n,
            hidden_width).
        RETURNS (Tensor): *Shape:* (n - 1, width).
        """
        products: List[Tensor] = []
        if self.on_fenceposts is not None:
            products.append(self.on_fenceposts(self._features(encoded, tokens)))
        if self.on_tokens is not None:
            products.append(self.on_tokens(torch.cat([tokens[:-1], tokens[1:]], dim=1)))
        return torch.cat(products, dim=1) if len(products) > 1 else products[0]

    def _features(self, encoded: Tensor, tokens: Tensor) -> Tensor:
        """[forward halves ; token] of the position before a fencepost, [backward halves ; token] of the one after."""
        layout, parts = self.layout, []
        if layout.n_blocks:
            blocks, width = encoded.unflatten(-1, (layout.n_blocks, -1)), layout.forward_width
            parts += [blocks[:-1, :, :width].flatten(1), blocks[1:, :, width:].flatten(1)]
        if layout.token_width:
            parts.insert(len(parts) // 2, tokens[:-1])
            parts.append(tokens[1:])
        return torch.cat(parts, dim=1)
