"""EVALB in Python: compares one gold parse with one test parse, and sums over many. Equal to the program `evalb.c`
(Sekine and Collins, 1997-2013) to the last digit, including its oddities: labels are cut at `-` and `=`, tags are not;
equal labels (`ADVP`, `PRT`) count as deleted together; a wrong sentence still prints its figures.

Unlike the program, this module has no maximum length.
Not here: files and the printed table (`evalb_report.py`).
"""

from collections import Counter
from dataclasses import astuple, dataclass
from typing import Dict, Iterable, List, NamedTuple, Tuple

from spacy_lal.metrics.evalb_params import COLLINS, EvalbParams
from spacy_lal.metrics.evalb_sentence import EvalbSentence, Parse, Quote, as_sentence

Span = Tuple[int, int]

VALID, ERROR, SKIPPED = 0, 1, 2  # the column "Stat."


class EvalbRow(NamedTuple):
    """The figures of one sentence, in the order of the printed row. An error or a skipped sentence is only counted as
    such.

    errors (tuple): The program's messages on stderr, in order.
    """

    length: int
    status: int
    matched: int = 0
    gold_brackets: int = 0
    test_brackets: int = 0
    crossing: int = 0
    words: int = 0
    correct_tags: int = 0
    errors: Tuple[str, ...] = ()


@dataclass
class EvalbCounts:
    """Sums over sentences. They add up: `a + b` is the count of both sets together.

    n_sentences, n_errors, n_skipped (int): Sentences seen, not comparable, without a word to compare.
    matched, gold_brackets, test_brackets (int): Brackets.
    complete (int): Sentences whose brackets are all right.
    crossing (int): Test brackets that cross a gold bracket.
    no_crossing, two_crossing (int): Sentences with no, with at most two crossing brackets.
    words, correct_tags (int): Words compared, and those with the right tag.
    """

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

    def __add__(self, other: "EvalbCounts") -> "EvalbCounts":
        return EvalbCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def add(self, row: EvalbRow) -> None:
        """Count one sentence."""
        self.n_sentences += 1
        if row.status == ERROR:
            self.n_errors += 1
        elif row.status == SKIPPED:
            self.n_skipped += 1
        else:
            self.matched += row.matched
            self.gold_brackets += row.gold_brackets
            self.test_brackets += row.test_brackets
            self.complete += row.matched == row.gold_brackets == row.test_brackets
            self.crossing += row.crossing
            self.no_crossing += row.crossing == 0
            self.two_crossing += row.crossing <= 2
            self.words += row.words
            self.correct_tags += row.correct_tags

    @property
    def n_valid(self) -> int:
        """Sentences that count."""
        return self.n_sentences - self.n_errors - self.n_skipped

    @property
    def const_p(self) -> float:
        """Bracketing precision, 0 to 1; 0 if the divisor is 0."""
        return _ratio(self.matched, self.test_brackets)

    @property
    def const_r(self) -> float:
        """Bracketing recall, 0 to 1."""
        return _ratio(self.matched, self.gold_brackets)

    @property
    def const_f(self) -> float:
        """Bracketing F1, 0 to 1."""
        return _ratio(2 * self.matched, self.gold_brackets + self.test_brackets)

    @property
    def const_cm(self) -> float:
        """Complete match: share of sentences whose brackets are all right, 0 to 1."""
        return _ratio(self.complete, self.n_valid)

    @property
    def const_cb(self) -> float:
        """Average number of crossing brackets in a sentence."""
        return _ratio(self.crossing, self.n_valid)

    @property
    def const_0cb(self) -> float:
        """Share of sentences without crossing brackets, 0 to 1."""
        return _ratio(self.no_crossing, self.n_valid)

    @property
    def const_2cb(self) -> float:
        """Share of sentences with at most two crossing brackets, 0 to 1."""
        return _ratio(self.two_crossing, self.n_valid)

    @property
    def tag_acc(self) -> float:
        """Tagging accuracy over the words compared (no deleted punctuation), 0 to 1."""
        return _ratio(self.correct_tags, self.words)

    def scores(self) -> Dict[str, float]:
        """All scores by name."""
        names = ("const_p", "const_r", "const_f", "const_cm", "const_cb", "const_0cb", "const_2cb", "tag_acc")
        return {name: getattr(self, name) for name in names}

    def signature(self, params: EvalbParams = COLLINS) -> str:
        """The conditions under which two numbers can be compared: the parameters and how many sentences did not
        count."""
        return f"evalb|{params.signature}|sents:{self.n_sentences}|errors:{self.n_errors}|skipped:{self.n_skipped}"


