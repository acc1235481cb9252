"""The scores of semantic roles of one sentence, and their gold annotation: plain arrays, as `scores.py` has for
parses."""

from typing import NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray

MISSING = -1  # in gold arrays: not annotated, or a label that the training data lacks


class RoleScores(NamedTuple):
    """The scores of one sentence of n words with F predicates, or the gradient of a loss with respect to them.

    predicates (ndarray): Scores of the labels of the predicate scorer. Shape: (n, n_predicate_labels), float32.
    rows (ndarray): The word of each predicate, ascending. Shape: (F,), int64.
    tags (Optional[ndarray]): Scores of BIO tags. Shape: (F, n, n_tags), float32. None: ranges are scored.
    rolesets (Optional[ndarray]): Shape: (F, n_rolesets), float32. None: the network scores no rolesets.
    arcs (Optional[ndarray]): [dependent, head]; a root is its own head. Shape: (n, n), float32. None: no arcs.
    deprels (Optional[ndarray]): Scores given heads. Shape: (n, n_deprels), float32. None: not scored.
    spans (Optional[ndarray]): Scores of no role and of each role, for each of `ranges`; minus infinity where a range
        holds the predicate. Shape: (F, n_ranges, 1 + n_roles), float32. None: tags are scored.
    ranges (Optional[ndarray]): Ranges of words that may be arguments. Shape: (n_ranges, 2), int64.
    """

    predicates: ndarray
    rows: ndarray
    tags: Optional[ndarray]
    rolesets: Optional[ndarray] = None
    arcs: Optional[ndarray] = None
    deprels: Optional[ndarray] = None
    spans: Optional[ndarray] = None
    ranges: Optional[ndarray] = None

    @property
    def n_words(self) -> int:
        """Number of words of the sentence."""
        return len(self.predicates)


class GoldRoles(NamedTuple):
    """The gold annotation of one sentence of n words with F predicates. -1 is masked everywhere.

    predicates (ndarray): The label of each word. Shape: (n,), int32.
    rows (ndarray): The word of each predicate, ascending. Shape: (F,), int64.
    tags (ndarray): BIO tag ids. Shape: (F, n), int32.
    rolesets (ndarray): Roleset ids. Shape: (F,), int32.
    heads (ndarray): The head of each word, from 0; a root is its own head. Shape: (n,), int64.
    deprels (ndarray): Deprel ids. Shape: (n,), int32.
    args (Sequence[Sequence[Tuple[int, int, int]]]): The arguments of each predicate: start and end, half-open, and the
        id of the role, -1 for an unknown role. A V of two words that begins with the predicate is here its second word.
    """

    predicates: ndarray
    rows: ndarray
    tags: ndarray
    rolesets: ndarray
    heads: ndarray
    deprels: ndarray
    args: Sequence[Sequence[Tuple[int, int, int]]] = ()

    def span_roles(self, ranges: ndarray) -> ndarray:
        """The gold labels of ranges for each predicate: 0 for no role, then the roles; -1 for a range that holds the
        predicate or has an unknown role. *Shape:* (F, n_ranges), int32.

        ranges (ndarray): Start and end, half-open. Shape: (n_ranges, 2).
        """
        places = {tuple(one): k for k, one in enumerate(ranges.tolist())}
        starts, ends = ranges[:, 0], ranges[:, 1]
        labels = np.zeros((len(self.rows), len(ranges)), dtype=np.int32)
        for row, token, args in zip(labels, self.rows.tolist(), self.args, strict=True):
            for start, end, role in args:
                if (start, end) in places:
                    row[places[start, end]] = MISSING if role == MISSING else role + 1
            row[(starts <= token) & (token < ends)] = MISSING
        return labels
