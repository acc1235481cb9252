"""Fit the confidences of a pipeline on one half of dev and print how reliable they are on the other.

    python benchmarks/calibration.py en_lal_md --treebank ewt/dev.conllu ewt/dev.ptb ewt/dev.srl.jsonl \
        --treebank gum/dev.conllu --without '_(essay|letter|podcast|fiction|whow)_' --write packages/*/meta.json

Even sentences are fitted, odd ones counted, given tokens and sentence breaks. Heads come from all treebanks;
constituents and relations from those with trees and roles. --write puts the numbers in every meta.json of a package,
--every k takes each k-th sentence alone.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Iterator, List, Optional, Tuple

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import SENT_IDS
from spacy_lal.interpret import confidence
from spacy_lal.treebanks.docs import make_docs
from spacy_lal.treebanks.reader import find_files
from spacy_lal.treebanks.roles import read_sentences

BINS = (0.0, 0.5, 0.7, 0.8, 0.88, 0.92, 0.96, 0.99, 1.0)


def gold_docs(nlp: Language, treebanks: List[List[Path]], without: Optional[str], every: int) -> Iterator[Doc]:
    """Gold Docs of one sentence each, with heads."""
    for files in treebanks:
        docs = list(make_docs(read_sentences(find_files(files)), nlp.vocab))[::every]
        yield from (doc for doc in docs if not (without and re.search(without, doc.user_data.get(SENT_IDS, [""])[0])))


def table(nlp: Language, docs: List[Doc], golds: List[Doc]) -> None:
    """The rows of a table: for each range of confidence, how many heads, constituents, sentences and relations are said
    to be right, and how many are."""
    columns = []
    for kind in ("heads", "labels", "relations"):
        fitted = confidence.calibration(nlp, kind)
        logits, right = confidence.observations(nlp, docs, golds, kind, [fitted.temperature])
        columns.append((kind, fitted(logits[0]), right.astype(float)))
    shares = [
        (confidence.parse_confidence(nlp, doc[:]), _share(doc, gold)) for doc, gold in zip(docs, golds, strict=True)
    ]
    columns.append(("sentences", *np.array(shares).T))
    print("| confidence | " + " | ".join(f"{name}: number, said, right" for name, *_ in columns) + " |")
    print("| --- |" + " --: |" * len(columns))
    for low, high in zip(BINS, BINS[1:], strict=False):
        cells = []
        for _, said, right in columns:
            here = (said >= low) & ((said < high) | (high == 1.0))
            means = (100 * said[here].mean(), 100 * right[here].mean()) if here.any() else (0.0, 0.0)
            cells.append(f"{here.sum()}, {means[0]:.1f}, {means[1]:.1f}" if here.any() else "–")
        print(f"| {100 * low:g} to {100 * high:g} % | {' | '.join(cells)} |")
    cells = [f"{len(said)}, {100 * said.mean():.1f}, {100 * right.mean():.1f}" for _, said, right in columns]
    print(f"| all | {' | '.join(cells)} |")


def _share(doc: Doc, gold: Doc) -> float:
    return float(np.mean([x.head.i == y.head.i for x, y in zip(doc, gold, strict=True)]))


def split(docs: List[Doc]) -> Tuple[List[Doc], List[Doc]]:
    """Even and odd ones."""
    return docs[::2], docs[1::2]


def main(arguments: Optional[List[str]] = None) -> None:
    """Fit, print the numbers and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipeline")
    parser.add_argument("--treebank", nargs="+", type=Path, action="append", required=True, metavar="FILE")
    parser.add_argument("--without", help="a regular expression for sent_ids to leave out")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--write", nargs="*", default=[], type=Path, help="each meta.json of a package")
    args = parser.parse_args(arguments)
    nlp = spacy.load(args.pipeline)
    fitted, counted = split(list(gold_docs(nlp, args.treebank, args.without, args.every)))
    found = confidence.calibrate(nlp, fitted)
    print(json.dumps({confidence.META_KEY: found}))
    table(nlp, confidence.predicted(nlp, counted), counted)
    for path in args.write:
        meta = {**json.loads(path.read_text(encoding="utf8")), confidence.META_KEY: found}
        path.write_text(json.dumps(meta, indent=2, ensure_ascii=False), encoding="utf8")


if __name__ == "__main__":
    main()
