"""EVALB's printed table: a row for each pair of lines, totals, two summary blocks;
equal to the output of `evalb.c` line for line, but for its listings under `DEBUG 1`.
Neither file is held in memory."""

from collections.abc import Callable, Iterable, Iterator
from itertools import count, zip_longest
from typing import Optional

from . import percent, ratio
from .evalb import EvalbCounts, EvalbRow, EvalbSentence, read_sentence, score_sentence
from .evalb_params import COLLINS, EvalbParams

HEADER = [
    "  Sent.                        Matched  Bracket   Cross        Correct Tag",
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy",
    "=" * 76,
]
_ROW = (
    "{:4d}  {:3d}    {:d}  {:6.2f} {:6.2f}   {:3d}    {:3d}  {:3d}    {:3d}"
    "   {:4d}  {:4d}   {:6.2f}"
)
_TOTAL_BRACKETS = "                {:6.2f} {:6.2f} {:6d} {:5d} {:5d}  {:5d}"
_SUMMARY = """
-- {} --
Number of sentence        = {:6d}
Number of Error sentence  = {:6d}
Number of Skip  sentence  = {:6d}
Number of Valid sentence  = {:6d}
Bracketing Recall         = {:6.2f}
Bracketing Precision      = {:6.2f}
Bracketing FMeasure       = {}
Complete match            = {:6.2f}
Average crossing          = {:6.2f}
No crossing               = {:6.2f}
2 or less crossing        = {:6.2f}
Tagging accuracy          = {:6.2f}"""
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
    names: tuple[object, object] = ("gold", "test"),
    on_error: Optional[Callable[[str], None]] = None,
) -> Iterator[str]:
    """Compare two bracket files with one tree per line. Yields the lines that the
    program prints on stdout, without their ends; `on_error` receives its messages on
    stderr, line by line, with the names of the files.

    RAISES (ValueError): A line that the program cannot process.
    RAISES (EvalbStopped): The error at which it stops.
    """
    errors = count()

    def add_error(line: int, message: str) -> None:
        if on_error is not None:
            on_error(f"{line} : {message}")
        if next(errors) > params.max_error:
            raise EvalbStopped(
                f"stopped at line {line}: more than MAX_ERROR ({params.max_error}) "
                "errors"
            )

    everything = EvalbCounts()
    short = EvalbCounts()
    yield from HEADER
    for number, lines in enumerate(zip_longest(gold_lines, test_lines), start=1):
        gold_line, test_line = lines
        if gold_line is None:
            add_error(number, TOO_MANY_TEST)
            break
        gold = _read(names[0], number, gold_line, params)
        for message in gold.errors:
            add_error(number, message)
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
    yield from _totals(everything)
    yield "=== Summary ==="
    yield from summary_lines("All", everything)
    yield from summary_lines(f"len<={params.cutoff_len}", short)


def _read(name: object, number: int, line: str, params: EvalbParams) -> EvalbSentence:
    try:
        return read_sentence(line, params)
    except ValueError as err:
        raise ValueError(f"{name}, line {number}: {err}") from err


def format_row(number: int, row: EvalbRow) -> str:
    """One sentence as a row of the table; number is its line in the files, from 1."""
    return _ROW.format(
        number,
        row.length,
        row.status,
        percent(row.matched, row.gold_brackets),
        percent(row.matched, row.test_brackets),
        row.matched,
        row.gold_brackets,
        row.test_brackets,
        row.crossing,
        row.words,
        row.correct_tags,
        percent(row.correct_tags, row.words),
    )


def _totals(counts: EvalbCounts) -> Iterator[str]:
    yield HEADER[-1]
    line = ""
    if counts.gold_brackets > 0 and counts.test_brackets > 0:
        line = _TOTAL_BRACKETS.format(
            percent(counts.matched, counts.gold_brackets),
            percent(counts.matched, counts.test_brackets),
            counts.matched,
            counts.gold_brackets,
            counts.test_brackets,
            counts.crossing,
        )
    tag_accuracy = percent(counts.correct_tags, counts.words)
    yield f"{line}  {counts.words:5d} {counts.correct_tags:5d}   {tag_accuracy:6.2f}"


def summary_lines(title: str, counts: EvalbCounts) -> list[str]:
    """The heading `-- All --`, and the block of twelve lines below it, in percent."""
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
    text = _SUMMARY.format(
        title,
        counts.n_sentences,
        counts.n_errors,
        counts.n_skipped,
        n_valid,
        recall,
        precision,
        f_measure,
        percent(counts.complete, n_valid),
        ratio(counts.crossing, n_valid),
        percent(counts.no_crossing, n_valid),
        percent(counts.two_crossing, n_valid),
        percent(counts.correct_tags, counts.words),
    )
    return text.split("\n")
