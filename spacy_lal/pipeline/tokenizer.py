"""spaCy's tokenizer with rules for text from the web, which give it the tokens of web treebanks.

English Web Treebank and GUM (Universal Dependencies) keep together runs of marks (`!!!`, `?!`, `=====`), telephone
numbers, and words with a bound prefix (`e-mail`, `non-human`). spaCy's own rules divide them.
"""

import re
from functools import partial
from typing import Callable, Iterable, Iterator

import numpy as np
from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

from ..lang import en
from .line_starts import set_line_starts

MAX_RUN = 2100  # characters without whitespace; browsers' URLs end at 2,083


class WebTokenizer(Tokenizer):
    """spaCy's tokenizer, which cuts a run of non-whitespace every 2,100 characters and tokenizes the pieces apart. The
    time of spaCy's tokenizer is quadratic in such a run: for each bracket or quote that it takes off, it searches the
    rest."""

    line_starts = True  # whether sentence starts that the text decides are set

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "WebTokenizer":
        """See `Tokenizer`. A tokenizer that has these rules already stays as it is: new rules take a sixth of the
        time of loading `en_lal_md`."""
        if bytes_data != self.to_bytes(exclude=("vocab", *exclude)):
            super().from_bytes(bytes_data, exclude=exclude)
        return self

    def __call__(self, string: str) -> Doc:
        """Make a Doc of a text, without losing a character."""
        doc = join_abbreviations(self._tokenize(string))
        return set_line_starts(doc) if self.line_starts else doc

    def _tokenize(self, string: str) -> Doc:
        if max(map(len, string.split()), default=0) <= MAX_RUN:
            return super().__call__(string)
        docs = [super(WebTokenizer, self).__call__(piece) for piece in _pieces(string)]
        tokens = [token for doc in docs for token in doc]
        doc = Doc(
            self.vocab, words=[token.text for token in tokens], spaces=[bool(token.whitespace_) for token in tokens]
        )
        return doc.from_array([NORM], np.concatenate([one.to_array([NORM]) for one in docs]))  # type: ignore[arg-type]


def _pieces(string: str) -> Iterator[str]:
    """Divide a text so that no piece has a run of more than MAX_RUN characters without whitespace."""
    start = 0
    for run in re.finditer(r"\S+", string):
        for end in range(run.start() + MAX_RUN, run.end(), MAX_RUN):
            yield string[start:end]
            start = end
    yield string[start:]


def join_abbreviations(doc: Doc) -> Doc:
    """Join a full stop to an abbreviation that is a word elsewhere: before a number or a letter ("No. 5"), and "etc."
    where a word in lower case or a mark follows."""
    words = [token.text for token in doc]
    found = []
    for i in (i for i in range(1, len(words) - 1) if words[i] == "." and not doc[i - 1].whitespace_):
        following = words[i + 1]
        if f"{words[i - 1]}." in en.BEFORE_NUMBERS:
            is_number = following[0].isdigit() or (following.isalpha() and len(following) == 1)
            joins = is_number and bool(doc[i].whitespace_)
        else:
            joins = words[i - 1] == "etc" and not following[0].isupper() and not following.isspace()
        if joins:
            found.append(i)
    if found:
        with doc.retokenize() as retokenizer:
            for i in found:
                retokenizer.merge(doc[i - 1 : i + 1])
    return doc


def make_web_tokenizer(line_starts: bool = True) -> Callable[[Language], Tokenizer]:
    """Registered as `spacy-lal.WebTokenizer.v1`: for `[nlp.tokenizer]` of an English pipeline.

    The rules of this module come before the language's rules. They were chosen on the training files of EWT and GUM.
    The tokenizer is saved and loaded like spaCy's own.

    line_starts (bool): Whether the tokenizer sets the sentence starts that the text alone decides: after a blank line,
        at items of lists, headings, speakers' labels and rows of tables, and none within a word (`line_starts.py`).
    """
    return partial(create_web_tokenizer, line_starts=line_starts)


def create_web_tokenizer(nlp: Language, line_starts: bool = True) -> Tokenizer:
    """spaCy's tokenizer for a language, with the rules of this module."""
    # All is given at once: a tokenizer reads its special cases again whenever a property is set.
    defaults = nlp.Defaults
    token_match = defaults.token_match
    if token_match is None:  # English has none; French uses it for words with hyphens
        token_match = re.compile(rf"(?:{'|'.join(en.TOKENS)})$").match
    rules = {text: rule for text, rule in defaults.tokenizer_exceptions.items() if text not in en.NOT_WHOLE}
    rules.update({text: [{"ORTH": text}] for text in en.WHOLE})
    rules.update({text: [{"ORTH": part} for part in parts] for text, parts in en.DIVIDED.items()})
    first = [en.TAG, en.EMOJI, *en.RUNS, en.OPERATOR]
    suffixes = [*first, *(defaults.suffixes or []), en.TIME_OF_DAY, en.UNITS]
    tokenizer = WebTokenizer(
        nlp.vocab,
        rules=rules,
        prefix_search=compile_prefix_regex([*en.PREFIXED, *first, *(defaults.prefixes or [])]).search,
        suffix_search=compile_suffix_regex(suffixes).search,
        infix_finditer=compile_infix_regex([en.LINK, *en.INFIXES, *first, *(defaults.infixes or [])]).finditer,
        token_match=token_match,
        url_match=defaults.url_match,
    )
    tokenizer.line_starts = line_starts
    return tokenizer
