"""One picture of a whole parse: words on one line, the tree above, arcs below, and a row for each predicate.

Without a tree it is a picture of arcs, which then stand above the words. *Not* here: Docs.
"""

from typing import List, Mapping, NamedTuple, Optional, Sequence, Tuple

from nltk.tree import Tree

from ..trees.brackets import iter_words, write_brackets
from .arcs import draw_arcs, least_widths, level_arcs
from .markup import escape, shorten, visible
from .roles import role_color
from .svg import FONT, PILL, Svg, number, opening, pill_text, pill_width, pills, text_width
from .tree import ASCENT, DESCENT, WORD_LEVEL, tree_body, word_line
from .tree_layout import GAP, SIDE, SIZE, TAG_SIZE, Layout

ROW = 24.0  # pixels of a row of roles
MAX_WORD = 18  # characters of a word below arcs


class PredicateRow(NamedTuple):
    """A predicate and its arguments.

    name (str): Its roleset, or "V"; plain text. spans (Mapping): The half-open span of words of each part -> role.
    """

    name: str
    spans: Mapping[Tuple[int, int], str]


class Looks(NamedTuple):
    """Choices of the reader, as in displaCy's options.

    distance (float): The least distance of neighbouring words, in pixels. compact (bool): Square arcs.
    color, bg, font (str): Of letters and lines, of the background, and the family of letters; as in CSS.
    """

    distance: float = 0.0
    compact: bool = False
    color: str = ""
    bg: str = ""
    font: str = ""


PLAIN = Looks()


def draw_parse(
    tree: Tree,
    heads: Sequence[Optional[int]],
    deprels: Sequence[str],
    rows: Sequence[PredicateRow] = (),
    *,
    title: str = "",
    direction: str = "ltr",
) -> Svg:
    """Draw a tree above its words, arcs and roles below.

    tree (Tree): A tree with n words.
    heads, deprels (Sequence): The head of each word, counted from 1, 0 for a root, None if unknown; and its
        deprel.
    rows (Sequence[PredicateRow]): The predicates, if roles are known.
    title (str): The name of the picture; plain text. direction (str): "rtl" draws the first word on the right.
    """
    arcs = level_arcs(heads, deprels)
    least = least_widths(arcs, heads, GAP)
    for row in rows:
        for (start, end), role in row.spans.items():
            needed = pill_width(_role_name(row, role)) - GAP * (end - start - 1) + 4
            least[start] = max(least[start], needed - sum(least[start + 1 : end]))
    layout = Layout(tree, direction == "rtl", least)
    places = [word.x for word in layout.words]
    words = word_line(layout)
    under = draw_arcs(arcs, heads, places, base=words + DESCENT + 5, below=True)
    top = words + DESCENT + 5 + under.height + (4 if rows else 0)
    halves = [max(word.own_width, word.least) / 2 for word in layout.words]
    bars = _role_rows(rows, places, halves, top)
    height = top + ROW * len(rows) + 2
    description = f"{write_brackets(tree)} {describe_arcs(list(iter_words(tree)), heads, deprels)}"
    first = opening("lal-parse", layout.width, height, title, description, f' font-size="{SIZE}"')
    markup = f"{first}{tree_body(layout)}{under.markup}{bars}</svg>"
    return Svg(markup, layout.width, height, title, description)


def draw_dependencies(
    words: Sequence[str],
    notes: Sequence[Sequence[str]],
    heads: Sequence[Optional[int]],
    deprels: Sequence[str],
    *,
    title: str = "",
    direction: str = "ltr",
    looks: Looks = PLAIN,
) -> Svg:
    """Draw words on one line, arcs above.

    words (Sequence[str]): Plain text. notes (Sequence[Sequence[str]]): Lines below each word, such as its tag.
    heads, deprels, title, direction: As in `draw_parse`.
    """
    arcs = level_arcs(heads, deprels)
    shown = [shorten(visible(word), MAX_WORD) for word in words]
    least = least_widths(arcs, heads, GAP)
    lines = [[shorten(visible(note), MAX_WORD) for note in one] for one in notes]
    widths = [
        max([text_width(word) * SIZE, *(text_width(note) * TAG_SIZE for note in below), room])
        for word, below, room in zip(shown, lines, least, strict=True)
    ]
    places, width = _places(widths, looks.distance)
    if direction == "rtl":
        places = [width - x for x in places]
    above = draw_arcs(arcs, heads, places, base=0, square=looks.compact)
    base = above.height + 5 + ASCENT
    texts = []
    for i, x in enumerate(places):
        texts.append(f'<text x="{number(x)}" y="{number(base)}">{escape(shown[i])}</text>')
        for row, note in enumerate(lines[i]):
            if note:
                place = f'x="{number(x)}" y="{number(base + (row + 1) * (WORD_LEVEL - 2))}"'
                texts.append(f'<text {place} font-size="{TAG_SIZE}" fill-opacity=".7">{escape(note)}</text>')
    height = base + max(map(len, lines), default=0) * (WORD_LEVEL - 2) + DESCENT + 2
    description = describe_arcs(words, heads, deprels)
    extra = f' font-size="{SIZE}"' + (f' direction="{escape(direction)}"' if direction != "ltr" else "")
    extra += f' color="{escape(looks.color)}"' if looks.color else ""
    first = opening("lal-arcs", width, height, title, description, extra)
    if looks.font:
        first = first.replace(f'font-family="{FONT}"', f'font-family="{escape(looks.font)}"', 1)
    canvas = f'<rect width="100%" height="100%" fill="{escape(looks.bg)}"/>' if looks.bg else ""
    body = f'<g transform="translate(0 {number(above.height)})">{above.markup}</g>{"".join(texts)}'
    return Svg(f"{first}{canvas}{body}</svg>", width, height, title, description)


def describe_arcs(words: Sequence[str], heads: Sequence[Optional[int]], deprels: Sequence[str]) -> str:
    """The arcs in words: "dog: nsubj of barks"."""
    parts = []
    for word, head, deprel in zip(words, heads, deprels, strict=True):
        arc = "no head" if head is None else f"{deprel} of {words[head - 1]}" if head else "root"
        parts.append(f"{word}: {arc}")
    return "; ".join(parts)


def _places(widths: Sequence[float], distance: float) -> Tuple[List[float], float]:
    """The middle of each word, and the width of all."""
    places: List[float] = []
    for i, width in enumerate(widths):
        if not places:
            places.append(SIDE + width / 2)
        else:
            places.append(places[-1] + max((widths[i - 1] + width) / 2 + GAP, distance))
    return places, places[-1] + widths[-1] / 2 + SIDE if places else 2 * SIDE


def _role_name(row: PredicateRow, role: str) -> str:
    return shorten(visible(row.name)) if role == "V" else visible(role)


def _role_rows(rows: Sequence[PredicateRow], places: Sequence[float], halves: Sequence[float], top: float) -> str:
    boxes, texts = [], []
    for number_of, row in enumerate(rows):
        y = top + ROW * number_of + PILL / 2
        for (start, end), role in row.spans.items():
            edges = [places[i] + side * halves[i] for i in (start, end - 1) for side in (-1, 1)]
            left, right = min(edges) - GAP / 2 + 2, max(edges) + GAP / 2 - 2
            name = _role_name(row, role)
            middle, width = (left + right) / 2, max(right - left, pill_width(name))
            boxes.append((middle, y, width, role_color(role)))
            texts.append(pill_text(middle, y, name))
    return pills(boxes) + "".join(texts)
