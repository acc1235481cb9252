"""Scores of semantic roles: the counts of srl-eval.pl, strict counts, and the text to
the character."""

import pytest

from spacy_lal.evaluation.srl import (
    PredicateCounts,
    SrlCounts,
    report_lines,
    score_props,
)
from spacy_lal.files import TreebankError
from spacy_lal.trees.roles import Proposition

GOLD = """\
-    (A0*)  *
give (V*)   *
-    (A2*)  *
-    (A1*   (A0*)
run  *      (V*)
-    *)     (AM-TMP*)

-    (A1*)
be   (V*)
-    (C-A1*)

go   (V*)
"""
# A1 in place of A2; another lemma; a discontinuous argument missing; a spurious
# predicate
PREDICTED = """\
-    (A0*)  *
give (V*)   *
-    (A1*)  *
-    (A1*   (A0*)
jog  *      (V*)
-    *)     (AM-TMP*)

-    *      (A0*)
be   (V*)   *
more *      (V*)

go   (V*)
"""
TABLE = """\
Number of Sentences    :           3
Number of Propositions :           4
Percentage of perfect props :  25.00

              corr.  excess  missed    prec.    rec.      F1
------------------------------------------------------------
   Overall        2       1       4    66.67   33.33   44.44
----------
        A0        1       0       1   100.00   50.00   66.67
        A1        1       1       1    50.00   50.00   50.00
        A2        0       0       1     0.00    0.00    0.00
    AM-TMP        0       0       1     0.00    0.00    0.00
------------------------------------------------------------
         V        3       0       1   100.00   75.00   85.71
------------------------------------------------------------
"""
MATRIX = """\
--------------------------------------------------------------------
              corr.  excess  missed    prec.    rec.      F1    lAcc
 Unlabeled        3       0       3   100.00   50.00   66.67   66.67
--------------------------------------------------------------------

---- Confusion Matrix: (one row for each correct role, with the distribution \
of predictions)
               -1    0    1    2    3    4|
-1: -NONE-      0    0    0    0    0    0|
 0: A0          1    1    0    0    0    0|
 1: A1          1    0    1    0    0    0|
 2: A2          0    0    1    0    0    0|
 3: AM-TMP      1    0    0    0    0    0|
 4: V           1    0    0    0    0    3|
""".replace("|", " ")  # each line ends in a space  # noqa: E501


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold").write_text(GOLD, encoding="utf8")
    (tmp_path / "pred").write_text(PREDICTED, encoding="utf8")
    return tmp_path / "gold", tmp_path / "pred"


def test_the_programs_text(files):
    counts = score_props(*files)
    assert "".join(f"{line}\n" for line in report_lines(counts)) == TABLE
    assert (
        "".join(f"{line}\n" for line in report_lines(counts, confusion=True))
        == TABLE + MATRIX
    )


@pytest.mark.parametrize("name", ["mild", "predicates", "pieces"])
def test_the_programs_own_output(shared_dir, name):
    folder = shared_dir / "srl_eval"
    counts = score_props(folder / f"{name}.gold", folder / f"{name}.pred")
    for suffix, confusion in (("out", False), ("C.out", True)):
        text = "".join(
            f"{line}\n" for line in report_lines(counts, confusion=confusion)
        )
        assert text == (folder / f"{name}.{suffix}").read_text(encoding="utf8")


@pytest.mark.parametrize(
    "gold, predicted, message",
    [
        (
            "-\n\n-\n",
            "-\n",
            r"gold:3: expected as many sentences in both files, got sentence 2 here "
            r"and no more in .*pred",
        ),
        ("-\n", "-\n\n-\n", r"pred:3: expected as many sentences .* no more in .*gold"),
        (
            "-\n\n-\n-\n",
            "-\n\n-\n",
            r"gold:3 and .*pred:3: expected as many words in both, got 2 and 1",
        ),
        ("-\n", "- *\n", r"pred:1: expected a column for each"),
    ],
)
def test_files_that_differ(tmp_path, gold, predicted, message):
    (tmp_path / "gold").write_text(gold)
    (tmp_path / "pred").write_text(predicted)
    with pytest.raises(TreebankError, match=message):
        score_props(tmp_path / "gold", tmp_path / "pred")


def proposition(token, args, roleset="", lemma=""):
    return Proposition(
        token, roleset, tuple((start, end, role) for start, end, role in args), lemma
    )


RUN = proposition(1, [(0, 1, "ARG0"), (1, 2, "V"), (2, 4, "ARG1")], "run.01", "run")


def figures(score):
    return score.tp, score.fp, score.fn


def count_roles(pairs, rule="strict"):
    counts = SrlCounts(rule)
    for gold, predicted in pairs:
        counts.add(gold, predicted)
    return counts


def test_lemmas_count_in_conll05_alone():
    pairs = [([RUN], [RUN._replace(lemma="jog")])]
    assert figures(count_roles(pairs).overall()) == (2, 0, 0)
    assert figures(count_roles(pairs, "conll05").overall()) == (0, 0, 2)


def test_parts_and_adjacent_arguments():
    gold = proposition(
        1,
        [
            (0, 1, "ARG1"),
            (1, 2, "V"),
            (2, 3, "C-ARG1"),
            (3, 4, "ARGM-ADV"),
            (4, 5, "ARGM-ADV"),
        ],
    )
    other = proposition(
        1, [(0, 1, "ARG1"), (1, 2, "V"), (2, 3, "ARG1"), (3, 5, "ARGM-ADV")]
    )
    assert figures(count_roles([([gold], [gold])]).overall()) == (3, 0, 0)
    assert figures(count_roles([([gold], [other])]).overall()) == (0, 3, 3)


def test_predicates_and_rolesets():
    counts = PredicateCounts()
    gold = [RUN, proposition(4, [], "go.01"), proposition(6, [])]
    counts.add(
        gold,
        [
            RUN,
            proposition(4, [], "go.02"),
            proposition(6, [], "be.01"),
            proposition(8, [], "do.02"),
        ],
    )
    assert figures(counts.predicates) == (3, 1, 0)
    assert figures(counts.rolesets) == (1, 2, 1) and counts.n_known == 2
    assert counts.roleset_acc == 0.5
    assert PredicateCounts().roleset_acc == 0.0
