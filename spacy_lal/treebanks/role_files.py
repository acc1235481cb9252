"""Files of semantic roles: `.srl.jsonl`, one JSON object a sentence.

    {"sent_id": "...", "words": 5, "predicates": [{"token": 1, "lemma": "give", "roleset": "give.01",
     "args": [[0, 1, "ARG0"], [1, 2, "V"], [2, 3, "ARG2"], [3, 5, "ARG1"]]}]}

*Not* here: CoNLL's columns (`conll_roles.py`), joining with words (`propbank.py`).
"""

import json
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

from ..trees.lines import LineError, has_half_pair, numbered_lines, quoted
from ..trees.propositions import Proposition, PropositionError, check_proposition, make_proposition
from .reader import TreebankError

ROLES_SUFFIX = ".srl.jsonl"
_FORM = '{"sent_id": "...", "words": 5, "predicates": [{"token": 1, "roleset": "...", "args": [[0, 1, "ARG0"]]}]}'


class SentenceRoles(NamedTuple):
    """The roles of one sentence, and their location.

    sent_id (str): As in CoNLL-U; empty if unknown. n_words (int): Its number of words.
    propositions (Tuple[Proposition, ...]): By predicate.
    path (str): The file. line (int): The line, from 1; in props, of the first word.
    """

    sent_id: str
    n_words: int
    propositions: Tuple[Proposition, ...]
    path: str = "<roles>"
    line: int = 0

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.path}:{self.line}"


def read_role_lines(path: Path) -> Iterator[SentenceRoles]:
    """The sentences of a `.srl.jsonl` file, in order, one at a time. Empty lines are skipped.

    RAISES (TreebankError): A line is not such an object, or a proposition is unsound; with file and line.
    """
    try:
        for number, line in numbered_lines(path):
            if line.strip():
                yield parse_role_line(line, str(path), number)
    except LineError as error:
        raise TreebankError(f"{path}:{error.number}: {error.reason}: {quoted(error.text)}") from None


def parse_role_line(line: str, path: str, number: int) -> SentenceRoles:
    """One sentence from its line.

    RAISES (TreebankError): See `read_role_lines`.
    """
    try:
        value: Any = json.loads(line)
    except (ValueError, RecursionError) as error:  # ValueError: no JSON, or a number of thousands of digits
        raise TreebankError(f"{path}:{number}: expected JSON, got {quoted(line.strip())} ({error})") from None
    if (
        not isinstance(value, dict)
        or not _is_count(value.get("words"))
        or not isinstance(value.get("predicates"), list)
    ):
        raise TreebankError(f"{path}:{number}: expected {_FORM}, got {quoted(line.strip())}")
    sent_id = value.get("sent_id", "")
    if not isinstance(sent_id, str) or has_half_pair(sent_id):
        raise TreebankError(f"{path}:{number}: expected a string as sent_id, got {quoted(repr(sent_id))}")
    propositions: List[Proposition] = []
    for predicate in value["predicates"]:
        try:
            proposition = _to_proposition(predicate)
            check_proposition(proposition, value["words"])
        except PropositionError as error:
            raise TreebankError(f"{path}:{number}: {error}") from None
        if propositions and proposition.token <= propositions[-1].token:
            raise TreebankError(
                f"{path}:{number}: expected predicates by ascending token, at most one a token, got token "
                f"{proposition.token} after {propositions[-1].token}"
            )
        propositions.append(proposition)
    return SentenceRoles(sent_id, value["words"], tuple(propositions), path, number)


def to_role_dict(roles: SentenceRoles) -> Dict[str, Any]:
    """The object of a sentence's line."""
    predicates = [
        {"token": one.token, "lemma": one.lemma, "roleset": one.roleset, "args": [[*arg] for arg in one.args]}
        for one in roles.propositions
    ]
    return {"sent_id": roles.sent_id, "words": roles.n_words, "predicates": predicates}


def format_role_line(roles: SentenceRoles) -> str:
    """A sentence's line, with its end."""
    return json.dumps(to_role_dict(roles), ensure_ascii=False) + "\n"


def _to_proposition(predicate: Any) -> Proposition:
    expected = '{"token": 1, "lemma": "give", "roleset": "give.01", "args": [[0, 1, "ARG0"], [1, 2, "V"]]}'
    wrong = PropositionError(f"expected a predicate such as {expected}, got {quoted(json.dumps(predicate))}")
    if not isinstance(predicate, dict) or not _is_count(predicate.get("token")):
        raise wrong
    lemma, roleset, args = predicate.get("lemma", ""), predicate.get("roleset", ""), predicate.get("args")
    if not isinstance(lemma, str) or not isinstance(roleset, str) or not isinstance(args, list):
        raise wrong
    for arg in args:
        if (
            not isinstance(arg, list)
            or len(arg) != 3
            or not all(map(_is_count, arg[:2]))
            or not isinstance(arg[2], str)
        ):
            raise wrong
    if any(map(has_half_pair, (lemma, roleset, *(arg[2] for arg in args)))):
        raise PropositionError(f"expected Unicode, got half a surrogate pair in {quoted(json.dumps(predicate))}")
    return make_proposition(predicate["token"], roleset, [(start, end, role) for start, end, role in args], lemma)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
