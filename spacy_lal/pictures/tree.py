"""A constituency tree as SVG, or drawn with letters by nltk. Every subtree has columns
of its own, and words stand on one line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from ..trees.brackets import write_brackets
from ..trees.spans import split_chain
from .colors import chain_color
from .markup import printable, shorten, visible
from .svg import (
    PILL,
    Band,
    Svg,
    path,
    picture,
    pill_text,
    pill_width,
    pills,
    svg_text,
    text_width,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

# Pixels.
SIZE = 14  # of letters of words
TAG_SIZE = 11  # of letters of tags
GAP = 10.0  # between neighbours
SIDE = 8.0  # left and right of the whole
WORD_LEVEL = 19.0  # between a tag and its word
ASCENT = 0.8 * SIZE  # above a baseline
DESCENT = 0.3 * SIZE  # below a baseline


_TAG_LOOK = f' font-size="{TAG_SIZE}" fill-opacity=".7"'


@dataclass
class Node:
    """A label or a word as shown; an empty label is not drawn. The node above it, None
    for the root."""

    text: str
    parent: "Optional[Node]"
    is_word: bool
    level: int = 0  # nodes above
    children: "list[Node]" = field(default_factory=list)
    is_tag: bool = False  # above one word, and nothing else
    least: float = 0.0  # pixels that its column has at least
    width: float = 0.0  # of its subtree's columns
    left: float = SIDE  # where they begin
    x: float = 0.0  # of its middle

    @property
    def is_constituent(self) -> bool:
        """Whether it is above tags: it is drawn as a pill."""
        return not (self.is_word or self.is_tag)

    @property
    def own_width(self) -> float:
        """The width of its text, with the pill around it."""
        if self.is_constituent:
            return pill_width(self.text)
        return text_width(self.text) * (SIZE if self.is_word else TAG_SIZE)

    @property
    def below(self) -> float:
        """The width of its children."""
        widths = [child.width for child in self.children]
        return sum(widths) + GAP * max(len(widths) - 1, 0)

    @property
    def sides(self) -> tuple[float, float]:
        """Where its text, or the least width of its column, begins and ends."""
        half = max(self.own_width, self.least) / 2
        return self.x - half, self.x + half


class TreeLayout:
    """The nodes of a tree in pre-order, with their places.
    least (Sequence[float]): The least width of each word's column, in the order of the
        sentence; empty for none."""

    def __init__(
        self, tree: "Tree", mirrored: bool = False, least: Sequence[float] = ()
    ) -> None:
        self.nodes = _nodes(tree, mirrored)
        words = [node for node in self.nodes if node.is_word]
        self.words = words[::-1] if mirrored else words  # in the order of the sentence
        for word, width in zip(self.words, least, strict=False):
            word.least = width
        for node in self.nodes:
            node.is_tag = len(node.children) == 1 and node.children[0].is_word
        for node in reversed(self.nodes):  # children come after their parents
            node.width = max(node.own_width, node.least, node.below)
        self._place()
        self.width = self.nodes[0].width + 2 * SIDE
        # Between levels: lines of wide trees would be flat.
        self.step = 40.0 + min(len(words) / 60, 1) * 20.0
        levels = [
            node.level + 1 for node in self.nodes if node.is_constituent and node.text
        ]
        top = max(levels, default=0) * self.step
        if any(node.is_tag for node in self.nodes):
            self.baseline = max(top + TAG_SIZE, ASCENT) + WORD_LEVEL
        else:
            self.baseline = max(top, ASCENT)

    def _place(self) -> None:
        for node in self.nodes:
            left = node.left + (node.width - node.below) / 2
            for child in node.children:
                child.left = left
                left += child.width + GAP
        for node in reversed(self.nodes):
            middle = node.left + node.width / 2
            if node.children:
                middle = (node.children[0].x + node.children[-1].x) / 2
            half = node.own_width / 2
            end = node.left + node.width
            node.x = min(max(middle, node.left + half), end - half)

    def draw(self) -> str:
        """The lines, pills and texts, from y = 0 down to the words, as markup; one
        `<text>` a node, in pre-order."""
        boxes = []
        texts = []
        lines = []
        for node in self.nodes:
            y = self._y(node)
            if not node.text:
                continue
            if node.is_constituent:
                color = chain_color(split_chain(node.text))
                boxes.append(Band(node.x, y, pill_width(node.text), color))
                texts.append(pill_text(node.x, y, node.text))
            else:
                look = "" if node.is_word else _TAG_LOOK
                texts.append(svg_text(node.x, y, node.text, look))
            above = node.parent
            # A tag stands close to its word.
            if above and above.text and not above.is_tag:
                lines.append(self._line(above, node))
        path = (
            '<path fill="none" stroke="currentColor" stroke-opacity=".45" '
            f'd="{"".join(lines)}"/>'
        )
        return f'<g font-size="{SIZE}">{path}{pills(boxes)}{"".join(texts)}</g>'

    def _line(self, above: Node, node: Node) -> str:
        """The line from a node to one below it, slanting where no label stands."""
        top = self._y(above) + PILL / 2
        if node.is_constituent:
            bottom = self._y(node) - PILL / 2
        elif node.is_word:
            bottom = self._y(node) - ASCENT - 3
        else:
            bottom = self._y(node) - TAG_SIZE
        bend = min(top + self.step - PILL, bottom)
        return path("M", above.x, top, "L", node.x, bend, "V", bottom)

    def _y(self, node: Node) -> float:
        if node.is_constituent:
            return PILL / 2 + node.level * self.step
        return self.baseline - (WORD_LEVEL if node.is_tag else 0.0)


def tree_to_svg(
    tree: "Tree", *, title: str = "Constituency tree", direction: str = "ltr"
) -> Svg:
    """Draw a tree: constituents in pills, coloured by label. Lines and words take the
    colour of the text around them.
    title (str): Its name for screen readers and on hover; plain text. direction (str):
        "rtl" mirrors it."""
    layout = TreeLayout(tree, direction == "rtl")
    size = layout.width, layout.baseline + DESCENT + 2
    return picture(layout.draw(), "lal-tree", size, title, write_brackets(tree))


def tree_to_text(tree: "Tree") -> str:
    """Draw a tree with letters, as `nltk.Tree.pretty_print` does, or write brackets if
    it is too deep."""
    from nltk.tree.prettyprinter import TreePrettyPrinter

    try:
        drawn = TreePrettyPrinter(tree).text()
    except RecursionError:  # nltk recurses; a drawing of that depth is not readable
        return printable(write_brackets(tree)) + "\n"
    return printable("\n".join(line.rstrip() for line in drawn.split("\n")))


def _nodes(tree: "Tree", mirrored: bool) -> list[Node]:
    nodes: list[Node] = []
    todo: list[tuple[Any, Optional[Node]]] = [(tree, None)]
    while todo:
        item, parent = todo.pop()
        is_word = not isinstance(item, list)
        text = str(item if is_word else item.label())
        node = Node(shorten(visible(text)), parent, is_word)
        if parent:
            node.level = parent.level + 1
            parent.children.append(node)
        nodes.append(node)
        children = [] if is_word else list(item)
        in_order = children if mirrored else children[::-1]
        todo.extend((child, node) for child in in_order)
    return nodes
