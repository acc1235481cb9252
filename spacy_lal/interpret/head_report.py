"""Which head is which label? A report over a treebank: the heads of each label, and the labels and words of each head.

The part of a head in a correct constituent is what its block adds to the margin of the label: to its score less that of
the next best label of the same span. That may be the one of sub-heads or, unless the span is the whole sentence, which
always bears a label, the empty one (score 0). Both scores are split as in `layers/contributions.py`, so bias, tokens
and heads add up to the margin. A label's figures are means over its correct constituents: those that gold tree and
parse have in common, with their whole unary chain.

In training nothing ties a head to the label of its number (unless the model has `label_ties`); how far the two go
together is what the report tells. It does not say what a label would lose with a head, since the split holds the norm
and the active units as they are: that is measured by `ablation.py`.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import torch
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc
from torch import Tensor

from ..layers.contributions import score_spans, span_vectors, split_scores
from ..layers.parser_network import ParserNetwork
from ..trees import EMPTY
from .ablation import N_SPANS, ReadSentence, rival_scores
from .attention import START, STOP
from .label_counts import AblatedTreebank, LabelCounts, count_labels


class _CorrectSpan(NamedTuple):
    """The vector of a correct constituent, and whether it is the whole sentence. *Shape:* (fencepost_width,)."""

    vector: Tensor
    whole: bool


@dataclass(frozen=True)
class LabelHeads:
    """What the label heads add to one label, on its correct constituents.

    label (str): A whole unary chain.
    counts (LabelCounts): Its constituents: gold, predicted, correct. Where none is correct, all means are 0.
    margin (float): The mean margin: bias + tokens + heads.sum().
    bias, tokens (float): The mean part that no head has, and that of the whole tokens.
    heads (ndarray): Shape: (n_label_heads,), float64. The mean part of each head.
    own (Optional[int]): The number of the head that is called by the label; None where no head is.
    """

    label: str
    counts: LabelCounts
    margin: float
    bias: float
    tokens: float
    heads: ndarray
    own: Optional[int]

    @property
    def ranking(self) -> List[int]:
        """All heads by their part, the largest first; none where nothing is correct."""
        return np.argsort(-self.heads, kind="stable").tolist() if self.counts.correct else []

    @property
    def own_rank(self) -> Optional[int]:
        """The place of the label's own head in the ranking, 1 being the first; None where it has none."""
        return self.ranking.index(self.own) + 1 if self.own is not None and self.counts.correct else None


class HeadLabel(NamedTuple):
    """A label that a head adds to: at which place of the label's ranking, and how much."""

    label: str
    rank: int
    part: float


class HeadWord(NamedTuple):
    """A word that a head looks at.

    word (str): In lower case; "<START>" and "<STOP>" are the ends of a sentence.
    share (float): How much of its attention the word gets, all occurrences together, as a mean over sentences. The
        shares of all words add up to 1.
    even (float): What the word would get if the head looked at all positions of a sentence alike.
    """

    word: str
    share: float
    even: float


@dataclass(frozen=True)
class LabelHead:
    """One label head.

    number, name: As in `LabelAttention.heads`.
    labels (Tuple[HeadLabel, ...]): In whose rankings it stands highest, best first.
    words (Tuple[HeadWord, ...]): What it looks at most beyond an even share, largest difference first.
    """

    number: int
    name: str
    labels: Tuple[HeadLabel, ...]
    words: Tuple[HeadWord, ...]


@dataclass(frozen=True)
class HeadReport:
    """Labels and heads of a parser, on a treebank.

    labels (Tuple[LabelHeads, ...]): All labels of the parser and of the gold trees, the most frequent first.
    heads (Tuple[LabelHead, ...]): In order.
    n_sentences (int): Sentences with a gold tree.
    n_left_out (int): Sentences so long that the parser reads them in pieces.
    """

    labels: Tuple[LabelHeads, ...]
    heads: Tuple[LabelHead, ...]
    n_sentences: int
    n_left_out: int

    def own_head_share(self, k: int) -> Optional[float]:
        """The share of labels, 0 to 1, whose own head is among their k first, of those that have one and are correct
        at least once; None where there are none. By chance: `chance`."""
        ranks = [one.own_rank for one in self.labels if one.own_rank is not None]
        return sum(rank <= k for rank in ranks) / len(ranks) if ranks else None

    def chance(self, k: int) -> float:
        """The share that own heads would have in a random order."""
        return min(1.0, k / len(self.heads))

    def records(self, k: int = 10) -> Dict[str, Any]:
        """The report as dicts and lists for JSON.

        k (int): How many heads of each label; all figures of the others are left out.
        """
        names = [head.name for head in self.heads]
        return {
            "n_sentences": self.n_sentences,
            "n_left_out": self.n_left_out,
            "own_head": [{"k": n, "share": self.own_head_share(n), "chance": self.chance(n)} for n in (1, 3, 10)],
            "labels": [
                {
                    "label": one.label,
                    **one.counts._asdict(),
                    **{"margin": one.margin, "bias": one.bias, "tokens": one.tokens, "heads": float(one.heads.sum())},
                    "own_head": None if one.own is None else names[one.own],
                    "own_rank": one.own_rank,
                    "top": [{"number": i, "head": names[i], "part": float(one.heads[i])} for i in one.ranking[:k]],
                }
                for one in self.labels
            ],
            "heads": [
                {
                    "number": head.number,
                    "head": head.name,
                    "labels": [label._asdict() for label in head.labels],
                    "words": [word._asdict() for word in head.words],
                }
                for head in self.heads
            ],
        }


