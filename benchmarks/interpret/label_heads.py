"""Which head is which label? A report over a treebank: the heads of each label.

A head's part in a correct constituent is its block's contribution to the label's
margin: the label's score minus the score of its best rival on the same span. Rivals
include the sub-head label and, except on a whole sentence, the empty label (score 0).
Both scores are split as in `spacy_lal.interpret.contributions`: bias, tokens and heads
add up to the margin. A label's figures are means over its correct constituents: gold
tree and parse both have this unary chain.

Training ties no head to the label of its number, unless the model's span scorer has
`label_heads`; the report shows how far heads and labels correspond. It does not show
how much a label loses without a head, because the split keeps the norm and the active
units constant: `benchmarks/interpret/faithfulness.py` measures that."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import SPANS_KEY, get_constituents
from spacy_lal.evaluation.docs import parse_golds
from spacy_lal.interpret.contributions import SpanScores
from spacy_lal.pipeline.scoring import (
    MAX_LENGTH,
    encode,
    find_parser,
    label_strings,
    sentences_of,
)
from spacy_lal.trees import EMPTY


class Counts(NamedTuple):
    """Spans with one label: in the gold trees, in the predicted trees, in both."""

    gold: int
    predicted: int
    correct: int

    @property
    def f(self) -> float:
        """F1, between 0 and 1; 0 if neither side has such spans."""
        return 2.0 * self.correct / max(1, self.gold + self.predicted)


@dataclass(frozen=True)
class LabelHeads:
    """The contributions of the label heads to one label, on its correct constituents.

    label (str): A whole unary chain.
    counts (Counts): Its constituents: gold, predicted, correct. Where none is
        correct, all means are 0.
    margin (float): The mean margin: bias + tokens + heads.sum().
    bias, tokens (float): The mean parts of the bias and of the token skip.
    heads (ndarray): Shape: (n_label_heads,), float64. The mean part of each head.
    own (Optional[int]): The number of the head with the label's name; None without such
    a head."""

    label: str
    counts: Counts
    margin: float
    bias: float
    tokens: float
    heads: ndarray
    own: Optional[int]

    @property
    def ranking(self) -> List[int]:
        """All heads by their part, largest first; empty if no constituent is
        correct."""
        return (
            np.argsort(-self.heads, kind="stable").tolist()
            if self.counts.correct
            else []
        )

    @property
    def own_rank(self) -> Optional[int]:
        """The rank of the label's own head, from 1; None if it has no rank."""
        return (
            self.ranking.index(self.own) + 1
            if self.own is not None and self.counts.correct
            else None
        )


@dataclass(frozen=True)
class HeadReport:
    """Labels and heads of a parser, on a treebank.

    labels (Tuple[LabelHeads, ...]): All labels of the parser and of the gold trees,
        most frequent first.
    n_sentences (int): Sentences with a gold tree.
    """

    labels: Tuple[LabelHeads, ...]
    n_sentences: int


def head_report(nlp: Language, golds: Sequence[Doc]) -> HeadReport:
    """Parse the gold tokens of a treebank and report on the label heads.

    nlp (Language): A pipeline with one `lal_parser`.
    golds (Sequence[Doc]): Docs with sentence breaks. Docs and sentences without gold
        constituents are left out.
    RETURNS (HeadReport): The report.
    RAISES (ValueError): The model has no label attention, joins its heads, or scores no
        constituents; the pipeline has no parser, or several; no Doc has gold
        constituents; sentence boundaries are missing.
    """
    parser = find_parser(nlp)
    scorer, strings = SpanScores(parser), label_strings(parser)
    with_trees = [gold for gold in golds if gold.spans.get(SPANS_KEY)]
    with nlp.select_pipes(
        disable=nlp.pipe_names[nlp.pipe_names.index(parser.name) + 1 :]
    ):
        docs, _ = parse_golds(nlp, with_trees, gold_sents=True)
    sums = _LabelSums(scorer, strings)
    n_sentences = 0
    for gold, doc in zip(with_trees, docs, strict=True):
        chosen = []
        trees = zip(
            sentences_of(doc),
            get_constituents(gold),
            get_constituents(doc),
            strict=True,
        )
        for sentence, tree, parse in trees:
            # a longer one is read in pieces
            if tree and len(sentence.words) <= MAX_LENGTH:
                chosen.append((sentence, set(tree), parse))
        for (_, tree, parse), encoded in zip(
            chosen, encode(parser, [one[0] for one in chosen]), strict=True
        ):
            sums.add(tree, parse, encoded.fenceposts)
            n_sentences += 1
    if not n_sentences:
        raise ValueError(
            f"expected Docs with gold constituents (doc.spans[{SPANS_KEY!r}]), got "
            f"{len(golds)} without"
        )
    return HeadReport(tuple(sums.rows()), n_sentences)


