"""A constituency tree as a drawing: SVG, or letters by nltk's pretty printer."""

from typing import List

from nltk.tree import Tree

from ..trees.brackets import write_brackets
from ..trees.labels import split_chain
from .colors import chain_color
from .markup import escape, printable
from .svg import PILL, Svg, number, opening, pill_text, pill_width, pills
from .tree_layout import SIZE, TAG_SIZE, Layout, Node

LEVEL, MAX_LEVEL = 40.0, 60.0  # pixels between two levels; more in wide trees, whose lines would be flat
WORD_LEVEL = 19.0  # pixels between a tag and its word
ASCENT, DESCENT = 0.8 * SIZE, 0.3 * SIZE  # pixels above and below a baseline
_HALF = PILL / 2


def tree_to_svg(tree: Tree, *, title: str = "", direction: str = "ltr") -> str:
    """Draw a tree: constituents in pills, coloured by label, words on one line. Lines and words take the colour of the
    text around them, which suits dark and light pages.

    tree (Tree): A tree with words at the leaves. Long words and labels are shortened.
    title (str): Its name for screen readers and on hover; plain text.
    direction (str): "rtl" draws the first word on the right.
    RETURNS (str): One `<svg>` element, with a `<text>` for each node, in pre-order. `svg.stand_alone` makes a file.
    """
    return draw_tree(tree, title=title, direction=direction).markup


def draw_tree(tree: Tree, *, title: str = "", direction: str = "ltr") -> Svg:
    """The drawing of `tree_to_svg`, with its size, name, and the tree in brackets as description."""
    layout = Layout(tree, direction == "rtl")
    baseline = word_line(layout)
    height = baseline + DESCENT + 2
    description = write_brackets(tree) if title else ""
    first = opening("lal-tree", layout.width, height, title, description, f' font-size="{SIZE}"')
    return Svg(f"{first}{tree_body(layout)}</svg>", layout.width, height, title, description)


def word_line(layout: Layout) -> float:
    """The baseline of the words, in pixels from the top."""
    tags = TAG_SIZE if any(node.is_tag for node in layout.nodes) else 0
    return max(layout.n_levels * _step(layout) + tags, ASCENT) + (WORD_LEVEL if tags else 0)


def tree_body(layout: Layout) -> str:
    """The lines, pills and texts of a tree, from y = 0 down to its words."""
    words, step = word_line(layout), _step(layout)
    middles = [_middle(node, words, step) for node in layout.nodes]
    boxes, texts = [], []
    for node, y in zip(layout.nodes, middles, strict=True):
        if node.is_constituent:
            color = chain_color(split_chain(node.text))
            boxes.append((node.x, y, pill_width(node.text), color))
            texts.append(pill_text(node.x, y, node.text))
        else:
            look = "" if node.is_word else f' font-size="{TAG_SIZE}" fill-opacity=".7"'
            texts.append(f'<text x="{number(node.x)}" y="{number(y)}"{look}>{escape(node.text)}</text>')
    lines = f'<path fill="none" stroke="currentColor" stroke-opacity=".45" d="{_lines(layout, middles, step)}"/>'
    return "".join([lines, pills(boxes), *texts])


def _step(layout: Layout) -> float:
    return LEVEL + min(layout.n_words / 60, 1) * (MAX_LEVEL - LEVEL)


def _middle(node: Node, words: float, step: float) -> float:
    """The height of a node: the middle of a pill, the baseline of a tag or word."""
    if node.is_word:
        return words
    return words - WORD_LEVEL if node.is_tag else _HALF + node.level * step


def _lines(layout: Layout, middles: List[float], step: float) -> str:
    """From each node up to its parent: slanting between two levels, where no label stands, and straight below. A tag
    stands close above its word, without a line."""
    parts = []
    for node, y in zip(layout.nodes, middles, strict=True):
        if node.parent < 0 or layout.nodes[node.parent].is_tag:
            continue
        above = layout.nodes[node.parent]
        top = middles[node.parent] + _HALF
        bottom = y - (_HALF if node.is_constituent else ASCENT + 3 if node.is_word else TAG_SIZE)
        bend = min(middles[node.parent] + step - _HALF, bottom)
        line = f"M{number(above.x)} {number(top)}L{number(node.x)} {number(bend)}"
        parts.append(line + (f"V{number(bottom)}" if bottom - bend > 0.1 else ""))
    return "".join(parts)


def tree_to_text(tree: Tree) -> str:
    """Draw a tree with letters, as `nltk.Tree.pretty_print` does, or write brackets if it is too deep. Control
    characters are shown, see `printable`."""
    try:
        from nltk.tree.prettyprinter import TreePrettyPrinter

        lines = TreePrettyPrinter(tree).text().split("\n")
        return printable("\n".join(line.rstrip() for line in lines))
    except RecursionError:  # nltk recurses; a drawing of that depth would not be readable
        return printable(write_brackets(tree)) + "\n"
