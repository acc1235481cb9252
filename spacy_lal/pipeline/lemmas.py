"""The component `lal_lemmas`: English lemmas that are words. A trainable lemmatizer
learns edits, and makes "flead" of "fled" and "hopp" of "hopping". This component reads
its answers with the tags, and corrects inflected words: from a table of irregular
forms, or by the rules of English spelling where they lead to a word of the table. Words
that the table lacks keep the answer if it has a possible form. The table
(`lang/en/lemmas.json.gz`) comes from WordNet 3.0; see `lang/en/lemmas.license.txt`."""

import gzip
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Callable, Dict, FrozenSet, List, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..models.vectors import unescape_token

TABLE = Path(__file__).parent.parent / "lang" / "en" / "lemmas.json.gz"
# What an inflected word is, by its Penn tag: part of speech in the table, ending.
_INFLECTED = {
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
_UPOS = {"verb": ("VERB",), "noun": ("NOUN", "PROPN"), "adj": ("ADJ", "ADV")}
_UNINFLECTED = {"VERB": "verb", "NOUN": "noun", "ADJ": "adj"}
_PLURALS = frozenset(
    "capita congratulations data earnings greetings jeans media odds pants premises "
    "regards stamina supplies thanks wrought".split()
)
_ENTRIES = frozenset(
    "corrigenda elves memoranda oxen teeth".split()
)  # plurals that the table has as words, too
_OF_NAMES = re.compile(
    r"(an|ant|atic|ch|ern|ese|ite|ish|[im])$"
)  # "Danish", "Iraqi": adjectives with a capital
_NEEDS_E = re.compile(
    r"([vcu]|dg|rg|[aeiou]z|[^aeiou]at|iat|uat|[ilnpr]s|ur|[^aeiourlw]l|[^aeiouyr]r)$"
)  # it was lost
_COMPLETE = re.compile(r"[^aeiouyw][bdfkmnpt]$")  # no e was lost
_SHORT = re.compile(
    r"[^aeiou]*(qu)?[aeiou][bdgklmnprtvz]$"
)  # one syllable: the consonant doubles before an ending
_PREFIX = re.compile(r"(re|over|under|out|mis|un|up|down|fore|pre|crowd|live)(?=.{3})")
_DOUBLED = re.compile(r".*([bdfgklmnprstvz])\1$")


class Words(NamedTuple):
    """The table's words of one part of speech, and the lemmas of irregular forms."""

    irregular: Dict[str, List[str]]
    known: FrozenSet[str]


@lru_cache(maxsize=1)
def read_table() -> Dict[str, Words]:
    """The table: "verb", "noun", "adj" and "adv"."""
    table = json.loads(gzip.decompress(TABLE.read_bytes()))
    return {
        part: Words(one["irregular"], frozenset(one["words"].split()))
        for part, one in table.items()
    }


def candidates(word: str, part: str, ending: str) -> List[str]:
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
    if (
        _SHORT.match(stem)
        or _NEEDS_E.search(stem)
        or (ending == "ed" and stem.endswith("ng"))
    ):
        found.reverse()
    if _SHORT.match(stem) and part == "verb":
        found.remove(stem)
    if _DOUBLED.match(stem):
        found.insert(0 if stem[-1] not in "lsfz" else 1, stem[:-1])
    if stem.endswith("ck"):
        found.append(stem[:-1])  # mimicking
    return found


def _without_s(word: str, part: str) -> List[str]:
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
    elif word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        is_foes = is_noun and word.endswith("oes") and len(word) < 6
        is_noses = word.endswith("ses") and not word.endswith("sses")
        is_later = is_foes or is_noses
        found.insert(int(is_later), word[:-2])
        if word.endswith(("sses", "zzes")):
            found.append(stem)
    return found


def lemma_of(word: str, tag: str, pos: str, answer: str) -> str:
    """The lemma of a word of some Penn tag and UPOS. answer (str): The lemma that
    another component gave it.

    >>> lemma_of("fled", "VBD", "VERB", "flead")
    'flee'
    >>> lemma_of("Lenses", "NNS", "NOUN", "lense")
    'lens'
    """
    lower = word.lower()
    if word in ("…", "—"):
        return word
    if not lower.replace("-", "").isalpha():
        return answer
    if (
        tag in ("NN", "NNP", "DT") and word not in _PLURALS
    ):  # "geese", "strewn" with another tag
        nouns, verbs = read_table()["noun"], read_table()["verb"]
        irregular = nouns.irregular.get(word) or verbs.irregular.get(word)
        if irregular and (word not in nouns.known or word in _ENTRIES):
            return irregular[0]
    part, ending = _INFLECTED.get(tag, ("", ""))
    if part and pos in _UPOS[part]:
        found = _base(lower, part, ending, answer.lower())
        if pos != "PROPN" or word.islower():
            return found
        return word if found == lower else found.capitalize()
    part = _UNINFLECTED.get(pos, "")
    if not part or tag in ("NNP", "NNPS"):
        return answer
    words = read_table()[part]
    if lower not in words.known:
        return (
            words.irregular[lower][0]
            if lower in words.irregular and lower not in _PLURALS
            else answer
        )
    if (
        answer.lower() != lower
        and answer.isalpha()
        and (tag in ("NN", "JJ") or (pos == "NOUN" and tag == "VBG"))
    ):
        return lower  # "thought", "limited", "wrongdoing"
    is_name = tag == "JJ" and not word.isupper() and _OF_NAMES.search(word)
    is_common = tag == "JJ" or pos == "VERB" or (word.isupper() and len(word) > 3)
    return lower if answer == word and is_common and not is_name else answer


def _base(word: str, part: str, ending: str, answer: str) -> str:
    found = _known_base(word, part, ending, answer)
    if found:
        return found
    prefix = _PREFIX.match(word) if part == "verb" else None
    rest = prefix and _known_base(
        word[prefix.end() :], part, ending, answer[prefix.end() :]
    )
    if prefix and rest:
        return prefix[0] + rest  # "resold", "upvoted"
    possible = candidates(word, part, ending)
    stem = word.removesuffix(ending) if ending != "s" else ""
    is_regular = any(pattern.search(stem) for pattern in (_COMPLETE, _SHORT, _NEEDS_E))
    is_sure = (
        stem[-1] not in "lsfz" if _DOUBLED.match(stem) else is_regular
    )  # "vlogging"
    return (
        answer if (answer in possible and not is_sure) or not possible else possible[0]
    )


def _known_base(word: str, part: str, ending: str, answer: str) -> str:
    """As `_base`; empty for a word that the table does not know."""
    table = read_table()
    words = table[part]
    irregular = [one for one in words.irregular.get(word, ()) if one != word]
    if part == "adj":
        irregular += table["adv"].irregular.get(word, ())
    if irregular:
        return (
            answer
            if answer in irregular
            else max(irregular, key=lambda one: one.endswith("ll"))
        )  # not "instal"
    if word == answer and part == "noun" and (word in words.known or word in _PLURALS):
        return word  # "troops", "species"
    if (
        word[0] == answer[:1]
        and len(word) < len(answer)
        and len(word) < 5
        and answer in words.known
    ):
        return answer  # "yrs"
    known = [one for one in candidates(word, part, ending) if one in words.known]
    if known:
        is_open = word.endswith("ies") or not (
            ending == "s" or "ng" in (word[-5:-3], word[-4:-2])
        )  # lens, sing
        return answer if is_open and answer in known else known[0]
    return word if word in words.known else ""  # "put", "shed"


def correct_lemmas(doc: Doc) -> Doc:
    """Correct the lemmas of a Doc, in place, with its tags and UPOS. Tokens without a
    lemma are left out. A treebank escape gets the lemma of the mark that it stands
    for."""
    for token in doc:
        if token.lemma:
            word = unescape_token(token.text)
            lemma = lemma_of(
                word,
                token.tag_,
                token.pos_,
                token.lemma_ if word == token.text else word,
            )
            if lemma != token.lemma_:
                token.lemma_ = lemma
    return doc


@Language.factory(
    "lal_lemmas",
    assigns=["token.lemma"],
    requires=["token.lemma", "token.tag", "token.pos"],
)
def make_lal_lemmas(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Make a `lal_lemmas` component. It goes after the lemmatizer, tagger and
    morphologizer of an English pipeline."""
    return correct_lemmas
