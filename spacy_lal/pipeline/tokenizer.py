"""spaCy's tokenizer with rules for text from the web, which give it the tokens of web treebanks.

English Web Treebank and GUM (Universal Dependencies) keep together runs of marks (`!!!`, `?!`, `=====`), telephone
numbers, and words with a bound prefix (`e-mail`, `non-human`). spaCy's own rules divide them.
"""

import re
from typing import Callable, Iterable, Iterator

import numpy as np
from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

from ..lang.en import DIVIDED, NOT_WHOLE, PREFIXES, RUNS, TELEPHONE, TIME_OF_DAY, WHOLE

MAX_RUN = 2100  # characters without whitespace; browsers' URLs end at 2,083


class WebTokenizer(Tokenizer):
    """spaCy's tokenizer, which cuts a run of non-whitespace every 2,100 characters and tokenizes the pieces apart. The
    time of spaCy's tokenizer is quadratic in such a run: for each bracket or quote that it takes off, it searches the
    rest."""

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "WebTokenizer":
        """See `Tokenizer`. A tokenizer that has these rules already stays as it is: new rules take a sixth of the
        time of loading `en_lal_md`."""
        if bytes_data != self.to_bytes(exclude=("vocab", *exclude)):
            super().from_bytes(bytes_data, exclude=exclude)
        return self

    def __call__(self, string: str) -> Doc:
        """Make a Doc of a text, without losing a character."""
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


def make_web_tokenizer() -> Callable[[Language], Tokenizer]:
    """Registered as `spacy-lal.WebTokenizer.v1`: for `[nlp.tokenizer]` of an English pipeline.

    The rules of this module come before the language's rules. They were chosen on the training files of EWT and GUM.
    The tokenizer is saved and loaded like spaCy's own.
    """
    return create_web_tokenizer


def create_web_tokenizer(nlp: Language) -> Tokenizer:
    """spaCy's tokenizer for a language, with the rules of this module."""
    # All is given at once: a tokenizer reads its special cases again whenever a property is set.
    defaults = nlp.Defaults
    token_match = defaults.token_match
    if token_match is None:  # English has none; French uses it for words with hyphens
        token_match = re.compile(rf"(?:{TELEPHONE}|(?i:{'|'.join(PREFIXES.split())})-\w+)$").match
    rules = {text: rule for text, rule in defaults.tokenizer_exceptions.items() if text not in NOT_WHOLE}
    rules.update({text: [{"ORTH": text}] for text in WHOLE})
    rules.update({text: [{"ORTH": part} for part in parts] for text, parts in DIVIDED.items()})
    return WebTokenizer(
        nlp.vocab,
        rules=rules,
        prefix_search=compile_prefix_regex([*RUNS, *(defaults.prefixes or [])]).search,
        suffix_search=compile_suffix_regex([*RUNS, *(defaults.suffixes or []), TIME_OF_DAY]).search,
        infix_finditer=compile_infix_regex([*RUNS, *(defaults.infixes or [])]).finditer,
        token_match=token_match,
        url_match=defaults.url_match,
    )
