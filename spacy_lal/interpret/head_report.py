"""Which head is which label? A report over a treebank: the heads of each label, and the labels and words of each head.

A head's part in a correct constituent is its block's contribution to the label's margin: the label's score minus the
score of its best rival on the same span. Rivals include the sub-head label and, except on a whole sentence, the empty
label (score 0). Both scores are split as in `layers/contributions.py`, so bias, tokens and heads add up to the margin.
A label's figures are means over its correct constituents: gold tree and parse both have the span with this unary chain.

Training ties no head to the label of its number, unless the model has `label_ties`; the report shows how far heads and
labels correspond. It does not show how much a label loses without a head, because the split keeps the norm and the
active units constant: `ablation.py` measures that.
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
    """The contributions of the label heads to one label, on its correct constituents.

    label (str): A whole unary chain.
    counts (LabelCounts): Its constituents: gold, predicted, correct. Where none is correct, all means are 0.
    margin (float): The mean margin: bias + tokens + heads.sum().
    bias, tokens (float): The mean parts of the bias and of the token skip.
    heads (ndarray): Shape: (n_label_heads,), float64. The mean part of each head.
    own (Optional[int]): The number of the head with the label's name; None without such a head.
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
        """All heads by their part, largest first; empty if no constituent is correct."""
        return np.argsort(-self.heads, kind="stable").tolist() if self.counts.correct else []

    @property
    def own_rank(self) -> Optional[int]:
        """The rank of the label's own head, from 1; None if it has no rank."""
        return self.ranking.index(self.own) + 1 if self.own is not None and self.counts.correct else None


class HeadLabel(NamedTuple):
    """A label to which a head contributes: the head's rank for the label, from 1, and its part."""

    label: str
    rank: int
    part: float


class HeadWord(NamedTuple):
    """A word that a head attends to.

    word (str): In lower case; "<START>" and "<STOP>" are the ends of a sentence.
    share (float): The attention to all occurrences of the word, as a mean over sentences. The shares of all words add
        up to 1.
    even (float): The share of the word under uniform attention.
    """

    word: str
    share: float
    even: float


@dataclass(frozen=True)
class LabelHead:
    """One label head.

    number, name: As in `LabelAttention.heads`.
    labels (Tuple[HeadLabel, ...]): The labels for which it ranks highest, best first.
    words (Tuple[HeadWord, ...]): The words whose share exceeds their even share most, largest difference first.
    """

    number: int
    name: str
    labels: Tuple[HeadLabel, ...]
    words: Tuple[HeadWord, ...]


@dataclass(frozen=True)
class HeadReport:
    """Labels and heads of a parser, on a treebank.

    labels (Tuple[LabelHeads, ...]): All labels of the parser and of the gold trees, most frequent first.
    heads (Tuple[LabelHead, ...]): In order.
    n_sentences (int): Sentences with a gold tree.
    n_left_out (int): Long sentences, which the parser reads in pieces.
    """

    labels: Tuple[LabelHeads, ...]
    heads: Tuple[LabelHead, ...]
    n_sentences: int
    n_left_out: int

    def own_head_share(self, k: int) -> Optional[float]:
        """The share of labels, 0 to 1, whose own head ranks among the first k. Labels without an own head, or without a
        correct constituent, are left out; None if no label remains. `chance` gives the share at random."""
        ranks = [one.own_rank for one in self.labels if one.own_rank is not None]
        return sum(rank <= k for rank in ranks) / len(ranks) if ranks else None

    def chance(self, k: int) -> float:
        """The expected `own_head_share` for a random ranking."""
        return min(1.0, k / len(self.heads))

    def records(self, k: int = 10) -> Dict[str, Any]:
        """The report as dicts and lists for JSON.

        k (int): The number of heads to list for each label.
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
    """Parse the gold tokens of a treebank and report on the label heads.

    nlp (Language): A pipeline with one `lal_parser`.
    golds (Sequence[Doc]): Docs with sentence breaks. Docs and sentences without gold constituents are left out.
    k (int): The number of labels and words to list for each head.
    batch_size (int): Docs encoded together.
    RETURNS (HeadReport): The report.
    RAISES (ValueError): k is less than 1; the model has no label attention, joins its heads, or scores no constituents;
        the pipeline has no parser, or several; no Doc has gold constituents; sentence boundaries are missing.
    """
    return report_on(AblatedTreebank(nlp, golds, batch_size=batch_size), k=k)


def report_on(treebank: AblatedTreebank, *, k: int = 10) -> HeadReport:
    """As `head_report`, for a treebank that the parser has already read.

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
    """The figures of all labels. Labels without gold or predicted spans come last, in the parser's order."""
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
    """The parts of a label's margin, as means over spans: bias, tokens, heads."""
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
    """For each head, all labels, sorted by its rank for them."""
    places: Dict[int, List[HeadLabel]] = defaultdict(list)
    for one in labels:
        for rank, head in enumerate(one.ranking, start=1):
            places[head].append(HeadLabel(one.label, rank, float(one.heads[head])))
    return {head: sorted(found, key=lambda place: (place.rank, -place.part)) for head, found in places.items()}


def _head_words(sentences: Sequence[ReadSentence], k: int) -> List[Tuple[HeadWord, ...]]:
    """For each head, the words whose share exceeds their share under uniform attention most."""
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
