"""Colours of constituent labels, for displaCy: registered as `spacy_displacy_colors`, so that
`displacy.render(doc, style="span", options={"spans_key": "constituents"})` uses them too.

They are pale, like displaCy's own, because displaCy writes black on them. Labels of a family share a colour.
"""

from typing import Dict, Tuple

_FAMILIES: Dict[str, Tuple[str, ...]] = {
    "#7aecec": ("NP", "NML", "NX", "NAC", "QP"),
    "#feca74": ("VP",),
    "#bfeeb7": ("PP",),
    "#aa9cfc": ("S",),
    "#c8bffd": ("SINV", "SQ", "SBARQ"),
    "#ff8197": ("SBAR",),
    "#f0d0ff": ("ADJP",),
    "#ffeb80": ("ADVP", "PRT"),
    "#9cc9cc": ("WHNP", "WHPP", "WHADVP", "WHADJP"),
    "#bfe1d9": ("CONJP", "UCP", "RRC"),
    "#ffc2a1": ("PRN", "INTJ"),
    "#e4e7d2": ("FRAG", "LST", "META", "X", "TOP"),
}
LABEL_COLORS: Dict[str, str] = {label: color for color, labels in _FAMILIES.items() for label in labels}
DEFAULT_COLOR = "#dddddd"


def chain_color(labels: Tuple[str, ...]) -> str:
    """The colour of a constituent: its outermost label with a colour decides."""
    return next((LABEL_COLORS[label] for label in labels if label in LABEL_COLORS), DEFAULT_COLOR)
