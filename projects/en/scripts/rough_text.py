"""Rough training text: in one case or without punctuation, like typed messages and
transcribed speech.

spaCy's own (`spacy.lower_case.v1`) retokenizes, and so loses gold tokens and sentences.
"""

import random
from typing import Callable, Iterator, List, Sequence, Tuple, Union

import numpy as np
from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from spacy_lal.annotations import (
    SPANS_KEY,
    constituent_tokens,
    get_propositions,
    has_propositions,
    has_sentences,
    same_tokens,
    sentence_bounds,
    set_propositions,
    set_sentence_starts,
)
from spacy_lal.treebanks.docs import copy_text
from spacy_lal.trees.roles import PREDICATE_ROLE, Proposition

COPIED = (
    "NORM",
    "TAG",
    "POS",
    "LEMMA",
    "MORPH",
    "ENT_IOB",
    "ENT_TYPE",
    "ENT_KB_ID",
    "ENT_ID",
)


@registry.augmenters("spacy-lal.rough_text.v1")
def make_rough_text(
    lower_case: float = 0.15,
    upper_case: float = 0.05,
    no_final_punct: float = 0.1,
    no_punct: float = 0.1,
) -> Callable[[Language, Example], Iterator[Example]]:
    """Registered as `spacy-lal.rough_text.v1`: an augmenter for `TreebankCorpus`, and
    any corpus of gold tokens.

    Each Example gives one Example. Case and punctuation are drawn independently, each
    for a whole Doc: authors who write without capitals do so throughout. The remaining
    tokens keep their tags, constituents, heads and sentences. An Example whose
    predicted tokens differ from the reference's is left unchanged.

    lower_case, upper_case (float): Probability that all words are in lower case, or in
    capitals.
    no_final_punct (float): Probability that sentences end without their last
        punctuation.
    no_punct (float): Probability that all punctuation is left out, except within words
        (hyphens and the like), with dependents, or in sentences of punctuation alone.
    RAISES (ValueError): A probability, or the sum of the first two or the last two, is
    not from 0 to 1."""
    for name, levels in [
        ("case", (lower_case, upper_case)),
        ("punctuation", (no_final_punct, no_punct)),
    ]:
        if not (levels[0] >= 0 and levels[1] >= 0 and sum(levels) <= 1):
            raise ValueError(
                f"expected probabilities of {name} from 0 to 1 in sum, got "
                f"{levels[0]} and {levels[1]}"
            )

    def augment(nlp: Language, eg: Example) -> Iterator[Example]:
        case, punct = (
            random.random(),
            random.random(),
        )  # both for every Doc, so that later draws do not depend on it
        doc = eg.reference
        if not same_tokens(eg.predicted, doc):
            yield eg
            return
        change = (
            str.lower
            if case < lower_case
            else str.upper
            if case < lower_case + upper_case
            else None
        )
        tokens: Sequence[int] = range(len(doc))
        if punct < no_final_punct + no_punct:
            tokens = _without_punct(doc, final_only=punct < no_final_punct)
        if change is None and len(tokens) == len(doc):
            yield eg
            return
        words = [doc[i].text if change is None else change(doc[i].text) for i in tokens]
        reference = copy_tokens(doc, tokens, words)
        yield Example(
            copy_text(reference, with_sentences=has_sentences(eg.predicted)), reference
        )

    return augment


def _without_punct(doc: Doc, *, final_only: bool) -> List[int]:
    """Indices of the tokens that stay. A sentence of punctuation alone keeps it."""
    needed = (
        {token.head.i for token in doc if token.head.i != token.i}
        if doc.has_annotation("DEP")
        else set()
    )
    bounds = sentence_bounds(doc) if has_sentences(doc) else [(0, len(doc))]
    kept: List[int] = []
    for start, end in bounds:
        first = _end_of_words(doc, start, end) if final_only else start
        left = [
            i
            for i in range(start, end)
            if i < first or i in needed or not _stands_alone(doc, i)
        ]
        kept.extend(left or range(start, end))
    return kept


def _end_of_words(doc: Doc, start: int, end: int) -> int:
    """Index of the first token of a sentence's final punctuation."""
    while end > start and doc[end - 1].is_punct:
        end -= 1
    return end


