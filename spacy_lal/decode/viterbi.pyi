"""Python interface of viterbi.pyx."""

from collections.abc import Sequence
from typing import Optional, overload

from numpy import ndarray

MAX_ONCE: int

@overload
def viterbi(
    scores: ndarray,
    openers: Optional[ndarray] = None,
    *,
    transitions: Optional[ndarray] = None,
    once: Optional[ndarray] = None,
    predicates: Optional[int] = None,
    verb: int = -1,
) -> tuple[ndarray, float]: ...
@overload
def viterbi(
    scores: Sequence[ndarray],
    openers: Optional[ndarray] = None,
    *,
    transitions: Optional[ndarray] = None,
    once: Optional[ndarray] = None,
    predicates: Optional[Sequence[int]] = None,
    verb: int = -1,
) -> list[tuple[ndarray, float]]: ...
