"""Tags that may occur once. Only tags that occur more often without counting are counted by a decoder."""

from typing import Callable, List, TypeVar

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
        numbers = np.full(len(once), -1, dtype=np.int32)
        for number, one in enumerate(counted):
            numbers[once == one] = number
        result = decode(numbers)
        found = numbers_of(result)
        values, counts = np.unique(found[found >= 0], return_counts=True)
        if (counts < 2).all():
            return result
        counted.extend(values[counts > 1].tolist())
