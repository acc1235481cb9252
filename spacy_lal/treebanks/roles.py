"""Semantic roles of treebanks: `.srl.jsonl` files, columns, and their joining with the
words that they annotate: CoNLL-U by `sent_id`, trees alone and `.props` by order.
`.srl.jsonl` has one JSON object a sentence:

    {"sent_id": "...", "words": 5, "predicates": [{"token": 1, "lemma": "give",
     "roleset": "give.01", "args": [[0, 1, "ARG0"], [1, 2, "V"], [2, 3, "ARG2"], [3, 5,
     "ARG1"]]}]}"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, StrictInt, StrictStr

from ..files import TreebankError, json_lines, quoted
from ..trees.parse import Parse
from ..trees.props import read_props
from ..trees.roles import (
    Proposition,
    PropositionError,
    check_proposition,
    make_proposition,
)
from .columns import read_columns
from .reader import TreebankFiles, not_empty, read_treebank

ROLES_SUFFIX = ".srl.jsonl"
_FORM = (
    '{"sent_id": "...", "words": 5, "predicates": [{"token": 1, "roleset": "...", '
    '"args": [[0, 1, "ARG0"]]}]}'
)


class SentenceRoles(NamedTuple):
    """The roles of one sentence by predicate, its `sent_id` or "", number of words, and
    file and line."""

    sent_id: str
    n_words: int
    propositions: tuple[Proposition, ...]
    where: str = "<roles>"


def read_sentences(files: TreebankFiles) -> Iterator[Parse]:
    """The sentences of a treebank, in order.

    RAISES (TreebankError): With file and line, as `read_treebank`.
    """
    if files.columns is not None:
        return not_empty(read_columns(files.columns), files.columns)
    if files.roles is None:
        return read_treebank(files.brackets, files.conllu)
    if not files.has_words:
        raise TreebankError(
            f"{files.roles}: roles have no words: give the CoNLL-U or the trees of the "
            "sentences, too"
        )
    sentences = read_treebank(files.brackets, files.conllu)
    roles = read_role_file(files.roles)
    if files.roles.suffix == ".jsonl" and files.conllu is not None:
        return with_roles(sentences, roles)
    return _in_order(sentences, roles, files.roles)


def read_role_file(path: Path) -> Iterator[SentenceRoles]:
    """The roles of a `.srl.jsonl` or `.props` file, by sentence.

    RAISES (TreebankError): It is malformed.
    """
    if path.suffix == ".jsonl":
        for where, value in json_lines(path):
            yield _sentence_roles(value, where)
        return
    for n_words, propositions, name, line in read_props(path):
        for proposition in propositions:
            try:
                check_proposition(proposition, n_words)
            except PropositionError as error:
                where = f"{name}:{line + proposition.token}"
                raise TreebankError(f"{where}: {error}") from None
        yield SentenceRoles("", n_words, propositions, f"{name}:{line}")


def with_roles(
    sentences: Iterable[Parse], roles: Iterable[SentenceRoles]
) -> Iterator[Parse]:
    """Give sentences their roles, by `sent_id`. The order of the roles does not matter.

    RAISES (TreebankError): With file and line: a sentence has no `sent_id` or no roles;
        the numbers of words differ; two sentences, or two lines of roles, have the same
        `sent_id`; roles belong to no sentence.
    """
    by_id: dict[str, SentenceRoles] = {}
    for line in roles:
        if not line.sent_id or line.sent_id in by_id:
            raise TreebankError(
                f"{line.where}: expected a sent_id that no other line has, got "
                f"{line.sent_id!r}"
            )
        by_id[line.sent_id] = line
    used: set[str] = set()
    for sentence in sentences:
        sent_id = sentence.sent_id
        if sent_id not in by_id or sent_id in used:
            what = "a second sentence with" if sent_id in used else "no roles for"
            raise TreebankError(f"{sentence.where}: {what} the sent_id {sent_id!r}")
        used.add(sent_id)
        yield _joined(sentence, by_id[sent_id])
    unused = [line for line in by_id.values() if line.sent_id not in used]
    if unused:
        raise TreebankError(
            f"{unused[0].where}: {len(unused)} lines of roles have no sentence, first "
            f"{unused[0].sent_id!r}"
        )


def _in_order(
    sentences: Iterable[Parse], roles: Iterable[SentenceRoles], path: Path
) -> Iterator[Parse]:
    """Give sentence k the roles k."""
    for number, (sentence, line) in enumerate(zip_longest(sentences, roles), start=1):
        if line is None:
            missing = f"no roles in {path} for sentence {number}"
            raise TreebankError(f"{sentence.where}: {missing}")
        if sentence is None:
            raise TreebankError(f"{line.where}: no sentence for roles {number}")
        yield _joined(sentence, line)


def _joined(sentence: Parse, roles: SentenceRoles) -> Parse:
    n_words = len(sentence.words)
    if roles.n_words != n_words:
        raise TreebankError(
            f"{roles.where} and {sentence.where}: {roles.n_words} words in the roles "
            f"and {n_words} in the sentence {sentence.sent_id!r}"
        )
    return replace(sentence, roles=roles.propositions)


def to_role_dict(roles: SentenceRoles) -> dict[str, Any]:
    """The object of a sentence's line."""
    predicates = [proposition.to_dict() for proposition in roles.propositions]
    return {"sent_id": roles.sent_id, "words": roles.n_words, "predicates": predicates}


class _PredicateOfLine(BaseModel):
    token: StrictInt
    args: list[tuple[StrictInt, StrictInt, str]]
    roleset: StrictStr = ""
    lemma: StrictStr = ""


class _Line(BaseModel):
    words: StrictInt
    predicates: list[_PredicateOfLine]
    sent_id: StrictStr = ""


def _sentence_roles(value: Any, where: str) -> SentenceRoles:
    """The roles of a line's JSON."""
    propositions: list[Proposition] = []
    try:
        line = _Line(**value)
        for predicate in line.predicates:
            token = predicate.token
            if propositions and token <= propositions[-1].token:
                raise PropositionError(
                    f"expected ascending tokens, got {token} after "
                    f"{propositions[-1].token}"
                )
            names = (predicate.roleset, predicate.args, predicate.lemma)
            propositions.append(make_proposition(token, *names))
            check_proposition(propositions[-1], line.words)
    except PropositionError as error:
        raise TreebankError(f"{where}: {error}") from None
    except (TypeError, ValueError):
        raise TreebankError(
            f"{where}: expected {_FORM}, got {quoted(json.dumps(value))}"
        ) from None
    return SentenceRoles(line.sent_id, line.words, tuple(propositions), where)
