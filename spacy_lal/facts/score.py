"""How probably people say that what a word names has happened or is happening: the
logistic of a sum of weights of the word's features, which read the parse. The weights
are a table of `vocab.lookups`, which spaCy saves with the pipeline. They were learned
from the judgements of UDS-IH2 (Rudinger, White and Van Durme 2018, "Neural models of
factuality")."""

from collections.abc import Iterator
from itertools import combinations
from math import exp

from .sentence import SUBJECTS, VERBAL, Word

TABLE = "lal_factuality"
SCALE = 32  # weights are stored as whole numbers
_UP = 3


def factuality_score(word: Word) -> float:
    """Give the score of a predicate, from 0 to 1.
    RAISES (ValueError): The vocabulary has no weights."""
    lookups = word.token.vocab.lookups
    if not lookups.has_table(TABLE):
        raise ValueError(
            f"factuality_score: the pipeline has no table {TABLE!r} in "
            "nlp.vocab.lookups: expected the vocabulary of a pipeline with weights, "
            "such as en_lal_md, and Docs that were read with its vocabulary"
        )
    weights = lookups.get_table(TABLE)
    total = sum([weights.get(name, 0) for name in set(features_of(word))])
    return 1 / (1 + exp(-total / SCALE))


def features_of(word: Word) -> Iterator[str]:
    """Give the features of a word: what it is, its subject and children, and the words
    above, each alone and with each other."""
    subject = word.subject or word
    head = word
    path = "own"
    values = {
        "subject": subject.lower if subject.pos == "PRON" else subject.pos,
        "last": word.words[-1].lower[-1:],
    }
    for child in word.children:
        values[child.dep] = child.lemma
    for _ in range(min(_UP, word.depth) + 1):
        values[f"{path} lemma"] = head.lemma
        values[f"{path} group"] = _group(head)
        values[f"{path} stated"] = f"{head.context.factuality} {head.context.polarity}"
        path += f" {head.dep}"
        head = head.head
    names = ["bias", *[f"{name}={value}" for name, value in values.items()]]
    yield from map(" ".join, combinations(names, 2))


def _group(word: Word) -> str:
    """Give a verb's auxiliaries, tag and deprel, "will VB"."""
    helping = [x.lower for x in word.children if x.dep in (*VERBAL, "mark")]
    return " ".join([*helping, word.tag, word.dep, str(bool(word.child(*SUBJECTS)))])
