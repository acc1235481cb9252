"""A network from flat names, which are shorter to write on a command line than blocks; and options by dotted names."""

import ast
from dataclasses import fields, is_dataclass, replace
from typing import Any, Dict, Mapping, Sequence, Tuple

from spacy_lal.checkpoint.flat import FlatConfig
from spacy_lal.layers.configs import ParserNetworkConfig, ParserSizes

SIZES = tuple(field.name for field in fields(ParserSizes))


def read_changes(items: Sequence[str]) -> Dict[str, Any]:
    """NAME=VALUE as a dict; values are Python literals, or else strings."""
    changes = {}
    for name, equals, value in (item.partition("=") for item in items):
        if not equals:
            raise ValueError(f"expected NAME=VALUE, got {name!r}")
        try:
            changes[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            changes[name] = value
    return changes


def compose(options: Mapping[str, Any]) -> Tuple[ParserNetworkConfig, ParserSizes]:
    """The blocks and the sizes of a network that reads vectors, tags and characters, as far as their sizes are above 0.

    options (Mapping[str, Any]): By the names of `FlatConfig` and of `ParserSizes`.
    RAISES (ValueError, TypeError): They make no network, or a name is unknown.
    """
    sizes = ParserSizes(**{name: value for name, value in options.items() if name in SIZES})
    flat = {name: value for name, value in options.items() if name not in SIZES or name == "n_label_heads"}
    config = FlatConfig(**{"use_tags": sizes.n_tags > 0, "use_chars": sizes.n_chars > 0, **flat})
    return config.compose(reads_vectors=sizes.vector_width > 0), sizes


def changed(record: Any, name: str, value: Any) -> Any:
    """A record with another value of an option.

    record (Any): A dataclass, or a tuple of some.
    name (str): As "label_attention.n_heads" or "encoder.layers.0.ff_width".
    RAISES (ValueError): The record has no such option.
    """
    first, _, rest = name.partition(".")
    if isinstance(record, tuple) and first.isdigit() and int(first) < len(record) and rest:
        place = int(first)
        return (*record[:place], changed(record[place], rest, value), *record[place + 1 :])
    if not is_dataclass(record) or not hasattr(record, first):
        raise ValueError(f"{type(record).__name__} has no option {first!r}")
    new = changed(getattr(record, first), rest, value) if rest else value
    return replace(record, **{first: new})  # type: ignore[type-var]
