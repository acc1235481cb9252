"""Where attention goes, by the kind of the word and by distance (Geng et al. 2020,
section 5.3).

*Not* here: running a network.
"""

from dataclasses import dataclass
from typing import Dict, Iterable, List, Sequence, Tuple

import numpy as np
from numpy import ndarray

# Universal part-of-speech tags of each role, in the order of the paper's table.
ROLES: Dict[str, Tuple[str, ...]] = {
    "noun": ("NOUN", "PROPN"),
    "verb": ("VERB",),
    "adjective": ("ADJ",),
    "preposition": ("ADP",),
    "determiner": ("DET",),
    "punctuation": ("PUNCT",),
}
OTHERS = "others"
CONTENT_ROLES = ("noun", "verb", "adjective")
_ROLE_OF = {tag: role for role, tags in ROLES.items() for tag in tags}


@dataclass(frozen=True)
class AttentionShares:
    """The share of attention weight that goes to words of each role, and at each
    distance.

    roles (Dict[str, float]): noun, verb, adjective, preposition, determiner,
        punctuation, others. The sum is 1.
    distances (Dict[int, float]): |query - key| over positions, of all weights on words.
        The sum is 1.
    n_sentences (int): Sentences counted.
    """

    roles: Dict[str, float]
    distances: Dict[int, float]
    n_sentences: int

    @property
    def content(self) -> float:
        """The share of nouns, verbs and adjectives."""
        return sum(self.roles[role] for role in CONTENT_ROLES)

    @property
    def content_free(self) -> float:
        """The share of all other words."""
        return sum(
            share for role, share in self.roles.items() if role not in CONTENT_ROLES
        )

    def increase(self, other: "AttentionShares") -> Dict[str, float]:
        """By how much each role's share exceeds another model's: share / other share -
        1; infinite where the other one is 0 and this one is not, 0 where both are."""
        return {
            role: _increase(share, other.roles[role])
            for role, share in self.roles.items()
        }


def attention_shares(
    sentences: Iterable[Tuple[ndarray, Sequence[str]]],
) -> AttentionShares:
    """Attention to words by role and by distance. START and STOP count as queries, not
    as keys.

    sentences (Iterable[Tuple[ndarray, Sequence[str]]]): For each sentence of n words,
        the weights of one layer, [head, query, key] over START, words, STOP, *shape:*
        (n_heads, n + 2, n + 2), and the n universal tags (`token.pos_`).
    RETURNS (AttentionShares): Shares of the sum over all sentences, heads and queries.
    RAISES (ValueError): Weights and tags do not match, or no word gets any attention.
    """
    by_role = dict.fromkeys((*ROLES, OTHERS), 0.0)
    by_distance: List[float] = []
    n_sentences = 0
    for weights, tags in sentences:
        if weights.ndim != 3 or weights.shape[1:] != (len(tags) + 2, len(tags) + 2):
            raise ValueError(
                f"attention to {len(tags)} words: expected (n_heads, n + 2, n + 2), "
                f"got {weights.shape}"
            )
        n_sentences += 1
        pairs = weights.astype(np.float64).sum(axis=0)[:, 1:-1]  # (n + 2, n)
        for tag, share in zip(tags, pairs.sum(axis=0).tolist(), strict=True):
            by_role[_ROLE_OF.get(tag, OTHERS)] += share
        distances = np.abs(np.arange(len(pairs))[:, None] - np.arange(1, len(tags) + 1))
        counted = np.bincount(distances.ravel(), weights=pairs.ravel())
        by_distance += [0.0] * (len(counted) - len(by_distance))
        for distance, share in enumerate(counted.tolist()):
            by_distance[distance] += share
    total = sum(by_role.values())
    if not total > 0.0:
        raise ValueError(
            f"no attention to any word: expected weights on words, got {n_sentences} "
            "sentences without"
        )
    roles = {role: share / total for role, share in by_role.items()}
    return AttentionShares(
        roles, {i: share / total for i, share in enumerate(by_distance)}, n_sentences
    )


def _increase(share: float, other: float) -> float:
    if other == 0.0:
        return 0.0 if share == 0.0 else float("inf")
    return share / other - 1.0
