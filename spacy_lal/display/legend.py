"""The legend of a tree as HTML: a pill for each label of the picture, and its family in words."""

from typing import Dict, Iterable, List

from .colors import INK_ON_PALE, LABEL_COLORS, family_name
from .markup import escape

_STYLE = (
    "display: flex; flex-wrap: wrap; gap: .35em 1.1em; margin: .8em 0 0; padding: 0; font-size: .85em; list-style: none"
)
_PILL = "border-radius: .8em; padding: .05em .55em; font-weight: bold"


def label_legend(labels: Iterable[str]) -> str:
    """The families of some labels, in the order of their first label; empty if no label has one.

    labels (Iterable[str]): Labels of constituents, not chains; repetitions are ignored.
    RETURNS (str): A list, well-formed as XML.
    """
    families: Dict[str, List[str]] = {}
    for label in dict.fromkeys(labels):
        if label in LABEL_COLORS:
            families.setdefault(family_name(label), []).append(label)
    items = []
    for name, members in families.items():
        pills = " ".join(
            f'<span style="background: {LABEL_COLORS[label]}; color: {INK_ON_PALE}; {_PILL}">{escape(label)}</span>'
            for label in members
        )
        items.append(f'<li style="margin: 0">{pills} {escape(name)}</li>')
    return f'<ul class="lal-legend" style="{_STYLE}">{"".join(items)}</ul>' if items else ""
