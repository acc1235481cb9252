"""Propositions: a predicate with its roleset and its arguments, and their BIO tags.

Roles are PropBank's strings. `V` is the predicate itself, `C-X` continues an earlier argument X, and `R-X` is a
relative word that refers to X. `.srl.jsonl` files have the same format. *Not* here: files (`role_files.py`), Docs
(`annotations/roles.py`), descriptions of roles (`frames.py`).

Specification: Strubell et al. (2018), LISA; the CoNLL-2005 shared task for C- and R-.
"""

import re
from typing import Iterable, List, NamedTuple, Sequence, Tuple

PREDICATE_ROLE = "V"
CONTINUATION, REFERENCE = "C-", "R-"
OUTSIDE = "O"

Argument = Tuple[int, int, str]  # a half-open range of words from 0, and its role
_CORE = re.compile(r"(?:ARG|A)([0-9]|A)(?:-.+)?")
_BIO = re.compile(r"([BI])-(.+)", re.DOTALL)


class PropositionError(ValueError):
    """A proposition, or a column of BIO tags, that is none."""


class Proposition(NamedTuple):
    """One predicate of a sentence. Words are counted from 0.

    token (int): The predicate's word.
    roleset (str): PropBank's sense, for instance "give.01"; empty if unknown.
    args (Tuple[Tuple[int, int, str], ...]): Half-open ranges of words with their roles, in text order, disjoint. `V`
        and the parts `C-X` are among them.
    lemma (str): PropBank's frame file, for instance "better" for good.02; empty if unknown.
    """

    token: int
    roleset: str
    args: Tuple[Argument, ...]
    lemma: str = ""


class JoinedArgument(NamedTuple):
    """An argument with all of its parts.

    role (str): Its role without C-.
    parts (Tuple[Tuple[int, int], ...]): Half-open ranges of words, in text order.
    """

    role: str
    parts: Tuple[Tuple[int, int], ...]

    @property
    def start(self) -> int:
        """The first word of the first part."""
        return self.parts[0][0]

    @property
    def end(self) -> int:
        """The end of the last part."""
        return self.parts[-1][1]


def make_proposition(token: int, roleset: str, args: Iterable[Argument], lemma: str = "") -> Proposition:
    """A proposition from arguments in any order."""
    in_order = sorted((int(start), int(end), role) for start, end, role in args)
    return Proposition(int(token), roleset, tuple(in_order), lemma)


def check_proposition(proposition: Proposition, n_words: int) -> None:
    """Check that a proposition is sound in a sentence.

    n_words (int): Number of words of the sentence.
    RAISES (PropositionError): The token is no word of the sentence; an argument is empty, goes beyond the sentence, has
        no role, or does not begin after the end of the one before it; the number of `V` is not one; the token lies in
        neither `V` nor `C-V`.
    """
    token, _, args, _ = proposition
    if not 0 <= token < n_words:
        raise PropositionError(f"expected the predicate among words 0 to {n_words - 1}, got word {token}")
    reached = 0
    for start, end, role in args:
        if not role or not isinstance(role, str):
            raise PropositionError(f"expected a role for words {start}:{end} of the predicate {token}, got {role!r}")
        if not 0 <= start < end <= n_words:
            raise PropositionError(
                f"expected words between 0 and {n_words} for {role} of the predicate {token}, got {start}:{end}"
            )
        if start < reached:
            raise PropositionError(
                f"expected disjoint arguments in text order for the predicate {token}, got {role} at {start}:{end} "
                f"after an argument that ends at {reached}"
            )
        reached = end
    n_predicates = sum(role == PREDICATE_ROLE for _, _, role in args)
    if n_predicates != 1:
        raise PropositionError(f"expected one V for the predicate {token}, got {n_predicates}")
    of_predicate = (PREDICATE_ROLE, CONTINUATION + PREDICATE_ROLE)
    if not any(start <= token < end and role in of_predicate for start, end, role in args):
        raise PropositionError(f"expected the predicate {token} within its V or C-V, got {list(args)}")


