"""Counts by label, of a treebank that is parsed with and without label heads."""

import pytest
from interpret.gold_docs import gold_docs, without_trees
from interpret.tiny_parser import tiny_nlp
from spacy.tokens import Doc, Span

from spacy_lal.interpret import AblatedTreebank, LabelCounts
from spacy_lal.interpret.label_counts import count_labels


def test_counts():
    trees = [{(0, 3, "S"), (0, 1, "NP"), (1, 3, "VP")}, {(0, 2, "NP")}, set()]
    found = [[(0, 3, "S"), (0, 1, "NP"), (1, 3, "S::VP")], [(0, 2, "VP")], [(0, 4, "S")]]
    counts = count_labels(trees, found)
    assert list(counts) == ["NP", "S", "VP", "S::VP"]
    assert counts["NP"] == LabelCounts(gold=2, predicted=1, correct=1)
    assert counts["S"] == (1, 1, 1) and counts["VP"] == (1, 1, 0) and counts["S::VP"] == (0, 1, 0)
    assert [counts[label].f for label in ("NP", "S", "VP")] == pytest.approx([2 / 3, 1.0, 0.0])
    assert LabelCounts(0, 0, 0).f == 0.0


def test_a_treebank_that_was_learned(nlp):
    golds = gold_docs(nlp)
    treebank = AblatedTreebank(nlp, [without_trees(nlp.vocab), *golds, Doc(nlp.vocab)])
    assert [(one.doc, len(one.words)) for one in treebank.parser.sentences] == [(0, 8), (1, 5)]
    assert treebank.trees[0] == {
        *{(0, 8, "S"), (0, 1, "NP"), (1, 7, "VP"), (2, 4, "NP"), (4, 7, "PP"), (5, 7, "NP")},
    }
    intact = treebank.count()
    assert intact["NP"].gold == 5 and next(iter(intact)) == "NP"
    found = treebank.parser.parse()
    assert sum(counts.predicted for counts in intact.values()) == sum(map(len, found))
    assert treebank.count(range(len(treebank.parser.names))) != intact


def test_a_sentence_without_a_tree_does_not_count(nlp):
    first, second = gold_docs(nlp)
    both = Doc.from_docs([first, second])
    both.spans["constituents"] = [Span(both, span.start, span.end, span.label) for span in first.spans["constituents"]]
    treebank = AblatedTreebank(nlp, [both])
    assert [bool(tree) for tree in treebank.trees] == [True, False]
    assert treebank.count() == AblatedTreebank(nlp, [first]).count()


def test_other_components_come_before_the_parser(nlp):
    """What they set, the parser may read; those that find sentences are set aside, the gold breaks stay."""
    piped = tiny_nlp(0)
    piped.add_pipe("sentencizer", first=True)
    piped.add_pipe("sentencizer", name="after")
    golds = gold_docs(piped)
    assert len(AblatedTreebank(piped, golds).trees) == 2
    assert piped.pipe_names == ["sentencizer", "lal_parser", "after"]


def test_no_gold_trees(nlp):
    with pytest.raises(ValueError, match="expected Docs with gold constituents .*, got 1 Docs without any"):
        AblatedTreebank(nlp, [without_trees(nlp.vocab)])


def test_models_without_label_attention():
    nlp = tiny_nlp(0, label_attention=False)
    with pytest.raises(ValueError, match="without label attention"):
        AblatedTreebank(nlp, gold_docs(nlp))
