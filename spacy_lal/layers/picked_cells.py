"""Cells of a chart whose gradient stays sparse."""

from typing import Any, Tuple

import torch
from torch import Tensor


class PickedCells(torch.autograd.Function):
    """Cells of a chart; their gradient makes the chart's gradient a sparse tensor, so that a scorer recomputes only
    these cells. indices: *Shape:* (n_axes, n_cells)."""

    @staticmethod
    def forward(ctx: Any, chart: Tensor, indices: Tensor) -> Tensor:
        """The cells. *Shape:* (n_cells, ...)."""
        ctx.save_for_backward(indices)
        ctx.shape = chart.shape
        return chart[tuple(indices)]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tuple[Tensor, None]:
        """The chart's gradient, a sparse tensor."""
        (indices,) = ctx.saved_tensors
        return torch.sparse_coo_tensor(indices, grads[0], ctx.shape, check_invariants=False), None
