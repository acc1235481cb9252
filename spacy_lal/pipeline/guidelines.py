"""Decoders at times choose structures that the guidelines of a language's treebanks
exclude. Here parses lose them: of constituents and deprels that exclude each other, the
one with the lower score goes. Parses under constraints (`constrained.py`) stay as they
are."""

from collections.abc import Container, Iterator, Sequence
from itertools import takewhile
from typing import (
    NamedTuple,
    Optional,
)

import numpy as np
from spacy.tokens import Token

from ..lang.conventions import Conventions, Guidelines
from ..lang.universal import (
    AUXILIARY_DEPRELS,
    CLAUSE_DEPRELS,
    EXCLUSIVE_DEPRELS,
    PREDICATE_DEPENDENTS,
    SUBJECT_DEPRELS,
)
from ..scores import ParserScores, deprel_scores
from ..trees import SUB_HEAD, split_chain
from .charts import DecodedParse

# Of score, where an auxiliary with dependents becomes a predicate; chosen on EWT and
# GUM dev.
_MAX_LOSS = 2.0
_ROOT = "ROOT"
_VOCATIVE = "vocative"
_GROUPS: dict[str, int] = {
    name: number for number, group in enumerate(EXCLUSIVE_DEPRELS) for name in group
}


class Terms(NamedTuple):
    """What the numbers of a parse mean.
    labels, deprels (Sequence[str]): Strings by id.
    language (Conventions): The parser's."""

    labels: Sequence[str]
    deprels: Sequence[str]
    language: Conventions


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
    scores: ParserScores,
    terms: Terms,
    guidelines: Guidelines,
) -> DecodedParse:
    """A parse that follows guidelines: no preposition beside its noun phrase, no verb
    phrase without a verb that begins with a clause, no auxiliary with a subject, no
    xcomp with its own subject, no copula on the subject of its predicate, no two
    subjects or objects of a word, no measure as an agent; a name that is called after
    a greeting is no root; a pronoun of one case has the deprel of that case.
    words, scores: The sentence's."""
    has_heads = bool(parse.heads.any())
    revision = _Revision(words, parse, scores, terms, guidelines)
    if has_heads:
        revision.bind_prepositions()
    revision.drop_doubled_clauses()
    spans = np.array(revision.spans, dtype=np.int32).reshape(-1, 3)
    if not has_heads:
        return parse._replace(spans=spans)
    revision.raise_subjects()
    revision.lower_copulas()
    revision.free_complements()
    revision.free_auxiliaries()
    revision.rename_measures()
    revision.name_pronouns()
    revision.call_names()
    revision.mark_passives()
    revision.resolve_conflicts()
    ids = [terms.deprels.index(name) for name in revision.names]
    heads = np.array(revision.heads, dtype=np.int32)
    return parse._replace(
        spans=spans, heads=heads, deprels=np.array(ids, dtype=np.int32)
    )


