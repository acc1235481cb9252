"""Build the table of Icelandic lemmas from the Database of Icelandic Morphology (BÍN)
and the lemmas of the treebank.

    pip install islenska wordfreq
    python scripts/build_lemma_table.py ../../assets/icelandic/train.conllu
        ../../spacy_lal/lang/is_/lemmas.tsv.gz

The words are those with a frequent form, with all of their forms. BÍN decides for
verbs, nouns, names and adjectives. Compounds whose lemma follows from their last part
are left out: `LemmaTable` finds it."""

import argparse
import gzip
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Dict, List, Mapping, Set, Tuple
from typing import Counter as Counts

from spacy_lal.lang.lemma_table import lemmas_of_compound

if TYPE_CHECKING:
    from islenska import Bin

UPOS = {
    "kk": "NOUN",
    "kvk": "NOUN",
    "hk": "NOUN",
    "so": "VERB",
    "lo": "ADJ",
}
AUXILIARIES = {
    "eiga",
    "geta",
    "hafa",
    "kunna",
    "mega",
    "munu",
    "skulu",
    "vera",
    "verða",
    "vilja",
    "þurfa",
}
CLOSED = {"PRON", "ADP", "ADV", "DET", "CCONJ", "SCONJ", "NUM", "PART", "AUX"}
COMPOUNDS = frozenset({"NOUN", "VERB", "ADJ"})
MIN_FREQUENCY = 2e-6  # of a word, all forms together
TURNS = 10  # in which frequencies are divided between words
OF_TREEBANK = 1e-6  # a word of the treebank counts as much
GOOD_FORMS = (0, 1)  # grades of BÍN
OF_BAD_FORMS = 0.01
OF_NAMES = 0.1  # as nouns
# Of open classes, a lemma that is so much less likely than the first is left out.
RARE = 0.2

Key = Tuple[str, str]  # form in lower case, UPOS
# Forms whose likeliest lemma the counts do not tell.
OURS: Dict[Key, List[str]] = {
    ("eyju", "NOUN"): ["eyja", "ey"],
    ("eyjar", "NOUN"): ["eyja", "ey"],
    ("eyjum", "NOUN"): ["eyja", "ey"],
    ("fata", "NOUN"): ["föt", "fat", "fata"],
    ("fötin", "NOUN"): ["föt", "fat"],
    ("fötum", "NOUN"): ["föt", "fat"],
    ("horfið", "VERB"): ["hverfa", "horfa"],
    ("vörum", "NOUN"): ["vara", "vör", "var"],
}

Scores = Dict[Key, Dict[str, float]]


def read_counts(path: Path) -> Dict[Key, Counts[str]]:
    """How often each form has each lemma in a CoNLL-U file."""
    counts: Dict[Key, Counts[str]] = defaultdict(Counter)
    for line in path.read_text(encoding="utf8").splitlines():
        columns = line.split("\t")
        if columns[0].isdigit():
            _, form, lemma, upos, *_ = columns
            counts[form.lower(), upos][lemma] += 1
    return counts


def frequent_words(bin_: "Bin", counts: Dict[Key, Counts[str]]) -> Dict[int, float]:
    """The frequency of each word of BÍN that has frequent forms, by its number. A form
    of several words is divided between them in proportion to their frequencies, which
    are found in turns: a word whose own forms are rare has little of shared ones."""
    from wordfreq import get_frequency_dict

    frequencies = get_frequency_dict("is", wordlist="best")
    forms: Dict[str, float] = defaultdict(float, frequencies)
    for (form, _), lemmas in counts.items():
        forms[form] += lemmas.total() * OF_TREEBANK
    words_of = {form: words_with(bin_, form) for form in forms}
    found = divided(forms, words_of, defaultdict(lambda: 1.0))
    frequent = [word for word in found if found[word] >= MIN_FREQUENCY]
    for _ in range(TURNS):
        found = divided(forms, words_of, found)
    return {word: found[word] for word in frequent}


