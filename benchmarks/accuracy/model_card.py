"""The tables of a model card, from what `lal evaluate` wrote.

    python benchmarks/accuracy/model_card.py metrics/en_lal_md.ewt.json
    metrics/en_lal_md.gum.json

prints Markdown for docs/reference/en_lal_md.md: scores by corpus, by genre, of raw
text, by label, and speed. A corpus has the name of its file: the part before `.json`.
Parts that a file lacks (genres, confusion, raw text) have no row."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence

SUMMARY = ("const_f", "dep_uas", "dep_las", "tag_acc")
Metrics = Dict[str, Dict[str, Any]]  # by corpus


def percent(value: Optional[float]) -> str:
    """A share of 0 to 1 in percent, a dash for None."""
    return "-" if value is None else f"{100 * value:.2f}"


def table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[Any]], n_text: int = 1
) -> Iterator[str]:
    """A Markdown table below its title, nothing where there are no rows. n_text (int):
    Columns aligned to the left."""
    if rows:
        yield f"**{title}**"
        yield ""
        yield f"| {' | '.join(header)} |"
        yield "|" + "---|" * n_text + "--:|" * (len(header) - n_text)
        for row in rows:
            yield f"| {' | '.join(map(str, row))} |"
        yield ""


def score_tables(corpora: Metrics) -> Iterator[str]:
    """Scores with gold tokens and sentence breaks, by corpus and by genre."""
    keys = ("const_f", "const_cm", "dep_uas", "dep_las", "tag_acc")
    rows = [
        (name, f"{m['n_sents']:,}", *(percent(m[key]) for key in keys))
        for name, m in corpora.items()
    ]
    header = ("dev", "sentences", "const_f", "const_cm", "UAS", "LAS", "tags")
    yield from table("Gold tokens and sentence breaks", header, rows)
    rows = [
        (
            name,
            genre,
            f"{scores['n_sents']:,}",
            *(percent(scores[key]) for key in SUMMARY),
        )
        for name, m in corpora.items()
        for genre, scores in m.get("genres", {}).items()
    ]
    yield from table(
        "By genre",
        ("dev", "genre", "sentences", "const_f", "UAS", "LAS", "tags"),
        rows,
        n_text=2,
    )


def raw_text_table(corpora: Metrics) -> Iterator[str]:
    """The same texts with ever less given."""
    rows: List[Sequence[str]] = []
    for name, m in corpora.items():
        if "raw" in m:
            own, raw_keys = (
                m["own_sents"],
                ("token_f", "sents_f", "const_f", "dep_uas", "dep_las", "tag_acc"),
            )
            rows += [
                (
                    name,
                    "tokens and sentence breaks",
                    "",
                    "",
                    *(percent(m[key]) for key in SUMMARY),
                ),
                (
                    name,
                    "tokens",
                    "",
                    percent(own["sents_f"]),
                    *(percent(own[key]) for key in SUMMARY),
                ),
                *(
                    (name, given, *(percent(m[raw][key]) for key in raw_keys))
                    for given, raw in (
                        ("text", "raw"),
                        ("text of documents", "raw_documents"),
                    )
                    if raw in m
                ),
            ]
    header = ("dev", "given", "token F", "sentence F", "const_f", "UAS", "LAS", "tags")
    yield from table("Raw text", header, rows, n_text=2)


def label_tables(name: str, confusion: Dict[str, Any], top: int) -> Iterator[str]:
    """The most frequent labels of a corpus, and what is most often taken for what."""
    for kind in ("constituent", "deprel"):
        rows: List[Sequence[str]] = [
            (label, f"{row['gold']:,}", *map(percent, (row["p"], row["r"], row["f"])))
            for label, row in list(confusion[f"{kind}s"].items())[:top]
        ]
        title = f"{kind.capitalize()}s, {name} dev"
        yield from table(title, ("label", "gold", "P", "R", "F"), rows)
        yield from _confusion_line(confusion[f"{kind}_confusions"][:top])


def _confusion_line(confusions: Sequence[Sequence[Any]]) -> Iterator[str]:
    if confusions:
        shown = ", ".join(
            f"{gold} as {predicted} ({n})" for gold, predicted, n in confusions
        )
        yield f"Most often confused: {shown}."
        yield ""


def speed_line(corpora: Metrics) -> str:
    """Words and sentences a second over all corpora."""
    seconds = sum(m["seconds"] for m in corpora.values())
    words, sentences = (
        sum(m[key] for m in corpora.values()) for key in ("n_words", "n_sents")
    )
    return (
        f"Speed: {words / seconds:,.0f} words a second ({sentences / seconds:,.0f} "
        "sentences), "
        f"measured on {', '.join(corpora)} dev, encoder and tagger included."
    )


def card(corpora: Metrics, top: int) -> str:
    """All tables."""
    lines = [*score_tables(corpora), *raw_text_table(corpora)]
    for name, metrics in corpora.items():
        if "confusion" in metrics:
            lines += label_tables(name, metrics["confusion"], top)
    return "\n".join([*lines, speed_line(corpora)])


def main(arguments: Optional[List[str]] = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "metrics", type=Path, nargs="+", help="JSON files of `lal evaluate`"
    )
    parser.add_argument(
        "--top", type=int, default=15, help="labels and confusions shown"
    )
    args = parser.parse_args(arguments)
    corpora = {
        path.stem.split(".")[-1].upper(): json.loads(path.read_text("utf8"))
        for path in args.metrics
    }
    print(card(corpora, args.top))
    return 0


if __name__ == "__main__":
    sys.exit(main())
