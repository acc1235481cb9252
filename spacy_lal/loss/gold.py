"""The gold annotation of Examples, on the predicted tokens and sentences: parses and
semantic roles. Annotations that are missing, or that cannot be carried over to the
predicted tokens, are masked."""

from typing import Any, Iterator, NamedTuple, Optional, Sequence

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import (
    SPANS_KEY,
    check_tree,
    constituent_tokens,
    get_constituents,
    get_propositions,
    get_sentence_propositions,
    has_propositions,
    has_sentences,
    same_tokens,
    sentence_words,
    set_sentence_starts,
)
from ..scores import MISSING, GoldRoles
from ..trees import (
    SUB_HEAD,
    Constituent,
    LabelVocab,
    collapse_chains,
    joint_spans,
    label_ids,
)
from ..trees.roles import (
    PREDICATE_ROLE,
    Argument,
    Proposition,
    RoleTags,
)

JointLabel = tuple[str, int]  # a tag, and whether the token is a predicate
Place = tuple[int, int]  # the number of a sentence, and of a word in it
AlignedArcs = tuple[Sequence[Optional[int]], Sequence[Optional[str]]]


class GoldParse(NamedTuple):
    """The gold parse of one predicted sentence of n words. labels: *Shape:* (n + 1, n +
    1), int32: label ids of spans, 0 for no constituent, sub-head spans of the joint
    form included where heads are known and scored. None: the tree is masked. heads,
    deprels: *Shapes:* (n,), int32: heads from 1, 0 is the root; deprel ids; -1 is
    masked."""

    labels: Optional[np.ndarray]
    heads: np.ndarray
    deprels: np.ndarray


def gold_parses(
    eg: Example,
    labels: LabelVocab,
    deprels: dict[str, int],
    unknown: Optional[set[str]] = None,
) -> list[GoldParse]:
    """The gold parses of an Example's predicted sentences; unknown labels and deprels
    are masked, and added to `unknown`. Without deprels, trees have no sub-head spans.

    RAISES (ValueError): The predicted Doc has no sentence boundaries, or gold
        constituents are no tree."""
    check_tree(eg.reference, "a gold Doc")
    unknown = set() if unknown is None else unknown
    sentences = sentence_words(eg.predicted)
    arcs = aligned_arcs(eg)
    if deprels:
        unknown.update(name for name in arcs[1] if name and name not in deprels)
    golds = []
    trees = _aligned_trees(eg, sentences)
    for words, spans in zip(sentences, trees, strict=True):
        heads, deprel_ids = _arcs_of(words, arcs, deprels, first=1)
        heads[heads == np.arange(1, len(words) + 1)] = 0
        chart = None
        joined: Any = spans
        if spans and spans[0].end - spans[0].start == len(words):
            if deprels and (heads != MISSING).any():
                names = [arcs[1][word] or "" for word in words]
                joined = joint_spans(spans, heads.tolist(), deprels=names)
            chart, unseen = label_ids(joined, len(words), labels)
            if len(labels) > SUB_HEAD + 1:  # else the network scores no constituents
                unknown.update(unseen)
            chart = None if unseen else chart
        golds.append(GoldParse(chart, heads.astype(np.int32), deprel_ids))
    return golds


