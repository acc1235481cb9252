"""The best spans with roles against enumeration, against Viterbi, and with bonuses."""

import numpy as np
import pytest

from spacy_lal.decode import role_spans, viterbi

N_ROLES = 3  # V, ARG0, ARGM
ONCE = np.array([0, 1, -1])
OPENERS = np.array([-1, -1, 1, -1, 3, -1, 5])
ONCE_TAGS = np.array([-1, 0, -1, 1, -1, -1, -1])


def segmentations(n, start=0):
    """All lists of disjoint spans with roles."""
    if start == n:
        yield []
        return
    yield from segmentations(n, start + 1)
    for end in range(start + 1, n + 1):
        for rest in segmentations(n, end):
            for role in range(N_ROLES):
                yield [(start, end, role), *rest]


def score_of(spans, scores, bonus, verb):
    outside = set(range(len(scores))) - {i for start, end, _ in spans for i in range(start, end)}
    total = sum(float(scores[i, 0]) for i in outside)
    for start, end, role in spans:
        total += float(scores[start, 1 + 2 * role]) + float(scores[start + 1 : end, 2 + 2 * role].sum())
        if bonus is not None and role != verb:
            total += float(bonus[start, end])
    return total


@pytest.mark.parametrize("with_bonus", [False, True])
@pytest.mark.parametrize("with_once", [False, True])
@pytest.mark.parametrize("with_predicate", [False, True])
def test_against_enumeration(with_bonus, with_once, with_predicate):
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 4):
        for _ in range(5):
            scores = rng.normal(size=(n, 7)).astype("float32")
            bonus = rng.normal(size=(n + 1, n + 1)).astype("float32") if with_bonus else None
            predicate = int(rng.integers(n)) if with_predicate else -1
            verb = 0 if with_predicate else -1
            best = -np.inf
            for spans in segmentations(n):
                counted = [role for _, _, role in spans if ONCE[role] >= 0]
                if with_once and len(counted) > len(set(counted)):
                    continue
                if with_predicate and not any(s <= predicate < e and role == verb for s, e, role in spans):
                    continue
                best = max(best, score_of(spans, scores, bonus, verb))
            found, score = role_spans(scores, bonus, once=ONCE if with_once else None, predicates=predicate, verb=verb)
            assert score == pytest.approx(best, abs=1e-5)
            assert score_of(found, scores, bonus, verb) == pytest.approx(best, abs=1e-5)
            assert found == sorted(found)


def test_without_bonus_it_is_viterbi():
    rng = np.random.default_rng(6)
    scores = [rng.normal(size=(n, 7)).astype("float32") for n in (1, 7, 0, 40)]
    predicates = [0, 3, -1, 11]
    spans = role_spans(scores, once=ONCE, predicates=predicates, verb=0, n_threads=2)
    tags = viterbi(scores, OPENERS, once=ONCE_TAGS, predicates=predicates, verb=1)
    for (found, score), (expected, expected_score) in zip(spans, tags, strict=True):
        assert score == pytest.approx(expected_score, abs=1e-4)
        built = np.zeros(len(expected), dtype=int)
        for start, end, role in found:
            built[start:end] = 2 + 2 * role
            built[start] = 1 + 2 * role
        assert built.tolist() == expected.tolist()


def test_a_bonus_moves_an_end():
    scores = np.zeros((3, 7), dtype="float32")
    scores[:, 1:] = -1.0
    scores[0, 3] = scores[1, 4] = 2.0  # ARG0 at 0:2
    scores[2, 4] = -0.5
    bonus = np.zeros((4, 4), dtype="float32")
    assert role_spans(scores, bonus)[0] == [(0, 2, 1)]
    bonus[0, 3] = 1.0
    assert role_spans(scores, bonus)[0] == [(0, 3, 1)]
    bonus[:] = -np.inf
    assert role_spans(scores, bonus)[0] == []


SCORES = np.zeros((2, 7), dtype="float32")


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"scores": np.zeros((2, 6), "float32")}, "must have O, then B- and I- of each role, got 6 tags"),
        (
            {"scores": np.full((2, 7), np.nan, "float32")},
            r"scores must be finite or minus infinity, got nan at \[0, 0\]",
        ),
        ({"scores": np.full((2, 7), -np.inf, "float32")}, "no legal spans"),
        ({"bonus": np.zeros((2, 2), "float32")}, r"bonus must .* the shape \(3, 3\), got float32 \(2, 2\)"),
        ({"bonus": np.full((3, 3), np.nan, "float32")}, "bonus must be finite or minus infinity"),
        ({"once": [0, 1]}, "once must be 3 integers"),
        ({"predicates": 2, "verb": 0}, "predicates must be an integer .*, got 2"),
        ({"predicates": 0}, "verb must be an integer of 0 or more"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        role_spans(**{"scores": SCORES, **arguments})
