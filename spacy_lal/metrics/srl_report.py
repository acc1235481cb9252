"""The text of srl-eval.pl: the table of roles, and with `-C` the unlabelled row and the confusion matrix.

Each character is the original program's. Its reactions to malformed files are errors here, with file and line.
"""

from itertools import zip_longest
from pathlib import Path
from typing import Iterator, List, Optional

from spacy_lal.trees.lines import TreebankError
from spacy_lal.trees.props import read_props
from spacy_lal.trees.roles import PREDICATE_ROLE

from .srl import PRF, SrlCounts

_HEADER = "              corr.  excess  missed    prec.    rec.      F1"


def score_props(gold_path: Path, predicted_path: Path) -> SrlCounts:
    """The counts of two files under the program's rule.

    RAISES (TreebankError): A file is malformed, or they differ in their sentences or words; with files and lines.
    """
    counts = SrlCounts("conll05")
    for gold, predicted in zip_longest(read_props(gold_path), read_props(predicted_path)):
        if gold is None or predicted is None:
            more, less = (predicted, gold_path) if gold is None else (gold, predicted_path)
            raise TreebankError(
                f"{more.path}:{more.line}: expected as many sentences in both files, got sentence "
                f"{counts.n_sentences + 1} here and no more in {less}"
            )
        if gold.n_words != predicted.n_words:
            raise TreebankError(
                f"{gold.path}:{gold.line} and {predicted.path}:{predicted.line}: expected as many words in both, got "
                f"{gold.n_words} and {predicted.n_words} (sentence {counts.n_sentences + 1})"
            )
        counts.add(gold.propositions, predicted.propositions)
    return counts


def report_lines(counts: SrlCounts, *, confusion: bool = False) -> Iterator[str]:
    """The program's output, line by line, without line ends.

    confusion (bool): Whether to add the unlabelled row and the confusion matrix (`-C`).
    """
    yield f"Number of Sentences    :      {counts.n_sentences:6d}"
    yield f"Number of Propositions :      {counts.n_propositions:6d}"
    yield f"Percentage of perfect props : {_percent(counts.n_perfect, counts.n_propositions):6.2f}"
    yield ""
    yield _HEADER
    yield "-" * 60
    yield _row("Overall", counts.overall())
    yield "-" * 10
    for name in counts.roles():
        if name != PREDICATE_ROLE:
            yield _row(name, counts.role(name))
    yield "-" * 60
    if PREDICATE_ROLE in counts.roles():
        yield _row(PREDICATE_ROLE, counts.role(PREDICATE_ROLE))
    yield "-" * 60
    if confusion:
        yield from _confusion_lines(counts)


def _row(name: str, count: PRF) -> str:
    # Percentages are computed in the program's order, since figures such as 12.345 round by their last bit.
    precision, recall = _percent(count.ok, count.ok + count.excess), _percent(count.ok, count.ok + count.missed)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return (
        f"{name:>10}   {count.ok:6d}  {count.excess:6d}  {count.missed:6d}   {precision:6.2f}  {recall:6.2f}  {f1:6.2f}"
    )


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _confusion_lines(counts: SrlCounts) -> Iterator[str]:
    unlabeled = counts.unlabeled()
    accuracy = _percent(counts.overall().ok, unlabeled.ok)
    yield "-" * 68
    yield f"{_HEADER}    lAcc"
    yield f"{_row('Unlabeled', unlabeled)}  {accuracy:6.2f}"
    yield "-" * 68
    yield ""
    yield "---- Confusion Matrix: (one row for each correct role, with the distribution of predictions)"
    names: List[Optional[str]] = [None, *counts.roles()]
    yield " " * 13 + " ".join(f"{number:4d}" for number in range(-1, len(names) - 1)) + " "
    for number, gold in enumerate(names, start=-1):
        cells = " ".join(f"{counts.pairs[gold, predicted]:4d}" for predicted in names)
        yield f"{number:2d}: {gold or '-NONE-':<8} {cells} "
