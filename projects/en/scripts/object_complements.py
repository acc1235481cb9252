"""Make training sentences whose object has a complement: `We named our boat Luna.`,
`The storm left them cold.` Treebanks have few of them, and fewer with a name.

    python scripts/object_complements.py corpus/complements

It writes complements.ptb and complements.conllu, which `lal convert` joins. Object and
complement are a clause of the verb, as in EWT; the object is its obj, the complement
its xcomp. Lemmas and features are hidden."""

import argparse
import random
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence, Tuple

from spacy_lal.files import write_file
from spacy_lal.trees import Parse, format_conllu

NAMING = ("called", "named", "nicknamed", "christened")
CHANGING = ("made", "found", "kept", "left", "considered", "painted")
SUBJECTS = ("I", "We", "They", "He", "She")
OBJECTS = ("him", "her", "them", "us")
DETERMINERS = {"the": "DT", "our": "PRP$", "his": "PRP$", "their": "PRP$", "a": "DT"}
NOUNS = "cat boat house son horse baby ship team band rabbit puppy storm girl".split()
NAMES = "Max Bella Luna Oscar Molly Victoria Lucky Peter Anna Sunset Oliver".split()
ADJECTIVES = "cold happy angry clean empty useful white strange open dirty".split()
# label of a complement, its verbs, its words, their tag
NAME = ("NP", NAMING, NAMES, "NNP")
STATE = ("ADJP", CHANGING, ADJECTIVES, "JJ")
UPOS = {"PRP": "PRON", "PRP$": "PRON", "DT": "DET", "NN": "NOUN", "NNP": "PROPN"}
UPOS.update({"VBD": "VERB", "JJ": "ADJ", ".": "PUNCT"})


class Word(NamedTuple):
    """A word. head: the number of its head; 0 is the root."""

    form: str
    tag: str
    head: int
    deprel: str


def noun_phrase(rng: random.Random, first: int, verb: int, deprel: str) -> List[Word]:
    """A pronoun, a name or a noun with its determiner, which depends on the verb.

    first (int): The number of its first word.
    """
    kind = rng.random()
    if kind < 0.3:
        pronouns = SUBJECTS if deprel == "nsubj" else OBJECTS
        return [Word(rng.choice(pronouns), "PRP", verb, deprel)]
    if kind < 0.4:
        return [Word(rng.choice(NAMES), "NNP", verb, deprel)]
    determiner = rng.choice([*DETERMINERS])
    of_noun = "det" if DETERMINERS[determiner] == "DT" else "nmod:poss"
    return [
        Word(determiner, DETERMINERS[determiner], first + 1, of_noun),
        Word(rng.choice(NOUNS), "NN", verb, deprel),
    ]


def bracket(label: str, words: Sequence[Word]) -> str:
    """A phrase of words, as in the Penn Treebank."""
    return f"({label} {' '.join(f'({word.tag} {word.form})' for word in words)})"


def draw(rng: random.Random) -> Tuple[str, List[Word]]:
    """The tree and the words of a sentence."""
    verb = 2 if rng.random() < 0.6 else 3
    subject: List[Word] = []
    while len(subject) != verb - 1:
        subject = noun_phrase(rng, 1, verb, "nsubj")
    subject[0] = subject[0]._replace(form=subject[0].form.capitalize())
    label, verbs, words, tag = rng.choice((NAME, NAME, STATE))
    of_verb = Word(rng.choice(verbs), "VBD", 0, "root")
    thing = noun_phrase(rng, verb + 1, verb, "obj")
    complement = [Word(rng.choice(words), tag, verb, "xcomp")]
    clause = f"(S {bracket('NP', thing)} {bracket(label, complement)})"
    verb_phrase = f"(VP (VBD {of_verb.form}) {clause})"
    tree = f"(ROOT (S {bracket('NP', subject)} {verb_phrase} (. .)))"
    return tree, [*subject, of_verb, *thing, *complement, Word(".", ".", verb, "punct")]


def to_conllu(words: Sequence[Word]) -> Parse:
    """A sentence with hidden lemmas and features."""
    hidden = [""] * len(words)
    return Parse(
        words=[word.form for word in words],
        lemmas=hidden,
        pos=[UPOS[word.tag] for word in words],
        tags=[word.tag for word in words],
        morphs=hidden,
        heads=[word.head for word in words],
        deprels=[word.deprel for word in words],
        spaces=[True] * (len(words) - 2) + [False, True],
    )


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, make, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("output", type=Path, help="folder for the two files")
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(arguments)
    rng = random.Random(args.seed)
    trees, sentences = zip(*(draw(rng) for _ in range(args.sentences)), strict=True)
    write_file(args.output / "complements.ptb", "\n".join(trees) + "\n")
    text = "".join(format_conllu(to_conllu(words)) for words in sentences)
    write_file(args.output / "complements.conllu", text)


if __name__ == "__main__":
    main()
