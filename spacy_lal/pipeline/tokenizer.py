"""spaCy's tokenizer with a language's rules for text from the web, which give it the
tokens of web treebanks, and those sentence starts that the text alone decides.

The rules lie in `spacy_lal/lang`: `en/tokens.py` keeps together what English Web
Treebank and GUM do (`!!!`, `=====`, telephone numbers, `e-mail`), and divides what they
divide. A language without rules of its own has the marks of `marks.py`.
`line_starts.py` sets the sentence starts."""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from re import Pattern
from typing import Any

import numpy as np
import srsly
from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span
from spacy.util import (
    compile_infix_regex,
    compile_prefix_regex,
    compile_suffix_regex,
    filter_spans,
    get_words_and_spaces,
)

from ..annotations import note_ranges
from ..lang import token_rules
from ..lang.conventions import Rules, TokenRules
from ..lang.marks import LINK
from .line_starts import set_line_starts

MAX_RUN = 2100  # characters without whitespace; browsers' URLs end at 2,083
# Of a run with many marks, which spaCy would take off one by one.
MAX_MARKED_RUN = 40
MANY_MARKS = 100
_MARK = re.compile(r"[^\w\s]")
_LINK = re.compile(LINK.pattern)
_LETTER = re.compile(r"[A-Za-z]\.?$")


