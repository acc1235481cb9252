#!/usr/bin/env python
"""Triples of open information extraction beside those that people wrote, scored as CaRB
does (Bhardwaj, Aggarwal & Mausam 2019, "CaRB: a crowdsourced benchmark for Open IE").

    python benchmarks/openie.py GOLD.tsv --pipeline en_lal_md [--half 1]

GOLD.tsv has a sentence, a relation, a first argument and further arguments in each
line. Its words, which spaces divide, are the pipeline's tokens; brackets and quotes of
the Penn Treebank are parsed as plain ones.

A gold triple and a found one are compared part by part as bags of words; the further
arguments of the gold one belong to its second argument. It is not a benchmark of facts:
a triple with too few words is punished as a false one is."""

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import get_triples

FORMS_OF_BE = frozenset(["be", "is", "am", "are", "was", "were", "been", "being"])
SAYING = ("said", "told", "added", "adds", "says")
PLAIN = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "`": "'", "\\/": "/"}


class Extraction(NamedTuple):
    """Parts of a triple as bags of words, and how sure its system is of it."""

    relation: Counter
    first: Counter
    second: Counter
    confidence: float = 1.0
    kind: str = ""

    @property
    def length(self) -> int:
        return sum(sum(part.values()) for part in self[:3])


Extractions = Dict[str, List[Extraction]]


class Point(NamedTuple):
    """Precision and recall, in percent, of the triples above a threshold."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


class Score(NamedTuple):
    """What CaRB reports: the point of the best F1, and the area under the curve, in
    percent."""

    best: Point
    area: float


def extraction(
    relation: str, first: str, second: str, confidence: float = 1.0, kind: str = ""
) -> Extraction:
    """Divide the parts of a triple into words at spaces."""
    parts = (Counter(part.split()) for part in (relation, first, second))
    return Extraction(*parts, confidence, kind)


def read_gold(path: Path) -> Extractions:
    """Read CaRB's file: sentence, relation, first argument, further ones."""
    found: Extractions = {}
    for line in path.read_text(encoding="utf8").splitlines():
        sentence, relation, first, *others = line.split("\t")
        found.setdefault(sentence, []).append(
            extraction(relation, first, " ".join(others))
        )
    return found


def match(gold: Extraction, found: Extraction) -> Point:
    """Compare two triples: the shares of common words.

    RETURNS (Point): 0 and 0 where the relations have no word in common, or where the
        found triple has no second argument.
    """
    straight = _common(gold, found)
    is_said = any(verb in word for word in gold.relation for verb in SAYING)
    if not is_said:
        return straight
    turned = found._replace(first=found.second, second=found.first)
    return max(straight, _common(gold, turned))


def _common(gold: Extraction, found: Extraction) -> Point:
    in_relation = sum((gold.relation & found.relation).values())
    left = found.relation - gold.relation
    if left["be"] and FORMS_OF_BE & gold.relation.keys():
        in_relation += 1
    if not in_relation or not found.first or not found.second:
        return Point(0.0, 0.0)
    in_first = sum((gold.first & found.first).values())
    in_second = sum((gold.second & found.second).values())
    common = in_relation + in_first + in_second
    return Point(common / found.length, common / gold.length)


def score(gold: Extractions, found: Extractions) -> Score:
    """Score extractions of all sentences of a gold file.

    At each confidence that a triple has, precision and recall are those of the triples
    with at least this confidence.
    """
    changes: Dict[float, np.ndarray] = defaultdict(lambda: np.zeros(3))
    for sentence, golds in gold.items():
        before = np.zeros(3)
        for confidence, sums in _sums(golds, found.get(sentence, [])):
            changes[confidence] += sums - before
            before = sums
    n_gold = sum(map(len, gold.values()))
    total = np.zeros(3)
    points = [Point(100.0, 0.0)]
    for confidence in sorted(changes, reverse=True):
        total = total + changes[confidence]
        precise, recalled, n_found = total
        points.append(Point(100 * precise / n_found, 100 * recalled / n_gold))
    best = max(points, key=lambda point: point.f1)
    return Score(best, _area(points))


