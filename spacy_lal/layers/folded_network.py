"""The network folded for parsing: the same scores from fewer and larger products. Only the best scores are kept.

A decoder chooses among the best label of each span and the best deprel of each arc. Keeping only these, a sentence of n
words costs O(n^2) numbers, not O(n^2 * labels). Positions are packed, so that padding costs nothing. Each layer has its
own folded form (`folding.py`); this file connects them.
"""

from typing import Callable, NamedTuple, Optional

import torch
from torch import Tensor

from .folding import FoldedLayer, fold
from .inputs import NetworkInputs
from .label_attention import fold_label_attention
from .modes import evaluating
from .packing import Packing
from .parser_network import ParserNetwork
from .products import Precision
from .scorers.deprel_features import DeprelFeatures, DeprelWeights
from .scorers.fencepost_products import FencepostProducts
from .span_scorer import best_labels

_CHUNK_FLOATS = 1 << 23  # of the widest tensor held at once: 32 MiB


class FoldedOutput(NamedTuple):
    """The best scores of a batch. n is its longest sentence; scores beyond a sentence's own length are meaningless.

    labels (Tensor): Scores of the empty label (0), of SUB_HEAD and of the best other label of each span. *Shape:*
        (batch_size, n + 1, n + 1, 3), or (batch_size, 0, 0, 3) where the network scores no spans.
    label_ids (Tensor): The best other label. *Shape:* (batch_size, n + 1, n + 1), int16.
    arcs (Tensor): [dependent, head], 0 is the root. *Shape:* (batch_size, n + 1, n + 1).
    deprel_ids (Tensor): The best deprel of each arc. *Shape:* (batch_size, n + 1, n + 1), int16. Where the scorer is
        not given the head, the best of each dependent: (batch_size, n + 1). Without deprels, or with a
        `deprel_features`: (batch_size, 0).
    label_attention (Optional[Tensor]): As in `NetworkOutput`.
    deprel_features (Optional[DeprelFeatures]): On a CPU, chooses deprels after the decoder has chosen heads.
    """

    labels: Tensor
    label_ids: Tensor
    arcs: Tensor
    deprel_ids: Tensor
    label_attention: Optional[Tensor]
    deprel_features: Optional[DeprelFeatures]


class FoldedNetwork:
    """A network ready to parse. Later changes of the weights have no effect on it.

    network (ParserNetwork): In evaluation mode.
    precision (Precision): The precision of matrix products. Norms, softmaxes and scores are always float32.
    """

    @torch.no_grad()
    def __init__(self, network: ParserNetwork, precision: Precision = torch.float32) -> None:
        self.network = evaluating(network)  # so that copies of its parts are in evaluation mode, too
        self.encoder: FoldedLayer = fold(network.encoder, precision)
        attention = network.label_attention
        self.label_attention = None if attention is None else fold_label_attention(attention, precision)
        self.span_scorer, self.biaffine_scorer = network.span_scorer, network.biaffine_scorer
        layout = network.fenceposts.layout
        layers = () if self.biaffine_scorer is None else self.biaffine_scorer.input_layers
        spans = network.inputs.positions.new_zeros(0, layout.width)
        if self.span_scorer is not None:
            spans = self.span_scorer.projection()
        # the span scorer's bias is added to differences of fenceposts, not to fenceposts
        bias = torch.cat([spans.new_zeros(len(spans)), *(layer.bias for layer in layers)])
        self.products = FencepostProducts(layout, [spans, *(layer.weight for layer in layers)], bias, precision)
        self.width = max(layout.halves_width, self.products.width)
        self.deprel_weights: Optional[DeprelWeights] = None
        if self.biaffine_scorer is not None and self.biaffine_scorer.given_head:
            self.deprel_weights = DeprelWeights(self.biaffine_scorer, precision)

    def __call__(self, inputs: NetworkInputs) -> FoldedOutput:
        """Score a batch of sentences. RETURNS (FoldedOutput): The best scores, without gradient."""
        evaluating(self.network)
        with torch.inference_mode():
            return self._score(inputs)

    def _score(self, inputs: NetworkInputs) -> FoldedOutput:
        seq_len = int(inputs.lengths.max()) + 2 if len(inputs.lengths) else 2
        packing = Packing(inputs.lengths + 2, seq_len)
        embed, reads_positions = self.network.inputs, self.network.encoder.reads_positions
        positions = embed.place(len(inputs.lengths), seq_len) if reads_positions else None
        tokens = self.encoder(packing.pack(embed(inputs, seq_len, positions)), packing, positions)
        weights: Optional[Tensor] = None
        encoded: Callable[[slice], Tensor] = tokens.__getitem__
        if self.label_attention is not None:
            weights, encoded = self.label_attention(tokens, packing)
        span, *pairs = self._projected(tokens, encoded).split(self.products.widths, dim=-1)
        batch_size, n_fenceposts = packing.shape[0], seq_len - 1
        labels, label_ids = span.new_zeros(batch_size, 0, 0, 3), span.new_zeros(batch_size, 0, 0).short()
        arcs = span.new_zeros(batch_size, n_fenceposts, n_fenceposts)
        deprel_ids = span.new_zeros(batch_size, 0).short()
        if self.span_scorer is not None:
            labels, label_ids = best_labels(self.span_scorer, span, packing.first_rows, inputs.lengths, n_fenceposts)
        kept: Optional[DeprelFeatures] = None
        if self.biaffine_scorer is not None:
            *arc_features, head, dependent = (layer.relu() for layer in pairs)
            arcs = self.biaffine_scorer.score_arcs(*(packing.unpack_fenceposts(part) for part in arc_features))
            if self.deprel_weights is not None and span.device.type == "cpu":
                parts = (head.numpy(), dependent.numpy(), packing.first_rows.numpy())
                kept = DeprelFeatures(self.deprel_weights, *parts)
            else:
                head, dependent = (packing.unpack_fenceposts(part) for part in (head, dependent))
                deprel_ids = self.biaffine_scorer.best_deprels(head, dependent)
        return FoldedOutput(labels, label_ids, arcs, deprel_ids, weights, kept)

    def _projected(self, tokens: Tensor, encoded: Callable[[slice], Tensor]) -> Tensor:
        """The output of the scorers' first layers for each fencepost, in the row of the position before it. The last
        row of a sentence, the position STOP, is meaningless; the very last one is left out. *Shape:* (n_positions - 1,
        width)."""
        size = max(64, _CHUNK_FLOATS // self.width)
        chunks = [slice(first, first + size + 1) for first in range(0, max(1, len(tokens) - 1), size)]
        projected = [self.products(encoded(rows), tokens[rows]) for rows in chunks]
        return torch.cat(projected) if len(projected) > 1 else projected[0]
