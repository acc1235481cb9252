"""Trees from attention: against the golden file, against all cuts, and their baselines."""

import json
from dataclasses import replace

import numpy as np
import pytest

from spacy_lal.interpret.attention_trees import attention_tree, baseline_tree, gold_brackets, unlabelled_tree
from spacy_lal.metrics.evalb import score_parses
from spacy_lal.metrics.evalb_params import COLLINS
from spacy_lal.trees import parse_tree

VARIANTS = {
    "mean": ("mean", False),
    "sum": ("sum", False),
    "mean_renormalised": ("mean", True),
    "sum_renormalised": ("sum", True),
}


def test_golden_trees(data_dir):
    golden = json.loads((data_dir / "vectors_encoders" / "attention_trees.json").read_text())
    n_trees = 0
    for case in [*golden["cases"], *golden["ties"]]:
        for name, (score, renormalise) in VARIANTS.items():
            if name in case:
                found = attention_tree(np.array(case["attention"]), score=score, renormalise=renormalise)
                assert found == [tuple(span) for span in case[name]]
                n_trees += 1
    assert n_trees > 20


def block_attention(blocks):
    """Words that attend to their own block; START and STOP to themselves."""
    n = sum(blocks)
    block = np.repeat(np.arange(len(blocks)), blocks)
    weights = np.eye(n + 2)
    weights[1:-1, 1:-1] = (block[:, None] == block) + 0.01
    return weights[None]


def test_blocks_become_constituents():
    found = attention_tree(block_attention([3, 2, 4]))
    assert found[0] == (0, 9) and {(0, 3), (3, 5), (5, 9)} <= set(found)
    assert len(found) == 8  # a binary tree of nine words


def test_the_defaults_are_means_of_renormalised_rows():
    weights = np.random.default_rng(0).random((2, 9, 9))
    scaled = weights.mean(0, keepdims=True) * np.linspace(1.0, 5.0, 9)[:, None]
    assert attention_tree(scaled) == attention_tree(scaled / 7.0) == attention_tree(weights.mean(0, keepdims=True))
    assert attention_tree(weights) == attention_tree(weights, score="mean", renormalise=True)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_short_sentences(n):
    expected = [(0, 2)] if n == 2 else []
    assert attention_tree(np.ones((3, n + 2, n + 2))) == expected
    for kind in ("right", "left", "balanced", "random"):
        assert baseline_tree(n, kind) == expected


def test_rows_of_zeros_stay():
    assert attention_tree(np.zeros((1, 5, 5))) == [(0, 3), (1, 3)]


def test_baselines():
    assert baseline_tree(4, "right") == [(0, 4), (1, 4), (2, 4)]
    assert baseline_tree(4, "left") == [(0, 4), (0, 3), (0, 2)]
    assert baseline_tree(5, "balanced") == [(0, 5), (0, 3), (0, 2), (3, 5)]
    random = [baseline_tree(6, "random", seed=seed) for seed in range(20)]
    assert len({tuple(one) for one in random}) > 5 and all(len(one) == 5 for one in random)
    assert random[3] == baseline_tree(6, "random", seed=3)


def test_gold_brackets_collapse_unary_chains():
    tree = parse_tree("(ROOT (S (NP (NP (DT the) (NN dog))) (VP (VP (VBZ sleeps))) (. .)))")
    assert gold_brackets(tree) == [(0, 4), (0, 2)]


def test_unlabelled_trees_score_by_their_spans():
    tree = parse_tree("(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))")
    words, tags = tree.leaves(), [tag for _, tag in tree.pos()]
    gold = unlabelled_tree(words, tags, gold_brackets(tree))
    right = unlabelled_tree(words, tags, baseline_tree(5, "right"))
    counts, _ = score_parses([(gold, right)], replace(COLLINS, labeled=False))
    assert (counts.matched, counts.gold_brackets, counts.test_brackets) == (3, 4, 4)
    assert gold_brackets(gold) == gold_brackets(tree) == [(0, 5), (0, 2), (2, 5), (3, 5)]
    assert set(gold_brackets(right)) & set(gold_brackets(gold)) == {(0, 5), (2, 5), (3, 5)}
    alone = unlabelled_tree(["Go"], ["VB"], [])
    assert alone.label() == "TOP" and gold_brackets(alone) == []
    assert score_parses([(alone, alone)], COLLINS)[0].gold_brackets == 0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: attention_tree(np.ones((3, 4))), r"expected the shape \(n_heads, n \+ 2, n \+ 2\), got \(3, 4\)"),
        (lambda: attention_tree(np.ones((1, 3, 4))), r"got \(1, 3, 4\)"),
        (lambda: attention_tree(np.ones((1, 3, 3)), score="max"), "score: expected 'mean' or 'sum', got 'max'"),
        (lambda: baseline_tree(3, "up"), "expected one of right, left, balanced, random, got 'up'"),
    ],
)
def test_wrong_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
