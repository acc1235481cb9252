"""Semantic roles as HTML: one row a predicate, in which each argument is a box with its role.

All predicates of a sentence in one picture would be unreadable. Boxes are pale with black letters, like displaCy's; the
text around them takes the colour of the page, dark or light. *Not* here: Docs (`annotations/role_rows.py`).
"""

from typing import Dict, List, NamedTuple, Sequence

from .markup import escape, shorten, visible

PREDICATE_COLOR = "#cfd5de"
_FAMILIES: Dict[str, str] = {
    "V": PREDICATE_COLOR,
    "ARG0": "#b9d8f8",
    "ARG1": "#fbd9a5",
    "ARG2": "#bfe5c0",
    "ARG3": "#d3c9f5",
    "ARG4": "#f0cfe9",
    "ARG5": "#f5cdb4",
    "ARGA": "#f5cdb4",
    "ARGM-TMP": "#b5dedd",
    "ARGM-LOC": "#efe6a0",
    "ARGM-NEG": "#f7c4cd",
}
DEFAULT_COLOR = "#e6dfd0"
MAX_WORD = 60  # characters of a word

_BOX = (
    "background: {color}; color: #000000; padding: 0.2em 0.35em; border-radius: 0.35em; "
    "box-decoration-break: clone; -webkit-box-decoration-break: clone"
)
_LABEL = "font-size: 0.65em; font-weight: bold; margin-inline-start: 0.5em; vertical-align: 0.1em; white-space: nowrap"


class RolePiece(NamedTuple):
    """A stretch of a sentence. All are plain text.

    text (str): Its words. role (str): Its role, with C-; empty outside of arguments. description (str): May be empty.
    """

    text: str
    role: str = ""
    description: str = ""


class RoleRow(NamedTuple):
    """A predicate. All are plain text.

    predicate (str): Its words. roleset, name (str): "give.01", "transfer"; may be empty.
    pieces (Sequence[RolePiece]): The whole sentence.
    """

    predicate: str
    roleset: str
    name: str
    pieces: Sequence[RolePiece]


class SentenceRows(NamedTuple):
    """The predicates of a sentence, and its text, which is shown if it has none."""

    text: str
    rows: Sequence[RoleRow]


def role_color(role: str) -> str:
    """The colour of a role. C-X and R-X have the colour of X, ARG1-DSP the colour of ARG1."""
    while role.startswith(("C-", "R-")):
        role = role[2:]
    if role in _FAMILIES:
        return _FAMILIES[role]
    return _FAMILIES.get(role[:4], DEFAULT_COLOR) if not role.startswith("ARGM") else DEFAULT_COLOR


def roles_to_html(sentence: SentenceRows, *, folded: bool = False, direction: str = "ltr") -> str:
    """Draw the predicates of a sentence.

    folded (bool): Whether a reader opens a predicate by clicking on it; the first is open. Otherwise all are shown.
    direction (str): "rtl" for languages that are written from right to left.
    RETURNS (str): One `<div>`, well-formed as XML.
    """
    parts = [_row(row, is_open=not folded or i == 0, folded=folded) for i, row in enumerate(sentence.rows)]
    if not parts:
        parts.append(f"<div>{_piece(RolePiece(sentence.text))}</div><p>This sentence has no predicate.</p>")
    return f'<div class="lal-roles" dir="{escape(direction)}">{"".join(parts)}</div>'


def _row(row: RoleRow, *, is_open: bool, folded: bool) -> str:
    sense = " ".join(part for part in (row.roleset, f"({row.name})" if row.name else "") if part)
    heading = f"<b>{escape(shorten(visible(row.predicate), MAX_WORD))}</b>"
    if sense:
        heading += f' <span style="opacity: 0.7; font-size: 0.85em">{escape(sense)}</span>'
    body = f'<div style="line-height: 2.3; padding: 0.2em 0 0.9em">{"".join(map(_piece, row.pieces))}</div>'
    if not folded:
        return f'<div class="lal-predicate"><div>{heading}</div>{body}</div>'
    state = ' open=""' if is_open else ""
    return (
        f'<details class="lal-predicate"{state}><summary style="cursor: pointer; padding: 0.25em 0">{heading}</summary>'
        f"{body}{_legend(row)}</details>"
    )


def _piece(piece: RolePiece) -> str:
    text = escape(" ".join(shorten(word, MAX_WORD) for word in visible(piece.text).split(" ")))
    if not piece.role:
        return text
    title = f' title="{escape(piece.description)}"' if piece.description else ""
    border = "; border: 1px solid #888888" if role_color(piece.role) == PREDICATE_COLOR else ""
    box = _BOX.format(color=role_color(piece.role)) + border
    space = " " if text.endswith(" ") else ""
    label = f'<span style="{_LABEL}">{escape(piece.role)}</span>'
    return f'<span class="lal-role" style="{box}"{title}>{text.rstrip()}{label}</span>{space}'


def _legend(row: RoleRow) -> str:
    """The arguments with their descriptions, as a list."""
    items: List[str] = []
    for piece in row.pieces:
        if piece.description:
            words = escape(shorten(visible(piece.text).strip(), MAX_WORD))
            items.append(f"<li><b>{escape(piece.role)}</b> {escape(piece.description)}: {words}</li>")
    return f'<ul style="margin: 0 0 1em; font-size: 0.9em">{"".join(items)}</ul>' if items else ""
