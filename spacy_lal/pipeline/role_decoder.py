"""From scores of role tags, or of ranges of words, to arguments. *Not* here: the
algorithms (`decode/`). Each predicate has one V, which holds its token, and each core
role (ARG0, ARG1, ...) at most once."""

from collections.abc import Sequence

import numpy as np

from ..decode import candidate_spans, viterbi
from ..scores import RoleScores
from ..trees.roles import PREDICATE_PART, PREDICATE_ROLE, Argument, RoleTags

Arguments = tuple[Argument, ...]  # of a predicate


def decode_roles(scores: Sequence[RoleScores], tags: RoleTags) -> list[list[Arguments]]:
    """The arguments of every predicate of each sentence, V among them."""
    with_ranges = any(sentence.spans is not None for sentence in scores)
    decoded = iter((_decode_ranges if with_ranges else _decode_tags)(scores, tags))
    return [[next(decoded) for _ in sentence.rows] for sentence in scores]


def with_verb(args: Arguments, given: Arguments) -> Arguments:
    """Arguments with the V and the C-V of a given predicate in place of their own,
    without those that share a word with them."""
    verb = [part for part in given if part[2] in (PREDICATE_ROLE, PREDICATE_PART)]
    others = [
        arg
        for arg in args
        if arg[2] not in (PREDICATE_ROLE, PREDICATE_PART)
        and all(arg[1] <= start or end <= arg[0] for start, end, _ in verb)
    ]
    return tuple(sorted([*verb, *others]))


def _decode_tags(scores: Sequence[RoleScores], tags: RoleTags) -> list[Arguments]:
    decoded = viterbi(
        [of_words for sentence in scores for of_words in sentence.tags],  # type: ignore[union-attr]
        tags.openers,
        once=tags.once,
        predicates=[token for sentence in scores for token in sentence.rows.tolist()],
        verb=tags.verb,
    )
    return [tags.decode(of_words.tolist()) for of_words, _ in decoded]


def _decode_ranges(scores: Sequence[RoleScores], tags: RoleTags) -> list[Arguments]:
    """A word after the predicate with the role V belongs to its V."""
    gains = []
    ranges = []
    lengths = []
    tokens = []
    verb_role = tags.roles.index(PREDICATE_ROLE)
    for sentence in scores:
        for token, of_predicate in zip(sentence.rows, sentence.spans, strict=True):  # type: ignore[arg-type]
            # others are too far from the predicate, or hold it
            is_scored = of_predicate[:, -1] > -np.inf
            scored = of_predicate[is_scored]
            near = sentence.ranges[is_scored]  # type: ignore[index]
            is_next = (near == (token + 1, token + 2)).all(axis=1)
            gain = scored[:, 1:] - scored[:, :1]
            gain[~is_next, verb_role] = -np.inf
            gains.append(gain)
            ranges.append(near)
            lengths.append(len(sentence.predicates))
            tokens.append(int(token))
    decoded = candidate_spans(gains, ranges, lengths, once=tags.once[1::2])
    arguments = []
    for token, (spans, _) in zip(tokens, decoded, strict=True):
        others = [span for span in spans if span[2] != verb_role]
        args = [(start, end, tags.roles[role]) for start, end, role in others]
        end_of_verb = token + 1 + len(spans) - len(others)
        arguments.append(tuple(sorted([*args, (token, end_of_verb, PREDICATE_ROLE)])))
    return arguments
