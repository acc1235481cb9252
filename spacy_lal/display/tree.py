"""A constituency tree as a drawing: SVG over `svgling` (the extra `display`), or letters by nltk's pretty printer."""

from typing import Any, List, Tuple

from nltk.tree import Tree

from ..trees.brackets import write_brackets
from .markup import escape, printable, shorten, shown_width, visible

MAX_DEPTH = 150  # browsers limit nesting to some hundreds, and svgling recurses
FONT = "Arial, Helvetica, sans-serif"


def tree_to_svg(tree: Tree, *, title: str = "", direction: str = "ltr") -> str:
    """Draw a tree. Lines and letters take the colour of the text around them, which suits dark and light pages.

    tree (Tree): A tree with words at the leaves. Long words are shortened.
    title (str): Its name for screen readers and on hover; plain text.
    direction (str): "rtl" draws the first word on the right.
    RETURNS (str): One `<svg>` element.
    RAISES (ImportError): svgling is not installed. (ValueError): The tree has more than MAX_DEPTH levels.
    """
    svgling = import_svgling()
    copy, depth, n_words, wide = _shown(tree, direction == "rtl")
    if depth > MAX_DEPTH:
        raise ValueError(f"can't draw a tree of {depth} levels: expected at most {MAX_DEPTH}")
    options = svgling.core.TreeOptions(
        font_style=svgling.core.cssfont(FONT),
        average_glyph_width=1.1 if wide else 1.8,  # characters per em; labels are capitals
        text_color="currentColor",
        distance_to_daughter=1.5 + min(n_words / 100, 1),  # in a wide and low tree, lines would overlap
    )
    root = svgling.draw_tree(copy, options=options).get_svg().get_xml()
    for part in root.iter("svg"):
        part.set("overflow", "visible")  # for a label wider than the word below it
    for line in root.iter("line"):
        line.set("stroke", "currentColor")
        line.set("stroke-opacity", "0.5")
    root.set("class", "lal-tree")
    # svgling's drawing is as wide as its narrowest columns: a frame would cut off the label of a full stop
    root.set("style", f"{root.get('style')}; max-width: none; padding: 0 0.6em; font-family: {FONT}")
    return _serialize(root, title)


def tree_to_text(tree: Tree) -> str:
    """Draw a tree with letters, as `nltk.Tree.pretty_print` does, or write brackets if it is too deep. Control
    characters are shown, see `printable`."""
    try:
        from nltk.tree.prettyprinter import TreePrettyPrinter

        lines = TreePrettyPrinter(tree).text().split("\n")
        return printable("\n".join(line.rstrip() for line in lines))
    except RecursionError:  # nltk recurses; a drawing of that depth would not be readable
        return printable(write_brackets(tree)) + "\n"


def import_svgling() -> Any:
    """Import svgling, which draws trees.

    RAISES (ImportError): svgling is not installed; the message tells how to install it.
    """
    try:
        import svgling.core
    except ImportError as err:
        raise ImportError("drawing a tree needs svgling: pip install 'spacy-lal[display]'") from err
    return svgling


def _shown(tree: Tree, mirrored: bool) -> Tuple[Tree, int, int, bool]:
    """A copy with labels and words as shown; its depth in nodes; its number of words; whether it has wide (Chinese,
    Japanese, Korean) letters."""
    root = Tree(visible(str(tree.label())), [])
    stack: List[Tuple[Tree, Tree, int]] = [(tree, root, 1)]
    depth, n_words, wide = 1, 0, False
    while stack:
        node, copy, level = stack.pop()
        depth = max(depth, level + bool(len(node)))
        for child in reversed(node) if mirrored else node:
            if isinstance(child, Tree):
                below = Tree(visible(str(child.label())), [])
                stack.append((child, below, level + 1))
                copy.append(below)
            else:
                word = shorten(visible(str(child)))
                wide = wide or shown_width(word) > len(word)
                copy.append(word)
                n_words += 1
    return root, depth, n_words, wide


def _serialize(root: Any, title: str) -> str:
    from xml.etree import ElementTree

    if title:
        root.set("role", "img")
        root.set("aria-label", visible(title))
        root.insert(0, ElementTree.fromstring(f"<title>{escape(title)}</title>"))
    return ElementTree.tostring(root, encoding="unicode")
