"""Attachment scores: UAS, LAS and complete matches. The rule for punctuation is always named, since it changes scores
by half a point. Labels are compared as strings.

- `"reference"`: a word is punctuation by its gold tag, as Zhou & Zhao (2019) and Mrini et al. (2020) count: the tag
  lies within the string ``.``'':,`` (on Penn tags: exactly . , : `` ''), or is `PU`. Brackets, $ and # count. Other
  languages have other tags (`spacy_lal.lang`).
- `"spacy"`: a word with the deprel `p` or `punct` is left out, on either side by its own deprel; UAS and LAS are F1
  scores, as in `spacy.scorer.Scorer.score_deps`.
- `"none"`: every word counts.
"""

from dataclasses import astuple, dataclass
from typing import Container, Dict, Literal, Optional, Sequence, get_args

from spacy_lal.lang import conventions

PunctuationRule = Literal["reference", "spacy", "none"]

_SPACY_DEPRELS = frozenset(("p", "punct"))


@dataclass
class AttachmentCounts:
    """Sums over sentences. They add up: `a + b` is the count of both sets together.

    n_sentences (int): Sentences seen.
    gold_words, predicted_words (int): Words that count on each side; they differ only under the rule "spacy".
    correct_heads, correct_arcs (int): Words with the right head; with the right head and deprel.
    complete_heads, complete_arcs (int): Sentences in which all words that count have the right head; head and deprel.
    """

    n_sentences: int = 0
    gold_words: int = 0
    predicted_words: int = 0
    correct_heads: int = 0
    correct_arcs: int = 0
    complete_heads: int = 0
    complete_arcs: int = 0

    def __add__(self, other: "AttachmentCounts") -> "AttachmentCounts":
        return AttachmentCounts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def dep_uas(self) -> float:
        """Unlabelled attachment score, 0 to 1; 0 if the divisor is 0."""
        return _ratio(2 * self.correct_heads, self.gold_words + self.predicted_words)

    @property
    def dep_las(self) -> float:
        """Labelled attachment score, 0 to 1."""
        return _ratio(2 * self.correct_arcs, self.gold_words + self.predicted_words)

    @property
    def dep_ucm(self) -> float:
        """Share of sentences whose heads are all right, 0 to 1."""
        return _ratio(self.complete_heads, self.n_sentences)

    @property
    def dep_lcm(self) -> float:
        """Share of sentences whose heads and deprels are all right, 0 to 1."""
        return _ratio(self.complete_arcs, self.n_sentences)

    def scores(self) -> Dict[str, float]:
        """All scores by name."""
        return {name: getattr(self, name) for name in ("dep_uas", "dep_las", "dep_ucm", "dep_lcm")}

    def signature(self, punctuation: PunctuationRule) -> str:
        """The conditions under which two numbers can be compared."""
        return f"attachment|punct:{punctuation}|sents:{self.n_sentences}|words:{self.gold_words}"


def is_reference_punctuation(tag: str, punctuation_tags: Container[str] = conventions("en").punctuation_tags) -> bool:
    """Whether the reference leaves out a word with this tag. A missing tag is not punctuation (in the reference's test,
    the empty string lies within every string).

    punctuation_tags (Container[str]): of the language's `spacy_lal.lang.conventions`.
    """
    return bool(tag) and (tag in punctuation_tags or tag == "PU")


def score_attachments(
    gold_heads: Sequence[int],
    gold_deprels: Sequence[Optional[str]],
    heads: Sequence[int],
    deprels: Sequence[str],
    *,
    punctuation: PunctuationRule,
    tags: Optional[Sequence[str]] = None,
    punctuation_tags: Container[str] = conventions("en").punctuation_tags,
) -> AttachmentCounts:
    """Compare the dependencies of one sentence. Heads may be in any numbering that both sides share.

    gold_heads, heads (Sequence[int]): The head of each word. A negative gold head is missing: the word is left out.
        Shape: (n,).
    gold_deprels, deprels (Sequence[str]): Their labels; a gold deprel of None or "" leaves the word out. Shape: (n,).
    punctuation (PunctuationRule): "reference", "spacy" or "none".
    tags (Optional[Sequence[str]]): Gold fine-grained tags, needed by "reference". Shape: (n,).
    punctuation_tags (Container[str]): As in `is_reference_punctuation`.
    RETURNS (AttachmentCounts): The counts of this sentence.
    RAISES (ValueError): Unequal lengths, an unknown rule, or "reference" without tags.
    """
    n = len(gold_heads)
    if not n == len(gold_deprels) == len(heads) == len(deprels):
        lengths = (n, len(gold_deprels), len(heads), len(deprels))
        raise ValueError(f"expected heads and deprels of one length, got {lengths}")
    if punctuation not in get_args(PunctuationRule):
        raise ValueError(f"expected a punctuation rule of {get_args(PunctuationRule)}, got {punctuation!r}")
    if punctuation == "reference":
        if tags is None or len(tags) != n:
            raise ValueError(f"the punctuation rule 'reference' needs {n} tags, got {tags!r}")
        words_count = [not is_reference_punctuation(tag, punctuation_tags) for tag in tags]
    else:
        words_count = [True] * n
    counts = AttachmentCounts(n_sentences=1)
    for i in range(n):
        if gold_heads[i] < 0 or not gold_deprels[i]:
            continue
        gold_counts = predicted_counts = words_count[i]
        if punctuation == "spacy":
            gold_counts = gold_deprels[i] not in _SPACY_DEPRELS
            predicted_counts = deprels[i] not in _SPACY_DEPRELS
        counts.gold_words += gold_counts
        counts.predicted_words += predicted_counts
        if gold_counts and predicted_counts and heads[i] == gold_heads[i]:
            counts.correct_heads += 1
            counts.correct_arcs += deprels[i] == gold_deprels[i]
    words = max(counts.gold_words, counts.predicted_words)
    counts.complete_heads = int(counts.correct_heads == words)
    counts.complete_arcs = int(counts.correct_arcs == words)
    return counts


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
