"""Python interface of role_spans.pyx."""

from typing import List, Optional, Sequence, Tuple, overload

from numpy import ndarray

MAX_ONCE: int

@overload
def role_spans(
    scores: ndarray,
    bonus: Optional[ndarray] = None,
    *,
    once: Optional[ndarray] = None,
    predicates: Optional[int] = None,
    verb: int = -1,
    n_threads: int = 1,
) -> Tuple[List[Tuple[int, int, int]], float]: ...
@overload
def role_spans(
    scores: Sequence[ndarray],
    bonus: Optional[Sequence[ndarray]] = None,
    *,
    once: Optional[ndarray] = None,
    predicates: Optional[Sequence[int]] = None,
    verb: int = -1,
    n_threads: int = 1,
) -> List[Tuple[List[Tuple[int, int, int]], float]]: ...
