"""spaCy's tokenizer with rules for what people type on the web, so that text has the tokens that treebanks of it have.

English Web Treebank and GUM (Universal Dependencies) keep a run of marks together (`!!!`, `?!`, `=====`), and telephone
numbers, and words with a prefix that is none by itself (`e-mail`, `non-human`); spaCy's own rules divide all of these.
"""

import re
from typing import Callable, Iterator

import numpy as np
from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex, registry

# The end of a sentence, shouted; but not the full stop of U.S.A. with the mark after it.
SHOUTS = r"(?:[.!?]*[!?][.!?]+|[.][.]+[!?]*|(?<![A-Za-z][.][A-Za-z])[.][!?]+)"
RUNS = [SHOUTS, *(rf"{mark}{{2,}}" for mark in (r"=", r"\*", r"_", r"#", r"~", r"<", r">", r"\$", r"\+", r"-"))]
TIME_OF_DAY = r"(?<=[0-9])(?:AM|PM|am|pm)"
TELEPHONE = r"(?:1-)?(?:[0-9]{3}-)?[0-9]{3}-[0-9]{4}"
PREFIXES = (
    "anti co counter e ex hyper inter intra mega meta micro mid mini mis multi neo non over post pre pro pseudo re "
    "semi sub super trans ultra un vice"
)
WHOLE = ("Ft.", "al.", "Capt.", "Sts.", "Drs.", "ext.", "ect.", "w/", "W/", "b/c")
DIVIDED = {"and/or": ("and", "/", "or"), "wanna": ("wan", "na"), "Wanna": ("Wan", "na")}
NOT_WHOLE = ("):",)  # for spaCy an emoticon; on the web more often the end of a bracket, and a colon
MAX_RUN = 2100  # characters without whitespace; browsers' URLs end at 2,083


class WebTokenizer(Tokenizer):
    """spaCy's tokenizer, which takes time that grows with the square of a run of characters without whitespace: it
    searches all the rest of the run for each bracket or quote that it takes off. Here a run of more than 2,100
    characters is cut there, and each piece is tokenized by itself."""

    def __call__(self, string: str) -> Doc:
        """Make a Doc of a text, without losing a character."""
        if max(map(len, string.split()), default=0) <= MAX_RUN:
            return super().__call__(string)
        docs = [super(WebTokenizer, self).__call__(piece) for piece in _pieces(string)]
        tokens = [token for doc in docs for token in doc]
        doc = Doc(
            self.vocab, words=[token.text for token in tokens], spaces=[bool(token.whitespace_) for token in tokens]
        )
        return doc.from_array([NORM], np.concatenate([one.to_array([NORM]) for one in docs]))


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

    The rules of the language stay; those of this module come first. They were chosen on the training files of EWT and
    GUM. The rules are saved as those of spaCy's tokenizer are, and it loads as any other.
    """
    return create_web_tokenizer


def create_web_tokenizer(nlp: Language) -> Tokenizer:
    """spaCy's tokenizer for a language, with the rules of this module."""
    spacys: Tokenizer = registry.tokenizers.get("spacy.Tokenizer.v1")()(nlp)
    tokenizer = WebTokenizer(nlp.vocab, rules=spacys.rules, token_match=spacys.token_match, url_match=spacys.url_match)
    defaults = nlp.Defaults
    tokenizer.prefix_search = compile_prefix_regex([*RUNS, *(defaults.prefixes or [])]).search
    tokenizer.suffix_search = compile_suffix_regex([*RUNS, *(defaults.suffixes or []), TIME_OF_DAY]).search
    tokenizer.infix_finditer = compile_infix_regex([*RUNS, *(defaults.infixes or [])]).finditer
    if tokenizer.token_match is None:  # English has none; French, for one, knows its own words with hyphens by it
        tokenizer.token_match = re.compile(rf"(?:{TELEPHONE}|(?i:{'|'.join(PREFIXES.split())})-\w+)$").match
    tokenizer.rules = {text: rule for text, rule in (tokenizer.rules or {}).items() if text not in NOT_WHOLE}
    for text in WHOLE:
        tokenizer.add_special_case(text, [{"ORTH": text}])
    for text, parts in DIVIDED.items():
        tokenizer.add_special_case(text, [{"ORTH": part} for part in parts])
    return tokenizer