def predicate_span(args: Sequence[Argument]) -> Tuple[int, int]:
    """The range of the `V`.

    RAISES (PropositionError): No argument is a `V`.
    """
    for start, end, role in args:
        if role == PREDICATE_ROLE:
            return start, end
    raise PropositionError(f"expected a V among the arguments, got {list(args)}")


def is_core(role: str) -> bool:
    """Whether a role is numbered (ARG0 to ARG9, ARGA, ARG1-DSP; A0 in CoNLL's names). R- and C- are not: they repeat
    one."""
    return _CORE.fullmatch(role) is not None


def role_number(role: str) -> str:
    """The number of a core role as frames have it: "1" for ARG1, A1, R-ARG1 and C-ARG1; empty for other roles."""
    name = role
    while name.startswith((CONTINUATION, REFERENCE)):
        name = name[2:]
    match = _CORE.fullmatch(name)
    return match[1] if match else ""


def join_parts(args: Iterable[Argument]) -> List[JoinedArgument]:
    """Join the parts of discontinuous arguments, `V` included.

    A part C-X joins the latest argument of type X so far. Without such an argument, it is a new argument of type X, and
    later parts can join it. R-X is a type of its own, which C-R-X joins.

    args (Iterable[Tuple[int, int, str]]): In text order.
    RETURNS (List[JoinedArgument]): By their first parts.
    """
    joined: List[Tuple[str, List[Tuple[int, int]]]] = []
    latest: dict[str, int] = {}
    for start, end, role in args:
        name = role[len(CONTINUATION) :] if role.startswith(CONTINUATION) else role
        if name != role and name in latest:
            joined[latest[name]][1].append((start, end))
            continue
        latest[name] = len(joined)
        joined.append((name, [(start, end)]))
    return [JoinedArgument(name, tuple(parts)) for name, parts in joined]


def args_to_bio(args: Iterable[Argument], n_words: int) -> List[str]:
    """Arguments as BIO tags, one for each word. Each argument begins with B-, so that adjacent arguments of one role
    stay apart; C- and R- stay in the tags.

    RAISES (PropositionError): An argument is empty, goes beyond the sentence, or overlaps another.
    """
    tags = [OUTSIDE] * n_words
    for start, end, role in args:
        if not 0 <= start < end <= n_words:
            raise PropositionError(f"expected words between 0 and {n_words} for {role}, got {start}:{end}")
        if any(tag != OUTSIDE for tag in tags[start:end]):
            raise PropositionError(f"expected disjoint arguments, got {role} at {start}:{end} over {tags[start:end]}")
        tags[start:end] = [f"B-{role}", *[f"I-{role}"] * (end - start - 1)]
    return tags


def bio_to_args(tags: Sequence[str], *, strict: bool = False) -> Tuple[Argument, ...]:
    """BIO tags as arguments, in text order.

    An illegal I- is read as in the reference implementation of LISA: it opens an argument if none is open, else it
    continues the open one, whatever its role. An argument has the role of its first tag.

    strict (bool): Whether an illegal I- is an error.
    RAISES (PropositionError): A tag is neither O, B-X nor I-X, or with `strict` an I-X follows neither B-X nor I-X.
    """
    args: List[Argument] = []
    open_at, role = -1, ""
    before = OUTSIDE
    for i, tag in enumerate(tags):
        match = _BIO.fullmatch(tag)
        if match is None and tag != OUTSIDE:
            raise PropositionError(f"expected O, B-ROLE or I-ROLE as tag {i}, got {tag!r}")
        if strict and match and match[1] == "I" and before not in (f"B-{match[2]}", f"I-{match[2]}"):
            raise PropositionError(f"expected B-{match[2]} or I-{match[2]} before tag {i}, {tag!r}, got {before!r}")
        if open_at >= 0 and (match is None or match[1] == "B"):
            args.append((open_at, i, role))
            open_at = -1
        if match and open_at < 0:
            open_at, role = i, match[2]
        before = tag
    if open_at >= 0:
        args.append((open_at, len(tags), role))
    return tuple(args)
