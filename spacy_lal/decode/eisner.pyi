"""Python interface of eisner.pyx."""

from typing import List, Sequence, overload

from numpy import ndarray

@overload
def eisner(arcs: ndarray) -> ndarray: ...
@overload
def eisner(arcs: Sequence[ndarray]) -> List[ndarray]: ...
