"""Which parts are one discourse unit that others interrupt: by the arcs between
them."""

from bisect import bisect_right
from typing import Dict, List, Sequence

# A word of such a deprel may lie in a unit of its own, beside that of its head.
LOOSE_DEPRELS = frozenset({"advcl", "parataxis", "punct"})


def number_units(
    heads: Sequence[int],
    deprels: Sequence[str],
    starts: Sequence[int],
    goes_on: Sequence[bool],
) -> List[int]:
    """Give each unit or part of a sentence the number of its unit, from 1. A part that
    goes on belongs to the nearest one before it, the last left out, that has a
    dependent of it, or else its head; or else to the last but one.

    heads (Sequence[int]): Of each word; a root is its own.
    starts (Sequence[int]): The first word of each unit or part; the first is 0.
    goes_on (Sequence[bool]): Whether it goes on after another unit."""
    owners = [bisect_right(starts, word) - 1 for word in range(len(heads))]
    close: Dict[int, int] = {}
    loose: Dict[int, int] = {}
    for word, head in enumerate(heads):
        earlier, later = sorted((owners[word], owners[head]))
        if earlier < later - 1:
            is_close = owners[word] == earlier
            is_close &= deprels[word].partition(":")[0] not in LOOSE_DEPRELS
            nearest = close if is_close else loose
            nearest[later] = max(earlier, nearest.get(later, 0))
    numbers: List[int] = []
    n_units = 0
    for part, is_later in enumerate(goes_on):
        if is_later and part > 1:
            joined = close.get(part, loose.get(part, part - 2))
            numbers.append(numbers[joined])
        else:
            n_units += 1
            numbers.append(n_units)
    return numbers
