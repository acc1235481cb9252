"""Python interface of joint.pyx."""

from typing import List, Optional, Sequence, Tuple, overload

from numpy import ndarray

@overload
def joint(
    labels: ndarray,
    arcs: ndarray,
    *,
    gold: Optional[ndarray] = None,
    margin: float = 0.0,
) -> Tuple[float, ndarray, ndarray]: ...
@overload
def joint(
    labels: Sequence[ndarray],
    arcs: Sequence[ndarray],
    *,
    gold: Optional[Sequence[ndarray]] = None,
    margin: float = 0.0,
) -> List[Tuple[float, ndarray, ndarray]]: ...
