"""Exact contributions: a label score as a sum over label heads (reference-parser.md, section 8).

The score of label y on a span with the vector s (f_end - f_start, or both, see `SpanScorer`) is
W2[y] relu(norm(W1 s + b1)) + b2[y]. W1 s is a sum over the features of s. The rest is not linear, but it is affine for
a given span: the norm subtracts a mean, which is linear, and divides by a number, std + EPSILON; relu keeps some hidden
units and drops the others. With this divisor and these units fixed, the score is an affine function of s with the right
value at s. Each feature has its addend, and one bias collects the terms that do not depend on s. The parts are float64,
so their sum differs from the score only by the network's own rounding.
*Not* here: names of features, and Docs.
"""

from typing import NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor

from .configs import FIRST_LABEL, FencepostLayout
from .network_inputs import NetworkInputs
from .norm import EPSILON
from .parser_network import ParserNetwork
from .scorers.span_scorer import SpanScorer


class ScoreParts(NamedTuple):
    """The addends of some label scores, float64: bias + blocks.sum(1) + tokens is the score.

    bias (Tensor): The part that does not depend on the span. *Shape:* (n_scores,).
    blocks (Tensor): The addend of each block of the encoder's output, both of its halves together; empty without label
        blocks. *Shape:* (n_scores, n_label_heads) or (n_scores, 0).
    tokens (Tensor): The addend of the other features of the span vector: whole tokens, or without blocks everything.
        *Shape:* (n_scores,).
    """

    bias: Tensor
    blocks: Tensor
    tokens: Tensor


class Encoded(NamedTuple):
    """Sentences as the scorers read them, before any chart is made.

    fenceposts (Tensor): Features of the gaps between words. *Shape:* (batch_size, n + 1, fencepost_width), n being the
        longest sentence.
    label_attention (Optional[Tensor]): As in `NetworkOutput`.
    """

    fenceposts: Tensor
    label_attention: Optional[Tensor]


@torch.no_grad()
def encode_sentences(network: ParserNetwork, inputs: NetworkInputs) -> Encoded:
    """The first half of the network's forward pass.

    network (ParserNetwork): The network, in evaluation mode; otherwise dropout is active.
    inputs (NetworkInputs): A batch of sentences.
    """
    return Encoded(*network.encode(inputs))


def span_vectors(network: ParserNetwork, fenceposts: Tensor, spans: Sequence[Tuple[int, int]]) -> Tensor:
    """The vectors of some spans of one sentence.

    network (ParserNetwork): The network.
    fenceposts (Tensor): *Shape:* (n + 1, fencepost_width).
    spans (Sequence[Tuple[int, int]]): Half-open, in words.
    RETURNS (Tensor): *Shape:* (n_spans, span_width), the width of the span scorer's input.
    RAISES (ValueError): The network scores no spans.
    """
    index = torch.tensor(list(spans), dtype=torch.long, device=fenceposts.device).view(-1, 2)
    return _given(network.span_scorer).span_vectors(fenceposts[index[:, 1]], fenceposts[index[:, 0]])


@torch.no_grad()
def score_spans(network: ParserNetwork, vectors: Tensor) -> Tensor:
    """The scores of all labels on some spans, computed by the network's own modules in their precision.

    network (ParserNetwork): The network.
    vectors (Tensor): Span vectors. *Shape:* (n_spans, span_width).
    RETURNS (Tensor): *Shape:* (n_spans, n_labels); 0 for the empty label.
    RAISES (ValueError): The network scores no spans.
    """
    scorer = _given(network.span_scorer)
    scores = scorer.output(scorer.norm(scorer.hidden(vectors)).relu())
    own = _own_weights(scorer)
    scores[:, scores.shape[1] - len(own) :] += vectors @ own.t()
    return torch.nn.functional.pad(scores, (1, 0))


@torch.no_grad()
def split_scores(network: ParserNetwork, vectors: Tensor, labels: Tensor) -> ScoreParts:
    """The addends of some label scores, one label for each given span.

    network (ParserNetwork): The network.
    vectors (Tensor): Span vectors. *Shape:* (n_scores, span_width).
    labels (Tensor): Label ids, from 1: the empty label's score is 0 and has no parts. *Shape:* (n_scores,).
    RETURNS (ScoreParts): The parts.
    RAISES (ValueError): The network scores no spans.
    """
    scorer = _given(network.span_scorer)
    vectors = vectors.double()
    weight, hidden_bias = scorer.hidden.weight.double(), scorer.hidden.bias.double()
    gain, norm_bias = scorer.norm.gain.double(), scorer.norm.bias.double()
    outgoing = scorer.output.weight.double()[labels - 1]
    bias = scorer.output.bias.double()[labels - 1]
    hidden = vectors @ weight.t() + hidden_bias
    if hidden.shape[1] == 1:  # std_norm leaves a single unit as it is
        slopes = outgoing * (hidden > 0)
    else:
        scale = 1.0 / (hidden.std(1, keepdim=True) + EPSILON)
        centred = hidden - hidden.mean(1, keepdim=True)
        kept = outgoing * (gain * scale * centred + norm_bias > 0)
        bias = bias + kept @ norm_bias
        slopes = kept * gain * scale
        slopes = slopes - slopes.mean(1, keepdim=True)  # the norm subtracts a mean, and so does its transpose
    weights = slopes @ weight
    own = _own_weights(scorer).double()
    if len(own):
        tied = labels >= FIRST_LABEL
        weights[tied] += own[labels[tied] - FIRST_LABEL]
    addends = (weights * vectors).unflatten(1, (scorer.n_projections, -1)).sum(1)  # of both ends together
    layout = network.fenceposts.layout
    n_block_features = layout.halves_width if layout.n_label_heads else 0
    return ScoreParts(
        bias=bias + slopes @ hidden_bias,
        blocks=sum_blocks(layout, addends),
        tokens=addends[:, n_block_features:].sum(1),
    )


def _own_weights(scorer: SpanScorer) -> Tensor:
    """The weights of the labels' own heads, on span vectors. *Shape:* (n_own, span_width)."""
    return scorer.own_weights().repeat(1, scorer.n_projections)


def _given(scorer: Optional[SpanScorer]) -> SpanScorer:
    if scorer is None:
        raise ValueError("the network scores no spans: it has no label scores")
    return scorer


def sum_blocks(layout: FencepostLayout, features: Tensor) -> Tensor:
    """The sum over each label head's features of a fencepost. *Shapes:* (n_rows, width), (n_rows, n_label_heads)."""
    columns = torch.from_numpy(layout.block_columns(range(layout.n_label_heads)))
    return features[:, columns].unflatten(1, (layout.n_label_heads, layout.block_width)).sum(2)
