"""Semantic roles as HTML: one row a predicate, in which displaCy draws each argument as a box with its role."""

from bisect import bisect_left
from typing import Any, Dict, List

from spacy.displacy.render import EntityRenderer
from spacy.tokens import Doc

from ..annotations import Predicate, get_frame, get_span_predicates
from ..export import Sentence
from ..trees.frames import describe_role
from .colors import role_color
from .markup import escape, fold, shorten, visible
from .parse import PredicateRow

MAX_WORD = 60  # characters of a word
_BOX = (
    '<mark class="lal-role" title="{tip}" style="background: {bg}; color: #000; padding: .2em .35em; '
    'border-radius: .35em">{text}<span style="font-size: .65em; font-weight: bold; margin-inline-start: .5em">'
    "{label}{kb_link}</span></mark>"
)


def sentence_predicates(sentence: Sentence) -> List[Predicate]:
    """The predicates whose arguments all lie within a sentence, or the part of it that is shown."""
    first, last = sentence.tokens[0].i, sentence.tokens[-1].i + 1
    found = get_span_predicates(sentence.tokens[0].doc[first:last])
    return [one for one in found if first <= one.proposition.args[0][0] and one.proposition.args[-1][1] <= last]


def word_rows(sentence: Sentence) -> List[PredicateRow]:
    """The predicates of a sentence, their parts as spans of its words, counted from 0."""
    words = [token.i for token in sentence.tokens]
    rows = []
    for one in sentence_predicates(sentence):
        args = one.proposition.args
        spans = {(bisect_left(words, start), bisect_left(words, end)): role for start, end, role in args}
        rows.append(PredicateRow(one.roleset or "V", spans))
    return rows


def draw_roles(sentence: Sentence, folded: bool = False) -> str:
    """Draw the predicates of a sentence: its text once for each, with the roles in boxes.

    folded (bool): Whether a reader opens a predicate by clicking on it; the first is open.
    RETURNS (str): One `<div>`, well-formed as XML.
    """
    rows = [_row(one, sentence, folded, not number) for number, one in enumerate(sentence_predicates(sentence))]
    if not rows:
        rows = [f"<div>{escape(sentence.text)}</div><p>This sentence has no predicate.</p>"]
    direction = sentence.tokens[0].vocab.writing_system.get("direction", "ltr")
    return f'<div class="lal-roles" dir="{escape(direction)}">{"".join(rows)}</div>'


def _row(predicate: Predicate, sentence: Sentence, folded: bool, is_open: bool) -> str:
    doc, place, text = sentence.tokens[0].doc, sentence.tokens[0].i, ""
    frame = get_frame(doc.vocab, predicate.roleset)
    boxes: List[Dict[str, Any]] = []
    legend = []
    for start, end, role in predicate.proposition.args:
        text += _text(doc, place, start)
        words = _text(doc, start, end)
        tip = "" if role.removeprefix("C-") == "V" else escape(describe_role(role, frame) or "")
        bounds = {"start": len(text), "end": len(text) + len(words.rstrip())}
        boxes.append({**bounds, "label": escape(role), "params": {"tip": tip, "bg": role_color(role)}})
        if tip:
            legend.append(f"<li><b>{escape(role)}</b> {tip}: {escape(shorten(words.strip(), MAX_WORD))}</li>")
        text, place = text + words, end
    text += _text(doc, place, sentence.tokens[-1].i + 1)
    body = EntityRenderer({"template": _BOX}).render_ents(text, boxes, None)
    sense = " ".join([predicate.roleset, f"({frame.name})" if frame and frame.name else ""]).strip()
    heading = f"<b>{escape(shorten(visible(str(predicate)), MAX_WORD))}</b> <small>{escape(sense)}</small>"
    if not folded:
        return f"<div>{heading}{body}</div>"
    items = f'<ul style="margin: 0 0 1em; font-size: .9em">{"".join(legend)}</ul>' if legend else ""
    return fold(heading, body + items, is_open)


def _text(doc: Doc, start: int, end: int) -> str:
    """The shown text of tokens, with the space that follows it; runs of white space are one space."""
    text = "".join(token.text_with_ws for token in doc[start:end]) if start < end else ""
    if end < len(doc) and doc[end].is_space:
        text += " "
    words = " ".join(shorten(word, MAX_WORD) for word in visible(text).split())
    return f"{' ' * text[:1].isspace()}{words}{' ' * (text[-1:].isspace() and bool(words))}"
