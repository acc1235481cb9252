"""`spacy-lal.roles_scorer.v1`, over Examples."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_lal.annotations import set_propositions
from spacy_lal.cli.evaluate import report_lines, score
from spacy_lal.evaluation.docs import score_docs
from spacy_lal.evaluation.evalb_params import COLLINS
from spacy_lal.evaluation.scorers import PRINTED, ROLE_KEYS, score_roles
from spacy_lal.evaluation.srl import score_props
from spacy_lal.trees.props import PropsSentence, read_props
from spacy_lal.trees.roles import Proposition

NLP = spacy.blank("en")
WORDS = ["She", "gave", "him", "books", "."]
ARGS = ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG2"), (3, 4, "ARG1"))
GIVE = Proposition(1, "give.01", ARGS, "give")


def doc(propositions, words=WORDS, spaces=None):
    made = Doc(NLP.vocab, words=words, spaces=spaces)
    if propositions is not None:
        set_propositions(made, propositions)
    return made


def scores(predicted, gold):
    return score_roles([Example(doc(predicted), doc(gold))])


def test_right_and_without_gold():
    found = scores([GIVE], [GIVE])
    assert all(found[key] == 1.0 for key in ROLE_KEYS)
    assert found["srl_per_role"] == {
        role: {"p": 1.0, "r": 1.0, "f": 1.0} for role in ("ARG0", "ARG1", "ARG2")
    }
    nothing = scores([GIVE], None)
    assert set(nothing) == set(found) == {
        *ROLE_KEYS,
        "srl_per_role",
        *PRINTED,
    } and not any(nothing.values())
    assert registry.scorers.get("spacy-lal.roles_scorer.v1")() is score_roles


def test_a_spurious_predicate():
    spurious = Proposition(3, "book.01", ((2, 3, "ARG0"), (3, 4, "V")))
    found = scores([GIVE, spurious], [GIVE])
    assert (
        found["srl_p"] == 3 / 4
        and found["srl_conll05_p"] == found["srl_r"] == found["srl_perfect"] == 1.0
    )
    assert (found["predicate_p"], found["predicate_r"], found["roleset_acc"]) == (
        0.5,
        1.0,
        1.0,
    )
    assert found["roleset_f"] == pytest.approx(2 / 3)


def test_a_wrong_role_and_roleset():
    wrong = Proposition(
        1, "give.02", (*ARGS[:2], (2, 3, "ARG1"), (3, 4, "ARG2")), "give"
    )
    found = scores([wrong], [GIVE])
    assert found["srl_f"] == pytest.approx(1 / 3) and found["srl_unlabeled_f"] == 1.0
    assert (
        found["roleset_acc"] == found["roleset_f"] == 0.0
        and found["predicate_f"] == 1.0
    )
    assert (
        found["srl_conll05_f"] == pytest.approx(1 / 3) and found["srl_perfect"] == 0.0
    )


def test_lemmas():
    """As frame files: "better" for good.02 is found, another word is not."""
    gold = Proposition(1, "good.02", ARGS, "better")
    assert scores([gold._replace(lemma="good")], [gold])["srl_conll05_f"] == 1.0
    assert (
        scores([gold._replace(roleset="good.01", lemma="good")], [gold])[
            "srl_conll05_f"
        ]
        == 1.0
    )
    assert (
        scores([gold._replace(roleset="", lemma="good")], [gold])["srl_conll05_f"]
        == 0.0
    )
    assert scores([gold._replace(roleset="", lemma="good")], [gold])["srl_f"] == 1.0


def test_other_tokens():
    """Compared by characters: white space and other tokens within an argument do not
    matter."""
    gold = doc([GIVE._replace(args=((0, 1, "ARG0"), (1, 2, "V"), (2, 5, "ARG1")))])
    words = ["She", "gave", "\n", "him", "boo", "ks", "."]
    other = doc(None, words, [True, True, False, True, False, True, False])
    set_propositions(
        other,
        [
            Proposition(
                1, "give.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 7, "ARG1")), "give"
            )
        ],
    )
    found = score_roles([Example(other, gold)])
    assert found["srl_f"] == found["predicate_f"] == found["srl_perfect"] == 1.0
    set_propositions(
        other,
        [
            Proposition(
                1, "give.01", ((0, 1, "ARG0"), (1, 2, "V"), (3, 5, "ARG1")), "give"
            )
        ],
    )
    assert score_roles([Example(other, gold)])["srl_f"] == 0.5


def test_in_evaluations():
    @Language.component("roles_of_gold")
    def roles_of_gold(doc):
        set_propositions(doc, [GIVE])
        return doc

    nlp = spacy.blank("en")
    component = nlp.add_pipe("roles_of_gold")
    gold = Doc(nlp.vocab, words=WORDS, sent_starts=[True, *[False] * 4])
    set_propositions(gold, [GIVE])
    options = {"genre": None, "confusion": False, "raw": False}
    _, metrics = score(nlp, [gold], COLLINS, gold_sents=True, **options)
    assert metrics["roles"]["srl_f"] == 1.0
    lines = list(report_lines(metrics))
    start = next(
        i for i, line in enumerate(lines) if line.startswith("roles|tokens:gold")
    )
    assert lines[start + 1].split() == ["srl_p", "100.00"]
    assert ["ARG2", "100.00", "100.00", "100.00"] in [
        line.split() for line in lines[start:]
    ]
    assert (
        "roles" not in score_docs([doc(None)], [gold], COLLINS)
        and component is roles_of_gold
    )


def spacy_doc(sentence: PropsSentence) -> Doc:
    return doc(sentence.propositions, ["w"] * sentence.n_words)


@pytest.mark.parametrize("name", ["mild", "predicates"])
def test_equal_to_the_program(shared_dir, name):
    paths = [shared_dir / "srl_eval" / f"{name}.{side}" for side in ("pred", "gold")]
    pairs = list(zip(*map(read_props, paths), strict=True))
    complete = [
        all(
            "V" in {role for *_, role in one.args}
            for side in pair
            for one in side.propositions
        )
        for pair in pairs
    ]
    examples = [
        Example(*map(spacy_doc, pair))
        for pair, both in zip(pairs, complete, strict=True)
        if both
    ]
    found = score_roles(examples)
    counts = score_props(*reversed(paths))
    if all(complete):
        assert (found["srl_conll05_f"], found["srl_perfect"]) == (
            counts.overall().fscore,
            counts.perfect,
        )
        assert found["srl_f"] == counts.overall().fscore  # all predicates are gold
    else:
        assert (
            len(examples) > 490
            and found["srl_f"] < found["srl_conll05_f"] < found["srl_unlabeled_f"]
        )
