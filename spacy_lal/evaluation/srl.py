"""Scores of semantic roles, as the program srl-eval.pl of CoNLL-2005 counts them, and
strictly. An argument is right if all of its parts and its role are. The predicate
itself (`V`) has counts of its own. By the rule `"conll05"`, only propositions of gold
predicates with the same lemma are compared; by `"strict"`, predicates match by their
token, and all arguments of spurious predicates are excess. Source: Carreras and Màrquez
(2005)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Literal, Optional

from spacy.scorer import PRFScore

from ..files import TreebankError
from ..trees.props import read_props
from ..trees.roles import PREDICATE_ROLE, Proposition, join_parts
from . import percent, ratio
from .confusion import LabelPairs

ANY = "*"  # a role of whatever name
Rule = Literal["strict", "conll05"]
Parts = tuple[tuple[int, int], ...]
_ROW = "{:>10}   {:6d}  {:6d}  {:6d}   {:6.2f}  {:6.2f}  {:6.2f}"
_HEADER = "              corr.  excess  missed    prec.    rec.      F1"


@dataclass
class SrlCounts:
    """Sums over sentences, under one rule.

    n_perfect: gold propositions without excess or missed arguments, V aside.
    pairs: arguments by (gold role, predicted role) of the same parts, V included; None
        for none.
    """

    rule: Rule = "strict"
    n_sentences: int = 0
    n_propositions: int = 0
    n_perfect: int = 0
    pairs: LabelPairs = field(default_factory=LabelPairs)

    def add(
        self, gold: Sequence[Proposition], predicted: Sequence[Proposition]
    ) -> None:
        """Count one sentence. Propositions may lack a V."""
        self.n_sentences += 1
        self.n_propositions += len(gold)
        unused = {proposition.token: proposition for proposition in predicted}
        for proposition in gold:
            roles: dict[Parts, str] = {}
            other = unused.get(proposition.token)
            if other and (self.rule == "strict" or other.lemma == proposition.lemma):
                roles = _roles(unused.pop(proposition.token))
            self.n_perfect += self._compare(_roles(proposition), roles)
        if self.rule == "strict":
            for spurious in unused.values():
                self._compare({}, _roles(spurious))

    def _compare(self, gold: dict[Parts, str], predicted: dict[Parts, str]) -> bool:
        """Count the pairs of roles.

        RETURNS (bool): Whether all agree, V aside.
        """
        n_wrong = 0
        for parts in {**gold, **predicted}:
            pair = gold.get(parts), predicted.get(parts)
            self.pairs[pair] += 1
            is_aside = set(pair) <= {None, PREDICATE_ROLE}
            n_wrong += pair[0] != pair[1] and not is_aside
        return not n_wrong

    def overall(self) -> PRFScore:
        """The counts of all roles but V."""
        return self.pairs.score({*self.pairs.labels()} - {PREDICATE_ROLE})

    def unlabeled(self) -> PRFScore:
        """The counts of all arguments whatever their roles. Pairs with V on a side are
        left out."""
        unlabeled = LabelPairs()
        for pair, count in self.pairs.items():
            if PREDICATE_ROLE not in pair:
                gold, predicted = (role and ANY for role in pair)
                unlabeled[gold, predicted] += count
        return unlabeled.score([ANY])

    @property
    def perfect(self) -> float:
        """Share of perfect gold propositions, 0 to 1."""
        return ratio(self.n_perfect, self.n_propositions)


@dataclass
class PredicateCounts:
    """Sums over sentences of predicates, by token, and of rolesets, by token and
    roleset; gold predicates with a roleset, and those of them that are predicted."""

    predicates: PRFScore = field(default_factory=PRFScore)
    rolesets: PRFScore = field(default_factory=PRFScore)
    n_known: int = 0
    n_matched: int = 0

    def add(
        self, gold: Sequence[Proposition], predicted: Sequence[Proposition]
    ) -> None:
        """Count one sentence. Gold predicates without a roleset do not count for
        rolesets, nor do predictions of them."""
        ours = {x.token: x.roleset for x in gold}
        theirs = {x.token: x.roleset for x in predicted}
        known = {pair for pair in ours.items() if pair[1]}
        compared = {pair for pair in theirs.items() if ours.get(pair[0]) != ""}
        self.predicates.score_set({*theirs}, {*ours})
        self.rolesets.score_set(compared, known)
        self.n_known += len(known)
        self.n_matched += len(dict(known).keys() & theirs.keys())

    @property
    def roleset_acc(self) -> float:
        """Share of right rolesets among predicates that both sides have, 0 to 1."""
        return ratio(self.rolesets.tp, self.n_matched)


def _roles(proposition: Proposition) -> dict[Parts, str]:
    """Role by parts. Arguments are disjoint, so that no two have the same parts."""
    return {joined.parts: joined.role for joined in join_parts(proposition.args)}


def score_props(gold_path: Path, predicted_path: Path) -> SrlCounts:
    """The counts of two files under the program's rule.

    RAISES (TreebankError): A file is malformed, or they differ in their sentences or in
        the words of one; with files and lines.
    """
    counts = SrlCounts("conll05")
    pairs = zip_longest(read_props(gold_path), read_props(predicted_path))
    for number, (gold, predicted) in enumerate(pairs, start=1):
        if gold is None or predicted is None:
            less = gold_path if gold is None else predicted_path
            raise TreebankError(
                f"{(gold or predicted).where}: expected as many sentences in both "
                f"files, got sentence {number} here and no more in {less}"
            )
        if gold.n_words != predicted.n_words:
            raise TreebankError(
                f"{gold.where} and {predicted.where}: expected as many words in both, "
                f"got {gold.n_words} and {predicted.n_words} (sentence {number})"
            )
        counts.add(gold.propositions, predicted.propositions)
    return counts


def report_lines(counts: SrlCounts, *, confusion: bool = False) -> Iterator[str]:
    """The program's output, line by line, without line ends.

    confusion (bool): Add the unlabelled row and the confusion matrix (`-C`).
    """
    yield f"Number of Sentences    :      {counts.n_sentences:6d}"
    yield f"Number of Propositions :      {counts.n_propositions:6d}"
    yield (
        "Percentage of perfect props : "
        f"{percent(counts.n_perfect, counts.n_propositions):6.2f}"
    )
    yield ""
    yield _HEADER
    yield "-" * 60
    yield _row("Overall", counts.overall())
    yield "-" * 10
    for name in counts.pairs.labels():
        if name != PREDICATE_ROLE:
            yield _row(name, counts.pairs.score([name]))
    yield "-" * 60
    if PREDICATE_ROLE in counts.pairs.labels():
        yield _row(PREDICATE_ROLE, counts.pairs.score([PREDICATE_ROLE]))
    yield "-" * 60
    if confusion:
        yield from _confusion_lines(counts)


def _row(name: str, score: PRFScore) -> str:
    # Percentages are computed in the program's order, since figures such as 12.345
    # round by their last bit.
    counts = (score.tp, score.fp, score.fn)
    precision = percent(score.tp, score.tp + score.fp)
    recall = percent(score.tp, score.tp + score.fn)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return _ROW.format(name, *counts, precision, recall, f1)


def _confusion_lines(counts: SrlCounts) -> Iterator[str]:
    unlabeled = counts.unlabeled()
    accuracy = percent(counts.overall().tp, unlabeled.tp)
    yield "-" * 68
    yield f"{_HEADER}    lAcc"
    yield f"{_row('Unlabeled', unlabeled)}  {accuracy:6.2f}"
    yield "-" * 68
    yield ""
    yield (
        "---- Confusion Matrix: (one row for each correct role, with the distribution "
        "of predictions)"
    )
    names: list[Optional[str]] = [None, *counts.pairs.labels()]
    yield (
        " " * 13
        + " ".join(f"{number:4d}" for number in range(-1, len(names) - 1))
        + " "
    )
    for number, gold in enumerate(names, start=-1):
        cells = " ".join(f"{counts.pairs[gold, predicted]:4d}" for predicted in names)
        yield f"{number:2d}: {gold or '-NONE-':<8} {cells} "
