"""A constituency tree as a drawing: SVG, or letters by nltk's pretty printer."""

from typing import List

from nltk.tree import Tree

from ..trees.brackets import write_brackets
from .markup import escape, printable
from .svg import FONT, Svg, number
from .tree_layout import SIZE, Layout, Node

LEVEL, MAX_LEVEL = 46.0, 90.0  # pixels between two levels; more in wide trees, whose lines would be flat
WORD_LEVEL = 30.0  # pixels between a tag and its word
ASCENT, DESCENT = 0.8 * SIZE, 0.3 * SIZE  # pixels above and below a baseline


def tree_to_svg(tree: Tree, *, title: str = "", direction: str = "ltr") -> str:
    """Draw a tree. Lines and letters take the colour of the text around them, which suits dark and light pages.

    tree (Tree): A tree with words at the leaves. Long words and labels are shortened.
    title (str): Its name for screen readers and on hover; plain text.
    direction (str): "rtl" draws the first word on the right.
    RETURNS (str): One `<svg>` element, with a `<text>` for each node, in pre-order. `svg.stand_alone` makes a file.
    """
    return draw_tree(tree, title=title, direction=direction).markup


def draw_tree(tree: Tree, *, title: str = "", direction: str = "ltr") -> Svg:
    """The drawing of `tree_to_svg`, with its size and name."""
    layout = Layout(tree, direction == "rtl")
    step = LEVEL + min(layout.n_words / 100, 1) * (MAX_LEVEL - LEVEL)
    heights = [_baseline(node, layout, step) for node in layout.nodes]
    height = max(heights) + DESCENT + 2
    size = f'width="{number(layout.width)}" height="{number(height)}"'
    view = f'viewBox="0 0 {number(layout.width)} {number(height)}"'
    name = f' role="img" aria-label="{escape(title)}"' if title else ""
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="lal-tree" {size} {view}{name} style="max-width: none" '
        f'font-family="{escape(FONT)}" font-size="{SIZE}" text-anchor="middle">'
    ]
    pieces += [f"<title>{escape(title)}</title>"] if title else []
    pieces.append(f'<path fill="none" stroke="currentColor" stroke-opacity="0.5" d="{_lines(layout, heights, step)}"/>')
    for node, y in zip(layout.nodes, heights, strict=True):
        weight = "" if node.is_word else ' font-weight="bold"' if not node.is_tag else ' fill-opacity="0.75"'
        place = f'x="{number(node.x)}" y="{number(y)}"'
        pieces.append(f'<text {place} fill="currentColor"{weight}>{escape(node.text)}</text>')
    return Svg("".join([*pieces, "</svg>"]), layout.width, height, title)


def _baseline(node: Node, layout: Layout, step: float) -> float:
    words = ASCENT + layout.n_levels * step + WORD_LEVEL
    if node.is_word:
        return words
    return words - WORD_LEVEL if node.is_tag else ASCENT + node.level * step


def _lines(layout: Layout, heights: List[float], step: float) -> str:
    """From each node up to its parent: slanting between two levels, where no label stands, and straight below."""
    parts = []
    for node, y in zip(layout.nodes, heights, strict=True):
        if node.parent < 0:
            continue
        above = layout.nodes[node.parent]
        top, bottom = heights[node.parent] + DESCENT + 2, y - ASCENT - 3
        bend = bottom if above.is_tag else min(heights[node.parent] + step - ASCENT - 3, bottom)
        line = f"M{number(above.x)} {number(top)}L{number(node.x)} {number(bend)}"
        parts.append(line + (f"V{number(bottom)}" if bend < bottom else ""))
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
