"""The gold semantic roles of Examples, on the predicted tokens and sentences, and the
loss (Strubell et al. 2018; docs/explanation/roles.md). Missing annotation is masked."""

from dataclasses import dataclass
from typing import (
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

import numpy as np
from numpy import ndarray
from spacy.training import Example

from ..annotations import (
    get_propositions,
    get_sentence_propositions,
    has_propositions,
    has_sentences,
    same_tokens,
    sentence_words,
)
from ..layers.input_configs import Block
from ..scores import MISSING, GoldRoles, RoleScores
from ..trees.roles import (
    PREDICATE_ROLE,
    Argument,
    Proposition,
    RoleTags,
    predicate_span,
)
from .parser import aligned_arcs, cross_entropy

DEPREL_WEIGHT = 0.1  # of deprels, given gold heads, beside heads and roles (LISA)
JointLabel = Tuple[str, bool]  # a tag, and whether the token is a predicate


class RoleLabels(NamedTuple):
    """The ids of labels. joint: Of tag and predicate. None: 0 is no predicate, 1 a
    predicate."""

    tags: RoleTags
    rolesets: Dict[str, int]
    deprels: Dict[str, int]
    joint: Optional[Dict[JointLabel, int]] = None


def gold_roles(
    eg: Example, labels: RoleLabels, unknown: Optional[Set[str]] = None
) -> List[GoldRoles]:
    """The gold roles of an Example's predicted sentences. unknown: Takes masked,
    unknown roles and rolesets."""
    sentences = sentence_words(eg.predicted)
    heads, deprels = aligned_arcs(eg)
    propositions, lost = _aligned(eg, sentences)
    tags = eg.get_aligned("TAG", as_string=True) if labels.joint is not None else []
    golds = []
    for i, words in enumerate(sentences):
        position: Dict[Optional[int], int] = {
            word: place for place, word in enumerate(words)
        }
        found = propositions[i]
        if unknown is not None:
            unknown.update(_unknown(found or (), labels))
        rows = [proposition.token for proposition in found or ()]
        of_words = [tags[word] for word in words] if tags else []
        predicates = _predicate_labels(
            len(words), None if found is None else rows, labels, of_words
        )
        predicates[lost[i]] = MISSING
        encoded = [
            labels.tags.encode(proposition.args, len(words))
            for proposition in found or ()
        ]
        golds.append(
            GoldRoles(
                predicates=predicates,
                rows=np.array(rows, dtype=np.int64),
                tags=np.array(encoded, dtype=np.int32).reshape(len(rows), len(words)),
                rolesets=np.array(
                    [labels.rolesets.get(one.roleset, MISSING) for one in found or ()],
                    dtype=np.int32,
                ),
                heads=np.array(
                    [position.get(heads[w], MISSING) for w in words], dtype=np.int64
                ),
                deprels=np.array(
                    [labels.deprels.get(deprels[w] or "", MISSING) for w in words],
                    dtype=np.int32,
                ),
                args=[
                    _arguments(proposition, labels.tags) for proposition in found or ()
                ],
            )
        )
    return golds


def _unknown(propositions: Sequence[Proposition], labels: RoleLabels) -> Iterator[str]:
    for proposition in propositions:
        yield from (
            role for _, _, role in proposition.args if role not in labels.tags.roles
        )
        if (
            labels.rolesets
            and proposition.roleset
            and proposition.roleset not in labels.rolesets
        ):
            yield proposition.roleset


def _arguments(proposition: Proposition, tags: RoleTags) -> List[Tuple[int, int, int]]:
    ids = {role: i for i, role in enumerate(tags.roles)}
    found = [
        (start, end, ids.get(role, MISSING))
        for start, end, role in proposition.args
        if role != PREDICATE_ROLE
    ]
    start, end = predicate_span(proposition.args)
    if (start, end) == (
        proposition.token,
        proposition.token + 2,
    ) and PREDICATE_ROLE in ids:
        found.append((start + 1, end, ids[PREDICATE_ROLE]))
    return found


def _predicate_labels(
    n_words: int,
    rows: Optional[Sequence[int]],
    labels: RoleLabels,
    tags: Sequence[Optional[str]],
) -> np.ndarray:
    if rows is None:
        return np.full(n_words, MISSING, dtype=np.int32)
    is_predicate = np.zeros(n_words, dtype=np.int32)
    is_predicate[list(rows)] = 1
    if labels.joint is None:
        return is_predicate
    pairs = zip(tags, is_predicate.astype(bool).tolist(), strict=True)
    return np.array(
        [labels.joint.get((tag or "", flag), MISSING) for tag, flag in pairs],
        dtype=np.int32,
    )


def _aligned(
    eg: Example, sentences: Sequence[Sequence[int]]
) -> Tuple[List[Optional[List[Proposition]]], List[List[int]]]:
    """For each predicted sentence its gold propositions over word positions, or None
    without roles; and the words that may be predicates, but whose gold proposition does
    not fit the predicted tokens."""
    reference = eg.reference
    lost: List[List[int]] = [[] for _ in sentences]
    if not has_propositions(reference):
        return [None] * len(sentences), lost
    if (
        same_tokens(eg.predicted, reference)
        and has_sentences(reference)
        and sentence_words(reference) == sentences
    ):
        return [*get_sentence_propositions(reference)], lost
    owner = {
        word: (s, i)
        for s, words in enumerate(sentences)
        for i, word in enumerate(words)
    }
    by_token: List[Dict[int, Proposition]] = [{} for _ in sentences]
    for proposition in get_propositions(reference):
        places = [
            owner[x] for x in eg.alignment.y2x[proposition.token].tolist() if x in owner
        ]
        moved = _move(eg, proposition, owner)
        if moved is None:
            for sentence, place in places:
                lost[sentence].append(place)
        else:
            by_token[moved[0]].setdefault(
                moved[1].token, moved[1]
            )  # a merged token keeps its first predicate
    return [[one[token] for token in sorted(one)] for one in by_token], lost


def _move(
    eg: Example, proposition: Proposition, owner: Dict[int, Tuple[int, int]]
) -> Optional[Tuple[int, Proposition]]:
    """A proposition on the predicted words, and its sentence; None if an end falls
    inside a predicted token, or it crosses sentences. A predicate that is split keeps
    its first word."""
    args: List[Argument] = []
    sentences: Set[int] = set()
    for start, end, role in proposition.args:
        xs = sorted(
            {x for y in range(start, end) for x in eg.alignment.y2x[y].tolist()}
        )
        if not xs or any(
            not start <= y < end
            for x in (xs[0], xs[-1])
            for y in eg.alignment.x2y[x].tolist()
        ):
            return None
        places = [owner[x] for x in xs if x in owner]
        if not places:
            return None
        sentences.update(sentence for sentence, _ in places)
        args.append((places[0][1], places[-1][1] + 1, role))
    token = [
        owner[x] for x in eg.alignment.y2x[proposition.token].tolist() if x in owner
    ]
    if (
        len(sentences) != 1
        or not token
        or PREDICATE_ROLE not in [role for _, _, role in args]
    ):
        return None
    return sentences.pop(), proposition._replace(token=token[0][1], args=tuple(args))


@dataclass(frozen=True)
class RolesLoss(Block):
    """A weighted sum of cross-entropies: of predicates, heads and deprels, averaged
    over words; of role tags, averaged over pairs of predicate and word, or of roles of
    ranges, summed over the ranges and averaged over predicates; of rolesets, averaged
    over predicates. Masked labels do not count.

    predicate_weight (float): Weight of the predicates.
    roleset_weight (float): Weight of the rolesets. Roles and heads have weight 1,
        deprels (given gold heads) 0.1.
    label_smoothing (float): Smoothing of roles, in [0, 1).
    RAISES (ValueError): A weight is negative, or the smoothing is out of range.
    """

    predicate_weight: float = 1.0
    roleset_weight: float = 0.5
    label_smoothing: float = 0.1

    def __call__(
        self, scores: Sequence[RoleScores], golds: Sequence[GoldRoles]
    ) -> Tuple[Dict[str, float], List[RoleScores]]:
        """The loss of a batch of sentences, and its gradient."""
        losses: Dict[str, float] = {}
        gradients: Dict[str, List[ndarray]] = {}
        smoothing = self.label_smoothing
        n_predicates = sum(len(gold.rows) for gold in golds)
        tasks: Dict[
            str, Tuple[float, Callable[[RoleScores, GoldRoles], ndarray], float]
        ] = {
            "predicates": (self.predicate_weight, lambda _, gold: gold.predicates, 0.0),
            "arcs": (1.0, lambda _, gold: gold.heads, 0.0),
            "deprels": (
                DEPREL_WEIGHT,
                lambda _, gold: np.where(gold.heads < 0, MISSING, gold.deprels),
                0.0,
            ),
            "tags": (1.0, lambda _, gold: gold.tags, smoothing),
            "spans": (1.0, _scored_roles, smoothing),
            "rolesets": (self.roleset_weight, lambda _, gold: gold.rolesets, 0.0),
        }
        for task, (weight, labels, smooth) in tasks.items():
            if all(getattr(one, task) is not None for one in scores):
                found = [labels(*pair) for pair in zip(scores, golds, strict=True)]
                items = [getattr(one, task) for one in scores]
                count = (
                    n_predicates
                    if task == "spans"
                    else sum(int((one != MISSING).sum()) for one in found)
                )
                scale = weight / max(1, count)
                parts = [
                    cross_entropy(
                        item.reshape(-1, item.shape[-1]), gold.reshape(-1), smooth
                    )
                    for item, gold in zip(items, found, strict=True)
                ]
                losses[task] = scale * sum(loss for loss, _ in parts)
                gradients[task] = [
                    (gradient * np.float32(scale)).reshape(item.shape)
                    for item, (_, gradient) in zip(items, parts, strict=True)
                ]
        total = sum(losses.values())
        if not np.isfinite(total):
            raise ValueError(
                f"the loss is not finite: {losses}; expected a smaller learning rate "
                "or sound vectors"
            )
        d_scores = [
            one._replace(**{task: grads[i] for task, grads in gradients.items()})
            for i, one in enumerate(scores)
        ]
        return losses, d_scores


def _scored_roles(scores: RoleScores, gold: GoldRoles) -> ndarray:
    """The gold roles of candidates; a candidate too far from a predicate is masked."""
    roles = gold.span_roles(scores.ranges)  # type: ignore[arg-type]
    is_scored = scores.spans[..., -1] > -np.inf  # type: ignore[index]
    return np.where(is_scored, roles, MISSING)
