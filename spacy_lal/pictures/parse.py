"""One picture of a whole parse: words on one line, the tree above, arcs below, and a
row of roles a predicate. Roles alone, as HTML."""

from bisect import bisect_left
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from spacy.displacy.render import EntityRenderer
from spacy.tokens import Doc

from ..annotations import Predicate, get_frame, get_span_predicates
from ..export import Sentence
from ..trees.brackets import iter_words, write_brackets
from ..trees.frames import describe_role
from .colors import DEFAULT_COLOR, role_color
from .markup import escape, fold, shorten, visible
from .svg import (
    Svg,
    number,
    picture,
    pill_text,
    pill_width,
    pills,
    svg_text,
    text_width,
)
from .tree import DESCENT, GAP, Layout

if TYPE_CHECKING:
    from nltk.tree import Tree

ROW = 24.0  # pixels of a row of roles
ROOT = "ROOT"
_SIZE, _LEVEL, _FIRST, _ARROW = (
    11,
    21.0,
    18.0,
    7.0,
)  # pixels: letters, between levels, to the lowest line, of an arrow
MAX_WORD = 60  # characters of a word
_BOX = (
    '<mark class="lal-role" title="{tip}" style="background: {bg}; color: #000; '
    "padding: .2em .35em; "
    'border-radius: .35em">{text}<span style="font-size: .65em; font-weight: bold; '
    'margin-inline-start: .5em">'
    "{label}{kb_link}</span></mark>"
)


class PredicateRow(NamedTuple):
    """A predicate: its roleset, or "V", and its parts, half-open spans of words ->
    role."""

    name: str
    spans: Mapping[Tuple[int, int], str]


class Arc(NamedTuple):
    """An arc between words, counted from 0, and the level of its line, from 1."""

    dependent: int
    head: int
    deprel: str
    level: int


def draw_parse(
    tree: "Tree",
    heads: Sequence[Optional[int]],
    deprels: Sequence[str],
    rows: Sequence[PredicateRow] = (),
    *,
    title: str = "Parse",
    direction: str = "ltr",
) -> Svg:
    """Draw a tree above its words, arcs and roles below. heads: the head of each word,
    counted from 1, 0 for a root, None if unknown. rows: the predicates, if roles are
    known."""
    arcs = _arcs(heads, deprels)
    least = [
        pill_width(ROOT) if head == 0 else 0.0 for head in heads
    ]  # of the column of each word
    wanted = [
        (min(arc[:2]), max(arc[:2]), text_width(arc.deprel) * _SIZE + 24)
        for arc in arcs
    ]
    wanted += [
        (s, e - 1, pill_width(_name(row, role)) + 4)
        for row in rows
        for (s, e), role in row.spans.items()
    ]
    for first, last, width in wanted:
        least[first] = max(
            least[first],
            width - sum(least[first + 1 : last + 1]) - GAP * (last - first),
        )
    layout = Layout(tree, direction == "rtl", least)
    places = [word.x for word in layout.words]
    base = layout.baseline + DESCENT + 5
    under, top = _draw_arcs(arcs, heads, places, base)
    boxes, texts = [], []
    for i, row in enumerate(rows):
        y = top + ROW * (i + 0.5)
        for (start, end), role in row.spans.items():
            parts = [
                (word.x, max(word.own_width, word.least) / 2)
                for word in (layout.words[j] for j in (start, end - 1))
            ]
            left, right = (
                min(x - half for x, half in parts),
                max(x + half for x, half in parts),
            )
            middle, name = (left + right) / 2, _name(row, role)
            boxes.append(
                (
                    middle,
                    y,
                    max(right - left + GAP - 4, pill_width(name)),
                    role_color(role),
                )
            )
            texts.append(pill_text(middle, y, name))
    body = f"{layout.draw()}{under}{pills(boxes)}{''.join(texts)}"
    words = list(iter_words(tree))
    description = f"{write_brackets(tree)} {describe_arcs(words, heads, deprels)}"
    return picture(
        body, "lal-parse", (layout.width, top + ROW * len(rows) + 2), title, description
    )


def describe_arcs(
    words: Sequence[str], heads: Sequence[Optional[int]], deprels: Sequence[str]
) -> str:
    """The arcs in words: "dog: nsubj of barks; barks: root"."""
    governors = [
        "no head" if head is None else f"of {words[head - 1]}" if head else "root"
        for head in heads
    ]
    known = [
        f"{deprel} {one}" if head else one
        for head, deprel, one in zip(heads, deprels, governors, strict=True)
    ]
    return "; ".join(f"{word}: {one}" for word, one in zip(words, known, strict=True))


def _arcs(heads: Sequence[Optional[int]], deprels: Sequence[str]) -> List[Arc]:
    """Short arcs first; each lies beyond all overlapping shorter ones."""
    found: List[Arc] = []
    pairs = [(dependent, head - 1) for dependent, head in enumerate(heads) if head]
    for dependent, head in sorted(
        pairs, key=lambda pair: (abs(pair[0] - pair[1]), pair)
    ):
        left, right = sorted((dependent, head))
        levels = [
            arc.level for arc in found if min(arc[:2]) < right and left < max(arc[:2])
        ]
        found.append(
            Arc(
                dependent, head, visible(deprels[dependent]), max(levels, default=0) + 1
            )
        )
    return found


