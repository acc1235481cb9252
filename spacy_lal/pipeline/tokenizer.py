"""spaCy's tokenizer with rules for text from the web, which give it the tokens of web
treebanks, and those sentence starts that the text alone decides.

English Web Treebank and GUM (Universal Dependencies) keep together runs of marks
(`!!!`, `?!`, `=====`), telephone numbers, and words with a bound prefix (`e-mail`,
`non-human`). spaCy's own rules divide them.

A sentence begins after a blank line, and at a line that is an item of a list, a
heading, a turn that begins with its speaker's label, or a row of a table. A mark or
label and what follows it in its line are one sentence, as in EWT. None begins within a
word, at whitespace, or at an address after a word such as "see". Components that keep
what is set (spaCy's `senter` and `sentencizer` with `overwrite = false`) decide about
all other tokens."""

import re
from bisect import bisect_right
from functools import partial
from typing import (
    Any,
    Callable,
    Iterable,
    Iterator,
    List,
    Optional,
    Sequence,
    Set,
    Tuple,
)

import numpy as np
from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import (
    compile_infix_regex,
    compile_prefix_regex,
    compile_suffix_regex,
    filter_spans,
)

from ..lang.en import abbreviations, web
from ..lang.en import tokens as rules_of_tokens
from ..lang.en.words import DETERMINERS, JOINING

MAX_RUN = 2100  # characters without whitespace; browsers' URLs end at 2,083
# Of a run with many marks, which spaCy would take off one by one.
MAX_MARKED_RUN = 40
MANY_MARKS = 100
_MARK = re.compile(r"[^\w\s]")
_LINK = re.compile(rules_of_tokens.LINK)
_CUT, _JOINED = re.compile(rules_of_tokens.CUT), re.compile(rules_of_tokens.JOINED)
_NUMBER_OR_LETTER = re.compile(r"\d|[A-Za-z]\.?$")


class WebTokenizer(Tokenizer):
    """spaCy's tokenizer, whose time is quadratic in a run without whitespace: long runs
    are cut."""

    line_starts = True  # whether sentence starts that the text decides are set

    def __reduce__(self) -> Tuple[Any, ...]:
        """For pickle and `copy`: spaCy's own names its rules alone."""
        make, rules = super().__reduce__()[:2]
        return make, rules, {"line_starts": self.line_starts}

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "WebTokenizer":
        """See `Tokenizer`. Rules that it already has are not loaded: that takes a sixth
        of the time of loading."""
        if bytes_data != self.to_bytes(exclude=("vocab", *exclude)):
            super().from_bytes(bytes_data, exclude=exclude)
        return self

    def __call__(self, string: str) -> Doc:
        """Make a Doc of a text, without losing a character."""
        doc = follow_context(self._tokenize(string))
        return set_line_starts(doc) if self.line_starts else doc

    def _tokenize(self, string: str) -> Doc:
        pieces = list(_pieces(string))
        if len(pieces) < 2:
            return super().__call__(string)
        docs = [super(WebTokenizer, self).__call__(piece) for piece in pieces]
        tokens = [token for doc in docs for token in doc]
        doc = Doc(
            self.vocab,
            words=[token.text for token in tokens],
            spaces=[bool(token.whitespace_) for token in tokens],
        )
        norms: Any = np.concatenate([one.to_array([NORM]) for one in docs])
        return doc.from_array([NORM], norms)


def _pieces(string: str) -> Iterator[str]:
    """Divide a text where a token ends (`rules_of_tokens.CUT`), and runs
    without whitespace after each `MAX_RUN` characters, those with many marks after each
    `MAX_MARKED_RUN`."""
    cuts = {place for match in _CUT.finditer(string) for place in match.span()}
    for run in re.finditer(rf"\S{{{MAX_MARKED_RUN},}}", string):
        address = _LINK.match(run[0])
        rest = run.start() + (address.end() if address else 0)
        cuts.add(rest)
        cuts.update(range(run.start() + MAX_RUN, rest, MAX_RUN))
        n_marks = len(_MARK.findall(string, rest, run.end()))
        length = MAX_MARKED_RUN if n_marks > MANY_MARKS else MAX_RUN
        cuts.update(range(rest + length, run.end(), length))
    start = 0
    for end in sorted(cuts):
        if (
            string[end - 1 : end].strip() and string[end : end + 1].strip()
        ):  # else whitespace divides tokens
            yield string[start:end]
            start = end
    yield string[start:]


