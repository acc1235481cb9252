"""Candidates and features of pairs: against paths that are walked node by node."""

import numpy as np
import pytest

from spacy_lal.layers.pair_features import (
    N_FEATURES,
    REACH,
    ParseArrays,
    find_candidates,
)

RNG = np.random.default_rng(0)
DISTANCE = 3  # the place of this feature
# Sums of the rows of each feature of a parse.
PINNED = [
    258280,
    262920,
    329126,
    213945,
    227430,
    300591,
    289528,
    78460,
    168056,
    260454,
    315247,
    69356,
    244302,
    220238,
    285161,
    239124,
    274760,
    273065,
]
NAMES = {
    name: np.uint64(value) for value, name in enumerate(["a", "b", "c", "d"], start=7)
}


def parse_of(heads, spans, labels=None, deprels=None, commas=()):
    n = len(heads)
    ids = np.arange(1, n + 1, dtype=np.uint64)
    return ParseArrays(
        heads=np.array(heads, dtype=np.int64),
        deprels=ids
        if deprels is None
        else np.array([NAMES[one] for one in deprels], dtype=np.uint64),
        tags=ids,
        words=ids,
        is_passive=np.zeros(n, dtype=bool),
        is_comma=np.isin(np.arange(n), commas),
        constituents=np.array(spans, dtype=np.int64).reshape(-1, 2),
        labels=np.array(
            [NAMES[one] for one in labels or "a" * len(spans)], dtype=np.uint64
        ),
    )


def features_of(found, span):
    """The features of a range with the first predicate."""
    (number,) = (found.ranges == span).all(axis=1).nonzero()[0]
    (row,) = (found.pairs == [0, number]).all(axis=1).nonzero()[0]
    return found.features[row]


def test_candidates():
    # the old house fell : "house" has two dependents, "fell" is the root
    parse = parse_of([2, 2, 3, 3], [(0, 4), (0, 3), (3, 4)])
    found = find_candidates(parse, np.array([3]), 1000)
    assert found.ranges.tolist() == [[0, 1], [0, 3], [0, 4], [1, 2], [2, 3], [3, 4]]
    assert found.heads.tolist() == [0, 2, 3, 1, 2, 3]
    # all but "fell" itself and the whole sentence
    assert found.pairs.tolist() == [[0, 0], [0, 1], [0, 3], [0, 4]]
    assert found.features.shape == (4, N_FEATURES)
    assert found.features.min() >= 0
    assert found.features.max() < 1000


def test_candidates_do_not_end_with_a_comma():
    """(S (NP (NP Anna) , (NP a friend) ,) (VP left)): both commas depend on
    "friend"."""
    spans = [(0, 6), (0, 5), (0, 1), (2, 4), (5, 6)]
    parse = parse_of([5, 3, 3, 0, 3, 5], spans, commas=[1, 4])
    found = find_candidates(parse, np.array([5]), 1000)
    ranges = found.ranges.tolist()
    assert [0, 4] in ranges and [0, 5] not in ranges  # "Anna, a friend"
    assert [1, 4] in ranges and [1, 5] not in ranges  # the subtree of "friend"
    assert [1, 2] in ranges and [4, 5] in ranges  # a comma alone stays a word
    # The phrase is a constituent with its label, as it is without a comma.
    plain = parse_of([4, 3, 3, 0, 4], [(0, 5), (0, 4), (0, 1), (2, 4), (4, 5)])
    plain = plain._replace(tags=parse.tags[:5], words=parse.words[:5])
    own_label = 9
    of_phrase = features_of(found, [0, 4])[own_label]
    others = find_candidates(plain, np.array([4]), 1000)
    assert of_phrase == features_of(others, [0, 4])[own_label]


def dependency_path(parse, word, other):
    def up(i):
        chain = [i]
        while parse.heads[chain[-1]] != chain[-1]:
            chain.append(int(parse.heads[chain[-1]]))
        return chain

    first, second = up(word), up(other)
    shared = [i for i in first if i in second]
    above = first[: first.index(shared[0])] if shared else first
    below = second[: second.index(shared[0])] if shared else second
    return tuple(int(parse.deprels[i]) for i in above), tuple(
        int(parse.deprels[i]) for i in below
    )


