"""The best trees of parsed and unparsed sentences; the order itself is proved in
test_ranked_trees.py."""

import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc
from tiny_pipeline import make_examples

from spacy_lal.annotations import ContradictionError, constrain, get_constituents
from spacy_lal.interpret import (
    arc_margins,
    constituent_margins,
    iter_best_trees,
    k_best,
)

SEPARATE = {"@misc": "spacy-lal.separate_decoder.v1", "arcs": "mst"}
JOINT = {
    "@misc": "spacy-lal.joint_decoder.v1",
    "disagreement_cost": None,
    "deprel_weight": 0.0,
}
DECODERS = {
    "joint": None,
    "agreeing": JOINT,
    "deprels": {**JOINT, "deprel_weight": 2.0},
    "separate": SEPARATE,
}


def shown(doc):
    return [
        (span.start, span.end, span.label_) for span in doc.spans["constituents"]
    ], [(token.head.i, token.dep_) for token in doc]


@pytest.mark.parametrize("name", DECODERS)
def test_the_first_is_the_parse(name):
    nlp = tiny_nlp(12, decoder=DECODERS[name])
    doc = nlp(tiny_doc(nlp, space_after=3))
    for sent in doc.sents:
        trees = k_best(nlp, sent, k=6)
        assert len(trees) == 6 and trees[0].gap == 0.0
        assert [one.gap for one in trees] == sorted(one.gap for one in trees)
        assert [one.gap for one in trees] == pytest.approx(
            [trees[0].score - one.score for one in trees]
        )
        (parsed,) = [
            one for one in get_constituents(doc) if one == trees[0].parse.constituents
        ]
        words = [token for token in sent if not token.is_space]
        assert trees[0].heads == [token.head.i for token in words]
        assert trees[0].deprels == [token.dep_ for token in words]
        assert (
            trees[0].parse_string == sent._.parse_string
            and trees[0].tree == sent._.tree
        )
        assert len({(one.parse_string, tuple(one.heads)) for one in trees}) == 6
        if name == "separate":
            assert len({tuple(one.heads) for one in trees}) == 1
            assert trees[0].parse.method == "separate"
        # every margin is the gap to a tree that lacks the constituent
        smallest = min(one.margin for one in constituent_margins(nlp, sent))
        assert name == "joint" or smallest >= trees[1].gap - 1e-4


@pytest.mark.parametrize("name", ["joint", "agreeing", "separate"])
def test_a_parser_of_constituents_alone(name):
    nlp = tiny_nlp(12, decoder=DECODERS[name])
    nlp.get_pipe("lal_parser").dependencies = False
    doc = nlp(tiny_doc(nlp))
    for sent in doc.sents:
        best = k_best(nlp, sent, 2)
        assert (best[0].parse_string, best[0].parse.method) == (
            sent._.parse_string,
            "separate",
        )
        assert best[0].heads == [] and best[1].parse_string != sent._.parse_string
        margins = constituent_margins(nlp, sent)
        assert min(one.margin for one in margins) >= best[1].gap - 1e-4
    with pytest.raises(
        ValueError, match="sets no arcs: .* its option dependencies is false"
    ):
        arc_margins(nlp, doc)


@pytest.mark.parametrize("name", DECODERS)
def test_set_on_a_copy(name):
    nlp = tiny_nlp(12, decoder=DECODERS[name])
    doc = nlp(tiny_doc(nlp, space_after=3))
    before = shown(doc)
    assert shown(k_best(nlp, doc[0:2], 1)[0].to_doc()) == before
    second = k_best(nlp, doc[9:11], 2)[1]
    copied = second.to_doc()
    assert shown(doc) == before
    assert (
        list(copied.sents)[1]._.parse_string
        == second.parse_string
        != list(doc.sents)[1]._.parse_string
    )
    assert [token.head.i for token in copied[9:]] == second.heads
    assert [token.dep_ for token in copied[9:]] == second.deprels
    assert shown(copied)[1][:9] == before[1][:9]
    assert [sent._.parse_string for sent in copied.sents][0] == [
        sent._.parse_string for sent in doc.sents
    ][0]
    assert [sent._.parse_method for sent in copied.sents] == [
        sent._.parse_method for sent in doc.sents
    ]
    assert [sent.start for sent in copied.sents] == [0, 9]
    assert copied.to_bytes() and copied[4].head.i == 3  # whitespace


