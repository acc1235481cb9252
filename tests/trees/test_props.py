"""Props: read, written, and refused with file and line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_lal.files import TreebankError
from spacy_lal.trees.props import args_to_cells, cells_to_args, format_props, read_props
from spacy_lal.trees.roles import Proposition, PropositionError

TWO = """\
-\t(A0*)  *
give (V*)   *
- (A1*  (A0*)
run * (V*)
- *)  (C-V*C-V)

-

-
"""


def write(tmp_path, text):
    path = tmp_path / "x.props"
    path.write_text(text, encoding="utf8", errors="surrogateescape")
    return path


def test_read(tmp_path):
    path = write(tmp_path, TWO)
    first, second, third = read_props(path)
    assert first.propositions == (
        Proposition(1, "", ((0, 1, "A0"), (1, 2, "V"), (2, 5, "A1")), "give"),
        Proposition(3, "", ((2, 3, "A0"), (3, 4, "V"), (4, 5, "C-V")), "run"),
    )
    assert [(one.n_words, one.line, one.path) for one in (first, second, third)] == [
        (5, 1, str(path)),
        (1, 7, str(path)),
        (1, 9, str(path)),
    ]
    assert second.propositions == third.propositions == ()


def test_written_and_read_again(tmp_path):
    propositions = list(read_props(write(tmp_path, TWO)))
    text = "".join(format_props(one.propositions, one.n_words) for one in propositions)
    again = list(read_props(write(tmp_path, text)))
    assert [one.propositions for one in again] == [
        one.propositions for one in propositions
    ]
    assert text.startswith("- (A0*) *\ngive (V*) *\n- (A1* (A0*)\n")


def test_first_columns_without_a_lemma():
    args = ((0, 1, "V"),)
    assert format_props([Proposition(0, "give_up.06", args)], 1) == "give_up (V*)\n\n"
    assert format_props([Proposition(0, "", args)], 1) == "V (V*)\n\n"
    assert format_props([Proposition(0, "", args, "-")], 1) == "V (V*)\n\n"
    assert format_props([Proposition(0, "", args, "a b")], 1) == "a_b (V*)\n\n"


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3),
            st.booleans(),
            st.sampled_from(["A0", "C-A1", "R-AM-TMP"]),
        ),
        max_size=6,
    )
)
def test_cells_and_back(pieces):
    args, place = [], 0
    for length, is_argument, role in pieces:
        if is_argument:
            args.append((place, place + length, role))
        place += length
    assert cells_to_args(args_to_cells(args, place)) == tuple(args)


@pytest.mark.parametrize(
    "text, line, message",
    [
        ("-\n\n\n-\n", 3, "expected a word, got an empty line"),
        ("\n-\n", 1, "expected a word, got an empty line"),
        (
            "- *\n",
            1,
            "column for each of the sentence's 0 predicates .*, got 1: '- \\*'",
        ),
        ("run (V*)\n-\n", 2, "sentence's 1 predicates .*, got 0"),
        ("run (V*) *\n- * *\n", 1, "got 2"),
        (
            "run (V*\n- *\n",
            1,
            r"\(V\* is not closed by the end of the sentence, in column 2 \(of 'run'\)",
        ),
        ("- *)\nrun (V*)\n", 1, "expected an open bracket before"),
        (
            "run (V*)\n- (A0*\n- (A1*)\n- *)\n",
            3,
            r"expected the end of \(A0\* .*flat",
        ),
        ("run (V*)\n- (A0(A1*\n- *))\n", 2, "nested arguments are not read"),
        ("run (V*)\n- (A0*A1)\n", 2, r"expected \*A0\) to close"),
        ("run V\n", 1, r"expected \*, \(ROLE\*, \*\) or \(ROLE\*\), got 'V'"),
        ("run (*)\n", 1, "expected"),
        ("-\n\udcff\n", 2, "expected UTF-8"),
    ],
)
def test_malformed(tmp_path, text, line, message):
    with pytest.raises(TreebankError, match=rf"x\.props:{line}: .*{message}"):
        list(read_props(write(tmp_path, text)))


@pytest.mark.parametrize(
    "args", [[(0, 3, "A0")], [(0, 2, "A0"), (0, 1, "V")], [(0, 1, "A(")], [(0, 1, "")]]
)
def test_what_has_no_cells(args):
    with pytest.raises(PropositionError):
        args_to_cells(args, 2)
