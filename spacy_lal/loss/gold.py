"""The gold annotation of Examples, on the predicted tokens and sentences: parses and
semantic roles. Annotations that are missing, or that cannot be carried over to the
predicted tokens, are masked."""

from typing import Iterator, NamedTuple, Optional, Sequence

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
    predicate_span,
)

JointLabel = tuple[str, bool]  # a tag, and whether the token is a predicate


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
    sentences = sentence_words(eg.predicted)
    heads, arcs_deprels = aligned_arcs(eg)
    trees = _aligned_trees(eg, sentences)
    golds = []
    unknown = set() if unknown is None else unknown
    if deprels:
        unknown.update(
            deprel for deprel in arcs_deprels if deprel and deprel not in deprels
        )
    for words, spans in zip(sentences, trees, strict=True):
        position: dict[Optional[int], int] = {
            word: i + 1 for i, word in enumerate(words)
        }
        sentence_heads = [
            0 if heads[w] == w else position.get(heads[w], MISSING) for w in words
        ]
        scored_heads = sentence_heads if deprels else [MISSING] * len(words)
        chart = _label_chart(
            spans, scored_heads, [arcs_deprels[w] or "" for w in words], labels, unknown
        )
        golds.append(
            GoldParse(
                labels=chart,
                heads=np.array(sentence_heads, dtype=np.int32),
                deprels=np.array(
                    [deprels.get(arcs_deprels[w] or "", MISSING) for w in words],
                    dtype=np.int32,
                ),
            )
        )
    return golds


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


def aligned_arcs(
    eg: Example,
) -> tuple[Sequence[Optional[int]], Sequence[Optional[str]]]:
    """For each predicted token, the index of its head (a root's own index) and its
    deprel; None where missing."""
    if not eg.reference.has_annotation("DEP"):
        return [None] * len(eg.predicted), [None] * len(eg.predicted)
    if not same_tokens(eg.predicted, eg.reference):
        heads, deprels = eg.get_aligned_parse(projectivize=False)
        # spaCy gives a word without a gold head its own index, as it gives a root.
        return [
            head if deprel else None
            for head, deprel in zip(heads, deprels, strict=True)
        ], deprels
    array = eg.reference.to_array(["HEAD", "DEP"])
    offsets = array[:, 0].astype(np.int64).tolist()
    strings = [eg.reference.vocab.strings[key] for key in array[:, 1]]
    return [
        i + offset if dep else None
        for i, (offset, dep) in enumerate(zip(offsets, strings, strict=True))
    ], strings


def _aligned_trees(
    eg: Example, sentences: list[list[int]]
) -> list[Optional[list[Constituent]]]:
    """For each predicted sentence, its gold constituents over word positions; None
    without a whole tree."""
    reference = eg.reference
    if SPANS_KEY not in reference.spans or not len(reference):
        return [None] * len(sentences)
    if same_tokens(eg.predicted, reference) and has_sentences(reference):
        if sentence_words(reference) == sentences:
            return [spans or None for spans in get_constituents(reference)]
    owner = {
        word: (s, i)
        for s, words in enumerate(sentences)
        for i, word in enumerate(words)
    }
    trees: list[Optional[list]] = [[] for _ in sentences]
    for span in constituent_tokens(reference):
        ends = _aligned_ends(eg, span.start, span.end)
        touched = {
            owner[x][0]
            for i in range(span.start, span.end)
            for x in eg.alignment.y2x[i].tolist()
            if x in owner
        }
        if ends is None or len(touched) != 1:
            for s in touched:
                trees[s] = None
            continue
        tree = trees[touched.pop()]
        if tree is not None:
            words = [owner[x][1] for x in range(ends[0], ends[1] + 1) if x in owner]
            tree.append(span._replace(start=words[0], end=words[-1] + 1))
    return [collapse_chains(tree) if tree else None for tree in trees]


