"""What the clauses of a sentence say: clauses, relations, triples,
and whether they are facts."""

# ruff: noqa: F401  (other rooms import from here)
from .grammar import Clause
from .relations import Relation
from .triples import Triple
