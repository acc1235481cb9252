"""The scores of `lal evaluate` as text: percent, each group below its signature."""

from typing import Any, Dict, Iterator, List, Optional

WORDS = ("tag_acc", "pos_acc", "morph_acc", "lemma_acc")
SHOWN_LABELS = 15
SHOWN_CONFUSIONS = 10


def report_lines(metrics: Dict[str, Any]) -> List[str]:
    """The scores as lines of text.

    metrics (Dict[str, Any]): The scores that `lal evaluate` writes as JSON.
    """
    common = metrics["signature"]
    brackets = {name: value for name, value in metrics.items() if name.startswith("const_")}
    arcs = {name: value for name, value in metrics.items() if name.startswith("dep_")}
    reference = {name: value for name, value in arcs.items() if name.endswith("_reference")}
    lines = [f"evalb|{metrics['params']}|{common}", *_score_lines(brackets)]
    lines += [f"attachment|punct:spacy|{common}", *_score_lines({n: v for n, v in arcs.items() if n not in reference})]
    lines += [f"attachment|punct:reference|{common}", *_score_lines(reference)]
    lines += [f"words|{common}", *_score_lines({name: metrics[name] for name in WORDS if name in metrics})]
    if "roles" in metrics:
        lines += [f"roles|{common}", *_role_lines(metrics["roles"])]
    if "own_sents" in metrics:
        lines += [f"own sentence breaks|{common}", *_score_lines(metrics["own_sents"])]
        lines += [f"raw text|{common}", *_score_lines(metrics["raw"])]
    if "genres" in metrics:
        lines += _genre_lines(metrics["genres"])
    if "confusion" in metrics:
        lines += _confusion_lines(metrics["confusion"])
    lines.append(
        f"speed: {metrics['sents_per_second']} sentences/s, {metrics['words_per_second']} words/s "
        f"({metrics['n_sents']} sentences, {metrics['n_words']} words, {metrics['seconds']} s)"
    )
    return lines


def _score_lines(scores: Dict[str, Optional[float]]) -> Iterator[str]:
    for name, value in scores.items():
        # const_cb is a number of brackets, not a share
        yield f"  {name:<18}{_percent(value if name != 'const_cb' or value is None else value / 100, 6)}"


def _role_lines(roles: Dict[str, Any]) -> Iterator[str]:
    """`srl_*` are strict; `srl_conll05_*` count as srl-eval.pl."""
    per_role: Dict[str, Dict[str, float]] = roles["srl_per_role"]
    hidden = {name for name in roles if name == "srl_per_role" or name.startswith("spans_")}
    yield from _score_lines({name: value for name, value in roles.items() if name not in hidden})
    yield f"  {'role':<18}" + "".join(f"{name:>9}" for name in ("p", "r", "f"))
    for role, scores in per_role.items():
        yield f"    {role:<16}" + "".join(_percent(scores[name], 9) for name in ("p", "r", "f"))


def _genre_lines(genres: Dict[str, Dict[str, Any]]) -> Iterator[str]:
    names = [name for name in next(iter(genres.values())) if not name.startswith("n_")]
    yield f"{'genre':<20}{'sentences':>10}" + "".join(f"{name:>9}" for name in names)
    for genre, scores in genres.items():
        yield f"  {genre:<18}{scores['n_sents']:>10}" + "".join(_percent(scores[name], 9) for name in names)


def _confusion_lines(confusion: Dict[str, Any]) -> Iterator[str]:
    for kind, title, names in (
        ("constituents", "constituent", ("p", "r", "f")),
        ("deprels", "deprel", ("p", "r", "f", "head_acc", "deprel_acc")),
    ):
        rows = list(confusion[kind].items())
        if not rows:
            continue
        yield f"{title:<20}{'gold':>10}{'predicted':>10}" + "".join(f"{name:>11}" for name in names)
        for label, row in rows[:SHOWN_LABELS]:
            counts = f"{row['gold']:>10}{row['predicted']:>10}"
            yield f"  {label:<18}{counts}" + "".join(_percent(row[name], 11) for name in names)
        shown = confusion[f"{title}_confusions"][:SHOWN_CONFUSIONS]
        if shown:
            yield "  taken for: " + ", ".join(f"{gold} -> {predicted} {n}" for gold, predicted, n in shown)


def _percent(value: Optional[float], width: int) -> str:
    return f"{'-' if value is None else format(100 * value, '.2f'):>{width}}"