def test_changed_tokens_are_refused(nlp, doc):
    best = k_best(nlp, doc[0:1])[0]
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    with pytest.raises(ValueError, match="have changed: 'She sees a dog"):
        best.to_doc()
    assert best.parse_string.startswith("(")


def test_added_constituents_are_shown_and_not_counted():
    nlp = tiny_nlp(decoder={**JOINT, "disagreement_cost": 0.0})
    plain = tiny_nlp(decoder=JOINT)
    doc = tiny_doc(nlp, [1])
    with_added, without = k_best(nlp, doc, 15), k_best(plain, doc, 80)
    keys = [(one.parse_string, tuple(one.heads)) for one in with_added]
    assert len(set(keys)) == len(keys)
    by_score = {round(one.score, 10): one for one in without}
    assert len(by_score) == 80
    n_added = 0
    for one in with_added:
        joint = by_score[round(one.score, 10)]
        assert (
            set(joint.constituents) <= set(one.constituents)
            and joint.heads == one.heads
        )
        n_added += len(one.constituents) - len(joint.constituents)
    assert n_added


def test_under_constraints(nlp):
    doc = tiny_doc(nlp)
    constrain(doc, constituents=[(8, 10, "VP")], heads={8: 9})
    trees = k_best(nlp, doc[8:9], 8)
    assert len(trees) == 8
    assert all((8, 10, "VP") in one.constituents and one.heads[0] == 9 for one in trees)
    assert shown(trees[0].to_doc())[1][8:] == shown(nlp(doc.copy()))[1][8:]
    assert (
        k_best(nlp, doc[0:1], 3)[0].parse_string
        == k_best(nlp, tiny_doc(nlp)[0:1], 3)[0].parse_string
    )
    constrain(doc, constituents=[(8, 10, "VP"), (8, 10, "NP")])
    with pytest.raises(
        ContradictionError,
        match="no tree with all of them: doc.8:10.* VP; doc.8:10.* NP",
    ):
        k_best(nlp, doc[8:9])


def test_what_is_refused(nlp, doc):
    with pytest.raises(ValueError, match="expected one sentence, got a Doc with 2"):
        iter_best_trees(nlp, doc)
    with pytest.raises(ValueError, match="crosses a sentence boundary"):
        iter_best_trees(nlp, doc[7:11])
    with pytest.raises(ValueError, match="k: expected an integer of at least 1, got 0"):
        k_best(nlp, doc[0:1], 0)
    with pytest.raises(
        ValueError, match="k: expected at most 10,000, got 1000000000: iter_best_trees"
    ):
        k_best(nlp, doc[0:1], 10**9)
    with pytest.raises(ValueError, match="expected a Doc or a Span, got str"):
        iter_best_trees(nlp, "She sees.")
    assert k_best(nlp, Doc(nlp.vocab)) == []
    assert (
        k_best(nlp, Doc(nlp.vocab, words=[" ", "\n"], sent_starts=[True, False])) == []
    )


@pytest.mark.parametrize("missing", ["heads", "constituents"])
def test_a_parser_of_one_tree(missing):
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser")
    examples = make_examples(nlp)
    for eg in examples:
        if missing == "constituents":
            del eg.reference.spans["constituents"]
        else:
            eg.reference.from_array(
                ["HEAD", "DEP"], 0 * eg.reference.to_array(["HEAD", "DEP"])
            )
    nlp.initialize(lambda: examples)
    doc = tiny_doc(nlp, [1])
    if missing == "constituents":
        with pytest.raises(ValueError, match="scores no constituents"):
            k_best(nlp, doc)
    else:
        first, second = k_best(nlp, doc, 2)
        assert first.heads == [] and first.parse.heads is None and second.gap > 0
        assert first.to_doc()._.parse_string == nlp(doc)._.parse_string
