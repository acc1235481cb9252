"""Parses without what no treebank of Penn labels or Universal Dependencies has, and
decoders choose at times. Of constituents and deprels that exclude each other, the one
with the lower score goes. Parses under constraints (`constrained.py`) stay as they
are."""

from typing import Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Token

from ..lang.en.treebank import (
    MARK_TAGS,
    PHRASES_OF_PREPOSITIONS,
    PREPOSITION_TAGS,
)
from ..lang.en.words import MEASURES
from ..lang.universal import CLAUSE_DEPRELS
from ..scores import AnyScores, deprel_scores
from ..trees import SUB_HEAD, split_chain
from .decoders import DecodedParse

# A predicate has one dependent of each group at most.
_GROUPS = {
    "nsubj": 0,
    "nsubj:pass": 0,
    "csubj": 0,
    "csubj:pass": 0,
    "obj": 1,
    "ccomp": 1,
    "iobj": 2,
}
_OF_PREDICATES = frozenset(
    {*_GROUPS, "advcl", "aux", "aux:pass", "cop", "mark", "obl", "xcomp"}
)
_AUXILIARIES = frozenset({"aux", "aux:pass", "cop"})
_MAX_LOSS = 2.0  # of score, where an auxiliary with dependents becomes a predicate; chosen on EWT and GUM dev
_DOUBLED = frozenset({"S::VP", "SBAR::S::VP"})
_OF_VERBS = frozenset({"CC", "MD", "POS", "TO", "VP"})


def follow_guidelines(
    words: Sequence[Token],
    parse: DecodedParse,
    scores: AnyScores,
    labels: Sequence[str],
    deprels: Sequence[str],
) -> DecodedParse:
    """A parse without phrases of marks alone, a preposition beside its noun phrase, a
    verb phrase without a verb that begins with a clause, an auxiliary with a subject,
    an xcomp with its own subject, two subjects or objects of a word, a measure as an
    agent. words, scores: The sentence's."""
    parse = with_prepositional_phrases(words, without_marks(words, parse), labels)
    parse = without_doubled_clauses(words, parse, scores, labels)
    return (
        with_possible_deprels(words, parse, scores, deprels)
        if parse.heads.any()
        else parse
    )


def with_prepositional_phrases(
    words: Sequence[Token], parse: DecodedParse, labels: Sequence[str]
) -> DecodedParse:
    """A parse in which a preposition and the noun phrase that it marks are a PP, not
    sisters of other phrases."""
    spans = parse.spans
    if "PP" not in labels or not len(spans) or not parse.heads.any():
        return parse
    for i in (i for i, word in enumerate(words) if word.tag_ in PREPOSITION_TAGS):
        around, after = (
            spans[(spans[:, 0] <= i) & (i < spans[:, 1])],
            spans[spans[:, 0] == i + 1],
        )
        if (
            not len(around)
            or not len(after)
            or not i + 1 < parse.heads[i] <= after[0, 1]
        ):
            continue
        (start, end, label), (_, stop, sister) = (
            around[-1],
            after[0],
        )  # in pre-order: the smallest, the largest
        is_sister = start + 1 < end and stop <= end and (start, end) != (i, stop)
        chain = split_chain(labels[label])
        if (
            is_sister
            and split_chain(labels[sister])[0] == "NP"
            and chain[-1] not in PHRASES_OF_PREPOSITIONS
        ):
            spans = np.concatenate(
                [spans, np.array([[i, stop, labels.index("PP")]], dtype=spans.dtype)]
            )
            spans = spans[np.lexsort((-spans[:, 1], spans[:, 0]))]  # pre-order
    return parse._replace(spans=spans)


def without_marks(words: Sequence[Token], parse: DecodedParse) -> DecodedParse:
    """A parse without constituents of punctuation alone that are less than the
    sentence: no treebank has them."""
    marks = np.array(
        [word.tag_ in MARK_TAGS if word.tag else word.is_punct for word in words],
        dtype=bool,
    )
    if len(marks) < 2 or not marks.any() or not len(parse.spans):
        return parse
    n_before = np.concatenate([[0], np.cumsum(marks)])
    lengths = parse.spans[:, 1] - parse.spans[:, 0]
    of_marks = n_before[parse.spans[:, 1]] - n_before[parse.spans[:, 0]] == lengths
    return parse._replace(spans=parse.spans[~of_marks | (lengths == len(words))])


def without_doubled_clauses(
    words: Sequence[Token],
    parse: DecodedParse,
    scores: AnyScores,
    labels: Sequence[str],
) -> DecodedParse:
    """A parse without one of two clauses that begin together, where the longer one has
    its verb from the other alone, as in (S (VP (S (VP fearing death)) (ADVP
    basically))): the one with the lower score goes."""
    spans, dropped = parse.spans.tolist(), []
    for k in range(len(spans) - 1):
        (start, end, label), (first, middle, inner) = spans[k : k + 2]  # in pre-order
        if (
            start != first
            or labels[inner] not in _DOUBLED
            or split_chain(labels[label])[-1] != "VP"
        ):
            continue
        kinds = _children(words, spans[k + 2 :], middle, end, labels)
        if not any(kind in _OF_VERBS or kind[:1] == "V" for kind in kinds):
            longer, shorter = (
                float(scores.labels[start, stop, SUB_HEAD + 1 :].max())
                for stop in (end, middle)
            )
            dropped.append(k if longer < shorter else k + 1)
    return (
        parse._replace(spans=np.delete(parse.spans, dropped, axis=0))
        if dropped
        else parse
    )


