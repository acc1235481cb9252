"""The component `lal_carry_over`: parses and roles follow tokens that another component
has merged or split."""

from collections.abc import Callable

from spacy.language import Language
from spacy.tokens import Doc

from ..annotations import carry_over, install_extensions


@Language.factory("lal_carry_over", assigns=["doc.spans"], requires=["doc.spans"])
def make_carry_over(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Make a `lal_carry_over` component. It goes after the one that changes tokens,
    such as `merge_noun_chunks`: otherwise spaCy refuses to store or copy the Doc
    (E035)."""
    install_extensions()
    return carried_over


def carried_over(doc: Doc) -> Doc:
    """The Doc, with its constituents and roles on its present tokens."""
    carry_over(doc)
    return doc
