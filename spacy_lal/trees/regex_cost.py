"""How long a regular expression of a pattern of `tgrep.py` may take."""

import re
from collections.abc import Callable
from math import comb

_ATOM = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_PIECE = re.compile(
    r"""
    (\( (?: \? (?: P?<\w+> | P=\w+ | <?[=!] | [aiLmsux-]*:? | > ) )? )  # opens
    | (\))? ( [*+?] | \{\d*,\d*\} | \{\d+\} ) [?+]?  # may close; repeats
    | (\))  # closes
    | (\|)  # or
    """,
    re.VERBOSE,
)


def cost_of_regex(text: str) -> Callable[[int], float]:
    """The most steps of a regular expression, by the length of the text: polynomial in
    repeats that follow each other, exponential in repeats of what can match in several
    ways itself, such as `(a+)+` and `(a|ab)*`."""
    choices = [0]  # repeats and alternatives in each open group
    n_repeats = 0
    nested = False
    for opened, closed, repeat, closed_alone, _ in _PIECE.findall(_ATOM.sub("a", text)):
        if opened:
            choices.append(0)
            continue
        closes = bool(closed or closed_alone) and len(choices) > 1
        inside = choices.pop() if closes else 0
        is_fixed = repeat.strip("{}").isdigit()
        is_choice = not closed_alone and not is_fixed
        nested |= bool(repeat and inside)
        n_repeats += bool(repeat and is_choice)
        choices[-1] += inside + is_choice
    if nested:
        return lambda length: 2.0 ** min(length, 1000)
    return lambda length: comb(length + n_repeats + 1, n_repeats + 1)
