"""Roles as HTML: the text of a sentence once for each predicate, its arguments in
boxes."""

from bisect import bisect_left
from types import MappingProxyType
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from spacy.displacy.render import EntityRenderer
from spacy.tokens import Doc

from ..annotations import Predicate, get_frame, get_span_predicates
from ..export import Sentence
from ..trees.frames import Frame, describe_role
from ..trees.roles import PREDICATE_ROLE
from .colors import role_color
from .markup import escape, fold, shorten, visible

MAX_WORD = 60  # characters of a word
_BOX = (
    '<mark class="lal-role" title="{tip}" style="background: {bg}; color: #000; '
    'padding: .2em .35em; border-radius: .35em">{text}<span style="font-size: .65em; '
    'font-weight: bold; margin-inline-start: .5em">{label}{kb_link}</span></mark>'
)
_LIST = "margin: 0 0 1em; font-size: .9em"


class PredicateRow(NamedTuple):
    """A predicate of a sentence.
    name (str): Its roleset, or "V".
    spans (Mapping[Tuple[int, int], str]): Its parts, half-open spans of words, and
        their roles.
    meanings (Mapping[str, str]): What its roles are, such as "giver", where the frame
        is known."""

    name: str
    spans: Mapping[Tuple[int, int], str]
    meanings: Mapping[str, str] = MappingProxyType({})


def sentence_predicates(sentence: Sentence) -> List[Predicate]:
    """The predicates whose arguments all lie within a sentence, or the part of it that
    is shown; no auxiliaries without arguments."""
    first = sentence.tokens[0].i
    end = sentence.tokens[-1].i + 1
    found = []
    for one in get_span_predicates(sentence.tokens[0].doc[first:end]):
        args = one.proposition.args
        is_within = first <= args[0][0] and args[-1][1] <= end
        if is_within and (one.arguments or not one.is_auxiliary):
            found.append(one)
    return found


def word_rows(sentence: Sentence) -> List[PredicateRow]:
    """The predicates of a sentence, their parts as spans of its words, counted from
    0."""
    words = [token.i for token in sentence.tokens]
    rows = []
    for one in sentence_predicates(sentence):
        spans = {
            (bisect_left(words, start), bisect_left(words, end)): role
            for start, end, role in one.proposition.args
        }
        frame = get_frame(one.token.vocab, one.roleset)
        meanings = {role: _description(role, frame) for role in spans.values()}
        rows.append(PredicateRow(one.roleset or PREDICATE_ROLE, spans, meanings))
    return rows


def draw_roles(sentence: Sentence, folded: bool = False) -> str:
    """Draw the predicates of a sentence as one `<div>`: its text once for each, in
    which displaCy draws each argument as a box with its role, and the descriptions of
    the roles, where frames are known.
    folded (bool): Whether a click on a predicate shows this, one at a time; that of the
        main verb is open, or else the first."""
    found = sentence_predicates(sentence)
    main = _main_predicate(found, sentence)
    rows = [_row(one, sentence, folded, one is main) for one in found]
    if not rows:
        text = escape(sentence.text)
        rows = [f"<div>{text}</div><p>This sentence has no predicate.</p>"]
    direction = sentence.tokens[0].vocab.writing_system.get("direction", "ltr")
    return f'<div class="lal-roles" dir="{escape(direction)}">{"".join(rows)}</div>'


def _main_predicate(
    predicates: List[Predicate], sentence: Sentence
) -> Optional[Predicate]:
    heads = zip(sentence.tokens, sentence.heads or [], strict=False)
    roots = [token.i for token, head in heads if head == 0]
    for one in predicates:
        if one.token.i in roots:
            return one
    return predicates[0] if predicates else None


def _row(predicate: Predicate, sentence: Sentence, folded: bool, is_open: bool) -> str:
    doc = sentence.tokens[0].doc
    frame = get_frame(doc.vocab, predicate.roleset)
    place = sentence.tokens[0].i
    text = ""
    boxes: List[Dict[str, Any]] = []
    legend = []
    for start, end, role in predicate.proposition.args:
        text += _text(doc, place, start)
        words = _text(doc, start, end)
        tip = escape(_description(role, frame))
        boxes.append(
            {
                "start": len(text),
                "end": len(text) + len(words.rstrip()),
                "label": escape(role),
                "params": {"tip": tip, "bg": role_color(role)},
            }
        )
        if tip:
            shown = escape(shorten(words.strip(), MAX_WORD))
            legend.append(f"<li><b>{escape(role)}</b> {tip}: {shown}</li>")
        text += words
        place = end
    text += _text(doc, place, sentence.tokens[-1].i + 1)
    body = EntityRenderer({"template": _BOX}).render_ents(text, boxes, None)
    if legend:
        body += f'<ul style="{_LIST}">{"".join(legend)}</ul>'
    name = escape(shorten(visible(str(predicate)), MAX_WORD))
    sense = predicate.roleset
    if frame and frame.name:
        sense = f"{sense} ({frame.name})".strip()
    heading = f"<b>{name}</b> <small>{escape(sense)}</small>"
    if folded:
        return fold(heading, body, is_open, f"roles-{sentence.tokens[0].i}")
    return f"<div>{heading}{body}</div>"


def _description(role: str, frame: Optional[Frame]) -> str:
    if role.removeprefix("C-") == PREDICATE_ROLE:
        return ""
    return describe_role(role, frame) or ""


def _text(doc: Doc, start: int, end: int) -> str:
    """The shown text of tokens, with the space that follows it; runs of white space are
    one space."""
    tokens = doc[start:end] if start < end else ()
    text = "".join(token.text_with_ws for token in tokens)
    if end < len(doc) and doc[end].is_space:
        text += " "
    words = [shorten(word, MAX_WORD) for word in visible(text).split()]
    shown = " ".join(words)
    if text[:1].isspace():
        shown = f" {shown}"
    if words and text[-1:].isspace():
        shown = f"{shown} "
    return shown
