"""The words and brackets of both parses side by side, as EVALB prints them below a row under `DEBUG 1`.

A result is 1 for a match, 0 for no match, 5 for a bracket that does not count, 9 if the words were not compared.
"""

from typing import Iterator, List, Optional, Tuple

from spacy_lal.metrics.evalb import EvalbRow, restore_quotes
from spacy_lal.metrics.evalb_params import EvalbParams
from spacy_lal.metrics.evalb_sentence import EvalbSentence

NO_MATCH, MATCH, IGNORED, UNDEFINED = 0, 1, 5, 9


def debug_lines(gold: EvalbSentence, test: EvalbSentence, row: EvalbRow, params: EvalbParams) -> Iterator[str]:
    """The block below one row.

    gold, test (EvalbSentence): The parses as they were read.
    row (EvalbRow): Their figures.
    YIELDS (str): The lines of the block.
    """
    if test.words and len(gold.words) != len(test.words):
        gold, test = restore_quotes(gold, test, params)
    compared = row.words > 0
    yield (
        f"-<1>---(wn1={len(gold.words):3d}, bn1={len(gold.brackets):3d})-           "
        f"-<2>---(wn2={len(test.words):3d}, bn2={len(test.brackets):3d})-"
    )
    gold_words, test_words = _words(gold), _words(test)
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


def _words(sentence: EvalbSentence) -> List[Tuple[str, str]]:
    return list(zip(sentence.tags, sentence.words, strict=True))


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
            label = params.cut_label(label)
        lines.append(f"{i:3d} : {result} : {start:3d}  {end:3d}  {_pad(label, 6)}")
    return lines


def _bracket_results(gold: EvalbSentence, test: EvalbSentence, params: EvalbParams) -> Tuple[List[int], List[int]]:
    """A result for each bracket of both sides, by a plain double loop."""
    sides = []
    for sentence in (gold, test):
        labels = [None if start == end else params.bracket_labels[label] for start, end, label in sentence.brackets]
        sides.append(labels)
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