def _arcs_of(
    words: Sequence[int], arcs: AlignedArcs, ids: dict[str, int], first: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The heads of a sentence's words, counted from `first`, a root's own number, and
    the ids of their deprels."""
    heads, deprels = arcs
    places: dict[Optional[int], int] = {}
    for i, word in enumerate(words, first):
        places[word] = i
    numbers = [places.get(heads[word], MISSING) for word in words]
    deprel_ids = [ids.get(deprels[word] or "", MISSING) for word in words]
    return (
        np.array(numbers, dtype=np.int64),
        np.array(deprel_ids, dtype=np.int32),
    )


def copy_sentence_starts(eg: Example) -> None:
    """Give a predicted Doc without sentence boundaries the reference's boundaries. A
    reference without boundaries is one sentence, or one for each of its outermost
    constituents if they cover it."""
    predicted = eg.predicted
    reference = eg.reference
    if has_sentences(predicted) and len(predicted) != 1:
        return
    starts = (
        [sent.start for sent in reference.sents]
        if has_sentences(reference)
        else _outermost_starts(reference)
    )
    if not same_tokens(predicted, reference):
        y2x = eg.alignment.y2x
        starts = [int(y2x[start].min()) for start in starts if len(y2x[start])]
    set_sentence_starts(predicted, sorted({0, *starts}))


def _outermost_starts(doc: Doc) -> list[int]:
    starts = []
    reached = 0
    for span in constituent_tokens(doc):
        if span.start == reached:
            starts.append(span.start)
        if span.start >= reached:
            reached = span.end
    return starts if reached == len(doc) else [0]


def aligned_arcs(eg: Example) -> AlignedArcs:
    """For each predicted token, the index of its head (a root's own index) and its
    deprel; None where missing."""
    if not eg.reference.has_annotation("DEP"):
        return [None] * len(eg.predicted), [None] * len(eg.predicted)
    heads, deprels = eg.get_aligned_parse(projectivize=False)
    # spaCy gives a word without a gold head its own index, as it gives a root.
    known = [h if deprel else None for h, deprel in zip(heads, deprels, strict=True)]
    return known, deprels


def _is_equal(eg: Example, sentences: list[list[int]]) -> bool:
    """Whether the reference has the predicted tokens and sentences."""
    reference = eg.reference
    if not same_tokens(eg.predicted, reference) or not has_sentences(reference):
        return False
    return sentence_words(reference) == sentences


def _owners(sentences: list[list[int]]) -> dict[int, Place]:
    return {
        word: (s, i)
        for s, words in enumerate(sentences)
        for i, word in enumerate(words)
    }


def _moved(
    eg: Example, owners: dict[int, Place], start: int, end: int
) -> tuple[set[int], Optional[Place]]:
    """The predicted sentences that a reference span touches, and its range of words;
    None if an end falls inside a predicted token, or it crosses sentences."""
    y2x = eg.alignment.y2x
    x2y = eg.alignment.x2y
    aligned = [y2x[y].tolist() for y in range(start, end)]
    tokens = sorted({x for xs in aligned for x in xs})
    places = [owners[x] for x in tokens if x in owners]
    touched = {sentence for sentence, _ in places}
    at_ends = {*tokens[:1], *tokens[-1:]}
    back = [y for x in at_ends for y in x2y[x]]
    fits = all(start <= y < end for y in back)
    if not fits or len(touched) != 1:
        return touched, None
    first = places[0][1]
    last = places[-1][1]
    return touched, (first, last + 1)


def _aligned_trees(
    eg: Example, sentences: list[list[int]]
) -> list[Optional[list[Constituent]]]:
    """For each predicted sentence, its gold constituents over word positions; None
    without a whole tree."""
    reference = eg.reference
    if SPANS_KEY not in reference.spans or not len(reference):
        return [None] * len(sentences)
    if _is_equal(eg, sentences):
        return [*get_constituents(reference)]
    owners = _owners(sentences)
    trees: list[list[Constituent]] = [[] for _ in sentences]
    lost: set[int] = set()
    for span in constituent_tokens(reference):
        touched, words = _moved(eg, owners, span.start, span.end)
        if words is None:
            lost |= touched
        else:
            moved = span._replace(start=words[0], end=words[1])
            trees[touched.pop()].append(moved)
    return [
        collapse_chains(tree) if tree and i not in lost else None
        for i, tree in enumerate(trees)
    ]


class RoleLabels(NamedTuple):
    """The ids of labels. joint: Of tag and predicate. None: 0 is no predicate, 1 a
    predicate."""

    tags: RoleTags
    rolesets: dict[str, int]
    deprels: dict[str, int]
    joint: Optional[dict[JointLabel, int]] = None


def gold_roles(
    eg: Example, labels: RoleLabels, unknown: Optional[set[str]] = None
) -> list[GoldRoles]:
    """The gold roles of an Example's predicted sentences. unknown: Takes masked,
    unknown roles and rolesets."""
    sentences = sentence_words(eg.predicted)
    arcs = aligned_arcs(eg)
    aligned = _aligned_propositions(eg, sentences)
    tags = eg.get_aligned("TAG", as_string=True) if labels.joint is not None else []
    golds = []
    for words, annotated, lost in zip(sentences, *aligned, strict=True):
        propositions = annotated or []
        if unknown is not None:
            unknown.update(_unknown(propositions, labels))
        rows = [proposition.token for proposition in propositions]
        predicates = np.zeros(len(words), dtype=np.int32)
        predicates[rows] = 1
        if labels.joint is not None:
            predicates[:] = [
                labels.joint.get((tags[word] or "", flag), MISSING)
                for word, flag in zip(words, predicates.tolist(), strict=True)
            ]
        predicates[lost if annotated is not None else slice(None)] = MISSING
        encoded = [labels.tags.encode(p.args, len(words)) for p in propositions]
        rolesets = [labels.rolesets.get(p.roleset, MISSING) for p in propositions]
        gold = GoldRoles(
            predicates,
            np.array(rows, dtype=np.int64),
            np.array(encoded, dtype=np.int32).reshape(len(rows), len(words)),
            np.array(rolesets, dtype=np.int32),
            *_arcs_of(words, arcs, labels.deprels),
            args=[_arguments(proposition, labels.tags) for proposition in propositions],
        )
        golds.append(gold)
    return golds


def _unknown(propositions: Sequence[Proposition], labels: RoleLabels) -> Iterator[str]:
    for proposition in propositions:
        for _, _, role in proposition.args:
            if role not in labels.tags.roles:
                yield role
        if labels.rolesets and proposition.roleset not in ("", *labels.rolesets):
            yield proposition.roleset


def _arguments(proposition: Proposition, tags: RoleTags) -> list[tuple[int, int, int]]:
    """As in `GoldRoles.args`."""
    ids = {role: i for i, role in enumerate(tags.roles)}
    arguments = []
    for start, end, role in proposition.args:
        if role == PREDICATE_ROLE:
            if start != proposition.token or end != start + 2:
                continue
            start += 1
        arguments.append((start, end, ids.get(role, MISSING)))
    return arguments


def _aligned_propositions(
    eg: Example, sentences: list[list[int]]
) -> tuple[list[Optional[list[Proposition]]], list[list[int]]]:
    """For each predicted sentence its gold propositions over word positions, or None
    without roles; and the words that may be predicates, but whose gold proposition does
    not fit the predicted tokens. A predicate that is split keeps its first word, a
    merged token its first predicate."""
    reference = eg.reference
    lost: list[list[int]] = [[] for _ in sentences]
    if not has_propositions(reference):
        return [None] * len(sentences), lost
    if _is_equal(eg, sentences):
        return [*get_sentence_propositions(reference)], lost
    owners = _owners(sentences)
    by_token: list[dict[int, Proposition]] = [{} for _ in sentences]
    for proposition in get_propositions(reference):
        tokens = eg.alignment.y2x[proposition.token].tolist()
        places = [owners[x] for x in tokens if x in owners]
        args: list[Argument] = []
        touched: set[int] = set()
        for start, end, role in proposition.args:
            sentences_of, words = _moved(eg, owners, start, end)
            touched |= sentences_of
            if words is not None:
                args.append((*words, role))
        if not places or len(touched) != 1 or len(args) < len(proposition.args):
            for sentence, place in places:
                lost[sentence].append(place)
            continue
        token = places[0][1]
        moved = proposition._replace(token=token, args=tuple(args))
        by_token[touched.pop()].setdefault(token, moved)
    return [[row[token] for token in sorted(row)] for row in by_token], lost