class WebTokenizer(Tokenizer):
    """spaCy's tokenizer, whose time is quadratic in a run without whitespace: long runs
    are cut."""

    line_starts = True  # whether sentence starts that the text decides are set

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what `Tokenizer` does, and the attributes of this class."""
        make, arguments, *_ = super().__reduce__()
        return make, arguments, {"line_starts": self.line_starts}

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """See `Tokenizer`."""
        message = srsly.msgpack_loads(super().to_bytes(exclude=exclude))
        message["line_starts"] = self.line_starts
        return srsly.msgpack_dumps(message)

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "WebTokenizer":
        """See `Tokenizer`. Rules that it already has are not loaded: that takes a sixth
        of the time of loading."""
        if bytes_data != self.to_bytes(exclude=("vocab", *exclude)):
            super().from_bytes(bytes_data, exclude=exclude)
            message = srsly.msgpack_loads(bytes_data)
            self.line_starts = message.get("line_starts", self.line_starts)
        return self

    def __call__(self, string: str) -> Doc:
        """Make a Doc of a text, without losing a character. A text that the rules
        cannot read is divided at white space, with a warning, so that `nlp.pipe` goes
        on: spaCy asks no error handler about a tokenizer."""
        lang = self.vocab.lang
        try:
            doc = follow_context(self._tokenize(string), lang)
            return set_line_starts(doc, lang) if self.line_starts else doc
        except Exception as error:  # rules may be the user's
            warnings.warn(
                f"the tokenizer divides a text at white space alone, since its rules "
                f"failed ({type(error).__name__}: {error}): {string[:40]!r}",
                stacklevel=2,
            )
            words, spaces = get_words_and_spaces(string.split(), string)
            return Doc(self.vocab, words=words, spaces=spaces)

    def _tokenize(self, string: str) -> Doc:
        pieces = list(_pieces(string, self.vocab.lang))
        if len(pieces) < 2:
            return super().__call__(string)
        docs = [super(WebTokenizer, self).__call__(piece) for piece in pieces]
        tokens = [token for doc in docs for token in doc]
        doc = Doc(
            self.vocab,
            words=[token.text for token in tokens],
            spaces=[bool(token.whitespace_) for token in tokens],
        )
        norms: Any = np.concatenate([part.to_array([NORM]) for part in docs])
        return doc.from_array([NORM], norms)


@cache
def _cuts_and_joined(lang: str) -> tuple[Pattern[str], Pattern[str]]:
    """The patterns of a language for parts of a text at whose ends tokens end, and for
    parts that are one token."""
    rules = token_rules(lang)
    return _any_of((*rules.cuts, *rules.notes)), _any_of(rules.joined)


def _any_of(rules: Rules) -> Pattern[str]:
    return re.compile("|".join(patterns(rules)) or "(?!)")


def patterns(rules: Rules) -> list[str]:
    """The regular expressions of rules, each as a group."""
    return [f"(?:{rule.pattern})" for rule in rules]


def _pieces(string: str, lang: str) -> Iterator[str]:
    """Divide a text where a token must end, and long runs without whitespace."""
    cuts, _ = _cuts_and_joined(lang)
    places = {place for match in cuts.finditer(string) for place in match.span()}
    for run in re.finditer(rf"\S{{{MAX_MARKED_RUN},}}", string):
        places.update(_places_within(string, *run.span()))
    start = 0
    for end in sorted(places):
        around = string[max(0, end - 1) : end + 1]
        is_within_run = len(around) == 2 and not any(map(str.isspace, around))
        if is_within_run:
            yield string[start:end]
            start = end
    yield string[start:]


def _places_within(string: str, start: int, end: int) -> Iterator[int]:
    """Where to divide a run without whitespace: after an address; each `MAX_RUN`
    characters, or `MAX_MARKED_RUN` of a rest with many marks."""
    address = _LINK.match(string, start, end)
    rest = address.end() if address else start
    yield rest
    yield from range(start + MAX_RUN, rest, MAX_RUN)
    n_marks = len(_MARK.findall(string, rest, end))
    length = MAX_MARKED_RUN if n_marks > MANY_MARKS else MAX_RUN
    yield from range(rest + length, end, length)


def follow_context(doc: Doc, lang: str) -> Doc:
    """Join a full stop to an abbreviation that is a word elsewhere ("No. 5", "5 lbs. of
    it"), and the parts of a text that are one token. Divide a word that stands for two
    ("its", "your")."""
    rules = token_rules(lang)
    _, joined = _cuts_and_joined(lang)
    known = [doc.char_span(*match.span()) for match in joined.finditer(doc.text)]
    spans = [span for span in known if span is not None and len(span) > 1]
    spans += _abbreviations(doc, rules)
    spans = filter_spans(spans)
    merged = {token.i for span in spans for token in span}
    divided = [
        token
        for token in doc[:-1]
        if token.lower_ in rules.unmarked
        and token.nbor().text in rules.after_unmarked
        and token.i not in merged
    ]
    if not spans and not divided:
        return doc
    with doc.retokenize() as retokenizer:
        for span in spans:
            retokenizer.merge(span)
        for token in divided:
            length = rules.unmarked[token.lower_]
            halves = [token.text[:length], token.text[length:]]
            retokenizer.split(token, halves, heads=[(token, 0), (token, 0)])
    return doc


def _abbreviations(doc: Doc, rules: TokenRules) -> Iterator[Span]:
    """Each abbreviation with its full stop. A mark of a note after it is passed
    over."""
    stops = [token for token in doc[1:-1] if token.text == "."]
    after = dict(note_ranges(doc)) if stops else {}
    for stop in stops:
        word = stop.nbor(-1)
        following = after.get(stop.i + 1, stop.i + 1)
        if not word.whitespace_ and following < len(doc):
            before = doc[word.i - 1].text if word.i else ""
            is_spaced = bool(doc[following - 1].whitespace_)
            next_word = doc[following].text
            if _is_abbreviation(word.text, before, next_word, is_spaced, rules):
                yield doc[word.i : stop.i + 1]


def _is_abbreviation(
    word: str, before: str, following: str, is_spaced: bool, rules: TokenRules
) -> bool:
    """Tell whether a full stop belongs to the word before it. is_spaced: whether a
    space follows it."""
    form = f"{word}."
    if form in rules.before_numbers and is_spaced and following[0].isdigit():
        return True
    if form in rules.before_letters and is_spaced and _LETTER.match(following):
        return True
    if word[0].isupper() and (following == "&" or form in rules.abbreviations):
        return True
    is_unit = form in rules.units and before[-1:].isdigit()
    may_end = following[0].isupper() or following.isspace()
    return (form in rules.abbreviations or is_unit) and not may_end


def make_web_tokenizer(line_starts: bool = True) -> Callable[[Language], Tokenizer]:
    """Registered as `spacy-lal.WebTokenizer.v1`: for `[nlp.tokenizer]` of a pipeline.

    The rules that `spacy_lal/lang` has for the pipeline's language come before spaCy's.
    The tokenizer is saved and loaded like spaCy's own.

    line_starts (bool): Whether the tokenizer sets the sentence starts that the text
        alone decides: after a blank line, at items of lists, headings, speakers' labels
        and rows of tables, and none within a word.
    """
    return partial(create_web_tokenizer, line_starts=line_starts)


def create_web_tokenizer(nlp: Language, line_starts: bool = True) -> Tokenizer:
    """spaCy's tokenizer for a language, with the language's rules for the web."""
    # All is given at once: a tokenizer reads its special cases again whenever a
    # property is set.
    defaults = nlp.Defaults
    rules = token_rules(nlp.lang or "")
    token_match = defaults.token_match
    if rules.whole:
        token_match = re.compile(rf"(?:{'|'.join(patterns(rules.whole))})$").match
    prefixes = [*patterns(rules.prefixes), *(defaults.prefixes or [])]
    suffixes = [*patterns(rules.suffixes), *(defaults.suffixes or [])]
    infixes = [*patterns(rules.infixes), *(defaults.infixes or [])]
    kept = [one for one in suffixes if one not in rules.dropped_suffixes]
    tokenizer = WebTokenizer(
        nlp.vocab,
        rules=_special_cases(defaults.tokenizer_exceptions, rules),
        prefix_search=compile_prefix_regex(prefixes).search,
        suffix_search=compile_suffix_regex(kept).search,
        infix_finditer=compile_infix_regex(infixes).finditer,
        token_match=token_match,
        url_match=defaults.url_match,
    )
    tokenizer.line_starts = line_starts
    return tokenizer


def _special_cases(of_spacy: Any, rules: TokenRules) -> dict:
    """Words whose tokens are given, as spaCy writes them, but for those that a rule
    joins: 15,600 Indonesian words with hyphens."""
    joined = _any_of(rules.joined)
    cases = {
        text: case
        for text, case in of_spacy.items()
        if text not in rules.dropped_words and not joined.fullmatch(text)
    }
    divided = {text: [text] for text in rules.kept} | dict(rules.divided)
    for text, parts in divided.items():
        cases[text] = [{"ORTH": part} for part in parts]
    return cases