def head_report(nlp: Language, golds: Sequence[Doc], *, k: int = 10, batch_size: int = 64) -> HeadReport:
    """Parse the gold tokens of a treebank and say what the label heads do.

    nlp (Language): A pipeline with one parser of ours.
    golds (Sequence[Doc]): With sentence breaks and gold constituents; a Doc or sentence without is left out.
    k (int): How many labels and words of each head are kept.
    batch_size (int): Docs encoded together.
    RETURNS (HeadReport): The report.
    RAISES (ValueError): k is less than 1; the model has no label attention, or joins its heads, or scores no
        constituents; no parser, or several; no Doc has gold constituents; sentence boundaries are not known.
    """
    return report_on(AblatedTreebank(nlp, golds, batch_size=batch_size), k=k)


def report_on(treebank: AblatedTreebank, *, k: int = 10) -> HeadReport:
    """The same of a treebank that the parser has read.

    RAISES (ValueError): k is less than 1.
    """
    if k < 1:
        raise ValueError(f"k is how many labels and words to keep of each head: expected at least 1, got {k}")
    labels = _label_heads(treebank)
    sentences = [one for one, tree in zip(treebank.parser.sentences, treebank.trees, strict=True) if tree]
    places = _places(labels)
    words = _head_words(sentences, k)
    heads = [
        LabelHead(i, name, tuple(places.get(i, [])[:k]), found)
        for i, (name, found) in enumerate(zip(treebank.parser.names, words, strict=True))
    ]
    return HeadReport(tuple(labels), tuple(heads), len(sentences), treebank.parser.n_left_out)


def _label_heads(treebank: AblatedTreebank) -> List[LabelHeads]:
    """Labels that are nowhere to be seen come last, in the parser's order."""
    parser = treebank.parser
    found = parser.parse()
    counts = count_labels(treebank.trees, found)
    correct_spans: Dict[str, List[_CorrectSpan]] = defaultdict(list)
    for sentence, tree, spans in zip(parser.sentences, treebank.trees, found, strict=True):
        correct = [span for span in spans if span in tree]
        for (start, end, label), vector in zip(
            correct, span_vectors(parser.network, sentence.fenceposts, [span[:2] for span in correct]), strict=True
        ):
            correct_spans[label].append(_CorrectSpan(vector, end - start == len(sentence.words)))
    numbers = {name: i for i, name in enumerate(parser.names)}
    rows = []
    for label in dict.fromkeys([*counts, *parser.labels[2:]]):
        bias, tokens, heads = 0.0, 0.0, np.zeros(len(parser.names))
        if label in correct_spans:
            bias, tokens, heads = _mean_parts(parser.network, correct_spans[label], parser.labels.index(label))
        margin = bias + tokens + float(heads.sum())
        count = counts.get(label, LabelCounts(0, 0, 0))
        rows.append(LabelHeads(label, count, margin, bias, tokens, heads, numbers.get(label)))
    return rows


def _mean_parts(network: ParserNetwork, spans: Sequence[_CorrectSpan], label: int) -> Tuple[float, float, ndarray]:
    """The parts of a label's margin over the next best one, as means over spans: bias, tokens, heads."""
    bias, tokens, heads = 0.0, 0.0, np.zeros(network.n_label_heads)
    for first in range(0, len(spans), N_SPANS):
        vectors, whole = zip(*spans[first : first + N_SPANS], strict=True)
        some = torch.stack(vectors)
        own = torch.full((len(some),), label, device=some.device)
        others = rival_scores(score_spans(network, some), own, whole).argmax(1)
        ours = split_scores(network, some, own)
        theirs = split_scores(network, some, others.clamp(min=EMPTY + 1))
        has_parts = (others != EMPTY).double()  # the empty label's score is 0, and so are its parts
        bias += float((ours.bias - theirs.bias * has_parts).sum())
        tokens += float((ours.tokens - theirs.tokens * has_parts).sum())
        heads += (ours.blocks - theirs.blocks * has_parts[:, None]).sum(0).cpu().numpy()
    return bias / len(spans), tokens / len(spans), heads / len(spans)


def _places(labels: Iterable[LabelHeads]) -> Dict[int, List[HeadLabel]]:
    """For each head, all labels, by its place in their rankings."""
    places: Dict[int, List[HeadLabel]] = defaultdict(list)
    for one in labels:
        for rank, head in enumerate(one.ranking, start=1):
            places[head].append(HeadLabel(one.label, rank, float(one.heads[head])))
    return {head: sorted(found, key=lambda place: (place.rank, -place.part)) for head, found in places.items()}


def _head_words(sentences: Sequence[ReadSentence], k: int) -> List[Tuple[HeadWord, ...]]:
    """For each head, the words it looks at most, beyond what they would get from a head that looks at all alike."""
    ids: Dict[str, int] = {}
    for sentence in sentences:
        for word in (START, *(word.lower() for word in sentence.words), STOP):
            ids.setdefault(word, len(ids))
    shares = np.zeros((len(sentences[0].attention), len(ids)))
    even = np.zeros(len(ids))
    for sentence in sentences:
        row = [ids[START], *(ids[word.lower()] for word in sentence.words), ids[STOP]]
        np.add.at(shares.T, row, sentence.attention.T.astype("f8"))
        np.add.at(even, row, 1.0 / len(row))
    shares, even = shares / len(sentences), even / len(sentences)
    words = list(ids)
    best = np.argsort(even - shares, axis=1, kind="stable")[:, :k]
    return [
        tuple(HeadWord(words[i], float(shares[head, i]), float(even[i])) for i in row)
        for head, row in enumerate(best.tolist())
    ]
