"""Learn the weights of `relation.factuality_score` and put them into a saved pipeline,
whose other files stay as they are.

    python scripts/train_factuality.py PIPELINE --train ewt/train.conllu train.tsv.gz \\
        --dev ewt/dev.conllu dev.tsv

The tables are UDS-IH2 on the tokens of EWT: sent_id, token (from 1), value (-3 to 3),
label, negated. PIPELINE parses the sentences itself. Words with a denial of their own
are left out: people disagree whether they judge the event or its denial. The weights
are under CC BY-SA 4.0, as UDS (White et al. 2020) and EWT are; the folder gets a file
that says so. Prints the mean F of happened and not, and Pearson's r, on dev."""

import argparse
import csv
import gzip
import json
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Set, Tuple

import numpy as np
import spacy
from spacy.language import Language
from spacy.lookups import Lookups
from spacy.tokens import Doc

from spacy_lal.annotations.facts import read_sentences
from spacy_lal.facts.score import SCALE, TABLE, features_of
from spacy_lal.trees import read_conllu

LICENSE = """The table lal_factuality of vocab/lookups.bin was learned from UDS-IH2
(Universal Decompositional Semantics, White et al. 2020; Rudinger, White and Van Durme
2018) on the English Web Treebank of Universal Dependencies. CC BY-SA 4.0,
https://creativecommons.org/licenses/by-sa/4.0/
"""
MIN_COUNT = 2
STEPS = 150
RATE = 0.1
DECAY = 2e-4  # of weights; 3e-4 has a mean F of 87.5 and an r of .790
MAX_WEIGHTS = 30_000

# A predicate: value, label, features
Row = Tuple[float, str, Sequence[str]]


def read_values(path: Path) -> Dict[str, Dict[int, Tuple[float, str]]]:
    """Read value and label of words by sentence, without denied ones."""
    opener = gzip.open if path.suffix == ".gz" else open
    values: Dict[str, Dict[int, Tuple[float, str]]] = {}
    with opener(path, "rt", encoding="utf8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["negated"] != "1":
                place = int(row["token"]) - 1
                words = values.setdefault(row["sent_id"], {})
                words[place] = (float(row["value"]), row["label"])
    return values


def read_rows(nlp: Language, conllu: Path, table: Path) -> Iterator[Row]:
    """Parse the sentences, and give the features of their judged words."""
    values = read_values(table)
    sentences = [x for x in read_conllu(conllu) if x.sent_id in values]
    docs = []
    for sentence in sentences:
        starts = [i == 0 for i in range(len(sentence.words))]
        docs.append(Doc(nlp.vocab, [*sentence.words], sent_starts=starts))
    for sentence, doc in zip(sentences, nlp.pipe(docs, batch_size=128), strict=True):
        words = [word for x in read_sentences(doc[:]) for word in x.words]
        for place, (value, label) in values[sentence.sent_id].items():
            yield value, label, sorted(set(features_of(words[place])))


def fit(rows: Sequence[Row]) -> Dict[str, int]:
    """Fit the weights of a logistic regression on how sure people are, by Adam on all
    rows at once (Kingma and Ba 2015).

    RETURNS (Dict[str, int]): Weights of features, `SCALE` times as large.
    """
    counts = Counter(name for _, _, names in rows for name in names)
    names = sorted(name for name, n in counts.items() if n >= MIN_COUNT)
    ids = {name: i for i, name in enumerate(names)}
    places = [[ids[x] for x in row[2] if x in ids] for row in rows]
    flat = np.concatenate([np.array(x) for x in places])
    starts = np.cumsum([0, *map(len, places)])[:-1]
    owners = np.repeat(np.arange(len(rows)), [len(x) for x in places])
    targets = np.array([(row[0] + 3) / 6 for row in rows])
    weights, mean, square = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = 1 / (1 + np.exp(-np.add.reduceat(weights[flat], starts)))
        errors = (scores - targets)[owners]
        gradient = np.bincount(flat, errors, len(names)) / len(rows)
        gradient += DECAY * weights
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        size = np.sqrt(square / (1 - 0.999**step)) + 1e-8
        weights -= RATE * (1 - step / STEPS) * mean / (1 - 0.9**step) / size
    whole = np.rint(weights * SCALE).astype(int)
    kept = np.argsort(-np.abs(whole), kind="stable")[:MAX_WEIGHTS]
    return {names[i]: int(whole[i]) for i in kept if whole[i]}


def score(rows: Sequence[Row], weights: Dict[str, int]) -> Tuple[float, float]:
    """Give the mean F of happened and not, in percent, and Pearson's r."""
    totals = [sum(weights.get(x, 0) for x in row[2]) / SCALE for row in rows]
    scores = 1 / (1 + np.exp(-np.array(totals)))
    r = float(np.corrcoef(scores, [row[0] for row in rows])[0, 1])
    pairs: List[Tuple[str, str]] = [
        (row[1], "happened" if x >= 0.5 else "not")
        for row, x in zip(rows, scores, strict=True)
        if row[1] != "unclear"
    ]
    found: Set[str] = {"happened", "not"}
    fs = [
        200
        * sum(gold == said == label for gold, said in pairs)
        / sum((gold == label) + (said == label) for gold, said in pairs)
        for label in found
    ]
    return sum(fs) / len(fs), r


def write_weights(folder: Path, weights: Dict[str, int]) -> None:
    """Put the weights into a saved pipeline, and their checksums if it has some."""
    lookups = Lookups().from_disk(folder / "vocab")
    if lookups.has_table(TABLE):
        lookups.remove_table(TABLE)
    lookups.add_table(TABLE, weights)
    lookups.to_disk(folder / "vocab")
    (folder / "vocab" / "factuality.license.txt").write_text(LICENSE, encoding="utf8")
    path = folder / "meta.json"
    meta = json.loads(path.read_text(encoding="utf8"))
    if "checksums" in meta:
        name = "vocab/lookups.bin"
        meta["checksums"][name] = sha256((folder / name).read_bytes()).hexdigest()
    text = json.dumps(meta, indent=2, ensure_ascii=False)
    path.write_text(text, encoding="utf8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", type=Path, help="a saved pipeline's folder")
    parser.add_argument("--train", nargs=2, type=Path, required=True)
    parser.add_argument("--dev", nargs=2, type=Path)
    args = parser.parse_args()
    nlp = spacy.load(args.pipeline)
    weights = fit([*read_rows(nlp, *args.train)])
    write_weights(args.pipeline, weights)
    print(f"{len(weights)} weights")
    if args.dev:
        mean, r = score([*read_rows(nlp, *args.dev)], weights)
        print(f"dev: mean F {mean:.1f}, r {r:.3f}")


if __name__ == "__main__":
    main()
