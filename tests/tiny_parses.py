"""Parses of a few words, for tests that write them onto Docs."""

from typing import Optional, Sequence, Tuple

from spacy_lal.trees import Constituent, Parse, ParseMethod


def parse_of(
    spans: Optional[Sequence[Tuple[int, int, str]]],
    heads: Optional[Sequence[int]],
    deprels: Optional[Sequence[str]] = None,
    method: Optional[ParseMethod] = None,
    tokens: Sequence[int] = (),
) -> Parse:
    """The parse of a sentence whose words its Doc has."""
    constituents = None if spans is None else [Constituent(*span) for span in spans]
    return Parse(
        (),
        constituents=constituents,
        heads=heads,
        deprels=deprels or (),
        method=method,
        tokens=tokens,
    )
