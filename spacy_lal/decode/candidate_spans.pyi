"""Python interface of candidate_spans.pyx."""

from collections.abc import Sequence
from typing import Optional, overload

from numpy import ndarray

@overload
def candidate_spans(
    gains: ndarray, ranges: ndarray, n_tokens: int, *, once: Optional[ndarray] = None
) -> tuple[list[tuple[int, int, int]], float]: ...
@overload
def candidate_spans(
    gains: Sequence[ndarray],
    ranges: Sequence[ndarray],
    n_tokens: Sequence[int],
    *,
    once: Optional[ndarray] = None,
) -> list[tuple[list[tuple[int, int, int]], float]]: ...