def _draw_arcs(
    arcs: Sequence[Arc],
    heads: Sequence[Optional[int]],
    places: Sequence[float],
    base: float,
) -> Tuple[str, float]:
    lines, texts = [], []
    bottom = base + _FIRST + max((arc.level for arc in arcs), default=0) * _LEVEL
    for arc in arcs:
        end, y = places[arc.dependent], base + _FIRST + (arc.level - 1) * _LEVEL
        start = places[arc.head] + (5.0 if end > places[arc.head] else -5.0)
        lines.append(
            f"M{number(start)} "
            f"{number(base)}V{number(y)}H{number(end)}V{number(base + _ARROW)}"
        )
        texts.append(svg_text((start + end) / 2, y + _SIZE, arc.deprel))
    roots = [places[word] for word, head in enumerate(heads) if head == 0]
    lines += [f"M{number(x)} {number(bottom)}V{number(base + _ARROW)}" for x in roots]
    ends = [places[word] for word, head in enumerate(heads) if head is not None]
    arrows = "".join(
        f"M{number(x)} {number(base)}l-3.5 {number(_ARROW)}h7z" for x in ends
    )
    markup = (
        '<path fill="none" stroke="currentColor" stroke-opacity=".55" '
        f'd="{"".join(lines)}"/>'
        f'<path fill-opacity=".7" d="{arrows}"/><g '
        f'font-size="{_SIZE}">{"".join(texts)}</g>'
        + pills([(x, bottom, pill_width(ROOT), DEFAULT_COLOR) for x in roots])
        + "".join(pill_text(x, bottom, ROOT) for x in roots)
    )
    return markup, bottom + 14


def _name(row: PredicateRow, role: str) -> str:
    return shorten(visible(row.name)) if role == "V" else visible(role)


def sentence_predicates(sentence: Sentence) -> List[Predicate]:
    """The predicates whose arguments all lie within a sentence, or the part of it that
    is shown; no auxiliaries without arguments."""
    first, last = sentence.tokens[0].i, sentence.tokens[-1].i + 1
    found = get_span_predicates(sentence.tokens[0].doc[first:last])
    found = [one for one in found if one.arguments or not one.is_auxiliary]
    return [
        one
        for one in found
        if first <= one.proposition.args[0][0] and one.proposition.args[-1][1] <= last
    ]


def word_rows(sentence: Sentence) -> List[PredicateRow]:
    """The predicates of a sentence, their parts as spans of its words, counted from
    0."""
    words = [token.i for token in sentence.tokens]
    rows = []
    for one in sentence_predicates(sentence):
        args = one.proposition.args
        spans = {
            (bisect_left(words, start), bisect_left(words, end)): role
            for start, end, role in args
        }
        rows.append(PredicateRow(one.roleset or "V", spans))
    return rows


def draw_roles(sentence: Sentence, folded: bool = False) -> str:
    """Draw the predicates of a sentence as one `<div>`: its text once for each, in
    which displaCy draws each argument
    as a box with its role, and the descriptions of the roles, where frames are known.
    folded (bool): Whether a click on a predicate shows this, one at a time; that of the
    main verb is open, or else the first."""
    found = sentence_predicates(sentence)
    roots = {
        token.i
        for token, head in zip(sentence.tokens, sentence.heads or [], strict=False)
        if head == 0
    }
    main = next(
        (one for one in found if one.token.i in roots), found[0] if found else None
    )
    rows = [_row(one, sentence, folded, one is main) for one in found]
    if not rows:
        rows = [
            f"<div>{escape(sentence.text)}</div><p>This sentence has no predicate.</p>"
        ]
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
        tip = (
            ""
            if role.removeprefix("C-") == "V"
            else escape(describe_role(role, frame) or "")
        )
        bounds = {"start": len(text), "end": len(text) + len(words.rstrip())}
        boxes.append(
            {
                **bounds,
                "label": escape(role),
                "params": {"tip": tip, "bg": role_color(role)},
            }
        )
        if tip:
            legend.append(
                f"<li><b>{escape(role)}</b> {tip}: "
                f"{escape(shorten(words.strip(), MAX_WORD))}</li>"
            )
        text, place = text + words, end
    text += _text(doc, place, sentence.tokens[-1].i + 1)
    body = EntityRenderer({"template": _BOX}).render_ents(text, boxes, None)
    sense = " ".join(
        [predicate.roleset, f"({frame.name})" if frame and frame.name else ""]
    ).strip()
    heading = f"<b>{escape(shorten(visible(str(predicate)), MAX_WORD))}</b> <small>{escape(sense)}</small>"
    items = (
        f'<ul style="margin: 0 0 1em; font-size: .9em">{"".join(legend)}</ul>'
        if legend
        else ""
    )
    group = f"roles-{sentence.tokens[0].i}"
    return (
        fold(heading, body + items, is_open, group)
        if folded
        else f"<div>{heading}{body}{items}</div>"
    )


def _text(doc: Doc, start: int, end: int) -> str:
    """The shown text of tokens, with the space that follows it; runs of white space are
    one space."""
    text = (
        "".join(token.text_with_ws for token in doc[start:end]) if start < end else ""
    )
    if end < len(doc) and doc[end].is_space:
        text += " "
    words = " ".join(shorten(word, MAX_WORD) for word in visible(text).split())
    return f"{' ' * text[:1].isspace()}{words}{' ' * (text[-1:].isspace() and bool(words))}"