def _stands_alone(doc: Doc, i: int) -> bool:
    """Whether a token is punctuation outside of words, unlike the hyphen in "e-mail",
    whose three tokens no space divides."""
    if not doc[i].is_punct:
        return False
    before = doc[i - 1] if i else None
    after = doc[i + 1] if i + 1 < len(doc) else None
    if before is None or after is None:
        return True
    glued = not before.whitespace_ and not doc[i].whitespace_
    return not glued or before.is_punct or after.is_punct


def copy_tokens(doc: Doc, tokens: Sequence[int], words: Sequence[str]) -> Doc:
    """Tokens of a gold Doc as a Doc, with their tags, constituents, sentences, heads,
    deprels and roles.

    A constituent or an argument keeps its remaining tokens. It is dropped if no token
    remains, or if a constituent around it has the same label and the same remaining
    tokens. A predicate is dropped with its token.

    doc (Doc): Left unchanged.
    tokens (Sequence[int]): Indices in the Doc, ascending.
    words (Sequence[str]): Replacement words, one for each token.
    RAISES (KeyError): A token is copied without its head.
    """
    spaces = None if doc.has_unknown_spaces else _spaces(doc, tokens)
    copied = Doc(doc.vocab, words=list(words), spaces=spaces)
    attrs: List[Union[int, str]] = [*COPIED]
    array = doc.to_array(attrs)[list(tokens)]
    if doc.has_annotation("DEP"):
        attrs.extend(("HEAD", "DEP"))
        array = np.hstack([array, _copied_arcs(doc, tokens)])
    copied.from_array(attrs, array)  # type: ignore[arg-type]  # spaCy's stubs say int
    n_before = np.searchsorted(
        tokens, np.arange(len(doc) + 1)
    )  # for each token, the number of copied tokens before it
    if has_sentences(doc):
        starts = {
            int(n_before[start])
            for start, end in sentence_bounds(doc)
            if n_before[start] < n_before[end]
        }
        set_sentence_starts(copied, sorted(starts))
    if SPANS_KEY in doc.spans:
        spans = [
            Span(copied, start, end, label=label)
            for start, end, label in _constituents(doc, n_before.tolist())
        ]
        copied.spans[SPANS_KEY] = SpanGroup(copied, name=SPANS_KEY, spans=spans)
    if has_propositions(doc):
        set_propositions(copied, _propositions(doc, tokens, n_before.tolist()))
    return copied


def _spaces(doc: Doc, tokens: Sequence[int]) -> List[bool]:
    """Whether a space follows each token, directly or after tokens that are left
    out."""
    ends = [*tokens[1:], tokens[-1] + 1] if tokens else []
    return [
        any(doc[i].whitespace_ for i in range(token, end))
        for token, end in zip(tokens, ends, strict=True)
    ]


def _copied_arcs(doc: Doc, tokens: Sequence[int]) -> np.ndarray:
    """HEAD and DEP of the tokens, as `Doc.from_array` expects them. *Shape:* (n_tokens,
    2)."""
    array = doc.to_array(["HEAD", "DEP"])[list(tokens)]
    position = {token: i for i, token in enumerate(tokens)}
    for i, token in enumerate(tokens):
        array[i, 0] = np.int64(position[doc[token].head.i] - i).astype(np.uint64)
    return array


def _propositions(
    doc: Doc, tokens: Sequence[int], n_before: Sequence[int]
) -> List[Proposition]:
    kept, found = set(tokens), []
    for token, roleset, args, lemma in get_propositions(doc):
        ranges = [(n_before[start], n_before[end], role) for start, end, role in args]
        ranges = [one for one in ranges if one[0] < one[1]]
        if token in kept and any(role == PREDICATE_ROLE for _, _, role in ranges):
            found.append(Proposition(n_before[token], roleset, tuple(ranges), lemma))
    return found


def _constituents(doc: Doc, n_before: Sequence[int]) -> List[Tuple[int, int, str]]:
    constituents: List[Tuple[int, int, str]] = []
    last_length = 0
    for start, end, label in constituent_tokens(doc):
        constituent = (n_before[start], n_before[end], label)
        if constituent[0] == constituent[1]:
            continue
        was_shorter = (
            end - start < last_length
        )  # False in a unary chain of the treebank
        if not (was_shorter and constituents[-1] == constituent):
            constituents.append(constituent)
            last_length = end - start
    return constituents