def tree_path(parse, word, span):
    spans = sorted(parse.constituents.tolist(), key=lambda one: one[1] - one[0])
    label = {
        tuple(one): int(parse.labels[k])
        for k, one in enumerate(parse.constituents.tolist())
    }
    over_word = [tuple(one) for one in spans if one[0] <= word < one[1]]
    over_span = [
        tuple(one)
        for one in spans
        if one[0] <= span[0] and span[1] <= one[1] and tuple(one) != span
    ]
    shared = [one for one in over_word if one in over_span]
    first = over_word[: over_word.index(shared[0])] if shared else over_word
    second = over_span[: over_span.index(shared[0])] if shared else over_span
    return tuple(label[one] for one in first), tuple(label[one] for one in second)


def random_parse(n):
    heads = [0, *(int(RNG.integers(i)) for i in range(1, n))]
    spans = {(0, n)}
    stack = [(0, n)]
    while stack:
        start, end = stack.pop()
        if end - start > 1:
            middle = int(RNG.integers(start + 1, end))
            for child in ((start, middle), (middle, end)):
                if child[1] - child[0] > 1 or RNG.random() < 0.5:
                    spans.add(child)
                stack.append(child)
    kept = [span for span in sorted(spans) if span == (0, n) or RNG.random() < 0.7]
    names = list(NAMES)
    labels = [names[i] for i in RNG.integers(len(names), size=len(kept))]
    return parse_of(
        heads, kept, labels, [names[i] for i in RNG.integers(len(names), size=n)]
    )


@pytest.mark.parametrize(("feature", "path"), [(0, dependency_path), (1, tree_path)])
def test_two_pairs_have_the_same_path_feature_where_their_paths_are_equal(
    feature, path
):
    seen = {}
    n_rows = 2**62  # no collisions
    for n in (1, 2, 5, 9, 12):
        for _ in range(4):
            parse = random_parse(n)
            predicates = np.arange(n)
            found = find_candidates(parse, predicates, n_rows)
            for (p, k), features in zip(
                found.pairs.tolist(), found.features, strict=True
            ):
                end = found.heads[k] if feature == 0 else tuple(found.ranges[k])
                value = int(features[feature])
                assert seen.setdefault(path(parse, p, end), value) == value
    assert len(set(seen.values())) == len(seen) > 50


def test_without_constituents_and_without_predicates():
    parse = parse_of([0, 0, 1], [])
    nobody = np.zeros(0, dtype=np.int64)
    found = find_candidates(parse, np.array([1]), 50)
    assert found.ranges.tolist() == [[0, 1], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert found.pairs.tolist() == [[0, 0], [0, 4]]
    found = find_candidates(parse, nobody, 50)
    assert len(found.ranges) == 5 and found.features.shape == (0, N_FEATURES)


def test_candidates_that_are_too_far_away():
    """The nearest word counts: a candidate of many words may reach further."""
    n = 2 * REACH + 10
    predicate = REACH + 5
    before = (0, predicate - REACH + 1)  # ends at the last word within reach
    parse = parse_of([predicate] * n, [before, (0, 3)])
    found = find_candidates(parse, np.array([predicate]), 50)
    near = [tuple(found.ranges[c]) for _, c in found.pairs]
    words = [i for i in range(n) if i != predicate and abs(i - predicate) <= REACH]
    assert near == [before, *((i, i + 1) for i in words)]


def test_distances_that_are_told_apart():
    """Up to six words exactly, then by sixes, up to twelve kinds."""
    n = 80
    parse = parse_of([0] * n, [])
    predicate = 40
    found = find_candidates(parse, np.array([predicate]), 2**40)
    distances = found.ranges[found.pairs[:, 1], 0] - predicate
    kinds = dict(zip(distances.tolist(), found.features[:, DISTANCE], strict=True))
    exact = [kinds[d] for d in range(-6, 7) if d]
    assert len(set(exact)) == 12
    assert kinds[7] == kinds[11] != kinds[6]
    assert kinds[12] == kinds[17] != kinds[11]
    assert kinds[24] == kinds[29] != kinds[30]
    assert kinds[-24] == kinds[-29] != kinds[-30]


def test_shipped_weights_read_these_rows():
    """A weight of a shipped table belongs to a row of these numbers: any change of the
    features needs a new training."""
    spans = [(0, 12), (0, 3), (3, 12), (4, 12), (5, 7), (7, 12), (8, 12)]
    heads = [2, 2, 3, 3, 3, 6, 4, 4, 9, 7, 9, 10]
    parse = parse_of(heads, spans, labels="abcdabc", deprels="abcdabcdabcd")
    parse = parse._replace(is_passive=parse.words % 3 == 0)
    found = find_candidates(parse, np.array([3, 10]), 16384)
    assert found.features.shape == (30, N_FEATURES)
    assert found.features.sum(axis=0).tolist() == PINNED
