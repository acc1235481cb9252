"""`lal` in a process of its own, with a component that sets roles and units, and
raises for the word `boom`."""

from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import set_propositions, set_units
from spacy_lal.cli import lal_cli
from spacy_lal.trees.roles import Proposition


@Language.component("tests_boom")
def set_roles(doc: Doc) -> Doc:
    if "boom" in doc.text:
        raise ValueError(f"no roles for {doc.text}")
    sleeps = Proposition(3, "sleep.01", ((0, 3, "ARG0"), (3, 4, "V")), "sleep")
    set_propositions(doc, [sleeps] if len(doc) > 3 else [])
    set_units(doc, [(sent.start, sent.end, 1) for sent in doc.sents])
    return doc


if __name__ == "__main__":
    lal_cli()
