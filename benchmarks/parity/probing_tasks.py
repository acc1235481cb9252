"""Probing tasks from a treebank: bigram shift, word reordering, tree depth, top
constituents (the tasks of SentEval and of Geng et al. 2020, sections 4 and 5.1).

*Not* here: classifiers.
"""

import random
from collections import Counter
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from nltk.tree import Tree

from spacy_lal.trees import is_preterminal

PUNCTUATION_TAGS = frozenset(". , : `` '' -LRB- -RRB- HYPH NFP SYM $ #".split())
QUOTES = ('"', "``", "''")
FULL_STOP = "."
N_TOP_CLASSES = 19
OTHER = "OTHER"
DEPTHS = range(5, 12)
LENGTHS: Dict[str, range] = {
    "bigram_shift": range(5, 29),
    "tree_depth": range(5, 29),
    "top_constituents": range(5, 29),
    "reordering": range(6, 50),
}


class Reordering(NamedTuple):
    """A sentence in which one token was moved.

    words (List[str]): The new sentence.
    inserted (int): The place of the moved token in it.
    original (int): The place in it of the token that used to follow the moved one.
    """

    words: List[str]
    inserted: int
    original: int


class Instance(NamedTuple):
    """A sentence of a probing task.

    words (List[str]): The sentence.
    label (Union[int, str, Tuple[int, int]]): "bigram_shift": 1 if two tokens were
        exchanged, else 0. "tree_depth": the depth. "top_constituents": the labels, or
        `OTHER`. "reordering": the places `inserted` and `original`.
    sentence (int): Its number in the treebank.
    """

    words: List[str]
    label: Union[int, str, Tuple[int, int]]
    sentence: int


def tree_depth(tree: Tree) -> int:
    """The number of nodes on the longest path from the root down to a preterminal, both
    counted.

    tree (Tree): Without a ROOT or TOP node, as `spacy_lal.trees.read_brackets` reads
    it."""
    return 1 if is_preterminal(tree) else 1 + max(tree_depth(child) for child in tree)


def top_constituents(tree: Tree) -> Optional[str]:
    """The labels of the root's children, joined by `_`; None unless they end in a full
    stop and have no other punctuation.

    tree (Tree): As for `tree_depth`.
    """
    if is_preterminal(tree):
        return None
    labels = [child.label() for child in tree]
    if labels[-1] != FULL_STOP or any(
        label in PUNCTUATION_TAGS for label in labels[:-1]
    ):
        return None
    return "_".join(labels)


def bigram_shift_places(words: Sequence[str], tags: Sequence[str]) -> List[int]:
    """The places i at which tokens i and i + 1 may be exchanged: neither is the first
    token of the sentence, nor punctuation. None in a sentence with a double quotation
    mark.

    words, tags (Sequence[str]): Of the sentence; tags of the Penn Treebank.
    """
    if any(word in QUOTES for word in words):
        return []
    movable = [i > 0 and tag not in PUNCTUATION_TAGS for i, tag in enumerate(tags)]
    return [i for i in range(len(movable) - 1) if movable[i] and movable[i + 1]]


def shift_bigram(words: Sequence[str], place: int) -> List[str]:
    """The sentence with tokens `place` and `place` + 1 exchanged.

    RAISES (ValueError): The sentence has no such two tokens.
    """
    if not 0 <= place < len(words) - 1:
        raise ValueError(
            f"place of a bigram in {len(words)} words: expected 0 to "
            f"{len(words) - 2}, got {place}"
        )
    return [*words[:place], words[place + 1], words[place], *words[place + 2 :]]


def reorder(words: Sequence[str], popped: int, inserted: int) -> Reordering:
    """Take a token out, and put it in elsewhere.

    words (Sequence[str]): The sentence.
    popped (int): The token.
    inserted (int): Its place in the new sentence.
    RAISES (ValueError): A place is not in the sentence, or both are the same.
    """
    last = len(words) - 1
    if not (0 <= popped <= last and 0 <= inserted <= last) or popped == inserted:
        raise ValueError(
            f"places of a moved token: expected two different ones of 0 to {last}, "
            f"got {popped}, {inserted}"
        )
    rest = [*words[:popped], *words[popped + 1 :]]
    moved = [*rest[:inserted], words[popped], *rest[inserted:]]
    return Reordering(moved, inserted, popped + 1 if popped > inserted else popped)


