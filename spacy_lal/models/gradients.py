"""Gradients of single sentences' scores in the network's form: padded, and sparse where a loss makes them so.

A sparse gradient stays sparse up to the scorer, which recomputes only the cells that it names.
"""

from typing import Any, Optional, Sequence, Tuple, Union

import numpy
import torch
from numpy import ndarray

from ..layers.parser_network import NetworkOutput
from ..scores import AnyGradient, SparseGradient

Gradient = Union[ndarray, SparseGradient]
_CELL_AXES = {
    "labels": 3,
    "arcs": 2,
    "deprels": 2,
    "ties": 0,
}  # axes that a cell names; its values have the other axes


class _PickCells(torch.autograd.Function):
    """Cells of a chart; their gradient makes the chart's gradient sparse. The input of the backward pass is dense,
    because thinc scales it under mixed precision and torch cannot scale a sparse tensor in half precision."""

    @staticmethod
    def forward(ctx: Any, chart: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(indices)
        ctx.shape = chart.shape
        return chart[tuple(indices)]

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Tuple[torch.Tensor, None]:
        (indices,) = ctx.saved_tensors
        return torch.sparse_coo_tensor(indices, grads[0], ctx.shape, check_invariants=False), None


def pad_gradients(
    output: NetworkOutput, d_scores: Sequence[AnyGradient]
) -> Tuple[Tuple[torch.Tensor, ...], Tuple[torch.Tensor, ...]]:
    """The tensors that take a gradient, and their gradients, of the same shapes.

    output (NetworkOutput): The scores of a batch, padded.
    d_scores (Sequence[AnyGradient]): For each sentence, the gradient of all or some of its scores. None and empty
        arrays count as zero.
    RETURNS (Tuple[Tuple[Tensor, ...], Tuple[Tensor, ...]]): The tensor of each kind of scores. If no sentence has an
        array, a chart of labels or deprels is reduced to the named cells.
    RAISES (ValueError): A sparse gradient names cells that the scores lack.
    """
    tensors, grads = [], []
    for field, n_axes in _CELL_AXES.items():
        tensor = getattr(output, field)
        if tensor is None or not tensor.requires_grad:  # an unused scorer
            continue
        gradients = [getattr(one, field) for one in d_scores]
        _check_cells(field, gradients, tuple(tensor.shape[1 : n_axes + 1]))
        arrays = [one for one in gradients if isinstance(one, ndarray) and one.size]
        is_sparse = not arrays and any(isinstance(one, SparseGradient) for one in gradients)
        if is_sparse and tensor.dim() == 4:
            indices, grad = _join_cells(gradients)
            tensor = _PickCells.apply(tensor, torch.from_numpy(indices).to(tensor.device))
        else:
            grad = _pad_arrays(gradients, tuple(tensor.shape))
        tensors.append(tensor)
        grads.append(torch.from_numpy(grad).to(tensor.device, tensor.dtype))
    return tuple(tensors), tuple(grads)


def _check_cells(field: str, gradients: Sequence[Optional[Gradient]], shape: Tuple[int, ...]) -> None:
    for one in gradients:
        if not isinstance(one, SparseGradient):
            continue
        if one.cells.shape != (len(one.values), len(shape)):
            raise ValueError(
                f"a sparse gradient of {field} has {len(shape)} indices for each of {len(one.values)} values, got "
                f"cells of shape {one.cells.shape}"
            )
        outside = one.cells[((one.cells < 0) | (one.cells >= shape)).any(axis=1)]
        if len(outside):
            raise ValueError(f"a sparse gradient of {field} names cells of a {shape} array, got {outside[0].tolist()}")


def _join_cells(gradients: Sequence[Optional[Gradient]]) -> Tuple[ndarray, ndarray]:
    """Indices into a padded chart, *shape:* (1 + n_axes, n_cells), and the gradient of the cells."""
    sparse = [(k, one) for k, one in enumerate(gradients) if isinstance(one, SparseGradient)]
    sentences = numpy.repeat([k for k, _ in sparse], [len(one.cells) for _, one in sparse])
    indices = numpy.vstack([sentences, numpy.concatenate([one.cells for _, one in sparse]).T])
    return indices, numpy.concatenate([one.values for _, one in sparse])


def _pad_arrays(arrays: Sequence[Optional[Gradient]], shape: Tuple[int, ...]) -> ndarray:
    """Gradients of single sentences, square in all but their last axis or in both, as one array of a shape. Missing
    gradients become zeros."""
    first = arrays[0]
    if len(arrays) == 1 and isinstance(first, ndarray) and first.shape == shape[1:]:
        return numpy.ascontiguousarray(first, dtype="float32")[None]  # a long sentence's charts are not copied
    padded = numpy.zeros(shape, dtype="float32")
    for k, array in enumerate(arrays):
        if isinstance(array, SparseGradient):
            padded[k] = array.to_dense(shape[1:])
        elif array is not None and array.size:
            region: Tuple[Any, ...] = tuple(slice(size) for size in array.shape)
            padded[k][region] = array
    return padded
