"""What the clauses of a sentence say: clauses, relations, triples,
and whether they are facts."""

# ruff: noqa: F401  (other rooms import from here)
from .clauses import get_clauses
from .grammar import Clause
from .relations import Relation, get_relations
from .simplify import simplify
from .triples import Triple, get_triples