def all_scores(
    scorer: SpanScores, fenceposts: ndarray, spans: ndarray, n_labels: int
) -> ndarray:
    """The scores of all labels on some spans. Shape: (n_spans, n_labels); 0 for the
    empty label."""
    scores = np.zeros((len(spans), n_labels))
    for label in range(EMPTY + 1, n_labels):
        labels = np.full(len(spans), label)
        scores[:, label] = scorer.parts(fenceposts, spans, labels).total
    return scores


class _LabelSums:
    """Sums of the parts of margins, by label."""

    def __init__(self, scorer: SpanScores, strings: List[str]) -> None:
        self.scorer, self.strings = scorer, strings
        self.gold: Counter[str] = Counter()
        self.predicted: Counter[str] = Counter()
        self.correct: Counter[str] = Counter()
        self.parts: Dict[str, ndarray] = defaultdict(
            lambda: np.zeros(2 + len(scorer.names))
        )

    def add(
        self, tree: set, parse: Sequence[Tuple[int, int, str]], fenceposts: ndarray
    ) -> None:
        """Add a sentence: gold constituents, found constituents, features of the gaps
        between words."""
        correct = [span for span in parse if span in tree]
        self.gold.update(label for *_, label in tree)
        self.predicted.update(label for *_, label in parse)
        self.correct.update(label for *_, label in correct)
        if not correct:
            return
        spans = np.array([span[:2] for span in correct])
        own = np.array([self.strings.index(label) for *_, label in correct])
        rivals = all_scores(self.scorer, fenceposts, spans, len(self.strings))
        rivals[np.arange(len(own)), own] = -np.inf
        # No tree has an empty root, so training never sets that score.
        rivals[spans[:, 1] - spans[:, 0] == len(fenceposts) - 1, EMPTY] = -np.inf
        others = rivals.argmax(1)
        ours = self.scorer.parts(fenceposts, spans, own)
        theirs = self.scorer.parts(fenceposts, spans, np.maximum(others, EMPTY + 1))
        has_parts = (others != EMPTY)[
            :, None
        ]  # the empty label's score is 0, and so are its parts
        for (*_, label), mine, other in zip(
            correct, _columns(ours), _columns(theirs) * has_parts, strict=True
        ):
            self.parts[label] += mine - other

    def rows(self) -> List[LabelHeads]:
        """The figures of all labels, most frequent first; labels without spans last, in
        the parser's order."""
        frequent = sorted(
            {*self.gold, *self.predicted},
            key=lambda label: (-self.gold[label], -self.predicted[label], label),
        )
        rows = []
        for label in dict.fromkeys([*frequent, *self.strings[2:]]):
            counts = Counts(
                self.gold[label], self.predicted[label], self.correct[label]
            )
            means = self.parts[label] / max(1, counts.correct)
            bias, tokens = means[:2].tolist()
            own = self.scorer.names.index(label) if label in self.scorer.names else None
            rows.append(
                LabelHeads(
                    label, counts, float(means.sum()), bias, tokens, means[2:], own
                )
            )
        return rows


def _columns(parts: Any) -> ndarray:
    """Bias, tokens and heads side by side. Shape: (n_spans, 2 + n_label_heads)."""
    return np.column_stack([parts.bias, parts.tokens, parts.heads])
