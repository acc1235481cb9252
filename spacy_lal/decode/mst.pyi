"""Python interface of mst.pyx."""

from typing import List, Sequence, overload

from numpy import ndarray

@overload
def mst(arcs: ndarray) -> ndarray: ...
@overload
def mst(arcs: Sequence[ndarray]) -> List[ndarray]: ...
