"""The semantic roles of a sentence, for a page that shows them one predicate at a time."""

from bisect import bisect_left
from typing import Dict, List, NamedTuple, Sequence, Tuple

from spacy.tokens import Span

from ..annotations.role_rows import role_rows
from ..annotations.role_views import get_span_predicates
from ..display.roles import SentenceRows, roles_to_html


class ExplainedPredicate(NamedTuple):
    """A predicate with its arguments.

    name (str): Its words and roleset; plain text.
    spans (Dict[Tuple[int, int], str]): The half-open span of words of each part, and its role, V included.
    markup (str): Its row as HTML.
    """

    name: str
    spans: Dict[Tuple[int, int], str]
    markup: str


def explain_predicates(sentence: Span, words: Sequence[int]) -> List[ExplainedPredicate]:
    """The predicates of a sentence; none if its Doc has no semantic roles.

    words (Sequence[int]): The sentence's tokens without white space.
    """
    ((text, rows),) = role_rows(sentence)
    inside = [
        one.proposition.args
        for one in get_span_predicates(sentence)
        if sentence.start <= one.proposition.args[0][0] and one.proposition.args[-1][1] <= sentence.end
    ]
    found = []
    for row, args in zip(rows, inside, strict=True):
        spans = {(bisect_left(words, start), bisect_left(words, end)): role for start, end, role in args}
        name = " ".join(part for part in (row.predicate, row.roleset) if part)
        found.append(ExplainedPredicate(name, spans, roles_to_html(SentenceRows(text, [row]))))
    return found
