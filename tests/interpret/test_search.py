"""Constrained searches against the enumeration of every tree of at most five words."""

import numpy as np
import pytest
from decode.enumeration import binary_trees, dependency_trees, derivations, joint_labels

from spacy_lal.interpret.search import Search
from spacy_lal.pipeline.decoders import make_joint_decoder, make_separate_decoder
from spacy_lal.scores import ParserScores

DECODERS = {
    "joint": make_joint_decoder(),
    "joint, unequal weights": make_joint_decoder(constituency_weight=0.7, max_length=None),
    "joint, no empty nodes": make_joint_decoder(empty_nodes=False),
    "joint, too long": make_joint_decoder(max_length=0, long_sentences="mst"),
    "eisner": make_separate_decoder("eisner"),
    "mst": make_separate_decoder("mst"),
}


def make_scores(n, n_labels=5, n_deprels=3, seed=0):
    rng = np.random.default_rng([n, n_labels, seed])
    labels = rng.normal(size=(n + 1, n + 1, n_labels)).astype("f4")
    labels[:, :, 0] = 0.0
    arcs = rng.normal(size=(n + 1, n + 1)).astype("f4")
    return ParserScores(labels, arcs, np.zeros((n + 1, n_deprels), dtype="f4"))


def best_label(row, allowed, node, without):
    """The best score of a node's label, or minus infinity."""
    allowed = [y for y in allowed if (*node, y) != without]
    return max((float(row[y]) for y in allowed), default=-np.inf)


def enumerated_joint(scores, decoder, without_label=None, without_arc=None):
    labels = scores.labels * decoder.constituency_weight
    if decoder.empty_nodes:
        labels[..., 1] = np.maximum(labels[..., 1], 0)
    arcs = scores.arcs * (1 - decoder.constituency_weight)
    n, best = scores.n_tokens, -np.inf
    for tree in derivations(0, n):
        tree_arcs = [(tree.head, 0), *tree.arcs]
        if without_arc in tree_arcs:
            continue
        score = sum(float(arcs[arc]) for arc in tree_arcs)
        for node in tree.nodes:
            allowed = joint_labels(node, n, labels.shape[2])
            score += best_label(labels[node.start, node.end], allowed, (node.start, node.end), without_label)
        best = max(best, score)
    return best


def enumerated_spans(scores, without=None):
    n, n_labels = scores.n_tokens, scores.labels.shape[2]
    return max(
        sum(best_label(scores.labels[i, j], range(int(j - i == n), n_labels), (i, j), without) for i, j in tree)
        for tree in binary_trees(0, n)
    )


def enumerated_arcs(scores, projective, without=None):
    n = scores.n_tokens
    trees = [
        sum(float(scores.arcs[word, head]) for word, head in enumerate(heads, start=1))
        for heads in dependency_trees(n, projective).tolist()
        if without is None or heads[without[0] - 1] != without[1]
    ]
    return max(trees, default=-np.inf)


@pytest.mark.filterwarnings("ignore:a sentence has more than 0 words")
@pytest.mark.parametrize("n_labels", [3, 5])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", DECODERS)
def test_searches_find_what_enumeration_finds(name, n, n_labels):
    decoder = DECODERS[name]
    scores = make_scores(n, n_labels)
    search = Search(decoder, scores)
    (parse,) = decoder([scores])
    is_joint = name.startswith("joint") and name != "joint, too long"

    best, spans = search.best_spans()
    assert spans == [tuple(span) for span in parse.spans.tolist()]
    without = list(search.scores_without_labels(spans))
    expected = [enumerated_joint(scores, decoder, s) if is_joint else enumerated_spans(scores, s) for s in spans]
    assert without == pytest.approx(expected, abs=1e-5)
    assert best == pytest.approx(enumerated_joint(scores, decoder) if is_joint else enumerated_spans(scores), abs=1e-5)
    assert all(score <= best + 1e-5 for score in without)

    best, arcs = search.best_arcs()
    assert arcs == list(enumerate(parse.heads.tolist(), start=1))
    projective = name == "eisner"
    without = list(search.scores_without_arcs(arcs))
    expected = [
        enumerated_joint(scores, decoder, None, arc) if is_joint else enumerated_arcs(scores, projective, arc)
        for arc in arcs
    ]
    assert without == pytest.approx(expected, abs=1e-5)
    expected_best = enumerated_joint(scores, decoder) if is_joint else enumerated_arcs(scores, projective)
    assert best == pytest.approx(expected_best, abs=1e-5)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_constituents_that_the_heads_contradict(n):
    """Each adds its score less the cost, both weighed as labels are; without it, the tree is at most as good."""
    agreeing, decoder = make_joint_decoder(0.7), make_joint_decoder(0.7, disagreement_cost=0.4)
    scores = make_scores(n, seed=1)
    scores.labels[..., 2:] -= 1.0  # few constituents, and room for others
    search = Search(decoder, scores)
    best, spans = search.best_spans()
    (parse,) = decoder([scores])
    assert spans == [tuple(span) for span in parse.spans.tolist()]
    plain, without_them = Search(agreeing, scores).best_spans()
    added = [span for span in spans if span not in without_them]
    assert len(spans) == len(without_them) + len(added) and (added or n < 12)
    assert best == pytest.approx(plain + 0.7 * sum(scores.labels[span] - 0.4 for span in added), abs=1e-5)
    assert all(score < best + 1e-5 for score in search.scores_without_labels(added))
    assert search.best_arcs()[0] == pytest.approx(best, abs=1e-5)


def test_what_the_best_tree_has_not_is_no_loss():
    scores = make_scores(4)
    search = Search(DECODERS["joint"], scores)
    best, spans = search.best_spans()
    i, j, label = spans[0]
    other = 2 if label != 2 else 3
    assert list(search.scores_without_labels([(i, j, other)])) == [best]


def test_more_prohibitions_than_are_decoded_at_once(monkeypatch):
    scores = make_scores(12)
    search = Search(DECODERS["joint"], scores)
    _, spans = search.best_spans()
    at_once = list(search.scores_without_labels(spans))
    monkeypatch.setattr("spacy_lal.interpret.search.N_AT_ONCE", 3)
    assert list(search.scores_without_labels(spans)) == at_once
    assert len(list(search.scores_without_arcs(search.best_arcs()[1]))) == 12


@pytest.mark.parametrize("decoder", [DECODERS["joint"], DECODERS["eisner"]], ids=["joint", "separate"])
def test_networks_without_spans_or_arcs(decoder):
    scores = make_scores(4)
    only_arcs = scores._replace(labels=np.zeros((0, 0, 0), dtype="f4"))
    best, arcs = Search(decoder, only_arcs).best_arcs()
    assert best == pytest.approx(enumerated_arcs(scores, True), abs=1e-5) and len(arcs) == 4
    only_trees = scores._replace(deprels=np.zeros((5, 0), dtype="f4"))
    best, _ = Search(decoder, only_trees).best_spans()
    assert best == pytest.approx(enumerated_spans(scores), abs=1e-5)


def test_another_decoder_is_refused():
    with pytest.raises(ValueError, match="expected spacy-lal.joint_decoder.v1 or .*, got a function"):
        Search(lambda scores: [], make_scores(2))
