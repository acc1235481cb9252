"""Write the signatures of verbs that ten people agreed about:
`build_signatures.py megaveridicality.tsv OUT.json`.

The table is MegaVeridicality 2.1 (White and Rawlins 2018): of each verb and frame the
means of "yes" (1), "maybe" (0) and "no" (-1) to whether what follows happened, where
the verb is affirmed and where it is denied, and how acceptable it is (1 to 7). OUT.json
has for clauses and infinitives the verbs of each signature: "+", "-" or "o" (open),
affirmed and denied. CC BY-SA 4.0: signatures.license.txt."""

import csv
import json
import sys
from pathlib import Path

CLEAR = 0.8
ACCEPTABLE = 4.0
# Frames, the first ones before later ones; and the signatures taken of them. That a
# thing was said ("mention that") is no fact to us, so "+o" of clauses is left out.
FRAMES = {
    "clauses": (["NP Ved that S"], ("++", "-o", "-+")),
    "infinitives": (
        ["NP Ved to VP[+eventive]", "NP Ved to VP[-eventive]"]
        + ["NP Ved NP to VP[+eventive]", "NP Ved NP to VP[-eventive]"],
        ("++", "+-", "+o", "-+", "-o", "o+", "o-"),
    ),
}


def sign(mean: str) -> str:
    """Give the sign of a clear mean."""
    if abs(float(mean)) < CLEAR:
        return "o"
    return "+" if float(mean) > 0 else "-"


def main() -> None:
    source, output = map(Path, sys.argv[1:])
    with source.open(encoding="utf8") as file:
        rows = [*csv.DictReader(file, delimiter="\t")]
    tables: dict[str, dict[str, list[str]]] = {}
    for name, (frames, taken) in FRAMES.items():
        signatures: dict[str, str] = {}
        for frame in frames:
            for row in rows:
                is_good = float(row["acceptability"]) >= ACCEPTABLE
                code = sign(row["affirmed"]) + sign(row["denied"])
                if row["frame"] == frame and is_good and code in taken:
                    signatures.setdefault(row["verb"], code)
        verbs: dict[str, list[str]] = {}
        for verb in sorted(signatures):
            verbs.setdefault(signatures[verb], []).append(verb)
        tables[name] = verbs
    output.write_text(json.dumps(tables, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
