"""HPSG joint spans: constituents with their lexical heads, and the `<H>` spans that let
one grammar derive both trees: if a child depends on another sibling than the head
child, a node labelled `<H>` binds the two. Arcs that no `<H>` span can express are
skipped.

Source: Zhou & Zhao (2019, on the joint span) and the authors' code, which stops on
trees that disagree. This code takes every set of heads, with cycles and missing heads,
by one total order (`word_order`)."""

from collections.abc import Iterable, Sequence
from typing import (
    NamedTuple,
    Optional,
    Union,
)

import numpy as np
from numpy.typing import NDArray

from ..lang.universal import CLAUSE_DEPRELS
from .parse import Heads
from .spans import (
    EMPTY,
    SUB_HEAD_LABEL,
    Constituent,
    LabelVocab,
    collapse_chains,
    in_preorder,
    nested_spans,
)


class JointSpan(NamedTuple):
    """A constituent (a unary chain joined by `::`), or an `<H>` span: half-open, words
    from 0, and the word that represents it, `start <= lexical_head < end`."""

    start: int
    end: int
    label: str
    lexical_head: int


AnySpan = Union[Constituent, JointSpan]


class _Child(NamedTuple):
    start: int
    end: int
    lexical_head: int


def joint_spans(
    spans: Sequence[Constituent],
    heads: Heads,
    *,
    deprels: Optional[Sequence[str]] = None,
) -> list[JointSpan]:
    """Adds lexical heads and `<H>` spans to the constituents of a sentence of n words,
    in pre-order, one span per stretch.

    spans (Sequence[Constituent]): Collapsed. Those with the label `<H>` or the empty
        label are left out.
    heads (Sequence[Optional[int]]): (n,), word numbers from 1, 0 = root; None or a
        number outside 0..n = missing.
    deprels (Optional[Sequence[str]]): As in `word_order`; they matter only if the two
        trees disagree.
    RAISES (SpanError): Spans cross or lie outside of the n words.
    """
    n_words = len(heads)
    ranks = word_order(heads, deprels)
    joint: list[JointSpan] = []
    whole = Constituent(0, n_words, "")
    spans = nested_spans(collapse_chains(dissolve(spans)), n_words)
    waiting: list[_Child] = []  # without parent, the leftmost last
    for span in reversed([whole, *spans]):
        children: list[_Child] = []
        reached = span.start
        while waiting and waiting[-1].start < span.end:
            child = waiting.pop()
            children += [*_leaves(reached, child.start), child]
            reached = child.end
        children += _leaves(reached, span.end)
        head = _bind_siblings(children, heads, ranks, joint)
        waiting.append(_Child(span.start, span.end, head))
        if span.label:
            joint.append(JointSpan(span.start, span.end, span.label, head))
    return sorted(joint, key=in_preorder)


def dissolve(spans: Iterable[AnySpan]) -> list[Constituent]:
    """Constituents of joint spans: without `<H>` spans, empty labels and lexical heads;
    in the given order."""
    return [
        Constituent(span.start, span.end, span.label)
        for span in spans
        if span.label and span.label != SUB_HEAD_LABEL
    ]


def word_order(heads: Heads, deprels: Optional[Sequence[str]] = None) -> list[int]:
    """The rank of each of n words in the total order that chooses lexical heads; the
    smallest rank wins.

    Sort keys, smallest first: is punctuation that governs no word, depth in the
    dependency tree, predicate of a clause first, position. If exactly one word of a
    constituent has its head outside, all others depend on it: it has the smallest rank,
    and the lexical head is the same as the reference's. A word without head, and the
    first word of a cycle, counts as one step below a root. Deprels identify clause
    predicates, and punctuation (`punct`)."""
    n_words = len(heads)
    depths = _depths(heads)
    governing = set(heads)
    bases = (
        [deprel.lower().partition(":")[0] for deprel in deprels]
        if deprels is not None
        else [""] * n_words
    )
    keys = [
        (
            base == "punct" and i + 1 not in governing,
            depths[i + 1],
            base not in CLAUSE_DEPRELS,
            i,
        )
        for i, base in enumerate(bases)
    ]
    ranks = [0] * n_words
    for rank, key in enumerate(sorted(keys)):
        ranks[key[3]] = rank
    return ranks


