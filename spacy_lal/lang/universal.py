"""Labels that hold in every language: Universal Dependencies and Stanford
dependencies."""

# Deprels of clause predicates: Universal Dependencies, then deprels that only Stanford
# dependencies have.
CLAUSE_DEPRELS = frozenset(
    {
        "root",
        "csubj",
        "ccomp",
        "xcomp",
        "advcl",
        "acl",
        "parataxis",
        "csubjpass",
        "pcomp",
        "rcmod",
        "vmod",
        "partmod",
        "infmod",
        "purpcl",
    }
)
