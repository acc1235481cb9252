"""English: the lemmas of inflected words.

A trainable lemmatizer learns edits, and makes "flead" of "fled" and "hopp" of
"hopping". Its answers are corrected from a table of irregular forms, or by the rules of
English spelling where they lead to a word of the table. Words that the table lacks keep
the answer if it has a possible form. The table (`lemmas.json.gz`) comes from WordNet
3.0; see `lemmas.license.txt`."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("lemmas.json.gz")
# What an inflected word is, by its Penn tag: part of speech in the table, ending.
INFLECTED = {
    "VBD": ("verb", "ed"),
    "VBN": ("verb", "ed"),
    "VBG": ("verb", "ing"),
    "VBZ": ("verb", "s"),
    "NNS": ("noun", "s"),
    "NNPS": ("noun", "s"),
    "JJR": ("adj", "er"),
    "JJS": ("adj", "est"),
    "RBR": ("adj", "er"),
    "RBS": ("adj", "est"),
}
UPOS = {
    "verb": ("VERB",),
    "noun": ("NOUN", "PROPN"),
    "adj": ("ADJ", "ADV"),
}
UNINFLECTED = {
    "VERB": "verb",
    "NOUN": "noun",
    "ADJ": "adj",
}
# Tags that an irregular form may have by mistake: "geese", "strewn".
MISTAKEN_TAGS = ("NN", "NNP", "DT")
NAME_TAGS = ("NNP", "NNPS")
# UPOS of function words.
FUNCTION_UPOS = frozenset("ADP ADV AUX CCONJ DET INTJ PART PRON SCONJ".split())
# Their lemmas, where these are other words.
FUNCTION_WORDS = {
    "'d": "would",
    "'ll": "will",
    "'m": "be",
    "'re": "be",
    "'s": "be",
    "'ve": "have",
    "ai": "be",
    "am": "be",
    "an": "a",
    "are": "be",
    "asap": "ASAP",
    "been": "be",
    "being": "be",
    "ca": "can",
    "did": "do",
    "does": "do",
    "doing": "do",
    "done": "do",
    "got": "get",
    "had": "have",
    "has": "have",
    "having": "have",
    "him": "he",
    "i": "I",
    "is": "be",
    "me": "I",
    "mine": "my",
    "n't": "not",
    "nt": "not",
    "ours": "our",
    "r": "be",
    "them": "they",
    "these": "this",
    "those": "that",
    "u": "you",
    "ur": "your",
    "us": "we",
    "was": "be",
    "were": "be",
    "wo": "will",
    "yours": "your",
}
# Where the lemma depends on the tag.
TAGGED_FUNCTION_WORDS = {
    ("'d", "VBD"): "have",
    ("'s", "POS"): "'s",
    ("s", "POS"): "'s",
    ("s", "VBZ"): "be",
    ("na", "TO"): "to",
    ("'s", "PRP"): "we",
    ("her", "PRP"): "she",
}
# UPOS of words that are no names, and few.
CLOSED_UPOS = frozenset("ADP ADV AUX CCONJ DET INTJ PART PRON SCONJ".split())
# Lemmas of such words, lower case, that are other words.
CLOSED = {
    "'d": "would",
    "'ll": "will",
    "'m": "be",
    "'re": "be",
    "'s": "be",
    "'ve": "have",
    "ai": "be",
    "am": "be",
    "an": "a",
    "are": "be",
    "been": "be",
    "being": "be",
    "ca": "can",
    "did": "do",
    "does": "do",
    "doing": "do",
    "done": "do",
    "got": "get",
    "had": "have",
    "has": "have",
    "having": "have",
    "him": "he",
    "i": "I",
    "is": "be",
    "me": "I",
    "mine": "my",
    "n't": "not",
    "nt": "not",
    "ours": "our",
    "r": "be",
    "them": "they",
    "these": "this",
    "those": "that",
    "u": "you",
    "ur": "your",
    "us": "we",
    "was": "be",
    "were": "be",
    "wo": "will",
    "yours": "your",
}
# Those whose lemma depends on the tag.
CLOSED_BY_TAG = {
    ("'d", "VBD"): "have",
    ("'s", "POS"): "'s",
    ("s", "POS"): "'s",
    ("s", "VBZ"): "be",
    ("na", "TO"): "to",
    ("'s", "PRP"): "we",
    ("her", "PRP"): "she",
}
# Marks that are their own lemma.
MARKS = ("…", "—")
# Words that look like other words' forms and are none.
OWN_LEMMAS = frozenset(
    """
    capita
    congratulations
    data
    earnings
    greetings
    jeans
    media
    odds
    pants
    premises
    regards
    series
    species
    stamina
    supplies
    thanks
    wrought
    """.split()
)
# Plurals that the table has as words, too.
ENTRIES = frozenset(
    """
    corrigenda
    elves
    memoranda
    oxen
    teeth
    """.split()
)
# Adjectives with a capital: "Danish", "Iraqi".
OF_NAMES = re.compile(r"(an|ant|atic|ch|ern|ese|ite|ish|[im])$")
# Stems that lost an e before the ending: "stared", "hoping".
NEEDS_E = re.compile(
    r"([vcu]|dg|rg|[aeiou]z|[^aeiou]at|iat|uat|[ilnpr]s|ur|[^aeiourlw]l|[^aeiouyr]r)$"
)
# Stems that lost none: "bombed".
COMPLETE = re.compile(r"[^aeiouyw][bdfkmnpt]$")
# Stems of one syllable, whose consonant doubles before an ending.
SHORT = re.compile(r"[^aeiou]*(qu)?[aeiou][bdgklmnprtvz]$")
# Parts before a verb that the table has: "resold", "upvoted".
PREFIX = re.compile(r"(re|over|under|out|mis|un|up|down|fore|pre|crowd|live)(?=.{3})")
# Stems with a doubled consonant: "hopp".
DOUBLED = re.compile(r".*([bdfgklmnprstvz])\1$")
# Consonants that verbs end with twice, too: "pass", "buzz".
DOUBLED_IN_VERBS = "lsfz"
# Consonants that a verb ends with twice and keeps so before an ending: "passing".
KEPT_DOUBLED = "ls"
# Endings of inflected verbs, and what may replace each, the likelier first.
VERB_ENDINGS = (
    ("ies", ("y",)),
    ("ied", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ing", ("", "e")),
    ("ed", ("", "e")),
)
# Plurals and third persons that may end with "es".
ENDINGS_WITH_E = ("ses", "xes", "zes", "ches", "shes", "oes")


class Words(NamedTuple):
    """The table's words of one part of speech.

    irregular (Dict[str, List[str]]): The lemmas of irregular forms.
    known (FrozenSet[str]): All words."""

    irregular: dict[str, list[str]]
    known: frozenset[str]


@cache
def read_table() -> dict[str, Words]:
    """The table: "verb", "noun", "adj" and "adv"."""
    table = json.loads(gzip.decompress(TABLE.read_bytes()))
    return {
        part: Words(one["irregular"], frozenset(one["words"].split()))
        for part, one in table.items()
    }


def lemma_of(word: str, tag: str, pos: str, answer: str) -> str:
    """The lemma of a word.

    word (str): The word, without escapes.
    tag (str): Its Penn tag.
    pos (str): Its UPOS.
    answer (str): The lemma that another component gave it; empty for none.
    RETURNS (str): The lemma; the answer for a word that the rules do not know.

    >>> lemma_of("fled", "VBD", "VERB", "flead")
    'flee'
    >>> lemma_of("Lenses", "NNS", "NOUN", "lense")
    'lens'
    """
    lower = word.lower()
    if word in MARKS:
        return word
    mistaken = _irregular_lemma(word) if tag in MISTAKEN_TAGS else ""
    if mistaken:
        return mistaken
    if _is_function_word(word, tag, pos, answer):
        form = lower.replace("’", "'")
        lemma = FUNCTION_WORDS.get(form, form)
        return TAGGED_FUNCTION_WORDS.get((form, tag), lemma)
    if not lower.replace("-", "").isalpha():
        return answer
    part, ending = INFLECTED.get(tag, ("", ""))
    if part and pos in UPOS[part]:
        is_same = word.isupper() and answer == word
        given = "" if is_same else answer.lower()
        found = _base(lower, part, ending, given) or given or lower
        if pos != "PROPN" or word.islower():
            return found
        return word if found == lower else found.capitalize()
    part = UNINFLECTED.get(pos, "")
    if not part or tag in NAME_TAGS:
        return answer
    if lower not in read_table()[part].known:
        irregular = read_table()[part].irregular.get(lower)
        return irregular[0] if irregular and lower not in OWN_LEMMAS else answer
    return _uninflected(word, tag, pos, answer)


def _is_function_word(word: str, tag: str, pos: str, answer: str) -> bool:
    """Tell whether a word is a function word in capitals, or one that has no other
    lemma than itself."""
    if pos not in FUNCTION_UPOS or tag in NAME_TAGS:
        return False
    part, _ = INFLECTED.get(tag, ("", ""))
    is_inflected = bool(part) and pos in UPOS[part]
    is_capital = word.isupper() and len(word) > 1
    return not is_inflected and (is_capital or answer in ("", word, word.lower()))


def _irregular_lemma(word: str) -> str:
    """The lemma of an irregular form whose tag may be wrong; empty for other words."""
    nouns = read_table()["noun"]
    verbs = read_table()["verb"]
    irregular = nouns.irregular.get(word) or verbs.irregular.get(word)
    is_word = word in nouns.known and word not in ENTRIES
    if irregular and not is_word and word not in OWN_LEMMAS:
        return irregular[0]
    return ""


def _uninflected(word: str, tag: str, pos: str, answer: str) -> str:
    """The lemma of a word of the table."""
    lower = word.lower()
    is_adjective = tag == "JJ"
    is_gerund = tag == "VBG" and pos == "NOUN"
    is_own = tag == "NN" or is_adjective or is_gerund
    if is_own and answer.isalpha() and answer.lower() != lower:
        return lower  # "thought", "limited", "wrongdoing"
    if answer != word:
        return answer
    if is_adjective and (word.isupper() or not OF_NAMES.search(word)):
        return lower
    is_shouted = word.isupper() and len(word) > 3
    if not is_adjective and (pos == "VERB" or is_shouted):
        return lower
    return answer


def _base(word: str, part: str, ending: str, answer: str) -> str:
    """The lemma of an inflected word, in lower case."""
    found = _known_base(word, part, ending, answer)
    if found:
        return found
    prefix = PREFIX.match(word) if part == "verb" else None
    if prefix:
        begin = prefix.end()
        found = _known_base(word[begin:], part, ending, answer[begin:])
        if found:
            return prefix[0] + found
    possible = candidates(word, part, ending)
    if not possible:
        return answer
    stem = word.removesuffix(ending) if ending != "s" else ""
    if DOUBLED.match(stem):
        is_sure = stem[-1] not in DOUBLED_IN_VERBS  # "vlogging"
    else:
        is_sure = any(one.search(stem) for one in (COMPLETE, SHORT, NEEDS_E))
    return answer if answer in possible and not is_sure else possible[0]


def _known_base(word: str, part: str, ending: str, answer: str) -> str:
    """As `_base`; empty for a word that the table does not know."""
    table = read_table()
    words = table[part]
    irregular = [one for one in words.irregular.get(word, ()) if one != word]
    if part == "adj":
        irregular += table["adv"].irregular.get(word, ())
    if irregular:
        likeliest = max(irregular, key=lambda one: one.endswith("ll"))  # not "instal"
        return answer if answer in irregular else likeliest
    is_known = word == answer and word in words.known
    is_own = answer in ("", word) and word in OWN_LEMMAS
    if part == "noun" and (is_known or is_own):
        return word  # "troops", "species"
    is_short = word[0] == answer[:1] and len(word) < min(len(answer), 5)
    if is_short and answer in words.known:
        return answer  # "yrs"
    known = [one for one in candidates(word, part, ending) if one in words.known]
    if known:
        has_ng = "ng" in (word[-5:-3], word[-4:-2])  # sing
        is_open = word.endswith("ies") or not (ending == "s" or has_ng)  # lens
        return answer if is_open and answer in known else known[0]
    return word if word in words.known else ""  # "put", "shed"


def candidates(word: str, part: str, ending: str) -> list[str]:
    """The lemmas that an inflected word can have by the rules of spelling, the
    likeliest first.

    >>> candidates("staring", "verb", "ing"), candidates("hopping", "verb", "ing")
    (['stare'], ['hop', 'hopp', 'hoppe'])
    """
    if ending == "s":
        return _without_s(word, part)
    if not word.endswith(ending) or len(word) < len(ending) + 2:
        return []
    stem = word[: -len(ending)]
    if ending != "ing" and stem.endswith("i"):
        return [stem[:-1] + "y", stem + "e"]
    if ending == "ing" and stem.endswith("y") and len(stem) <= 2:
        return [stem, stem[:-1] + "ie"]  # dying
    found = [stem, stem + "e"]
    is_ranged = ending == "ed" and stem.endswith("ng")
    if SHORT.match(stem) or NEEDS_E.search(stem) or is_ranged:
        found.reverse()
    if SHORT.match(stem) and part == "verb":
        found.remove(stem)
    if DOUBLED.match(stem):
        found.insert(int(stem[-1] in DOUBLED_IN_VERBS), stem[:-1])
    if stem.endswith("ck"):
        found.append(stem[:-1])  # mimicking
    return found


def _without_s(word: str, part: str) -> list[str]:
    """As `candidates`, of a word that ends with "s", or with "men"."""
    is_noun = part == "noun"
    if is_noun and word.endswith("men"):
        return [word[:-2] + "an"]
    has_ending = word.endswith("s") and not word.endswith("ss")
    if not has_ending or len(word) < 3:
        return []
    stem = word[:-3]
    found = [word[:-1]]
    if word.endswith("ies"):
        found.insert(0, stem + "y")
    elif word.endswith("ves") and is_noun:
        found += [stem + "f", stem + "fe"]
    elif word.endswith(ENDINGS_WITH_E):
        is_foes = is_noun and word.endswith("oes") and len(word) < 6
        is_noses = word.endswith("ses") and not word.endswith("sses")
        is_later = is_foes or is_noses
        found.insert(int(is_later), word[:-2])
        if word.endswith(("sses", "zzes")):
            found.append(stem)
    return found


def verb_stems(word: str) -> list[str]:
    """See `conventions.StemRule`.

    >>> verb_stems("planned"), verb_stems("tries")
    (['plan', 'plann', 'planne'], ['try'])
    """
    for ending, others in VERB_ENDINGS:
        if len(word) < len(ending) + 2 or not word.endswith(ending):
            continue
        stem = word.removesuffix(ending)
        found = [stem + other for other in others]
        is_kept = stem[-1] in KEPT_DOUBLED
        if stem[-1] == stem[-2:-1] and not is_kept:
            found.insert(0, stem[:-1])
        return found
    return []
