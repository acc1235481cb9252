"""A constituency tree as SVG, or drawn with letters by nltk. Every subtree has columns
of its own, and words stand on one line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

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
    """A label or a word as shown; its number of nodes above; the number of its parent,
    -1 for the root. An empty label is not drawn."""

    text: str
    level: int
    parent: int
    is_word: bool
    children: list[int] = field(default_factory=list)
    is_tag: bool = False  # above one word, and nothing else
    least: float = 0.0  # pixels that its column has at least
    width: float = 0.0  # of its subtree's columns
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
            children = [self.nodes[child] for child in node.children]
            node.is_tag = len(children) == 1 and children[0].is_word
        for node in reversed(self.nodes):  # children come after their parents
            node.width = max(node.own_width, node.least, self._below(node))
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

    def _below(self, node: Node) -> float:
        """The width of a node's children."""
        widths = [self.nodes[child].width for child in node.children]
        return sum(widths) + GAP * max(len(widths) - 1, 0)

    def _place(self) -> None:
        lefts = [SIDE] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            left = lefts[i] + (node.width - self._below(node)) / 2
            for child in node.children:
                lefts[child] = left
                left += self.nodes[child].width + GAP
        for left, node in zip(reversed(lefts), reversed(self.nodes), strict=True):
            middle = left + node.width / 2
            if node.children:
                first = self.nodes[node.children[0]]
                last = self.nodes[node.children[-1]]
                middle = (first.x + last.x) / 2
            half = node.own_width / 2
            node.x = min(max(middle, left + half), left + node.width - half)

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
            above = self.nodes[node.parent]
            is_apart = not above.is_tag and above.text  # a tag stands close to its word
            if node.parent >= 0 and is_apart:
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
    todo: list[tuple[Any, int, int]] = [(tree, 0, -1)]
    while todo:
        item, level, parent = todo.pop()
        if parent >= 0:
            nodes[parent].children.append(len(nodes))
        is_word = not isinstance(item, list)
        children = [] if is_word else list(item)
        in_order = children if mirrored else children[::-1]
        todo.extend((child, level + 1, len(nodes)) for child in in_order)
        text = str(item if is_word else item.label())
        nodes.append(Node(shorten(visible(text)), level, parent, is_word))
    return nodes
