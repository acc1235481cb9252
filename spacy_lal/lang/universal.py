"""Labels that hold in every language: Universal Dependencies and Stanford
dependencies."""

# Deprels of clause predicates: Universal Dependencies, then deprels that only Stanford
# dependencies have.
CLAUSE_DEPRELS = frozenset(
    """
    root csubj ccomp xcomp advcl acl parataxis csubjpass pcomp rcmod vmod
    partmod infmod purpcl
""".split()
)

SUBJECT_DEPRELS = frozenset("nsubj nsubj:pass csubj csubj:pass".split())
# A predicate has one dependent of each group at most.
EXCLUSIVE_DEPRELS = (
    SUBJECT_DEPRELS,
    frozenset({"obj", "ccomp"}),
    frozenset({"iobj"}),
)
# Dependents that a predicate has, and an auxiliary has not.
PREDICATE_DEPENDENTS = frozenset(
    {
        *SUBJECT_DEPRELS,
        "obj",
        "ccomp",
        "iobj",
        "advcl",
        "aux",
        "aux:pass",
        "cop",
        "mark",
        "obl",
        "xcomp",
    }
)
AUXILIARY_DEPRELS = frozenset(
    {
        "aux",
        "aux:pass",
        "cop",
    }
)
