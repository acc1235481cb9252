"""The parser's network: inputs -> encoder -> label attention -> fenceposts -> scorers.

The one module that a checkpoint maps onto. *Not* here: documents, tokenizers, transformers (their vectors come in),
decoding (scores go out).
"""

from dataclasses import dataclass, fields
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn

from .checks import check_count
from .encoders.encoder import EncoderConfig
from .fenceposts import Fenceposts, FencepostsConfig
from .input_layer import InputLayerConfig
from .label_attention import LabelAttention, LabelAttentionConfig
from .network_inputs import InputSizes, NetworkInputs
from .scorers.biaffine_scorer import BiaffineScorer, BiaffineScorerConfig
from .scorers.label_head_scorer import FIRST_LABEL
from .scorers.span_scorer import SpanScorer, SpanScorerConfig
from .unfilled import Unfilled
from .word_features.vectors import Vectors


@dataclass(frozen=True)
class ParserSizes(InputSizes):
    """Sizes that come from a treebank, in addition to the sizes of the inputs.

    n_labels (int): Constituent labels, including the empty label and the sub-head label; 0 for no constituents.
    n_deprels (int): Dependency labels; 0 for no dependencies.
    n_label_heads (int): Label heads, if the config makes their number depend on the labels.
    RAISES (ValueError): A size is out of range.
    """

    n_labels: int = 0
    n_deprels: int = 0
    n_label_heads: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            check_count(field.name, getattr(self, field.name), 0)
        if 0 < self.n_labels < FIRST_LABEL:
            raise ValueError(f"n_labels: expected 0, or 2 and more (EMPTY, SUB_HEAD), got {self.n_labels}")


@dataclass(frozen=True)
class ParserNetworkConfig:
    """The parts of a `ParserNetwork`; each record belongs to its layer.

    hidden_width (int): Width of positions from the input layer to label attention.
    inputs (InputLayerConfig): Word features and positions.
    encoder (EncoderConfig): Layers of self-attention.
    label_attention (Optional[LabelAttentionConfig]): None for a network without it.
    fenceposts (FencepostsConfig): How tokens become fenceposts.
    span_scorer (Optional[SpanScorerConfig]): None to parse only dependencies.
    biaffine_scorer (Optional[BiaffineScorerConfig]): None to parse only constituents.
    RAISES (ValueError): The parts do not fit together.
    """

    hidden_width: int
    inputs: InputLayerConfig
    encoder: EncoderConfig
    label_attention: Optional[LabelAttentionConfig]
    fenceposts: FencepostsConfig
    span_scorer: Optional[SpanScorerConfig]
    biaffine_scorer: Optional[BiaffineScorerConfig]

    def __post_init__(self) -> None:
        check_count("hidden_width", self.hidden_width)
        if self.encoder.reads_positions and self.inputs.join != "sum":
            raise ValueError(
                f'queries = "positions" requires join = "sum" of the inputs, got join = {self.inputs.join!r}'
            )
        if self.span_scorer is None and self.biaffine_scorer is None:
            raise ValueError(
                "a parser without span_scorer and biaffine_scorer has nothing to score: expected one of them"
            )
        # If label heads follow the labels, their number is the largest possible: it is checked with the labels.
        vector_width = max([f.mix_layers for f in self.inputs.features if isinstance(f, Vectors)], default=1)
        self.inputs.letters_read(self.hidden_width)  # raises if the features need other words
        sizes = ParserSizes(
            vector_width, 3, 3, 5, n_labels=FIRST_LABEL + 1, n_deprels=1, n_label_heads=self.hidden_width
        )
        with torch.device("meta"), Unfilled():  # no memory, no time: only checks whether the parts fit together
            ParserNetwork(self, sizes)


class NetworkOutput(NamedTuple):
    """Scores of a batch. n is its longest sentence. Arcs and deprels beyond a sentence's own length are meaningless.

    labels (Tensor): [start, end, label] over fenceposts; 0 outside start < end <= length. *Shape:* (batch_size, n + 1,
        n + 1, n_labels), or (batch_size, 0, 0, 0) where the network scores no spans.
    arcs (Tensor): [dependent, head], 0 is the root. *Shape:* (batch_size, n + 1, n + 1).
    deprels (Tensor): [dependent, head, deprel]. *Shape:* (batch_size, n + 1, n + 1, n_deprels), or (batch_size, n + 1,
        n_deprels) where the scorer is not given the head.
    label_attention (Optional[Tensor]): Weights of each label head over START, words, STOP; without gradient. *Shape:*
        (batch_size, n_label_heads, n + 2).
    ties (Optional[Tensor]): The score of each label head on each fencepost; None for a network without a
        `LabelHeadScorer`. *Shape:* (batch_size, n + 1, n_label_heads).
    penalty (Optional[Tensor]): In training, what selectors add to the loss; None without regularisers. *Shape:* ().
    """

    labels: Tensor
    arcs: Tensor
    deprels: Tensor
    label_attention: Optional[Tensor]
    ties: Optional[Tensor] = None
    penalty: Optional[Tensor] = None


