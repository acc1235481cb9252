"""A treebank with roles of verbs alone: other predicates do not count."""

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_lal.annotations import set_propositions
from spacy_lal.trees.roles import Proposition

WORDS = "Their decision surprised us".split()
TAGS = ["PRP$", "NN", "VBD", "PRP"]
DECISION = Proposition(1, "decide.01", ((0, 1, "ARG0"), (1, 2, "V")), "decide")
SURPRISED = Proposition(
    2, "surprise.01", ((0, 2, "ARG0"), (2, 3, "V"), (3, 4, "ARG1")), "surprise"
)


class ReadsAll:
    """A pipeline that finds the noun's roles, too."""

    def pipe(self, docs):
        for doc in docs:
            set_propositions(doc, [DECISION, SURPRISED])
            yield doc


def test_a_predicate_that_is_no_verb_counts_neither_way(script):
    gold = Doc(Vocab(), words=WORDS, tags=TAGS)
    set_propositions(gold, [SURPRISED])
    examples = [Example(Doc(gold.vocab, words=WORDS), gold)]
    scores = script("score_verbs").score_verbs(ReadsAll(), examples)
    assert scores["srl_f"] == scores["srl_p"] == scores["predicate_f"] == 1.0
