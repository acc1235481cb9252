"""Semantic roles of treebanks: `.srl.jsonl` files, columns, and their joining with the
words that they annotate: CoNLL-U by `sent_id`, trees alone and `.props` by order.
`.srl.jsonl` has one JSON object a sentence:

    {"sent_id": "...", "words": 5, "predicates": [{"token": 1, "lemma": "give",
     "roleset": "give.01", "args": [[0, 1, "ARG0"], [1, 2, "V"], [2, 3, "ARG2"], [3, 5,
     "ARG1"]]}]}"""

import json
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Tuple

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
    propositions: Tuple[Proposition, ...]
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
        for one in propositions:
            try:
                check_proposition(one, n_words)
            except PropositionError as error:
                raise TreebankError(f"{name}:{line + one.token}: {error}") from None
        yield SentenceRoles("", n_words, propositions, f"{name}:{line}")


def with_roles(
    sentences: Iterable[Parse], roles: Iterable[SentenceRoles]
) -> Iterator[Parse]:
    """Give sentences their roles, by `sent_id`. The order of the roles does not matter.

    RAISES (TreebankError): With file and line: a sentence has no `sent_id` or no roles;
        the numbers of words differ; two sentences, or two lines of roles, have the same
        `sent_id`; roles belong to no sentence.
    """
    by_id: Dict[str, SentenceRoles] = {}
    for one in roles:
        if not one.sent_id or one.sent_id in by_id:
            raise TreebankError(
                f"{one.where}: expected a sent_id that no other line has, got "
                f"{one.sent_id!r}"
            )
        by_id[one.sent_id] = one
    unused = dict(by_id)
    for sentence in sentences:
        found = unused.pop(sentence.sent_id, None)
        if found is None:
            what = (
                "a second sentence with"
                if sentence.sent_id in by_id
                else "no roles for"
            )
            raise TreebankError(
                f"{sentence.where}: {what} the sent_id {sentence.sent_id!r}"
            )
        yield _joined(sentence, found)
    for first in unused.values():
        raise TreebankError(
            f"{first.where}: {len(unused)} lines of roles have no sentence, first "
            f"{first.sent_id!r}"
        )


def _in_order(
    sentences: Iterable[Parse], roles: Iterable[SentenceRoles], path: Path
) -> Iterator[Parse]:
    """Give sentence k the roles k."""
    for number, (sentence, found) in enumerate(zip_longest(sentences, roles), start=1):
        if sentence is None or found is None:
            missing = (
                f"no roles in {path} for sentence"
                if found is None
                else "no sentence for roles"
            )
            raise TreebankError(f"{(sentence or found).where}: {missing} {number}")
        yield _joined(sentence, found)


def _joined(sentence: Parse, found: SentenceRoles) -> Parse:
    if found.n_words != len(sentence.words):
        counts = (
            f"{found.n_words} words in the roles and {len(sentence.words)} in the "
            "sentence"
        )
        raise TreebankError(
            f"{found.where} and {sentence.where}: {counts} {sentence.sent_id!r}"
        )
    return replace(sentence, roles=found.propositions)


def to_role_dict(roles: SentenceRoles) -> Dict[str, Any]:
    """The object of a sentence's line."""
    predicates = [one.to_dict() for one in roles.propositions]
    return {"sent_id": roles.sent_id, "words": roles.n_words, "predicates": predicates}


def _sentence_roles(value: Any, where: str) -> SentenceRoles:
    """The roles of a line's JSON."""
    found: List[Proposition] = []
    try:
        sent_id = value.get("sent_id", "")
        n_words = value["words"]
        numbers = [n_words]
        texts = [sent_id]
        for one in value["predicates"]:
            args = [(start, end, role) for start, end, role in one["args"]]
            token = one["token"]
            roleset = one.get("roleset", "")
            lemma = one.get("lemma", "")
            numbers += [token, *(number for arg in args for number in arg[:2])]
            texts += [roleset, lemma]
            if found and token <= found[-1].token:
                raise PropositionError(
                    f"expected ascending tokens, got {token} after {found[-1].token}"
                )
            found.append(make_proposition(token, roleset, args, lemma))
            check_proposition(found[-1], n_words)
        if {*map(type, numbers)} != {int} or {*map(type, texts)} != {str}:
            raise TypeError(
                "words and tokens are numbers; sent_id, roleset and lemma are texts"
            )
    except PropositionError as error:
        raise TreebankError(f"{where}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise TreebankError(
            f"{where}: expected {_FORM}, got {quoted(json.dumps(value))}"
        ) from None
    return SentenceRoles(sent_id, n_words, tuple(found), where)
