"""Features of pairs of a predicate and a candidate for an argument, read from a parse,
after Gildea and Jurafsky (2002) and Xue and Palmer (2004): paths in both trees, voice,
distance, words. Each feature is hashed to a row of one table (Weinberger et al. 2009),
without a vocabulary. Shipped weights depend on all constants. *Not* here: the table,
and Docs."""

from typing import NamedTuple

import numpy as np
from numpy import ndarray

N_FEATURES = 18
_BASE = 0x9E3779B97F4A7C15  # odd: of the polynomial that hashes a path
_UP = 0xD1B54A32D192ED03
_DOWN = 0x8CB92BA72F3D8DD7
_SIDE = 0xAEF17502108EF2D9
_MIX_1 = 0xBF58476D1CE4E5B9  # splitmix64 (Steele et al. 2014)
_MIX_2 = 0x94D049BB133111EB
# The longest distance between a predicate and a candidate. Farther ones are not scored:
# so the cost of a word does not grow with the length of its sentence.
REACH = 30
_NEAR = 6  # distances up to here are told apart
_MAX_DISTANCE = 12  # the largest distance, after those beyond `_NEAR` are rounded
_MAX_LENGTH = 15  # words of a candidate
_NO_CONSTITUENT = 1  # the label of a range of words that is none
_BEFORE = 1  # the word before a sentence
_AFTER = 2  # the word after a sentence


class ParseArrays(NamedTuple):
    """The parse of one sentence of n words. Strings are 64-bit hashes.
    heads (ndarray): The head of each word, from 0; a root is its own head. Shape: (n,),
        int64.
    deprels, tags (ndarray): Of each word. Shape: (n,).
    words (ndarray): Words as the features see them, for example their lemmas. Shape:
        (n,).
    is_passive (ndarray): Whether a word has a passive subject or auxiliary. Shape:
        (n,), bool.
    is_comma (ndarray): Whether a word is a comma. Shape: (n,), bool.
    constituents (ndarray): Start and end, half-open, each range once. Shape:
        (n_constituents, 2), int64.
    labels (ndarray): Their whole unary chains. Shape: (n_constituents,)."""

    heads: ndarray
    deprels: ndarray
    tags: ndarray
    words: ndarray
    is_passive: ndarray
    is_comma: ndarray
    constituents: ndarray
    labels: ndarray

    @property
    def n_words(self) -> int:
        """Number of words."""
        return len(self.heads)

    def without_last_commas(self, ranges: ndarray) -> ndarray:
        """Ranges without commas at their ends: no argument ends with one. *Shapes:*
        (n_ranges, 2)."""
        fenceposts = np.arange(self.n_words + 1)
        is_end = np.append(True, ~self.is_comma)
        last_ends = np.maximum.accumulate(np.where(is_end, fenceposts, 0))
        starts, ends = ranges.T
        return np.stack([starts, np.maximum(last_ends[ends], starts + 1)], axis=1)


class Candidates(NamedTuple):
    """The ranges of a sentence that may be arguments: constituents, single words and
    whole subtrees of heads, without commas at their ends; and their pairs with
    predicates.

    ranges: Start and end, half-open, sorted, each once. *Shape:* (n_candidates, 2),
        int64.
    heads: The word nearest to the root, the first of several. *Shape:* (n_candidates,),
        int64.
    pairs: The number of a predicate, and of a candidate that does not hold it and is at
        most `REACH` words away; sorted. *Shape:* (n_pairs, 2), int64.
    features: Rows of the table. *Shape:* (n_pairs, N_FEATURES), int64."""

    ranges: ndarray
    heads: ndarray
    pairs: ndarray
    features: ndarray


def find_candidates(parse: ParseArrays, predicates: ndarray, n_rows: int) -> Candidates:
    """The candidates of a sentence with words, and the features of their pairs with its
    predicates."""
    ancestors = _ancestors(parse.heads)
    subtrees = parse.without_last_commas(_subtrees(ancestors))
    constituents = parse.without_last_commas(parse.constituents)
    parse = parse._replace(constituents=constituents)
    ranges, is_subtree = _ranges(parse, subtrees)
    heads = _heads(ancestors, ranges)
    distances = _distances(predicates, ranges)
    pairs = np.argwhere((distances != 0) & (np.abs(distances) <= REACH))
    f, c = pairs.T
    with np.errstate(over="ignore"):
        dep_path = _dependency_paths(parse, ancestors, predicates, heads, pairs)
        tree_path, steps, label = _tree_paths(parse, predicates, ranges, pairs)
        start, end = ranges[c].T
        columns = _features(
            parse,
            predicates[f],
            start,
            end,
            heads[c],
            distances[f, c],
            (dep_path, tree_path, steps),
            (label, is_subtree[c]),
        )
        raw = np.stack([column.astype(np.uint64) for column in columns], axis=1)
        kinds = np.arange(1, N_FEATURES + 1, dtype=np.uint64)
        mixed = _mixed(raw + kinds * _SIDE)
    rows = (mixed % np.uint64(n_rows)).astype(np.int64)
    return Candidates(ranges, heads, pairs, rows)


