"""A constituency tree as SVG, or drawn with letters by nltk. Every subtree has columns
of its own, and words stand on one line."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, List, Sequence, Tuple

from ..trees.brackets import write_brackets
from ..trees.spans import split_chain
from .colors import chain_color
from .markup import printable, shorten, visible
from .svg import (
    PILL,
    Svg,
    number,
    picture,
    pill_text,
    pill_width,
    pills,
    svg_text,
    text_width,
)

if TYPE_CHECKING:
    from nltk.tree import Tree

SIZE, TAG_SIZE = 14, 11  # pixels of letters
GAP, SIDE = 12.0, 8.0  # pixels between neighbours, and left and right of the whole
WORD_LEVEL = 19.0  # pixels between a tag and its word
ASCENT, DESCENT = 0.8 * SIZE, 0.3 * SIZE  # pixels above and below a baseline


@dataclass
class Node:
    """A label or a word as shown; its number of nodes above; the number of its parent,
    -1 for the root."""

    text: str
    level: int
    parent: int
    is_word: bool
    children: List[int] = field(default_factory=list)
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


class Layout:
    """The nodes of a tree in pre-order, with their places. least (Sequence[float]): The
    least width of each word's column, in the order of the sentence; empty for none."""

    def __init__(
        self, tree: "Tree", mirrored: bool = False, least: Sequence[float] = ()
    ) -> None:
        self.nodes = _nodes(tree, mirrored)
        words = [node for node in self.nodes if node.is_word]
        self.words = words[::-1] if mirrored else words  # in the order of the sentence
        for word, width in zip(self.words, least, strict=False):
            word.least = width
        for node in self.nodes:
            node.is_tag = (
                len(node.children) == 1 and self.nodes[node.children[0]].is_word
            )
        for node in reversed(self.nodes):  # children come after their parents
            node.width = max(node.own_width, node.least, self._below(node))
        self._place()
        self.width = self.nodes[0].width + 2 * SIDE
        self.step = (
            40.0 + min(len(words) / 60, 1) * 20.0
        )  # pixels between levels: lines of wide trees would be flat
        n_levels = (
            max((node.level for node in self.nodes if node.is_constituent), default=-1)
            + 1
        )
        tags = any(node.is_tag for node in self.nodes)
        self.baseline = (
            max(n_levels * self.step + tags * TAG_SIZE, ASCENT) + tags * WORD_LEVEL
        )  # of the words

    def _below(self, node: Node) -> float:
        return sum(self.nodes[child].width + GAP for child in node.children) - (
            GAP if node.children else 0.0
        )

    def _place(self) -> None:
        lefts = [SIDE] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            left = lefts[i] + (node.width - self._below(node)) / 2
            for child in node.children:
                lefts[child] = left
                left += self.nodes[child].width + GAP
        for left, node in zip(reversed(lefts), reversed(self.nodes), strict=True):
            middle, half = left + node.width / 2, node.own_width / 2
            if node.children:
                middle = (
                    self.nodes[node.children[0]].x + self.nodes[node.children[-1]].x
                ) / 2
            node.x = min(max(middle, left + half), left + node.width - half)

    def draw(self) -> str:
        """The lines, pills and texts, from y = 0 down to the words, as markup; one
        `<text>` a node, in pre-order."""
        boxes, texts, lines = [], [], []
        for node in self.nodes:
            y = self._y(node)
            if node.is_constituent:
                boxes.append(
                    (
                        node.x,
                        y,
                        pill_width(node.text),
                        chain_color(split_chain(node.text)),
                    )
                )
                texts.append(pill_text(node.x, y, node.text))
            else:
                look = (
                    "" if node.is_word else f' font-size="{TAG_SIZE}" fill-opacity=".7"'
                )
                texts.append(svg_text(node.x, y, node.text, look))
            if (
                node.parent >= 0 and not self.nodes[node.parent].is_tag
            ):  # a tag stands close above its word
                above = self.nodes[node.parent]
                bottom = y - (
                    PILL / 2
                    if node.is_constituent
                    else ASCENT + 3
                    if node.is_word
                    else TAG_SIZE
                )
                bend = min(
                    self._y(above) + self.step - PILL / 2, bottom
                )  # slanting where no label stands
                start = f"M{number(above.x)} {number(self._y(above) + PILL / 2)}"
                lines.append(
                    f"{start}L{number(node.x)} {number(bend)}V{number(bottom)}"
                )
        path = f'<path fill="none" stroke="currentColor" stroke-opacity=".45" d="{"".join(lines)}"/>'
        return f'<g font-size="{SIZE}">{path}{pills(boxes)}{"".join(texts)}</g>'

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
    layout = Layout(tree, direction == "rtl")
    size = layout.width, layout.baseline + DESCENT + 2
    return picture(layout.draw(), "lal-tree", size, title, write_brackets(tree))


def tree_to_text(tree: "Tree") -> str:
    """Draw a tree with letters, as `nltk.Tree.pretty_print` does, or write brackets if
    it is too deep."""
    try:
        from nltk.tree.prettyprinter import TreePrettyPrinter

        return printable(
            "\n".join(
                line.rstrip() for line in TreePrettyPrinter(tree).text().split("\n")
            )
        )
    except (
        RecursionError
    ):  # nltk recurses; a drawing of that depth would not be readable
        return printable(write_brackets(tree)) + "\n"


def _nodes(tree: "Tree", mirrored: bool) -> List[Node]:
    nodes: List[Node] = []
    todo: List[Tuple[Any, int, int]] = [(tree, 0, -1)]
    while todo:
        item, level, parent = todo.pop()
        if parent >= 0:
            nodes[parent].children.append(len(nodes))
        is_word = not isinstance(item, list)
        children = [] if is_word else list(item) if mirrored else list(item)[::-1]
        todo.extend((child, level + 1, len(nodes)) for child in children)
        nodes.append(
            Node(
                shorten(visible(str(item if is_word else item.label()))),
                level,
                parent,
                is_word,
            )
        )
    return nodes
