"""Checks of a layer's options. Each raises a ValueError that names the option, its value and the expected values."""

import math
from typing import Any


def check_count(name: str, value: Any, least: int = 1) -> None:
    """RAISES (ValueError): `value` is not an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name}: expected an integer of at least {least}, got {value!r}")


def check_even(name: str, value: Any, reason: str) -> None:
    """RAISES (ValueError): `value` is not a positive even integer. reason (str): Why it must be even."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 2 or value % 2:
        raise ValueError(f"{name}: expected a positive even integer ({reason}), got {value!r}")


def check_rates(**rates: Any) -> None:
    """RAISES (ValueError): A dropout rate is not in [0, 1)."""
    for name, rate in rates.items():
        if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0.0 <= rate < 1.0:
            raise ValueError(f"{name}: expected a dropout rate in [0, 1), got {rate!r}")


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """RAISES (ValueError): `value` is not among the choices."""
    if value not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(map(repr, choices))}, got {value!r}")


def check_flags(**flags: Any) -> None:
    """RAISES (ValueError): A switch is neither True nor False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name}: expected true or false, got {flag!r}")


def check_parts(name: str, parts: Any, kind: type) -> None:
    """RAISES (ValueError): `parts` is not a tuple of instances of `kind`."""
    if not isinstance(parts, tuple) or not all(isinstance(part, kind) for part in parts):
        raise ValueError(f"{name}: expected a tuple of {kind.__name__}, got {parts!r}")


def check_number(name: str, value: Any, above: float = -math.inf, least: float = -math.inf) -> None:
    """RAISES (ValueError): `value` is not a finite number greater than `above` and of at least `least`."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not above < value < math.inf or value < least:
        limit = "" if above == -math.inf else f" greater than {above:g}"
        limit += "" if least == -math.inf else f" of at least {least:g}"
        raise ValueError(f"{name}: expected a finite number{limit}, got {value!r}")


def check_halves(name: str, value: int) -> None:
    """RAISES (ValueError): `value`, a width of factored features, has no half for each part."""
    if value % 2:
        raise ValueError(
            f"{name}: expected an even integer with factored = true (half for content, half for position), got {value}"
        )
