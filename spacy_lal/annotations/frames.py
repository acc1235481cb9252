"""Frames of a pipeline: a table in `vocab.lookups`, which spaCy saves with the pipeline and sends to other processes.

*Not* here: files of frames (`trees/frames.py`).
"""

import warnings
from typing import Collection, Iterable, List, Optional

from spacy.lookups import Table
from spacy.vocab import Vocab

from ..trees.frames import Frame, FrameRole, describe_role
from ..trees.propositions import role_number

FRAMES_TABLE = "lal_frames"


class NoFramesWarning(UserWarning):
    """A numbered argument is not described, since the vocab has no frames."""


def install_frames(vocab: Vocab, frames: Iterable[Frame], *, rolesets: Optional[Collection[str]] = None) -> None:
    """Give a vocab frames, for `Argument.description`. A frame replaces an earlier one of the same
    roleset; others are kept.

    frames (Iterable[Frame]): For instance `read_frames(path).values()`.
    rolesets (Optional[Collection[str]]): Install these alone. None: all.
    """
    if not vocab.lookups.has_table(FRAMES_TABLE):
        vocab.lookups.add_table(FRAMES_TABLE, {})
    table: Table = vocab.lookups.get_table(FRAMES_TABLE)
    for frame in frames:
        if rolesets is None or frame.roleset in rolesets:
            table[frame.roleset] = [frame.roleset, frame.frame, frame.name, {n: [*r] for n, r in frame.roles.items()}]


def has_frames(vocab: Vocab) -> bool:
    """Whether a vocab has frames."""
    return bool(vocab.lookups.has_table(FRAMES_TABLE) and len(vocab.lookups.get_table(FRAMES_TABLE)))


def copy_frames(source: Vocab, target: Vocab) -> None:
    """Give the frames of one vocab to another, unless that has some."""
    if target is not source and has_frames(source) and not has_frames(target):
        install_frames(target, installed_frames(source))


def get_frame(vocab: Vocab, roleset: str) -> Optional[Frame]:
    """The frame of a roleset; None if the vocab does not have it."""
    if not roleset or not vocab.lookups.has_table(FRAMES_TABLE):
        return None
    stored = vocab.lookups.get_table(FRAMES_TABLE).get(roleset)
    return _to_frame(stored) if stored else None


def installed_frames(vocab: Vocab) -> List[Frame]:
    """All frames of a vocab, for a component that saves them with its own data. They lack aliases, which a vocab does
    not keep."""
    if not vocab.lookups.has_table(FRAMES_TABLE):
        return []
    return [_to_frame(stored) for stored in vocab.lookups.get_table(FRAMES_TABLE).values()]


def describe(vocab: Vocab, roleset: str, role: str) -> Optional[str]:
    """The description of a role of a roleset (`describe_role`). None, with a warning, for a numbered argument if the
    vocab has no frames."""
    if role_number(role) and not has_frames(vocab):
        warnings.warn(
            "no frames are loaded, so that numbered arguments have no description: "
            "spacy_lal.annotations.frames.install_frames(nlp.vocab, spacy_lal.trees.frames.read_frames(path).values()) "
            "installs PropBank's, which projects/srl makes",
            NoFramesWarning,
            stacklevel=3,
        )
        return None
    return describe_role(role, get_frame(vocab, roleset))


def _to_frame(stored: List) -> Frame:
    roleset, frame, name, roles = stored
    return Frame(roleset, frame, name, {number: FrameRole(*role) for number, role in roles.items()})
