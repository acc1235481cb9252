"""Python interface of eisner.pyx."""

from collections.abc import Sequence
from typing import overload

from numpy import ndarray

@overload
def eisner(arcs: ndarray) -> ndarray: ...
@overload
def eisner(arcs: Sequence[ndarray]) -> list[ndarray]: ...
