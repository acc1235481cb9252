"""The labels of both components, collected from training data; and the rolesets that a
predicate's words can have. *Not* here: ids in the networks, scores."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, Optional

import numpy
from numpy import ndarray
from spacy.training import Example

from ..annotations import (
    frame_of,
    get_constituents,
    get_propositions,
    has_propositions,
    has_sentences,
)
from ..lang.conventions import LemmaRule
from ..loss.gold import copy_sentence_starts
from ..models.batches import N_SPECIAL_CHARS
from ..trees.frames import Frame
from ..trees.roles import PREDICATE_ROLE, predicate_span

MIN_CHAR_COUNT = (
    2  # rarer characters share the unknown character's vector, which is thereby trained
)
MAX_CODEPOINTS = (256, 512)  # of Kitaev & Klein's two alphabets of all codepoints
VOCABULARIES = ("constituents", "deprels", "tags", "chars", "words", "word_counts")
ROLE_VOCABULARIES = ("roles", "rolesets", "senses", "aliases", "deprels", "predicates")

Sense = tuple[
    str, list[int]
]  # the words of a V, lower-cased, and the ids of their rolesets
Alias = tuple[
    str, list[str]
]  # the words of a predicate, lower-cased, and their rolesets


def collect_labels(
    examples: Iterable[Example], *, alphabet: Optional[str] = None, words: bool = False
) -> dict[str, list[Any]]:
    """The vocabularies of the references: constituents (unary chains), deprels, tags,
    chars, words; each by descending frequency. alphabet: See `CharFeature`. words
    (bool): Whether to collect words and the number of each."""
    constituents, deprels, tags, chars, forms = (Counter[str]() for _ in range(5))
    for eg in examples:
        doc = eg.reference
        if not has_sentences(doc):
            eg = Example(doc.copy(), doc)
            copy_sentence_starts(eg)
            doc = eg.predicted
        constituents.update(
            span.label for spans in get_constituents(doc) for span in spans
        )
        for token in doc:
            if not token.is_space:
                deprels[token.dep_] += 1
                tags[token.tag_] += 1
                chars.update(token.text)
                forms[token.text] += 1
    known_words = _by_frequency(forms) if words else []
    frequent = [char for char in _by_frequency(chars) if chars[char] >= MIN_CHAR_COUNT]
    return {
        "constituents": _by_frequency(constituents),
        "deprels": _by_frequency(deprels),
        "tags": _by_frequency(tags),
        "chars": _codepoints(chars) if alphabet == "codepoints" else frequent,
        "words": known_words,
        "word_counts": [forms[word] for word in known_words],
    }


def _codepoints(chars: Iterable[str]) -> list[str]:
    """Kitaev & Klein's alphabet (docs/explanation/parser.md, Inputs), without the
    special characters, for which the first codepoints stand."""
    highest = max(map(ord, chars), default=0)
    for end in MAX_CODEPOINTS:
        if highest < end:
            return [chr(i) for i in range(N_SPECIAL_CHARS, end)]
    return sorted(char for char in chars if ord(char) >= N_SPECIAL_CHARS)


def collect_role_labels(examples: Iterable[Example]) -> dict[str, list[Any]]:
    """The labels of the references, each kind by descending frequency.

    RETURNS (Dict[str, List[Any]]): `roles`; `rolesets`; `senses`, the words of a V with
        the ids of their rolesets; `aliases`, which only frames give: none; `deprels`;
        `predicates`, pairs of tag and whether such a token is a predicate, other tokens
        first."""
    roles: Counter[str] = Counter()
    deprels: Counter[str] = Counter()
    joint: Counter[tuple[str, bool]] = Counter()
    pairs: list[tuple[str, str]] = []
    for eg in examples:
        doc = eg.reference
        deprels.update(token.dep_ for token in doc if not token.is_space)
        if not has_propositions(doc):
            continue
        propositions = get_propositions(doc)
        predicates = {proposition.token for proposition in propositions}
        words = [token for token in doc if not token.is_space]
        joint.update((token.tag_, token.i in predicates) for token in words)
        for proposition in propositions:
            roles.update(role for _, _, role in proposition.args)
            start, end = predicate_span(proposition.args)
            verb = [token.text for token in words if start <= token.i < end]
            pairs.append((" ".join(verb), proposition.roleset))
    rolesets, senses = collect_senses(pairs)
    return {
        "roles": sorted(_by_frequency(roles), key=lambda role: role != PREDICATE_ROLE),
        "rolesets": rolesets,
        "senses": [list(sense) for sense in senses],
        "aliases": [],
        "deprels": _by_frequency(deprels),
        "predicates": sorted(map(list, _by_frequency(joint)), key=itemgetter(1)),
    }


def _by_frequency(counter: Counter) -> list[Any]:
    """What is counted, by descending frequency, but for empty strings."""
    values = filter(None, counter)
    return sorted(values, key=lambda value: (-counter[value], value))


class Rolesets:
    """Which rolesets a predicate's words can have; see `Sense` and `Alias`.

    rolesets (Sequence[str]): All rolesets of the training data. Rolesets that only
        `aliases` name have no scores.
    aliases (Iterable[Alias]): Of PropBank's frames; for words that the training data
        lacks.
    lemma_of (Optional[LemmaRule]): Of the language; None for one without lemmas."""

    def __init__(
        self,
        rolesets: Sequence[str],
        senses: Iterable[Sense],
        aliases: Iterable[Alias],
        lemma_of: Optional[LemmaRule],
    ) -> None:
        self._senses = dict(senses)
        self._aliases = dict(aliases)
        self.rolesets = list(dict.fromkeys(chain(rolesets, *self._aliases.values())))
        self._n_scored = len(rolesets)
        self._ids = {roleset: i for i, roleset in enumerate(self.rolesets)}
        self._lemma_of = lemma_of
        self._frames: dict[str, list[int]] = {}
        for i, roleset in enumerate(rolesets):
            self._frames.setdefault(frame_of(roleset), []).append(i)

    def candidates(self, words: str, lemma: str = "") -> list[int]:
        """The rolesets of a predicate. If the training data has its words, their
        rolesets that its lemma's frames have; else, for its lemma or its words without
        an ending, the rolesets of the frames' aliases and of the frame of that
        name; else none. Rolesets of the training data come first, by descending
        frequency. words: The words of the V. lemma: The lemma of the predicate's token,
        if known."""
        words = words.lower()
        lemma = lemma.lower()
        seen = self._senses.get(words, [])
        names = frame_names(words, lemma, self._lemma_of)
        if not lemma and seen:
            return seen
        # "wound", of "wind"
        others = [name for name in names if name != words or lemma == words]
        allowed = {i for name in others for i in self._of_name(name)}
        kept = [
            i
            for i in seen
            if i in allowed or frame_of(self.rolesets[i]).partition("_")[0] in others
        ]
        if kept:
            return kept
        for name in names:
            ids = self._of_name(name)
            # rolesets of the training data by their frequency; the others keep their
            # order
            if ids:
                return sorted(ids, key=lambda i: min(i, self._n_scored))
        return seen

    def _of_name(self, name: str) -> dict[int, None]:
        of_alias = [self._ids[roleset] for roleset in self._aliases.get(name, ())]
        return dict.fromkeys([*of_alias, *self._frames.get(name, ())])

    def choose(self, words: str, lemma: str, scores: Optional[ndarray]) -> str:
        """The roleset of a predicate: the candidate with the highest score, *Shape:*
        (n_rolesets,), or without scores the first. Without candidates, its lemma with
        `.01`; empty where the data has no rolesets."""
        if not self._n_scored:
            return ""
        ids = self.candidates(words, lemma)
        if not ids:
            first, *_ = words.lower().partition(" ")
            names = frame_names(first, lemma.lower(), self._lemma_of)
            return f"{names[0]}.01"
        scored = [i for i in ids if i < self._n_scored]
        if scores is None or not scored:
            return self.rolesets[ids[0]]
        return self.rolesets[scored[int(numpy.argmax(scores[scored]))]]


def frame_names(words: str, lemma: str, lemma_of: Optional[LemmaRule]) -> list[str]:
    """Names that a predicate's frame may have, the likeliest first: "give_up" for "gave
    up" with the lemma "give"."""
    first, _, rest = words.partition(" ")
    stems = [lemma] if lemma else []
    if lemma_of:
        stems += [lemma_of(first, "", pos, first) for pos in ("VERB", "NOUN")]
    stems.append(first)
    particles = "_" + rest.replace(" ", "_") if rest else ""
    whole = [stem + particles for stem in stems] if particles else []
    return list(dict.fromkeys([*whole, *stems]))


