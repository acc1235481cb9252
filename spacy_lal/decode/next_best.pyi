"""Python interface of next_best.pyx."""

from typing import Optional, Tuple

from numpy import ndarray

def next_joint(
    labels: ndarray, arcs: ndarray, in_tree: ndarray, heads: ndarray
) -> Optional[Tuple[float, ndarray, ndarray]]: ...
def next_cky(labels: ndarray, in_tree: ndarray) -> Optional[Tuple[float, ndarray]]: ...
