"""From scores of role tags to arguments: the options of decoding. *Not* here: the algorithms (`decode/`)."""

from dataclasses import dataclass
from typing import Collection, List, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray

from ..decode import candidate_spans, role_spans, viterbi
from ..role_scores import RoleScores
from ..trees.propositions import CONTINUATION, PREDICATE_ROLE, Argument
from ..trees.role_tags import RoleTags

Range = Tuple[int, int]
Verb = Sequence[Range]  # the words of a given predicate: those of its V, then those of each C-V
PART = CONTINUATION + PREDICATE_ROLE


@dataclass(frozen=True)
class RolesDecoder:
    """Options of decoding. Each predicate has one V, which holds its token.

    core_once (bool): Whether each core role (ARG0, ARG1, ...) occurs at most once for a predicate.
    transition_weight (float): Weight of the log-probability of each pair of neighbouring tags in the training data.
    constituent_bonus (float): Added to the score of each argument that is a constituent of `doc.spans["constituents"]`
        or a single word. Not together with transitions.
    n_threads (int): Number of threads.
    RAISES (ValueError): An option is out of range.
    """

    core_once: bool = True
    transition_weight: float = 0.0
    constituent_bonus: float = 0.0
    n_threads: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.core_once, bool):
            raise ValueError(f"core_once: expected true or false, got {self.core_once!r}")
        for name in ("transition_weight", "constituent_bonus"):
            weight = getattr(self, name)
            if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0.0 <= weight < float("inf"):
                raise ValueError(f"{name}: expected a finite number of 0 or more, got {weight!r}")
        if self.transition_weight and self.constituent_bonus:
            raise ValueError(
                "constituent_bonus: expected 0 together with transition_weight (the decoder of constituents scores "
                f"whole spans), got {self.constituent_bonus!r}"
            )
        if isinstance(self.n_threads, bool) or not isinstance(self.n_threads, int) or self.n_threads < 1:
            raise ValueError(f"n_threads: expected an integer of at least 1, got {self.n_threads!r}")

    def __call__(
        self,
        scores: Sequence[RoleScores],
        tags: RoleTags,
        *,
        transitions: Optional[ndarray] = None,
        verbs: Optional[Sequence[Sequence[Verb]]] = None,
        constituents: Optional[Sequence[Collection[Range]]] = None,
    ) -> List[List[Tuple[Argument, ...]]]:
        """The arguments of every predicate of a batch of sentences, V among them: from scores of tags, or of ranges.

        scores (Sequence[RoleScores]): The scores of each sentence.
        tags (RoleTags): The tags that are scored.
        transitions (Optional[ndarray]): Log-probabilities, [from, to]. Shape: (n_tags, n_tags), float32.
        verbs (Optional[Sequence[Sequence[Sequence[Tuple[int, int]]]]]): For each predicate of each sentence, the words
            of its V, then of each C-V, where predicates are given. A predicate with a given C-V gets no other.
        constituents (Optional[Sequence[Collection[Tuple[int, int]]]]): The constituents of each sentence, over words.
        RAISES (ValueError): The bonus for constituents is set, and `constituents` is None.
        """
        if any(one.spans is not None for one in scores):
            return self._decode_candidates(scores, tags, verbs)
        items: List[ndarray] = []
        predicates: List[int] = []
        for s, one in enumerate(scores):
            for f, token in enumerate(one.rows.tolist()):
                of_words: ndarray = one.tags[f]  # type: ignore[index]
                items.append(of_words if verbs is None else _with_verb(of_words, tags, verbs[s][f]))
                predicates.append(token if verbs is None else verbs[s][f][0][0])
        once = tags.once(core=self.core_once)
        if self.constituent_bonus:
            if constituents is None:
                raise ValueError(f"constituent_bonus is {self.constituent_bonus}: expected constituents, got None")
            return _with_parts(self._decode_spans(scores, items, tags, predicates, constituents), verbs)
        weighed = None
        if self.transition_weight and transitions is not None:
            weighed = (transitions * np.float32(self.transition_weight)).astype(np.float32)
        found = viterbi(
            items,
            tags.openers,
            transitions=weighed,
            once=once,
            predicates=predicates,
            verb=tags.verb,
            n_threads=self.n_threads,
        )
        decoded = iter(found)
        return _with_parts([[tags.decode(next(decoded)[0].tolist()) for _ in one.rows] for one in scores], verbs)

    def _decode_spans(
        self,
        scores: Sequence[RoleScores],
        items: Sequence[ndarray],
        tags: RoleTags,
        predicates: Sequence[int],
        constituents: Sequence[Collection[Range]],
    ) -> List[List[Tuple[Argument, ...]]]:
        """As `__call__`, with the bonus for constituents; items are the tag scores of all predicates."""
        bonuses: List[ndarray] = []
        for one, of_sentence in zip(scores, constituents, strict=True):
            bonuses.extend([_bonus(one.n_words, of_sentence, self.constituent_bonus)] * len(one.rows))
        found = role_spans(
            items,
            bonuses,
            once=tags.once(core=self.core_once)[1::2],
            predicates=predicates,
            verb=(tags.verb - 1) // 2,
            n_threads=self.n_threads,
        )
        in_order = iter(found)
        return [
            [tuple((start, end, tags.roles[role]) for start, end, role in next(in_order)[0]) for _ in one.rows]
            for one in scores
        ]

    def _decode_candidates(
        self, scores: Sequence[RoleScores], tags: RoleTags, verbs: Optional[Sequence[Sequence[Verb]]]
    ) -> List[List[Tuple[Argument, ...]]]:
        """As `__call__`, from scores of ranges. A word after the predicate with the role V belongs to its V."""
        gains: List[ndarray] = []
        ranges: List[ndarray] = []
        lengths: List[int] = []
        owners: List[Range] = []
        is_given = verbs is not None
        verb_role = tags.roles.index(PREDICATE_ROLE)
        for s, one in enumerate(scores):
            for f, token in enumerate(one.rows.tolist()):
                scored: ndarray = one.spans[f]  # type: ignore[index]
                starts, ends = one.ranges[:, 0], one.ranges[:, 1]  # type: ignore[index]
                gain = scored[:, 1:] - scored[:, :1]
                parts: Verb = [(token, token + 1)] if verbs is None else verbs[s][f]
                for start, end in parts:
                    gain[(starts < end) & (start < ends)] = -np.inf
                gain[(starts != token + 1) | (ends != token + 2) | is_given, verb_role] = -np.inf
                if len(parts) > 1 and PART in tags.roles:
                    gain[:, tags.roles.index(PART)] = -np.inf
                gains.append(gain)
                ranges.append(one.ranges)  # type: ignore[arg-type]
                lengths.append(one.n_words)
                owners.append(parts[0])
        once = tags.once(core=self.core_once)[1::2]
        found = candidate_spans(gains, ranges, lengths, once=once, n_threads=self.n_threads)
        arguments = []
        for (begin, stop), (spans, _) in zip(owners, found, strict=True):
            stop += sum(role == verb_role for _, _, role in spans)
            args = [(start, end, tags.roles[role]) for start, end, role in spans if role != verb_role]
            arguments.append(tuple(sorted([*args, (begin, stop, PREDICATE_ROLE)])))
        in_order = iter(arguments)
        return _with_parts([[next(in_order) for _ in one.rows] for one in scores], verbs)


