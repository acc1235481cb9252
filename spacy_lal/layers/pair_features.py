"""Features of pairs of a predicate and a candidate for an argument, read from a parse,
after Gildea and Jurafsky (2002)
and Xue and Palmer (2004): paths in both trees, voice, distance, words. Each feature is
hashed to a row of one table (Weinberger et al. 2009), without a vocabulary. *Not* here:
the table, and Docs."""

from typing import NamedTuple, Tuple

import numpy as np
from numpy import ndarray

N_FEATURES = 18
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd: of the polynomial that hashes a path
_UP, _DOWN, _SIDE = (
    np.uint64(0xD1B54A32D192ED03),
    np.uint64(0x8CB92BA72F3D8DD7),
    np.uint64(0xAEF17502108EF2D9),
)
_MIX_1, _MIX_2 = (
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)  # splitmix64 (Steele et al. 2014)
_NEAR = 6  # distances and lengths up to here are told apart


class ParseArrays(NamedTuple):
    """The parse of one sentence of n words. Strings are 64-bit hashes. *Shapes:* (n,),
    (n_constituents, 2) or (n_constituents,). heads: The head of each word, from 0; a
    root is its own head. int64. words: Words as the features see them, for example
    their lemmas. is_passive: Whether a word has a passive subject or auxiliary.
    constituents: Start and end, half-open, each range once, int64; their `labels` are
    whole unary chains."""

    heads: ndarray
    deprels: ndarray
    tags: ndarray
    words: ndarray
    is_passive: ndarray
    constituents: ndarray
    labels: ndarray

    @property
    def n_words(self) -> int:
        """Number of words."""
        return len(self.heads)


class Candidates(NamedTuple):
    """The ranges of a sentence that may be arguments: constituents, single words and
    whole subtrees of heads. ranges: Start and end, half-open, sorted, each once.
    *Shape:* (n_candidates, 2), int64. heads: The word nearest to the root, the first of
    several. *Shape:* (n_candidates,), int64. features: Rows of the table. *Shape:*
    (n_predicates, n_candidates, N_FEATURES), int64."""

    ranges: ndarray
    heads: ndarray
    features: ndarray


def find_candidates(parse: ParseArrays, predicates: ndarray, n_rows: int) -> Candidates:
    """The candidates of a sentence, and the features of their pairs with its
    predicates."""
    n = parse.n_words
    if not n:
        nothing = np.zeros((0, 2), dtype=np.int64)
        return Candidates(
            nothing,
            nothing[:, 0],
            np.zeros((len(predicates), 0, N_FEATURES), dtype=np.int64),
        )
    ancestors = _ancestors(parse.heads)
    words = np.arange(n)
    subtrees = _subtrees(ancestors)
    every = [parse.constituents, np.stack([words, words + 1], axis=1), subtrees]
    # by a number for each range: rows are found far slower
    key = np.array([n + 1, 1])
    is_range, is_subtree = np.zeros((2, (n + 1) ** 2), dtype=bool)
    is_range[np.concatenate(every) @ key] = is_subtree[subtrees @ key] = True
    found = is_range.nonzero()[0]
    starts, ends = np.divmod(found, n + 1)
    ranges = np.stack([starts, ends], axis=1)
    inside = (starts[:, None] <= words) & (words < ends[:, None])
    depths = ancestors.sum(axis=1)
    heads = np.where(inside, depths * n + words, n * (n + 2)).argmin(axis=1)
    with np.errstate(over="ignore"):
        raw = _raw_features(
            parse, predicates, ranges, heads, ancestors, is_subtree[found]
        )
        features = _mixed(raw + np.arange(1, N_FEATURES + 1, dtype=np.uint64) * _SIDE)
    return Candidates(ranges, heads, (features % np.uint64(n_rows)).astype(np.int64))


