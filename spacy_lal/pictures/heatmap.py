"""A table of numbers as a heat map in HTML, for dark and light pages; the styles
"attention" and "contributions" of the label heads. Cells show rounded numbers; cells
close to zero are blank."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Collection, Dict, List, Sequence, Tuple

from spacy.language import Language
from spacy.tokens import Doc

from ..export import Sentence
from .markup import escape, scroll_box, shorten, visible

if TYPE_CHECKING:
    from ..interpret import Contributions, LabelAttention

N_SHOWN = 20
N_UPRIGHT = 12  # more columns than this have vertical names
POSITIVE, NEGATIVE = (
    "#2563eb",
    "#d95f02",
)  # blue, orange: mid-tones that the colour-blind can distinguish
LEAST_TINTED, LEAST_SHOWN = (
    0.025,
    0.1,
)  # shares of the scale from which a cell has a tint, and a number
MAX_ALPHA = 0.65  # black and white letters both stay readable on this tint
_ATTENTION = (
    "The words that the label heads called by labels of this parse look at, with "
    "shares of their attention. Some "
    "heads look evenly at all words."
)
_LOOKS = 1.5  # a head looks at words that get so many times the share of each
_MOST_WORDS = 5  # that are named
_OUTLINED = "Outlined: what a head adds to the label that it is called by."
_STYLE = f"<style>\n{Path(__file__).with_name('heatmap.css').read_text(encoding='utf8')}</style>"


def heatmap(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str = "",
    n_shown: int = N_SHOWN,
    first: Sequence[int] = (),
    outlined: Collection[Tuple[int, int]] = (),
    note: str = "",
    totals: Sequence[Tuple[str, Sequence[float]]] = (),
) -> str:
    """Draw a heat map of the strongest rows, without rows of zeros. Names, `title` and
    `note`, a sentence below it, are plain text. values: *Shape:* (n_rows, n_columns).
    Negative values get another colour. first: Numbers of rows that come first, in this
    order, whatever their values. outlined: Row and column of cells with an outline;
    `note` says why. totals: Names and numbers of rows above the map, without tints."""
    table = [[float(value) for value in row] for row in values]
    strengths = [max(map(abs, row), default=0.0) for row in table]
    largest = max(strengths, default=0.0) or 1.0
    others = sorted(
        {i for i, one in enumerate(strengths) if one} - {*first},
        key=lambda i: (-strengths[i], i),
    )
    order = [*first, *others][: max(n_shown, 0)]
    if len(order) < len(table):
        note = f"{note} {len(order)} of {len(table)} rows are shown.".strip()
    turned = ' class="lal-turned"' if len(columns) > N_UPRIGHT else ""
    cells = [(escape(column), escape(shorten(visible(column)))) for column in columns]
    names = [
        f'<th scope="col" title="{full}"><div dir="auto"{turned}>{name}</div></th>'
        for full, name in cells
    ]
    signed = any(value < 0 for row in table for value in row)
    caption = f"<p>{escape(title)} {_scale(largest, signed)}</p>"
    caption += f'<p class="lal-note">{escape(note)}</p>' if note else ""
    body = [_row(name, [float(value) for value in row], 0.0) for name, row in totals]
    body += [
        _row(
            rows[i], table[i], largest, {column for row, column in outlined if row == i}
        )
        for i in order
    ]
    head = f"<thead><tr><td></td>{''.join(names)}</tr></thead>"
    drawn = scroll_box(
        f"<table>{head}<tbody>{''.join(body)}</tbody></table>", title or "heat map"
    )
    return f'<div class="lal-heatmap">{_STYLE}{caption}{drawn}</div>'


def _row(
    name: str, values: Sequence[float], largest: float, outlined: Collection[int] = ()
) -> str:
    """largest (float): The value of the strongest tint; 0 for a row without tints."""
    cells: List[str] = []
    for i, value in enumerate(values):
        strength = abs(value) / largest if largest else 0.0
        look = ' class="lal-outlined"' if i in outlined else ""
        look += (
            f' style="background:{_tint(value, strength)}"'
            if strength >= LEAST_TINTED
            else ""
        )
        is_shown = strength >= LEAST_SHOWN or i in outlined or not largest
        cells.append(
            f"<td{look}>{_short(value, largest or max(map(abs, values))) if is_shown else ''}</td>"
        )
    head = f'<th scope="row" title="{escape(name)}"><bdi>{escape(shorten(visible(name)))}</bdi></th>'
    return f"<tr>{head}{''.join(cells)}</tr>\n"


def _tint(value: float, strength: float) -> str:
    return (
        f"{POSITIVE if value >= 0 else NEGATIVE}{round(strength * MAX_ALPHA * 255):02x}"
    )


def _short(value: float, largest: float) -> str:
    """A number with the decimals that give `largest` two significant digits, no leading
    zero: .42, 1.7, \u221212."""
    digits = (
        min(max(1 - math.floor(math.log10(largest * 0.999)), 0), 9) if largest else 0
    )
    text = f"{abs(value):.{digits}f}"
    text = text[1:] if text.startswith("0.") else text
    return f"\u2212{text}" if value < 0 and text.strip(".0") else text


def _scale(largest: float, signed: bool) -> str:
    low, middle = (_tint(-1, 1.0), "transparent, ") if signed else ("transparent", "")
    bar = f"background: linear-gradient(to right, {low}, {middle}{_tint(1, 1.0)})"
    smallest = _short(-largest, largest) if signed else "0"
    return f'<span dir="ltr">{smallest}<span class="lal-scale" style="{bar}"></span>{_short(largest, largest)}</span>'


# The label heads; those that are called by the labels of the parse stand first


def draw_attention(
    doc: Doc, sentences: Sequence[Sentence], options: Dict[str, Any], nlp: Language
) -> List[str]:
    """The attention of each label head to each word, one picture a sentence. See
    `interpret.label_attention`."""
    from ..interpret import label_attention

    pictures = []
    for sentence in sentences:
        attention = label_attention(nlp, sentence.tokens[0].sent)
        own = _heads_of(sentence, attention.heads)
        picture = heatmap(
            attention.weights.tolist(),
            attention.heads,
            attention.tokens,
            title="Share of its attention that a label head gives to each word",
            n_shown=options.get("n_shown", len(own) or N_SHOWN),
            first=own,
        )
        looks = [
            f"<li><strong>{escape(attention.heads[i])}</strong>: "
            f"{_looked_at(attention, i)}</li>"
            for i in own
        ]
        listed = (
            f'<p>{escape(_ATTENTION)}</p><ul dir="auto">{"".join(looks)}</ul>'
            if own
            else ""
        )
        pictures.append(
            listed if own and "n_shown" not in options else listed + picture
        )
    return pictures


def _looked_at(attention: "LabelAttention", head: int) -> str:
    shares = attention.weights[head]
    places = [
        i
        for i in shares.argsort()[::-1][:_MOST_WORDS].tolist()
        if shares[i] * len(shares) >= _LOOKS
    ]
    named = (
        f"{escape(shorten(visible(attention.tokens[i])))} "
        f"<small>{shares[i]:.0%}</small>"
        for i in places
    )
    return " \u00b7 ".join(named) or "<small>all words alike</small>"


def draw_contributions(
    doc: Doc, sentences: Sequence[Sentence], options: Dict[str, Any], nlp: Language
) -> List[str]:
    """What each label head adds to the score of each constituent, one picture a
    sentence. See `interpret.constituent_contributions`."""
    from ..interpret import constituent_contributions

    of_all = constituent_contributions(
        nlp, doc if len(sentences) > 1 else sentences[0].tokens[0].sent
    )
    pictures = []
    for sentence in sentences:
        first, last = sentence.tokens[0].i, sentence.tokens[-1].i
        found = [one for one in of_all if first <= one.start <= last]
        none = "<p>This sentence has no constituent.</p>"
        pictures.append(
            _draw_contributions(found, sentence, options) if found else none
        )
    return pictures


def _draw_contributions(
    found: Sequence["Contributions"], sentence: Sentence, options: Dict[str, Any]
) -> str:
    doc, names = sentence.tokens[0].doc, found[0].names
    values = [
        list(row) for row in zip(*(one.heads.tolist() for one in found), strict=True)
    ]
    totals = [
        ("score", [one.score for one in found]),
        ("label heads, sum", [float(one.heads.sum()) for one in found]),
        *(
            [("whole tokens", [one.tokens for one in found])]
            if any(one.tokens for one in found)
            else []
        ),
        ("bias", [one.bias for one in found]),
    ]
    texts = [" ".join(doc[one.start : one.end].text.split()) for one in found]
    outlined = [
        (names.index(one.label), i) for i, one in enumerate(found) if one.label in names
    ]
    return heatmap(
        values,
        names,
        [f"{one.label}: {text}" for one, text in zip(found, texts, strict=True)],
        title="What each label head adds to the score of a constituent",
        n_shown=options.get("n_shown", N_SHOWN),
        first=_heads_of(sentence, names),
        outlined=outlined,
        note=_OUTLINED if outlined else "",
        totals=totals,
    )


def _heads_of(sentence: Sentence, names: Sequence[str]) -> List[int]:
    """The numbers of the heads called by labels of the parse, in its order; none
    without a parse."""
    labels = dict.fromkeys(label for *_, label in sentence.constituents or [])
    return [names.index(label) for label in labels if label in names]
