"""EVALB in Python: reads parses, compares a gold parse with a test parse, and sums over
many. Equal to the program `evalb.c` (Sekine and Collins, 1997-2013) to the last digit,
including its oddities: labels are cut at `-` and `=`, tags are not; equal labels
(`ADVP`, `PRT`) count as deleted together; `(NP )` is a word without letters."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Optional, Union

from ..trees.brackets import write_brackets
from ..trees.parse import Parse
from ..trees.spans import Constituent
from . import ratio
from .evalb_params import COLLINS, EvalbParams

if TYPE_CHECKING:
    from nltk.tree import Tree

# The label of an opening bracket and None; tag and word; None and None for a closing
# one.
_Step = tuple[Optional[str], Optional[str]]
Place = tuple[int, int]  # half-open, over the kept words
OPEN = -1  # the end of a bracket that is never closed

# C's isspace in the C locale, hence not \s on text. A preterminal, or an opening
# bracket; a closing one; anything else, which the program cannot process.
_TOKEN = re.compile(
    r"\(([^() \t-\r]*)(?:[ \t-\r]+([^() \t-\r]*)\))?|(\))|([^() \t-\r]+)"
)
_QUOTES = frozenset(("'", '"', "/"))

# The column "Stat."
VALID = 0
ERROR = 1
SKIPPED = 2
TOO_MANY_OPEN = "Bracketing is unbalanced (too many open bracket)"
TOO_MANY_CLOSED = "Bracketing unbalance (too many close bracket)"


class Quote(NamedTuple):
    """A quote character under a `quote_label`, kept or deleted, with the data to put it
    back: the numbers of kept words and of brackets before it, and the brackets (by
    number) around it."""

    position: int
    bracket: int
    enclosing: tuple[int, ...]
    tag: str
    word: str


class EvalbSentence(NamedTuple):
    """What the program makes of a line: no `Parse`, since brackets may cross, be empty
    or never be closed. Brackets of the kept words in pre-order, with uncut labels; the
    number of words without those under `delete_label_for_length`; the reader's errors:
    with any, the sentence does not count."""

    words: list[str]
    tags: list[str]
    brackets: list[Constituent]
    length: int
    quotes: list[Quote]
    errors: list[str]


AnyParse = Union[EvalbSentence, Parse, "Tree", str]


class EvalbRow(NamedTuple):
    """The figures of one sentence, in the order of the printed row, and the program's
    messages on stderr."""

    length: int
    status: int
    matched: int = 0
    gold_brackets: int = 0
    test_brackets: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0
    errors: tuple[str, ...] = ()


@dataclass
class EvalbCounts:
    """Sums over sentences: of sentences not comparable (errors) and without a word to
    compare (skipped), with all brackets (complete), with no and with at most two
    crossing brackets."""

    n_sentences: int = 0
    n_errors: int = 0
    n_skipped: int = 0
    matched: int = 0
    gold_brackets: int = 0
    test_brackets: int = 0
    complete: int = 0
    crossing: int = 0
    no_crossing: int = 0
    two_crossing: int = 0
    words: int = 0
    correct_tags: int = 0

    def add(self, row: EvalbRow) -> None:
        """Count one sentence."""
        self.n_sentences += 1
        if row.status == ERROR:
            self.n_errors += 1
        elif row.status == SKIPPED:
            self.n_skipped += 1
        else:
            for name in (
                "matched",
                "gold_brackets",
                "test_brackets",
                "crossing",
                "words",
                "correct_tags",
            ):
                setattr(self, name, getattr(self, name) + getattr(row, name))
            self.complete += row.matched == row.gold_brackets == row.test_brackets
            self.no_crossing += row.crossing == 0
            self.two_crossing += row.crossing <= 2

    @property
    def n_valid(self) -> int:
        """Sentences that count."""
        return self.n_sentences - self.n_errors - self.n_skipped

    def scores(self) -> dict[str, float]:
        """Precision, recall, F1, complete match, sentences without crossing brackets,
        and with at most two, from 0 to 1; the average number of crossing brackets in a
        sentence (`const_cb`)."""
        n = self.n_valid
        return {
            "const_p": ratio(self.matched, self.test_brackets),
            "const_r": ratio(self.matched, self.gold_brackets),
            "const_f": ratio(2 * self.matched, self.gold_brackets + self.test_brackets),
            "const_cm": ratio(self.complete, n),
            "const_cb": ratio(self.crossing, n),
            "const_0cb": ratio(self.no_crossing, n),
            "const_2cb": ratio(self.two_crossing, n),
        }


def read_sentence(line: str, params: EvalbParams) -> EvalbSentence:
    """Read one line of a bracket file as EVALB does. A line without brackets is an
    empty parse.

    RAISES (ValueError): The program would hang or read beyond the line: words beside
        brackets, more than one word in a bracket, a line that ends just after an
        opening.
    """
    return _build(_line_steps(line.partition("\0")[0]), params)


def _line_steps(line: str) -> Iterator[_Step]:
    opened_at = -1
    for match in _TOKEN.finditer(line):
        label, word, _, other = match.groups()
        if other is not None:
            before = line[max(0, match.start() - 20) : match.start()]
            raise ValueError(f"expected a bracket, found {other!r} after {before!r}")
        if label is not None and word is None:
            opened_at = match.end()
        yield label, word
    if opened_at >= 0 and not line[opened_at:].strip(" \t\n\v\f\r"):
        raise ValueError(
            f"the line ends inside a bracket, at {line.rstrip()[-20:]!r}; a tree takes "
            "one line"
        )


def _parse_steps(parse: Parse) -> Iterator[_Step]:
    for labels, tag, word, n_closed in parse.steps() if parse.words else ():
        yield from ((label, None) for label in labels)
        yield tag, word
        yield from [(None, None)] * n_closed


def _build(steps: Iterable[_Step], params: EvalbParams) -> EvalbSentence:
    sentence = EvalbSentence([], [], [], 0, [], [])
    words, tags, brackets, length, quotes, errors = sentence
    # Open brackets by depth. A dict, since a surplus closing bracket takes the depth
    # below zero, where the program finds bracket 0 (in uninitialised memory) and
    # continues.
    opened: dict[int, int] = {}
    depth = 0
    for label, word in steps:
        if label is None:
            if depth < 0:
                errors.append(TOO_MANY_CLOSED)
            depth -= 1
            number = opened.get(depth, 0)
            if number < len(brackets):
                brackets[number] = brackets[number]._replace(end=len(words))
        elif word is None:
            opened[depth] = len(brackets)
            depth += 1
            brackets.append(Constituent(len(words), OPEN, label))
        else:
            length += label not in params.delete_label_for_length
            if label in params.quote_label and word in _QUOTES:
                around = tuple(opened[above] for above in range(depth))
                quotes.append(Quote(len(words), len(brackets), around, label, word))
            if label not in params.delete_label:
                words.append(word)
                tags.append(label)
    if depth != 0:
        errors.append(TOO_MANY_OPEN)
    return sentence._replace(length=length)


def as_sentence(parse: AnyParse, params: EvalbParams) -> EvalbSentence:
    """Convert any form of a parse: a line, a tree, a `Parse` (if `TOP` is deleted, it
    may be present or absent), or an `EvalbSentence` itself."""
    if isinstance(parse, EvalbSentence):
        return parse
    if isinstance(parse, Parse):
        return _build(_parse_steps(parse), params)
    line = parse if isinstance(parse, str) else write_brackets(parse)
    return read_sentence(line, params)


def score_sentence(
    gold: AnyParse, test: AnyParse, params: EvalbParams = COLLINS
) -> EvalbRow:
    """Compare two parses of a sentence, each an `nltk.Tree`, a line of brackets, a
    `Parse` or an `EvalbSentence`.

    RAISES (ValueError): A parse that is not a tree.
    """
    gold = as_sentence(gold, params)
    test = as_sentence(test, params)
    errors = [*gold.errors, *test.errors]
    length = gold.length
    if not test.words:
        return EvalbRow(length, SKIPPED, errors=tuple(errors))
    if len(gold.words) != len(test.words) and gold.quotes and test.quotes:
        gold, test = restore_quotes(gold, test, params)
    if len(gold.words) != len(test.words):
        errors.append(f"Length unmatch ({len(gold.words)}|{len(test.words)})")
        return EvalbRow(length, ERROR, errors=tuple(errors))
    for word, other in zip(gold.words, test.words, strict=True):
        if not params.same_word(word, other):
            errors.append(f"Words unmatch ({word}|{other})")
            return EvalbRow(length, ERROR, errors=tuple(errors))
    gold_brackets = scored_brackets(gold.brackets, params)
    test_brackets = scored_brackets(test.brackets, params)
    return EvalbRow(
        length,
        ERROR if errors else VALID,
        count_matched(gold_brackets, test_brackets, params),
        len(gold_brackets),
        len(test_brackets),
        count_crossing(gold_brackets, test_brackets, nested=not errors),
        len(gold.words),
        sum(map(params.same_label, gold.tags, test.tags)),
        tuple(errors),
    )


def scored_brackets(
    brackets: Iterable[Constituent], params: EvalbParams
) -> list[Constituent]:
    """The brackets that count, with labels cut. Brackets without words and brackets
    with a deleted label are left out."""
    scored = []
    for bracket in brackets:
        label = params.bracket_label(bracket.label)
        if bracket.start != bracket.end and label is not None:
            scored.append(bracket._replace(label=label))
    return scored


def labels_by_place(brackets: Iterable[Constituent]) -> dict[Place, list[str]]:
    """The labels of brackets over the same words."""
    by_place: dict[Place, list[str]] = defaultdict(list)
    for bracket in brackets:
        by_place[bracket.start, bracket.end].append(bracket.label)
    return by_place


def count_matched(
    gold: Iterable[Constituent], test: Iterable[Constituent], params: EvalbParams
) -> int:
    """The number of gold brackets that match a test bracket of their own. Each takes
    the first that matches: with pairs of equal labels the order can matter, and follows
    the program."""
    by_place = labels_by_place(test)
    matched = 0
    for bracket in gold:
        candidates = by_place.get((bracket.start, bracket.end), [])
        for i, candidate in enumerate(candidates):
            if not params.labeled or params.same_label(candidate, bracket.label):
                del candidates[i]
                matched += 1
                break
    return matched


def count_crossing(
    gold: Iterable[Constituent], test: Iterable[Constituent], *, nested: bool
) -> int:
    """The number of test brackets that cross any gold bracket; labels are ignored.

    nested (bool): The gold brackets form a tree: none of them can cross a test bracket
        that is also gold.
    """
    gold_places = labels_by_place(gold).keys()
    crossing = 0
    for (start, end), labels in labels_by_place(test).items():
        if nested and (start, end) in gold_places:
            continue
        for other_start, other_end in gold_places:
            from_left = other_start < start < other_end < end
            from_right = start < other_start < end < other_end
            if from_left or from_right:
                crossing += len(labels)
                break
    return crossing


def restore_quotes(
    gold: EvalbSentence, test: EvalbSentence, params: EvalbParams
) -> tuple[EvalbSentence, EvalbSentence]:
    """New parses with quote characters that were deleted on one side only, since
    parsers may tag '' as '' or as POS. Like the program, pairs quotes by the number of
    words before them."""
    gold = _copied(gold)
    test = _copied(test)
    deleted = frozenset(params.delete_label)
    for i in range(len(test.quotes)):
        position = test.quotes[i].position
        for j in range(len(gold.quotes)):
            ours = gold.quotes[j]
            theirs = test.quotes[i]
            if ours.position != position or ours.tag == theirs.tag:
                continue
            if ours.tag in deleted and theirs.tag not in deleted:
                _reinsert(gold, j)
            elif theirs.tag in deleted and ours.tag not in deleted:
                _reinsert(test, i)
    return gold, test


def _copied(sentence: EvalbSentence) -> EvalbSentence:
    """A sentence with lists of its own."""
    return EvalbSentence._make(map(copy, sentence))


def _reinsert(sentence: EvalbSentence, number: int) -> None:
    """Undo the deletion of one quote: brackets that begin after it move by one,
    brackets around it grow by one."""
    quote = sentence.quotes[number]
    sentence.words.insert(quote.position, quote.word)
    sentence.tags.insert(quote.position, quote.tag)
    enclosing = Counter(quote.enclosing)
    for i, bracket in enumerate(sentence.brackets):
        moved = bracket.moved(i >= quote.bracket)
        sentence.brackets[i] = moved._replace(end=moved.end + enclosing[i])
    for i, later in enumerate(sentence.quotes):
        if i >= number:
            sentence.quotes[i] = later._replace(position=later.position + 1)
