"""Which labels are taken for which: of constituents, deprels and roles. Labels are
compared exactly: ADVP and PRT, which EVALB treats as equal, are two labels here.
Otherwise the same constituents count as in EVALB."""

from collections import Counter
from collections.abc import Container
from itertools import zip_longest
from typing import Any, Optional

from spacy.scorer import PRFScore

from .evalb import AnyParse, as_sentence, labels_by_place, scored_brackets
from .evalb_params import COLLINS, EvalbParams

MOST_CONFUSIONS = 30


class LabelPairs(Counter[tuple[Optional[str], Optional[str]]]):
    """How often a gold label and a predicted one are of the same thing; None is
    none."""

    def labels(self) -> list[str]:
        """All labels of either side, in code-point order."""
        return sorted({label for pair in self for label in pair if label is not None})

    def score(self, labels: Container[Optional[str]]) -> PRFScore:
        """The counts of things with some labels."""
        right = gold = predicted = 0
        for (ours, theirs), count in self.items():
            gold += count * (ours in labels)
            predicted += count * (theirs in labels)
            right += count * (ours == theirs and ours in labels)
        return PRFScore(tp=right, fp=predicted - right, fn=gold - right)

    def confusions(self) -> list[tuple[Optional[str], Optional[str], int]]:
        """The most frequent confusions: gold label, predicted label, how often."""
        rows = [
            (*pair, count)
            for pair, count in self.items()
            if pair[0] != pair[1] and None not in pair
        ]
        return sorted(rows, key=lambda row: (-row[2], row))[:MOST_CONFUSIONS]

    def table(self) -> dict[str, dict[str, Any]]:
        """Figures for each label, the most frequent first: `gold`, `predicted`,
        `correct`; precision, recall, F1 as `p`, `r`, `f` (0 to 1)."""
        rows = {}
        for label in self.labels():
            score = self.score([label])
            counts = {"gold": score.tp + score.fn, "predicted": score.tp + score.fp}
            rows[label] = {**counts, "correct": score.tp, **score.to_dict()}
        return dict(sorted(rows.items(), key=lambda row: -row[1]["gold"]))


def constituent_pairs(
    gold: AnyParse, test: AnyParse, params: EvalbParams = COLLINS
) -> LabelPairs:
    """The labels of constituents over the same words in two parses of a sentence, as
    `evalb.score_sentence` takes them. In a unary chain, correct labels are paired
    first, the others from the outside in."""
    gold_labels, test_labels = (
        labels_by_place(scored_brackets(as_sentence(side, params).brackets, params))
        for side in (gold, test)
    )
    pairs = LabelPairs()
    for place in {**gold_labels, **test_labels}:
        ours = gold_labels.get(place, [])
        theirs = test_labels.get(place, [])
        for label in (Counter(ours) & Counter(theirs)).elements():
            pairs[label, label] += 1
            ours.remove(label)
            theirs.remove(label)
        pairs.update(zip_longest(ours, theirs))
    return pairs
