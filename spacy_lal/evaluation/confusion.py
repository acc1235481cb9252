"""Confusion counts by label, of constituents and of dependencies. Labels are compared
exactly: ADVP and PRT, which EVALB treats as equal, are two labels here. Otherwise the
same constituents count as in EVALB."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Optional

from ..trees import Parse
from .evalb import AnyParse, Place, as_sentence, labels_by_place, scored_brackets
from .evalb_params import COLLINS, EvalbParams

MOST_CONFUSIONS = 30


class _LabelCounts:
    """Counts by label.

    gold, predicted, correct (Counter[str]): The label on each side, and on both.
    confused (Counter): Wrong labels, by the gold and the predicted one.
    """

    def __init__(self) -> None:
        self.gold: Counter[str] = Counter()
        self.predicted: Counter[str] = Counter()
        self.correct: Counter[str] = Counter()
        self.confused: Counter[tuple[str, str]] = Counter()

    def confusions(self) -> list[tuple[str, str, int]]:
        """The most frequent confusions: gold label, predicted label, how often."""
        rows = sorted(self.confused.items(), key=lambda item: (-item[1], item[0]))
        return [
            (gold, predicted, count)
            for (gold, predicted), count in rows[:MOST_CONFUSIONS]
        ]

    def labels(self) -> dict[str, dict[str, Any]]:
        """Figures for each label, the most frequent first: `gold`, `predicted`,
        `correct`; precision, recall, F1 as `p`, `r`, `f` (0 to 1, None if the divisor
        is 0)."""
        names = sorted(
            {*self.gold, *self.predicted},
            key=lambda name: (-self.gold[name], -self.predicted[name], name),
        )
        figures = {}
        for name in names:
            gold = self.gold[name]
            predicted = self.predicted[name]
            correct = self.correct[name]
            figures[name] = {
                "gold": gold,
                "predicted": predicted,
                "correct": correct,
                "p": _share(correct, predicted),
                "r": _share(correct, gold),
                "f": _share(2 * correct, gold + predicted),
            }
        return figures


class ConstituentConfusion(_LabelCounts):
    """Constituents by label; a confused one has the right words. In a unary chain,
    correct labels are removed first; the rest is paired from the outside in."""

    def add(
        self, gold: AnyParse, test: AnyParse, params: EvalbParams = COLLINS
    ) -> None:
        """Count one sentence: parses of the same words, as `evalb.score_sentence` takes
        them."""
        gold_labels = _labels(gold, params)
        test_labels = _labels(test, params)
        for span in {**gold_labels, **test_labels}:
            ours = gold_labels.get(span, [])
            theirs = test_labels.get(span, [])
            self.gold.update(ours)
            self.predicted.update(theirs)
            for label in (Counter(ours) & Counter(theirs)).elements():
                self.correct[label] += 1
                ours.remove(label)
                theirs.remove(label)
            self.confused.update(zip(ours, theirs, strict=False))

    def labels(self) -> dict[str, dict[str, Any]]:
        """As above; `confused` counts gold constituents of this label whose words have
        another label."""
        figures = super().labels()
        for label in figures:
            figures[label]["confused"] = sum(
                n for (gold, _), n in self.confused.items() if gold == label
            )
        return figures


class DeprelConfusion(_LabelCounts):
    """Words by deprel; a correct one has the right head, too. Confusions count whatever
    the head."""

    def __init__(self) -> None:
        super().__init__()
        self.correct_heads: Counter[str] = Counter()

    def add(self, gold: Parse, predicted: Parse) -> None:
        """Count one sentence; words without gold deprel do not count, punctuation
        does."""
        pairs = zip(_arcs(gold), _arcs(predicted), strict=True)
        for (gold_head, gold_deprel), (head, deprel) in pairs:
            if not gold_deprel:
                continue
            self.gold[gold_deprel] += 1
            self.predicted[deprel] += 1
            is_head = head == gold_head
            self.correct_heads[gold_deprel] += is_head
            if deprel == gold_deprel:
                self.correct[gold_deprel] += is_head
            else:
                self.confused[gold_deprel, deprel] += 1

    def labels(self) -> dict[str, dict[str, Any]]:
        """As above; `head_acc` is the share of its words with the right head,
        `deprel_acc` that of right deprels among them."""
        figures = super().labels()
        for deprel, row in figures.items():
            row["head_acc"] = _share(self.correct_heads[deprel], self.gold[deprel])
            row["deprel_acc"] = _share(self.correct[deprel], self.correct_heads[deprel])
        return figures


def _arcs(parse: Parse) -> Iterator[tuple[Optional[int], str]]:
    heads = parse.heads or [None] * len(parse.words)
    return zip(heads, parse.deprels, strict=True)


def _labels(parse: AnyParse, params: EvalbParams) -> dict[Place, list[str]]:
    brackets = as_sentence(parse, params).brackets
    return labels_by_place(scored_brackets(brackets, params))


def _share(part: int, whole: int) -> Optional[float]:
    return part / whole if whole else None
