"""Cleaning of treebank words for a pretrained transformer (reference-parser.md 1.4).

It keeps the number of words. It is *not* detokenisation, and `\\/` stays as it is, as in the authors' code.
"""

from typing import Callable, Dict, List, Sequence

BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
DOUBLE_QUOTES = dict.fromkeys(("``", "''", "«", "»", "“", "”", "„"), '"')
SINGLE_QUOTES = dict.fromkeys(("`", "‘", "’", "‹", "›"), "'")
DASHES = dict.fromkeys(("–", "—"), "--")
HPSG_WORDS = {**BRACKETS, **DOUBLE_QUOTES, **SINGLE_QUOTES}
LAL_WORDS = {**HPSG_WORDS, **DASHES}


def keep_words(words: Sequence[str]) -> List[str]:
    """The words as they are."""
    return list(words)


def clean_words_hpsg(words: Sequence[str]) -> List[str]:
    """Clean a sentence's words as the HPSG parser of Zhou & Zhao (2019) does: as the LAL parser, but dashes stay."""
    return _clean(words, HPSG_WORDS)


def clean_words_lal(words: Sequence[str]) -> List[str]:
    """Clean the words of a sentence as the LAL parser of Mrini et al. (2020) does.

    words (Sequence[str]): One sentence.
    RETURNS (List[str]): The same number of words. For example do, n't -> don, 't.
    """
    return _clean(words, LAL_WORDS)


def _clean(words: Sequence[str], table: Dict[str, str]) -> List[str]:
    cleaned: List[str] = []
    for word in words:
        if word == "n't" and cleaned:
            cleaned[-1] += "n"
            word = "'t"
        cleaned.append(table.get(word, word))
    return cleaned


WORD_CLEANERS: Dict[str, Callable[[Sequence[str]], List[str]]] = {
    "lal": clean_words_lal,
    "hpsg": clean_words_hpsg,
    "none": keep_words,
}
