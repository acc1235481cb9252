"""How deep the words of a tree are. All measures leave out the node that only marks a
tree, punctuation, and constituents of punctuation alone."""

from collections.abc import Container
from typing import NamedTuple

from ..trees.tree_index import TreeIndex

SENTENCE_NODE = 1.5
OTHER_NODE = 1.0


class Depths(NamedTuple):
    """Of the words of a sentence, in order.

    yngve (List[int]): For each word, how many constituents are still to come when it is
        spoken: the sum, over the nodes above it, of the sisters to the right (Yngve
        1960, "A model and an hypothesis for language structure").
    frazier (List[float]): For each word, the nodes that begin with it: 1.5 for a
        sentence node, 1 for another (Frazier 1985, "Syntactic complexity").
    height (int): Most constituents above a word.
    """

    yngve: list[int]
    frazier: list[float]
    height: int


def measure_depths(
    nodes: TreeIndex,
    *,
    punctuation: Container[str],
    roots: Container[str],
    clauses: frozenset[str],
) -> Depths:
    """The depths of the words of a tree.

    nodes (TreeIndex): Of a tree with a tag above each word.
    punctuation (Container[str]): Tags of punctuation.
    roots (Container[str]): Labels of a node that only marks a tree.
    clauses (FrozenSet[str]): Labels of sentence nodes.
    """
    n_before = [0]  # words before each place that are no punctuation
    for word in nodes.words:
        is_word = nodes.texts[nodes.parents[word]] not in punctuation
        n_before.append(n_before[-1] + is_word)
    depths = Depths([], [], 0)
    yngve = [0] * len(nodes.items)  # sisters to the right, of a node and those above it
    begun = [0.0] * len(nodes.items)  # weight of the nodes that begin where one does
    above = [0] * len(nodes.items)  # constituents
    for node, children in enumerate(nodes.children):
        start = nodes.firsts[node]
        if not children or n_before[start] == n_before[nodes.end(node)]:
            continue
        if not nodes.children[children[0]]:
            depths.yngve.append(yngve[node])
            depths.frazier.append(begun[node])
            continue
        label = nodes.texts[node]
        is_root = label in roots
        weight = SENTENCE_NODE if label in clauses else OTHER_NODE
        to_come = 0
        for child in reversed(children):
            has_words = n_before[nodes.firsts[child]] < n_before[nodes.end(child)]
            yngve[child] = yngve[node] + to_come
            above[child] = above[node] + (not is_root)
            to_come += has_words
            if n_before[nodes.firsts[child]] == n_before[start]:
                begun[child] = begun[node] + (0.0 if is_root else weight)
    heights = [above[nodes.parents[word]] for word in nodes.words]
    return depths._replace(height=max(heights))
