"""Roles as HTML: the text of a sentence once for each predicate, its arguments in
boxes."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Optional

from spacy.tokens import Doc

from ..annotations import Predicate, get_frame, get_span_predicates
from ..trees.frames import Frame, describe_role
from ..trees.parse import Parse
from ..trees.roles import PREDICATE_ROLE
from .colors import role_color
from .markup import escape, fold, shorten, visible

MAX_WORD = 60  # characters of a word
_BOX = "color: #000; padding: .2em .35em; border-radius: .35em"
_LABEL = "font-size: .65em; font-weight: bold; margin-inline-start: .5em"
_LIST = "margin: 0 0 1em; font-size: .9em"


class PredicateRow(NamedTuple):
    """A predicate of a sentence.
    name (str): Its roleset, or "V".
    spans (Mapping[Tuple[int, int], str]): Its parts, half-open spans of words, and
        their roles.
    meanings (Mapping[str, str]): What its roles are, such as "giver", where the frame
        is known."""

    name: str
    spans: Mapping[tuple[int, int], str]
    meanings: Mapping[str, str] = MappingProxyType({})


def sentence_predicates(parse: Parse) -> list[Predicate]:
    """The predicates whose arguments all lie within a sentence, or the part of it that
    is shown; no auxiliaries without arguments."""
    first = parse.tokens[0]
    end = parse.tokens[-1] + 1
    shown = []
    for predicate in get_span_predicates(parse.doc[first:end]):
        is_within = predicate.proposition.lies_in(first, end)
        if is_within and (predicate.arguments or not predicate.is_auxiliary):
            shown.append(predicate)
    return shown


def word_rows(parse: Parse) -> list[PredicateRow]:
    """The predicates of a sentence, their parts as spans of its words, counted from
    0."""
    rows = []
    for predicate in sentence_predicates(parse):
        spans = {
            (bisect_left(parse.tokens, start), bisect_left(parse.tokens, end)): role
            for start, end, role in predicate.proposition.args
        }
        frame = get_frame(parse.doc.vocab, predicate.roleset)
        meanings = {role: _description(role, frame) for role in spans.values()}
        rows.append(PredicateRow(predicate.roleset or PREDICATE_ROLE, spans, meanings))
    return rows


def draw_roles(parse: Parse, folded: bool = False) -> str:
    """Draw the predicates of a sentence as one `<div>`: its text once for each, with
    each argument in a box with its role, and the descriptions of the roles, where
    frames are known.
    folded (bool): Whether a click on a predicate shows this, one at a time; that of the
        main verb is open, or else the first."""
    predicates = sentence_predicates(parse)
    heads = zip(parse.tokens, parse.heads or (), strict=False)
    roots = [token for token, head in heads if head == 0]
    of_roots = [predicate for predicate in predicates if predicate.token.i in roots]
    main = [*of_roots, *predicates][:1]
    rows = [
        _row(predicate, parse, folded, predicate in main) for predicate in predicates
    ]
    if not rows:
        text = escape(parse.text)
        rows = [f"<div>{text}</div><p>This sentence has no predicate.</p>"]
    direction = parse.doc.vocab.writing_system.get("direction", "ltr")
    return f'<div class="lal-roles" dir="{escape(direction)}">{"".join(rows)}</div>'


def _row(predicate: Predicate, parse: Parse, folded: bool, is_open: bool) -> str:
    doc = parse.doc
    frame = get_frame(doc.vocab, predicate.roleset)
    first = place = parse.tokens[0]
    pieces = []
    legend = []
    for start, end, role in predicate.proposition.args:
        words = escape(_text(doc, start, end))
        tip = escape(_description(role, frame))
        look = f'title="{tip}" style="background: {role_color(role)}; {_BOX}"'
        label = f'<span style="{_LABEL}">{escape(role)}</span>'
        box = f'<mark class="lal-role" {look}>{words.rstrip()}{label}</mark>'
        pieces += [escape(_text(doc, place, start)), box, " " * words.endswith(" ")]
        if tip:
            legend.append(f"<li><b>{escape(role)}</b> {tip}: {words.strip()}</li>")
        place = end
    pieces.append(escape(_text(doc, place, parse.tokens[-1] + 1)))
    body = f'<div style="line-height: 2.5">{"".join(pieces)}</div>'
    if legend:
        body += f'<ul style="{_LIST}">{"".join(legend)}</ul>'
    name = escape(shorten(visible(str(predicate)), MAX_WORD))
    sense = predicate.roleset
    if frame and frame.name:
        sense = f"{sense} ({frame.name})".strip()
    heading = f"<b>{name}</b> <small>{escape(sense)}</small>"
    if folded:
        return fold(heading, body, is_open, f"roles-{first}")
    return f"<div>{heading}{body}</div>"


def _description(role: str, frame: Optional[Frame]) -> str:
    if role.removeprefix("C-") == PREDICATE_ROLE:
        return ""
    return describe_role(role, frame) or ""


def _text(doc: Doc, start: int, end: int) -> str:
    """The shown text of tokens, with the space that follows it; runs of white space are
    one space."""
    text = doc[start:end].text_with_ws
    if end < len(doc) and doc[end].is_space:
        text += " "
    words = re.sub(r"\s+", " ", visible(text)).split(" ")
    return " ".join(shorten(word, MAX_WORD) for word in words)
