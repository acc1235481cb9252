"""Where the nodes of a tree are drawn: each subtree has columns of its own, words stand on one line. No recursion."""

from dataclasses import dataclass, field
from typing import List, Tuple

from nltk.tree import Tree

from .markup import shorten, visible
from .svg import text_width

SIZE = 14  # pixels: the font's
GAP = 14.0  # pixels between neighbours
SIDE = 4.0  # pixels left and right of the whole


@dataclass
class Node:
    """A label or a word.

    text (str): As shown; not escaped.
    level (int): How many nodes are above it.
    parent (int): The node above, by its number; -1 for the root.
    is_word (bool): Whether it is a leaf.
    """

    text: str
    level: int
    parent: int
    is_word: bool
    children: List[int] = field(default_factory=list)
    x: float = 0.0  # of its middle
    width: float = 0.0  # of its subtree
    is_tag: bool = False  # above one word, and nothing else


class Layout:
    """The nodes of a tree in pre-order, with their places.

    tree (Tree): A tree with words at the leaves.
    mirrored (bool): Whether the first word is on the right.
    """

    def __init__(self, tree: Tree, mirrored: bool = False) -> None:
        self.nodes = _nodes(tree, mirrored)
        for node in self.nodes:
            node.is_tag = len(node.children) == 1 and self.nodes[node.children[0]].is_word
        self._measure()
        self._place()
        self.width = self.nodes[0].width + 2 * SIDE
        # Tags stand above their words, and constituents above the tags.
        self.n_levels = max((node.level for node in self.nodes if not (node.is_word or node.is_tag)), default=-1) + 1

    @property
    def n_words(self) -> int:
        """The number of leaves."""
        return sum(node.is_word for node in self.nodes)

    def _measure(self) -> None:
        for node in reversed(self.nodes):  # children come after their parents
            below = [self.nodes[child].width for child in node.children]
            node.width = max(text_width(node.text) * SIZE, sum(below) + GAP * max(len(below) - 1, 0))

    def _place(self) -> None:
        lefts = [SIDE] * len(self.nodes)
        for number, node in enumerate(self.nodes):
            below = [self.nodes[child].width for child in node.children]
            left = lefts[number] + (node.width - sum(below) - GAP * max(len(below) - 1, 0)) / 2
            for child, width in zip(node.children, below, strict=True):
                lefts[child] = left
                left += width + GAP
        for number in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[number]
            if node.children:
                ends = self.nodes[node.children[0]].x, self.nodes[node.children[-1]].x
                # In the middle of its daughters, as far as its own label lies within its columns.
                half = text_width(node.text) * SIZE / 2
                middle = sum(ends) / 2
                node.x = min(max(middle, lefts[number] + half), lefts[number] + node.width - half)
            else:
                node.x = lefts[number] + node.width / 2


def _nodes(tree: Tree, mirrored: bool) -> List[Node]:
    nodes: List[Node] = []
    todo: List[Tuple[object, int, int]] = [(tree, 0, -1)]
    while todo:
        item, level, parent = todo.pop()
        number = len(nodes)
        if parent >= 0:
            nodes[parent].children.append(number)
        if isinstance(item, Tree):
            nodes.append(Node(shorten(visible(str(item.label()))), level, parent, is_word=False))
            children = list(item) if mirrored else list(item)[::-1]
            todo.extend((child, level + 1, number) for child in children)
        else:
            nodes.append(Node(shorten(visible(str(item))), level, parent, is_word=True))
    return nodes
