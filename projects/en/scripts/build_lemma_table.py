"""The lemma table of `lal_lemmas`, from spaCy's English tables: `python
build_lemma_table.py OUT.tsv.gz`.

It needs `pip install spacy-lookups-data==1.0.5`. The tables come from WordNet 3.0
(Princeton University; its licence is `spacy_lookups_data/data/en_license.txt`):
irregular forms, and the words of each part of speech, whose regular forms are spelled
here. A line has a form, its UPOS or tag, and its lemmas, the
likeliest first."""

import gzip
import json
import re
import sys
from collections import defaultdict
from importlib.resources import files
from pathlib import Path
from typing import Any

FORM = re.compile(r"[a-z]+(-[a-z]+)*")
WORD = re.compile(r"(e-)?[a-z]{2,14}")
# Words whose last consonant doubles before an ending; longer words may double it.
SHORT = re.compile(r"[^aeiou]*(qu)?[aeiou][bdgklmnprtvz]")
LONG = re.compile(r".*[aeiou](qu)?[^aeiou]+[aeiou][bdgklmnprstvz]")
# Adjectives with a capital: "Danish", "Iraqi".
OF_NAMES = re.compile("(an|ant|atic|ch|ern|ese|ite|ish|[im])$")
HISSING = ("s", "x", "z", "ch", "sh")
UPOS = {"verb": "VERB", "noun": "NOUN", "adj": "ADJ", "adv": "ADV"}

# Forms that the tables lack, or whose lemma they have in another order.
OURS = {
    "ADJ": "upper:upper",
    "VERB": "stricken:strike shorn:shear bathed:bathe bathing:bathe",
    "NOUN": "lenses:lens axes:axe,axis bacteria:bacterium cookies:cookie leaves:leaf "
    "passersby:passerby yrs:year am:a.m. pm:p.m. teeth:tooth oxen:ox elves:elf men:man "
    "memoranda:memorandum corrigenda:corrigendum",
}
# Verbs that the tables lack.
NEW_VERBS = "babysit defrag downvote google podcast retweet upvote vape vlog".split()
PREFIXES = ("re", "over", "under", "out", "mis", "un", "fore", "with")
# Plurals that are lemmas in treebanks, and words that only look like plurals.
PLURALS = (
    "capita data earnings greetings jeans media odds pants premises "
    "regards series species stamina supplies thanks"
).split()
# Words of closed classes, and those whose lemma has a capital or none.
FUNCTION_WORDS = {
    "ADV": "asap:ASAP",
    "AUX": "'d:would,have 'll:will 'm:be 're:be 's:be,have 've:have ai:be am:be are:be "
    "been:be being:be ca:can did:do does:do doing:do done:do got:get had:have has:have "
    "having:have is:be r:be s:be was:be were:be wo:will",
    "DET": "an:a these:this those:that",
    "PROPN": "philippines:philippines netherlands:netherlands",
    "PART": "'s:'s n't:not nt:not s:'s na:to",
    "PRON": "'s:we 'em:they her:she,her him:he i:I me:I mine:my ours:our them:they "
    "these:this those:that u:you ur:your us:we yours:your",
    "PRP$": "her:her",
}


def read(name: str) -> Any:
    """One of the English tables of spacy-lookups-data."""
    path = files("spacy_lookups_data").joinpath("data", f"en_{name}.json.gz")
    return json.loads(gzip.decompress(path.read_bytes()))


def with_s(word: str) -> str:
    """The plural of a noun, or the third person of a verb."""
    if word.endswith(HISSING):
        return f"{word}es"
    if re.search("[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    return f"{word}s"


def with_vowel(word: str, ending: str) -> list[str]:
    """A word with `ing`, `ed`, `er` or `est`."""
    if ending == "ing":
        stem = re.sub("ie$", "y", word) if len(word) < 5 else word
        stem = re.sub("(?<=[^eoy])e$", "", stem)
    else:
        stem = re.sub("(?<=[^aeiou])y$", "i", word).removesuffix("e")
    if SHORT.fullmatch(word):
        return [f"{word}{word[-1]}{ending}"]
    if LONG.fullmatch(word):
        return [stem + ending, f"{word}{word[-1]}{ending}"]
    if word.endswith("c"):
        return [f"{word}k{ending}"]
    return [stem + ending]


def forms_of(word: str, part: str) -> list[str]:
    """The regular forms of a word."""
    if part == "noun":
        extra = [f"{word[:-3]}men"] if word.endswith("man") else []
        extra += [f"{word}es"] if re.search("[^aeiou]o$", word) else []
        return [with_s(word), *extra]
    if part == "verb":
        extra = [f"{word}es"] if word.endswith("o") else []
        return [with_s(word), *extra, *with_vowel(word, "ed"), *with_vowel(word, "ing")]
    return [*with_vowel(word, "er"), *with_vowel(word, "est")]


def listed(text: str) -> dict[str, list[str]]:
    """The lemmas by form of a text such as "axes:axe,axis media:media"."""
    pairs = (pair.split(":") for pair in text.split())
    return {form: lemmas.split(",") for form, lemmas in pairs}


def lemma_table(
    irregular: dict[str, dict[str, list[str]]], words: dict[str, list[str]]
) -> dict[tuple[str, str], list[str]]:
    """The lemmas by form and UPOS."""
    table: dict[tuple[str, str], list[str]] = defaultdict(list)
    known = {part: set(filter(WORD.fullmatch, words[part])) for part in UPOS}
    known["verb"].update(NEW_VERBS)
    for part, pos in UPOS.items():
        for form, lemmas in irregular[part].items():
            others = [lemma for lemma in lemmas if lemma != form]
            if FORM.fullmatch(form):  # "install" is likelier than "instal"
                table[form, pos] += sorted(others, key=lambda x: not x.endswith("ll"))
            for prefix in PREFIXES if part == "verb" else ():
                if known["verb"].issuperset(prefix + lemma for lemma in lemmas):
                    table[prefix + form, pos] += [prefix + lemma for lemma in lemmas]
        # "sense" is likelier than "sens".
        for word in sorted(known[part], key=lambda word: (word[-2:] != "se", word)):
            for form in forms_of(word, part):
                if form not in irregular[part]:
                    table[form, pos].append(word)
    for part, pos in UPOS.items():
        for word in known[part]:
            is_form = (word, pos) in table
            if part == "noun":
                is_kept = is_form or len(word) > 3
            elif part == "adj":
                is_kept = not is_form and not OF_NAMES.search(word)
            else:
                is_other = word in irregular[part] or (word, "VERB") in table
                is_kept = is_form or is_other
            if is_kept:
                table[word, pos].append(word)
    for pos, text in {**OURS, **FUNCTION_WORDS}.items():
        for form, lemmas in listed(text).items():
            table[form, pos] = lemmas
    for form in PLURALS:
        table[form, "NOUN"].insert(0, form)
    return table


def main(out: Path) -> None:
    """Write the table."""
    table = lemma_table(read("lemma_exc"), read("lemma_index"))
    lines = [
        f"{form}\t{pos}\t{' '.join(dict.fromkeys(lemmas))}\n"
        for (form, pos), lemmas in sorted(table.items())
        if lemmas
    ]
    out.write_bytes(gzip.compress("".join(lines).encode("utf8"), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