def outside_heads(start: int, end: int, heads: Heads) -> int:
    """The number of words of a span whose head is outside of it. The root is outside; a
    missing head is not counted. A constituent agrees with the dependencies if this is
    1."""
    n_words = len(heads)
    return sum(
        1
        for head in heads[start:end]
        if head is not None and 0 <= head <= n_words and not start < head <= end
    )


def label_ids(
    spans: Iterable[AnySpan],
    n_words: int,
    vocab: LabelVocab,
) -> tuple[NDArray[np.int32], list[str]]:
    """Spans, one per stretch of words, as a table of label ids: the decoders' argument
    `gold`: (n_words + 1, n_words + 1) int32, [start, end], `EMPTY` where no constituent
    is or the vocabulary lacks its label; and those labels, in order."""
    ids = np.full((n_words + 1, n_words + 1), EMPTY, dtype=np.int32)
    unseen: dict[str, None] = {}
    for span in spans:
        if span.label in vocab:
            ids[span.start, span.end] = vocab.ids[span.label]
        else:
            unseen[span.label] = None
    return ids, list(unseen)


def _leaves(start: int, end: int) -> list[_Child]:
    return [_Child(word, word + 1, word) for word in range(start, end)]


def _bind_siblings(
    children: Sequence[_Child],
    heads: Heads,
    ranks: Sequence[int],
    joint: list[JointSpan],
) -> int:
    """Adds the `<H>` spans among a node's children to `joint`; returns the node's
    lexical head (-1: no child)."""
    if not children:
        return -1
    index = {child.lexical_head: i for i, child in enumerate(children)}
    node_head = min(index, key=ranks.__getitem__)
    # Arcs among the siblings. Like the reference, only a sibling's lexical head governs
    # it; the arc to another of its words cannot be derived, and no <H> would help. Arcs
    # against the order close a cycle.
    governors: dict[int, int] = {}
    for word, i in index.items():
        head = heads[word]
        if head is None or word == node_head or head - 1 == node_head:
            continue
        governor = index.get(head - 1)
        if governor is not None and ranks[head - 1] < ranks[word]:
            governors[i] = governor
    if governors:
        _bind_groups(children, governors, ranks, joint)
    return node_head


def _bind_groups(
    children: Sequence[_Child],
    governors: dict[int, int],
    ranks: Sequence[int],
    joint: list[JointSpan],
) -> None:
    """Binds each governing sibling and its dependents, the deepest first, so that
    chains give nested `<H>` spans."""
    dependents: dict[int, list[tuple[int, int]]] = {
        i: [] for i in governors.values()
    }  # as (first, last) child
    for i in sorted(
        {*governors, *dependents}, key=lambda i: -ranks[children[i].lexical_head]
    ):
        first = last = i
        beyond: list[tuple[int, int]] = []
        # The nearest ones first, on either side.
        for block in sorted(dependents.get(i, ()), key=lambda block: abs(block[0] - i)):
            if block[1] == first - 1:
                first = block[0]
            elif block[0] == last + 1:
                last = block[1]
            else:
                beyond.append(block)
        if first < last:
            start, end = children[first].start, children[last].end
            joint.append(
                JointSpan(start, end, SUB_HEAD_LABEL, children[i].lexical_head)
            )
        if i in governors:
            dependents[governors[i]] += [(first, last), *beyond]


def _depths(heads: Heads) -> list[int]:
    """Steps from each word to the root: 1 for a root, at [word number]; [0] is the root
    itself."""
    n_words = len(heads)
    nowhere = n_words + 1
    parents = [
        0,
        *(
            head if head is not None and 0 <= head <= n_words else nowhere
            for head in heads
        ),
    ]
    depths = [0] + [-1] * n_words + [1]
    for start in range(1, n_words + 1):
        word = start
        path: list[int] = []
        on_path: set[int] = set()
        while depths[word] < 0:
            if word in on_path:
                parents[min(path[path.index(word) :])] = nowhere
                word = start
                path = []
                on_path = set()
            else:
                path.append(word)
                on_path.add(word)
                word = parents[word]
        for step in reversed(path):
            depths[step] = depths[parents[step]] + 1
    return depths
