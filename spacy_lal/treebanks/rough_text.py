"""Training text made rough: in one case, without punctuation, as people type it and as speech is transcribed.

Registered as an augmenter; spaCy's own (`spacy.lower_case.v1`) tokenizes anew, and so loses gold tokens and sentences.
"""

import random
from typing import Callable, Iterator, List, Sequence

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import has_sentences, same_tokens, sentence_bounds
from .copies import copy_text, copy_tokens


def make_rough_text(
    lower_case: float = 0.15, upper_case: float = 0.05, no_final_punct: float = 0.1, no_punct: float = 0.1
) -> Callable[[Language, Example], Iterator[Example]]:
    """Registered as `spacy-lal.rough_text.v1`: an augmenter for `TreebankCorpus`, and any corpus of gold tokens.

    Of each Example one is made. Whether its words are changed, and whether punctuation is left out, is drawn for a Doc
    as a whole, each by itself: who writes without capitals does so throughout. Tags, constituents, heads and sentences
    are those of the tokens that are left. An Example whose predicted tokens are not the reference's stays as it is.

    lower_case, upper_case (float): Probability that all words are in lower case, or in capitals.
    no_final_punct (float): Probability that sentences end without their last punctuation.
    no_punct (float): Probability that punctuation is left out everywhere, but for hyphens and the like within words,
        what others depend on, and sentences of nothing else.
    RAISES (ValueError): Where a probability, or the sum of the first two or the last two, is not from 0 to 1.
    """
    for name, levels in [("case", (lower_case, upper_case)), ("punctuation", (no_final_punct, no_punct))]:
        if not (levels[0] >= 0 and levels[1] >= 0 and sum(levels) <= 1):
            raise ValueError(f"expected probabilities of {name} from 0 to 1 in sum, got {levels[0]} and {levels[1]}")

    def augment(nlp: Language, eg: Example) -> Iterator[Example]:
        case, punct = random.random(), random.random()  # both for every Doc: what is drawn next does not depend on it
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
    """Indices of the tokens that stay. A sentence keeps its punctuation where it would lose all of its words."""
    needed = {token.head.i for token in doc if token.head.i != token.i} if doc.has_annotation("DEP") else set()
    bounds = sentence_bounds(doc) if has_sentences(doc) else [(0, len(doc))]
    kept: List[int] = []
    for start, end in bounds:
        first = _end_of_words(doc, start, end) if final_only else start
        left = [i for i in range(start, end) if i < first or i in needed or not _stands_alone(doc, i)]
        kept.extend(left or range(start, end))
    return kept


def _end_of_words(doc: Doc, start: int, end: int) -> int:
    """Where the punctuation at the end of a sentence begins."""
    while end > start and doc[end - 1].is_punct:
        end -= 1
    return end


def _stands_alone(doc: Doc, i: int) -> bool:
    """Whether a token is punctuation but not a part of a word, as in "e-mail", whose three tokens no space divides."""
    if not doc[i].is_punct:
        return False
    before = doc[i - 1] if i else None
    after = doc[i + 1] if i + 1 < len(doc) else None
    if before is None or after is None:
        return True
    glued = not before.whitespace_ and not doc[i].whitespace_
    return not glued or before.is_punct or after.is_punct