def _aligned_ends(eg: Example, start: int, end: int) -> Optional[tuple[int, int]]:
    """First and last predicted token of a reference span; None if one of its ends falls
    inside a token."""
    alignment = eg.alignment
    of_first = alignment.y2x[start].tolist()
    of_last = alignment.y2x[end - 1].tolist()
    if not of_first or not of_last:
        return None
    first, last = of_first[0], of_last[-1]
    begins_at_token = alignment.x2y[first][0] == start
    ends_at_token = alignment.x2y[last][-1] == end - 1
    return (first, last) if begins_at_token and ends_at_token else None


def _label_chart(
    spans: Optional[list[Constituent]],
    heads: list[int],
    deprels: list[str],
    labels: LabelVocab,
    unknown: set[str],
) -> Optional[np.ndarray]:
    """The chart of gold label ids. None without a tree, with an unknown label, or if
    none covers the sentence."""
    if not spans or spans[0].end - spans[0].start != len(heads):
        return None
    any_heads = any(head != MISSING for head in heads)
    joined = joint_spans(spans, heads, deprels=deprels) if any_heads else spans
    chart, unseen = label_ids(joined, len(heads), labels)
    if len(labels) > SUB_HEAD + 1:  # else the network scores no constituents
        unknown.update(unseen)
    return None if unseen else chart


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
    heads, deprels = aligned_arcs(eg)
    propositions, lost = _aligned(eg, sentences)
    tags = eg.get_aligned("TAG", as_string=True) if labels.joint is not None else []
    golds = []
    for i, words in enumerate(sentences):
        position: dict[Optional[int], int] = {
            word: place for place, word in enumerate(words)
        }
        of_sentence = propositions[i]
        if unknown is not None:
            unknown.update(_unknown(of_sentence or (), labels))
        rows = [proposition.token for proposition in of_sentence or ()]
        of_words = [tags[word] for word in words] if tags else []
        predicates = _predicate_labels(
            len(words), None if of_sentence is None else rows, labels, of_words
        )
        predicates[lost[i]] = MISSING
        encoded = [
            labels.tags.encode(proposition.args, len(words))
            for proposition in of_sentence or ()
        ]
        golds.append(
            GoldRoles(
                predicates=predicates,
                rows=np.array(rows, dtype=np.int64),
                tags=np.array(encoded, dtype=np.int32).reshape(len(rows), len(words)),
                rolesets=np.array(
                    [
                        labels.rolesets.get(one.roleset, MISSING)
                        for one in of_sentence or ()
                    ],
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
                    _arguments(proposition, labels.tags)
                    for proposition in of_sentence or ()
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


def _arguments(proposition: Proposition, tags: RoleTags) -> list[tuple[int, int, int]]:
    ids = {role: i for i, role in enumerate(tags.roles)}
    arguments = [
        (start, end, ids.get(role, MISSING))
        for start, end, role in proposition.args
        if role != PREDICATE_ROLE
    ]
    start, end = predicate_span(proposition.args)
    if (start, end) == (
        proposition.token,
        proposition.token + 2,
    ) and PREDICATE_ROLE in ids:
        arguments.append((start + 1, end, ids[PREDICATE_ROLE]))
    return arguments


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
) -> tuple[list[Optional[list[Proposition]]], list[list[int]]]:
    """For each predicted sentence its gold propositions over word positions, or None
    without roles; and the words that may be predicates, but whose gold proposition does
    not fit the predicted tokens."""
    reference = eg.reference
    lost: list[list[int]] = [[] for _ in sentences]
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
    by_token: list[dict[int, Proposition]] = [{} for _ in sentences]
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
    return [
        [propositions[token] for token in sorted(propositions)]
        for propositions in by_token
    ], lost


def _move(
    eg: Example, proposition: Proposition, owner: dict[int, tuple[int, int]]
) -> Optional[tuple[int, Proposition]]:
    """A proposition on the predicted words, and its sentence; None if an end falls
    inside a predicted token, or it crosses sentences. A predicate that is split keeps
    its first word."""
    args: list[Argument] = []
    sentences: set[int] = set()
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
