"""Python interface of eisner.pyx."""

from typing import List, Sequence, overload

from numpy import ndarray

@overload
def eisner(arcs: ndarray, *, n_threads: int = 1) -> ndarray: ...
@overload
def eisner(arcs: Sequence[ndarray], *, n_threads: int = 1) -> List[ndarray]: ...
