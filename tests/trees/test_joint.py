"""Joint spans: equal to the reference's conversion on its golden vectors; total and
lossless on any input."""

import json
from typing import List

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_lal.trees import joint as joint_module
from spacy_lal.trees.brackets import parse_tree
from spacy_lal.trees.joint import (
    JointSpan,
    dissolve,
    label_ids,
    outside_heads,
    word_order,
)
from spacy_lal.trees.parse import Parse
from spacy_lal.trees.spans import Constituent, LabelVocab, SpanError


def joint_spans(spans, heads, **options):
    constituents = [Constituent(*span[:3]) for span in spans]
    return joint_module.joint_spans(constituents, heads, **options)


def check_sound(spans, heads, joint):
    """What holds for any input: nothing lost, pre-order, heads inside and inherited,
    `<H>` of several siblings."""
    assert dissolve(joint) == [Constituent(*span) for span in spans]
    assert joint == sorted(joint, key=lambda span: (span.start, -span.end))
    assert len({span[:2] for span in joint}) == len(joint)
    children = {span: [] for span in joint}
    around: List[JointSpan] = []
    for span in joint:
        while around and around[-1].end <= span.start:
            around.pop()
        if around:
            assert span.end <= around[-1].end
            children[around[-1]].append(span)
        around.append(span)
    for span, below in children.items():
        words = set(range(span.start, span.end)) - {
            i for child in below for i in range(child.start, child.end)
        }
        assert span.lexical_head in words | {child.lexical_head for child in below}
        if span.label == "<H>":
            members = sorted(words | {child.lexical_head for child in below})
            assert len(members) > 1
            # All but the head depend on it, at once or across a gap of their own.
            for member in members:
                above = member
                while above not in (span.lexical_head, None):
                    above = heads[above] - 1 if heads[above] else None
                assert above == span.lexical_head


def test_example_of_the_reference():
    # (S A B V): A depends on V, B on A, V is the root.
    assert joint_spans([(0, 3, "S")], [3, 1, 0]) == [(0, 3, "S", 2), (0, 2, "<H>", 0)]


@pytest.mark.parametrize(
    "heads, expected",
    [
        ([0, 1, 1, 1], [(0, 4, "S", 0)]),
        (
            [0, 1, 2, 3],
            [(0, 4, "S", 0), (1, 4, "<H>", 1), (2, 4, "<H>", 2)],
        ),  # a chain: one within the other
        (
            [3, 0, 2, 2],
            [(0, 4, "S", 1)],
        ),  # 1 depends on 3 across 2, the head: a gap, no <H>
        (
            [3, 0, 2, 3],
            [(0, 4, "S", 1), (2, 4, "<H>", 2)],
        ),  # what stands together of such a group stays bound
        ([4, 4, 2, 0], [(0, 4, "S", 3), (1, 3, "<H>", 1)]),
        (
            [2, 1, 0, 3],
            [(0, 4, "S", 2), (0, 2, "<H>", 0)],
        ),  # a cycle hangs below the root by its first word
        ([2, 3, 1, 1], [(0, 4, "S", 0), (1, 3, "<H>", 2)]),  # a cycle of all
        ([None, None, None, None], [(0, 4, "S", 0)]),
        (
            [-1, 1, 9, 3],
            [(0, 4, "S", 0), (2, 4, "<H>", 2)],
        ),  # no root at all: the first word without head
        ([1, 2, 3, 4], [(0, 4, "S", 0)]),  # each word its own head
    ],
)
def test_flat_nodes(heads, expected):
    assert joint_spans([(0, 4, "S")], heads) == expected


def test_order_of_words():
    # Two words governed from outside of (1, 3): both depend on word 1.
    heads = [0, 1, 1]
    spans = [(0, 3, "VP"), (1, 3, "S")]
    assert joint_spans(spans, heads)[1] == (1, 3, "S", 1)
    assert joint_spans(spans, heads, deprels=["root", "obj", "xcomp"])[1] == (
        1,
        3,
        "S",
        2,
    )
    assert joint_spans(spans, heads, deprels=["root", "obj", "acl:relcl"])[1] == (
        1,
        3,
        "S",
        2,
    )
    assert joint_spans(spans, heads, deprels=["root", "punct", "obj"])[1] == (
        1,
        3,
        "S",
        2,
    )
    # Depth comes before the deprel, punctuation before depth unless it governs: then
    # all would hang on it.
    assert word_order([0, 1, 2], ["dep", "dep", "root"]) == [0, 1, 2]
    assert word_order([0, 1, 1], ["punct", "dep", "punct"]) == [0, 1, 2]
    assert word_order([2, 0, 2], ["punct", "dep", "punct"]) == [1, 0, 2]


