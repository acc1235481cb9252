"""Sparse gradients in full."""

from typing import Any

import numpy
from numpy import ndarray

from spacy_lal.scores import SparseGradient


def to_dense(gradient: Any, shape: tuple[int, ...]) -> ndarray:
    """The gradient of an array of some shape, as an array."""
    if not isinstance(gradient, SparseGradient):
        return gradient
    dense = numpy.zeros(shape, dtype=numpy.float32)
    numpy.add.at(dense, tuple(gradient.cells.T), gradient.values)
    return dense
