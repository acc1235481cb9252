"""How a pipeline reads noisy text: LAS on gold tokens whose words have typing errors, or
are all in small letters or capitals.

    python scripts/robustness.py en_lal_md corpus/dev/ewt.spacy

An error changes a word of four letters or more, but for its first: two letters change
places, one is missing, twice there, or its neighbour in the alphabet."""

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Optional

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.evaluation.scorers import score_parses
from spacy_lal.treebanks.corpora import read_spacy

Change = Callable[[str, random.Random], str]


def with_error(word: str, rng: random.Random) -> str:
    """A word with an error of typing."""
    if len(word) < 4 or not word.isalpha():
        return word
    place = rng.randrange(1, len(word) - 1)
    letter, following = word[place], word[place + 1]
    other = "a" if letter in "zZ" else chr(ord(letter) + 1)
    pair = rng.choice(
        (following + letter, following, 2 * letter + following, other + following)
    )
    return word[:place] + pair + word[place + 2 :]


def typos(share: float) -> Change:
    """An error in a share of the words."""
    return lambda word, rng: with_error(word, rng) if rng.random() < share else word


CHANGES: dict[str, Change] = {
    "as it is": lambda word, rng: word,
    "typos in 5 %": typos(0.05),
    "typos in 15 %": typos(0.15),
    "small letters": lambda word, rng: word.lower(),
    "capitals": lambda word, rng: word.upper(),
}


def changed(nlp: Language, doc: Doc, change: Change, rng: random.Random) -> Example:
    """A Doc with other words, and its reference."""
    spaces = [bool(token.whitespace_) for token in doc]
    words = [change(token.text, rng) for token in doc]
    predicted = Doc(nlp.vocab, words=words, spaces=spaces)
    for token, gold in zip(predicted, doc, strict=True):
        token.is_sent_start = gold.is_sent_start
    reference = Doc(
        nlp.vocab,
        words=words,
        spaces=spaces,
        heads=[token.head.i for token in doc],
        deps=[token.dep_ for token in doc],
        sent_starts=[bool(token.is_sent_start) for token in doc],
    )
    return Example(predicted, reference)


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Print a row for each kind of noise."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="a package, a folder of packages/ or another")
    parser.add_argument("treebank", type=Path, help="gold Docs, .spacy")
    args = parser.parse_args(arguments)
    inner = next(Path(args.pipeline).glob("*/*/config.cfg"), None)
    nlp = spacy.load(inner.parent if inner else args.pipeline, exclude=["lal_srl"])
    docs: list[Doc] = list(read_spacy(args.treebank, nlp.vocab))
    print("| EWT dev | UAS | LAS |\n|---|--:|--:|")
    for name, change in CHANGES.items():
        rng = random.Random(0)
        examples = [changed(nlp, doc, change, rng) for doc in docs]
        parsed = nlp.pipe([eg.predicted for eg in examples])
        scored = [
            Example(doc, eg.reference) for doc, eg in zip(parsed, examples, strict=True)
        ]
        scores = score_parses(scored)
        cells = (f"{100 * scores[key]:.2f}" for key in ("dep_uas", "dep_las"))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
