"""Colours of constituent labels: in drawn trees, and for displaCy: registered as `spacy_displacy_colors`, so that
`displacy.render(doc, style="span", options={"spans_key": "constituents"})` uses them too.

They are pale, because letters on them are black on light and dark pages alike. Labels of a family share a colour.
"""

from typing import Dict, Tuple

_FAMILIES: Dict[str, Tuple[str, Tuple[str, ...]]] = {
    "noun phrase": ("#b9d8f8", ("NP", "NML", "NX", "NAC", "QP")),
    "verb phrase": ("#fbd9a5", ("VP",)),
    "prepositional phrase": ("#bfe5c0", ("PP",)),
    "clause": ("#d3c9f5", ("S",)),
    "question, inversion": ("#e0daf8", ("SINV", "SQ", "SBARQ")),
    "subordinate clause": ("#f7c4cd", ("SBAR",)),
    "adjective phrase": ("#f0cfe9", ("ADJP",)),
    "adverb phrase, particle": ("#efe6a0", ("ADVP", "PRT")),
    "wh-phrase": ("#b5dedd", ("WHNP", "WHPP", "WHADVP", "WHADJP")),
    "coordination": ("#cddfc6", ("CONJP", "UCP", "RRC")),
    "parenthesis, interjection": ("#f5cdb4", ("PRN", "INTJ")),
    "fragment, list, other": ("#dcdfcf", ("FRAG", "LST", "META", "X", "TOP")),
}
LABEL_COLORS: Dict[str, str] = {label: color for color, labels in _FAMILIES.values() for label in labels}
DEFAULT_COLOR = "#d8d8d8"
INK_ON_PALE = "#1a1a1a"  # letters on any of these colours


def chain_color(labels: Tuple[str, ...]) -> str:
    """The colour of a constituent: its outermost label with a colour decides."""
    return next((LABEL_COLORS[label] for label in labels if label in LABEL_COLORS), DEFAULT_COLOR)


def family_name(label: str) -> str:
    """The family of a label in words ("noun phrase"); empty without one."""
    return next((name for name, (_, family) in _FAMILIES.items() if label in family), "")
