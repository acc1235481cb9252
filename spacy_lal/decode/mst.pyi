"""Python interface of mst.pyx."""

from typing import List, Sequence, overload

from numpy import ndarray

@overload
def mst(arcs: ndarray, *, n_threads: int = 1) -> ndarray: ...
@overload
def mst(arcs: Sequence[ndarray], *, n_threads: int = 1) -> List[ndarray]: ...