def _ancestors(heads: ndarray) -> ndarray:
    """[word, ancestor], a word being its own ancestor. *Shape:* (n, n), bool."""
    n = len(heads)
    words = np.arange(n)
    found = np.zeros((n, n), dtype=bool)
    current = words
    for _ in range(n):
        found[words, current] = True
        above = heads[current]
        if (above == current).all():
            break
        current = above
    return found


def _subtrees(ancestors: ndarray) -> ndarray:
    """The range from the first to the last word of each word's subtree. *Shape:* (n,
    2)."""
    return np.stack(
        [ancestors.argmax(axis=0), len(ancestors) - ancestors[::-1].argmax(axis=0)],
        axis=1,
    )


def _raw_features(
    parse: ParseArrays,
    predicates: ndarray,
    ranges: ndarray,
    heads: ndarray,
    ancestors: ndarray,
    is_subtree: ndarray,
) -> ndarray:
    """The features before they are mixed. *Shape:* (n_predicates, n_candidates,
    N_FEATURES), uint64."""
    n, shape = parse.n_words, (len(predicates), len(ranges))
    starts, ends = ranges[:, 0], ranges[:, 1]
    p, verbs = predicates[:, None], predicates
    dep_path = _dependency_paths(parse, ancestors, verbs, heads)
    tree_path, up, down, above, own_label = _tree_paths(parse, verbs, ranges)
    is_constituent = own_label != 0
    own_label = np.where(
        is_constituent,
        own_label,
        np.where(ends - starts == 1, parse.tags[starts], np.uint64(1)),
    )
    after = starts > p
    side = after.astype(np.uint64)
    passive = parse.is_passive[verbs].astype(np.uint64)[:, None]
    distance = np.where(after, starts - p, ends - 1 - p)
    near = np.where(
        np.abs(distance) <= _NEAR,
        distance,
        np.sign(distance) * (_NEAR + np.abs(distance) // _NEAR),
    )
    lemma, tag, deprel = (
        parse.words[verbs][:, None],
        parse.tags[verbs][:, None],
        parse.deprels[verbs][:, None],
    )
    before = np.where(starts > 0, parse.words[starts - 1], np.uint64(1))
    next_word = np.where(ends < n, parse.words[np.minimum(ends, n - 1)], np.uint64(2))
    by_pair = [
        dep_path,
        tree_path,
        above * _UP + up * _DOWN + down,
        np.clip(near, -12, 12).astype(np.int64).view(np.uint64),
        (tag * _UP + passive) * _DOWN + side,
        (parse.deprels[heads] * _UP + deprel) * _DOWN + side,
        ((lemma * _UP + dep_path) * _DOWN + passive) * _SIDE + side,
    ]
    by_predicate = [deprel, lemma]
    by_candidate = [
        own_label,
        is_constituent.astype(np.uint64) * np.uint64(2) + is_subtree.astype(np.uint64),
        np.minimum(ends - starts, 15).astype(np.uint64),
        parse.deprels[heads],
        parse.tags[heads],
        parse.words[starts],
        parse.words[heads],
        before,
        next_word,
    ]
    raw = np.empty((*shape, N_FEATURES), dtype=np.uint64)
    for k, feature in enumerate([*by_pair, *by_predicate, *by_candidate]):
        raw[:, :, k] = feature
    return raw


def _mixed(values: ndarray) -> ndarray:
    """Every bit depends on every bit (splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * _MIX_1
    values = (values ^ (values >> np.uint64(27))) * _MIX_2
    return values ^ (values >> np.uint64(31))


def _dependency_paths(
    parse: ParseArrays, ancestors: ndarray, predicates: ndarray, heads: ndarray
) -> ndarray:
    """A hash of the deprels from each predicate up to the common ancestor and down to
    each candidate's head.
    *Shape:* (n_predicates, n_candidates)."""
    depths = ancestors.sum(axis=1)
    hashes = np.zeros(parse.n_words, dtype=np.uint64)
    for word in np.argsort(depths, kind="stable").tolist():
        head = parse.heads[word]
        hashes[word] = parse.deprels[word] + (
            hashes[head] * _BASE if head != word else np.uint64(0)
        )
    return _paths(ancestors[predicates], ancestors[heads], hashes, depths, heads)[0]


def _paths(
    over_predicates: ndarray,
    over_candidates: ndarray,
    hashes: ndarray,
    depths: ndarray,
    ends: ndarray,
) -> Tuple[ndarray, ndarray, ndarray]:
    """A hash of the path in a tree from each predicate up to the last common node and
    down to each candidate's node, and how many steps that is, up and down. *Shapes:*
    (n_predicates, n_candidates)."""
    powers = np.cumprod(
        np.concatenate([np.ones(1, "u8"), np.full(int(depths.max(initial=0)), _BASE)])
    )
    lowest = over_predicates.sum(axis=1)[:, None]
    # in whole numbers: on some processors OpenBLAS reports an invalid value for
    # products of these 0 and 1
    shared = over_predicates.astype(np.int64) @ over_candidates.T.astype(np.int64)
    # the hash at each depth of a predicate's own path
    chain = np.zeros((len(over_predicates), len(powers)), dtype=np.uint64)
    rows, above = over_predicates.nonzero()
    chain[rows, depths[above]] = hashes[above]
    at_shared = np.take_along_axis(chain, shared, axis=1)
    steps_up, steps_down = lowest - shared, depths[ends] - shared
    up = np.take_along_axis(chain, lowest, axis=1) - at_shared * powers[steps_up]
    down = hashes[ends] - at_shared * powers[steps_down]
    return (
        up * _UP + down * _DOWN,
        steps_up.astype(np.uint64),
        steps_down.astype(np.uint64),
    )


def _tree_paths(
    parse: ParseArrays, predicates: ndarray, ranges: ndarray
) -> Tuple[ndarray, ...]:
    """A hash of the labels from each predicate up to the smallest common constituent
    and down to each candidate's parent, *Shape:* (n_predicates, n_candidates); how many
    steps that is, up and down; the label of each candidate's parent and its own label,
    0 for none. *Shapes:* (n_candidates,)."""
    order = np.lexsort((-parse.constituents[:, 1], parse.constituents[:, 0]))
    spans, labels = parse.constituents[order], parse.labels[order]
    n_spans = len(spans)
    hashes, depths = (
        np.zeros(n_spans + 1, dtype=np.uint64),
        np.zeros(n_spans + 1, dtype=np.int64),
    )
    stack: list = [n_spans]  # the last one stands for "above the tree"
    bounds = spans.tolist()
    for i, (start, end) in enumerate(bounds):
        while stack[-1] != n_spans and not (
            bounds[stack[-1]][0] <= start and end <= bounds[stack[-1]][1]
        ):
            stack.pop()
        hashes[i], depths[i] = (
            hashes[stack[-1]] * _BASE + labels[i],
            depths[stack[-1]] + 1,
        )
        stack.append(i)
    holds = (spans[:, 0] <= ranges[:, :1]) & (ranges[:, 1:] <= spans[:, 1])
    same = holds & (spans[:, 0] == ranges[:, :1]) & (ranges[:, 1:] == spans[:, 1])
    own_label = np.where(
        same.any(axis=1),
        labels[same.argmax(axis=1)] if n_spans else np.uint64(0),
        np.uint64(0),
    )
    holds &= ~same
    parents = np.where(
        holds.any(axis=1),
        (holds * depths[:n_spans]).argmax(axis=1) if n_spans else 0,
        n_spans,
    )
    over = (spans[:, 0] <= predicates[:, None]) & (predicates[:, None] < spans[:, 1])
    path, steps_up, steps_down = _paths(over, holds, hashes, depths, parents)
    parent_labels = np.concatenate([labels, np.zeros(1, dtype=np.uint64)])[parents]
    return path, steps_up, steps_down, parent_labels, own_label
