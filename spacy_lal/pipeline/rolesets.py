"""The rolesets of training data, and the choice among them for a predicate's words. *Not* here: the
network's scores."""

from collections import Counter
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray

from ..annotations import frame_of
from ..lang.en import VERB_ENDINGS
from ..trees.frames import Frame

Sense = Tuple[str, List[int]]  # the words of a V, lower-cased, and the ids of their rolesets


Alias = Tuple[str, List[str]]  # the words of a predicate, lower-cased, and their rolesets


class Rolesets:
    """Which rolesets a predicate's words can have.

    rolesets (Sequence[str]): All rolesets of the training data; ids are places in it. Rolesets that only `aliases` name
        have the ids after them, and no scores.
    senses (Iterable[Tuple[str, List[int]]]): For the words of a V, lower-cased, their rolesets by descending frequency.
    aliases (Iterable[Tuple[str, List[str]]]): For words, lower-cased and mostly lemmas, their rolesets in PropBank's
        frames. They serve words that the training data lacks.
    """

    def __init__(self, rolesets: Sequence[str], senses: Iterable[Sense], aliases: Iterable[Alias] = ()) -> None:
        self.rolesets = list(rolesets)
        self._n_scored = len(self.rolesets)
        self._senses: Dict[str, List[int]] = {words: list(ids) for words, ids in senses}
        self._frames: Dict[str, List[int]] = {}
        for i, roleset in enumerate(self.rolesets):
            self._frames.setdefault(frame_of(roleset), []).append(i)
        ids = {roleset: i for i, roleset in enumerate(self.rolesets)}
        self._aliases: Dict[str, List[int]] = {}
        for words, names in aliases:
            for name in names:
                if name not in ids:
                    ids[name] = len(ids)
                    self.rolesets.append(name)
            self._aliases[words] = [ids[name] for name in names]

    def candidates(self, words: str, lemma: str = "") -> List[int]:
        """The rolesets of a predicate. If the training data has its words, their rolesets; else, for its lemma or its
        words without an English ending, the rolesets of the frames' aliases and of the frame of that name; else none.
        Rolesets of the training data come first, by descending frequency.

        words (str): The words of the V.
        lemma (str): The lemma of the predicate's token, if known.
        """
        words = words.lower()
        if words in self._senses:
            return self._senses[words]
        for name in frame_names(words, lemma.lower()):
            found = dict.fromkeys([*self._aliases.get(name, ()), *self._frames.get(name, ())])
            if found:
                return sorted(found, key=self._rank)
        return []

    def _rank(self, i: int) -> int:
        """Rolesets of the training data by their frequency; the others keep their order."""
        return min(i, self._n_scored)

    def choose(self, words: str, lemma: str, scores: Optional[ndarray]) -> str:
        """The roleset of a predicate: the candidate with the highest score, or without scores the first one. A
        predicate without candidates has the first sense of its own frame.

        scores (Optional[ndarray]): *Shape:* (n_rolesets,), the rolesets of the training data.
        RETURNS (str): The roleset; empty where the data has no rolesets.
        """
        if not self._n_scored:
            return ""
        ids = self.candidates(words, lemma)
        if not ids:
            return f"{frame_names(words.lower(), lemma.lower())[0]}.01"
        scored = [i for i in ids if i < self._n_scored]
        if scores is None or not scored:
            return self.rolesets[ids[0]]
        return self.rolesets[scored[int(np.argmax(scores[scored]))]]


def frame_names(words: str, lemma: str = "") -> List[str]:
    """Names that the frame of a predicate may have, the likeliest first: "give_up" for "gave up" with the lemma
    "give".

    words (str): The words of the V, lower-cased.
    lemma (str): The lemma of the first word, if known.
    """
    first, _, rest = words.partition(" ")
    stems = [lemma] if lemma else []
    for ending, others in VERB_ENDINGS.items():
        if first.endswith(ending) and len(first) > len(ending) + 1:
            stem = first[: -len(ending)]
            if stem[-1] == stem[-2:-1] and stem[-1] not in "sl":
                stems.append(stem[:-1])
            stems.extend(stem + other for other in others)
            break
    stems.append(first)
    particles = "_" + rest.replace(" ", "_") if rest else ""
    whole = [stem + particles for stem in stems] if particles else []
    return list(dict.fromkeys([*whole, *stems]))


def collect_senses(pairs: Iterable[Tuple[str, str]]) -> Tuple[List[str], List[Sense]]:
    """Rolesets by descending frequency, and the senses of each V's words.

    pairs (Iterable[Tuple[str, str]]): Words and roleset of each predicate.
    """
    counts: Counter[str] = Counter()
    by_words: Dict[str, Counter[str]] = {}
    for words, roleset in pairs:
        if roleset:
            counts[roleset] += 1
            by_words.setdefault(words.lower(), Counter())[roleset] += 1
    rolesets = [roleset for roleset, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    ids = {roleset: i for i, roleset in enumerate(rolesets)}
    senses = [
        (words, [ids[roleset] for roleset, _ in sorted(found.items(), key=lambda item: (-item[1], ids[item[0]]))])
        for words, found in sorted(by_words.items())
    ]
    return rolesets, senses


def collect_aliases(frames: Iterable[Frame]) -> List[Alias]:
    """The rolesets of words in PropBank's frames: "evacuation" and "evacuate" for evacuate.01.

    frames (Iterable[Frame]): For instance `read_frames(path).values()`.
    RETURNS (List[Tuple[str, List[str]]]): Words, lower-cased, several joined by "_", and their rolesets in the order of
        the frames.
    """
    found: Dict[str, List[str]] = {}
    for frame in frames:
        for alias in frame.aliases:
            words = alias.partition(":")[2].lower().replace(" ", "_")
            if words and frame.roleset not in found.setdefault(words, []):
                found[words].append(frame.roleset)
    return sorted((words, rolesets) for words, rolesets in found.items())