def divided(
    forms: Mapping[str, float],
    words_of: Mapping[str, Set[int]],
    weights: Mapping[int, float],
) -> Dict[int, float]:
    """Divide the frequency of each form between its words, in proportion to weights."""
    found: Dict[int, float] = defaultdict(float)
    for form, words in words_of.items():
        total = sum(weights[word] for word in words)
        for word in words:
            found[word] += forms[form] * weights[word] / total
    return found


def words_with(bin_: "Bin", form: str) -> Set[int]:
    """The numbers of the words of BÍN that have a form, in lower case or as a name."""
    entries = [*bin_.lookup(form)[1], *bin_.lookup(form.capitalize())[1]]
    return {
        entry.bin_id for entry in entries if entry.ofl in UPOS and "-" not in entry.ord
    }


def read_bin(bin_: "Bin", words: Dict[int, float]) -> Scores:
    """The lemmas of each form of the words, and how likely each is."""
    found: Scores = defaultdict(lambda: defaultdict(float))
    for word, frequency in words.items():
        for entry in bin_.lookup_id(word):
            form, lemma, upos = entry.bmynd, entry.ord, UPOS[entry.ofl]
            is_good = entry.beinkunn in GOOD_FORMS
            score = frequency * (1 if is_good else OF_BAD_FORMS)
            likely = {upos: score}
            if upos == "NOUN" and lemma[0].isupper():
                likely = {"PROPN": score, "NOUN": score * OF_NAMES}
            if upos == "VERB" and lemma in AUXILIARIES:
                likely["AUX"] = score
            if form.replace("-", "").isalpha():
                for one, of_one in likely.items():
                    lemmas = found[form.lower(), one]
                    lemmas[lemma] = max(lemmas[lemma], of_one)
    return found


def add_treebank(found: Scores, counts: Dict[Key, Counts[str]]) -> None:
    """Add the counts of a treebank, and the lemmas of names and of words of closed
    classes that it has twice."""
    for key, lemmas in counts.items():
        form, upos = key
        for lemma, count in lemmas.items():
            is_name = upos == "PROPN" and lemma[0].isupper()
            is_closed = upos in CLOSED and lemma[0].islower()
            is_sure = count > 1 and (is_name or is_closed)
            is_word = form.isalpha() and lemma.isalpha()
            if is_word and (lemma in found.get(key, {}) or is_sure):
                found[key][lemma] += count


def likely_first(lemmas: Dict[str, float], rare: float) -> List[str]:
    """Order the lemmas of a form, without those much less likely than the first.

    rare (float): The ratio to the first."""
    least = rare * max(lemmas.values())
    kept = [lemma for lemma, score in lemmas.items() if score >= least]
    return sorted(kept, key=lambda lemma: (-lemmas[lemma], lemma))


def without_compounds(found: Dict[Key, List[str]]) -> Dict[str, str]:
    """Leave out what follows from the last part of a compound.

    RETURNS (Dict[str, str]): See `lemma_table.Lemmas`."""
    kept: Dict[str, str] = {}
    for form, upos in sorted(found, key=lambda key: (len(key[0]), key)):
        lemmas = found[form, upos]
        known = lemmas_of_compound(kept, form, upos) if upos in COMPOUNDS else []
        if known != lemmas:
            kept[f"{form}\t{upos}"] = " ".join(lemmas)
    return kept


def main(arguments: argparse.Namespace) -> None:
    """Write the table."""
    from islenska import Bin

    bin_ = Bin()
    counts = read_counts(arguments.treebank)
    scores = read_bin(bin_, frequent_words(bin_, counts))
    add_treebank(scores, counts)
    ordered = {
        (form, upos): likely_first(lemmas, rare=RARE if upos in COMPOUNDS else 0)
        for (form, upos), lemmas in scores.items()
    }
    kept = without_compounds({**ordered, **OURS})
    lines = [f"{key}\t{lemmas}\n" for key, lemmas in sorted(kept.items())]
    arguments.output.write_bytes(gzip.compress("".join(lines).encode("utf8"), mtime=0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank", type=Path)
    parser.add_argument("output", type=Path)
    main(parser.parse_args())
