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
    dependent of it, or else its head; without either it is a unit of its own.

    heads (Sequence[int]): Of each word; a root is its own.
    starts (Sequence[int]): The first word of each unit or part; the first is 0.
    goes_on (Sequence[bool]): Whether it goes on after another unit."""
    owners = [bisect_right(starts, word) - 1 for word in range(len(heads))]
    has_dependent: Dict[int, int] = {}
    has_head: Dict[int, int] = {}
    for word, head in enumerate(heads):
        earlier, later = sorted((owners[word], owners[head]))
        is_loose = deprels[word].partition(":")[0] in LOOSE_DEPRELS
        is_dependent = owners[word] == earlier
        if earlier < later - 1 and not (is_dependent and is_loose):
            joined = has_dependent if is_dependent else has_head
            joined[later] = max(earlier, joined.get(later, 0))
    numbers: List[int] = []
    n_units = 0
    for part, is_later in enumerate(goes_on):
        joined_to = has_dependent.get(part, has_head.get(part))
        if is_later and joined_to is not None:
            numbers.append(numbers[joined_to])
        else:
            n_units += 1
            numbers.append(n_units)
    return numbers
