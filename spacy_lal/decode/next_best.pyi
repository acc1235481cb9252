"""Python interface of next_best.pyx."""

from typing import Optional

from numpy import ndarray

def next_joint(
    labels: ndarray, arcs: ndarray, in_tree: ndarray, heads: ndarray
) -> Optional[tuple[float, ndarray, ndarray]]: ...
def next_cky(labels: ndarray, in_tree: ndarray) -> Optional[tuple[float, ndarray]]: ...
