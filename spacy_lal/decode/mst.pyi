"""Python interface of mst.pyx."""

from collections.abc import Sequence
from typing import overload

from numpy import ndarray

@overload
def mst(arcs: ndarray) -> ndarray: ...
@overload
def mst(arcs: Sequence[ndarray]) -> list[ndarray]: ...
