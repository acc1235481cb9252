"""Columns as in the CoNLL-2012 shared task: words, tags, trees and semantic roles of a
sentence side by side.

    bc/x  0  0  She    PRP  (TOP(S(NP*)  -     -   -  -  *  (ARG0*)  -

The columns are: document, part, word number, word, tag, parse, lemma, frameset, word
sense, speaker, named entities, one column for each predicate, coreference. A predicate
is a word with a frameset. Our departures: a frameset with a dot is a whole roleset
(`good.02` beside the lemma `better`), and XX is an unknown one; words are escaped as in
brackets. Senses, speakers, entities and coreference are neither read nor written.
Source: Pradhan et al. (2012)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Optional

from ..files import TreebankError, numbered_lines, quoted
from ..trees.brackets import escape_characters, escape_word, parse_tree, unescape_word
from ..trees.parse import Parse
from ..trees.props import args_to_cells, cells_to_args
from ..trees.roles import Proposition, PropositionError, check_proposition
from ..trees.spans import Constituent, SpanError
from .reader import parse_of_tree

# columns before and after those of predicates
N_BEFORE = 11
N_AFTER = 1
NUMBER = 2
WORD = 3
TAG = 4
PARSE = 5
LEMMA = 6
FRAMESET = 7
NONE = "-"
UNKNOWN_FRAMESET = "XX"
ROOT = "TOP"
PART = "0"  # of a document that is written
_CELLS = re.compile(r"[^ \t\r\n\f\v]+")
_BEGIN = re.compile(r"#begin document \((.*)\)(?:; part (\S+))?")

_Rows = list[tuple[int, list[str]]]  # the line of each word, and its cells


def read_columns(path: Path) -> Iterator[Parse]:
    """The sentences of a file, in order, one at a time: words, tags and roles, with a
    tree where the file has one. Heads and spaces are missing. The `sent_id` is
    "document/part-number", counted from 1 in each document.

    RAISES (TreebankError): With file and line: word numbers that do not count up from
        0; a wrong number of columns; a malformed cell, tree or proposition; text that
        is not UTF-8.
    """
    name = ""
    number = 0
    begins = False
    rows: _Rows = []
    for line, text in chain(numbered_lines(path), [(0, "")]):
        match = _BEGIN.match(text)
        if match:
            name = "/".join(part for part in match.groups() if part)
            number = 0
            begins = True
        elif text.strip() and not text.startswith("#"):
            rows.append((line, _CELLS.findall(text)))
        elif rows and not text.strip():
            number += 1
            yield _sentence(rows, str(path), f"{name}-{number}" if name else "", begins)
            rows = []
            begins = False


def format_columns(parse: Parse, document: str = NONE) -> str:
    """A sentence's lines, with the empty line at its end.

    parse (Parse): An empty tag is unknown; without constituents it has no tree.
    document (str): The first column.
    RAISES (PropositionError): The arguments of a predicate overlap.
    RAISES (SpanError): A label has a `*`, which columns cannot hold.
    """
    n_words = len(parse.words)
    propositions = parse.roles or ()
    predicates = [(NONE, NONE)] * n_words
    for proposition in propositions:
        predicates[proposition.token] = _lemma_and_frameset(proposition)
    before = zip(
        [_cell(document)] * n_words,
        [PART] * n_words,
        map(str, range(n_words)),
        map(escape_word, parse.words),
        map(_cell, parse.tags),
        _parse_cells(parse),
        strict=True,
    )
    columns = [args_to_cells(proposition.args, n_words) for proposition in propositions]
    of_predicates = zip(*columns, strict=True) if columns else [()] * n_words
    # no sense, no speaker, no named entities; no coreference
    rows = zip(before, predicates, of_predicates, strict=True)
    lines = [
        "\t".join((*cells, *predicate, NONE, NONE, "*", *args, NONE)) + "\n"
        for cells, predicate, args in rows
    ]
    return "".join([*lines, "\n"])


def document_lines(document: str) -> tuple[str, str]:
    """The lines that begin and end a document."""
    return f"#begin document ({_cell(document)}); part 00{PART}\n", "#end document\n"


def _sentence(rows: _Rows, path: str, sent_id: str, begins: bool) -> Parse:
    _check_rows(rows, path)
    metadata: dict[str, Optional[str]] = {"newdoc": None} if begins else {}
    if sent_id:
        metadata["sent_id"] = sent_id
    parse = Parse(
        [unescape_word(cells[WORD]) for _, cells in rows],
        ["" if cells[TAG] == NONE else cells[TAG] for _, cells in rows],
        roles=_propositions(rows, path),
        metadata=metadata,
        path=path,
        lines=[line for line, _ in rows],
    )
    return replace(parse, constituents=_constituents(parse, rows))


def _check_rows(rows: _Rows, path: str) -> None:
    """Check the numbers of words and of columns.

    RAISES (TreebankError): The words are not numbered from 0, or a row has too few or
        too many columns.
    """
    for number, (line, cells) in enumerate(rows):
        if len(cells) > NUMBER and cells[NUMBER] != str(number):
            raise TreebankError(
                f"{path}:{line}: expected the word number {number}, got "
                f"{quoted(cells[NUMBER])} (is an empty line missing?)"
            )
    framesets = [cells[FRAMESET] for _, cells in rows if len(cells) > FRAMESET]
    n_predicates = len(framesets) - framesets.count(NONE)
    n_columns = N_BEFORE + n_predicates + N_AFTER
    for line, cells in rows:
        if len(cells) != n_columns:
            raise TreebankError(
                f"{path}:{line}: expected {n_columns} columns ({N_BEFORE}, one for "
                f"each of the sentence's {n_predicates} predicates, and {N_AFTER}), "
                f"got {len(cells)}: {quoted(' '.join(cells))}"
            )


def _constituents(parse: Parse, rows: _Rows) -> Optional[Sequence[Constituent]]:
    bits = [cells[PARSE] for _, cells in rows]
    if set(bits) <= {"*", NONE}:
        return None
    pieces = []
    for bit, word, tag in zip(bits, parse.words, parse.tags, strict=True):
        leaf = f" ({escape_characters(tag) or 'X'} {escape_word(word)})"
        pieces.append(bit.replace("*", leaf))
    try:
        tree = parse_tree(" ".join(pieces), strip_traces=False)
        read = parse_of_tree(tree, parse.path, parse.line)
        if len(read.words) != len(parse.words):
            raise ValueError("expected one * in each row, such as (TOP(S(NP*) or *))")
        return read.constituents
    except ValueError as error:
        raise TreebankError(
            f"{parse.where}: the parse is no tree over the sentence: {error}"
        ) from None


def _propositions(rows: _Rows, path: str) -> tuple[Proposition, ...]:
    propositions = []
    predicates = [i for i, (_, cells) in enumerate(rows) if cells[FRAMESET] != NONE]
    for column, token in enumerate(predicates, start=N_BEFORE):
        cells = rows[token][1]
        lemma = "" if cells[LEMMA] == NONE else cells[LEMMA]
        roleset = cells[FRAMESET]
        if roleset == UNKNOWN_FRAMESET:
            roleset = ""
        elif lemma and "." not in roleset:
            roleset = f"{lemma}.{roleset}"
        try:
            args = cells_to_args([row[column] for _, row in rows])
            propositions.append(Proposition(token, roleset, args, lemma))
            check_proposition(propositions[-1], len(rows))
        except PropositionError as error:
            word, reason = error.args if len(error.args) == 2 else (token, error)
            raise TreebankError(
                f"{path}:{rows[word][0]}: {reason}, in column {column + 1}"
            ) from None
    return tuple(propositions)


def _lemma_and_frameset(proposition: Proposition) -> tuple[str, str]:
    roleset = _cell(proposition.roleset)
    lemma = _cell(proposition.lemma)
    frame, _, sense = roleset.rpartition(".")
    if roleset == NONE:
        return lemma, UNKNOWN_FRAMESET
    if frame and sense != UNKNOWN_FRAMESET and lemma in (frame, NONE):
        return frame, sense
    return (lemma if frame else NONE), roleset


def _parse_cells(parse: Parse) -> list[str]:
    if parse.constituents is None:
        return ["*"] * len(parse.words)
    for constituent in parse.constituents:
        if "*" in constituent.label:
            raise SpanError(
                "expected a label without * for a column, got "
                f"{constituent.label!r} over words "
                f"{constituent.start}:{constituent.end}"
            )
    cells = []
    for labels, _, _, n_closed in parse.steps():
        opened = "".join(f"({escape_characters(label)}" for label in labels)
        cells.append(f"{opened}*{')' * n_closed}")
    cells[0] = f"({ROOT}{cells[0]}"
    cells[-1] += ")"
    return cells


def _cell(text: str) -> str:
    return "_".join(text.split()) or NONE
