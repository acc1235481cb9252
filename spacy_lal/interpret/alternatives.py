"""Alternatives to a parse: other labels of a span; exact margins of constituents and
arcs, for which the sentence is decoded again with each one forbidden; probabilities of
spans."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy import ndarray
from spacy.tokens import Span

from ..annotations import Item, get_constraints, in_words
from ..decode.marginals import inside_outside
from ..pipeline.charts import AllowedCells
from ..pipeline.lal_parser import LALParser
from ..pipeline.scoring import (
    PipelineOrParser,
    check_count,
    constituents_of,
    find_parser,
    label_strings,
    locate,
    score,
    sentences_of,
)
from ..trees import SUB_HEAD, Parse


class LabelScore(NamedTuple):
    """A label and its score on a span; "" is the empty label, "<H>" the sub-head label,
    which no tree shows."""

    label: str
    score: float


class ConstituentMargin(NamedTuple):
    """A constituent, doc[start:end] with its whole unary chain ("S::VP"), and its
    margin."""

    start: int
    end: int
    label: str
    margin: float


class ArcMargin(NamedTuple):
    """An arc between two tokens, by their index in the Doc, and its margin. The root is
    its own head."""

    dependent: int
    head: int
    margin: float


def best_labels(nlp: PipelineOrParser, span: Span, k: int = 5) -> list[LabelScore]:
    """The k best labels of a span, constituent or not, best first. The empty label,
    with score 0, is included. On a whole sentence it may even come first: no tree has
    an empty root, so training never sets that score.
    span (Span): Words of one sentence. The Doc needs no parse.
    RAISES (ValueError): k is no integer of at least 1; the parser scores no
        constituents."""
    check_count(k)
    parser = find_parser(nlp)
    sentence, start, end = locate(span)
    strings = label_strings(parser)
    scores = score(parser, sentence).labels[start, end]
    return [
        LabelScore(strings[i], float(scores[i]))
        for i in np.argsort(-scores, kind="stable")[:k]
    ]


# Margins


def constituent_margins(
    nlp: PipelineOrParser, doc_or_span: Item
) -> list[ConstituentMargin]:
    """The margin of each constituent of a parse: the score of the best tree minus the
    score of the best tree without this labelled span. It is infinite where every tree
    has the constituent, and 0 for one that the best tree lacks.

    The score is the objective of the pipeline's decoder (`ChartDecoder.ranked`), with
    the constituents that the heads contradict.
    doc_or_span (Union[Doc, Span]): A Doc that it has parsed, or a Span for the sentence
        around it.
    RETURNS (List[ConstituentMargin]): In pre-order, sentence by sentence.
    RAISES (ValueError): The Doc has no parse; the parser scores no constituents; the
        sentence has constraints, or is too long."""
    parser = find_parser(nlp)
    sentences = sentences_of(doc_or_span)
    strings = label_strings(parser)
    margins: list[ConstituentMargin] = []
    cells = constituents_of(parser, sentences)
    for sentence, constituents in zip(sentences, cells, strict=True):
        if not constituents:
            continue
        search = _Search(parser, sentence)
        for cell in constituents:
            start, end, label = cell
            tokens = sentence.token_range(start, end)
            margin = search.margin("labels", cell)
            margins.append(ConstituentMargin(*tokens, strings[label], margin))
    return margins


def arc_margins(nlp: PipelineOrParser, doc_or_span: Item) -> list[ArcMargin]:
    """The margin of each arc of a parse: the score of the best tree minus the score of
    the best tree without this arc, whatever its deprel. The score is as in
    `constituent_margins`; separately found heads count with their arc scores.

    RETURNS (List[ArcMargin]): One for each word, in order.
    RAISES (ValueError): As `constituent_margins`; the parser scores or sets no arcs."""
    parser = find_parser(nlp)
    sentences = sentences_of(doc_or_span)
    if not parser.label_data["deprels"] or not parser.dependencies:
        raise ValueError(
            f"'{parser.name}' sets no arcs: it was trained on constituents alone, or "
            "its option dependencies is false"
        )
    if sentences and not sentences[0].doc.has_annotation("DEP"):
        raise ValueError(
            "the Doc has no parse (no heads and deprels): "
            f"{sentences[0].doc.text[:40]!r}"
        )
    margins: list[ArcMargin] = []
    for sentence in sentences:
        if not sentence.words:
            continue
        search = _Search(parser, sentence)
        heads = zip(sentence.tokens, sentence.heads or (), strict=True)
        for place, (word, head) in enumerate(heads, start=1):
            margin = search.margin("arcs", (place, head or 0))
            margins.append(ArcMargin(word, sentence.doc[word].head.i, margin))
    return margins


class _Search:
    """The maximum of the decoder's objective in a sentence with words, with and without
    a constituent or an arc."""

    def __init__(self, parser: LALParser, sentence: Parse) -> None:
        if in_words(sentence.doc, sentence.tokens, get_constraints(sentence.doc)):
            raise ValueError(
                "margins of a parse under constraints are not defined "
                f"({' '.join(sentence.words)[:40]!r}): remove "
                "them with spacy_lal.annotations.constrain(doc), and parse again"
            )
        self._decoder = parser.decoder
        self._scores = score(parser, sentence)
        n_labels = self._scores.labels.shape[-1]
        self._allowed = AllowedCells.all(len(sentence.words), n_labels)
        self._best = self._maximum()

    def margin(self, chart: str, cell: tuple[int, ...]) -> float:
        """The margin of a cell of "labels" or "arcs"."""
        allowed = getattr(self._allowed, chart)
        allowed[cell] = False
        without = self._maximum()
        allowed[cell] = True
        return max(0.0, self._best - without)

    def _maximum(self) -> float:
        """The objective of the best parse of allowed cells; minus infinity without such
        a parse."""
        best = next(self._decoder.ranked(self._scores, self._allowed))
        return best.score + best.unranked


# Probabilities


@dataclass(frozen=True)
class SpanMarginals:
    """The probabilities of the labelled spans of a sentence of n words.
    probabilities (ndarray): Shape: (n + 1, n + 1, n_labels), float64, [start, end,
        label]: the probability that the span is a node of the tree, with this label. 0
        where start >= end.
    labels (Tuple[str, ...]): Names of the last axis; "" is the empty label, "<H>" the
        sub-head label.
    words (Tuple[str, ...]): The words between the fenceposts 0..n of the first two
        axes.
    log_partition (float): The logarithm of the sum of exp(score) over all trees."""

    probabilities: ndarray
    labels: tuple[str, ...]
    words: tuple[str, ...]
    log_partition: float

    @property
    def nodes(self) -> ndarray:
        """P(the span is a node of the binary tree, with any label). Shape: (n + 1, n +
        1)."""
        return self.probabilities.sum(-1)

    @property
    def constituents(self) -> ndarray:
        """P(the span is a constituent, with any label that a tree shows). Shape: (n +
        1, n + 1)."""
        return self.probabilities[..., SUB_HEAD + 1 :].sum(-1)


def span_marginals(nlp: PipelineOrParser, span: Span) -> SpanMarginals:
    """The probability of each labelled span over all trees of a Span's sentence, by the
    inside-outside algorithm.

    The parser itself defines no distribution: it is trained by margins and decodes the
    best tree. Here P(tree) is proportional to exp(the sum of the label scores of its
    nodes), over the trees that plain CKY searches: all binary trees over the words.
    Each node has one label, which may be empty (score 0) or the sub-head label; the
    root is never empty. Two binary trees that differ in empty nodes alone count as two,
    though their brackets are the same. Arc scores are ignored. The probabilities are
    exact for this distribution, but not calibrated.
    span (Span): A sentence, or a part of one. The Doc needs no parse.
    RAISES (ValueError): The parser scores no constituents."""
    parser = find_parser(nlp)
    sentence, _, _ = locate(span)
    labels = tuple(label_strings(parser))
    probabilities, log_partition = inside_outside(score(parser, sentence).labels)
    words = tuple(sentence.words)
    return SpanMarginals(probabilities, labels, words, log_partition)