def collect_senses(pairs: Iterable[tuple[str, str]]) -> tuple[list[str], list[Sense]]:
    """Rolesets by descending frequency, and the senses of each V's words, from words
    and rolesets of predicates."""
    counts: Counter[str] = Counter()
    by_words: dict[str, Counter[str]] = {}
    for words, roleset in pairs:
        if roleset:
            counts[roleset] += 1
            by_words.setdefault(words.lower(), Counter())[roleset] += 1
    rolesets = _by_frequency(counts)
    ids = {roleset: i for i, roleset in enumerate(rolesets)}
    senses = []
    for words, of_words in sorted(by_words.items()):
        in_order = sorted(map(ids.__getitem__, of_words))
        by_count = sorted(in_order, key=lambda i: -of_words[rolesets[i]])  # noqa: B023
        senses.append((words, by_count))
    return rolesets, senses


def collect_aliases(frames: Iterable[Frame]) -> list[Alias]:
    """Words, lower-cased, several joined by "_", and their rolesets in the order of
    PropBank's frames: "evacuation" and "evacuate" for evacuate.01."""
    by_words: dict[str, list[str]] = {}
    for frame in frames:
        for alias in frame.aliases:
            words = alias.partition(":")[2].lower().replace(" ", "_")
            if words and frame.roleset not in by_words.setdefault(words, []):
                by_words[words].append(frame.roleset)
    return sorted(by_words.items())
