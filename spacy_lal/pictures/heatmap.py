"""A table of numbers as a heat map in HTML, for dark and light pages; the styles
"attention" and "contributions" of the label heads. Cells show rounded numbers; cells
close to zero are blank."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Span

from ..trees import Parse
from .markup import escape, scroll_box, shorten, visible

if TYPE_CHECKING:
    from ..interpret import Contributions, LabelAttention

N_SHOWN = 20
N_UPRIGHT = 12  # more columns than this have vertical names
# Blue and orange: mid-tones that the colour-blind can distinguish.
POSITIVE = "#2563eb"
NEGATIVE = "#d95f02"
# Shares of the scale from which a cell has a tint, and a number.
LEAST_TINTED = 0.025
LEAST_SHOWN = 0.1
MAX_ALPHA = 0.65  # black and white letters both stay readable on this tint
_ATTENTION = (
    "The words that a label head looks at: the stronger the colour, the larger the "
    "share of its attention. Heads that look evenly at all words are left out."
)
_EVEN = "The label heads called by labels of this parse look evenly at all words."
# A head looks at some words if its most attended one gets so many times the share that
# each word would get.
_LOOKS = 2.0
_OUTLINED = "Outlined: what a head adds to the label that it is called by."
_CSS = Path(__file__).with_name("heatmap.css").read_text(encoding="utf8")
_STYLE = f"<style>\n{_CSS}</style>"


def heatmap(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str = "",
    n_shown: int = N_SHOWN,
    first: Sequence[int] = (),
    outlined: Collection[tuple[int, int]] = (),
    note: str = "",
    totals: Sequence[tuple[str, Sequence[float]]] = (),
) -> str:
    """Draw a heat map of the strongest rows, without rows of zeros. Names, `title` and
    `note`, a sentence below it, are plain text.
    values (Sequence[Sequence[float]]): Negative values get another colour. Shape:
        (n_rows, n_columns).
    first (Sequence[int]): Numbers of rows that come first, in this order, whatever
        their values.
    outlined (Collection[Tuple[int, int]]): Row and column of cells with an outline;
        `note` says why.
    totals (Sequence[Tuple[str, Sequence[float]]]): Names and numbers of rows above the
        map, without tints."""
    table = [[float(value) for value in row] for row in values]
    strengths = [max(map(abs, row), default=0.0) for row in table]
    largest = max(strengths, default=0.0) or 1.0
    others = [i for i, most in enumerate(strengths) if most and i not in first]
    others.sort(key=lambda i: (-strengths[i], i))
    order = [*first, *others][: max(n_shown, 0)]
    if len(order) < len(table):
        note = f"{note} {len(order)} of {len(table)} rows are shown.".strip()
    signed = any(value < 0 for row in table for value in row)
    caption = f"<p>{escape(title)} {_scale(largest, signed)}</p>"
    if note:
        caption += f'<p class="lal-note">{escape(note)}</p>'
    body = [_row(name, row, 0.0) for name, row in totals]
    for i in order:
        cells = [column for row, column in outlined if row == i]
        body.append(_row(rows[i], table[i], largest, cells))
    drawn = f"<table>{_head(columns)}<tbody>{''.join(body)}</tbody></table>"
    boxed = scroll_box(drawn, title or "heat map")
    return f'<div class="lal-heatmap">{_STYLE}{caption}{boxed}</div>'


def _head(columns: Sequence[str]) -> str:
    turned = ' class="lal-turned"' if len(columns) > N_UPRIGHT else ""
    cells = []
    for column in columns:
        name = escape(shorten(visible(column)))
        cells.append(
            f'<th scope="col" title="{escape(column)}">'
            f'<div dir="auto"{turned}>{name}</div></th>'
        )
    return f"<thead><tr><td></td>{''.join(cells)}</tr></thead>"


def _row(
    name: str, values: Sequence[float], largest: float, outlined: Collection[int] = ()
) -> str:
    """A row.
    largest (float): The value of the strongest tint; 0 for a row without tints."""
    cells: list[str] = []
    for i, value in enumerate(values):
        strength = abs(value) / largest if largest else 0.0
        look = ' class="lal-outlined"' if i in outlined else ""
        if strength >= LEAST_TINTED:
            look += f' style="background:{_tint(value, strength)}"'
        is_shown = strength >= LEAST_SHOWN or i in outlined or not largest
        cells.append(f"<td{look}>{_short(value) if is_shown else ''}</td>")
    shown = escape(shorten(visible(name)))
    head = f'<th scope="row" title="{escape(name)}"><bdi>{shown}</bdi></th>'
    return f"<tr>{head}{''.join(cells)}</tr>\n"


def _tint(value: float, strength: float) -> str:
    color = POSITIVE if value >= 0 else NEGATIVE
    alpha = round(strength * MAX_ALPHA * 255)
    return f"{color}{alpha:02x}"


def _short(value: float) -> str:
    """A number with two digits or, from 100, as an integer, without a leading zero:
    .42, 1.7, \u221212."""
    text = f"{value:.0f}" if abs(value) >= 100 else f"{value:.2g}"
    return text.replace("0.", ".").replace("-", "\u2212")


def _scale(largest: float, signed: bool) -> str:
    colors = [_tint(-1, 1.0)] * signed + ["transparent", _tint(1, 1.0)]
    smallest = _short(-largest) if signed else "0"
    bar = f"background: linear-gradient(to right, {', '.join(colors)})"
    box = f'<span class="lal-scale" style="{bar}"></span>'
    return f'<span dir="ltr">{smallest}{box}{_short(largest)}</span>'


# The label heads; those that are called by the labels of the parse stand first


def draw_attention(
    parses: Sequence[Parse], options: dict[str, Any], nlp: Language
) -> list[str]:
    """The attention of each label head to each word, one picture a sentence: a strip of
    words for each head of the parse that looks at some words, and with the option
    `n_shown`, or without a parse, a heat map. See `interpret.label_attention`."""
    from ..interpret import label_attention

    pictures = []
    for parse in parses:
        attention = label_attention(nlp, _sentence_of(parse))
        own = _heads_of(parse, attention.heads)
        picture = _strips(attention, own) if own else ""
        if "n_shown" in options or not own:
            picture += heatmap(
                attention.weights.tolist(),
                attention.heads,
                attention.tokens,
                title="Share of its attention that a label head gives to each word",
                n_shown=options.get("n_shown", N_SHOWN),
                first=own,
            )
        pictures.append(picture)
    return pictures


def _strips(attention: "LabelAttention", heads: Sequence[int]) -> str:
    """The words, tinted by their shares, once for each head that looks at some of them;
    the most uneven head first."""
    n_places = len(attention.tokens)
    largest = {head: float(attention.weights[head].max()) for head in heads}
    looking = [head for head in heads if largest[head] * n_places >= _LOOKS]
    looking.sort(key=lambda head: -largest[head])
    if not looking:
        return f"<p>{_EVEN}</p>"
    strips = []
    for head in looking:
        words = []
        shares = attention.weights[head].tolist()
        for word, share in zip(attention.tokens, shares, strict=True):
            strength = share / largest[head]
            look = f' style="background:{_tint(1.0, strength)}; padding: .15em .25em"'
            text = escape(shorten(visible(word)))
            words.append(f'<span{look} title="{share:.0%}">{text}</span>')
        name = escape(attention.heads[head])
        strips.append(f"<li><strong>{name}</strong>: {' '.join(words)}</li>")
    items = "".join(strips)
    return f'<p>{_ATTENTION}</p><ul dir="auto" style="line-height: 1.9">{items}</ul>'


def draw_contributions(
    parses: Sequence[Parse], options: dict[str, Any], nlp: Language
) -> list[str]:
    """What each label head adds to the score of each constituent, one picture a
    sentence. See `interpret.constituent_contributions`."""
    from ..interpret import constituent_contributions

    pictures = []
    for parse in parses:
        spans = constituent_contributions(nlp, _sentence_of(parse))
        picture = "<p>This sentence has no constituent.</p>"
        pictures.append(
            _draw_contributions(spans, parse, options) if spans else picture
        )
    return pictures


def _sentence_of(parse: Parse) -> Span:
    return parse.doc[parse.tokens[0]].sent


def _draw_contributions(
    spans: Sequence["Contributions"], parse: Parse, options: dict[str, Any]
) -> str:
    names = spans[0].names
    columns = []
    for span in spans:
        text = " ".join(parse.doc[span.start : span.end].text.split())
        columns.append(f"{span.label}: {text}")
    numbers = [
        (span.score, float(span.heads.sum()), span.tokens, span.bias) for span in spans
    ]
    titles = ("score", "label heads, sum", "whole tokens", "bias")
    totals = zip(titles, zip(*numbers, strict=True), strict=True)
    outlined = [
        (names.index(span.label), i)
        for i, span in enumerate(spans)
        if span.label in names
    ]
    return heatmap(
        list(zip(*(span.heads for span in spans), strict=True)),
        names,
        columns,
        title="What each label head adds to the score of a constituent",
        n_shown=options.get("n_shown", N_SHOWN),
        first=_heads_of(parse, names),
        outlined=outlined,
        note=_OUTLINED if outlined else "",
        totals=[
            (name, row) for name, row in totals if any(row) or name != "whole tokens"
        ],
    )


def _heads_of(parse: Parse, names: Sequence[str]) -> list[int]:
    """The numbers of the heads called by labels of the parse, in its order; none
    without a parse."""
    labels = dict.fromkeys(span.label for span in parse.constituents or ())
    return [names.index(label) for label in labels if label in names]
