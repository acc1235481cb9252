"""Decoders at times choose structures that the guidelines of a language's treebanks
exclude. Here parses lose them: of constituents and deprels that exclude each other, the
one with the lower score goes. Parses under constraints (`constrained.py`) stay as they
are."""

from itertools import takewhile
from typing import Container, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import numpy as np
from spacy.tokens import Token

from ..lang.conventions import Guidelines
from ..lang.universal import (
    AUXILIARY_DEPRELS,
    CLAUSE_DEPRELS,
    EXCLUSIVE_DEPRELS,
    PREDICATE_DEPENDENTS,
    SUBJECT_DEPRELS,
)
from ..scores import AnyScores, deprel_scores
from ..trees import SUB_HEAD, split_chain
from .decoders import DecodedParse, in_preorder

# Of score, where an auxiliary with dependents becomes a predicate; chosen on EWT and
# GUM dev.
_MAX_LOSS = 2.0
_ROOT = "ROOT"
_VOCATIVE = "vocative"


def without_marks(
    words: Sequence[Token], parse: DecodedParse, mark_tags: Container[str]
) -> DecodedParse:
    """A parse without constituents of punctuation alone that are less than the
    sentence: no treebank has them.
    words (Sequence[Token]): The sentence's.
    mark_tags (Container[str]): The tags of punctuation, for words with tags."""
    is_mark = [word.tag_ in mark_tags if word.tag else word.is_punct for word in words]
    if len(words) < 2 or not any(is_mark) or not len(parse.spans):
        return parse
    n_before = np.concatenate([[0], np.cumsum(is_mark)])
    starts, ends, _ = parse.spans.T
    lengths = ends - starts
    are_marks = n_before[ends] - n_before[starts] == lengths
    return parse._replace(spans=parse.spans[~are_marks | (lengths == len(words))])


def follow_guidelines(
    words: Sequence[Token],
    parse: DecodedParse,
    scores: AnyScores,
    labels: Sequence[str],
    deprels: Sequence[str],
    guidelines: Guidelines,
) -> DecodedParse:
    """A parse that follows guidelines: no preposition beside its noun phrase, no verb
    phrase without a verb that begins with a clause, no auxiliary with a subject, no
    xcomp with its own subject, no two subjects or objects of a word, no measure as an
    agent; a name that is called after a greeting is no root.
    words, scores: The sentence's.
    labels, deprels (Sequence[str]): Strings by id."""
    parse = with_prepositional_phrases(words, parse, labels, guidelines)
    parse = without_doubled_clauses(words, parse, scores, labels, guidelines)
    if not parse.heads.any():
        return parse
    arcs = _Arcs(parse, scores, deprels)
    _raise_subjects(arcs)
    _free_complements(arcs, parse.spans.tolist(), labels, guidelines)
    _free_auxiliaries(arcs)
    _rename_measures(arcs, words, guidelines.measures)
    _call_names(arcs, words, guidelines.greetings)
    _mark_passives(arcs)
    _resolve_conflicts(arcs)
    ids = [deprels.index(name) for name in arcs.names]
    return parse._replace(
        heads=np.array(arcs.heads, dtype=np.int32),
        deprels=np.array(ids, dtype=np.int32),
    )


# Constituents


def with_prepositional_phrases(
    words: Sequence[Token],
    parse: DecodedParse,
    labels: Sequence[str],
    guidelines: Guidelines,
) -> DecodedParse:
    """A parse in which a preposition and the noun phrase that it marks are a phrase,
    not sisters of other phrases."""
    phrase = guidelines.prepositional_phrase
    if phrase not in labels or not parse.heads.any():
        return parse
    spans = parse.spans
    for i, word in enumerate(words):
        if word.tag_ in guidelines.preposition_tags:
            end = _end_of_phrase(i, parse.heads[i], spans, labels, guidelines)
            if end is not None:
                added = np.array([[i, end, labels.index(phrase)]], dtype=spans.dtype)
                spans = in_preorder(np.concatenate([spans, added]))
    return parse._replace(spans=spans)


def _end_of_phrase(
    i: int,
    head: int,
    spans: np.ndarray,
    labels: Sequence[str],
    guidelines: Guidelines,
) -> Optional[int]:
    """Where the phrase of a preposition ends that stands beside its noun phrase; None
    for another preposition.
    head (int): The preposition's head, counted from 1.
    spans (ndarray): In pre-order. Shape: (k, 3)."""
    around = spans[(spans[:, 0] <= i) & (i < spans[:, 1])]
    after = spans[spans[:, 0] == i + 1]
    if not len(around) or not len(after):
        return None
    start, end, label = around[-1]  # the smallest
    _, noun_end, sister = after[0]  # the largest
    is_marked = i + 1 < head <= noun_end
    is_whole = (start, end) == (i, noun_end)
    is_sister = start + 1 < end and noun_end <= end and not is_whole
    is_noun_phrase = split_chain(labels[sister])[0] == guidelines.noun_phrase
    innermost = split_chain(labels[label])[-1]
    has_place = innermost in guidelines.phrases_of_prepositions
    if is_marked and is_sister and is_noun_phrase and not has_place:
        return int(noun_end)
    return None


