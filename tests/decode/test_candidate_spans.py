"""The best candidate spans with roles against enumeration, and the checks of
arguments."""

from itertools import product

import numpy as np
import pytest

from spacy_lal.decode import candidate_spans

ONCE = np.array([0, 1, -1])


def best_of_all(gains, ranges, once):
    """The greatest sum over all choices of a role, or none, for each candidate."""
    best = 0.0
    for roles in product(range(-1, gains.shape[1]), repeat=len(ranges)):
        chosen = [k for k, role in enumerate(roles) if role >= 0]
        tokens = [i for k in chosen for i in range(*ranges[k])]
        counted = [once[roles[k]] for k in chosen if once[roles[k]] >= 0]
        if len(tokens) == len(set(tokens)) and len(counted) == len(set(counted)):
            best = max(best, float(sum(gains[k, roles[k]] for k in chosen)))
    return best


@pytest.mark.parametrize("with_once", [False, True])
def test_against_enumeration(with_once):
    rng = np.random.default_rng(3)
    once = ONCE if with_once else np.full(3, -1)
    for _ in range(60):
        n = int(rng.integers(1, 6))
        every = [(i, j) for i in range(n) for j in range(i + 1, n + 1)]
        kept = sorted(
            rng.choice(len(every), size=min(len(every), 5), replace=False).tolist()
        )
        ranges = np.array([every[k] for k in kept])
        gains = rng.normal(size=(len(ranges), 3)).astype("float32")
        gains[rng.random(gains.shape) < 0.1] = -np.inf
        found, score = candidate_spans(gains, ranges, n, once=once)
        assert score == pytest.approx(best_of_all(gains, ranges, once), abs=1e-5)
        places = {tuple(span): k for k, span in enumerate(ranges.tolist())}
        assert score == pytest.approx(
            sum(float(gains[places[s, e], role]) for s, e, role in found), abs=1e-5
        )
        assert found == sorted(found)
        assert all(a[1] <= b[0] for a, b in zip(found, found[1:], strict=False))
        counted = [once[role] for _, _, role in found if once[role] >= 0]
        assert len(counted) == len(set(counted))


def test_a_batch_is_its_items():
    rng = np.random.default_rng(4)
    lengths = [40, 0, 3, 200]
    every = [
        [(i, min(n, i + 1 + k)) for i in range(n) for k in range(3)] for n in lengths
    ]
    ranges = [np.array(one, dtype=int).reshape(-1, 2) for one in every]
    gains = [rng.normal(size=(len(one), 3)).astype("float32") for one in ranges]
    alone = [
        candidate_spans(*item, once=ONCE)
        for item in zip(gains, ranges, lengths, strict=True)
    ]
    assert candidate_spans(gains, ranges, lengths, once=ONCE) == alone
    assert alone[1] == ([], 0.0)


GAINS = np.ones((2, 3), dtype="float32")
RANGES = np.array([[0, 1], [1, 3]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"gains": GAINS.astype("float64")}, "gains must"),
        (
            {"gains": np.full((2, 3), np.nan, dtype="float32")},
            "gains must be finite or minus infinity",
        ),
        ({"ranges": RANGES[::-1]}, "ranges must be 2 ranges .* sorted by their starts"),
        ({"n_tokens": -1}, "n_tokens must be"),
        ({"once": [0, 1]}, "once must be 3 integers"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        candidate_spans(
            **{
                "gains": GAINS,
                "ranges": RANGES,
                "n_tokens": 3,
                "once": ONCE,
                **arguments,
            }
        )
