"""The rolesets of training data, and the choice among them for a predicate's words. *Not* here: the
network's scores."""

from collections import Counter
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray

from ..annotations.roles import frame_of
from ..lang.en import VERB_ENDINGS

Sense = Tuple[str, List[int]]  # the words of a V, lower-cased, and the ids of their rolesets


class Rolesets:
    """Which rolesets a predicate's words can have.

    rolesets (Sequence[str]): All rolesets; ids are places in it.
    senses (Iterable[Tuple[str, List[int]]]): For the words of a V, lower-cased, their rolesets by descending frequency.
    """

    def __init__(self, rolesets: Sequence[str], senses: Iterable[Sense]) -> None:
        self.rolesets = list(rolesets)
        self._senses: Dict[str, List[int]] = {words: list(ids) for words, ids in senses}
        self._frames: Dict[str, List[int]] = {}
        for i, roleset in enumerate(self.rolesets):
            self._frames.setdefault(frame_of(roleset), []).append(i)

    def candidates(self, words: str, lemma: str = "") -> List[int]:
        """The rolesets of a predicate: those that its words have in the training data; else those of its frame, by the
        lemma or by the words without an English ending; else none.

        words (str): The words of the V.
        lemma (str): The lemma of the predicate's token, if known.
        """
        words = words.lower()
        if words in self._senses:
            return self._senses[words]
        for frame in frame_names(words, lemma.lower()):
            if frame in self._frames:
                return self._frames[frame]
        return []

    def choose(self, words: str, lemma: str, scores: Optional[ndarray]) -> str:
        """The roleset of a predicate: the candidate with the highest score, or without scores the most frequent one. A
        predicate without candidates has the first sense of its own frame.

        scores (Optional[ndarray]): *Shape:* (n_rolesets,).
        RETURNS (str): The roleset; empty where the data has no rolesets.
        """
        if not self.rolesets:
            return ""
        ids = self.candidates(words, lemma)
        if not ids:
            return f"{frame_names(words.lower(), lemma.lower())[0]}.01"
        return self.rolesets[ids[0] if scores is None else ids[int(np.argmax(scores[ids]))]]


def frame_names(words: str, lemma: str = "") -> List[str]:
    """Names that the frame of a predicate may have, the likeliest first: "give_up" for "gave up" with the lemma
    "give".

    words (str): The words of the V, lower-cased.
    lemma (str): The lemma of the first word, if known.
    """
    first, _, rest = words.partition(" ")
    stems = [lemma] if lemma else []
    for ending, others in VERB_ENDINGS:
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
