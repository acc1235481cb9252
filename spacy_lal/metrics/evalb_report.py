"""EVALB's printed table: a row for each pair of lines, totals, two summary blocks; equal to the output of `evalb.c`
line for line. Under `DEBUG 1` words and brackets stand side by side below each row.

Lines are processed one at a time: neither file is held in memory. Not here: opening files, the terminal.
"""

from typing import Callable, Iterable, Iterator, List, Optional, Tuple

from .evalb import (
    EvalbCounts,
    EvalbFormatError,
    EvalbRow,
    EvalbSentence,
    read_sentence,
    restore_quotes,
    score_sentence,
)
from .evalb_params import COLLINS, EvalbParams, cut_label

HEADER = [
    "  Sent.                        Matched  Bracket   Cross        Correct Tag",
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy",
    "=" * 76,
]
# Results of the debugging block: a bracket that does not count is 5; 9: the words were not compared.
NO_MATCH, MATCH, IGNORED, UNDEFINED = 0, 1, 5, 9
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


def report(
    gold_lines: Iterable[str],
    test_lines: Iterable[str],
    params: EvalbParams = COLLINS,
    *,
    on_error: Optional[Callable[[str], None]] = None,
) -> Iterator[str]:
    """Compare two bracket files with one tree per line.

    gold_lines, test_lines (Iterable[str]): The lines.
    params (EvalbParams): The parameters; `COLLINS.prm` unless given.
    on_error (Optional[Callable]): Receives the program's messages on stderr, line by line.
    YIELDS (str): The lines that the program prints on stdout, without their ends.
    RAISES (EvalbLineError): A line that the program cannot process.
    RAISES (EvalbStopped): The error at which the program stops.
    """
    errors = 0

    def add_error(line: int, message: str) -> None:
        nonlocal errors
        if on_error is not None:
            on_error(f"{line} : {message}")
        if errors > params.max_error:
            raise EvalbStopped(f"stopped at line {line}: more than MAX_ERROR ({params.max_error}) errors")
        errors += 1

    everything, short = EvalbCounts(), EvalbCounts()
    yield from HEADER
    tests = iter(test_lines)
    number = 0
    for number, gold_line in enumerate(gold_lines, start=1):
        gold = _read("gold", number, gold_line, params)
        for message in gold.errors:
            add_error(number, message)
        test_line = next(tests, None)
        if test_line is None:
            add_error(number, TOO_MANY_GOLD)
            break
        test = _read("test", number, test_line, params)
        row = score_sentence(gold, test, params)
        for message in row.errors[len(gold.errors) :]:
            add_error(number, message)
        everything.add(row)
        if row.length <= params.cutoff_len:
            short.add(row)
        yield format_row(number, row)
        if params.debug:
            yield from debug_lines(gold, test, row, params)
    else:
        if next(tests, None) is not None:
            add_error(number + 1, TOO_MANY_TEST)
    yield from _totals(everything)
    yield "=== Summary ==="
    for title, counts in (("All", everything), (f"len<={params.cutoff_len}", short)):
        yield ""
        yield f"-- {title} --"
        yield from summary_lines(counts)


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


def debug_lines(gold: EvalbSentence, test: EvalbSentence, row: EvalbRow, params: EvalbParams) -> Iterator[str]:
    """The words and brackets of both parses side by side, as `DEBUG 1` prints them below a row."""
    if test.words and len(gold.words) != len(test.words):
        gold, test = restore_quotes(gold, test, params)
    compared = row.words > 0
    yield (
        f"-<1>---(wn1={len(gold.words):3d}, bn1={len(gold.brackets):3d})-           "
        f"-<2>---(wn2={len(test.words):3d}, bn2={len(test.brackets):3d})-"
    )
    gold_words, test_words = ([*zip(one.tags, one.words, strict=True)] for one in (gold, test))
    for i in range(max(len(gold_words), len(test_words))):
        result = UNDEFINED
        if compared:
            result = int(params.same_label(gold.tags[i], test.tags[i]))
        left, right = _cell(gold_words, i, result), _cell(test_words, i, result)
        yield (f"{left}      " if left else " " * 40) + right
    yield ""
    results = _bracket_results(gold, test, params) if compared else None
    gold_brackets = _brackets(gold, params, results[0] if results else None)
    test_brackets = _brackets(test, params, results[1] if results else None)
    for i in range(max(len(gold_brackets), len(test_brackets))):
        left = f"{gold_brackets[i]}      " if i < len(gold_brackets) else " " * 32
        yield left + (test_brackets[i] if i < len(test_brackets) else "")
    yield ""
    yield "========"


def _cell(words: List[Tuple[str, str]], i: int, result: int) -> str:
    return (
        f"{i:3d} : {result} : {_pad(words[i][0], 6)}  {_pad(words[i][1], 16)}" if i < len(words) and words[i][1] else ""
    )


def _pad(text: str, width: int) -> str:
    """Pad to a number of bytes, as the program does."""
    return text + " " * (width - len(text.encode("utf-8", "surrogateescape")))


def _brackets(sentence: EvalbSentence, params: EvalbParams, results: Optional[List[int]]) -> List[str]:
    """The lines of the brackets; labels are cut only if they were compared."""
    lines = []
    for i, (start, end, label) in enumerate(sentence.brackets):
        result = UNDEFINED if results is None else results[i]
        if results is not None and start != end:
            label = cut_label(label)
        lines.append(f"{i:3d} : {result} : {start:3d}  {end:3d}  {_pad(label, 6)}")
    return lines


def _bracket_results(gold: EvalbSentence, test: EvalbSentence, params: EvalbParams) -> Tuple[List[int], List[int]]:
    """A result for each bracket of both sides, by a plain double loop."""
    sides = [
        [None if start == end else params.bracket_label(label) for start, end, label in sentence.brackets]
        for sentence in (gold, test)
    ]
    results = [[IGNORED if label is None else NO_MATCH for label in labels] for labels in sides]
    for i, gold_label in enumerate(sides[0]):
        for j, test_label in enumerate(sides[1]):
            if gold_label is None or test_label is None or results[1][j] != NO_MATCH:
                continue
            same_span = gold.brackets[i][:2] == test.brackets[j][:2]
            if same_span and (not params.labeled or params.same_label(gold_label, test_label)):
                results[0][i] = results[1][j] = MATCH
                break
    return results[0], results[1]