def test_short_and_top_level():
    assert joint_spans([], []) == []
    assert joint_spans([], [0]) == []
    assert joint_spans([(0, 1, "S::VP")], [0]) == [(0, 1, "S::VP", 0)]
    # Without a constituent above all words, siblings are bound all the same.
    assert joint_spans([(2, 4, "NP")], [3, 1, 0, 3]) == [
        (0, 2, "<H>", 0),
        (2, 4, "NP", 2),
    ]
    expanded = [(0, 2, "S"), (0, 2, "VP"), (0, 1, ""), (0, 2, "<H>")]
    assert joint_spans(expanded, [0, 1]) == [(0, 2, "S::VP", 0)]


def test_spans_that_make_no_tree():
    with pytest.raises(SpanError, match="cross"):
        joint_spans([(0, 2, "A"), (1, 3, "B")], [0, 1, 1])
    with pytest.raises(SpanError):
        joint_spans([(0, 4, "A")], [0, 1, 1])


def test_outside_heads():
    heads = [2, 0, 2, None, -1]
    assert [outside_heads(0, k, heads) for k in range(6)] == [0, 1, 1, 1, 1, 1]
    assert outside_heads(2, 3, heads) == 1
    assert outside_heads(3, 5, heads) == 0


def test_label_ids():
    vocab = LabelVocab(["S", "NP"])
    joint = joint_spans([(0, 4, "S"), (1, 2, "XP"), (3, 4, "NP")], [3, 1, 0, 3])
    ids, unseen = label_ids(joint, 4, vocab)
    assert ids.dtype == np.int32 and ids.shape == (5, 5) and unseen == ["XP"]
    assert {(i, j): ids[i, j] for i, j in np.argwhere(ids)} == {
        (0, 4): 2,
        (0, 2): 1,
        (3, 4): 3,
    }


def test_five_thousand_deep():
    depth = 5000
    tree = parse_tree("(S (A a) " * depth + "(B b)" + ")" * depth)
    spans = Parse.from_tree(tree).constituents
    heads = [i + 2 for i in range(depth)] + [0]
    joint = joint_spans(spans, heads)
    assert dissolve(joint) == spans and {span.lexical_head for span in joint} == {depth}
    chain = joint_spans([(0, depth, "S")], list(range(depth)))
    assert len(chain) == depth - 1
    assert (
        joint_spans([(0, depth, "S")], [*range(2, depth + 1), 1])[0].lexical_head == 0
    )


def random_spans(draw, n_words):
    """Nested spans by cutting: any tree."""
    spans, todo = [], [(0, n_words)]
    while todo:
        start, end = todo.pop()
        if draw(st.integers(0, 3)):
            spans.append((start, end, draw(st.sampled_from(["S", "NP", "S::VP"]))))
        if end - start > 1:
            cuts = draw(st.sets(st.integers(start + 1, end - 1), min_size=1))
            ends = [start, *sorted(cuts), end]
            todo.extend(zip(ends, ends[1:], strict=False))
    return sorted(set(spans), key=lambda span: (span[0], -span[1]))


@st.composite
def any_sentence(draw):
    n_words = draw(st.integers(1, 9))
    heads = draw(st.lists(st.integers(-1, n_words), min_size=n_words, max_size=n_words))
    return random_spans(draw, n_words), heads


@given(any_sentence())
@settings(max_examples=100)
def test_any_input_converts_and_dissolves(sentence):
    spans, heads = sentence
    joint = joint_spans(spans, heads)
    check_sound(spans, heads, joint)
    assert sorted(word_order(heads)) == list(range(len(heads)))
    assert joint_spans([span[:3] for span in joint], heads) == joint


def test_gold_trees_of_the_golden_vectors(data_dir):
    """Trees, heads, `<H>` spans and lexical heads as the reference's own code made them
    (its golden vectors)."""
    lines = (data_dir / "joint_gold.jsonl").read_text().splitlines()
    with_sub_heads = 0
    for line in lines:
        gold = json.loads(line)
        expected = [JointSpan(*span) for span in gold["joint"]]
        assert joint_spans(dissolve(expected), gold["heads"]) == expected, gold["name"]
        check_sound(dissolve(expected), gold["heads"], expected)
        with_sub_heads += len(dissolve(expected)) < len(expected)
    assert len(lines) > 100 and with_sub_heads > 50
