"""PropBank's frames: the descriptions of the arguments of each roleset, and of the modifiers that all share.

A file of frames is JSON lines, made from PropBank's XML by `projects/srl`:

    {"roleset": "give.01", "frame": "give", "name": "transfer",
     "roles": {"0": ["pag", "giver"], "1": ["ppt", "thing given"], "2": ["gol", "entity given to"]}, "aliases": [...]}

PropBank's frames are CC BY-SA 4.0 and no part of this package. *Not* here: frames of a pipeline
(`annotations/frames.py`).
"""

import json
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from .lines import LineError, has_half_pair, numbered_lines, quoted
from .propositions import CONTINUATION, REFERENCE, role_number

# In our words, after the annotation guidelines of PropBank 3.1.
MODIFIERS: Dict[str, str] = {
    "ADJ": "modifier of a noun",
    "ADV": "adverbial",
    "CAU": "cause",
    "COM": "companion",
    "CXN": "construction",
    "DIR": "direction",
    "DIS": "discourse marker",
    "DSP": "direct speech",
    "EXT": "extent",
    "GOL": "goal",
    "LOC": "place",
    "LVB": "light verb",
    "MNR": "manner",
    "MOD": "modal verb",
    "NEG": "negation",
    "PNC": "purpose",
    "PRD": "secondary predicate",
    "PRP": "purpose",
    "PRR": "noun of a light verb",
    "REC": "reciprocal or reflexive",
    "TMP": "time",
}
_MODIFIER_PREFIXES = ("ARGM-", "AM-")


class FrameError(ValueError):
    """A file of frames that is malformed. The message names file and line."""


class FrameRole(NamedTuple):
    """A numbered argument of a roleset: its function tag ("pag", "ppt", ...), and its description."""

    function: str
    description: str


class Frame(NamedTuple):
    """A roleset.

    roleset (str): For instance "give.01". frame (str): PropBank's file, "give". name (str): "transfer".
    roles (Dict[str, FrameRole]): By number, "0" to "6"; empty for auxiliaries.
    aliases (Tuple[str, ...]): Part of speech and words of its predicates, "n:giving", "v:give_up".
    """

    roleset: str
    frame: str
    name: str
    roles: Dict[str, FrameRole]
    aliases: Tuple[str, ...] = ()


def read_frames(path: Union[str, Path]) -> Dict[str, Frame]:
    """The frames of a file, by roleset.

    RAISES (FrameError): A line is no frame, or two have the same roleset; with file and line.
    """
    frames: Dict[str, Frame] = {}
    try:
        for number, line in numbered_lines(Path(path)):
            if not line.strip():
                continue
            frame = _parse_frame(line, f"{path}:{number}")
            if frame.roleset in frames:
                raise FrameError(f"{path}:{number}: a second frame for {frame.roleset}")
            frames[frame.roleset] = frame
    except LineError as error:
        raise FrameError(f"{path}:{error.number}: {error.reason}: {quoted(error.text)}") from None
    return frames


def describe_role(role: str, frame: Optional[Frame]) -> Optional[str]:
    """The description of a role: of a modifier, in general words; of a numbered argument, from the frame of its
    roleset. C-X and R-X have the description of X.

    RETURNS (Optional[str]): None where the frame is unknown, or does not describe the role.
    """
    number = role_number(role)
    if number:
        described = frame.roles.get(number) if frame else None
        return described.description if described else None
    name = role
    while name.startswith((CONTINUATION, REFERENCE)):
        name = name[2:]
    return next((MODIFIERS.get(name[len(prefix) :]) for prefix in _MODIFIER_PREFIXES if name.startswith(prefix)), None)


def _parse_frame(line: str, where: str) -> Frame:
    try:
        value: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise FrameError(f"{where}: expected JSON, {error.msg} at character {error.pos + 1}: {quoted(line)}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits; deep nesting
        raise FrameError(f"{where}: expected JSON, got {quoted(line.strip())} ({error})") from None
    try:
        roles: Dict[str, List[str]] = value["roles"]
        described = {str(n): FrameRole(str(function), str(text)) for n, (function, text) in roles.items()}
        texts: Tuple[Any, ...] = (value["roleset"], value.get("frame", ""), value.get("name", ""))
        aliases = tuple(str(alias) for alias in value.get("aliases", ()))
    except (KeyError, TypeError, ValueError, AttributeError):
        texts = aliases = ()
    if len(texts) != 3 or not all(isinstance(text, str) for text in texts) or not texts[0]:
        expected = '{"roleset": "give.01", "frame": "give", "name": "transfer", "roles": {"0": ["pag", "giver"]}}'
        raise FrameError(f"{where}: expected a frame such as {expected}, got {quoted(line.strip())}")
    if has_half_pair(
        "".join((*texts, *aliases, *(part for pair in described.items() for part in (pair[0], *pair[1]))))
    ):
        raise FrameError(f"{where}: expected Unicode, got half a surrogate pair in {quoted(line.strip())}")
    return Frame(*texts, described, aliases)
