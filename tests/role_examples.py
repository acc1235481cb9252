"""Two sentences with heads and roles, and a pipeline that has learnt them by heart."""

from typing import Any, Dict, List, Optional

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed

from spacy_lal.annotations import set_propositions
from spacy_lal.trees.roles import Proposition

GAVE = ["She", "gave", "up", "the", "old", "house", "."]
SAW = ["They", "saw", "that", "he", "slept", "."]
PROPOSITIONS = {
    "gave": [
        Proposition(
            1, "give_up.07", ((0, 1, "ARG0"), (1, 3, "V"), (3, 6, "ARG1")), "give_up"
        )
    ],
    "saw": [
        Proposition(1, "see.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 5, "ARG1")), "see"),
        Proposition(4, "sleep.01", ((3, 4, "ARG0"), (4, 5, "V")), "sleep"),
    ],
}
HEADS = {"gave": [1, 1, 1, 5, 5, 1, 1], "saw": [1, 1, 4, 4, 1, 1]}
DEPS = {
    "gave": ["nsubj", "ROOT", "compound:prt", "det", "amod", "obj", "punct"],
    "saw": ["nsubj", "ROOT", "mark", "nsubj", "ccomp", "punct"],
}
TAGS = {
    "gave": ["PRP", "VBD", "RP", "DT", "JJ", "NN", "."],
    "saw": ["PRP", "VBD", "IN", "PRP", "VBD", "."],
}
# Small and without dropout: learns in seconds.
MODEL = {
    "@architectures": "spacy-lal.RolesModel.v1",
    "encoder": {
        "@misc": "spacy-lal.RolesEncoder.v1",
        "n_heads": 2,
        "head_width": 16,
        "ff_width": 32,
        "timing": True,
        "dropout": 0.0,
    },
    "predicate_scorer": {
        "@misc": "spacy-lal.PredicateScorer.v1",
        "hidden_width": 16,
        "dropout": 0.0,
    },
    "role_scorer": {
        "@misc": "spacy-lal.RoleScorer.v1",
        "predicate_width": 16,
        "role_width": 16,
        "dropout": 0.0,
    },
    "roleset_scorer": {"@misc": "spacy-lal.RolesetScorer.v1", "dropout": 0.0},
}


def example(
    nlp: Language, name: str, *, roles: bool = True, heads: bool = True
) -> Example:
    """One of the sentences; its reference may lack roles or heads."""
    words = GAVE if name == "gave" else SAW
    arcs = {"heads": HEADS[name], "deps": DEPS[name]} if heads else {}
    reference = Doc(
        nlp.vocab,
        words=words,
        tags=TAGS[name],
        sent_starts=[i == 0 for i in range(len(words))],
        **arcs,
    )
    if roles:
        set_propositions(reference, PROPOSITIONS[name])
    predicted = Doc(
        nlp.vocab, words=words, sent_starts=[i == 0 for i in range(len(words))]
    )
    return Example(predicted, reference)


def config(
    heads: str = "own", syntax: Optional[Dict[str, Any]] = None, **changes: Any
) -> Dict[str, Any]:
    """The component's config; `changes` are for `model`."""
    block = {
        "@misc": "spacy-lal.SyntaxAttention.v1",
        "heads": heads,
        "arc_width": 16,
        "deprel_width": 8,
        "dropout": 0.0,
    }
    return {"model": {**MODEL, "syntax": {**block, **(syntax or {})}, **changes}}


def train(
    nlp: Language, examples: List[Example], steps: int = 60, learn_rate: float = 0.01
) -> Dict[str, float]:
    """Train until the sentences are known. RETURNS: The last losses."""
    fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = learn_rate
    losses: Dict[str, float] = {}
    for _ in range(steps):
        losses = {}
        nlp.update(
            [Example(eg.predicted.copy(), eg.reference) for eg in examples],
            sgd=optimizer,
            losses=losses,
        )
    return losses


def make(heads: str = "own", **changes: Any) -> Language:
    """A pipeline of this component alone, which has learnt both sentences."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_srl", config=config(heads, **changes))
    train(nlp, [example(nlp, "gave"), example(nlp, "saw")])
    return nlp
