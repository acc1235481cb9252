"""Propositions: BIO tags and back, parts joined, what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_lal.trees.roles import (
    JoinedArgument,
    Proposition,
    PropositionError,
    args_to_bio,
    bio_to_args,
    check_proposition,
    join_parts,
    make_proposition,
    predicate_span,
)

ROLES = ["V", "ARG0", "ARG1", "C-ARG1", "R-ARG0", "ARGM-TMP", "C-V"]
GIVE = Proposition(
    1, "give.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG2"), (3, 5, "ARG1")), "give"
)


@st.composite
def flat_arguments(draw):
    ends = sorted(draw(st.sets(st.integers(0, 12), max_size=10)))
    pairs = [pair for pair in zip(ends, ends[1:], strict=False) if draw(st.booleans())]
    return tuple((start, end, draw(st.sampled_from(ROLES))) for start, end in pairs)


@given(flat_arguments())
def test_tags_and_back(args):
    tags = args_to_bio(args, 12)
    assert len(tags) == 12
    assert bio_to_args(tags) == args


def test_adjacent_arguments_of_one_role_stay_apart():
    assert args_to_bio([(0, 2, "ARGM-ADV"), (2, 3, "ARGM-ADV")], 4) == [
        "B-ARGM-ADV",
        "I-ARGM-ADV",
        "B-ARGM-ADV",
        "O",
    ]


@pytest.mark.parametrize("tag", ["", "B-", "X", "V", "o", "I-A0"])
def test_what_is_no_tag(tag):
    with pytest.raises(
        PropositionError, match="expected O, B-ROLE or I-ROLE .* as tag 1"
    ):
        bio_to_args(["O", tag])


def test_overlapping_arguments_have_no_tags():
    with pytest.raises(PropositionError, match="disjoint"):
        args_to_bio([(0, 2, "V"), (1, 3, "ARG1")], 3)
    with pytest.raises(PropositionError, match="within 3 words, got V at 0:4"):
        args_to_bio([(0, 4, "V")], 3)


def test_the_references_columns(shared_dir):
    """Legal tags as LISA's own converter reads them."""
    cases = json.loads(
        (shared_dir / "vectors_srl" / "i_columns.json").read_text(encoding="utf8")
    )
    n_legal = 0
    for case in cases:
        column = ["*"] * len(case["tags"])
        try:
            args = bio_to_args(case["tags"])
        except PropositionError:
            continue
        n_legal += 1
        for start, end, role in args:
            column[start] = f"({role}{column[start]}"
            column[end - 1] += ")"
        assert column == case["column"], case
    assert n_legal


def test_parts_join_the_latest_argument():
    args = [
        (0, 1, "ARG1"),
        (1, 2, "V"),
        (2, 3, "ARG1"),
        (3, 4, "C-ARG1"),
        (5, 6, "C-V"),
        (6, 7, "C-ARG1"),
    ]
    assert join_parts(args) == [
        JoinedArgument("ARG1", ((0, 1),)),
        JoinedArgument("V", ((1, 2), (5, 6))),
        JoinedArgument("ARG1", ((2, 3), (3, 4), (6, 7))),
    ]


def test_orphans_and_references():
    assert join_parts(
        [(0, 1, "C-ARG1"), (1, 2, "C-ARG1"), (2, 3, "R-ARG0"), (3, 4, "C-R-ARG0")]
    ) == [
        JoinedArgument("ARG1", ((0, 1), (1, 2))),
        JoinedArgument("R-ARG0", ((2, 3), (3, 4))),
    ]
    joined = join_parts([(0, 1, "C-ARG1"), (3, 5, "C-ARG1")])[0]
    assert (joined.start, joined.end) == (0, 5)


def test_sound():
    check_proposition(GIVE, 5)
    assert predicate_span(GIVE.args) == (1, 2)
    assert make_proposition(1, "give.01", reversed(GIVE.args), "give") == GIVE
    check_proposition(
        Proposition(2, "", ((0, 1, "V"), (2, 3, "C-V"))), 3
    )  # "side-stepping"


@pytest.mark.parametrize(
    "token, args, message",
    [
        (5, GIVE.args, "within 5 words.* got the predicate 5"),
        (1, ((1, 1, "V"),), "disjoint arguments .*'V'"),
        (1, ((1, 2, "V"), (0, 1, "ARG0")), "disjoint arguments .* text order"),
        (1, ((0, 2, "ARG0"), (1, 2, "V")), "disjoint"),
        (1, ((0, 1, "ARG0"),), "one of them V"),
        (1, ((0, 1, "V"), (1, 2, "V")), "one of them V"),
        (1, ((0, 1, ""), (1, 2, "V")), "arguments with roles without"),
    ],
)
def test_unsound(token, args, message):
    with pytest.raises(PropositionError, match=message):
        check_proposition(Proposition(token, "x.01", args), 5)


@pytest.mark.parametrize("role", ["(ARG0", "*", "A)", "ARG 0", "AR\tG", "", None, 1])
def test_roles_that_columns_cannot_hold_are_errors(role):
    with pytest.raises(PropositionError, match="without brackets, \\* and white space"):
        check_proposition(Proposition(1, "leave.01", ((0, 1, role), (1, 2, "V"))), 2)