def _sums(
    golds: Sequence[Extraction], found: Sequence[Extraction]
) -> Iterator[Tuple[float, np.ndarray]]:
    """For each threshold in a sentence, from the highest: sums of precisions and of
    recalls, and the number of triples."""
    matches = [[match(one, other) for other in found] for one in golds]
    for threshold in sorted({one.confidence for one in found}, reverse=True):
        kept = [j for j, one in enumerate(found) if one.confidence >= threshold]
        recalled = sum(max(row[j].recall for j in kept) for row in matches)
        precise = sum(point.precision for _, point in _pairs(matches, kept))
        yield threshold, np.array([precise, recalled, len(kept)])


def _pairs(
    matches: Sequence[Sequence[Point]], kept: Sequence[int]
) -> Iterator[Tuple[int, Point]]:
    """Pair gold triples with found ones, the most precise pairs first."""
    cells = [(i, j) for i in range(len(matches)) for j in kept]
    cells.sort(key=lambda cell: -matches[cell[0]][cell[1]].precision)
    used_rows = set()
    used_columns = set()
    for i, j in cells:
        if i not in used_rows and j not in used_columns:
            used_rows.add(i)
            used_columns.add(j)
            yield j, matches[i][j]


def _area(points: Sequence[Point]) -> float:
    """The area under precision over recall, by trapezoids."""
    area = 0.0
    for left, right in zip(points, points[1:], strict=False):
        area += (right.recall - left.recall) * (left.precision + right.precision) / 2
    return area / 100


def by_kind(gold: Extractions, found: Extractions) -> Dict[str, Tuple[int, float]]:
    """For each kind of triple, how many there are and their mean precision."""
    numbers: Counter = Counter()
    precise: Counter = Counter()
    for sentence, golds in gold.items():
        ours = found.get(sentence, [])
        numbers.update(one.kind for one in ours)
        matches = [[match(one, other) for other in ours] for one in golds]
        for j, point in _pairs(matches, range(len(ours))):
            precise[ours[j].kind] += point.precision
    return {kind: (n, 100 * precise[kind] / n) for kind, n in numbers.items()}


# With a pipeline


def parsed(nlp: Language, sentences: Iterable[str]) -> List[Doc]:
    """Parse sentences whose words are divided by spaces, each as one sentence."""
    docs = []
    for sentence in sentences:
        words = [PLAIN.get(word, word) for word in sentence.split()]
        starts = [i == 0 for i in range(len(words))]
        docs.append(Doc(nlp.vocab, words, sent_starts=starts))
    return list(nlp.pipe(docs))


def of_triples(doc: Doc) -> List[Extraction]:
    """Give the triples of a Doc; further arguments belong to the object, as CaRB joins
    them."""
    return [
        extraction(
            one.relation,
            one.subject,
            " ".join([one.object, *one.arguments]),
            one.confidence,
            one.source.kind,
        )
        for one in get_triples(doc)
    ]


def halves(gold: Extractions) -> Tuple[Extractions, Extractions]:
    """Divide a gold file after half of its sentences."""
    items = list(gold.items())
    middle = (len(items) + 1) // 2
    return dict(items[:middle]), dict(items[middle:])


def row(name: str, result: Score) -> None:
    """Print a row of a table in Markdown."""
    point = result.best
    numbers = (point.precision, point.recall, point.f1, result.area)
    print(f"| {name} | {' | '.join(f'{number:.1f}' for number in numbers)} |")


def main(arguments: Optional[List[str]] = None) -> None:
    """Print precision, recall, F1 and area."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("--pipeline", default="en_lal_md")
    parser.add_argument("--half", type=int, choices=(1, 2), help="of the gold file")
    args = parser.parse_args(arguments)
    gold = read_gold(args.gold)
    if args.half:
        gold = halves(gold)[args.half - 1]
    docs = parsed(spacy.load(args.pipeline), gold)
    pairs = zip(gold, map(of_triples, docs), strict=True)
    found = dict(pairs)
    print("| | P | R | F1 | area |\n| --- | --: | --: | --: | --: |")
    row(args.pipeline, score(gold, found))
    kinds = by_kind(gold, found)
    if len(kinds) > 1:
        print("\n| kind | triples | P |\n| --- | --: | --: |")
        for kind, (number, precision) in sorted(kinds.items()):
            print(f"| {kind} | {number} | {precision:.1f} |")


if __name__ == "__main__":
    main()
