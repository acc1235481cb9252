"""From scores of role tags, or of ranges of words, to arguments. *Not* here: the
algorithms (`decode/`). Each predicate has one V, which holds its token, and each core
role (ARG0, ARG1, ...) at most once."""

from collections.abc import Iterator, Sequence
from typing import Optional

import numpy as np
from numpy import ndarray

from ..decode import candidate_spans, viterbi
from ..scores import RoleScores
from ..trees.roles import PREDICATE_PART, PREDICATE_ROLE, Argument, RoleTags

Range = tuple[int, int]
Verb = Sequence[
    Range
]  # the words of a given predicate: those of its V, then those of each C-V


def decode_roles(
    scores: Sequence[RoleScores],
    tags: RoleTags,
    verbs: Optional[Sequence[Sequence[Verb]]] = None,
) -> list[list[tuple[Argument, ...]]]:
    """The arguments of every predicate of each sentence, V among them. verbs: For each
    given predicate of each sentence, the words of its V, then of each C-V; a predicate
    with a given C-V gets no other."""
    decode = (
        _decode_ranges
        if any(sentence.spans is not None for sentence in scores)
        else _decode_tags
    )
    decoded: Iterator[tuple[Argument, ...]] = iter(decode(scores, tags, verbs))
    arguments = [[next(decoded) for _ in sentence.rows] for sentence in scores]
    if verbs is None:
        return arguments
    for of_sentence, of_verbs in zip(arguments, verbs, strict=True):
        for f, verb in enumerate(of_verbs):
            of_sentence[f] = tuple(
                sorted(
                    [*of_sentence[f], *((*part, PREDICATE_PART) for part in verb[1:])]
                )
            )
    return arguments


def _decode_tags(
    scores: Sequence[RoleScores],
    tags: RoleTags,
    verbs: Optional[Sequence[Sequence[Verb]]],
) -> list[tuple[Argument, ...]]:
    items: list[ndarray] = []
    predicates: list[int] = []
    for s, sentence in enumerate(scores):
        for f, token in enumerate(sentence.rows.tolist()):
            of_words: ndarray = sentence.tags[f]  # type: ignore[index]
            items.append(
                of_words if verbs is None else _with_verb(of_words, tags, verbs[s][f])
            )
            predicates.append(token if verbs is None else verbs[s][f][0][0])
    decoded = viterbi(
        items,
        tags.openers,
        once=tags.once,
        predicates=predicates,
        verb=tags.verb,
    )
    return [tags.decode(of_words.tolist()) for of_words, _ in decoded]


def _decode_ranges(
    scores: Sequence[RoleScores],
    tags: RoleTags,
    verbs: Optional[Sequence[Sequence[Verb]]],
) -> list[tuple[Argument, ...]]:
    """A word after the predicate with the role V belongs to its V."""
    gains: list[ndarray] = []
    ranges: list[ndarray] = []
    lengths: list[int] = []
    owners: list[Range] = []
    verb_role = tags.roles.index(PREDICATE_ROLE)
    for s, sentence in enumerate(scores):
        for f, token in enumerate(sentence.rows.tolist()):
            of_predicate: ndarray = sentence.spans[f]  # type: ignore[index]
            # others are too far from the predicate, or hold it
            is_scored = of_predicate[:, -1] > -np.inf
            scored = of_predicate[is_scored]
            near: ndarray = sentence.ranges[is_scored]  # type: ignore[index]
            starts, ends = near.T
            gain = scored[:, 1:] - scored[:, :1]
            parts: Verb = [(token, token + 1)] if verbs is None else verbs[s][f]
            for start, end in parts:
                gain[(starts < end) & (start < ends)] = -np.inf
            gain[
                (starts != token + 1) | (ends != token + 2) | (verbs is not None),
                verb_role,
            ] = -np.inf
            if len(parts) > 1 and PREDICATE_PART in tags.roles:
                gain[:, tags.roles.index(PREDICATE_PART)] = -np.inf
            gains.append(gain)
            ranges.append(near)
            lengths.append(len(sentence.predicates))
            owners.append(parts[0])
    decoded = candidate_spans(gains, ranges, lengths, once=tags.once[1::2])
    arguments = []
    for (begin, stop), (spans, _) in zip(owners, decoded, strict=True):
        stop += sum(role == verb_role for _, _, role in spans)
        args = [
            (start, end, tags.roles[role])
            for start, end, role in spans
            if role != verb_role
        ]
        arguments.append(tuple(sorted([*args, (begin, stop, PREDICATE_ROLE)])))
    return arguments


def _with_verb(scores: ndarray, tags: RoleTags, verb: Verb) -> ndarray:
    (start, end), *parts = verb
    limited = scores.copy()
    limited[:, tags.verb : tags.verb + 2] = -np.inf
    if parts and PREDICATE_PART in tags.roles:
        begin = 1 + 2 * tags.roles.index(PREDICATE_PART)
        limited[:, begin : begin + 2] = -np.inf
    limited[start:end] = -np.inf
    limited[start, tags.verb] = 0.0
    limited[start + 1 : end, tags.verb + 1] = 0.0
    for first, last in parts:
        limited[first:last] = -np.inf
        limited[first:last, 0] = 0.0
    return limited
