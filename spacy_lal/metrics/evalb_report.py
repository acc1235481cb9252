"""EVALB's printed table: a row for each pair of lines, totals, two summary blocks; equal to the output of `evalb.c`
line for line.

Lines are processed one at a time: neither file is held in memory. Not here: opening files, the terminal.
"""

from typing import Callable, Iterable, Iterator, List, Optional

from spacy_lal.metrics.evalb import EvalbCounts, EvalbRow, score_sentence
from spacy_lal.metrics.evalb_debug import debug_lines
from spacy_lal.metrics.evalb_params import COLLINS, EvalbParams
from spacy_lal.metrics.evalb_sentence import EvalbFormatError, EvalbSentence, read_sentence

HEADER = [
    "  Sent.                        Matched  Bracket   Cross        Correct Tag",
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy",
    "=" * 76,
]
TOO_MANY_GOLD = "Number of lines unmatch (too many lines in gold file)"
TOO_MANY_TEST = "Number of lines unmatch (too many lines in test file)"


class EvalbLineError(EvalbFormatError):
    """A line that cannot be read.

    side (str): "gold" or "test".
    line (int): Its number, from 1.
    """

    def __init__(self, side: str, line: int, message: str) -> None:
        super().__init__(message)
        self.side = side
        self.line = line


class EvalbStopped(RuntimeError):
    """More errors than `max_error` allows. The rows so far have been yielded, and no totals follow."""


class _Errors:
    """Passes on each error with its line number, and stops the run where the program would."""

    def __init__(self, max_error: int, on_error: Optional[Callable[[str], None]]) -> None:
        self.max_error = max_error
        self.on_error = on_error
        self.n_errors = 0

    def add(self, line: int, message: str) -> None:
        if self.on_error is not None:
            self.on_error(f"{line} : {message}")
        if self.n_errors > self.max_error:
            raise EvalbStopped(f"stopped at line {line}: more than MAX_ERROR ({self.max_error}) errors")
        self.n_errors += 1


def report(
    gold_lines: Iterable[str],
    test_lines: Iterable[str],
    params: EvalbParams = COLLINS,
    *,
    on_error: Optional[Callable[[str], None]] = None,
    on_done: Optional[Callable[[EvalbCounts, EvalbCounts], None]] = None,
) -> Iterator[str]:
    """Compare two bracket files with one tree per line.

    gold_lines, test_lines (Iterable[str]): The lines.
    params (EvalbParams): The parameters; `COLLINS.prm` unless given.
    on_error (Optional[Callable]): Receives the program's messages on stderr, line by line.
    on_done (Optional[Callable]): Receives the sums over all sentences and over the short ones.
    YIELDS (str): The lines that the program prints on stdout, without their ends.
    RAISES (EvalbLineError): A line that the program cannot process.
    RAISES (EvalbStopped): The error at which the program stops.
    """
    errors = _Errors(params.max_error, on_error)
    everything, short = EvalbCounts(), EvalbCounts()
    yield from HEADER
    tests = iter(test_lines)
    number = 0
    for number, gold_line in enumerate(gold_lines, start=1):
        gold = _read("gold", number, gold_line, params)
        for message in gold.errors:
            errors.add(number, message)
        test_line = next(tests, None)
        if test_line is None:
            errors.add(number, TOO_MANY_GOLD)
            break
        test = _read("test", number, test_line, params)
        row = score_sentence(gold, test, params)
        for message in row.errors[len(gold.errors) :]:
            errors.add(number, message)
        everything.add(row)
        if row.length <= params.cutoff_len:
            short.add(row)
        yield format_row(number, row)
        if params.debug:
            yield from debug_lines(gold, test, row, params)
    else:
        if next(tests, None) is not None:
            errors.add(number + 1, TOO_MANY_TEST)
    yield from _totals(everything)
    yield "=== Summary ==="
    for title, counts in (("All", everything), (f"len<={params.cutoff_len}", short)):
        yield ""
        yield f"-- {title} --"
        yield from summary_lines(counts)
    if on_done is not None:
        on_done(everything, short)


def _read(side: str, number: int, line: str, params: EvalbParams) -> EvalbSentence:
    try:
        return read_sentence(line, params)
    except EvalbFormatError as err:
        raise EvalbLineError(side, number, str(err)) from err


def format_row(number: int, row: EvalbRow) -> str:
    """One sentence as a row of the table.

    number (int): Its line in the files, from 1.
    """
    recall = _percent(row.matched, row.gold_brackets)
    precision = _percent(row.matched, row.test_brackets)
    return (
        f"{number:4d}  {row.length:3d}    {row.status:d}  {recall:6.2f} {precision:6.2f}   {row.matched:3d}    "
        f"{row.gold_brackets:3d}  {row.test_brackets:3d}    {row.crossing:3d}   {row.words:4d}  "
        f"{row.correct_tags:4d}   {_percent(row.correct_tags, row.words):6.2f}"
    )


def _totals(counts: EvalbCounts) -> Iterator[str]:
    yield HEADER[-1]
    line = ""
    if counts.gold_brackets > 0 and counts.test_brackets > 0:
        recall = _percent(counts.matched, counts.gold_brackets)
        precision = _percent(counts.matched, counts.test_brackets)
        line = (
            f"                {recall:6.2f} {precision:6.2f} {counts.matched:6d} {counts.gold_brackets:5d} "
            f"{counts.test_brackets:5d}  {counts.crossing:5d}"
        )
    tag_accuracy = _percent(counts.correct_tags, counts.words)
    yield f"{line}  {counts.words:5d} {counts.correct_tags:5d}   {tag_accuracy:6.2f}"


def summary_lines(counts: EvalbCounts) -> List[str]:
    """The block of twelve lines below `-- All --`, in percent."""
    recall = _percent(counts.matched, counts.gold_brackets)
    precision = _percent(counts.matched, counts.test_brackets)
    # Without a match the program divides 0 by 0, and x86 prints the result with its sign.
    f_measure = f"{2 * precision * recall / (precision + recall):6.2f}" if counts.matched else "  -nan"
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
        f"Complete match            = {_percent(counts.complete, n_valid):6.2f}",
        f"Average crossing          = {average_crossing:6.2f}",
        f"No crossing               = {_percent(counts.no_crossing, n_valid):6.2f}",
        f"2 or less crossing        = {_percent(counts.two_crossing, n_valid):6.2f}",
        f"Tagging accuracy          = {_percent(counts.correct_tags, counts.words):6.2f}",
    ]


def _percent(part: int, whole: int) -> float:
    """In the program's order of operations, for the same last digit."""
    return 100.0 * part / whole if whole else 0.0
