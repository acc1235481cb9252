"""Write a UD treebank's features and lemmas by the conventions of another: GUM's by
EWT's.

    python scripts/harmonise_words.py assets/ewt/train.conllu assets/gum/train.conllu
    corpus/words/gum.train.conllu

Both treebanks are Universal Dependencies, but GUM marks what EWT leaves out (the person
of imperatives, the number of "you", Degree=Pos on most adverbs) and the reverse
(PronType on "now", "never", "always"). RULES says what holds for all words. Then
follows what MODEL shows of single words: where it analyses a word with its tags in one
way, and never in the other treebank's way, its way is taken.

Not here: UPOS and XPOS, which both treebanks use alike but for single names, and heads
and deprels."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import (
    Callable,
    DefaultDict,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Tuple,
)

from treebank import run

from spacy_lal.files import write_file
from spacy_lal.trees import Parse, format_conllu, read_conllu

MIN_COUNT = 5  # of a word with its tags in MODEL
MIN_SHARE = 0.95  # of its most frequent analysis
# Said of one occurrence, not of the word: such an analysis stays. A verb's form shows
# its mood and voice in a sentence.
OF_OCCURRENCES = frozenset({"Typo", "ExtPos", "Foreign", "VerbForm"})

Features = Dict[str, str]
Key = Tuple[str, str, str]  # word in lower case, UPOS, XPOS


class Rule(NamedTuple):
    """Features that MODEL does not mark.

    removed (Tuple[str, ...]): Their names.
    applies (Callable[[str, Features], bool]): Whether it does not, given XPOS and
    features."""

    removed: Tuple[str, ...]
    applies: Callable[[str, Features], bool]


RULES = (
    Rule(("Style",), lambda tag, features: True),
    Rule(
        ("Number",),
        lambda tag, features: features.get("Person") == "2" and tag in ("PRP", "PRP$"),
    ),
    Rule(("Person", "Number"), lambda tag, features: features.get("Mood") == "Imp"),
    Rule(
        ("Degree",),
        lambda tag, features: tag == "RB" and features.get("Degree") == "Pos",
    ),
    Rule(("PronType",), lambda tag, features: tag == "EX"),
    Rule(("Abbr",), lambda tag, features: tag in ("NNP", "NNPS")),
)


def parse_features(text: str) -> Features:
    """Features by name, from FEATS.

    >>> parse_features("Number=Sing|Person=3")
    {'Number': 'Sing', 'Person': '3'}
    """
    return dict(pair.split("=", 1) for pair in text.split("|")) if text else {}


def format_features(features: Features) -> str:
    """The reverse of `parse_features`, in UD's order: names without regard to case."""
    return "|".join(
        f"{name}={features[name]}" for name in sorted(features, key=str.lower)
    )


def apply_rules(tag: str, text: str) -> str:
    """FEATS by RULES.

    tag (str): XPOS.
    text (str): FEATS; an empty string for none.
    """
    features = parse_features(text)
    is_reflexive = (
        features.get("Reflex") == "Yes"
    )  # "yourself" and "yourselves" differ in number
    for rule in RULES:
        if rule.applies(tag, features) and not (
            is_reflexive and "Number" in rule.removed
        ):
            features = {
                name: value
                for name, value in features.items()
                if name not in rule.removed
            }
    return format_features(features)


class Conventions:
    """How a treebank analyses its frequent words.

    sentences (Iterable[Parse]): The treebank.
    """

    def __init__(self, sentences: Iterable[Parse]) -> None:
        self._morphs: DefaultDict[Key, Counter[str]] = defaultdict(Counter)
        self._lemmas: DefaultDict[Key, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for key, lemma, morph in _words(sentence):
                self._morphs[key][morph] += 1
                self._lemmas[key][lemma] += 1

    def morph(self, key: Key, found: str) -> str:
        """FEATS of a word.

        found (str): FEATS of the other treebank.
        """
        if OF_OCCURRENCES & set(parse_features(found)):
            return found
        return _usual(self._morphs.get(key), found)

    def lemma(self, key: Key, found: str) -> str:
        """LEMMA of a word.

        found (str): LEMMA of the other treebank.
        """
        return _usual(self._lemmas.get(key), found)


def _words(sentence: Parse) -> Iterator[Tuple[Key, str, str]]:
    words = map(str.lower, sentence.words)
    keys = zip(words, sentence.pos, sentence.tags, strict=True)
    return zip(keys, sentence.lemmas, sentence.morphs, strict=True)


def _usual(counts: "Counter[str] | None", found: str) -> str:
    if counts is None or found in counts:
        return found
    usual, count = counts.most_common(1)[0]
    total = counts.total()
    return usual if total >= MIN_COUNT and count >= MIN_SHARE * total else found


def harmonise(sentences: Iterable[Parse], conventions: Conventions) -> Iterator[Parse]:
    """Sentences with features and lemmas by a treebank's conventions, changed in
    place."""
    for sentence in sentences:
        sentence.morphs = [
            apply_rules(*pair)
            for pair in zip(sentence.tags, sentence.morphs, strict=True)
        ]
        words: List[Tuple[Key, str, str]] = list(_words(sentence))
        sentence.morphs = [conventions.morph(key, morph) for key, _, morph in words]
        sentence.lemmas = [conventions.lemma(key, lemma) for key, lemma, _ in words]
        yield sentence


def main(model: Path, treebank: Path, output: Path) -> None:
    """Run from the command line."""
    conventions = Conventions(read_conllu(model))
    changed = total = 0
    parts = []
    harmonised = harmonise(read_conllu(treebank), conventions)
    for before, after in zip(read_conllu(treebank), harmonised, strict=True):
        total += len(after.words)
        pairs = zip(
            before.morphs, before.lemmas, after.morphs, after.lemmas, strict=True
        )
        changed += sum((m1, l1) != (m2, l2) for m1, l1, m2, l2 in pairs)
        parts.append(format_conllu(after))
    output.parent.mkdir(parents=True, exist_ok=True)
    write_file(output, "".join(parts).encode("utf8"))
    print(f"{output}: {changed:,} of {total:,} words with other features or lemmas")


if __name__ == "__main__":
    run(main)
