"""How probably people say that what a word names has happened or is happening: the
logistic of a sum of weights of the word's features, which read the parse. The weights
are a table of `vocab.lookups`, which spaCy saves with the pipeline. They were learned
from the judgements of UDS-IH2 (Rudinger, White and Van Durme 2018, "Neural models of
factuality")."""

from collections.abc import Iterator
from math import exp

from .sentence import SUBJECTS, VERBAL, Word

TABLE = "lal_factuality"
SCALE = 32  # weights are stored as whole numbers
_UP = 3
_INNER = ("case", "mark", "det")


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
    """Give the features of a word: its form, its clause, and the clauses above."""
    group = _group(word)
    stated = _stated(word)
    subject = word.subject or word
    named = subject.lower if subject.pos == "PRON" else subject.pos
    yield "bias"
    yield from _named("lemma", word.lemma, word.tag, word.dep, stated)
    yield from _named("group", group, word.dep, named, stated)
    yield from _named("subject", named, word.tag, word.dep)
    for child in word.children:
        yield from _named("child", child.dep, word.tag)
        yield from _named(child.dep, child.lemma, word.lemma, group)
        for inner in child.children:
            if inner.dep in _INNER:
                yield from _named(f"inner {child.dep}", inner.lower, word.tag)
    marks = " ".join([x.lower for x in word.children if x.dep in ("mark", "cc")])
    head = word
    path = word.dep
    for _ in range(min(_UP, word.depth)):
        side = "before" if head.head.i < head.i else "after"
        head = head.head
        yield from _named(f"above {path}", head.lemma, marks, group, word.tag)
        yield from _named(f"group {path}", _group(head), marks, _stated(head), side)
        path += f" {head.dep}"
    root = word.sentence.order[0]
    last = word.words[-1].lower[-1:]
    yield from _named("sentence", last, _group(root), _stated(root), word.dep)


def _named(name: str, *values: str) -> Iterator[str]:
    """Give a feature of the first value, and of it with each of the others."""
    first = f"{name}={values[0]}"
    yield first
    for i, value in enumerate(values[1:]):
        yield f"{first} {i}={value}"


def _stated(word: Word) -> str:
    context = word.context
    return f"{context.factuality} {context.polarity} {context.is_reported}"


def _group(word: Word) -> str:
    """Give a verb's auxiliaries and tag, "will VB"."""
    helping = [x.lower for x in word.children if x.dep in VERBAL]
    is_marked = word.child("mark") is not None
    has_subject = word.child(*SUBJECTS) is not None
    return " ".join([*helping, word.tag, str(is_marked), str(has_subject)])
