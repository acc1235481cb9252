"""The registered decoders: weights, long sentences, networks without spans or arcs."""

import numpy as np
import pytest

from spacy_lal.decode import cky, eisner, joint, mst
from spacy_lal.pipeline import decoders
from spacy_lal.pipeline.decoders import make_joint_decoder, make_separate_decoder
from spacy_lal.scores import ParserScores


def make_scores(n, seed=0, n_labels=5, n_deprels=3, given_head=True):
    rng = np.random.default_rng(seed)
    labels = rng.normal(size=(n + 1, n + 1, n_labels)).astype("f4")
    labels[:, :, 0] = 0.0
    shape = (n + 1, n + 1, n_deprels) if given_head else (n + 1, n_deprels)
    return ParserScores(
        labels,
        rng.normal(size=(n + 1, n + 1)).astype("f4"),
        rng.normal(size=shape).astype("f4"),
    )


def test_joint_weighs_the_two_trees():
    scores = make_scores(7)
    (parse,) = make_joint_decoder(constituency_weight=0.25, empty_nodes=False)([scores])
    _, spans, heads = joint(
        scores.labels * np.float32(0.25), scores.arcs * np.float32(0.75)
    )
    assert parse.spans.tolist() == spans[spans[:, 2] > 1].tolist()
    assert parse.heads.tolist() == heads[1:].tolist()
    expected = [
        scores.deprels[i + 1, head].argmax() for i, head in enumerate(parse.heads)
    ]
    assert parse.deprels.tolist() == expected


@pytest.mark.parametrize("given_head", [True, False])
def test_an_arc_counts_with_its_best_deprel(given_head):
    scores = make_scores(7, n_deprels=4, given_head=given_head)
    deprels = scores.deprels if given_head else scores.deprels[:, None]
    probabilities = np.exp(deprels) / np.exp(deprels).sum(axis=-1, keepdims=True)
    arcs = scores.arcs + 3.0 * np.log(probabilities.max(axis=-1))
    (expected,) = make_joint_decoder()([scores._replace(arcs=arcs.astype("f4"))])
    (plain,) = make_joint_decoder()([scores])
    (found,) = make_joint_decoder(deprel_weight=3.0)([scores])
    assert found.heads.tolist() == expected.heads.tolist()
    assert found.spans.tolist() == expected.spans.tolist()
    assert (found.heads.tolist() == plain.heads.tolist()) != given_head


def test_a_node_that_is_no_constituent_may_stay_empty():
    """Where all labels but the root's are unlikely, the root is the only constituent;
    the authors' decoder labels every whole subtree of the heads."""
    scores = make_scores(6)
    labels = np.full_like(scores.labels, -1.0)
    labels[..., 0] = 0.0
    labels[..., 3] = -0.5
    labels[0, 6, 2] = 1.0
    scores = scores._replace(labels=labels)
    (free,) = make_joint_decoder()([scores])
    (bound,) = make_joint_decoder(empty_nodes=False)([scores])
    assert free.spans.tolist() == [[0, 6, 2]]
    assert len(bound.spans) > 1 and {3} == {
        label for _, _, label in bound.spans.tolist()[1:]
    }


def test_a_sentence_of_one_word_is_a_constituent():
    """A title such as "Introduction"; the authors' decoder leaves it bare where no
    label is likely. `cky` gives it a label, too."""
    scores = make_scores(1)
    labels = np.full_like(scores.labels, -2.0)
    labels[..., 0] = 0.0
    labels[0, 1, 3] = -0.5
    scores = scores._replace(labels=labels)
    (free,) = make_joint_decoder()([scores])
    (bound,) = make_joint_decoder(empty_nodes=False)([scores])
    (separate,) = make_separate_decoder()([scores])
    assert free.spans.tolist() == separate.spans.tolist() == [[0, 1, 3]]
    assert bound.spans.tolist() == []


