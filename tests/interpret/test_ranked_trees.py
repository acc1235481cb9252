"""The k best trees against the enumeration of every tree of at most five words."""

from itertools import islice, product

import numpy as np
import pytest
from decode.enumeration import binary_trees, derivations, joint_labels
from pipeline.test_constrained_decoding import (
    DECODERS,
    LABELS,
    allows,
    fits_heads,
    make_constraints,
    make_scores,
)

from spacy_lal.annotations import SpanConstraint
from spacy_lal.pipeline.charts import AllowedCells
from spacy_lal.pipeline.constrained import allowed_cells
from spacy_lal.pipeline.ranked_trees import RankedTrees, choices


def constituents(tree):
    """The label id of each constituent, by its span."""
    return {cell: label for cell, label in choices(tree).items() if cell[0] >= 0}


def labellings(labels, nodes, allowed_at):
    """Every choice of constituents on the nodes of a binary tree, with its score."""
    choices = []
    for node in nodes:
        start, end = node[0], node[1]
        allowed = allowed_at(node)
        empty = [float(labels[start, end, y]) for y in allowed if y < 2]
        some = [
            (float(labels[start, end, y]), ((start, end, y),))
            for y in allowed
            if y >= 2
        ]
        choices.append([*some, *([(max(empty), ())] if empty else [])])
    for chosen in product(*choices):
        yield (
            sum(score for score, _ in chosen),
            frozenset(span for _, spans in chosen for span in spans),
        )


def enumerated(charts):
    """The best score of every tree: its constituents, its heads."""
    n, n_labels = charts.labels.shape[0] - 1, charts.labels.shape[2]
    best = {}
    if charts.find_heads is None:
        for tree in derivations(0, n):
            heads = {**dict(tree.arcs), tree.head: 0}
            of_arcs = sum(float(charts.arcs[arc]) for arc in heads.items())
            key = tuple(heads[word] for word in range(1, n + 1))
            for score, spans in labellings(
                charts.labels, tree.nodes, lambda node: joint_labels(node, n, n_labels)
            ):
                best[spans, key] = max(best.get((spans, key), -np.inf), score + of_arcs)
    else:
        for nodes in binary_trees(0, n):
            for score, spans in labellings(
                charts.labels,
                nodes,
                lambda node: range(int(node[1] - node[0] == n), n_labels),
            ):
                best[spans, None] = max(best.get((spans, None), -np.inf), score)
    return best


def key_of(tree, is_joint):
    heads = tuple(tree.heads[1:].tolist()) if is_joint else None
    return frozenset(
        (*cell, label) for cell, label in constituents(tree).items()
    ), heads


@pytest.mark.parametrize("n, n_labels", [(1, 5), (2, 5), (3, 4), (4, 3), (5, 3)])
@pytest.mark.parametrize(
    "name", ["joint", "weight 0.7", "weight 0", "no empty nodes", "eisner"]
)
def test_every_tree_once_and_best_first(name, n, n_labels):
    for seed in range(3 if n < 3 else 1):
        scores = make_scores(n, seed)
        scores = scores._replace(
            labels=np.ascontiguousarray(scores.labels[..., :n_labels])
        )
        charts = DECODERS[name].charts(scores)
        expected = enumerated(charts)
        found = list(islice(RankedTrees(charts), 600 if n < 4 else 150))
        keys = [key_of(tree, charts.find_heads is None) for tree in found]
        assert len(set(keys)) == len(keys) == min(len(expected), 600 if n < 4 else 150)
        assert [tree.score for tree in found] == pytest.approx(
            [expected[key] for key in keys], abs=1e-5
        )
        in_order = sorted(expected.values(), reverse=True)[: len(found)]
        assert [tree.score for tree in found] == pytest.approx(in_order, abs=1e-5)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("name", ["joint", "no empty nodes", "eisner"])
def test_under_constraints(name, n):
    n_possible, n_labels = 0, 5 if n < 4 else 4
    for seed in range(8 if n < 4 else 3):
        scores, constraints = make_scores(n, seed), make_constraints(n, seed)
        scores = scores._replace(
            labels=np.ascontiguousarray(scores.labels[..., :n_labels])
        )
        charts = DECODERS[name].charts(scores)
        on_spans = [one for one in constraints if isinstance(one, SpanConstraint)]
        constraints = constraints if charts.find_heads is None else list(on_spans)
        fitting = {}
        for (spans, heads), score in enumerated(charts).items():
            labels = {(start, end): label for start, end, label in spans}
            if heads is None or fits_heads(
                dict(enumerate(heads, start=1)), constraints
            ):
                if all(
                    allows(one, labels.get((one.start, one.end), 0)) for one in on_spans
                ):
                    fitting[spans, heads] = score
        allowed = allowed_cells(constraints, n, LABELS[:n_labels])
        found = list(islice(RankedTrees(charts, allowed), 200))
        if not fitting:
            assert [tree.score for tree in found] == [-np.inf]
            continue
        keys = [key_of(tree, charts.find_heads is None) for tree in found]
        assert len(set(keys)) == len(keys) == min(len(fitting), 200)
        assert [tree.score for tree in found] == pytest.approx(
            [fitting[key] for key in keys], abs=1e-5
        )
        assert [tree.score for tree in found] == pytest.approx(
            sorted(fitting.values(), reverse=True)[:200], abs=1e-5
        )
        n_possible += 1
    assert n_possible


@pytest.mark.parametrize("n", [12])
@pytest.mark.parametrize("name", ["joint", "no empty nodes", "eisner"])
def test_longer_sentences(name, n):
    """Where nothing can be enumerated: the order, no tree twice, and the second best by
    excluding the best."""
    scores = make_scores(n, 7)
    charts = DECODERS[name].charts(scores)
    found = list(islice(RankedTrees(charts), 30))
    assert len({key_of(tree, charts.find_heads is None) for tree in found}) == 30
    assert [tree.score for tree in found] == sorted(
        (tree.score for tree in found), reverse=True
    )
    (parse,) = DECODERS[name]([scores])
    assert constituents(found[0]) == {
        (start, end): label for start, end, label in parse.spans.tolist()
    }
    second = -np.inf
    best, tree_heads = constituents(found[0]), found[0].heads
    for cell, label in best.items():
        second = max(second, decoded_without(charts, scores, cell, label=label))
    for cell in [
        (i, j) for i in range(n) for j in range(i + 1, n + 1) if (i, j) not in best
    ]:
        if n == 12:
            second = max(second, decoded_without(charts, scores, cell))
    if charts.find_heads is None:
        for word, head in enumerate(tree_heads[1:].tolist(), start=1):
            second = max(second, decoded_without(charts, scores, arc=(word, head)))
    if n == 12:
        assert found[1].score == pytest.approx(second, abs=1e-4)
    assert found[1].score >= second - 1e-4


def decoded_without(charts, scores, cell=None, label=None, arc=None) -> float:
    """The best score of a tree that lacks a label on a span, or an arc; without a
    label, that has a constituent on the span."""
    n = scores.n_tokens
    cells = AllowedCells.all(n, len(LABELS))
    if arc:
        cells.arcs[arc] = False
    elif label is not None:
        cells.labels[(*cell, label)] = False
    else:
        cells = allowed_cells([SpanConstraint(*cell)], n, LABELS)
    return charts.derive(cells).score
