"""Viterbi against enumeration of all tag sequences: constraints, transitions, tags that
occur once, ties, errors."""

from itertools import product

import numpy as np
import pytest

from spacy_lal.decode import viterbi

# O, B-V, I-V, B-A0, I-A0, B-A1, I-A1
OPENERS = np.array([-1, -1, 1, -1, 3, -1, 5])
ONCE = np.array([-1, 0, -1, 1, -1, -1, -1])
VERB = 1


def is_legal(tags, openers, once, predicate):
    before = None
    for tag in tags:
        if (
            openers is not None
            and openers[tag] >= 0
            and before not in (openers[tag], tag)
        ):
            return False
        before = tag
    if predicate >= 0 and tags[predicate] not in (VERB, 2):
        return False
    counted = [] if once is None else [once[tag] for tag in tags if once[tag] >= 0]
    return len(counted) == len(set(counted))


def score_of(tags, scores, transitions):
    total = sum(float(scores[t, tag]) for t, tag in enumerate(tags))
    if transitions is not None:
        total += sum(
            float(transitions[a, b]) for a, b in zip(tags, tags[1:], strict=False)
        )
    return total


def enumerate_best(scores, openers, transitions, once, predicate):
    """The best score, and all best sequences."""
    legal = (tags for tags in product(range(scores.shape[1]), repeat=len(scores)))
    found = [
        (score_of(t, scores, transitions), t)
        for t in legal
        if is_legal(t, openers, once, predicate)
    ]
    best = max(score for score, _ in found)
    return best, [tags for score, tags in found if abs(score - best) < 1e-6]


@pytest.mark.parametrize("with_openers", [False, True])
@pytest.mark.parametrize("with_transitions", [False, True])
@pytest.mark.parametrize("with_once", [False, True])
@pytest.mark.parametrize("with_predicate", [False, True])
def test_against_enumeration(with_openers, with_transitions, with_once, with_predicate):
    rng = np.random.default_rng(7)
    for n in (1, 2, 3, 4):
        for _ in range(6):
            scores = rng.normal(size=(n, 7)).astype("float32")
            options = {
                "openers": OPENERS if with_openers else None,
                "transitions": rng.normal(size=(7, 7)).astype("float32")
                if with_transitions
                else None,
                "once": ONCE if with_once else None,
            }
            # without openers, the I- tag of the verb is not known as such
            predicate = int(rng.integers(n)) if with_predicate and with_openers else -1
            best, sequences = enumerate_best(
                scores, options["openers"], *list(options.values())[1:], predicate
            )
            tags, score = viterbi(scores, predicates=predicate, verb=VERB, **options)
            assert score == pytest.approx(best, abs=1e-6)
            assert tuple(tags.tolist()) in sequences


def test_ties_take_the_lowest_tag_last_and_before():
    tags, score = viterbi(np.zeros((3, 4), dtype="float32"))
    assert (tags.tolist(), score) == ([0, 0, 0], 0.0)
    # I-A (2) needs B-A (1) before it; both sequences 1 2 and 0 1 score 2: the lower
    # last tag wins
    scores = np.array([[1, 1, 0], [0, 1, 1]], dtype="float32")
    assert viterbi(scores, np.array([-1, -1, 1]))[0].tolist() == [0, 1]
    rng = np.random.default_rng(1)
    for _ in range(50):
        scores = rng.integers(0, 2, size=(4, 4)).astype("float32")
        transitions = rng.integers(0, 2, size=(4, 4)).astype("float32")
        _, sequences = enumerate_best(scores, None, transitions, None, -1)
        lowest = min(sequences, key=lambda tags: tags[::-1])
        assert viterbi(scores, transitions=transitions)[0].tolist() == list(lowest)


def test_an_illegal_tag_is_never_chosen_however_high():
    scores = np.full((4, 7), -1e30, dtype="float32")
    scores[:, [2, 4, 6]] = 1e30
    tags, _ = viterbi(scores, OPENERS, once=ONCE)
    assert is_legal(tags.tolist(), OPENERS, ONCE, -1)


def test_a_batch_is_its_sentences():
    rng = np.random.default_rng(3)
    scores = [rng.normal(size=(n, 7)).astype("float32") for n in (5, 1, 0, 30, 200)]
    predicates = [2, 0, -1, 29, 100]
    alone = [
        viterbi(one, OPENERS, once=ONCE, predicates=p, verb=VERB)
        for one, p in zip(scores, predicates, strict=True)
    ]
    batch = viterbi(scores, OPENERS, once=ONCE, predicates=predicates, verb=VERB)
    assert all(
        np.array_equal(a[0], b[0]) and a[1] == b[1]
        for a, b in zip(alone, batch, strict=True)
    )
    assert len(batch[2][0]) == 0


def test_golden_vectors(data_dir):
    with np.load(data_dir / "vectors_srl" / "f_viterbi.npz") as arrays:
        lengths = arrays["lengths"].tolist()
        for case in ("coarse_freq", "coarse_random", "fine_legal"):
            scores = [
                np.ascontiguousarray(one[:n])
                for one, n in zip(arrays[f"{case}/scores"], lengths, strict=True)
            ]
            for i, (tags, _) in enumerate(
                viterbi(scores, transitions=arrays[f"{case}/transitions"])
            ):
                assert tags.tolist() == arrays[f"{case}/tags"][i, : lengths[i]].tolist()


SCORES = np.zeros((2, 3), dtype="float32")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            {"scores": SCORES.astype("float64")},
            "scores must be a numpy array of float32 .*, got float64",
        ),
        (
            {"scores": np.full((2, 3), np.nan, "float32")},
            "scores must be finite or minus infinity",
        ),
        ({"scores": np.full((2, 3), -np.inf, "float32")}, "no legal sequence"),
        ({"openers": [-1, 3, -1]}, "openers must be 3 integers from -1 to 2, "),
        ({"once": [20, -1, -1]}, "once must be 3 integers from -1 to 19"),
        (
            {"transitions": np.zeros((2, 2), "float32")},
            r"transitions must .* the shape \(3, 3\)",
        ),
        (
            {"predicates": 2, "verb": 1},
            "predicates must be an integer of -1 or more and below 2, got 2",
        ),
        (
            {"scores": [SCORES], "predicates": [0, 1]},
            "predicates must be a list of 1 arrays",
        ),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        viterbi(**{"scores": SCORES, **arguments})
