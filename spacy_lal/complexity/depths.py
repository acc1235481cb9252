"""How deep the words of a tree are. All measures leave out the node that only marks a
tree, punctuation, and constituents of punctuation alone."""

from typing import TYPE_CHECKING, Any, Container, FrozenSet, List, NamedTuple, Tuple

if TYPE_CHECKING:
    from nltk.tree import Tree

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

    yngve: List[int]
    frazier: List[float]
    height: int


class _Place(NamedTuple):
    node: Any
    yngve: int  # sisters to the right, of the node and those above it
    begun: float  # weight of the nodes that begin where this one does
    above: int  # constituents


def measure_depths(
    tree: "Tree",
    *,
    punctuation: Container[str],
    roots: Container[str],
    clauses: FrozenSet[str],
) -> Depths:
    """The depths of the words of a tree.

    tree (Tree): With a tag above each word.
    punctuation (Container[str]): Tags of punctuation.
    roots (Container[str]): Labels of a node that only marks a tree.
    clauses (FrozenSet[str]): Labels of sentence nodes.
    """
    depths = Depths([], [], 0)
    height = 0
    todo = [_Place(tree, 0, 0.0, 0)]
    while todo:
        place = todo.pop()
        label = place.node.label()
        if not isinstance(place.node[0], list):
            depths.yngve.append(place.yngve)
            depths.frazier.append(place.begun)
            height = max(height, place.above)
            continue
        is_root = label in roots
        weight = SENTENCE_NODE if label in clauses else OTHER_NODE
        begun = place.begun + (0.0 if is_root else weight)
        above = place.above + (not is_root)
        kept = [child for child in place.node if _has_words(child, punctuation)]
        for to_come, child in enumerate(reversed(kept)):
            is_first = to_come == len(kept) - 1
            todo.append(_Place(child, place.yngve + to_come, begun * is_first, above))
    return depths._replace(height=height)


def _has_words(tree: "Tree", punctuation: Container[str]) -> bool:
    tags: List[Tuple[str, str]] = tree.pos()
    return any(tag not in punctuation for _, tag in tags)
