"""English: the multiword tokens of UD's treebanks, which divide "don't" into `do` and
`n't`; the `'s` of nouns too."""

import re
from collections.abc import Sequence

from ..conventions import joined_words

POSSESSIVE_TAG = "POS"
CLITIC = re.compile(r"n['\u2019]?t|['\u2019](?:s|m|d|re|ve|ll|em)", re.IGNORECASE)
# Pairs of words, lower case, that may stand without a space.
PAIRS = (
    r"can not",
    r"(?:gon|wan) na",
    r"(?:got|out|lot) ta",
    r"(?:gim|lem) me",
    r"a lot",
    r"let s",
    r"i (?:m|ve|ll|d)",
    r"you r",
    r"(?:you|u|we|they) (?:re|ve|ll|d)",
    r"(?:s?he|it|that|what|who|how|where|there|here) (?:s|ll|d)",
    r"['\u2019]t (?:is|was)",
    r"d['\u2019] you",
    r"y['\u2019] know",
)
PAIR = re.compile("|".join(PAIRS))


def contractions(
    words: Sequence[str], tags: Sequence[str], spaces: Sequence[bool]
) -> list[tuple[int, int]]:
    """See `conventions.ContractionRule`."""
    pairs = zip(words, words[1:], tags[1:], spaces, strict=False)
    return joined_words(
        not space and _are_one(before, word, tag) for before, word, tag, space in pairs
    )


def _are_one(before: str, word: str, tag: str) -> bool:
    """Whether a word and the one before it are one token."""
    ends_word = bool(CLITIC.fullmatch(word)) or tag == POSSESSIVE_TAG
    if ends_word and before[-1:].isalnum():
        return True
    return bool(PAIR.fullmatch(f"{before} {word}".lower()))