def test_a_clause_that_the_heads_contradict():
    """ "Let it die": both other words depend on the first, and are a clause."""
    scores = make_scores(3)
    arcs = np.full_like(scores.arcs, -9.0)
    arcs[[1, 2, 3], [0, 1, 1]] = 9.0
    labels = np.full_like(scores.labels, -1.0)
    labels[..., 0] = 0.0
    labels[0, 3, 2], labels[1, 3, 3], labels[0, 2, 3] = 2.0, 1.5, 1.2
    scores = scores._replace(arcs=arcs, labels=labels)
    (agreeing,) = make_joint_decoder()([scores])
    assert agreeing.spans.tolist() == [
        [0, 3, 2],
        [0, 2, 3],
    ] and agreeing.heads.tolist() == [0, 1, 1]
    scores.labels[0, 2, 3] = -1.0
    (agreeing,) = make_joint_decoder()([scores])
    assert agreeing.spans.tolist() == [[0, 3, 2]]
    (with_clause,) = make_joint_decoder(disagreement_cost=1.0)([scores])
    assert with_clause.spans.tolist() == [
        [0, 3, 2],
        [1, 3, 3],
    ] and with_clause.heads.tolist() == [0, 1, 1]
    (too_dear,) = make_joint_decoder(disagreement_cost=1.5)([scores])
    assert too_dear.spans.tolist() == agreeing.spans.tolist()


def crosses(a, b):
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


@pytest.mark.parametrize("n", [1, 2, 5, 9, 16])
@pytest.mark.parametrize("cost", [0.0, 0.5, 1.5])
def test_what_is_added_to_the_joint_tree(n, cost):
    scores = make_scores(n, seed=n)
    scores.labels[..., 2:] -= 1.0  # few constituents, and room for others
    weighed = scores.labels * np.float32(0.5)
    weighed[..., 1] = np.maximum(weighed[..., 1], 0.0)
    weighed[0, 1, 0] = -9.0 if n == 1 else 0.0  # the root has a label
    _, nodes, heads = joint(weighed, scores.arcs * np.float32(0.5))
    (parse,) = make_joint_decoder(disagreement_cost=cost)([scores])
    expected = [tuple(span) for span in nodes.tolist() if span[2] > 1]
    taken = {(i, j) for i, j, _ in nodes.tolist()}
    candidates = [
        (i, j) for i in range(n) for j in range(i + 1, n + 1) if (i, j) not in taken
    ]
    for i, j in sorted(candidates, key=lambda span: -scores.labels[span][2:].max()):
        if scores.labels[i, j, 2:].max() > cost and not any(
            crosses((i, j), span) for span in expected
        ):
            expected.append((i, j, int(scores.labels[i, j, 2:].argmax()) + 2))
    assert [tuple(span) for span in parse.spans.tolist()] == sorted(
        expected, key=lambda span: (span[0], -span[1])
    )
    assert parse.heads.tolist() == heads[1:].tolist() and parse.method == "joint"


@pytest.mark.parametrize("arcs,find_heads", [("eisner", eisner), ("mst", mst)])
def test_separate(arcs, find_heads):
    batch = [make_scores(n, seed=n) for n in (1, 6, 3)]
    for scores, parse in zip(batch, make_separate_decoder(arcs)(batch), strict=True):
        _, spans = cky(scores.labels)
        assert parse.spans.tolist() == spans[spans[:, 2] > 1].tolist()
        assert parse.heads.tolist() == find_heads(scores.arcs)[1:].tolist()


def test_long_sentences_are_decoded_separately(monkeypatch):
    batch = [make_scores(n, seed=n) for n in (3, 9, 4, 9)]
    joined = make_joint_decoder()(batch)
    monkeypatch.setattr(decoders, "MAX_JOINT_LENGTH", 4)
    with pytest.warns(UserWarning, match="more than 4 words"):
        parses = make_joint_decoder()(batch)
    separate = make_separate_decoder()(batch)
    for i in (1, 3):
        assert parses[i].heads.tolist() == separate[i].heads.tolist()
    for i in (0, 2):
        assert parses[i].heads.tolist() == joined[i].heads.tolist()


def test_networks_without_spans_or_without_arcs():
    scores = make_scores(4)
    (parse,) = make_joint_decoder()([scores._replace(labels=np.zeros((0, 0, 0), "f4"))])
    assert (
        len(parse.spans) == 0
        and parse.heads.tolist() == eisner(scores.arcs)[1:].tolist()
    )
    (parse,) = make_joint_decoder()([scores._replace(deprels=np.zeros((5, 0), "f4"))])
    _, spans = cky(scores.labels)
    assert parse.spans.tolist() == spans[spans[:, 2] > 1].tolist()


def test_bad_settings():
    nan = float("nan")
    for settings in ((2, None, 0), (0.5, -0.5, 0), (0.5, nan, 0), (0.5, None, nan)):
        weight, cost, of_deprels = settings
        expected = f"between 0 and 1, .* got {weight}, {cost} and {of_deprels}"
        with pytest.raises(ValueError, match=expected):
            make_joint_decoder(
                constituency_weight=weight,
                disagreement_cost=cost,
                deprel_weight=of_deprels,
            )
