"""Rough training text: in one case or without punctuation, like typed messages and transcribed speech.

Registered by `functions.py`. spaCy's own (`spacy.lower_case.v1`) retokenizes, and so loses gold tokens and sentences.
"""

import random
from typing import Callable, Iterator, List, Sequence

from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import has_sentences, same_tokens, sentence_bounds
from spacy_lal.treebanks.docs import copy_text, copy_tokens


@registry.augmenters("spacy-lal.rough_text.v1")
def make_rough_text(
    lower_case: float = 0.15, upper_case: float = 0.05, no_final_punct: float = 0.1, no_punct: float = 0.1
) -> Callable[[Language, Example], Iterator[Example]]:
    """Registered as `spacy-lal.rough_text.v1`: an augmenter for `TreebankCorpus`, and any corpus of gold tokens.

    Each Example gives one Example. Case and punctuation are drawn independently, each for a whole Doc: authors who
    write without capitals do so throughout. The remaining tokens keep their tags, constituents, heads and sentences. An
    Example whose predicted tokens differ from the reference's is left unchanged.

    lower_case, upper_case (float): Probability that all words are in lower case, or in capitals.
    no_final_punct (float): Probability that sentences end without their last punctuation.
    no_punct (float): Probability that all punctuation is left out, except within words (hyphens and the like), with
        dependents, or in sentences of punctuation alone.
    RAISES (ValueError): A probability, or the sum of the first two or the last two, is not from 0 to 1.
    """
    for name, levels in [("case", (lower_case, upper_case)), ("punctuation", (no_final_punct, no_punct))]:
        if not (levels[0] >= 0 and levels[1] >= 0 and sum(levels) <= 1):
            raise ValueError(f"expected probabilities of {name} from 0 to 1 in sum, got {levels[0]} and {levels[1]}")

    def augment(nlp: Language, eg: Example) -> Iterator[Example]:
        case, punct = random.random(), random.random()  # both for every Doc, so that later draws do not depend on it
        doc = eg.reference
        if not same_tokens(eg.predicted, doc):
            yield eg
            return
        change = str.lower if case < lower_case else str.upper if case < lower_case + upper_case else None
        tokens: Sequence[int] = range(len(doc))
        if punct < no_final_punct + no_punct:
            tokens = _without_punct(doc, final_only=punct < no_final_punct)
        if change is None and len(tokens) == len(doc):
            yield eg
            return
        words = [doc[i].text if change is None else change(doc[i].text) for i in tokens]
        reference = copy_tokens(doc, tokens, words=words)
        yield Example(copy_text(reference, with_sentences=has_sentences(eg.predicted)), reference)

    return augment


def _without_punct(doc: Doc, *, final_only: bool) -> List[int]:
    """Indices of the tokens that stay. A sentence of punctuation alone keeps it."""
    needed = {token.head.i for token in doc if token.head.i != token.i} if doc.has_annotation("DEP") else set()
    bounds = sentence_bounds(doc) if has_sentences(doc) else [(0, len(doc))]
    kept: List[int] = []
    for start, end in bounds:
        first = _end_of_words(doc, start, end) if final_only else start
        left = [i for i in range(start, end) if i < first or i in needed or not _stands_alone(doc, i)]
        kept.extend(left or range(start, end))
    return kept


def _end_of_words(doc: Doc, start: int, end: int) -> int:
    """Index of the first token of a sentence's final punctuation."""
    while end > start and doc[end - 1].is_punct:
        end -= 1
    return end


def _stands_alone(doc: Doc, i: int) -> bool:
    """Whether a token is punctuation outside of words, unlike the hyphen in "e-mail", whose three tokens no space
    divides."""
    if not doc[i].is_punct:
        return False
    before = doc[i - 1] if i else None
    after = doc[i + 1] if i + 1 < len(doc) else None
    if before is None or after is None:
        return True
    glued = not before.whitespace_ and not doc[i].whitespace_
    return not glued or before.is_punct or after.is_punct
