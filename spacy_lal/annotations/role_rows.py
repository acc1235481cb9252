"""The roles of Docs as rows to be drawn: `display/roles.py`."""

from typing import List, Union

from spacy.tokens import Doc, Span

from ..display.roles import RolePiece, RoleRow, SentenceRows
from ..trees.frames import describe_role
from ..trees.propositions import CONTINUATION, PREDICATE_ROLE
from .frames import get_frame
from .role_views import Predicate, get_predicates
from .sentences import sentence_words
from .span_groups import check_present

_OF_PREDICATE = (PREDICATE_ROLE, CONTINUATION + PREDICATE_ROLE)


def role_rows(item: Union[Doc, Span]) -> List[SentenceRows]:
    """For each sentence of a Doc that has words, or for a Span, the predicates whose arguments lie within it.

    RAISES (ValueError): Sentence boundaries are not known, or the roles are stale.
    """
    if isinstance(item, Span):
        check_present(item)
        return [_rows(item, get_predicates(item.doc))]
    predicates = get_predicates(item)
    return [_rows(item[words[0] : words[-1] + 1], predicates) for words in sentence_words(item) if words]


def _rows(span: Span, predicates: List[Predicate]) -> SentenceRows:
    found = []
    for predicate in predicates:
        args = predicate.proposition.args
        if span.start <= args[0][0] and args[-1][1] <= span.end:
            frame = get_frame(span.doc.vocab, predicate.roleset)
            pieces: List[RolePiece] = []
            place = span.start
            for start, end, role in args:
                if place < start:
                    pieces.append(RolePiece(_text(span.doc, place, start)))
                description = "" if role in _OF_PREDICATE else describe_role(role, frame) or ""
                pieces.append(RolePiece(_text(span.doc, start, end), role, description))
                place = end
            if place < span.end:
                pieces.append(RolePiece(_text(span.doc, place, span.end)))
            found.append(RoleRow(str(predicate), predicate.roleset, frame.name if frame else "", pieces))
    return SentenceRows(" ".join(span.text.split()), found)


def _text(doc: Doc, start: int, end: int) -> str:
    """The text of tokens, with the space that follows it; runs of white space are one space."""
    text = doc[start:end].text_with_ws
    if end < len(doc) and doc[end].is_space:
        text += " "
    words = " ".join(text.split())
    return (" " if text[:1].isspace() else "") + words + (" " if text[-1:].isspace() and words else "")
