"""The semantic roles of a sentence, for a page that shows them one predicate at a time."""

from typing import Dict, List, NamedTuple, Sequence, Tuple

from spacy.tokens import Span, Token

from ..annotations.role_rows import role_rows
from ..display.roles import SentenceRows, roles_to_html
from ..render.roles import word_roles


class ExplainedPredicate(NamedTuple):
    """A predicate with its arguments.

    name (str): Its words and roleset; plain text.
    spans (Dict[Tuple[int, int], str]): The half-open span of words of each part, and its role, V included.
    markup (str): Its row as HTML.
    """

    name: str
    spans: Dict[Tuple[int, int], str]
    markup: str


def explain_predicates(sentence: Span, words: Sequence[Token]) -> List[ExplainedPredicate]:
    """The predicates of a sentence; none if its Doc has no semantic roles.

    words (Sequence[Token]): The sentence's tokens without white space.
    """
    ((text, rows),) = role_rows(sentence)
    found = []
    for row, (_, spans) in zip(rows, word_roles(words), strict=True):
        name = " ".join(part for part in (row.predicate, row.roleset) if part)
        found.append(ExplainedPredicate(name, spans, roles_to_html(SentenceRows(text, [row]))))
    return found
