"""Fit the confidences of a pipeline on one half of dev and print how reliable they are
on the other.

    python benchmarks/calibration.py en_lal_md \
        --treebank ewt/dev.conllu ewt/dev.ptb ewt/dev.srl.jsonl \
        --treebank gum/dev.conllu --without '_(essay|letter|podcast|fiction|whow)_' \
        --write packages/*/meta.json

Even sentences are fitted, odd ones counted, given tokens and sentence breaks. Heads
come from all treebanks; constituents and relations from those with trees and roles.
Relations are left out where the language has none.
--write puts the numbers in every meta.json of a package, --every k takes each k-th
sentence alone.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import spacy
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import (
    SENT_IDS,
    SPANS_KEY,
    Relation,
    get_constituents,
    get_relations,
    has_propositions,
    set_sentence_starts,
)
from spacy_lal.lang import conventions
from spacy_lal.pipeline import confidence
from spacy_lal.pipeline.scoring import (
    constituents_of,
    find_parser,
    label_strings,
    score,
    sentences_of,
)
from spacy_lal.treebanks.docs import make_docs
from spacy_lal.treebanks.reader import find_files
from spacy_lal.treebanks.roles import read_sentences

TEMPERATURES = {
    "heads": (1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0),
    "labels": (0.5, 0.75, 1.0, 1.5, 2.0),
    "relations": (1.0,),
    "parses": (1.0,),
}
MAX_FITTED = (
    50  # words of a sentence whose constituents are fitted: marginals cost O(n^3)
)
BINS = (0.0, 0.5, 0.7, 0.8, 0.88, 0.92, 0.96, 0.99, 1.0)


def gold_docs(
    nlp: Language, treebanks: List[List[Path]], without: Optional[str], every: int
) -> Iterator[Doc]:
    """Gold Docs of one sentence each, with heads."""
    for files in treebanks:
        docs = list(make_docs(read_sentences(find_files(files)), nlp.vocab))[::every]
        yield from (
            doc
            for doc in docs
            if not (
                without and re.search(without, doc.user_data.get(SENT_IDS, [""])[0])
            )
        )


def calibrate(nlp: Language, golds: Iterable[Doc]) -> Dict[str, List[float]]:
    """Fit temperature, slope and intercept of all confidences on gold Docs that the
    parser was not trained on, and set `nlp.meta["calibration"]`.

    golds (Iterable[Doc]): Docs with sentence boundaries and heads; constituents are
        fitted on those that have some, relations on those with roles if the pipeline
        sets some. A thousand sentences suffice.
    RETURNS (Dict[str, List[float]]): For "heads", "labels", "relations" and "parses":
        temperature, slope, intercept."""
    golds, found = list(golds), {}
    docs = predicted(nlp, golds)
    for kind, temperatures in TEMPERATURES.items():
        logits, right = observations(nlp, docs, golds, kind, temperatures)
        if len(right):
            fits = [
                (*logistic(row, right), value)
                for value, row in zip(temperatures, logits, strict=True)
            ]
            _, slope, intercept, temperature = min(fits)
            found[kind] = [temperature, round(slope, 4), round(intercept, 4)]
            nlp.meta[confidence.META_KEY] = {
                **(nlp.meta.get(confidence.META_KEY) or {}),
                **found,
            }
    return found


def predicted(nlp: Language, golds: Sequence[Doc]) -> List[Doc]:
    """The Docs of a pipeline for the tokens and sentences of gold Docs."""
    docs = []
    for gold in golds:
        doc = Doc(
            nlp.vocab,
            [token.text for token in gold],
            [bool(token.whitespace_) for token in gold],
        )
        set_sentence_starts(doc, [sent.start for sent in gold.sents])
        docs.append(doc)
    return list(nlp.pipe(docs))


def observations(
    nlp: Language,
    docs: Sequence[Doc],
    golds: Sequence[Doc],
    kind: str,
    temperatures: Sequence[float],
) -> Tuple[ndarray, ndarray]:
    """The logits of all heads, constituents, relations or parses at each temperature,
    and whether each is right. *Shapes:* (n_temperatures, n), float64; (n,), bool."""
    observe = {
        "heads": _observe_heads,
        "labels": _observe_labels,
        "relations": _observe_relations,
        "parses": _observe_parses,
    }
    logits: List[ndarray] = [np.zeros((len(temperatures), 0))]
    right: List[bool] = []
    for doc, gold in zip(docs, golds, strict=True):
        for of_some, are_right in observe[kind](nlp, doc, gold, temperatures):
            logits.append(np.broadcast_to(of_some, (len(temperatures), len(are_right))))
            right += are_right
    return np.concatenate(logits, axis=1), np.array(right, dtype=bool)


Observations = Iterator[Tuple[ndarray, List[bool]]]


def _observe_heads(
    nlp: Language, doc: Doc, gold: Doc, temperatures: Sequence[float]
) -> Observations:
    for sentence in sentences_of(doc):
        if sentence.words:
            arcs = score(find_parser(nlp), sentence).arcs
            logits = [confidence.head_logits(sentence, arcs, x) for x in temperatures]
            right = [doc[i].head.i == gold[i].head.i for i in sentence.tokens]
            yield np.stack(logits), right


def _observe_labels(
    nlp: Language, doc: Doc, gold: Doc, temperatures: Sequence[float]
) -> Observations:
    parser = find_parser(nlp)
    strings = label_strings(parser)
    for sentence in sentences_of(doc):
        if SPANS_KEY in gold.spans and 0 < len(sentence.words) <= MAX_FITTED:
            truth = set(get_constituents(gold)[sentence.number])
            (chosen,) = constituents_of(parser, [sentence])
            labels = score(parser, sentence).labels
            logits = [confidence.label_logits(labels, chosen, x) for x in temperatures]
            right = [
                (start, end, strings[label]) in truth for start, end, label in chosen
            ]
            yield np.stack(logits), right


def _observe_relations(
    nlp: Language, doc: Doc, gold: Doc, temperatures: Sequence[float]
) -> Observations:
    has_relations = conventions(nlp.lang).clauses is not None
    if has_relations and has_propositions(doc) == has_propositions(gold):
        values = confidence.head_confidences(nlp, doc)
        known = set(map(_triple, get_relations(gold)))
        for one in get_relations(doc):
            of_tokens = [values[token.i] for token in one.tokens]
            yield (
                np.array([confidence.product_logit(of_tokens)]),
                [_triple(one) in known],
            )


def _observe_parses(
    nlp: Language, doc: Doc, gold: Doc, temperatures: Sequence[float]
) -> Observations:
    values = confidence.head_confidences(nlp, doc)
    is_right = all(x.head.i == y.head.i for x, y in zip(doc, gold, strict=True))
    yield np.array([confidence.product_logit(values)]), [is_right]


def _triple(relation: Relation) -> Tuple[Optional[int], ...]:
    spans = (relation.subject, relation.predicate, relation.object)
    return tuple(None if span is None else span.root.i for span in spans)


def logistic(logits: ndarray, right: ndarray) -> Tuple[float, float, float]:
    """Mean loss, slope and intercept of a logistic regression, by Newton's method with
    shorter steps where needed."""
    X, signs = (
        np.stack([logits, np.ones_like(logits)], axis=1),
        np.where(right, -1.0, 1.0),
    )

    def loss_of(weights: ndarray) -> float:
        return float(np.logaddexp(0.0, signs * (X @ weights)).mean())

    weights = np.array([1.0, 0.0])
    for _ in range(30):
        p = np.exp(-np.logaddexp(0.0, -X @ weights))
        hessian = (X * (p * (1 - p))[:, None]).T @ X + 1e-3 * np.eye(2)
        step = np.linalg.solve(hessian, X.T @ (p - right))
        while loss_of(weights - step) > loss_of(weights) and abs(step).max() > 1e-6:
            step /= 2
        weights = weights - step
    return loss_of(weights), float(weights[0]), float(weights[1])


def table(nlp: Language, docs: List[Doc], golds: List[Doc]) -> None:
    """The rows of a table: for each range of confidence, how many heads, constituents,
    sentences and relations are said to be right, and how many are."""
    columns = []
    for kind in nlp.meta[confidence.META_KEY]:
        fitted = confidence.calibration(nlp, kind)
        logits, right = observations(nlp, docs, golds, kind, [fitted.temperature])
        columns.append((kind, fitted(logits[0]), right.astype(float)))
    print(
        "| confidence | "
        + " | ".join(f"{name}: number, said, right" for name, *_ in columns)
        + " |"
    )
    print("| --- |" + " --: |" * len(columns))
    for low, high in zip(BINS, BINS[1:], strict=False):
        cells = []
        for _, said, right in columns:
            here = (said >= low) & ((said < high) | (high == 1.0))
            means = (
                (100 * said[here].mean(), 100 * right[here].mean())
                if here.any()
                else (0.0, 0.0)
            )
            cells.append(
                f"{here.sum()}, {means[0]:.1f}, {means[1]:.1f}" if here.any() else "–"
            )
        print(f"| {100 * low:g} to {100 * high:g} % | {' | '.join(cells)} |")
    cells = [
        f"{len(said)}, {100 * said.mean():.1f}, {100 * right.mean():.1f}"
        for _, said, right in columns
    ]
    print(f"| all | {' | '.join(cells)} |")


def main(arguments: Optional[List[str]] = None) -> None:
    """Fit, print the numbers and the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("pipeline")
    several: Dict[str, Any] = {"nargs": "+", "type": Path, "metavar": "FILE"}
    add("--treebank", action="append", required=True, **several)
    add("--without", help="a regular expression for sent_ids to leave out")
    add("--every", type=int, default=1)
    add("--write", default=[], help="each meta.json of a package", **several)
    args = parser.parse_args(arguments)
    nlp = spacy.load(args.pipeline)
    golds = list(gold_docs(nlp, args.treebank, args.without, args.every))
    fitted, counted = golds[::2], golds[1::2]
    found = calibrate(nlp, fitted)
    print(json.dumps({confidence.META_KEY: found}))
    table(nlp, predicted(nlp, counted), counted)
    for path in args.write:
        meta = {
            **json.loads(path.read_text(encoding="utf8")),
            confidence.META_KEY: found,
        }
        path.write_text(json.dumps(meta, indent=2, ensure_ascii=False), encoding="utf8")


if __name__ == "__main__":
    main()