def _children(
    words: Sequence[Token],
    spans: Sequence[Sequence[int]],
    start: int,
    end: int,
    labels: Sequence[str],
) -> Iterator[str]:
    """Labels of the constituents, and tags of the other words, that words from a place
    on are divided into."""
    while start < end:
        of_start = [
            (stop, label)
            for first, stop, label in spans
            if first == start and stop <= end
        ]
        yield split_chain(labels[of_start[0][1]])[0] if of_start else words[start].tag_
        start = of_start[0][0] if of_start else start + 1


def with_possible_deprels(
    words: Sequence[Token],
    parse: DecodedParse,
    scores: AnyScores,
    deprels: Sequence[str],
) -> DecodedParse:
    """A parse in which Universal Dependencies allow each word's dependents."""
    heads, names = parse.heads.tolist(), [deprels[i] for i in parse.deprels.tolist()]
    before = [*heads], [*names]
    raise_subjects(heads, names, deprels)

    def best(i: int, allowed: Sequence[bool]) -> Tuple[float, int, str]:
        """What the best allowed deprel of a word loses in score; the word, and the
        deprel."""
        found = deprel_scores(scores, heads[i], i + 1)
        k = int(np.where(allowed, found, -np.inf).argmax())
        return float(found[deprels.index(names[i])] - found[k]), i, deprels[k]

    clauses = [name.partition(":")[0] in CLAUSE_DEPRELS for name in deprels]
    for i in (i for i, name in enumerate(names) if name in _AUXILIARIES and heads[i]):
        dependents = [k for k, head in enumerate(heads) if head == i + 1]
        if any(names[k] in _OF_PREDICATES for k in dependents):
            loss, _, name = best(i, clauses)
            if any(clauses) and loss < _MAX_LOSS:
                names[i] = name
            else:  # all of them: arcs do not cross then
                heads = [
                    heads[i] if k in dependents else head
                    for k, head in enumerate(heads)
                ]
    for i in (
        i
        for i, name in enumerate(names)
        if name == "obl:agent" and words[i].lower_ in MEASURES
    ):
        is_measure = "obl" in deprels and ("nmod", i + 1) not in zip(
            names, heads, strict=True
        )  # not "half of them"
        names[i] = "obl" if is_measure else names[i]
    passive = {
        head for head, name in zip(heads, names, strict=True) if name == "aux:pass"
    }
    for i in (
        i
        for i, name in enumerate(names)
        if name in ("nsubj", "csubj") and heads[i] in passive
    ):
        names[i] = f"{names[i]}:pass" if f"{names[i]}:pass" in deprels else names[i]
    for _ in names:
        excluded = _conflict(heads, names)
        if excluded is None:
            break
        options = []
        for i in excluded:
            taken = {
                _GROUPS.get(name)
                for name, head in zip(names, heads, strict=True)
                if head == heads[i]
            }
            options.append(
                best(
                    i,
                    [
                        name != names[i] and (_GROUPS.get(name, "") not in taken)
                        for name in deprels
                    ],
                )
            )
        _, i, names[i] = min(options)
    if (heads, names) == before:
        return parse
    ids = np.array([deprels.index(name) for name in names], dtype=np.int32)
    return parse._replace(heads=np.array(heads, dtype=np.int32), deprels=ids)


def _conflict(heads: Sequence[int], names: Sequence[str]) -> Optional[Tuple[int, int]]:
    """Two words whose deprels exclude each other: two of a group, or a subject and the
    xcomp that governs it."""
    seen: Dict[Tuple[int, int], int] = {}
    for i, (head, name) in enumerate(zip(heads, names, strict=True)):
        group = _GROUPS.get(name)
        if group is not None and head:
            other = seen.setdefault((head, group), i)
            if other != i:
                return other, i
            if not group and names[head - 1] == "xcomp":
                return head - 1, i
    return None


def raise_subjects(heads: List[int], names: List[str], deprels: Sequence[str]) -> None:
    """Make the subject of an xcomp its governor's object, as in "I want him to win", if
    projective and the only one."""
    if "xcomp" not in names or "obj" not in deprels:
        return
    for i, name in enumerate(names):
        clause = heads[i] - 1
        governor = heads[clause] - 1
        if (
            name in ("nsubj", "nsubj:pass")
            and names[clause] == "xcomp"
            and 0 <= governor < i < clause
        ):
            others = [j for j in range(governor + 1, i) if heads[j] - 1 == clause]
            if not others and not any(
                head == governor + 1 and names[j] == "obj"
                for j, head in enumerate(heads)
            ):
                heads[i], names[i] = governor + 1, "obj"