def _bonus(n_words: int, constituents: Collection[Range], bonus: float) -> ndarray:
    """The bonus of each span. *Shape:* (n_words + 1, n_words + 1), float32."""
    table = np.zeros((n_words + 1, n_words + 1), dtype=np.float32)
    words = np.arange(n_words)
    table[words, words + 1] = bonus
    for start, end in constituents:
        table[start, end] = bonus
    return table


def _with_verb(scores: ndarray, tags: RoleTags, verb: Verb) -> ndarray:
    """Scores that allow V at the given words alone. Words of a given C-V have no role: `_with_parts` adds it."""
    (start, end), *parts = verb
    limited = scores.copy()
    limited[:, tags.verb : tags.verb + 2] = -np.inf
    if parts and PART in tags.roles:
        begin = 1 + 2 * tags.roles.index(PART)
        limited[:, begin : begin + 2] = -np.inf
    limited[start:end] = -np.inf
    limited[start, tags.verb] = 0.0
    limited[start + 1 : end, tags.verb + 1] = 0.0
    for first, last in parts:
        limited[first:last] = -np.inf
        limited[first:last, 0] = 0.0
    return limited


def _with_parts(
    arguments: List[List[Tuple[Argument, ...]]], verbs: Optional[Sequence[Sequence[Verb]]]
) -> List[List[Tuple[Argument, ...]]]:
    """The arguments with the C-V that are given."""
    if verbs is None:
        return arguments
    return [
        [
            tuple(sorted([*args, *((start, end, PART) for start, end in verb[1:])]))
            for args, verb in zip(of_sentence, of_verbs, strict=True)
        ]
        for of_sentence, of_verbs in zip(arguments, verbs, strict=True)
    ]


def transition_scores(counts: Sequence[Sequence], tags: RoleTags) -> ndarray:
    """Log-probabilities of a tag after another, with one added to the counts of legal pairs. *Shape:* (n_tags, n_tags),
    [from, to], float32; the decoder forbids illegal pairs itself.

    counts (Sequence[Tuple[str, str, int]]): Pairs of tags and how often they occur.
    """
    ids = {tag: i for i, tag in enumerate(tags.strings)}
    table = np.ones((len(tags), len(tags)))
    for before, after, count in counts:
        if before in ids and after in ids:
            table[ids[before], ids[after]] += count
    legal = np.ones_like(table, dtype=bool)
    for tag, opener in enumerate(tags.openers.tolist()):
        if opener >= 0:
            legal[:, tag] = False
            legal[[opener, tag], tag] = True
    table[~legal] = 0.0
    return np.log(np.maximum(table / table.sum(axis=1, keepdims=True), 1e-30)).astype(np.float32)