def score_sentence(gold: Parse, test: Parse, params: EvalbParams = COLLINS) -> EvalbRow:
    """Compare two parses of a sentence.

    gold, test (Parse): Each an `nltk.Tree`, a line of brackets, `(words, tags, spans)` with half-open spans in
        pre-order (labels may be chains, `"S::VP"`), or an `EvalbSentence`.
    params (EvalbParams): The parameters; `COLLINS.prm` unless given.
    RETURNS (EvalbRow): The figures of the sentence.
    RAISES (EvalbFormatError): A parse that is not a tree.
    """
    gold, test = as_sentence(gold, params), as_sentence(test, params)
    errors = [*gold.errors, *test.errors]
    length = gold.length
    if not test.words:
        return EvalbRow(length, SKIPPED, errors=tuple(errors))
    if len(gold.words) != len(test.words):
        if gold.quotes and test.quotes:
            gold, test = restore_quotes(gold, test, params)
        if len(gold.words) != len(test.words):
            errors.append(f"Length unmatch ({len(gold.words)}|{len(test.words)})")
            return EvalbRow(length, ERROR, errors=tuple(errors))
    if gold.words != test.words:
        for one, other in zip(gold.words, test.words, strict=True):
            if not params.same_word(one, other):
                errors.append(f"Words unmatch ({one}|{other})")
                return EvalbRow(length, ERROR, errors=tuple(errors))
    gold_brackets, test_brackets = scored_brackets(gold, params), scored_brackets(test, params)
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


def score_parses(
    parses: Iterable[Tuple[Parse, Parse]], params: EvalbParams = COLLINS
) -> Tuple[EvalbCounts, EvalbCounts]:
    """Sum over pairs of (gold, test).

    RETURNS (Tuple[EvalbCounts, EvalbCounts]): Counts over all sentences, and over sentences of at most `cutoff_len`
        words.
    """
    everything, short = EvalbCounts(), EvalbCounts()
    for gold, test in parses:
        row = score_sentence(gold, test, params)
        everything.add(row)
        if row.length <= params.cutoff_len:
            short.add(row)
    return everything, short


def scored_brackets(sentence: EvalbSentence, params: EvalbParams) -> List[Tuple[Span, str]]:
    """The brackets that count, as ((start, end), label). Brackets without words and brackets with a deleted label are
    left out; labels are cut."""
    labels = params.bracket_labels
    brackets = []
    for start, end, label in sentence.brackets:
        if start != end:
            scored = labels[label]
            if scored is not None:
                brackets.append(((start, end), scored))
    return brackets


def count_matched(gold: List[Tuple[Span, str]], test: List[Tuple[Span, str]], params: EvalbParams) -> int:
    """The number of gold brackets that match a test bracket of their own. Each takes the first that matches: with pairs
    of equal labels the order can matter, and follows the program."""
    equal = params.eq_label_pairs
    by_span: Dict[Span, List[str]] = {}
    for span, label in test:
        by_span.setdefault(span, []).append(label)
    matched = 0
    for span, label in gold:
        candidates = by_span.get(span)
        if not candidates:
            continue
        for i, candidate in enumerate(candidates):
            if candidate == label or not params.labeled or (candidate, label) in equal:
                del candidates[i]
                matched += 1
                break
    return matched


def count_crossing(gold: List[Tuple[Span, str]], test: List[Tuple[Span, str]], *, nested: bool) -> int:
    """The number of test brackets that cross any gold bracket; labels are ignored.

    nested (bool): The gold brackets form a tree: none of them can cross a test bracket that is also gold.
    """
    gold_spans = {span for span, _ in gold}
    crossing = 0
    for (start, end), n_brackets in Counter(span for span, _ in test).items():
        if nested and (start, end) in gold_spans:
            continue
        for other_start, other_end in gold_spans:
            if other_start < start < other_end < end or start < other_start < end < other_end:
                crossing += n_brackets
                break
    return crossing


def restore_quotes(
    gold: EvalbSentence, test: EvalbSentence, params: EvalbParams
) -> Tuple[EvalbSentence, EvalbSentence]:
    """Put back quote characters that were deleted on one side only, since parsers may tag '' as '' or as POS. Like the
    program, pairs quotes by the number of words before them.

    RETURNS (Tuple[EvalbSentence, EvalbSentence]): New parses; the arguments are not changed.
    """
    gold, test = _copy(gold), _copy(test)
    deleted = frozenset(params.delete_label)
    for i in range(len(test.quotes)):
        position = test.quotes[i].position
        for j in range(len(gold.quotes)):
            ours, theirs = gold.quotes[j], test.quotes[i]
            if ours.position != position or ours.tag == theirs.tag:
                continue
            if ours.tag in deleted and theirs.tag not in deleted:
                _reinsert(gold, j)
            elif theirs.tag in deleted and ours.tag not in deleted:
                _reinsert(test, i)
    return gold, test


def _copy(sentence: EvalbSentence) -> EvalbSentence:
    return EvalbSentence(
        list(sentence.words),
        list(sentence.tags),
        list(sentence.brackets),
        sentence.length,
        list(sentence.quotes),
        sentence.errors,
    )


def _reinsert(sentence: EvalbSentence, number: int) -> None:
    """Undo the deletion of one quote: brackets that begin after it move by one, brackets around it grow by one."""
    quote = sentence.quotes[number]
    sentence.words.insert(quote.position, quote.word)
    sentence.tags.insert(quote.position, quote.tag)
    enclosing = Counter(quote.enclosing)
    for i, (start, end, label) in enumerate(sentence.brackets):
        moved = int(i >= quote.bracket)
        sentence.brackets[i] = (start + moved, end + moved + enclosing[i], label)
    for i in range(number, len(sentence.quotes)):
        later: Quote = sentence.quotes[i]
        sentence.quotes[i] = later._replace(position=later.position + 1)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
