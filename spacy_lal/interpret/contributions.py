"""Exact contributions: a label's score on a span, split over label heads so that the parts add up to the score.

`layers/contributions.py` states the rule that carries them through layer norm and relu. `AuthorsContributions` holds
the authors' quantity (reference-parser.md, section 8), which does not add up to the score.
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import torch
from numpy import ndarray
from spacy.tokens import Doc, Span

from ..layers.contributions import score_spans, span_vectors, split_scores, sum_blocks
from ..pipeline.lal_parser import LALParser
from ..trees import EMPTY, SUB_HEAD
from .attention import head_names
from .parses import checked_constituents
from .sentences import (
    Parser,
    Sentence,
    encode_sentence,
    find_parser,
    label_vocab,
    locate_words,
    network_of,
    sentences_of,
    span_name,
)


@dataclass(frozen=True)
class Contributions:
    """The score of a label on a span, and its parts: bias + tokens + heads.sum() equals the score, within 1e-4.

    start, end (int): The span, half-open, in tokens of the Doc.
    label (str): The label, a whole unary chain: "S::VP".
    score (float): The network's score of the label, which the decoder reads.
    bias (float): The part that does not depend on the span's features.
    tokens (float): The part of the token skip; 0 where the network has none.
    names (Tuple[str, ...]): Names of the label heads, as in `LabelAttention`; or "block 7" where a feed-forward layer
        after label attention mixes the heads, so that no block belongs to one head.
    heads (ndarray): Shape: (n_label_heads,), float64. The part of each head.
    """

    start: int
    end: int
    label: str
    score: float
    bias: float
    tokens: float
    names: Tuple[str, ...]
    heads: ndarray

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return self.bias + self.tokens + float(self.heads.sum())

    def top(self, k: int = 5) -> List[Tuple[str, float]]:
        """The k heads with the largest parts, for or against the label, largest first."""
        order = np.argsort(-np.abs(self.heads), kind="stable")[:k]
        return [(self.names[i], float(self.heads[i])) for i in order]

    def records(self) -> List[Dict[str, Any]]:
        """One dict for each part: start, end, label, part ("bias", "tokens", or the head's name), value."""
        parts = [("bias", self.bias), ("tokens", self.tokens), *zip(self.names, self.heads.tolist(), strict=True)]
        cell = {"start": self.start, "end": self.end, "label": self.label}
        return [{**cell, "part": name, "value": value} for name, value in parts]


def contributions(nlp: Parser, span: Span, label: Optional[str] = None) -> Contributions:
    """The contribution of each label head to the score of a label on a span.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    span (Span): Any span of words of one sentence, if a label is given; otherwise a constituent of the Doc's parse.
    label (Optional[str]): One of the parser's labels ("NP", "S::VP", or "<H>"), or None for the constituent's label.
    RETURNS (Contributions): The parts of its score.
    RAISES (ValueError): The label is unknown or empty (its score is always 0); without a label, the Doc has no parse,
        or a parse by another model, or the span is no constituent; the model has no label attention, or joins its
        heads; the pipeline has no parser; the span crosses a sentence boundary, or has no words.
    """
    sentence, start, end = locate_words(nlp, span)
    part_names(sentence.parser)
    strings = label_vocab(sentence.parser).strings
    if label is None:
        (constituents,) = checked_constituents([sentence])
        here = [constituent for constituent in constituents if constituent[:2] == (start, end)]
        if not here:
            raise ValueError(f"{span_name(span)} is no constituent of the Doc's parse: expected one, or a label")
        return _split(sentence, here)[0]
    if label not in strings[SUB_HEAD:]:
        why = "whose score is always 0" if label == strings[EMPTY] else "which is none of the parser's labels"
        raise ValueError(f"expected a label like {', '.join(strings[2:6])}, got {label!r}, {why}")
    return _split(sentence, [(start, end, strings.index(label))])[0]


def label_contributions(nlp: Parser, span: Span) -> List[Contributions]:
    """The `contributions` to every label of the parser except the empty one, on one span, in the order of the labels.

    RAISES (ValueError): As `contributions`; the span need not be a constituent.
    """
    sentence, start, end = locate_words(nlp, span)
    part_names(sentence.parser)
    return _split(sentence, [(start, end, label) for label in range(SUB_HEAD, len(label_vocab(sentence.parser)))])


def constituent_contributions(nlp: Parser, doc_or_span: Union[Doc, Span]) -> List[Contributions]:
    """The `contributions` to every constituent of a Doc's parse, or of a Span's sentence, in pre-order. A unary chain
    is one constituent.

    RAISES (ValueError): As `contributions`: the Doc needs a parse, by this model.
    """
    part_names(find_parser(nlp))
    sentences = sentences_of(nlp, doc_or_span)
    found: List[Contributions] = []
    for sentence, constituents in zip(sentences, checked_constituents(sentences), strict=True):
        found += _split(sentence, constituents) if constituents else []
    return found


@dataclass(frozen=True)
class AuthorsContributions:
    """The "contributions" of the label heads to a span, as the authors print them.

    start, end (int): The span, half-open, in tokens of the Doc.
    names (Tuple[str, ...]): As in `Contributions`.
    heads (ndarray): Shape: (n_label_heads,), float64. They sum to 1 and are nearly equal.
    """

    start: int
    end: int
    names: Tuple[str, ...]
    heads: ndarray


def authors_contributions(nlp: Parser, span: Span) -> AuthorsContributions:
    """The quantity of the authors' code, for comparison: each head's block of the span vector is summed, the sums are
    min-max scaled to [0, 1] over the heads, then a softmax is taken. It ignores the span scorer, so it does not depend
    on a label and has no sign. Where all sums are equal, the authors divide by 0; here all heads have the same share.
    (Their program prints it for head label_id - 1; the label's own head is label_id - 2.)

    RAISES (ValueError): As `contributions`; the span need not be a constituent.
    """
    sentence, start, end = locate_words(nlp, span)
    names = part_names(sentence.parser)
    fenceposts = encode_sentence(sentence).fenceposts[0].double()
    difference = fenceposts[end : end + 1] - fenceposts[start : start + 1]
    sums = sum_blocks(network_of(sentence.parser).fenceposts.layout, difference)[0].cpu().numpy()
    spread = sums.max() - sums.min()
    scaled = np.exp((sums - sums.min()) / (spread if spread else 1.0))
    return AuthorsContributions(*sentence.tokens(start, end), names, scaled / scaled.sum())


def part_names(parser: LALParser) -> Tuple[str, ...]:
    """Names of the label heads' parts of a score.

    RAISES (ValueError): The model has no label attention, or its heads have no blocks of their own.
    """
    names = head_names(parser)
    label_vocab(parser)
    network = network_of(parser)
    attention = network.label_attention
    if attention is None or not network.fenceposts.layout.n_label_heads:
        raise ValueError(
            f"'{parser.name}' projects all label heads together (combine_as_self): no score has a part of one"
        )
    if attention.mixes_blocks:
        return tuple(f"block {i}" for i in range(len(names)))
    return names


def _split(sentence: Sentence, cells: Sequence[Tuple[int, int, int]]) -> List[Contributions]:
    """The parts of the scores of labelled spans: start, end, label id, in words."""
    parser, names, strings = sentence.parser, part_names(sentence.parser), label_vocab(sentence.parser).strings
    network = network_of(parser)
    fenceposts = encode_sentence(sentence).fenceposts[0]
    vectors = span_vectors(network, fenceposts, [(start, end) for start, end, _ in cells])
    labels = torch.tensor([label for *_, label in cells], device=vectors.device)
    scores = score_spans(network, vectors).gather(1, labels[:, None])[:, 0].tolist()
    bias, blocks, tokens = (part.cpu().numpy() for part in split_scores(network, vectors, labels))
    return [
        Contributions(
            *sentence.tokens(start, end),
            label=strings[label],
            score=scores[i],
            bias=float(bias[i]),
            tokens=float(tokens[i]),
            names=names,
            heads=blocks[i],
        )
        for i, (start, end, label) in enumerate(cells)
    ]
