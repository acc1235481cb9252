"""`ParserScores`: what a network says of one sentence. A network ends here; a decoder begins here."""

from typing import NamedTuple, Optional

from numpy import ndarray


class ParserScores(NamedTuple):
    """The scores of one sentence of n tokens (or, in training, the gradient of a loss with respect to them).

    Every array is float32 and C-contiguous. In `arcs` and `deprels`, index 0 is the artificial root and index i the
    i-th token; in `labels`, indices are fenceposts, so that `labels[i, j]` speaks of tokens[i:j].
    For example `arcs[3, 1]` says how well the first token governs the third.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels). Only start < end is meaningful. Label 0 is the empty label,
        whose score is 0. An empty array of shape (0, 0, 0) where the network scores no spans.
    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head].
    deprels (ndarray): Shape: (n + 1, n_deprels) where a deprel is scored from its dependent alone, or
        (n + 1, n + 1, n_deprels), [dependent, head, deprel], where it is scored given the head.
    attention (Optional[ndarray]): Shape: (n_label_heads, n + 2). The label attention over START, tokens, STOP;
        only when asked for.
    """

    labels: ndarray
    arcs: ndarray
    deprels: ndarray
    attention: Optional[ndarray] = None

    @property
    def n_tokens(self) -> int:
        """Number of tokens in the sentence."""
        return self.arcs.shape[0] - 1
