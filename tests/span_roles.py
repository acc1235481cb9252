"""The sentences of `role_examples` with their parses, and a config of `lal_srl` that
scores the ranges of a parse."""

from typing import Any, Dict

import role_examples
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import sentence_words, set_constituents

SCORER = {
    "@misc": "spacy-lal.SpanRoleScorer.v1",
    **{"vectors_width": 16, "predicate_width": 16, "hidden_width": 32},
    **{"n_rows": 500, "dropout": 0.0, "feature_dropout": 0.0},
}
TREES = {
    "gave": [(0, 7, "S"), (0, 1, "NP"), (1, 6, "VP"), (2, 3, "PRT"), (3, 6, "NP")],
    "saw": [
        (0, 6, "S"),
        (0, 1, "NP"),
        (1, 5, "VP"),
        (2, 5, "SBAR"),
        (3, 5, "S"),
        (3, 4, "NP"),
        (4, 5, "VP"),
    ],
}
BRACKETS = (
    "(S (NP (PRP She)) (VP (VBD gave) (PRT (RP up)) (NP (DT the) (JJ old) (NN "
    "house))) (. .))\n"
    "(S (NP (PRP They)) (VP (VBD saw) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD "
    "slept))))) (. .))\n"
)


def config(**changes: Any) -> Dict[str, Any]:
    """The component's config; `changes` are for the role scorer."""
    found = role_examples.config("none", role_scorer={**SCORER, **changes})
    return found


def parsed(nlp: Language, name: str, **left_out: bool) -> Doc:
    """A Doc with the parse of one of the sentences."""
    words = role_examples.GAVE if name == "gave" else role_examples.SAW
    every = {
        "heads": role_examples.HEADS,
        "deps": role_examples.DEPS,
        "tags": role_examples.TAGS,
    }
    annotation = {
        key: values[name] for key, values in every.items() if not left_out.get(key)
    }
    doc = Doc(
        nlp.vocab,
        words=words,
        sent_starts=[i == 0 for i in range(len(words))],
        **annotation,
    )
    if not left_out.get("constituents"):
        set_constituents(doc, sentence_words(doc), [TREES[name]])
    return doc


def parsed_example(nlp: Language, name: str) -> Example:
    """The parse as predicted, and the gold roles."""
    return Example(parsed(nlp, name), role_examples.example(nlp, name).reference)