def without_doubled_clauses(
    words: Sequence[Token],
    parse: DecodedParse,
    scores: AnyScores,
    labels: Sequence[str],
    guidelines: Guidelines,
) -> DecodedParse:
    """Of two clauses that begin together, drop the one with the lower score, if the
    longer one has no verb but the other's, as in (S (VP (S (VP fearing death)) (ADVP
    basically)))."""
    spans = parse.spans.tolist()
    dropped = []
    for k in range(len(spans) - 1):  # in pre-order
        start, end, label = spans[k]
        inner_start, inner_end, inner = spans[k + 1]
        is_verb_phrase = split_chain(labels[label])[-1] == guidelines.verb_phrase
        is_clause = labels[inner] in guidelines.clauses_of_verbs
        if start != inner_start or not is_verb_phrase or not is_clause:
            continue
        parts = _parts(words, spans[k + 2 :], inner_end, end, labels)
        if guidelines.parts_of_verb_phrases.isdisjoint(parts):
            of_outer = scores.labels[start, end, SUB_HEAD + 1 :].max()
            of_inner = scores.labels[start, inner_end, SUB_HEAD + 1 :].max()
            dropped.append(k if of_outer < of_inner else k + 1)
    return parse._replace(spans=np.delete(parse.spans, dropped, axis=0))


def _parts(
    words: Sequence[Token],
    spans: Sequence[Sequence[int]],
    start: int,
    end: int,
    labels: Sequence[str],
) -> Iterator[str]:
    """Labels of the constituents, and tags of the other words, that words from a place
    on are divided into."""
    while start < end:
        of_start = [span for span in spans if span[0] == start and span[1] <= end]
        if of_start:
            _, stop, label = of_start[0]
            yield split_chain(labels[label])[0]
            start = stop
        else:
            yield words[start].tag_
            start += 1


# Heads and deprels


class _Arcs:
    """The heads and deprels of a parse, as rules change them.
    heads (List[int]): Of each word, from 1; 0 is the root.
    names (List[str]): The deprel of each word."""

    def __init__(
        self, parse: DecodedParse, scores: AnyScores, deprels: Sequence[str]
    ) -> None:
        self.heads: List[int] = parse.heads.tolist()
        self.names = [deprels[i] for i in parse.deprels.tolist()]
        self.deprels = deprels
        self._scores = scores

    def dependents(self, i: int) -> List[int]:
        """The dependents of a word."""
        return [k for k, head in enumerate(self.heads) if head == i + 1]

    def outermost(self, words: Sequence[int]) -> int:
        """The first of some words whose head is not one of them."""
        return next(i for i in words if self.heads[i] - 1 not in words)

    def best(self, i: int, allowed: Sequence[bool]) -> Tuple[float, str]:
        """The best allowed deprel of a word: its loss of score, and its name."""
        scores = deprel_scores(self._scores, self.heads[i], i + 1)
        k = int(np.where(allowed, scores, -np.inf).argmax())
        present = scores[self.deprels.index(self.names[i])]
        return float(present - scores[k]), self.deprels[k]


def _raise_subjects(arcs: _Arcs) -> None:
    """Make the subject of an xcomp its governor's object, as in "I want him to win", if
    projective and the only one."""
    if "obj" not in arcs.deprels:
        return
    for i, name in enumerate(arcs.names):
        clause = arcs.heads[i] - 1
        governor = arcs.heads[clause] - 1
        is_subject = name in ("nsubj", "nsubj:pass") and arcs.names[clause] == "xcomp"
        if is_subject and 0 <= governor < i < clause:
            between = range(governor + 1, i)
            is_first = clause not in [arcs.heads[k] - 1 for k in between]
            objects = [arcs.names[k] for k in arcs.dependents(governor)]
            if is_first and "obj" not in objects:
                arcs.heads[i] = governor + 1
                arcs.names[i] = "obj"


def _free_complements(
    arcs: _Arcs,
    spans: Sequence[Sequence[int]],
    labels: Sequence[str],
    guidelines: Guidelines,
) -> None:
    """Make the predicate of a small clause an xcomp of the verb, where it depends on
    the object: (S (NP Tom) (ADJP sad)) in "The news made Tom sad".
    spans (Sequence[Sequence[int]]): In pre-order."""
    if "xcomp" not in arcs.deprels:
        return
    for k in range(len(spans) - 2):
        start, end, clause = spans[k]
        object_start, object_end, phrase = spans[k + 1]
        is_clause = labels[clause] == guidelines.small_clause
        is_object = labels[phrase] == guidelines.noun_phrase
        if not is_clause or not is_object or object_start != start:
            continue
        predicates = [
            span
            for span in spans[k + 2 :]
            if span[:2] == [object_end, end]
            and labels[span[2]] in guidelines.small_predicates
        ]
        if not predicates:
            continue
        for i in range(object_end, end):
            thing = arcs.heads[i] - 1
            verb = arcs.heads[thing] - 1 if thing >= 0 else -1
            is_inside = start <= thing < object_end
            if is_inside and arcs.names[thing] == "obj" and 0 <= verb < start:
                arcs.heads[i] = verb + 1
                arcs.names[i] = "xcomp"


