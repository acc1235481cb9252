"""Binary trees from self-attention, and their baselines (after Mareček & Rosa 2018;
Geng et al. 2020, section 5.2).

*Not* here: scores; `spacy_lal.evaluation` compares the trees with gold ones.
"""

import random
from typing import Callable, List, Literal, Sequence, Tuple

import numpy as np
from nltk.tree import Tree
from numpy import ndarray

from spacy_lal.trees import Constituent, Parse

Bracket = Tuple[int, int]
LABEL, ROOT = (
    "X",
    "TOP",
)  # of all constituents of an unlabelled tree, and of a root that is none


def attention_tree(
    attention: ndarray,
    *,
    score: Literal["mean", "sum"] = "mean",
    renormalise: bool = True,
) -> List[Bracket]:
    """The binary tree of a sentence of n words whose spans attend most to themselves:
    each span is cut where the product of the scores of both parts is largest; of equal
    ones, at the smallest place.

    attention (ndarray): Attention weights [head, query, key] over START, words, STOP;
        heads are averaged. *Shape:* (n_heads, n + 2, n + 2).
    score (str): The score of a span. "sum": the attention from its words to its words.
        "mean": that, divided by its number of words.
    renormalise (bool): Divide each row by its sum over words first; a row of zeros
        stays.
    RETURNS (List[Tuple[int, int]]): The spans of two words and more, half-open, in
        pre-order.
    RAISES (ValueError): `attention` has another shape, or `score` is unknown.
    """
    if (
        attention.ndim != 3
        or attention.shape[1] != attention.shape[2]
        or attention.shape[1] < 2
    ):
        raise ValueError(
            "attention: expected the shape (n_heads, n + 2, n + 2), got "
            f"{attention.shape}"
        )
    if score not in ("mean", "sum"):
        raise ValueError(f"score: expected 'mean' or 'sum', got {score!r}")
    words = attention.astype(np.float64).mean(axis=0)[1:-1, 1:-1]
    if renormalise:
        sums = words.sum(axis=1, keepdims=True)
        words = np.divide(words, sums, out=np.zeros_like(words), where=sums != 0.0)

    def value(start: int, end: int) -> float:
        inside = float(words[start:end, start:end].sum())
        return inside / (end - start) if score == "mean" else inside

    def split(start: int, end: int) -> int:
        products = [value(start, k) * value(k, end) for k in range(start + 1, end)]
        return start + 1 + int(np.argmax(products))

    return _cut(len(words), split)


def baseline_tree(
    n_words: int, kind: Literal["right", "left", "balanced", "random"], *, seed: int = 0
) -> List[Bracket]:
    """A binary tree that ignores the sentence.

    n_words (int): Words of the sentence.
    kind (str): "right" or "left" branching; "balanced": parts of equal size, or the
        first one word longer; "random": each cut is drawn uniformly.
    seed (int): Of the random tree.
    RETURNS (List[Tuple[int, int]]): As `attention_tree`.
    RAISES (ValueError): `kind` is unknown.
    """
    generator = random.Random(seed)
    splits: dict[str, Callable[[int, int], int]] = {
        "right": lambda start, end: start + 1,
        "left": lambda start, end: end - 1,
        "balanced": lambda start, end: start + (end - start + 1) // 2,
        "random": lambda start, end: generator.randrange(start + 1, end),
    }
    if kind not in splits:
        raise ValueError(
            f"kind of baseline tree: expected one of {', '.join(splits)}, got {kind!r}"
        )
    return _cut(n_words, splits[kind])


def gold_brackets(tree: Tree) -> List[Bracket]:
    """The spans of two words and more of a gold tree, each once, in pre-order.
    *Half-open.*

    tree (Tree): Without traces and function tags, as `spacy_lal.trees.read_brackets`
    reads it."""
    spans = {
        (span.start, span.end)
        for span in Parse.from_tree(tree).constituents or ()
        if span.end - span.start > 1
    }
    return sorted(spans, key=lambda span: (span[0], -span[1]))


def unlabelled_tree(
    words: Sequence[str], tags: Sequence[str], brackets: Sequence[Bracket]
) -> Tree:
    """Spans as a tree with one label, for EVALB without labels.

    words, tags (Sequence[str]): Of the sentence.
    brackets (Sequence[Tuple[int, int]]): Nested spans of two words and more.
    RETURNS (Tree): A tree. Where no span covers the sentence, its root is TOP, which
    COLLINS.prm does not count."""
    whole = (0, len(words))
    top = [] if whole in brackets else [(*whole, ROOT)]
    spans = [*top, *((start, end, LABEL) for start, end in brackets)]
    constituents = [Constituent(*span) for span in spans]
    return Parse(list(words), list(tags), constituents).to_tree()


def _cut(n_words: int, split: Callable[[int, int], int]) -> List[Bracket]:
    found: List[Bracket] = []
    stack = [(0, n_words)]
    while stack:
        start, end = stack.pop()
        if end - start < 2:
            continue
        found.append((start, end))
        k = split(start, end)
        stack += [(k, end), (start, k)]
    return found