def _distances(predicates: ndarray, ranges: ndarray) -> ndarray:
    """From each predicate to the nearest word of each range, negative before it, 0
    within. *Shape:* (n_predicates, n_ranges)."""
    word = predicates[:, None]
    to_start = ranges[:, 0] - word
    to_last = ranges[:, 1] - 1 - word
    return np.where(to_start > 0, to_start, np.minimum(to_last, 0))


def _ranges(parse: ParseArrays, subtrees: ndarray) -> tuple[ndarray, ndarray]:
    """The candidates, and which of them are subtrees. *Shapes:* (n_candidates, 2),
    (n_candidates,).

    A range is the number `start * (n + 1) + end`: unique rows are found far slower."""
    side = parse.n_words + 1
    words = np.arange(parse.n_words)
    key = np.array([side, 1])
    is_subtree = np.zeros(side**2, dtype=bool)
    is_subtree[subtrees @ key] = True
    is_range = is_subtree.copy()
    is_range[parse.constituents @ key] = True
    is_range[words * side + words + 1] = True
    numbers = is_range.nonzero()[0]
    starts, ends = np.divmod(numbers, side)
    return np.stack([starts, ends], axis=1), is_subtree[numbers]


def _heads(ancestors: ndarray, ranges: ndarray) -> ndarray:
    """The word of each range that is nearest to the root, the first of several.
    *Shape:* (n_ranges,)."""
    n = len(ancestors)
    words = np.arange(n)
    depths = ancestors.sum(axis=1)
    is_inside = (ranges[:, :1] <= words) & (words < ranges[:, 1:])
    outside = n * (n + 2)  # more than any word's number
    return np.where(is_inside, depths * n + words, outside).argmin(axis=1)


def _ancestors(heads: ndarray) -> ndarray:
    """[word, ancestor], a word being its own ancestor. *Shape:* (n, n), bool."""
    n = len(heads)
    words = np.arange(n)
    ancestors = np.zeros((n, n), dtype=bool)
    current = words
    for _ in range(n):
        ancestors[words, current] = True
        above = heads[current]
        if (above == current).all():
            break
        current = above
    return ancestors


def _subtrees(ancestors: ndarray) -> ndarray:
    """The range from the first to the last word of each word's subtree. *Shape:* (n,
    2)."""
    firsts = ancestors.argmax(axis=0)
    lasts = len(ancestors) - ancestors[::-1].argmax(axis=0)
    return np.stack([firsts, lasts], axis=1)


def _features(
    parse: ParseArrays,
    predicate: ndarray,
    start: ndarray,
    end: ndarray,
    head: ndarray,
    distance: ndarray,
    paths: tuple[ndarray, ...],
    kind: tuple[ndarray, ndarray],
) -> list[ndarray]:
    """The features of pairs before they are mixed. kind: The candidates' own labels, 0
    for none, and whether they are subtrees. *Shapes of all:* (n_pairs,)."""
    labels, is_subtree = kind
    dep_path = paths[0]
    lemma = parse.words[predicate]
    deprel = parse.deprels[predicate]
    passive = parse.is_passive[predicate]
    head_deprel = parse.deprels[head]
    side = distance > 0
    is_word = end == start + 1
    word_label = np.where(is_word, parse.tags[start], np.uint64(_NO_CONSTITUENT))
    framed = np.pad(parse.words, 1, constant_values=(_BEFORE, _AFTER))
    return [
        *paths,
        _rounded(distance),
        (parse.tags[predicate] * _UP + passive) * _DOWN + side,
        (head_deprel * _UP + deprel) * _DOWN + side,
        ((lemma * _UP + dep_path) * _DOWN + passive) * _SIDE + side,
        deprel,
        lemma,
        np.where(labels != 0, labels, word_label),
        2 * (labels != 0) + is_subtree,
        np.minimum(end - start, _MAX_LENGTH),
        head_deprel,
        parse.tags[head],
        parse.words[start],
        parse.words[head],
        framed[start],  # the word before
        framed[end + 1],
    ]


