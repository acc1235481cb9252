"""Scores of semantic roles, as the program srl-eval.pl of CoNLL-2005 counts them, and strictly.

Arguments are compared with all of their parts: an argument is right if its parts and its role are. The predicate itself
(`V`) has counts of its own. Two rules say which propositions are compared:

- `"conll05"`, the program's: only propositions of gold predicates, and only if the lemmas are the same. Arguments of
  spurious predicates cost nothing.
- `"strict"`: predicates match by their token, and all arguments of spurious predicates are excess. With gold
predicates, both rules give the same figures.

Specification: Carreras and Màrquez (2005). *Not* here: text (`srl_report.py`).
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Dict, Iterable, List, Literal, NamedTuple, Optional, Sequence, Tuple, get_args

from spacy_lal.trees.roles import PREDICATE_ROLE, Proposition, join_parts

Rule = Literal["strict", "conll05"]
Parts = Tuple[Tuple[int, int], ...]


class PRF(NamedTuple):
    """Counts of right, excess and missed arguments."""

    ok: int = 0
    excess: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """Share of right ones among the predicted, 0 to 1; 0 if none is predicted."""
        return _ratio(self.ok, self.ok + self.excess)

    @property
    def recall(self) -> float:
        """Share of right ones among the gold, 0 to 1; 0 if none is gold."""
        return _ratio(self.ok, self.ok + self.missed)

    @property
    def f(self) -> float:
        """F1, 0 to 1."""
        p, r = self.precision, self.recall
        return 2 * p * r / (p + r) if p + r else 0.0

    def plus(self, other: "PRF") -> "PRF":
        """The counts of both sets together."""
        return PRF(self.ok + other.ok, self.excess + other.excess, self.missed + other.missed)


@dataclass
class SrlCounts:
    """Sums over sentences, under one rule.

    n_sentences, n_propositions (int): Sentences; gold propositions.
    n_perfect (int): Gold propositions without excess or missed arguments, V aside. A gold predicate without arguments
        is perfect even if it was not predicted.
    pairs (Counter): Number of arguments by (gold role, predicted role), V included. Both are of the same parts; one is
        None where the other side has no argument of the same parts.
    """

    rule: Rule = "strict"
    n_sentences: int = 0
    n_propositions: int = 0
    n_perfect: int = 0
    pairs: "Counter[Tuple[Optional[str], Optional[str]]]" = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.rule not in get_args(Rule):
            raise ValueError(f"expected a rule of {get_args(Rule)}, got {self.rule!r}")

    def add(self, gold: Sequence[Proposition], predicted: Sequence[Proposition]) -> None:
        """Count one sentence. Propositions may lack a V."""
        self.n_sentences += 1
        self.n_propositions += len(gold)
        unused = {one.token: one for one in predicted}
        for proposition in gold:
            found = unused.get(proposition.token)
            if found is not None and self.rule == "conll05" and found.lemma != proposition.lemma:
                found = None
            if found is not None:
                del unused[proposition.token]
            self.n_perfect += self._compare(_roles(proposition), _roles(found) if found else {})
        if self.rule == "strict":
            for spurious in unused.values():
                self._compare({}, _roles(spurious))

    def _compare(self, gold: Dict[Parts, str], predicted: Dict[Parts, str]) -> bool:
        """Count one proposition; whether it is perfect."""
        perfect = True
        for parts in [*gold, *(parts for parts in predicted if parts not in gold)]:
            pair = gold.get(parts), predicted.get(parts)
            self.pairs[pair] += 1
            perfect = perfect and (pair[0] == pair[1] or set(pair) <= {None, PREDICATE_ROLE})
        return perfect

    def roles(self) -> List[str]:
        """All roles of either side, V included, in code-point order."""
        return sorted({role for pair in self.pairs for role in pair if role is not None})

    def role(self, name: str) -> PRF:
        """The counts of one role."""
        ok = self.pairs[name, name]
        n_gold = sum(n for (gold, _), n in self.pairs.items() if gold == name)
        n_predicted = sum(n for (_, predicted), n in self.pairs.items() if predicted == name)
        return PRF(ok, n_predicted - ok, n_gold - ok)

    def overall(self) -> PRF:
        """The counts of all roles but V."""
        total = PRF()
        for name in self.roles():
            if name != PREDICATE_ROLE:
                total = total.plus(self.role(name))
        return total

    def unlabeled(self) -> PRF:
        """The counts of all arguments whatever their roles. Pairs with V on a side are left out."""
        total = PRF()
        for (gold, predicted), n in self.pairs.items():
            if PREDICATE_ROLE not in (gold, predicted):
                total = total.plus(PRF(n) if gold and predicted else PRF(missed=n) if gold else PRF(excess=n))
        return total

    @property
    def perfect(self) -> float:
        """Share of perfect gold propositions, 0 to 1."""
        return _ratio(self.n_perfect, self.n_propositions)


@dataclass
class PredicateCounts:
    """Sums over sentences of predicates and their rolesets.

    predicates (PRF): Predicates by token. rolesets (PRF): Predicates by token and roleset.
    n_known (int): Gold predicates with a roleset; without any, rolesets have no score.
    n_matched (int): Gold predicates with a roleset that are predicted.
    """

    predicates: PRF = field(default_factory=PRF)
    rolesets: PRF = field(default_factory=PRF)
    n_known: int = 0
    n_matched: int = 0

    def add(self, gold: Sequence[Proposition], predicted: Sequence[Proposition]) -> None:
        """Count one sentence. Gold predicates without a roleset do not count for rolesets, nor do predictions of
        them."""
        wanted = {one.token: one.roleset for one in gold}
        found = {one.token: one.roleset for one in predicted}
        ok = len(wanted.keys() & found.keys())
        self.predicates = self.predicates.plus(PRF(ok, len(found) - ok, len(wanted) - ok))
        known = {token: roleset for token, roleset in wanted.items() if roleset}
        found = {token: roleset for token, roleset in found.items() if token in known or token not in wanted}
        right = len(known.items() & found.items())
        self.n_known += len(known)
        self.rolesets = self.rolesets.plus(PRF(right, len(found) - right, len(known) - right))
        self.n_matched += len(known.keys() & found.keys())

    @property
    def roleset_acc(self) -> float:
        """Share of right rolesets among predicates that both sides have, 0 to 1."""
        return _ratio(self.rolesets.ok, self.n_matched)


def count_roles(
    sentences: Iterable[Tuple[Sequence[Proposition], Sequence[Proposition]]], rule: Rule = "strict"
) -> SrlCounts:
    """The counts of sentences, each with its gold and its predicted propositions.

    RAISES (ValueError): The rule is unknown.
    """
    counts = SrlCounts(rule)
    for gold, predicted in sentences:
        counts.add(gold, predicted)
    return counts


def _roles(proposition: Proposition) -> Dict[Parts, str]:
    """Role by parts. Arguments are disjoint, so that no two have the same parts."""
    return {one.parts: one.role for one in join_parts(proposition.args)}


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
