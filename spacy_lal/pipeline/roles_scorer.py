"""`spacy-lal.roles_scorer.v1`: the scores of semantic roles of Examples, from 0 to 1, or None without gold roles."""

from itertools import accumulate
from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import frame_of, get_propositions, has_propositions
from ..metrics.srl import PRF, PredicateCounts, SrlCounts
from ..trees.propositions import PREDICATE_ROLE, Proposition

ROLE_KEYS = (
    *("srl_p", "srl_r", "srl_f", "srl_unlabeled_f"),
    *("srl_conll05_p", "srl_conll05_r", "srl_conll05_f", "srl_perfect"),
    *("predicate_p", "predicate_r", "predicate_f", "roleset_f", "roleset_acc"),
)
PER_ROLE = "srl_per_role"
# The same under the names by which `spacy evaluate --spans-key srl` prints a table.
PRINTED = {"spans_srl_p": "srl_p", "spans_srl_r": "srl_r", "spans_srl_f": "srl_f", "spans_srl_per_type": PER_ROLE}


def make_roles_scorer() -> Callable[..., Dict[str, Any]]:
    """Make a scorer."""
    return score_roles


def score_roles(examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
    """The scores of the roles of Examples; Examples without gold roles are left out.

    `srl_p`, `srl_r`, `srl_f` and `srl_per_role` are strict: predicates match by their token, and arguments of spurious
    predicates are excess. `srl_conll05_*` and `srl_perfect` count as srl-eval.pl: arguments of spurious predicates cost
    nothing. It compares lemmas too; here two lemmas are the same if the frame files of their rolesets are. Arguments
    are compared as ranges of characters without white space, so that the tokens may differ.

    RETURNS (Dict[str, Any]): `ROLE_KEYS`; `PER_ROLE`: `p`, `r`, `f` by role, without V; and the names of `PRINTED`.
    """
    scores = _scores(examples)
    return {**scores, **{name: scores[key] for name, key in PRINTED.items()}}


def _scores(examples: Iterable[Example]) -> Dict[str, Any]:
    strict, conll05, predicates = SrlCounts("strict"), SrlCounts("conll05"), PredicateCounts()
    for eg in examples:
        if has_propositions(eg.reference):
            gold, predicted = _on_characters(eg.reference), _on_characters(eg.predicted)
            strict.add(gold, predicted)
            conll05.add(gold, _with_lemmas(predicted, gold))
            predicates.add(gold, predicted)
    if not strict.n_sentences:
        return {**dict.fromkeys(ROLE_KEYS), PER_ROLE: None}
    per_role = {name: _prf(strict.role(name)) for name in strict.roles() if name != PREDICATE_ROLE}
    return {
        **{f"srl_{key}": value for key, value in _prf(strict.overall()).items()},
        "srl_unlabeled_f": strict.unlabeled().f,
        **{f"srl_conll05_{key}": value for key, value in _prf(conll05.overall()).items()},
        "srl_perfect": conll05.perfect,
        **{f"predicate_{key}": value for key, value in _prf(predicates.predicates).items()},
        "roleset_f": predicates.rolesets.f if predicates.n_known else None,
        "roleset_acc": predicates.roleset_acc if predicates.n_known else None,
        PER_ROLE: per_role,
    }


def _prf(count: PRF) -> Dict[str, float]:
    return {"p": count.precision, "r": count.recall, "f": count.f}


def _on_characters(doc: Doc) -> List[Proposition]:
    """The propositions of a Doc over its characters without white space."""
    kept = [0, *accumulate(not char.isspace() for char in doc.text)]
    starts = [kept[token.idx] for token in doc]
    ends = [kept[token.idx + len(token)] for token in doc]
    return [
        Proposition(starts[token], roleset, _ranges(args, starts, ends), lemma)
        for token, roleset, args, lemma in get_propositions(doc)
    ]


def _ranges(
    args: Sequence[Tuple[int, int, str]], starts: Sequence[int], ends: Sequence[int]
) -> Tuple[Tuple[int, int, str], ...]:
    ranges = ((starts[start], ends[end - 1], role) for start, end, role in args)
    return tuple((start, end, role) for start, end, role in ranges if start < end)


def _with_lemmas(predicted: Sequence[Proposition], gold: Sequence[Proposition]) -> List[Proposition]:
    """Predictions with the gold lemmas where the frame files are the same: a component knows a frame file by a
    roleset's name, and PropBank has exceptions to it ("better" for good.02)."""
    wanted = {one.token: one for one in gold if one.roleset}
    found = []
    for one in predicted:
        other = wanted.get(one.token)
        same = other is not None and one.roleset and frame_of(one.roleset) == frame_of(other.roleset)
        found.append(one._replace(lemma=other.lemma) if other is not None and same else one)
    return found
