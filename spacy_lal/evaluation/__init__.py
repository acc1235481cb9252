"""Scores of a pipeline: EVALB for constituents, attachment for dependencies, roles,
confusions; `scorers.py` scores Examples, as spaCy asks, and `docs.py` gold Docs."""


def ratio(part: int, whole: int) -> float:
    """A share; 0 of nothing is 0."""
    return part / whole if whole else 0.0


def percent(part: int, whole: int) -> float:
    """In the programs' order of operations, for the same last digit."""
    return 100.0 * part / whole if whole else 0.0
