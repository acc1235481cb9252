"""PropBank's frames: the descriptions of the arguments of each roleset, and of the
modifiers that all share. A file of frames is JSON lines, made from PropBank's XML by
`projects/en`; they are CC BY-SA 4.0 and no part of this package."""

from pathlib import Path
from typing import Any, NamedTuple, Optional, Union

from ..files import TreebankError, json_lines, quoted
from ..lang import glossary
from .roles import base_role, role_number

_FORM = (
    '{"roleset": "give.01", "frame": "give", "name": "transfer", "roles": {"0": '
    '["pag", "giver"]}}'
)


class FrameRole(NamedTuple):
    """A numbered argument of a roleset: its function tag ("pag", "ppt", ...), and its
    description."""

    function: str
    description: str


class Frame(NamedTuple):
    """A roleset, "give.01": PropBank's file ("give"), its name ("transfer"), roles by
    number, "0" to "6", and the parts of speech and words of its predicates ("n:giving",
    "v:give_up")."""

    roleset: str
    frame: str
    name: str
    roles: dict[str, FrameRole]
    aliases: tuple[str, ...] = ()


def read_frames(path: Union[str, Path]) -> dict[str, Frame]:
    """The frames of a file, by roleset.

    RAISES (TreebankError): A line is no frame, or two have the same roleset; with file
        and line.
    """
    frames: dict[str, Frame] = {}
    for where, value in json_lines(Path(path)):
        frame = _make_frame(value)
        if frame is None or frame.roleset in frames:
            raise TreebankError(
                f"{where}: expected a frame of a new roleset, such as {_FORM}, got "
                f"{quoted(repr(value))}"
            )
        frames[frame.roleset] = frame
    return frames


def describe_role(role: str, frame: Optional[Frame]) -> Optional[str]:
    """The description of a role: of a modifier, in general words; of a numbered
    argument, from the frame of its roleset. C-X and R-X have the description of X.

    RETURNS (Optional[str]): None where the frame is unknown, or does not describe the
        role.
    """
    number = role_number(role)
    if number:
        described = frame.roles.get(number) if frame else None
        return described.description if described else None
    kind, _, modifier = base_role(role).partition("-")
    return glossary()["modifiers"].get(modifier) if kind in ("ARGM", "AM") else None


def _make_frame(value: Any) -> Optional[Frame]:
    try:
        roles = {
            str(n): FrameRole(*map(str, role)) for n, role in value["roles"].items()
        }
        texts = (value["roleset"], value.get("frame", ""), value.get("name", ""))
        frame = Frame(*texts, roles, tuple(map(str, value.get("aliases", ()))))
    except (KeyError, TypeError, AttributeError):
        return None
    is_frame = frame.roleset and all(isinstance(text, str) for text in texts)
    return frame if is_frame else None
