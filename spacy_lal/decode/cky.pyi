"""Python interface of cky.pyx."""

from collections.abc import Sequence
from typing import Optional, overload

from numpy import ndarray

@overload
def cky(
    labels: ndarray, *, gold: Optional[ndarray] = None, margin: float = 0.0
) -> tuple[float, ndarray]: ...
@overload
def cky(
    labels: Sequence[ndarray],
    *,
    gold: Optional[Sequence[ndarray]] = None,
    margin: float = 0.0,
) -> list[tuple[float, ndarray]]: ...
