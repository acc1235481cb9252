"""Propositions: a predicate with its roleset and its arguments; their BIO tags, as
strings and as numbers. Roles are PropBank's strings. `V` is the predicate itself, `C-X`
continues an earlier argument X, and `R-X` is a relative word that refers to X.
Specification: Strubell et al. (2018), LISA; the CoNLL-2005 shared task for C- and
R-."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

PREDICATE_ROLE = "V"
CONTINUATION = "C-"
REFERENCE = "R-"
PREDICATE_PART = CONTINUATION + PREDICATE_ROLE
OUTSIDE = "O"
MISSING = -1  # the number of a tag that is not known

Argument = tuple[int, int, str]  # a half-open range of words from 0, and its role
_CORE = re.compile(r"(?:ARG|A)([0-9]|A)(?:-.+)?")
_ROLE = re.compile(r"[^()*\s]+")


class PropositionError(ValueError):
    """A proposition, or a column of BIO tags, that is none."""


class Proposition(NamedTuple):
    """One predicate of a sentence, a word from 0. The roleset ("give.01") and the
    lemma, PropBank's frame file ("better" for good.02), are empty if unknown.

    args: half-open ranges of words with their roles, in text order, disjoint, `V` and
        the parts `C-X` among them.
    """

    token: int
    roleset: str
    args: tuple[Argument, ...]
    lemma: str = ""

    def mapped(self, place: Callable[[int], int]) -> "Proposition":
        """The same over other words; `place` gives their places. Arguments without
        words are left out."""
        moved = ((place(start), place(end), role) for start, end, role in self.args)
        args = tuple(arg for arg in moved if arg[0] < arg[1])
        return self._replace(token=place(self.token), args=args)

    def lies_in(self, start: int, end: int) -> bool:
        """Whether all arguments lie in a range of words."""
        return start <= self.args[0][0] and self.args[-1][1] <= end

    def to_dict(self) -> dict[str, Any]:
        """As in a line of `.srl.jsonl`."""
        return {
            "token": self.token,
            "lemma": self.lemma,
            "roleset": self.roleset,
            "args": [[*arg] for arg in self.args],
        }


class JoinedArgument(NamedTuple):
    """An argument with all of its parts, half-open ranges of words in text order; its
    role without C-."""

    role: str
    parts: tuple[tuple[int, int], ...]

    @property
    def start(self) -> int:
        """The first word of the first part."""
        return self.parts[0][0]

    @property
    def end(self) -> int:
        """The end of the last part."""
        return self.parts[-1][1]


def make_proposition(
    token: int, roleset: str, args: Iterable[Argument], lemma: str = ""
) -> Proposition:
    """A proposition from arguments in any order."""
    in_order = sorted((int(start), int(end), role) for start, end, role in args)
    return Proposition(int(token), roleset, tuple(in_order), lemma)


def check_proposition(proposition: Proposition, n_words: int) -> None:
    """Check that a proposition is sound in a sentence of `n_words`.

    RAISES (PropositionError): The token is no word of the sentence; an argument is
        empty, goes beyond the sentence, has no role (`is_role`), or does not begin
        after the end of the one before it; the number of `V` is not one; the token lies
        in neither `V` nor `C-V`.
    """
    token, _, args, _ = proposition
    is_sound = 0 <= token < n_words
    reached = 0
    roles = []
    roles_of_token = []
    for start, end, role in args:
        is_disjoint = reached <= start < end <= n_words
        is_sound &= is_disjoint and is_role(role)
        reached = end
        roles.append(role)
        if start <= token < end:
            roles_of_token.append(role)
    is_inside = PREDICATE_ROLE in roles_of_token or PREDICATE_PART in roles_of_token
    if not is_sound or roles.count(PREDICATE_ROLE) != 1 or not is_inside:
        raise PropositionError(
            "expected disjoint arguments with roles without brackets, * and white "
            f"space, in text order within {n_words} words, one of them V, and the "
            f"predicate within it or a C-V, got the predicate {token} and {list(args)}"
        )


def predicate_span(args: Sequence[Argument]) -> tuple[int, int]:
    """The range of the `V`.

    RAISES (PropositionError): No argument is a `V`.
    """
    for start, end, role in args:
        if role == PREDICATE_ROLE:
            return start, end
    raise PropositionError(f"expected a V among the arguments, got {list(args)}")


def is_role(role: Any) -> bool:
    """Whether it is a role that the columns of CoNLL can hold."""
    return isinstance(role, str) and _ROLE.fullmatch(role) is not None


def is_core(role: str) -> bool:
    """Whether a role is numbered (ARG0 to ARG9, ARGA, ARG1-DSP; A0 in CoNLL's names).
    R- and C- are not: they repeat one."""
    return _CORE.fullmatch(role) is not None


def base_role(role: str) -> str:
    """A role without C- and R-."""
    while role.startswith((CONTINUATION, REFERENCE)):
        role = role[2:]
    return role


def role_number(role: str) -> str:
    """The number of a core role as frames have it: "1" for ARG1, A1, R-ARG1 and C-ARG1;
    empty for other roles."""
    match = _CORE.fullmatch(base_role(role))
    return match[1] if match else ""


def join_parts(args: Iterable[Argument]) -> list[JoinedArgument]:
    """Join the parts of discontinuous arguments, `V` included, which are in text order.
    A part C-X joins the latest argument of type X so far, or without one begins it. R-X
    is a type of its own, which C-R-X joins."""
    joined: list[JoinedArgument] = []
    latest: dict[str, int] = {}
    for start, end, role in args:
        part = (start, end)
        name = role.removeprefix(CONTINUATION)
        if name != role and name in latest:
            before = joined[latest[name]]
            joined[latest[name]] = before._replace(parts=(*before.parts, part))
        else:
            latest[name] = len(joined)
            joined.append(JoinedArgument(name, (part,)))
    return joined


def args_to_bio(args: Iterable[Argument], n_words: int) -> list[str]:
    """Arguments as BIO tags, one for each word. Each argument begins with B-, so that
    adjacent arguments of one role stay apart; C- and R- stay in the tags.

    RAISES (PropositionError): An argument is empty, goes beyond the sentence, or
        overlaps another.
    """
    tags = [OUTSIDE] * n_words
    for start, end, role in args:
        is_inside = 0 <= start < end <= n_words
        if not is_inside or set(tags[start:end]) != {OUTSIDE}:
            raise PropositionError(
                f"expected disjoint arguments within {n_words} words, got {role} at "
                f"{start}:{end}"
            )
        tags[start:end] = [f"B-{role}", *[f"I-{role}"] * (end - start - 1)]
    return tags


def bio_to_args(tags: Sequence[str]) -> tuple[Argument, ...]:
    """BIO tags as arguments, in text order.

    RAISES (PropositionError): A tag is neither O nor B-X, nor I-X after B-X or I-X.
    """
    args: list[Argument] = []
    before = OUTSIDE
    for i, tag in enumerate(tags):
        mark, _, role = tag.partition("-")
        if role and mark == "I" and before in (f"B-{role}", tag):
            start, _, _ = args.pop()
            args.append((start, i + 1, role))
        elif role and mark == "B":
            args.append((i, i + 1, role))
        elif tag != OUTSIDE:
            raise PropositionError(
                f"expected O, B-ROLE or I-ROLE after a tag of its role as tag {i}, got "
                f"{tag!r} after {before!r}"
            )
        before = tag
    return tuple(args)


class RoleTags:
    """BIO tags as numbers, for networks and decoders: O is 0, then B- and I- of each
    role.

    RAISES (ValueError): `V` is missing among the roles, or a role is given twice.
    """

    def __init__(self, roles: Sequence[str]) -> None:
        self.roles = list(roles)
        if PREDICATE_ROLE not in self.roles or len(set(self.roles)) != len(self.roles):
            raise ValueError(
                f"expected different roles, {PREDICATE_ROLE!r} among them, got "
                f"{self.roles}"
            )
        of_roles = (f"{mark}-{role}" for role in self.roles for mark in "BI")
        self.strings = [OUTSIDE, *of_roles]
        self._ids = {tag: i for i, tag in enumerate(self.strings)}
        self.verb = self._ids[f"B-{PREDICATE_ROLE}"]

    def __len__(self) -> int:
        """Number of tags."""
        return len(self.strings)

    @property
    def openers(self) -> ndarray:
        """For each I- tag, the B- tag that opens its span; -1 for other tags. *Shape:*
        (n_tags,), int32."""
        tags = np.arange(len(self), dtype=np.int32)
        is_inside = (tags > 0) & (tags % 2 == 0)
        return np.where(is_inside, tags - 1, MISSING).astype(np.int32)

    @cached_property
    def once(self) -> ndarray:
        """Numbers of the tags that may occur once: B-V, and the B- tags of core roles.
        -1 for other tags. *Shape:* (n_tags,), int32."""
        numbers = np.full(len(self), MISSING, dtype=np.int32)
        counted = [PREDICATE_ROLE, *filter(is_core, self.roles)]
        for number, role in enumerate(counted):
            numbers[self._ids[f"B-{role}"]] = number
        return numbers

    def encode(self, args: Sequence[Argument], n_words: int) -> ndarray:
        """The tags of a proposition; words of an unknown role are -1. *Shape:*
        (n_words,), int32.

        args (Sequence[Tuple[int, int, str]]): Half-open ranges of words with their
            roles.
        RAISES (PropositionError): As `args_to_bio`.
        """
        tags = args_to_bio(args, n_words)
        return np.array([self._ids.get(tag, MISSING) for tag in tags], dtype=np.int32)

    def decode(self, tags: Sequence[int]) -> tuple[Argument, ...]:
        """The arguments of tags, in text order.

        RAISES (ValueError): An I- tag follows neither its B- tag nor itself.
        """
        return bio_to_args([self.strings[tag] for tag in tags])
