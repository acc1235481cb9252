"""Checks of config blocks: an error names the option, its value and what was expected."""

from dataclasses import fields
from typing import ClassVar, Dict


class Block:
    """A config block, a frozen dataclass. It checks its numbers by their names. Types are the config system's.

    least (Dict[str, int]): The least value of some integers; 1 for the others.
    RAISES (ValueError): A dropout rate or smoothing is outside [0, 1), a weight of a loss is negative or not
        finite, or an integer is too small.
    """

    least: ClassVar[Dict[str, int]] = {}

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            name, value = field.name, getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            if name.endswith(("dropout", "smoothing")):
                fits, expected = 0.0 <= value < 1.0, "a rate in [0, 1)"
            elif name.endswith("weight"):
                fits, expected = 0.0 <= value < float("inf"), "a number of at least 0"
            else:
                least = self.least.get(name, 1) if isinstance(value, int) else 0
                fits, expected = value >= least, f"a number of at least {least}"
            if not fits:
                raise ValueError(f"{name}: expected {expected}, got {value!r}")


def check_even(name: str, value: int, reason: str) -> None:
    """RAISES (ValueError): `value` is odd. reason (str): Why it must be even."""
    if value % 2:
        raise ValueError(f"{name}: expected an even integer ({reason}), got {value}")
