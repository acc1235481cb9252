"""Tags that may occur once, of which a decoder counts those that occur more often without counting."""

from typing import List, Sequence

import numpy as np
from numpy import ndarray


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
