"""Probing tasks: instances and labels, against the golden file and their definitions."""

import json
import random
from collections import Counter

import pytest

from spacy_lal.interpret.probing import (
    LENGTHS,
    OTHER,
    bigram_shift_places,
    draw_reordering,
    probing_instances,
    reorder,
    shift_bigram,
    top_classes,
    top_constituents,
    tree_depth,
)
from spacy_lal.trees import parse_tree, read_brackets


def test_golden_instances(data_dir):
    golden = json.loads((data_dir / "vectors_encoders" / "probing.json").read_text())
    for item in golden["items"]:
        tree = parse_tree(item["tree"])
        words, tags = tree.leaves(), [tag for _, tag in tree.pos()]
        assert tree_depth(tree) == item["tree_depth"]
        assert top_constituents(tree) == item["top_constituents"]
        places = bigram_shift_places(words, tags)
        assert places == item["bigram_shift_places"]
        assert [shift_bigram(words, place) for place in places] == item["bigram_shifted"]
        for told in item["reordered"]:
            moved = reorder(words, told["popped"], told["inserted"])
            assert moved == (told["words"], told["label_inserted"], told["label_original"])


@pytest.mark.parametrize("popped, inserted", [(o, i) for o in range(5) for i in range(5) if o != i])
def test_the_labels_of_a_reordering_point_into_the_new_sentence(popped, inserted):
    words = list("abcdef")
    moved = reorder(words, popped, inserted)
    assert moved.words[moved.inserted] == words[popped]
    assert moved.words[moved.original] == words[popped + 1]  # the token that used to follow
    assert sorted(moved.words) == words


def test_drawn_reorderings():
    generator, words = random.Random(0), list("abcdef")
    drawn = [draw_reordering(words, generator) for _ in range(300)]
    assert all(one.words[-1] == "f" and one.words != words for one in drawn)
    assert {(words.index(one.words[one.inserted]), one.inserted) for one in drawn} == {
        (o, i) for o in range(5) for i in range(5) if abs(o - i) > 1
    }
    near = [draw_reordering(words, generator, adjacent=True) for _ in range(300)]
    assert len({(words.index(one.words[one.inserted]), one.inserted) for one in near}) == 20
    assert draw_reordering(["a", "b"], generator) is None


def test_no_bigram_beside_punctuation_or_at_the_start():
    words = ["He", "said", ":", "go", "home", "-", "now", "."]
    tags = ["PRP", "VBD", ":", "VB", "NN", "HYPH", "RB", "."]
    assert bigram_shift_places(words, tags) == [3]
    assert bigram_shift_places(['"', *words], ["``", *tags]) == []
    assert bigram_shift_places([], []) == [] and bigram_shift_places(["Go"], ["VB"]) == []


def make_trees():
    noun = "(NP (DT a) (NN dog))"
    depth5 = f"(S {noun} (VP (VBD saw) (NP {noun} (PP (IN in) {noun}))) (. .))"
    texts = [f"(S {noun} (VP (VBD sat)) (. .))", depth5, f"(SQ (VBZ is) {noun} (ADJP (JJ old) (CC or) (JJ new)) (. ?))"]
    texts += [f"(S (NP (NNP Al)) (, ,) {noun} (VP (VBD sat)) (. .))", "(INTJ (UH yes) (. .))"]
    return [parse_tree(text) for text in texts]


def test_instances_of_each_task():
    trees = make_trees() * 10
    lengths = [len(tree.leaves()) for tree in trees]
    for task in LENGTHS:
        found = probing_instances(trees, task, seed=3)
        assert found and found == probing_instances(trees, task, seed=3)
        assert all(lengths[one.sentence] in LENGTHS[task] for one in found)
        assert [one.sentence for one in found] == sorted({one.sentence for one in found})
    shifts = probing_instances(trees, "bigram_shift")
    assert Counter(one.label for one in shifts)[1] == (len(shifts) + 1) // 2
    for one in shifts:
        assert (one.words == trees[one.sentence].leaves()) is (one.label == 0)
    assert {one.label for one in probing_instances(trees, "tree_depth")} == {6}
    assert {one.label for one in probing_instances(trees, "top_constituents")} == {"NP_VP_.", "VBZ_NP_ADJP_."}
    assert {one.label for one in probing_instances(trees, "top_constituents", classes=["NP_VP_."])} == {
        "NP_VP_.",
        OTHER,
    }
    for one in probing_instances(trees, "reordering"):
        assert one.words != trees[one.sentence].leaves() and len(one.label) == 2
    with pytest.raises(ValueError, match="expected one of bigram_shift, .*, got 'tense'"):
        probing_instances(trees, "tense")


def test_the_most_frequent_classes():
    trees = make_trees()
    found = probing_instances([*trees, trees[0], trees[1]], "top_constituents")
    assert top_classes(found) == ["NP_VP_.", "VBZ_NP_ADJP_."]


def test_counts_of_a_treebank(shared_dir):
    """The numbers of eligible sentences in reference-encoders.md B8."""
    trees = list(read_brackets(shared_dir / "ewt" / "dev.ptb"))
    counts = {task: len(probing_instances(trees, task)) for task in LENGTHS}
    assert (counts["bigram_shift"], counts["top_constituents"], counts["reordering"]) == (1273, 897, 1404)
