"""Checks of config blocks: an error names the option, its value and what was expected."""

from dataclasses import fields
from typing import ClassVar, Dict


class Block:
    """A config block, a frozen dataclass. It checks its numbers: dropout rates, and how small an integer may be. Types
    are the config system's.

    least (Dict[str, int]): The least value of some integers; 1 for the others.
    RAISES (ValueError): A rate is outside [0, 1), or an integer is too small.
    """

    least: ClassVar[Dict[str, int]] = {}

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            name, value = field.name, getattr(self, field.name)
            is_rate = name.endswith("dropout")
            if isinstance(value, bool) or not isinstance(value, (int, float) if is_rate else int):
                continue
            if not 0.0 <= value < 1.0 if is_rate else value < self.least.get(name, 1):
                expected = (
                    "a dropout rate in [0, 1)" if is_rate else f"an integer of at least {self.least.get(name, 1)}"
                )
                raise ValueError(f"{name}: expected {expected}, got {value!r}")


def check_even(name: str, value: int, reason: str) -> None:
    """RAISES (ValueError): `value` is odd. reason (str): Why it must be even."""
    if value % 2:
        raise ValueError(f"{name}: expected an even integer ({reason}), got {value}")
