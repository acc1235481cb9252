"""Attachment scores: UAS, LAS and complete matches, by a rule for punctuation. Labels
are compared as strings.

- `"reference"`: a word is punctuation by its gold tag, as Zhou & Zhao (2019) and Mrini
  et al. (2020) count: the tag lies within the string ``.``'':,`` (on Penn tags: exactly
  . , : `` ''), or is `PU`. Brackets, $ and # count.
- `"spacy"`: a word with the deprel `p` or `punct` is left out, on either side by its
  own deprel; UAS and LAS are F1 scores, as in `spacy.scorer.Scorer.score_deps`.
- `"none"`: every word counts.
"""

from collections.abc import Container, Sequence
from dataclasses import astuple, dataclass
from typing import Literal, Optional

from ..lang import DEFAULT_LANGUAGE, conventions
from . import ratio

PunctuationRule = Literal["reference", "spacy", "none"]

# In the authors' evaluation, of English treebanks.
PUNCTUATION_TAGS = conventions(DEFAULT_LANGUAGE).punctuation_tags
_SPACY_DEPRELS = frozenset(("p", "punct"))


@dataclass
class AttachmentCounts:
    """Sums over sentences, which add up. Words that count on each side differ only
    under the rule "spacy"; complete heads and arcs are sentences in which all words
    that count have the right head, or head and deprel."""

    n_sentences: int = 0
    gold_words: int = 0
    predicted_words: int = 0
    correct_heads: int = 0
    correct_arcs: int = 0
    complete_heads: int = 0
    complete_arcs: int = 0

    def __add__(self, other: "AttachmentCounts") -> "AttachmentCounts":
        return AttachmentCounts(
            *(a + b for a, b in zip(astuple(self), astuple(other), strict=True))
        )

    def scores(self) -> dict[str, float]:
        """Unlabelled and labelled attachment, and the shares of sentences whose heads,
        or heads and deprels, are all right; 0 to 1."""
        words = self.gold_words + self.predicted_words
        return {
            "dep_uas": ratio(2 * self.correct_heads, words),
            "dep_las": ratio(2 * self.correct_arcs, words),
            "dep_ucm": ratio(self.complete_heads, self.n_sentences),
            "dep_lcm": ratio(self.complete_arcs, self.n_sentences),
        }


def is_reference_punctuation(
    tag: str, punctuation_tags: Container[str] = PUNCTUATION_TAGS
) -> bool:
    """Whether the reference leaves out a word with this tag. A missing tag is not
    punctuation (in the reference's test, the empty string lies within every string)."""
    return bool(tag) and (tag in punctuation_tags or tag == "PU")


def score_attachments(
    gold_heads: Sequence[int],
    gold_deprels: Sequence[Optional[str]],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    punctuation: PunctuationRule,
    tags: Optional[Sequence[str]] = None,
    punctuation_tags: Container[str] = PUNCTUATION_TAGS,
) -> AttachmentCounts:
    """Compare the dependencies of one sentence of n words; heads in any numbering that
    both sides share. A negative gold head, and a gold deprel of None or "", are
    missing: the word is left out.

    tags: Gold fine-grained tags, needed by "reference".
    punctuation_tags: Of the language's `spacy_lal.lang.conventions`.
    """
    counts = AttachmentCounts(n_sentences=1)
    tags = tags if tags is not None else [""] * len(heads)
    for gold_head, gold_deprel, head, deprel, tag in zip(
        gold_heads, gold_deprels, heads, deprels, tags, strict=True
    ):
        if gold_head < 0 or not gold_deprel:
            continue
        gold_counts = predicted_counts = True
        if punctuation == "spacy":
            gold_counts = gold_deprel not in _SPACY_DEPRELS
            predicted_counts = deprel not in _SPACY_DEPRELS
        elif punctuation == "reference":
            gold_counts = predicted_counts = not is_reference_punctuation(
                tag, punctuation_tags
            )
        counts.gold_words += gold_counts
        counts.predicted_words += predicted_counts
        if gold_counts and predicted_counts and head == gold_head:
            counts.correct_heads += 1
            counts.correct_arcs += deprel == gold_deprel
    words = max(counts.gold_words, counts.predicted_words)
    counts.complete_heads = int(counts.correct_heads == words)
    counts.complete_arcs = int(counts.correct_arcs == words)
    return counts
