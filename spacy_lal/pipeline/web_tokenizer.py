"""spaCy's tokenizer with rules for what people type on the web, so that text has the tokens that treebanks of it have.

English Web Treebank and GUM (Universal Dependencies) keep a run of marks together (`!!!`, `?!`, `=====`), and telephone
numbers, and words with a prefix that is none by itself (`e-mail`, `non-human`); spaCy's own rules divide all of these.
"""

import re
from typing import Callable

from spacy.language import Language
from spacy.tokenizer import Tokenizer
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


def make_web_tokenizer() -> Callable[[Language], Tokenizer]:
    """Registered as `spacy-lal.WebTokenizer.v1`: for `[nlp.tokenizer]` of an English pipeline.

    The rules of the language stay; those of this module come first. They were chosen on the training files of EWT and
    GUM. What is saved is spaCy's tokenizer with its rules; it loads as any other.
    """
    return create_web_tokenizer


def create_web_tokenizer(nlp: Language) -> Tokenizer:
    """spaCy's tokenizer for a language, with the rules of this module."""
    tokenizer: Tokenizer = registry.tokenizers.get("spacy.Tokenizer.v1")()(nlp)
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
