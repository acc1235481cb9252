"""BIO tags of roles as numbers, for networks and decoders: O is 0, then B- and I- of each role. *Not* here: BIO tags as
strings (`propositions.py`)."""

from typing import Dict, List, Sequence, Tuple

import numpy as np
from numpy import ndarray

from .propositions import PREDICATE_ROLE, Argument, is_core

MISSING = -1


class RoleTags:
    """The tags of some roles.

    roles (Sequence[str]): The roles, `V` among them.
    RAISES (ValueError): `V` is missing, or a role is given twice.
    """

    def __init__(self, roles: Sequence[str]) -> None:
        self.roles = list(roles)
        if PREDICATE_ROLE not in self.roles or len(set(self.roles)) != len(self.roles):
            raise ValueError(f"expected different roles, {PREDICATE_ROLE!r} among them, got {self.roles}")
        self._begins: Dict[str, int] = {role: 1 + 2 * i for i, role in enumerate(self.roles)}
        self.verb = self._begins[PREDICATE_ROLE]

    def __len__(self) -> int:
        """Number of tags."""
        return 1 + 2 * len(self.roles)

    @property
    def strings(self) -> List[str]:
        """The tags: O, B-..., I-..."""
        return ["O", *(f"{mark}-{role}" for role in self.roles for mark in "BI")]

    @property
    def openers(self) -> ndarray:
        """For each I- tag, the B- tag that opens its span; -1 for other tags. *Shape:* (n_tags,), int32."""
        tags = np.arange(len(self), dtype=np.int32)
        return np.where((tags > 0) & (tags % 2 == 0), tags - 1, MISSING).astype(np.int32)

    def once(self, *, core: bool) -> ndarray:
        """Numbers of the tags that may occur once: B-V, and with `core` the B- tags of core roles. -1 for other tags.
        *Shape:* (n_tags,), int32."""
        numbers = np.full(len(self), MISSING, dtype=np.int32)
        counted = [PREDICATE_ROLE, *(role for role in self.roles if core and is_core(role))]
        for number, role in enumerate(counted):
            numbers[self._begins[role]] = number
        return numbers

    def encode(self, args: Sequence[Argument], n_words: int) -> ndarray:
        """The tags of a proposition; words of an unknown role are -1. *Shape:* (n_words,), int32.

        args (Sequence[Tuple[int, int, str]]): Half-open ranges of words with their roles.
        """
        tags = np.zeros(n_words, dtype=np.int32)
        for start, end, role in args:
            begin = self._begins.get(role)
            tags[start:end] = MISSING if begin is None else begin + 1
            if begin is not None:
                tags[start] = begin
        return tags

    def decode(self, tags: Sequence[int]) -> Tuple[Argument, ...]:
        """The arguments of legal tags, in text order.

        RAISES (ValueError): An I- tag follows neither its B- tag nor itself.
        """
        args: List[Argument] = []
        before = 0
        for i, tag in enumerate(tags):
            if tag and tag % 2 == 0:
                if before not in (tag - 1, tag):
                    role, found = self.roles[(tag - 1) // 2], self.strings[before]
                    raise ValueError(f"expected B-{role} or I-{role} before tag {i}, got {found}")
                args[-1] = (args[-1][0], i + 1, args[-1][2])
            elif tag:
                args.append((i, i + 1, self.roles[(tag - 1) // 2]))
            before = tag
        return tuple(args)