class ParserNetwork(nn.Module):
    """The Label Attention Layer parser's network (Mrini et al. 2020). A sentence gets the same scores in any batch.

    config (ParserNetworkConfig): Its parts.
    sizes (ParserSizes): Sizes that come from data.
    """

    def __init__(self, config: ParserNetworkConfig, sizes: ParserSizes) -> None:
        super().__init__()
        self.config, self.sizes = config, sizes
        width = config.hidden_width
        self.inputs = config.inputs.build(width, sizes)
        self.encoder = config.encoder.build(width)
        self.label_attention: Optional[LabelAttention] = None
        encoded_width, n_label_heads = width, 0
        if config.label_attention is not None:
            n_heads = config.label_attention.n_heads or sizes.n_label_heads
            check_count("n_label_heads", n_heads)
            self.label_attention = config.label_attention.build(width, n_heads)
            encoded_width = self.label_attention.output_width
            n_label_heads = n_heads if self.label_attention.has_blocks else 0
        factored = config.inputs.join == "concat"
        layout = config.fenceposts.layout(width, encoded_width, n_label_heads, factored)
        self.fenceposts = Fenceposts(layout)
        self.span_scorer: Optional[SpanScorer] = None
        self.biaffine_scorer: Optional[BiaffineScorer] = None
        if config.span_scorer is not None and sizes.n_labels:
            self.span_scorer = config.span_scorer.build(layout, sizes.n_labels)
        if config.biaffine_scorer is not None and sizes.n_deprels:
            self.biaffine_scorer = config.biaffine_scorer.build(layout, sizes.n_deprels)
        self._scale_scorers(1.0 / layout.scale)

    @property
    def n_label_heads(self) -> int:
        """Label heads; 0 without label attention."""
        return 0 if self.label_attention is None else self.label_attention.n_label_heads

    @property
    def depends_on_batch(self) -> bool:
        """Whether the scores of a sentence depend on the sentences beside it."""
        return self.label_attention is not None and self.label_attention.depends_on_batch

    @torch.no_grad()
    def _scale_scorers(self, factor: float) -> None:
        """Give the network the same first scores as with fenceposts of scale 1.

        Adam moves every weight by about one learning rate. Label blocks are largely redundant, so these moves add up:
        the effect of a step on a scorer's hidden units grows with the number of blocks, and many label heads learn
        worse than few. With the input scaled down and the weights up, a step has the same effect for any number.
        """
        layout = self.fenceposts.layout
        blocks = slice(layout.halves_width)
        if self.span_scorer is not None:
            for weight in self.span_scorer.end_weights():
                weight[:, blocks] *= factor
            if self.span_scorer.ties is not None:
                self.span_scorer.ties.weight.mul_(factor)
        if self.biaffine_scorer is not None:
            for layer in self.biaffine_scorer.input_layers:
                if layer.in_features == layout.width:
                    layer.weight[:, blocks] *= factor

    def arc_inputs(self, fenceposts: Tensor) -> Tensor:
        """The last features of fenceposts, which the biaffine scorer reads. *Shapes:* (..., width) to (...,
        input_width)."""
        if self.biaffine_scorer is None:
            return fenceposts
        return fenceposts[..., fenceposts.shape[-1] - self.biaffine_scorer.arc_head.in_features :]

    def encode(self, inputs: NetworkInputs) -> tuple[Tensor, Optional[Tensor]]:
        """Fenceposts, *shape:* (batch_size, n + 1, width), and the weights of label attention, *shape:* (batch_size,
        n_label_heads, n + 2).

        RAISES (ValueError): The batch lacks a kind of features that the network reads.
        """
        lengths = inputs.lengths
        seq_len = int(lengths.max()) + 2 if len(lengths) else 2
        padding = torch.arange(seq_len, device=lengths.device) >= lengths[:, None] + 2
        positions = self.inputs.place(len(lengths), seq_len) if self.encoder.reads_positions else None
        tokens = self.encoder(self.inputs(inputs, seq_len, positions), padding, positions)
        encoded, weights = tokens, None
        if self.label_attention is not None:
            encoded, weights = self.label_attention(tokens, padding)
        return self.fenceposts(encoded, tokens), weights

    def forward(self, inputs: NetworkInputs, *, return_attention: bool = False) -> NetworkOutput:
        """Score a batch of sentences.

        return_attention (bool): Whether to return the label attention.
        RETURNS (NetworkOutput): The scores.
        RAISES (ValueError): The batch lacks a kind of features that the network reads.
        """
        fenceposts, weights = self.encode(inputs)
        batch_size, n_fenceposts, _ = fenceposts.shape
        labels = fenceposts.new_zeros(batch_size, 0, 0, 0)
        arcs = fenceposts.new_zeros(batch_size, n_fenceposts, n_fenceposts)
        deprels = fenceposts.new_zeros(batch_size, n_fenceposts, 0)
        ties: Optional[Tensor] = None
        if self.span_scorer is not None:
            if self.span_scorer.ties is not None:
                ties = self.span_scorer.ties(fenceposts)
            labels = self.span_scorer(fenceposts, inputs.lengths, ties)
        if self.biaffine_scorer is not None:
            arcs, deprels = self.biaffine_scorer(self.arc_inputs(fenceposts))
        attention = weights.detach() if return_attention and weights is not None else None
        return NetworkOutput(labels, arcs, deprels, attention, ties, self.encoder.take_penalty())
