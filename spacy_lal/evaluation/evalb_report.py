"""EVALB's printed table: a row for each pair of lines, totals, two summary blocks;
equal to the output of `evalb.c` line for line, but for its listings under `DEBUG 1`.
Neither file is held in memory."""

from typing import Callable, Iterable, Iterator, List, Optional, Tuple

from . import percent
from .evalb import EvalbCounts, EvalbRow, EvalbSentence, read_sentence, score_sentence
from .evalb_params import COLLINS, EvalbParams

HEADER = [
    "  Sent.                        Matched  Bracket   Cross        Correct Tag",
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy",
    "=" * 76,
]
TOO_MANY_GOLD = "Number of lines unmatch (too many lines in gold file)"
TOO_MANY_TEST = "Number of lines unmatch (too many lines in test file)"


class EvalbStopped(RuntimeError):
    """More errors than `max_error` allows. The rows so far have been yielded, and no
    totals follow."""


def report(
    gold_lines: Iterable[str],
    test_lines: Iterable[str],
    params: EvalbParams = COLLINS,
    *,
    names: Tuple[object, object] = ("gold", "test"),
    on_error: Optional[Callable[[str], None]] = None,
) -> Iterator[str]:
    """Compare two bracket files with one tree per line. Yields the lines that the
    program prints on stdout, without their ends; `on_error` receives its messages on
    stderr, line by line, with the names of the files.

    RAISES (ValueError): A line that the program cannot process.
    RAISES (EvalbStopped): The error at which it stops.
    """
    errors = 0

    def add_error(line: int, message: str) -> None:
        nonlocal errors
        if on_error is not None:
            on_error(f"{line} : {message}")
        if errors > params.max_error:
            raise EvalbStopped(
                f"stopped at line {line}: more than MAX_ERROR ({params.max_error}) "
                "errors"
            )
        errors += 1

    everything = EvalbCounts()
    short = EvalbCounts()
    yield from HEADER
    tests = iter(test_lines)
    number = 0
    for number, gold_line in enumerate(gold_lines, start=1):
        gold = _read(names[0], number, gold_line, params)
        for message in gold.errors:
            add_error(number, message)
        test_line = next(tests, None)
        if test_line is None:
            add_error(number, TOO_MANY_GOLD)
            break
        test = _read(names[1], number, test_line, params)
        row = score_sentence(gold, test, params)
        for message in row.errors[len(gold.errors) :]:
            add_error(number, message)
        everything.add(row)
        if row.length <= params.cutoff_len:
            short.add(row)
        yield format_row(number, row)
    else:
        if next(tests, None) is not None:
            add_error(number + 1, TOO_MANY_TEST)
    yield from _totals(everything)
    yield "=== Summary ==="
    for title, counts in (("All", everything), (f"len<={params.cutoff_len}", short)):
        yield ""
        yield f"-- {title} --"
        yield from summary_lines(counts)


def _read(name: object, number: int, line: str, params: EvalbParams) -> EvalbSentence:
    try:
        return read_sentence(line, params)
    except ValueError as err:
        raise ValueError(f"{name}, line {number}: {err}") from err


def format_row(number: int, row: EvalbRow) -> str:
    """One sentence as a row of the table; number is its line in the files, from 1."""
    recall = percent(row.matched, row.gold_brackets)
    precision = percent(row.matched, row.test_brackets)
    return (
        f"{number:4d}  {row.length:3d}    {row.status:d}  {recall:6.2f} "
        f"{precision:6.2f}   {row.matched:3d}    "
        f"{row.gold_brackets:3d}  {row.test_brackets:3d}    {row.crossing:3d}   "
        f"{row.words:4d}  "
        f"{row.correct_tags:4d}   {percent(row.correct_tags, row.words):6.2f}"
    )


def _totals(counts: EvalbCounts) -> Iterator[str]:
    yield HEADER[-1]
    line = ""
    if counts.gold_brackets > 0 and counts.test_brackets > 0:
        recall = percent(counts.matched, counts.gold_brackets)
        precision = percent(counts.matched, counts.test_brackets)
        line = (
            f"                {recall:6.2f} {precision:6.2f} {counts.matched:6d} "
            f"{counts.gold_brackets:5d} "
            f"{counts.test_brackets:5d}  {counts.crossing:5d}"
        )
    tag_accuracy = percent(counts.correct_tags, counts.words)
    yield f"{line}  {counts.words:5d} {counts.correct_tags:5d}   {tag_accuracy:6.2f}"


def summary_lines(counts: EvalbCounts) -> List[str]:
    """The block of twelve lines below `-- All --`, in percent."""
    recall = percent(counts.matched, counts.gold_brackets)
    precision = percent(counts.matched, counts.test_brackets)
    # Without a match the program divides 0 by 0, and x86 prints the result with its
    # sign.
    f_measure = (
        f"{2 * precision * recall / (precision + recall):6.2f}"
        if counts.matched
        else "  -nan"
    )
    n_valid = counts.n_valid
    average_crossing = counts.crossing / n_valid if n_valid else 0.0
    return [
        f"Number of sentence        = {counts.n_sentences:6d}",
        f"Number of Error sentence  = {counts.n_errors:6d}",
        f"Number of Skip  sentence  = {counts.n_skipped:6d}",
        f"Number of Valid sentence  = {n_valid:6d}",
        f"Bracketing Recall         = {recall:6.2f}",
        f"Bracketing Precision      = {precision:6.2f}",
        f"Bracketing FMeasure       = {f_measure}",
        f"Complete match            = {percent(counts.complete, n_valid):6.2f}",
        f"Average crossing          = {average_crossing:6.2f}",
        f"No crossing               = {percent(counts.no_crossing, n_valid):6.2f}",
        f"2 or less crossing        = {percent(counts.two_crossing, n_valid):6.2f}",
        "Tagging accuracy          = "
        f"{percent(counts.correct_tags, counts.words):6.2f}",
    ]
