"""Colours of constituent labels and semantic roles; displaCy knows the former too
(entry point `spacy_displacy_colors`). They are pale: letters on them are black, on
light and dark pages alike. Labels of a family share a colour. Roles have colours of
their own, stronger than those of labels."""

from collections.abc import Iterable

from ..lang import LANGUAGES
from .markup import escape

FAMILY_COLORS: dict[str, str] = {
    "noun phrase": "#b9d8f8",
    "verb phrase": "#fbd9a5",
    "prepositional phrase": "#bfe5c0",
    "clause": "#d3c9f5",
    "question, inversion": "#e0daf8",
    "subordinate clause": "#f7c4cd",
    "adjective phrase": "#f0cfe9",
    "adverb phrase, particle": "#efe6a0",
    "wh-phrase": "#b5dedd",
    "coordination": "#cddfc6",
    "parenthesis, interjection": "#f5cdb4",
    "fragment, list, other": "#dcdfcf",
}
# The labels of each family, in all languages.
FAMILIES: dict[str, list[str]] = {
    name: [
        label
        for language in LANGUAGES.values()
        for label in language.label_families.get(name, ())
    ]
    for name in FAMILY_COLORS
}
LABEL_COLORS: dict[str, str] = {
    label: FAMILY_COLORS[name] for name, labels in FAMILIES.items() for label in labels
}
DEFAULT_COLOR = "#d8d8d8"
INK_ON_PALE = "#1a1a1a"  # letters on any of these colours
ROLE_COLORS: dict[str, str] = {
    "V": "#b4bcc8",
    "ARG0": "#74c5b1",
    "ARG1": "#ee9fb4",
    "ARG2": "#a7b4ee",
    "ARG3": "#d5a6e0",
    "ARG4": "#e3bf62",
    "ARG5": "#c9a98b",
    "ARGA": "#c9a98b",
    "ARGM-TMP": "#86c9e6",
    "ARGM-LOC": "#bfd36a",
    "ARGM-NEG": "#f0a078",
}
OTHER_ROLE_COLOR = "#d6cdb8"
_PILL = (
    f"color: {INK_ON_PALE}; border-radius: .8em; padding: .05em .55em; font-weight: "
    "bold"
)
_LEGEND = (
    "display: flex; flex-wrap: wrap; gap: .35em 1.1em; margin: .8em 0; padding: 0; "
    "font-size: .85em"
)


def chain_color(labels: Iterable[str]) -> str:
    """The colour of a constituent: its outermost label with a colour decides."""
    return next(
        (LABEL_COLORS[label] for label in labels if label in LABEL_COLORS),
        DEFAULT_COLOR,
    )


def role_color(role: str) -> str:
    """The colour of a role. C-X and R-X have the colour of X, ARG1-DSP has the colour
    of ARG1."""
    role = role.removeprefix("C-").removeprefix("R-")
    return ROLE_COLORS.get(role) or ROLE_COLORS.get(role[:4], OTHER_ROLE_COLOR)


def label_legend(labels: Iterable[str]) -> str:
    """A legend as HTML: labels (not chains) in pills, and their families in words;
    empty if none has a colour."""
    seen = set(labels)
    items = []
    for name, members in FAMILIES.items():
        style = f"background: {FAMILY_COLORS[name]}; {_PILL}"
        pills = [
            f'<span style="{style}">{escape(label)}</span>'
            for label in members
            if label in seen
        ]
        if pills:
            items.append(f"<span>{' '.join(pills)} {escape(name)}</span>")
    if not items:
        return ""
    return f'<div class="lal-legend" style="{_LEGEND}">{"".join(items)}</div>'
