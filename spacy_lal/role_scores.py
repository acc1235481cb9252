"""The scores of semantic roles of one sentence, and their gold annotation: plain arrays, as `scores.py` has for
parses."""

from typing import NamedTuple, Optional

from numpy import ndarray

MISSING = -1  # in gold arrays: not annotated, or a label that the training data lacks


class RoleScores(NamedTuple):
    """The scores of one sentence of n words with F predicates, or the gradient of a loss with respect to them.

    predicates (ndarray): Scores of the labels of the predicate scorer. Shape: (n, n_predicate_labels), float32.
    rows (ndarray): The word of each predicate, ascending. Shape: (F,), int64.
    tags (ndarray): Scores of BIO tags. Shape: (F, n, n_tags), float32.
    rolesets (Optional[ndarray]): Shape: (F, n_rolesets), float32. None: the network scores no rolesets.
    arcs (Optional[ndarray]): [dependent, head]; a root is its own head. Shape: (n, n), float32. None: no arcs.
    deprels (Optional[ndarray]): Scores given heads. Shape: (n, n_deprels), float32. None: not scored.
    """

    predicates: ndarray
    rows: ndarray
    tags: ndarray
    rolesets: Optional[ndarray] = None
    arcs: Optional[ndarray] = None
    deprels: Optional[ndarray] = None

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
    """

    predicates: ndarray
    rows: ndarray
    tags: ndarray
    rolesets: ndarray
    heads: ndarray
    deprels: ndarray
