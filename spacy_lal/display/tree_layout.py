"""Where the nodes of a tree are drawn: each subtree has columns of its own, words stand on one line. No recursion."""

from dataclasses import dataclass, field
from typing import List, Sequence, Tuple

from nltk.tree import Tree

from .markup import shorten, visible
from .svg import pill_width, text_width

SIZE, TAG_SIZE = 14, 11  # pixels of letters
GAP = 12.0  # pixels between neighbours
SIDE = 8.0  # pixels left and right of the whole


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
    least: float = 0.0  # pixels that its column has at least

    @property
    def is_constituent(self) -> bool:
        """Whether it is above tags: it is drawn as a pill."""
        return not (self.is_word or self.is_tag)

    @property
    def own_width(self) -> float:
        """The width of its own text, with the pill around it."""
        if self.is_constituent:
            return pill_width(self.text)
        return text_width(self.text) * (SIZE if self.is_word else TAG_SIZE)


class Layout:
    """The nodes of a tree in pre-order, with their places.

    tree (Tree): A tree with words at the leaves.
    mirrored (bool): Whether the first word is on the right.
    least (Sequence[float]): The least width of each word's column, in the order of the sentence; empty for none.
    """

    def __init__(self, tree: Tree, mirrored: bool = False, least: Sequence[float] = ()) -> None:
        self.nodes = _nodes(tree, mirrored)
        words = [node for node in self.nodes if node.is_word]
        self.words = words[::-1] if mirrored else words  # in the order of the sentence
        for word, width in zip(self.words, least, strict=False):
            word.least = width
        for node in self.nodes:
            node.is_tag = len(node.children) == 1 and self.nodes[node.children[0]].is_word
        self._measure()
        self._place()
        self.width = self.nodes[0].width + 2 * SIDE
        # Tags stand above their words, and constituents above the tags.
        self.n_levels = max((node.level for node in self.nodes if node.is_constituent), default=-1) + 1

    @property
    def n_words(self) -> int:
        """The number of leaves."""
        return len(self.words)

    def _measure(self) -> None:
        for node in reversed(self.nodes):  # children come after their parents
            below = [self.nodes[child].width for child in node.children]
            node.width = max(node.own_width, node.least, sum(below) + GAP * max(len(below) - 1, 0))

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
                half = node.own_width / 2
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
