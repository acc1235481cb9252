"""Constrained decoding against the enumeration of every tree of at most five words."""

from typing import Any, Optional

import numpy as np
import pytest
from decode.enumeration import binary_trees, dependency_trees, derivations, joint_labels

from spacy_lal.annotations import (
    Constraint,
    HeadConstraint,
    SpanConstraint,
    contains_chain,
)
from spacy_lal.pipeline.constrained import allowed_cells
from spacy_lal.pipeline.decoders import (
    ChartDecoder,
    make_joint_decoder,
    make_separate_decoder,
)
from spacy_lal.scores import ParserScores

LABELS = ["", "<H>", "A", "B", "A::B"]
DECODERS = {
    "joint": make_joint_decoder(),
    "weight 0.7": make_joint_decoder(constituency_weight=0.7),
    "weight 1": make_joint_decoder(constituency_weight=1.0),
    "weight 0": make_joint_decoder(constituency_weight=0.0),
    "no empty nodes": make_joint_decoder(empty_nodes=False),
    "disagreeing": make_joint_decoder(disagreement_cost=0.1),
    "deprels": make_joint_decoder(deprel_weight=2.0),
    "eisner": make_separate_decoder("eisner"),
    "mst": make_separate_decoder("mst"),
}


def make_scores(n: int, seed: int) -> ParserScores:
    rng = np.random.default_rng([n, seed])
    labels = rng.normal(size=(n + 1, n + 1, len(LABELS))).astype("f4")
    labels[:, :, 0] = 0.0
    return ParserScores(
        labels,
        rng.normal(size=(n + 1, n + 1)).astype("f4"),
        np.zeros((n + 1, 3), dtype="f4"),
    )


def make_constraints(n: int, seed: int) -> list[Constraint]:
    """Some of each kind, which may contradict each other."""
    rng = np.random.default_rng([n, seed, 1])
    found: list[Constraint] = []
    for _ in range(rng.integers(1, 4)):
        start = int(rng.integers(n))
        end = int(rng.integers(start + 1, n + 1))
        label = ["", "", "A", "B", "A::B"][rng.integers(5)]
        found.append(SpanConstraint(start, end, label, bool(rng.integers(2))))
    for word in range(n):
        if rng.random() < 0.3:
            found.append(HeadConstraint(word, int(rng.integers(n))))
    return found


def allows(one: SpanConstraint, label: int) -> bool:
    has_label = label > 1 and contains_chain(LABELS[label], one.label)
    return has_label != one.forbidden


def best_labels_score(row, allowed: list[int], spans: list[SpanConstraint]) -> float:
    return max(
        (float(row[y]) for y in allowed if all(allows(one, y) for one in spans)),
        default=-np.inf,
    )


def label_score(labels, nodes, constraints, allowed_at) -> float:
    """The score of a binary tree's best labels that fulfil the constraints; minus
    infinity where none do."""
    known = [one for one in constraints if isinstance(one, SpanConstraint)]
    places = {(node[0], node[1]) for node in nodes}
    if any((one.start, one.end) not in places for one in known if not one.forbidden):
        return -np.inf
    score = 0.0
    for node in nodes:
        here = [one for one in known if (one.start, one.end) == (node[0], node[1])]
        score += best_labels_score(labels[node[0], node[1]], allowed_at(node), here)
    return score


def fits_heads(heads, constraints) -> bool:
    """heads: for each word from 1, its head."""
    known = [one for one in constraints if isinstance(one, HeadConstraint)]
    return all(
        heads[one.dependent + 1] == (0 if one.head == one.dependent else one.head + 1)
        for one in known
    )


def enumerated_joint(
    decoder: ChartDecoder, scores: ParserScores, constraints: list[Constraint]
) -> float:
    labels, arcs = decoder.charts(scores)[:2]
    n, best = scores.n_tokens, -np.inf
    for tree in derivations(0, n):
        heads = {**dict(tree.arcs), tree.head: 0}
        if fits_heads(heads, constraints):
            score = label_score(
                labels,
                tree.nodes,
                constraints,
                lambda node: joint_labels(node, n, len(LABELS)),
            )
            best = max(
                best,
                score + sum(float(arcs[word, head]) for word, head in heads.items()),
            )
    return best


def enumerated_spans(labels, constraints) -> float:
    n = labels.shape[0] - 1
    return max(
        label_score(
            labels,
            tree,
            constraints,
            lambda node: list(range(int(node[1] - node[0] == n), len(LABELS))),
        )
        for tree in binary_trees(0, n)
    )


def enumerated_heads(arcs, constraints, projective: bool) -> float:
    n = arcs.shape[0] - 1
    trees = [
        dict(enumerate(heads, start=1))
        for heads in dependency_trees(n, projective).tolist()
    ]
    fitting = [heads for heads in trees if fits_heads(heads, constraints)]
    return max(
        (
            sum(float(arcs[word, head]) for word, head in heads.items())
            for heads in fitting
        ),
        default=-np.inf,
    )


def found_scores(charts: Any, cells: Any) -> Optional[list[float]]:
    """The scores of what is found, in the unrestricted charts."""
    score, nodes, heads = charts.derive(cells)
    if score == -np.inf:
        return None
    words = np.arange(1, len(heads))
    return [
        float(charts.labels[tuple(nodes.T)].sum(dtype="f8")),
        float(charts.arcs[words, heads[1:]].sum(dtype="f8")),
    ]


def fulfils(parse: Any, constraints: list[Constraint]) -> bool:
    heads = {word: int(head) for word, head in enumerate(parse.heads, start=1)}
    spans = {(start, end): label for start, end, label in parse.spans.tolist()}
    of_spans = [one for one in constraints if isinstance(one, SpanConstraint)]
    return fits_heads(heads, constraints) and all(
        allows(one, spans.get((one.start, one.end), 0)) for one in of_spans
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", DECODERS)
def test_the_best_tree_that_fulfils_them(name: str, n: int):
    decoder = DECODERS[name]
    n_possible = 0
    for seed in range(25 if n < 5 else 8):
        scores, constraints = make_scores(n, seed), make_constraints(n, seed)
        cells = allowed_cells(constraints, n, LABELS)
        charts = decoder.charts(scores)
        found = found_scores(charts, cells)
        is_joint = charts.find_heads is None
        if is_joint:
            expected = [enumerated_joint(decoder, scores, constraints)]
            found = None if found is None else [sum(found)]
        else:
            expected = [
                enumerated_spans(charts.labels, constraints),
                enumerated_heads(charts.arcs, constraints, projective=name != "mst"),
            ]
        parse = next(decoder.ranked(scores, cells))
        if min(expected) == -np.inf:
            assert found is None and parse.score == -np.inf
            continue
        n_possible += 1
        assert found == pytest.approx(expected, abs=1e-5)
        assert fulfils(parse, constraints) and parse.score == pytest.approx(found[0])
        assert parse.method == ("joint" if is_joint else "separate")
        if not is_joint:
            assert parse.unranked == pytest.approx(found[1])
    assert n_possible > 2


@pytest.mark.parametrize("name", DECODERS)
def test_without_constraints_as_ever(name: str):
    scores = make_scores(5, 99)
    (expected,) = DECODERS[name]([scores])
    found = next(DECODERS[name].ranked(scores, allowed_cells([], 5, LABELS)))
    assert all(
        np.array_equal(x, y) for x, y in zip(found[:3], expected[:3], strict=True)
    )