class _Revision:
    """A sentence's parse, as rules change it.
    spans (List[List[int]]): Start, end, label id of each constituent, in pre-order.
    heads (List[int]): Of each word, from 1; 0 is the root.
    names (List[str]): The deprel of each word."""

    def __init__(
        self,
        words: Sequence[Token],
        parse: DecodedParse,
        scores: ParserScores,
        terms: Terms,
        rules: Guidelines,
    ) -> None:
        self.words = words
        self.spans: list[list[int]] = parse.spans.tolist()
        self.heads: list[int] = parse.heads.tolist()
        self.labels, self.deprels, _ = terms
        ids: list[int] = parse.deprels.tolist() if self.deprels else []
        self.names = [self.deprels[i] for i in ids]
        self.scores = scores
        self.rules = rules

    # Constituents

    def bind_prepositions(self) -> None:
        """Make a preposition and the noun phrase that it marks a phrase, where they are
        sisters of other phrases."""
        phrase = self.rules.prepositional_phrase
        if phrase not in self.labels:
            return
        for i, word in enumerate(self.words):
            if word.tag_ in self.rules.preposition_tags:
                end = self._end_of_phrase(i)
                if end is not None:
                    self.spans.append([i, end, self.labels.index(phrase)])
                    self.spans.sort(key=lambda span: (span[0], -span[1]))

    def _end_of_phrase(self, i: int) -> Optional[int]:
        """Where the phrase of a preposition ends that stands beside its noun phrase;
        None for another preposition."""
        around = [span for span in self.spans if span[0] <= i < span[1]]
        after = [span for span in self.spans if span[0] == i + 1]
        if not around or not after:
            return None
        start, end, label = around[-1]  # the smallest
        _, noun_end, sister = after[0]  # the largest
        is_marked = i + 1 < self.heads[i] <= noun_end
        is_whole = (start, end) == (i, noun_end)
        is_sister = start + 1 < end and noun_end <= end and not is_whole
        is_noun_phrase = split_chain(self.labels[sister])[0] == self.rules.noun_phrase
        innermost = split_chain(self.labels[label])[-1]
        has_place = innermost in self.rules.phrases_of_prepositions
        fits = is_marked and is_sister and is_noun_phrase and not has_place
        return noun_end if fits else None

    def drop_doubled_clauses(self) -> None:
        """Of two clauses that begin together, drop the one with the lower score, if the
        longer one has no verb but the other's, as in (S (VP (S (VP fearing death))
        (ADVP basically)))."""
        spans = self.spans
        dropped = set()
        for k, (start, end, label) in enumerate(spans[:-1]):
            inner_start, inner_end, inner = spans[k + 1]
            is_clause = self.labels[inner] in self.rules.clauses_of_verbs
            if start != inner_start or not is_clause:
                continue
            if split_chain(self.labels[label])[-1] != self.rules.verb_phrase:
                continue
            parts = self._parts(spans[k + 2 :], inner_end, end)
            if self.rules.parts_of_verb_phrases.isdisjoint(parts):
                of_outer = self.scores.labels[start, end, SUB_HEAD + 1 :].max()
                of_inner = self.scores.labels[start, inner_end, SUB_HEAD + 1 :].max()
                dropped.add(k if of_outer < of_inner else k + 1)
        self.spans = [span for k, span in enumerate(spans) if k not in dropped]

    def _parts(
        self, spans: Sequence[Sequence[int]], start: int, end: int
    ) -> Iterator[str]:
        """Labels of the constituents, and tags of the other words, that words from a
        place on are divided into."""
        while start < end:
            of_start = [span for span in spans if span[0] == start and span[1] <= end]
            if of_start:
                _, stop, label = of_start[0]
                yield split_chain(self.labels[label])[0]
                start = stop
            else:
                yield self.words[start].tag_
                start += 1

    # Heads and deprels

    def _names_of_dependents(self, i: int) -> list[str]:
        return [self.names[k] for k, head in enumerate(self.heads) if head == i + 1]

    def _best(self, i: int, allowed: Sequence[bool]) -> tuple[float, str]:
        """The best allowed deprel of a word: its loss of score, and its name."""
        scores = deprel_scores(self.scores, self.heads[i], i + 1)
        k = int(np.where(allowed, scores, -np.inf).argmax())
        present = scores[self.deprels.index(self.names[i])]
        return float(present - scores[k]), self.deprels[k]

    def raise_subjects(self) -> None:
        """Make the subject of an xcomp its governor's object, as in "I want him to
        win", if projective and the only one."""
        if "obj" not in self.deprels:
            return
        for i, name in enumerate(self.names):
            clause = self.heads[i] - 1
            governor = self.heads[clause] - 1
            is_subject = name in ("nsubj", "nsubj:pass")
            if not is_subject or self.names[clause] != "xcomp":
                continue
            if 0 <= governor < i < clause:
                is_first = clause + 1 not in self.heads[governor + 1 : i]
                if is_first and "obj" not in self._names_of_dependents(governor):
                    self.heads[i] = governor + 1
                    self.names[i] = "obj"

    def lower_copulas(self) -> None:
        """Let a copula between a predicate and its subject depend on the predicate, if
        projective, as in "What is your name?": UD has no phrase of copula and subject,
        as (SQ is your name) is one."""
        for i, name in enumerate(self.names):
            subject = self.heads[i] - 1
            predicate = self.heads[subject] - 1
            is_subject = name == "cop" and self.names[subject] == "nsubj"
            if is_subject and 0 <= predicate < i < subject:
                if subject + 1 not in self.heads[predicate + 1 : i]:
                    self.heads[i] = predicate + 1

    def free_complements(self) -> None:
        """Make the predicate of a small clause an xcomp of the verb, where it depends
        on the object: (S (NP Tom) (ADJP sad)) in "The news made Tom sad"."""
        if "xcomp" not in self.deprels:
            return
        rules = self.rules
        for k, (start, end, clause) in enumerate(self.spans[:-2]):
            if self.labels[clause] != rules.small_clause:
                continue
            object_start, object_end, phrase = self.spans[k + 1]
            has_object = self.labels[phrase] == rules.noun_phrase
            predicates = [
                self.labels[label]
                for *span, label in self.spans[k + 2 :]
                if span == [object_end, end]
            ]
            has_predicate = not rules.small_predicates.isdisjoint(predicates)
            if not (has_object and object_start == start and has_predicate):
                continue
            for i in range(object_end, end):
                thing = self.heads[i] - 1
                verb = self.heads[thing] - 1 if thing >= 0 else -1
                is_inside = start <= thing < object_end
                if is_inside and self.names[thing] == "obj" and 0 <= verb < start:
                    self.heads[i] = verb + 1
                    self.names[i] = "xcomp"

    def free_auxiliaries(self) -> None:
        """Make an auxiliary with a predicate's dependents a predicate, or give its
        dependents to the word that it stands with: all of them, so arcs do not
        cross."""
        clauses = [name.partition(":")[0] in CLAUSE_DEPRELS for name in self.deprels]
        for i, name in enumerate(self.names):
            if name not in AUXILIARY_DEPRELS or not self.heads[i]:
                continue
            if PREDICATE_DEPENDENTS.isdisjoint(self._names_of_dependents(i)):
                continue
            loss, clause = self._best(i, clauses)
            if any(clauses) and loss < _MAX_LOSS:
                self.names[i] = clause
            else:
                above = self.heads[i]
                self.heads = [above if head == i + 1 else head for head in self.heads]

    def rename_measures(self) -> None:
        """Make a measure no agent, but leave "half of them" one."""
        if "obl" not in self.deprels:
            return
        for i, name in enumerate(self.names):
            if name == "obl:agent" and self.words[i].lower_ in self.rules.measures:
                if "nmod" not in self._names_of_dependents(i):
                    self.names[i] = "obl"

    def name_pronouns(self) -> None:
        """Give the pronouns of a verb that have one case its deprel, and those that a
        hyphen joins to it whatever they were taken for, but for a second subject."""
        for i, name in enumerate(self.names):
            form = self.words[i].lower_
            is_joined = form[0] == "-" and not name.startswith("expl")
            if name in ("nsubj", "obj", "iobj") or is_joined:
                self.names[i] = self.rules.pronouns.get(form, name)

    def call_names(self) -> None:
        """Make the name in a sentence of a greeting and a name ("Thanks, Anna!") a
        `vocative` of the greeting."""
        greeting, names = self._greeting_and_names()
        if _VOCATIVE not in self.deprels or not greeting or not names:
            return
        first = self._outermost(greeting)
        called = self._outermost(names)
        for i in range(len(self.words)):
            if self.heads[i] == called + 1 and i not in names:
                self.heads[i] = first + 1
        self.heads[first] = 0
        self.names[first] = _ROOT
        self.heads[called] = first + 1
        self.names[called] = _VOCATIVE

    def _greeting_and_names(self) -> tuple[list[int], list[int]]:
        """The words of a greeting, and the names after it; none where anything else
        follows."""
        words = self.words
        others = [i for i, word in enumerate(words) if not word.is_punct]
        greetings = self.rules.greetings
        greeting = list(takewhile(lambda i: words[i].lower_ in greetings, others))
        names = others[len(greeting) :]
        are_names = all(words[i].pos_ == "PROPN" for i in names)
        return greeting, (names if are_names else [])

    def _outermost(self, words: Sequence[int]) -> int:
        """The first of some words whose head is not one of them."""
        return next(i for i in words if self.heads[i] - 1 not in words)

    def mark_passives(self) -> None:
        """Give the subject of a passive its deprel, after the verb, too: "On the hill
        was fought a battle"."""
        if "aux:pass" not in self.names:
            return
        for i, name in enumerate(self.names):
            siblings = self._names_of_dependents(self.heads[i] - 1)
            if "aux:pass" not in siblings:
                continue
            is_inverted = siblings[:2] == ["obl", "aux:pass"]
            if name == "obj" and is_inverted and SUBJECT_DEPRELS.isdisjoint(siblings):
                name = "nsubj"
            passive = f"{name}:pass"
            if name in ("nsubj", "csubj") and passive in self.deprels:
                self.names[i] = passive

    def resolve_conflicts(self) -> None:
        """While the deprels of two words exclude each other, give one of them another
        deprel: the word that loses less score. A pronoun of one case keeps its own."""
        for _ in self.names:
            options = []
            for i in self._conflict():
                if self.words[i].lower_ in self.rules.pronouns:
                    continue
                siblings = self._names_of_dependents(self.heads[i] - 1)
                groups = {_GROUPS.get(name) for name in siblings}
                allowed = [
                    name != self.names[i] and _GROUPS.get(name, -1) not in groups
                    for name in self.deprels
                ]
                loss, name = self._best(i, allowed)
                options.append((loss, i, name))
            if not options:
                return
            _, i, name = min(options)
            self.names[i] = name

    def _conflict(self) -> Sequence[int]:
        """Two words whose deprels exclude each other: two of a group, or a subject and
        the xcomp that governs it. Empty without such words."""
        seen: dict[tuple[int, int], int] = {}
        for i, (head, name) in enumerate(zip(self.heads, self.names, strict=True)):
            if name not in _GROUPS or not head:
                continue
            other = seen.setdefault((head, _GROUPS[name]), i)
            if other != i:
                return other, i
            if name in SUBJECT_DEPRELS and self.names[head - 1] == "xcomp":
                return head - 1, i
        return ()
