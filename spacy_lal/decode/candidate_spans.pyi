"""Python interface of candidate_spans.pyx."""

from typing import List, Optional, Sequence, Tuple, overload

from numpy import ndarray

@overload
def candidate_spans(
    gains: ndarray, ranges: ndarray, n_tokens: int, *, once: Optional[ndarray] = None
) -> Tuple[List[Tuple[int, int, int]], float]: ...
@overload
def candidate_spans(
    gains: Sequence[ndarray],
    ranges: Sequence[ndarray],
    n_tokens: Sequence[int],
    *,
    once: Optional[ndarray] = None,
) -> List[Tuple[List[Tuple[int, int, int]], float]]: ...
