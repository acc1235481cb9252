"""Indonesian: the conventions of ICON, whose trees `projects/indonesian` joins with the
heads of Universal Dependencies."""

from ..conventions import Conventions
from .tokens import TOKENS, multiword_tokens

PUNCTUATION_TAGS = frozenset({"PUN"})

CONVENTIONS = Conventions(
    code="id",
    root_labels=frozenset({"ROOT", ""}),
    punctuation_tags=PUNCTUATION_TAGS,
    mark_tags=PUNCTUATION_TAGS,
    evalb_deleted=("TOP", "ROOT", "-NONE-", *PUNCTUATION_TAGS),
    clause_labels=frozenset("S SINV SBAR SBARQ SQ CP RPN".split()),
    read_as=dict.fromkeys("«»„“”‹›", '"'),
    tokens=TOKENS,
    contractions=multiword_tokens,
    default_package="id_lal_md",
)