def _free_auxiliaries(arcs: _Arcs) -> None:
    """Make an auxiliary with a predicate's dependents a predicate, or give its
    dependents to the word that it stands with: all of them, so arcs do not cross."""
    clauses = [name.partition(":")[0] in CLAUSE_DEPRELS for name in arcs.deprels]
    for i, name in enumerate(arcs.names):
        if name not in AUXILIARY_DEPRELS or not arcs.heads[i]:
            continue
        dependents = arcs.dependents(i)
        if PREDICATE_DEPENDENTS.isdisjoint(arcs.names[k] for k in dependents):
            continue
        loss, clause = arcs.best(i, clauses)
        if any(clauses) and loss < _MAX_LOSS:
            arcs.names[i] = clause
        else:
            for k in dependents:
                arcs.heads[k] = arcs.heads[i]


def _call_names(arcs: _Arcs, words: Sequence[Token], greetings: Container[str]) -> None:
    """Make the name in a sentence of a greeting and a name ("Thanks, Anna!") a
    `vocative` of the greeting."""
    if _VOCATIVE not in arcs.deprels:
        return
    greeting, names = _greeting_and_names(words, greetings)
    if not greeting or not names:
        return
    first = arcs.outermost(greeting)
    called = arcs.outermost(names)
    for i in range(len(words)):
        if arcs.heads[i] == called + 1 and i not in names:
            arcs.heads[i] = first + 1
    arcs.heads[first] = 0
    arcs.names[first] = _ROOT
    arcs.heads[called] = first + 1
    arcs.names[called] = _VOCATIVE


def _greeting_and_names(
    words: Sequence[Token], greetings: Container[str]
) -> Tuple[List[int], List[int]]:
    """Give the words of a greeting, and the names after it; none where anything else
    follows."""
    others = [i for i, word in enumerate(words) if not word.is_punct]
    greeting = list(takewhile(lambda i: words[i].lower_ in greetings, others))
    rest = others[len(greeting) :]
    are_names = all(words[i].pos_ == "PROPN" for i in rest)
    return greeting, (rest if are_names else [])


def _rename_measures(
    arcs: _Arcs, words: Sequence[Token], measures: Container[str]
) -> None:
    """Make a measure no agent, but leave "half of them" one."""
    if "obl" not in arcs.deprels:
        return
    for i, name in enumerate(arcs.names):
        if name == "obl:agent" and words[i].lower_ in measures:
            if "nmod" not in [arcs.names[k] for k in arcs.dependents(i)]:
                arcs.names[i] = "obl"


def _mark_passives(arcs: _Arcs) -> None:
    """Give the subject of a passive its deprel."""
    for i, name in enumerate(arcs.names):
        passive = f"{name}:pass"
        if name in ("nsubj", "csubj") and passive in arcs.deprels:
            siblings = arcs.dependents(arcs.heads[i] - 1)
            if "aux:pass" in [arcs.names[k] for k in siblings]:
                arcs.names[i] = passive


def _resolve_conflicts(arcs: _Arcs) -> None:
    """While the deprels of two words exclude each other, give one of them another
    deprel: the word that loses less score."""
    for _ in arcs.names:
        excluded = _conflict(arcs)
        if not excluded:
            return
        options = []
        for i in excluded:
            siblings = arcs.dependents(arcs.heads[i] - 1)
            taken = {arcs.names[i], *_exclusive(arcs.names[k] for k in siblings)}
            loss, name = arcs.best(i, [name not in taken for name in arcs.deprels])
            options.append((loss, i, name))
        _, i, name = min(options)
        arcs.names[i] = name


def _exclusive(names: Iterator[str]) -> Set[str]:
    """The deprels that the deprels of a word's dependents leave no room for."""
    here = set(names)
    groups = [group for group in EXCLUSIVE_DEPRELS if group & here]
    return set().union(*groups)


def _conflict(arcs: _Arcs) -> Sequence[int]:
    """Two words whose deprels exclude each other: two of a group, or a subject and the
    xcomp that governs it. Empty without such words."""
    seen: Dict[Tuple[int, int], int] = {}
    for i, (head, name) in enumerate(zip(arcs.heads, arcs.names, strict=True)):
        groups = [g for g, group in enumerate(EXCLUSIVE_DEPRELS) if name in group]
        if not groups or not head:
            continue
        other = seen.setdefault((head, groups[0]), i)
        if other != i:
            return other, i
        if name in SUBJECT_DEPRELS and arcs.names[head - 1] == "xcomp":
            return head - 1, i
    return ()