def draw_reordering(
    words: Sequence[str], generator: random.Random, *, adjacent: bool = False
) -> Optional[Reordering]:
    """Move a random token to a random place. The last token neither moves nor is
    passed.

    words (Sequence[str]): The sentence.
    generator (random.Random): Draws both places uniformly.
    adjacent (bool): Whether a token may move by one place. Its neighbour's move the
        other way gives the same sentence, so the labels of such instances are a toss.
    RETURNS (Optional[Reordering]): None if the sentence is too short.
    """
    places = range(len(words) - 1)
    pairs = [
        (o, i) for o in places for i in places if abs(o - i) > (0 if adjacent else 1)
    ]
    return reorder(words, *generator.choice(pairs)) if pairs else None


def probing_instances(
    trees: Iterable[Tree],
    task: str,
    *,
    seed: int = 0,
    classes: Optional[Sequence[str]] = None,
) -> List[Instance]:
    """The instances of a probing task: at most one for each sentence of the lengths of
    the task.

    trees (Iterable[Tree]): A treebank, as `spacy_lal.trees.read_brackets` reads it:
        without ROOT, function tags and traces.
    task (str): "bigram_shift" (every second eligible sentence is shifted, in random
        order), "reordering", "tree_depth" (depths 5 to 11) or "top_constituents".
    seed (int): Of the draws.
    classes (Optional[Sequence[str]]): For "top_constituents", the classes of the
        training data beside `OTHER`; None for the 19 most frequent ones in `trees`.
    RETURNS (List[Instance]): In the treebank's order.
    RAISES (ValueError): The task is unknown.
    """
    if task not in LENGTHS:
        raise ValueError(
            f"probing task: expected one of {', '.join(LENGTHS)}, got {task!r}"
        )
    generator = random.Random(seed)
    sized = [(i, tree, tree.pos()) for i, tree in enumerate(trees)]
    sized = [
        (i, tree, leaves) for i, tree, leaves in sized if len(leaves) in LENGTHS[task]
    ]
    found: List[Instance] = []
    if task == "bigram_shift":
        return _bigram_shifts(sized, generator)
    for i, tree, leaves in sized:
        words = [word for word, _ in leaves]
        if task == "reordering":
            moved = draw_reordering(words, generator)
            if moved is not None:
                found.append(Instance(moved.words, (moved.inserted, moved.original), i))
        elif task == "tree_depth":
            if tree_depth(tree) in DEPTHS:
                found.append(Instance(words, tree_depth(tree), i))
        else:
            labels = top_constituents(tree)
            if labels is not None:
                found.append(Instance(words, labels, i))
    if task != "top_constituents":
        return found
    kept = set(top_classes(found) if classes is None else classes)
    return [one if one.label in kept else one._replace(label=OTHER) for one in found]


def top_classes(instances: Iterable[Instance]) -> List[str]:
    """The 19 most frequent labels of training instances; of equally frequent ones, the
    first in the alphabet."""
    counts = Counter(str(one.label) for one in instances if one.label != OTHER)
    return sorted(counts, key=lambda label: (-counts[label], label))[:N_TOP_CLASSES]


def _bigram_shifts(
    sized: Sequence[Tuple[int, Tree, List[Tuple[str, str]]]], generator: random.Random
) -> List[Instance]:
    eligible = []
    for i, _, leaves in sized:
        words = [word for word, _ in leaves]
        places = bigram_shift_places(words, [tag for _, tag in leaves])
        if places:
            eligible.append((i, words, places))
    shifted = [k % 2 == 0 for k in range(len(eligible))]
    generator.shuffle(shifted)
    return [
        Instance(
            shift_bigram(words, generator.choice(places)) if is_shifted else words,
            int(is_shifted),
            i,
        )
        for (i, words, places), is_shifted in zip(eligible, shifted, strict=True)
    ]