def _rounded(distances: ndarray) -> ndarray:
    """Distances of which beyond `_NEAR` only every sixth is told apart. *Shape:* as
    given, int64."""
    size = np.abs(distances)
    far = np.minimum(_NEAR + size // _NEAR, _MAX_DISTANCE)
    return np.where(size <= _NEAR, distances, np.sign(distances) * far)


def _mixed(values: ndarray) -> ndarray:
    """Every bit depends on every bit (splitmix64)."""
    shifts = [np.uint64(shift) for shift in (30, 27, 31)]
    values = (values ^ (values >> shifts[0])) * _MIX_1
    values = (values ^ (values >> shifts[1])) * _MIX_2
    return values ^ (values >> shifts[2])


def _dependency_paths(
    parse: ParseArrays,
    ancestors: ndarray,
    predicates: ndarray,
    heads: ndarray,
    pairs: ndarray,
) -> ndarray:
    """A hash of the deprels from each pair's predicate up to the common ancestor and
    down to its candidate's head. *Shape:* (n_pairs,)."""
    # The last one stands for "above the root".
    depths = np.append(ancestors.sum(axis=1), 0)
    hashes = np.zeros(len(depths), dtype=np.uint64)
    for word in np.argsort(depths[:-1], kind="stable").tolist():
        head = parse.heads[word]  # a root is its own, whose hash is 0 yet
        hashes[word] = hashes[head] * _BASE + parse.deprels[word]
    over = (ancestors[predicates], ancestors[heads])
    return _paths(over, hashes, depths, heads, pairs)[0]


def _paths(
    over: tuple[ndarray, ndarray],
    hashes: ndarray,
    depths: ndarray,
    ends: ndarray,
    pairs: ndarray,
) -> tuple[ndarray, ndarray, ndarray]:
    """A hash of the path in a tree from each pair's predicate up to the last common
    node and down to its candidate's node, and how many steps that is, up and down.
    *Shapes:* (n_pairs,).

    over: The nodes over each predicate, and over each candidate. *Shapes:*
        (n_predicates, n_nodes), (n_candidates, n_nodes).
    hashes, depths: Of the path from the top to each node. *Shapes:* (n_nodes + 1,), the
        last ones 0.
    ends: The node of each candidate. *Shape:* (n_candidates,)."""
    f, c = pairs.T
    powers = np.full(1 + int(depths.max()), _BASE, dtype=np.uint64)
    powers[0] = 1
    powers = np.cumprod(powers)
    start = _largest(over[0], depths[:-1])[f]
    common = _largest(over[0][f] & over[1][c], depths[:-1])
    end = ends[c]
    steps_up = depths[start] - depths[common]
    steps_down = depths[end] - depths[common]
    up = hashes[start] - hashes[common] * powers[steps_up]
    down = hashes[end] - hashes[common] * powers[steps_down]
    path = up * _UP + down * _DOWN
    return path, steps_up.astype(np.uint64), steps_down.astype(np.uint64)


def _tree_paths(
    parse: ParseArrays, predicates: ndarray, ranges: ndarray, pairs: ndarray
) -> tuple[ndarray, ndarray, ndarray]:
    """Paths in the constituents from each pair's predicate up to the smallest common
    one and down to its candidate's parent: a hash of the labels; a hash of the numbers
    of steps and the parent's label. And the candidate's own label, 0 for none.
    *Shapes:* (n_pairs,)."""
    order = np.lexsort((-parse.constituents[:, 1], parse.constituents[:, 0]))
    starts, ends = parse.constituents[order].T
    # The last one stands for "above the tree", and for no constituent.
    labels = np.append(parse.labels[order], np.uint64(0))
    hashes, depths = _constituent_paths(ends, labels)
    first = ranges[:, :1]
    last = ranges[:, 1:]
    word = predicates[:, None]
    is_same = (starts == first) & (ends == last)
    is_above = (starts <= first) & (last <= ends)
    is_above &= ~is_same
    is_over_predicate = (starts <= word) & (word < ends)
    own = _largest(is_same, depths[:-1])
    parents = _largest(is_above, depths[:-1])
    over = (is_over_predicate, is_above)
    path, steps_up, steps_down = _paths(over, hashes, depths, parents, pairs)
    c = pairs[:, 1]
    parent_labels = labels[parents[c]]
    steps = parent_labels * _UP + steps_up * _DOWN + steps_down
    return path, steps, labels[own[c]]


def _largest(holds: ndarray, sizes: ndarray) -> ndarray:
    """The column with the largest size, at least 1, of those that hold in a row; the
    number of columns where none does. *Shapes:* (n_rows, n_columns), (n_columns,) to
    (n_rows,)."""
    if not len(sizes):
        return np.zeros(len(holds), dtype=np.int64)
    columns = (holds * sizes).argmax(axis=1)
    return np.where(holds.any(axis=1), columns, len(sizes))


def _constituent_paths(ends: ndarray, labels: ndarray) -> tuple[ndarray, ndarray]:
    """A hash of the labels from the top to each constituent, and its depth, from 1; 0
    above the tree. *Shapes:* (n + 1,).

    ends: Of the constituents by their starts, wider ones first. *Shape:* (n,)."""
    hashes = np.zeros(len(labels), dtype=np.uint64)
    depths = np.zeros(len(labels), dtype=np.int64)
    last = ends.tolist()
    around = [len(last)]  # constituents that are open, after "above the tree"
    for i, end in enumerate(last):
        while len(around) > 1 and last[around[-1]] < end:
            around.pop()
        hashes[i] = hashes[around[-1]] * _BASE + labels[i]
        depths[i] = len(around)
        around.append(i)
    return hashes, depths
