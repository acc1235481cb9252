"""The drawing of a tree with clickable nodes: each bears its span of words."""

from types import MappingProxyType
from typing import Any, Iterator, List, Mapping, Tuple
from xml.etree import ElementTree

from nltk.tree import Tree

from ..display.markup import escape
from ..trees.brackets import iter_words

NOTHING: Mapping[Tuple[int, int], str] = MappingProxyType({})
SVG = "{http://www.w3.org/2000/svg}"

# A page's component: puts the markup into the box, and reports the span chosen by mouse or keyboard. A new drawing
# keeps the scroll position and the focus.
BOX = '<div class="lal-box"></div>'
SCRIPT = """
export default function ({ data, parentElement, setTriggerValue }) {
  const box = parentElement.querySelector(".lal-box")
  const { scrollLeft = 0, scrollTop = 0 } = box.firstElementChild ?? {}
  const focused = box.contains(box.getRootNode().activeElement)
  box.innerHTML = data
  Object.assign(box.firstElementChild, { scrollLeft, scrollTop })
  if (focused) box.querySelector(".lal-chosen")?.focus({ preventScroll: true })
  const choose = (event) => {
    const node = event.target.closest("[data-start]")
    if (!node || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return
    event.preventDefault()
    setTriggerValue("span", [Number(node.dataset.start), Number(node.dataset.end)])
  }
  box.onclick = choose
  box.onkeydown = choose
}
"""
STYLE = """
.lal-scroll { max-height: 34rem; overflow-y: auto; padding-top: 5px }
.lal-scroll svg { overflow: visible }
[data-start] { cursor: pointer }
[data-start]:hover { text-decoration: underline }
[data-start]:focus-visible { outline: 2.5px dashed var(--st-primary-color); outline-offset: 3px; border-radius: 9px }
.lal-argument:not([font-weight]) { fill: light-dark(#9a4a06, #fbbf24); font-weight: bold }
.lal-argument[font-weight] { text-decoration: underline; text-decoration-thickness: 2px }
.lal-chosen { outline: 2.5px solid var(--st-primary-color); outline-offset: 3px; border-radius: 9px }
"""


def clickable_tree(
    drawing: str,
    tree: Tree,
    chosen: Tuple[int, int],
    *,
    mirrored: bool = False,
    marked: Mapping[Tuple[int, int], str] = NOTHING,
) -> str:
    """Add spans to the nodes of a drawn tree.

    drawing (str): Well-formed XML around one `<svg>`, as `render` draws the tree: a `<text>` per node, in pre-order.
    tree (Tree): The drawn tree.
    chosen (Tuple[int, int]): The half-open span of words whose nodes are highlighted.
    mirrored (bool): Whether the first word is on the right of the drawing.
    marked (Mapping[Tuple[int, int], str]): Half-open spans of words with their semantic roles. Their words and the
        constituents of just these words are marked, and bear the role as a title.
    RETURNS (str): HTML with attributes `data-start` and `data-end` on each node; constituents can be reached by
        keyboard.
    RAISES (ValueError): The drawing shows another tree.
    """
    root = ElementTree.fromstring(drawing)
    texts, nodes = list(root.iter(f"{SVG}text")), list(_spans(tree, mirrored))
    if len(texts) != len(nodes):
        raise ValueError(f"expected the drawing of a tree of {len(nodes)} nodes, got one of {len(texts)}")
    for text, (start, end, is_constituent) in zip(texts, nodes, strict=True):
        text.set("data-start", str(start))
        text.set("data-end", str(end))
        if is_constituent:
            text.set("tabindex", "0")
            text.set("role", "button")
            text.set("class", "lal-chosen" if (start, end) == chosen else "")
        role = marked.get((start, end)) or ("" if is_constituent else _role_around(marked, start))
        if role:
            text.set("class", f"lal-argument {text.get('class') or ''}".strip())
            text.append(ElementTree.fromstring(f"<title>{escape(role)}</title>"))
    for element in root.iter():  # in HTML, an svg needs no namespace
        element.tag = element.tag.rpartition("}")[2]
        if element.get("role") == "img":  # the keyboard cannot reach parts of an img
            element.set("role", "group")
    return ElementTree.tostring(root, encoding="unicode")


def _role_around(marked: Mapping[Tuple[int, int], str], word: int) -> str:
    """The role of a word within a marked span; empty for other words."""
    return next((role for (first, last), role in marked.items() if first <= word < last), "")


def _spans(tree: Tree, mirrored: bool) -> Iterator[Tuple[int, int, bool]]:
    """The span of words of each node, in drawing order, and whether the node is above preterminals."""
    stack: List[Tuple[Any, int]] = [(tree, 0)]
    while stack:
        node, start = stack.pop()
        if not isinstance(node, Tree):
            yield start, start + 1, False
            continue
        yield start, start + _n_words(node), any(isinstance(child, Tree) for child in node)
        children = []
        for child in node:
            children.append((child, start))
            start += _n_words(child)
        stack += children if mirrored else reversed(children)


def _n_words(node: Any) -> int:
    return sum(1 for _ in iter_words(node)) if isinstance(node, Tree) else 1
