"""Props: the columns of the CoNLL-2005 shared task. One line a word: "-" or the
predicate's lemma, then a column for each predicate, in the order of the predicates. An
empty line ends a sentence; words are absent.

    give  (V*)
    -     (A2*)

Arguments are flat, as in all data of the shared task. Some faults that the original
scorer silently ignores are errors here. Source: Carreras and Màrquez (2005)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..files import TreebankError, numbered_lines, quoted
from .roles import (
    PREDICATE_ROLE,
    Argument,
    Proposition,
    PropositionError,
    args_to_bio,
    is_role,
)

NO_PREDICATE = "-"
_CELLS = re.compile(r"[^ \t\r\n\f\v]+")
_CELL = re.compile(r"(?:\(([^()*]+))?\*(?:([^()*]*)(\)))?")


class PropsSentence(NamedTuple):
    """One sentence: its number of words; propositions by predicate, without rolesets,
    perhaps without a V; the file, and the line of the first word, from 1."""

    n_words: int
    propositions: tuple[Proposition, ...]
    path: str
    line: int

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path}:{self.line}"


def read_props(path: Path) -> Iterator[PropsSentence]:
    """The sentences of a file, in order, one at a time.

    RAISES (TreebankError): With file and line: a wrong number of columns; a cell that
        is none; brackets that are nested, not closed or not opened; two empty lines
        between sentences; text that is not UTF-8.
    """
    rows: list[list[str]] = []
    first = 1  # the line on which a sentence begins
    for number, line in numbered_lines(path):
        cells = _CELLS.findall(line)
        if cells and not rows and number != first:
            raise TreebankError(
                f"{path}:{number - 1}: expected a word, got an empty line without a "
                "sentence before it"
            )
        if cells:
            rows.append(cells)
        elif rows:
            yield _sentence(rows, str(path), first)
            rows = []
            first = number + 1
    if rows:
        yield _sentence(rows, str(path), first)


def _sentence(rows: Sequence[Sequence[str]], path: str, line: int) -> PropsSentence:
    predicates = [(i, row[0]) for i, row in enumerate(rows) if row[0] != NO_PREDICATE]
    for number, row in enumerate(rows, start=line):
        if len(row) != len(predicates) + 1:
            raise TreebankError(
                f"{path}:{number}: expected a column for each of the sentence's "
                f"{len(predicates)} predicates after the "
                f"first column, got {len(row) - 1}: {quoted(' '.join(row))}"
            )
    propositions = []
    for column, (token, lemma) in enumerate(predicates, start=1):
        try:
            args = cells_to_args([row[column] for row in rows])
        except PropositionError as error:
            word, reason = error.args
            raise TreebankError(
                f"{path}:{line + word}: {reason}, in column {column + 1} (of "
                f"{quoted(lemma)})"
            ) from None
        propositions.append(Proposition(token, "", args, lemma))
    return PropsSentence(len(rows), tuple(propositions), path, line)


def cells_to_args(cells: Sequence[str]) -> tuple[Argument, ...]:
    """The arguments of one column, in text order.

    RAISES (PropositionError): A cell is none, or brackets are nested, not closed or not
        opened. Its arguments are the word, from 0, and the reason.
    """
    args: list[Argument] = []
    start = -1
    role = ""
    for i, cell in enumerate(cells):
        match = _CELL.fullmatch(cell)
        if not match:
            raise PropositionError(
                i,
                f"expected *, (ROLE*, *) or (ROLE*), got {quoted(cell)} (nested "
                "arguments are not read)",
            )
        opened, repeated, closed = match.groups()
        if bool(opened) == (start >= 0) and (opened or closed):
            expected = f"the end of ({role}* (arguments are flat)"
            if start < 0:
                expected = "an open bracket"
            raise PropositionError(i, f"expected {expected} before {quoted(cell)}")
        if opened:
            start = i
            role = opened
        if closed:
            if repeated not in ("", role):
                got = quoted(cell)
                raise PropositionError(i, f"expected *{role}) to close, got {got}")
            args.append((start, i + 1, role))
            start = -1
    if start >= 0:
        raise PropositionError(
            start, f"({role}* is not closed by the end of the sentence"
        )
    return tuple(args)


def args_to_cells(args: Sequence[Argument], n_words: int) -> list[str]:
    """One column.

    RAISES (PropositionError): An argument goes beyond the sentence, overlaps another,
        or its role has brackets, `*` or white space.
    """
    args_to_bio(args, n_words)  # raises
    cells = ["*"] * n_words
    for start, end, role in args:
        if not is_role(role):
            raise PropositionError(f"expected a role of the columns, got {role!r}")
        cells[start] = f"({role}*"
        cells[end - 1] += ")"
    return cells


def format_props(propositions: Sequence[Proposition], n_words: int) -> str:
    """A sentence's lines, with the empty line at its end. The first column is the
    lemma, or without one the V's roleset, or V.

    RAISES (PropositionError): See `args_to_cells`.
    """
    first = [NO_PREDICATE] * n_words
    for token, roleset, _, lemma in propositions:
        frame = roleset.rpartition(".")[0]
        name = lemma or frame or roleset or PREDICATE_ROLE
        is_other = name != NO_PREDICATE
        first[token] = "_".join(name.split()) if is_other else PREDICATE_ROLE
    args = (args_to_cells(proposition.args, n_words) for proposition in propositions)
    columns = [first, *args]
    lines = [" ".join(row) + "\n" for row in zip(*columns, strict=True)]
    return "".join([*lines, "\n"])
