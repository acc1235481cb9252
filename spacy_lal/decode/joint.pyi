"""Python interface of joint.pyx."""

from collections.abc import Sequence
from typing import Optional, overload

from numpy import ndarray

@overload
def joint(
    labels: ndarray,
    arcs: ndarray,
    *,
    gold: Optional[ndarray] = None,
    margin: float = 0.0,
) -> tuple[float, ndarray, ndarray]: ...
@overload
def joint(
    labels: Sequence[ndarray],
    arcs: Sequence[ndarray],
    *,
    gold: Optional[Sequence[ndarray]] = None,
    margin: float = 0.0,
) -> list[tuple[float, ndarray, ndarray]]: ...
