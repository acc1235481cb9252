"""What the clauses of a sentence say: clauses, relations, triples,
and whether they are facts."""

# ruff: noqa: F401  (other rooms import from here)
from .clauses import Clause, clauses_of
from .contexts import set_contexts
from .relation import Relation
from .relations import relations_of
from .sentence import Context, Sentence
from .simplify import simplify_sentence
from .triples import Triple, triples_of
