"""Python interface of cky.pyx."""

from typing import List, Optional, Sequence, Tuple, overload

from numpy import ndarray

@overload
def cky(
    labels: ndarray, *, gold: Optional[ndarray] = None, margin: float = 0.0
) -> Tuple[float, ndarray]: ...
@overload
def cky(
    labels: Sequence[ndarray],
    *,
    gold: Optional[Sequence[ndarray]] = None,
    margin: float = 0.0,
) -> List[Tuple[float, ndarray]]: ...
