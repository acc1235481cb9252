"""The structures of a language's syntax that are counted in trees (Lu 2010)."""

from functools import cache
from typing import TYPE_CHECKING

from ..lang import DEFAULT_LANGUAGE, conventions
from ..trees.tgrep import Match, Pattern
from ..trees.tree_index import TreeIndex

if TYPE_CHECKING:
    from nltk.tree import Tree

ROOT = "ROOT"


@cache
def _patterns(lang: str) -> tuple[tuple[str, Pattern], ...]:
    """Each structure's name and pattern; a pattern is compiled once."""
    return tuple(
        (structure.name, Pattern(structure.pattern))
        for structure in conventions(lang).structures
    )


def find_structures(
    tree: "Tree", lang: str = DEFAULT_LANGUAGE
) -> dict[str, list[Match]]:
    """The nodes of each structure in a sentence, in pre-order.

    tree (Tree): A constituency tree, with or without a root node.
    lang (str): The language, by its code.
    RETURNS (Dict[str, List[Match]]): By the structure's name, such as `T1`. Empty for a
        language whose structures nobody has defined.
    """
    return structures_of(index_below_root(tree, lang), lang)


def structures_of(nodes: TreeIndex, lang: str) -> dict[str, list[Match]]:
    """As `find_structures`, of `index_below_root`."""
    return {name: pattern.search(nodes) for name, pattern in _patterns(lang)}


def index_below_root(tree: "Tree", lang: str) -> TreeIndex:
    """The nodes of a tree below a node ROOT, which the patterns ask for."""
    is_root = tree.label() in conventions(lang).root_labels
    return TreeIndex(type(tree)(ROOT, list(tree) if is_root else [tree]))