def follow_context(doc: Doc) -> Doc:
    """Join a full stop to an abbreviation that is a word elsewhere ("No. 5", "5 lbs. of
    it"), and what `rules_of_tokens.JOINED` describes. Divide "its" and "your" where they stand for
    "it's" and "you're"."""
    words = [token.text for token in doc]
    joined = [doc.char_span(*match.span()) for match in _JOINED.finditer(doc.text)]
    divided = []
    for i in range(1, len(words)):
        word, following = words[i - 1], words[i]
        if word == "." and i > 1 and not doc[i - 2].whitespace_:
            if _is_abbreviation(
                words[i - 2],
                words[i - 3] if i > 2 else "",
                following,
                bool(doc[i - 1].whitespace_),
            ):
                joined.append(doc[i - 2 : i])
        elif (
            following in web.AFTER_UNMARKED and word.lower() in rules_of_tokens.UNMARKED
        ):
            divided.append(i - 1)
    spans = filter_spans(
        [span for span in joined if span is not None and len(span) > 1]
    )
    merged = {i for span in spans for i in range(span.start, span.end)}
    divided = [i for i in divided if i not in merged]
    if spans or divided:
        with doc.retokenize() as retokenizer:
            for span in spans:
                retokenizer.merge(span)
            for i in divided:
                length = rules_of_tokens.UNMARKED[words[i].lower()]
                retokenizer.split(
                    doc[i],
                    [words[i][:length], words[i][length:]],
                    heads=[(doc[i], 0), (doc[i], 0)],
                )
    return doc


def _is_abbreviation(word: str, before: str, following: str, is_spaced: bool) -> bool:
    """Tell whether a full stop belongs to the word before it. is_spaced: whether a
    space follows it."""
    form = f"{word}."
    if (
        form in abbreviations.BEFORE_NUMBERS
        and is_spaced
        and _NUMBER_OR_LETTER.match(following)
    ):
        return True
    if form in abbreviations.ABBREVIATIONS and word[0].isupper():
        return True
    is_known = form in abbreviations.ABBREVIATIONS or (
        form in abbreviations.AFTER_NUMBERS and before[-1:].isdigit()
    )
    return is_known and not following[0].isupper() and not following.isspace()


def make_web_tokenizer(line_starts: bool = True) -> Callable[[Language], Tokenizer]:
    """Registered as `spacy-lal.WebTokenizer.v1`: for `[nlp.tokenizer]` of an English
    pipeline.

    The rules of this module come before the language's rules. They were chosen on the
    training files of EWT and GUM. The tokenizer is saved and loaded like spaCy's own.

    line_starts (bool): Whether the tokenizer sets the sentence starts that the text
        alone decides: after a blank line, at items of lists, headings, speakers' labels
        and rows of tables, and none within a word.
    """
    return partial(create_web_tokenizer, line_starts=line_starts)


def create_web_tokenizer(nlp: Language, line_starts: bool = True) -> Tokenizer:
    """spaCy's tokenizer for a language, with the rules of this module."""
    # All is given at once: a tokenizer reads its special cases again whenever a
    # property is set.
    defaults = nlp.Defaults
    token_match = defaults.token_match
    if token_match is None:  # English has none; French uses it for words with hyphens
        token_match = re.compile(rf"(?:{'|'.join(rules_of_tokens.TOKENS)})$").match
    rules = {
        text: rule
        for text, rule in defaults.tokenizer_exceptions.items()
        if text not in rules_of_tokens.NOT_WHOLE
    }
    rules.update({text: [{"ORTH": text}] for text in abbreviations.WHOLE})
    rules.update(
        {
            text: [{"ORTH": part} for part in parts]
            for text, parts in rules_of_tokens.DIVIDED.items()
        }
    )
    first = [
        rules_of_tokens.TAG,
        rules_of_tokens.EMOJI,
        *rules_of_tokens.RUNS,
        rules_of_tokens.OPERATOR,
    ]
    prefixes = [
        *rules_of_tokens.PREFIXED,
        *first,
        *rules_of_tokens.BEFORE_WORDS,
        *(defaults.prefixes or []),
    ]
    kept = (one for one in defaults.suffixes or [] if one != r"\.\.+")
    suffixes = [
        *first,
        *kept,
        rules_of_tokens.TIME_OF_DAY,
        rules_of_tokens.AFTER_DIGITS,
        *rules_of_tokens.AFTER_WORDS,
    ]
    tokenizer = WebTokenizer(
        nlp.vocab,
        rules=rules,
        prefix_search=compile_prefix_regex(prefixes).search,
        suffix_search=compile_suffix_regex(suffixes).search,
        infix_finditer=compile_infix_regex(
            [
                rules_of_tokens.LINK,
                *rules_of_tokens.INFIXES,
                *first,
                *(defaults.infixes or []),
            ]
        ).finditer,
        token_match=token_match,
        url_match=defaults.url_match,
    )
    tokenizer.line_starts = line_starts
    return tokenizer


