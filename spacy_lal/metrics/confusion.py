"""Confusion counts by label, of constituents and of dependencies. No spaCy, no files.

Labels are compared exactly: ADVP and PRT, which EVALB treats as equal, are two labels here. Otherwise the same
constituents count as in EVALB, so that sums over labels differ only for these two.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence, Tuple

from spacy_lal.metrics.evalb import Span, scored_brackets
from spacy_lal.metrics.evalb_params import COLLINS, EvalbParams
from spacy_lal.metrics.evalb_sentence import Parse, as_sentence

Confusion = Tuple[str, str, int]  # gold label, predicted label, how often


@dataclass
class ConstituentConfusion:
    """Constituents by label.

    gold, predicted, correct (Counter[str]): Number of constituents on each side, and on both.
    confused (Counter[Tuple[str, str]]): Constituents of the right words under another label, by gold and predicted
        label. In a unary chain, correct labels are removed first; the rest is paired from the outside in.
    """

    gold: "Counter[str]" = field(default_factory=Counter)
    predicted: "Counter[str]" = field(default_factory=Counter)
    correct: "Counter[str]" = field(default_factory=Counter)
    confused: "Counter[Tuple[str, str]]" = field(default_factory=Counter)

    def add(self, gold: Parse, test: Parse, params: EvalbParams = COLLINS) -> None:
        """Count one sentence.

        gold, test (Parse): Parses of the same words, as `evalb.score_sentence` takes them.
        params (EvalbParams): Which words and brackets do not count.
        RAISES (ValueError): The numbers of words that count differ.
        """
        gold, test = as_sentence(gold, params), as_sentence(test, params)
        if len(gold.words) != len(test.words):
            raise ValueError(f"expected parses of the same words, got {len(gold.words)} and {len(test.words)} words")
        gold_labels, test_labels = _by_span(gold, params), _by_span(test, params)
        for span in {**gold_labels, **test_labels}:
            ours, theirs = gold_labels.get(span, []), test_labels.get(span, [])
            self.gold.update(ours)
            self.predicted.update(theirs)
            correct = Counter(ours) & Counter(theirs)
            self.correct.update(correct)
            self.confused.update(zip(_without(ours, correct), _without(theirs, correct), strict=False))

    def labels(self) -> Dict[str, Dict[str, Any]]:
        """Figures for each label, the most frequent first: `gold`, `predicted`, `correct`; precision, recall, F1 as
        `p`, `r`, `f` (0 to 1, None if the divisor is 0). `confused` counts gold constituents of this label whose words
        have another label."""
        confused = _sums(self.confused)
        return {
            label: {
                **_precision_recall(self.gold[label], self.predicted[label], self.correct[label]),
                "confused": confused[label],
            }
            for label in _labels(self.gold, self.predicted)
        }

    def confusions(self, top: Optional[int] = None) -> List[Confusion]:
        """The `top` most frequent confusions; all unless given."""
        return _most_common(self.confused, top)


@dataclass
class DeprelConfusion:
    """Words by deprel.

    gold, predicted (Counter[str]): Number of words with the deprel on each side.
    correct_heads, correct (Counter[str]): Words of this gold deprel with the right head; with the right head and
        deprel.
    confused (Counter[Tuple[str, str]]): Wrong deprels by gold and predicted one, whatever the head.
    """

    gold: "Counter[str]" = field(default_factory=Counter)
    predicted: "Counter[str]" = field(default_factory=Counter)
    correct_heads: "Counter[str]" = field(default_factory=Counter)
    correct: "Counter[str]" = field(default_factory=Counter)
    confused: "Counter[Tuple[str, str]]" = field(default_factory=Counter)

    def add(
        self,
        gold_heads: Sequence[int],
        gold_deprels: Sequence[Optional[str]],
        heads: Sequence[int],
        deprels: Sequence[str],
    ) -> None:
        """Count one sentence. Arguments as for `attachment.score_attachments`: a negative gold head or a missing gold
        deprel leaves the word out. Punctuation counts. Shape of each: (n,)."""
        for gold_head, gold_deprel, head, deprel in zip(gold_heads, gold_deprels, heads, deprels, strict=True):
            if gold_head < 0 or not gold_deprel:
                continue
            self.gold[gold_deprel] += 1
            self.predicted[deprel] += 1
            self.correct_heads[gold_deprel] += head == gold_head
            self.correct[gold_deprel] += head == gold_head and deprel == gold_deprel
            if deprel != gold_deprel:
                self.confused[gold_deprel, deprel] += 1

    def labels(self) -> Dict[str, Dict[str, Any]]:
        """Figures for each deprel, the most frequent first: `gold`, `predicted`, `correct` (head and deprel), and its
        `p`, `r`, `f`. `head_acc` is the share of its words with the right head; `deprel_acc` the share of right deprels
        among them. Shares are 0 to 1, None if the divisor is 0."""
        return {
            deprel: {
                **_precision_recall(self.gold[deprel], self.predicted[deprel], self.correct[deprel]),
                "head_acc": _ratio(self.correct_heads[deprel], self.gold[deprel]),
                "deprel_acc": _ratio(self.correct[deprel], self.correct_heads[deprel]),
            }
            for deprel in _labels(self.gold, self.predicted)
        }

    def confusions(self, top: Optional[int] = None) -> List[Confusion]:
        """The `top` most frequent confusions; all unless given."""
        return _most_common(self.confused, top)


def _by_span(parse: Any, params: EvalbParams) -> Dict[Span, List[str]]:
    by_span: Dict[Span, List[str]] = {}
    for span, label in scored_brackets(parse, params):
        by_span.setdefault(span, []).append(label)
    return by_span


def _without(labels: List[str], taken: "Counter[str]") -> List[str]:
    left, remaining = Counter(taken), []
    for label in labels:
        if left[label]:
            left[label] -= 1
        else:
            remaining.append(label)
    return remaining


def _labels(gold: "Counter[str]", predicted: "Counter[str]") -> List[str]:
    return sorted({*gold, *predicted}, key=lambda label: (-gold[label], -predicted[label], label))


def _sums(confused: "Counter[Tuple[str, str]]") -> "Counter[str]":
    sums: Counter[str] = Counter()
    for (gold, _), count in confused.items():
        sums[gold] += count
    return sums


def _most_common(confused: "Counter[Tuple[str, str]]", top: Optional[int]) -> List[Confusion]:
    rows = sorted(confused.items(), key=lambda item: (-item[1], item[0]))
    return [(gold, predicted, count) for (gold, predicted), count in rows[:top]]


def _precision_recall(gold: int, predicted: int, correct: int) -> Dict[str, Any]:
    return {
        **{"gold": gold, "predicted": predicted, "correct": correct},
        **{"p": _ratio(correct, predicted), "r": _ratio(correct, gold), "f": _ratio(2 * correct, gold + predicted)},
    }


def _ratio(part: int, whole: int) -> Optional[float]:
    return part / whole if whole else None
