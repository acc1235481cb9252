"""The parser's network: features -> encoder -> scorers. The one module that a checkpoint maps onto.

Not here: documents, tokenisers, transformers (their vectors come in), decoding (scores go out).
"""

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn

from .biaffine_scorer import BiaffineScorer
from .embedding import InputLayer, NetworkInputs
from .encoder import Encoder
from .fenceposts import Fenceposts
from .head_ties import HeadTies
from .network_config import NetworkConfig
from .span_scorer import SpanScorer

__all__ = ["NetworkConfig", "NetworkInputs", "NetworkOutput", "ParserNetwork"]


class NetworkOutput(NamedTuple):
    """Scores of a batch. n is its longest sentence; beyond a sentence's own length, arcs and deprels mean nothing.

    labels (Tensor): [start, end, label] over fenceposts; 0 outside start < end <= length. *Shape:* (batch_size, n + 1,
        n + 1, n_labels), or (batch_size, 0, 0, 0) where the network scores no spans.
    arcs (Tensor): [dependent, head], 0 is the root. *Shape:* (batch_size, n + 1, n + 1).
    deprels (Tensor): *Shape:* (batch_size, n + 1, n_deprels), or given the head (batch_size, n + 1, n + 1, n_deprels).
    label_attention (Optional[Tensor]): Weights of each label head over START, words, STOP; where queries are computed
        per token, their mean over the queries. Without gradient. *Shape:* (batch_size, n_label_heads, n + 2).
    ties (Optional[Tensor]): What each label head says of each fencepost; None for a network without `label_ties`.
        *Shape:* (batch_size, n + 1, n_label_heads).
    """

    labels: Tensor
    arcs: Tensor
    deprels: Tensor
    label_attention: Optional[Tensor]
    ties: Optional[Tensor] = None


class ParserNetwork(nn.Module):
    """The Label Attention Layer parser's network (Mrini et al. 2020); a sentence gets the same scores in any batch.

    config (NetworkConfig): Sizes and switches.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = InputLayer(config)
        self.encoder = Encoder(config)
        self.fenceposts = Fenceposts(config)
        self.span_scorer: Optional[SpanScorer] = None
        self.biaffine_scorer: Optional[BiaffineScorer] = None
        if config.n_labels:
            ties = HeadTies(config) if config.label_attention and config.label_ties else None
            self.span_scorer = SpanScorer(
                config.fencepost_width, config.span_hidden_width, config.n_labels, ties, config.span_own_projections
            )
        if config.n_deprels:
            self.biaffine_scorer = BiaffineScorer(
                config.arc_input_width,
                config.arc_hidden_width,
                config.deprel_hidden_width,
                config.n_deprels,
                config.deprel_given_head,
                config.biaffine_dropout,
            )
        self._scale_scorers(1.0 / config.fencepost_scale)

    @torch.no_grad()
    def _scale_scorers(self, factor: float) -> None:
        """Keep the first scores what they would be without `fencepost_scale`.

        Adam moves every weight by about one learning rate. Label blocks repeat much of each other, so these moves add
        up: what a step does to a scorer's hidden units grows with the number of blocks, and many label heads learn
        worse than few. With the input scaled down and the weights up, a step does the same for any number of them.
        """
        blocks = slice(self.config.halves_width)
        if self.span_scorer is not None:
            for weight in self.span_scorer.end_weights():
                weight[:, blocks] *= factor
            if self.span_scorer.ties is not None:
                self.span_scorer.ties.weight.mul_(factor)
        if self.biaffine_scorer is not None and not self.config.arcs_from_tokens:
            for layer in self.biaffine_scorer.input_layers:
                layer.weight[:, blocks] *= factor

    def arc_inputs(self, fenceposts: Tensor) -> Tensor:
        """What the biaffine scorer reads of fenceposts. *Shapes:* (..., fencepost_width) to (..., arc_input_width)."""
        return fenceposts[..., self.config.fencepost_width - self.config.arc_input_width :]

    def forward(self, inputs: NetworkInputs, *, return_attention: bool = False) -> NetworkOutput:
        """Score a batch of sentences.

        inputs (NetworkInputs): The batch.
        return_attention (bool): Whether to give the label attention as well.
        RETURNS (NetworkOutput): The scores.
        RAISES (ValueError): if the batch lacks a kind of features that the network reads.
        """
        lengths = inputs.lengths
        seq_len = int(lengths.max()) + 2 if len(lengths) else 2
        padding = torch.arange(seq_len, device=lengths.device) >= lengths[:, None] + 2
        encoded, weights, tokens = self.encoder(self.embedding(inputs, seq_len), padding)
        fenceposts = self.fenceposts(encoded, tokens)
        batch_size, n_fenceposts, _ = fenceposts.shape
        labels = fenceposts.new_zeros(batch_size, 0, 0, 0)
        arcs = fenceposts.new_zeros(batch_size, n_fenceposts, n_fenceposts)
        deprels = fenceposts.new_zeros(batch_size, n_fenceposts, 0)
        ties: Optional[Tensor] = None
        if self.span_scorer is not None:
            if self.span_scorer.ties is not None:
                ties = self.span_scorer.ties(fenceposts)
            labels = self.span_scorer(fenceposts, lengths, ties)
        if self.biaffine_scorer is not None:
            arcs, deprels = self.biaffine_scorer(self.arc_inputs(fenceposts))
        attention = None
        if return_attention and weights is not None:
            attention = mean_over_queries(weights.detach(), padding)
        return NetworkOutput(labels, arcs, deprels, attention, ties)


def mean_over_queries(weights: Tensor, padding: Tensor) -> Tensor:
    """Attention of each label head. weights: (batch, n_heads, 1 or seq_len, seq_len); padding: (batch, seq_len)."""
    if weights.shape[2] == 1:
        return weights.squeeze(2)
    is_query = (~padding).to(weights.dtype)
    return torch.einsum("bhqk,bq->bhk", weights, is_query) / is_query.sum(1)[:, None, None]