# Lines that begin a sentence: those that no wrapped line of prose looks like, then
# those that one may look like. A source is a box, or who speaks, and when.
_TAG = r"</?(?i:p|[oud]l|li|d[dt]|t[rdh]|table|h[1-6]|div)\b[^<>]*>"
_BULLET = "[•‣◦▪●○■·☐☑☒✓✔✗✘➢►▶→★]"
_CERTAIN = {
    "bullet": rf"(?:{_BULLET}\s*|\*\s+)\S",
    "heading": r"#{1,6}\s+\S|={1,6}\s?[^=\s].*=\s*$",
    "row": r"\|.*\||\S[^\t]*\t+\S",
    "tag": _TAG,
    "rule": r"(?:={3,}|-{2,}|\*{3,}|_{3,})\s*$",
}
_LABEL = r"\w[\w.'’-]{0,20}(?: [A-Z(][\w.'’)-]*){0,3}:"
_NUMBER = r"(?:\(?(?:[A-Z]?\d{1,3}|[a-zA-Z]|[ivx]{1,4}|[IVX]{1,4})[.)]|#\d+|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=\s+[A-Z]))"
_TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?"
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4})"
_STAMP = rf"(?:{_DATE},?[ T])?{_TIME}"
_SOURCE = rf"(?:(?:{_STAMP} |\[{_STAMP}\] )?<\w+>|\[[\w ][^\]\n]{{0,22}}\]|{_STAMP}(?: -)?(?= \w+:)|{_DATE}[ T]{_TIME})"
_POSSIBLE = {
    "dash": r"[-+–—]\s+\S|[–—][A-Z“\"]|[-+*][A-Za-z]",
    "number": rf"{_NUMBER}\s+\S",
    "source": rf"{_SOURCE}\s",
    "values": r"(?!.*, )(?:.*?(?:[A-Za-z],\w|\d,[A-Za-z]))",
    "label": rf"{_LABEL}\s",
}
_KIND = re.compile(
    r"\s*(?:"
    + "|".join(f"(?P<{k}>{v})" for k, v in {**_CERTAIN, **_POSSIBLE}.items())
    + ")"
)
_QUOTED = re.compile(r"[ \t]*>")
# "Michael:" may be a salutation, and "that:" a wrapped word, where it is the only
# label.
_AFTER_LABEL = re.compile(
    r"(?m)^[ \t]*(?:[A-Z][A-Z.]*(?: [A-Z][A-Z.]*){0,3}(?: \([^()\n]{1,20}\))?:|>+)[ \t]+(?=\S)"
)
_AFTER_NAME = re.compile(r"^[ \t]*[A-Za-z][\w.-]*:[ \t]+(?=\S)", re.MULTILINE)
_MARKER = re.compile(
    rf"(?:(?:{_BULLET}|[*+|–—-]|#{{1,6}}|=+|{_NUMBER}|{_SOURCE})[ \t]+(?=\S)|[–—](?=[A-Z])|{_TAG}(?=\S))"
)
_AT_LABEL, _AT_SOURCE = re.compile(_LABEL), re.compile(_SOURCE)
_SALUTATION = re.compile(
    r"\s*(?i:dear|hi|hello|hey|good (?:morning|afternoon|evening)|best|cheers|(?:kind |warm )?regards|love|"
    r"respectfully|sincerely|thank you|thanks|thanx|thx|yours)\b.{0,30},$"
)
_CLOSING = re.compile(r"^=+[ \t].*[ \t](=+)[ \t]*$", re.MULTILINE)  # of a heading
_OPENS_BLOCK = re.compile(
    r"(?:</[^<>]*>|[^\s>])\s*(?=<(?i:p|li|d[dt]|tr|h[1-6]|div)\b[^<>]*>)"
)
_IN_PROSE = re.compile(r"\S [–—] ")
_GOES_ON = re.compile(
    rf"(?:[,;–—-]|\b(?i:{'|'.join([*web.BEFORE_ADDRESSES, *DETERMINERS, *JOINING])}))$"
)
_ENDS = re.compile(r"[.!?:;…][\"'”’)\]]*$")
_CLITIC = re.compile(r"(?:n['’]t|['’](?:s|m|d|ll|re|ve|t|em))$", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?://|www\.)\S|\S+@\S+\.\S")


def set_line_starts(doc: Doc) -> Doc:
    """Set the sentence starts of a new Doc that its text decides, and leave the others
    unknown."""
    text, end, last, n_passed, until = doc.text, 0, "", 0, 0
    starts = line_starts(text) if "\n" in text or "<" in text else []
    within = {match.end() for match in _AFTER_LABEL.finditer(text)}
    names = [match.end() for match in _AFTER_NAME.finditer(text)]
    within.update(names if len(names) > 1 else ())
    ends = [_end_of_marker(text, start) for start in starts]
    within.update(match.start(1) for match in _CLOSING.finditer(text) if starts)
    values = np.zeros(len(doc), dtype=np.int64)
    for i, token in enumerate(doc):
        word, place = token.text, token.idx
        if word.isspace():
            values[i] = -1
            continue
        if n_passed < len(starts) and starts[n_passed] <= place:
            values[i] = (
                1 if last or not i else -1
            )  # whitespace at the beginning belongs to the first sentence
            n_passed = bisect_right(starts, place)
            until = ends[n_passed - 1]
        elif word == "'T" and end < place and _ENDS.search(last):  # 'Tis
            values[i] = 1
        elif i and (
            place < until
            or place in within
            or not last
            or not _may_start(text[end:place], last, word)
        ):
            values[i] = -1
        end, last = place + len(word), word
    if values.any():
        values[0] = 1
        doc.from_array(["SENT_START"], values.astype(np.uint64))  # type: ignore[arg-type]
    return doc


def _end_of_marker(text: str, start: int) -> int:
    """Give the end of the characters of a line within which no sentence begins. start:
    Where the line does."""
    match = _MARKER.match(text, start)
    if match:
        label = (
            _AT_LABEL.match(text, match.end())
            if _AT_SOURCE.match(text, start)
            else None
        )
        return label.end() + 2 if label else match.end() + 1  # the word after it, too
    match = _AT_LABEL.match(text, start)
    return match.end() - 1 if match else start


def _may_start(gap: str, last: str, word: str) -> bool:
    """Tell whether a sentence may begin at a word. gap: the whitespace before it. last:
    the word before it."""
    if not gap:
        return not (last[-1:].isalnum() and (word[0].isalnum() or _CLITIC.match(word)))
    is_number = last in abbreviations.BEFORE_NUMBERS and (
        word[0].isdigit() or len(word) == 1
    )
    return not is_number and (
        last.lower() not in web.BEFORE_ADDRESSES or not _ADDRESS.match(word)
    )


def line_starts(text: str) -> List[int]:
    """Tell where lines, and blocks of HTML, begin that begin a sentence: offsets in the
    text, in order."""
    found = {match.end() for match in _OPENS_BLOCK.finditer(text)}
    for block in re.finditer(r"(?:(?!^[ \t\r\f]*$).+\n?)+", text, re.MULTILINE):
        lines = block[0].splitlines(keepends=True)
        # not of long addresses
        widths = (
            len(line.rstrip())
            for line in lines
            if " " in line.strip() or len(line) < 40 or len(lines) < 2
        )
        width = max(widths, default=0)
        place, before, is_list = block.start(), "", _is_list(lines, width)
        seen: Set[Optional[str]] = set()
        for line in lines:
            match = _KIND.match(line)
            kind = match.lastgroup if match else None
            if (
                kind == "dash"
                and line.lstrip()[0] in "–—"
                and _IN_PROSE.search(block[0])
            ):
                kind = None
            begins = bool(line.strip()) and (
                not before or _begins(line, kind, before, seen, width)
            )
            if begins or (
                is_list
                and not _GOES_ON.search(before)
                and line.partition(" ")[0].lower() not in JOINING
            ):
                found.add(place + len(line) - len(line.lstrip()))
            seen.add(kind)
            place, before = place + len(line), line.rstrip()
    return sorted(found)


def _is_list(lines: Sequence[str], width: int) -> bool:
    """Tell whether lines are shorter than those of prose, and all begin with capitals
    and numbers, or every other with a number; or none has more than two words."""
    words = [line.split() for line in lines if line.strip()]
    first = "".join(line[0][0] for line in words)
    is_formal = re.fullmatch(r"[A-Z\d]+", first) or 2 * sum(
        map(str.isdigit, first)
    ) >= len(first)
    return (width < 40 and bool(is_formal)) or (
        len(words) > 2 and max(map(len, words)) < 3
    )


def _begins(
    line: str, kind: Optional[str], before: str, seen: Set[Optional[str]], width: int
) -> bool:
    """Tell whether a line within a block begins a sentence. before: the line before it.
    seen: kinds of its lines."""
    last = _KIND.match(before)
    is_after = last is not None and last.lastgroup in ("heading", "row", "rule")
    is_quoted, was_quoted = bool(_QUOTED.match(line)), bool(_QUOTED.match(before))
    if (
        kind in _CERTAIN
        or is_after
        or is_quoted != was_quoted
        or _SALUTATION.match(before)
    ):
        return True
    fits = len(before) + 1 + len(line.split(None, 1)[0]) <= width
    return kind is not None and (kind in seen or fits or bool(_ENDS.search(before)))
