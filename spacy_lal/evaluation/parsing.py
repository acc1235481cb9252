"""Parsing the tokens of gold Docs, with or without the gold sentence breaks, or their text alone."""

import time
from typing import List, Tuple

from spacy.language import Language
from spacy.tokens import Doc

from ..annotations import has_sentences
from ..pipeline.component import parser_names, sentence_splitters
from ..treebanks.docs import copy_text

HEAD = "token.head"


def parse_golds(
    nlp: Language, golds: List[Doc], *, gold_sents: bool = True, batch_size: int = 256
) -> Tuple[List[Doc], float]:
    """Parse the tokens of gold Docs with the pipeline's `lal_parser` or, without one, spaCy's parser.

    golds (List[Doc]): Gold Docs; trees, heads or tags may be missing.
    gold_sents (bool): Whether the pipeline gets the gold sentence breaks; if so, its sentence splitters are disabled.
    RETURNS (Tuple[List[Doc], float]): The parsed Docs, in order, and the time in seconds.
    RAISES (ValueError): A gold Doc has no sentence boundaries.
    """
    check_sentences(golds)
    parsers = parser_names(nlp) or [name for name in nlp.pipe_names if HEAD in nlp.get_pipe_meta(name).assigns]
    splitters = sentence_splitters(nlp, parsers) if gold_sents else []
    blanks = [copy_text(gold, with_sentences=gold_sents, vocab=nlp.vocab) for gold in golds]
    with nlp.select_pipes(disable=splitters):
        start = time.perf_counter()
        docs = list(nlp.pipe(blanks, batch_size=batch_size))
        return docs, time.perf_counter() - start


def parse_texts(nlp: Language, golds: List[Doc], *, batch_size: int = 256) -> List[Doc]:
    """Parse the texts of gold Docs, with the pipeline's own tokens and sentences.

    RAISES (ValueError): The spaces of a gold Doc's text are unknown (it was made from brackets alone).
    """
    check_texts(golds)
    return list(nlp.pipe([gold.text for gold in golds], batch_size=batch_size))


def check_texts(golds: List[Doc]) -> None:
    """Check that `parse_texts` can parse gold Docs.

    RAISES (ValueError): See `parse_texts`.
    """
    for number, gold in enumerate(golds, start=1):
        if gold.has_unknown_spaces:
            raise ValueError(f"Doc {number} has words but no text, its spaces are not known: {gold.text[:40]!r}")


def check_breaks(nlp: Language, golds: List[Doc]) -> None:
    """Check that a pipeline sets sentence breaks, by parsing the first gold Doc that has several words: not all
    components tell what they set.

    RAISES (ValueError): It sets none, or a gold Doc has none.
    """
    check_sentences(golds)
    parse_golds(nlp, [gold for gold in golds if len(gold) > 1][:1], gold_sents=False)


def check_sentences(golds: List[Doc]) -> None:
    """Check that gold Docs have sentence boundaries.

    RAISES (ValueError): One has none.
    """
    for number, gold in enumerate(golds, start=1):
        if not has_sentences(gold):
            raise ValueError(f"Doc {number} has no sentence boundaries: {gold.text[:40]!r}")
