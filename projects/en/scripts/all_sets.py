"""The table of all sets for a page or card: the scores of a pipeline, beside those of
the version before.

    python scripts/all_sets.py metrics/md --before metrics/before

Both folders have what `lal evaluate --output` wrote, dev.SET.json each. A loss of more
than 0.3 is marked: it needs a sentence."""

import json
from pathlib import Path
from typing import Dict, Iterator, Optional

from treebank import run

SCORES = {
    "const_f": "const_f",
    "UAS": "dep_uas",
    "LAS": "dep_las",
    "tags": "tag_acc",
    "lemmas": "lemma_acc",
    "roles": "srl_f",
}
# The sets whose heads, lemmas or roles are of another scheme, or are not annotated.
ONLY = {
    "craft": ("const_f", "tags"),
    "genia": ("const_f", "tags"),
    "masc": ("const_f",),
    "eslspok": ("UAS", "LAS", "tags"),
}
MOST_LOST = 0.3


def read_scores(folder: Path) -> Dict[str, Dict[str, float]]:
    """The scores of each set, in percent."""
    found = {}
    for path in sorted(folder.glob("*.json")):
        name = path.stem.split(".")[-1]
        values = json.loads(path.read_text(encoding="utf8"))
        values.update(values.get("roles") or {})
        found[name] = {
            score: 100 * values[key]
            for score, key in SCORES.items()
            if values.get(key) and score in ONLY.get(name, SCORES)
        }
    return found


def lines(
    now: Dict[str, Dict[str, float]], before: Dict[str, Dict[str, float]]
) -> Iterator[str]:
    """The table, in Markdown: "after (before)", a loss in bold."""
    yield f"| dev | {' | '.join(SCORES)} |"
    yield "|---|" + "--:|" * len(SCORES)
    for name, scores in now.items():
        cells = []
        for score in SCORES:
            old = before.get(name, {}).get(score)
            cells.append(cell(scores[score], old) if score in scores else "")
        yield f"| {name} | {' | '.join(cells)} |"


def cell(score: float, old: Optional[float]) -> str:
    """A score, and the one before it in brackets."""
    if old is None:
        return f"{score:.2f}"
    text = f"{score:.2f} ({old:.2f})"
    return f"**{text}**" if old - score > MOST_LOST else text


def main(metrics: Path, before: Path | None = None) -> None:
    """Print the table."""
    scores_before = read_scores(before) if before else {}
    print("\n".join(lines(read_scores(metrics), scores_before)))


if __name__ == "__main__":
    run(main)
