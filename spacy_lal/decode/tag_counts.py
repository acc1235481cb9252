"""Tags that may occur once. Only tags that occur more often without counting are counted by a decoder."""

from typing import Callable, List, Sequence, TypeVar

import numpy as np
from numpy import ndarray

MAX_ONCE = 20  # most tags that may occur once: the sets of such tags are part of a decoder's state

ResultT = TypeVar("ResultT")


def decode_counting(
    once: ndarray, decode: Callable[[ndarray], ResultT], numbers_of: Callable[[ResultT], ndarray]
) -> ResultT:
    """Decode until no tag occurs twice that may occur once. The best result of fewer constraints that keeps all of them
    is the best one.

    once (ndarray): A number for each tag that may occur once, -1 for others. Shape: (n_tags,), int32.
    decode (Callable[[ndarray], ResultT]): From the numbers to count, 0, 1, ..., to a result.
    numbers_of (Callable[[ResultT], ndarray]): The number in `once` of each tag of a result. Shape: (n,).
    """
    counted: List[int] = []
    while True:
        result = decode(renumbered(once, counted))
        repeated = repeated_numbers(numbers_of(result))
        if not repeated:
            return result
        counted.extend(repeated)


def renumbered(once: ndarray, counted: Sequence[int]) -> ndarray:
    """Numbers 0, 1, ... for the counted ones of `once`, -1 for all others. *Shapes:* as `once`, int32."""
    numbers = np.full(len(once), -1, dtype=np.int32)
    for number, one in enumerate(counted):
        numbers[once == one] = number
    return numbers


def repeated_numbers(numbers: ndarray) -> List[int]:
    """The numbers of 0 and more that occur more than once, ascending. *Shape:* (n,)."""
    values, counts = np.unique(numbers[numbers >= 0], return_counts=True)
    return [int(value) for value in values[counts > 1]]
