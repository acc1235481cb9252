"""Config blocks of the parser's network but its input layer and encoder. *Not* here:
torch modules, which are built of blocks by the functions `build_...` beside them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Optional, Sequence

import numpy as np
from numpy import ndarray

from .input_configs import Block, InputLayerConfig, InputSizes, check_even


class EncoderLayer(Block):
    """The options of a kind of encoder layer, a frozen dataclass.

    queries (str): "positions" where the layers read the rows of the position table
    beside their inputs."""

    repeat: int
    queries: Literal["features", "positions"] = "features"


@dataclass(frozen=True)
class SelectorConfig(Block):
    """The selector of a self-attention layer (Geng et al. 2020). Outside of training, a
    pair is chosen if its score is positive.

    mode (str): The choice in training. "hard": 0 or 1 from a Gumbel-sigmoid sample,
        with a straight-through gradient. "sample": that sample itself. "soft": the
        probability, without noise.
    on_empty (str): The keys of a position if no key is chosen, i.e. all choices are
        below 1e-6. "all": every allowed key. "nothing": no key, and the weights have
        the reference's 1e-6 in their denominator; then gradients of hard choices reach
        1e7 on short sentences.
    width (Optional[int]): Width of a head's query and key, all parts together. None:
        attn_width of the layer.
    temperature (float): Of the Gumbel-sigmoid samples (their tau); unused if mode is
        "soft". The lower it is, the nearer are samples to 0 and 1.
    RAISES (ValueError): The width or the temperature is out of range.
    """

    mode: Literal["hard", "soft", "sample"] = "hard"
    on_empty: Literal["all", "nothing"] = "all"
    width: Optional[int] = None
    temperature: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.temperature < float("inf"):
            raise ValueError(
                f"temperature: expected a number above 0, got {self.temperature!r}"
            )


@dataclass(frozen=True)
class SelfAttentionLayerConfig(EncoderLayer):
    """One or several equal layers: self-attention, then a feed-forward network, each
    with residual and layer norm.

    repeat (int): How many layers there are; each has weights of its own.
    n_heads (int): Attention heads.
    attn_width (int): Width of a head's query, key and value, all parts together.
    ff_width (int): Hidden units of the feed-forward network.
    factored (bool): Keep the content half and the position half of the features apart
        (Kitaev & Klein 2018, 4.3). Then `attn_width`, `ff_width` and the selector's
        `width` are even.
    attention_dropout (float): Elementwise dropout on attention weights.
    relu_dropout, residual_dropout (float): Feature dropout on hidden units, and before
    a residual is added.
    queries (str): "features": queries and keys are made of the layer's input.
        "positions": of the rows of the position table, the same ones in every such
        layer (Kitaev & Klein's position-only attention); requires factored = false, and
        join = "sum" of the input layer.
    window (int): Only positions at most so far apart attend to each other, START and
        STOP counted; 0 for no window.
    relaxed_window (bool): START, the first word, the last word and STOP are exempt from
        the window.
    selector (Optional[SelectorConfig]): Chooses the pairs that may attend to each other
        (Geng et al. 2020). None: all.
    RAISES (ValueError): An option is out of range, or two contradict each other.
    """

    repeat: int = 1
    n_heads: int = 4
    attn_width: int = 64
    ff_width: int = 512
    factored: bool = True
    attention_dropout: float = 0.2
    relu_dropout: float = 0.2
    residual_dropout: float = 0.2
    queries: Literal["features", "positions"] = "features"
    window: int = 0
    relaxed_window: bool = False
    selector: Optional[SelectorConfig] = None

    least = {"window": 0}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.factored:
            widths = {"attn_width": self.attn_width, "ff_width": self.ff_width}
            if self.selector is not None:
                widths["width of the selector"] = self.selector.width or self.attn_width
            reason = "with factored = true, half for content, half for position"
            for name, value in widths.items():
                check_even(name, value, reason)
        if self.queries == "positions" and self.factored:
            raise ValueError(
                'queries = "positions" requires factored = false, got factored = true'
            )


@dataclass(frozen=True)
class EncoderConfig:
    """The layers of an encoder, in order; without any, positions keep their
    embeddings."""

    layers: tuple[EncoderLayer, ...] = ()


def make_encoder(*layers: EncoderLayer) -> EncoderConfig:
    """An encoder. The config system requires at least one layer; see `make_no_encoder`.

    layers (EncoderLayer): In order, each kind as a block `[....encoder.*.NAME]` of a
    free name."""
    return EncoderConfig(layers=layers)


def make_no_encoder() -> EncoderConfig:
    """An encoder without layers: positions keep their embeddings."""
    return EncoderConfig()


@dataclass(frozen=True)
class LabelAttentionConfig(Block):
    """The label attention layer, which comes after the encoder.

    n_heads (Optional[int]): Label heads. None: one for each label of the treebank.
    attn_width (int): Width of the query, key and value of one label head, all parts
        together; even if `factored`.
    proj_width (int): Width of a label head's block in the output.
    factored (bool): Keep the content half and the position half of the features apart.
    per_head_projection (bool): Each label head projects the token with its own matrix.
        Otherwise, as in the paper, all heads share one.
    attention_dropout (float): Elementwise dropout on attention weights.
    residual_dropout (float): Feature dropout on each label head's output before the
    residual is added."""

    n_heads: Optional[int] = None
    attn_width: int = 32
    proj_width: int = 16
    factored: bool = True
    per_head_projection: bool = False
    attention_dropout: float = 0.2
    residual_dropout: float = 0.0

    least = {"proj_width": 2}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.factored:
            check_even(
                "attn_width of label attention",
                self.attn_width,
                "with factored = true, half for each part",
            )

    def blocks(self, hidden_width: int, n_heads: int) -> tuple[int, int]:
        """Width of the layer's output, and how many blocks of label heads it has; 0 for
        none."""
        return n_heads * self.proj_width, n_heads


@dataclass(frozen=True)
class FencepostLayout:
    """The order of a fencepost's features: forward halves of all blocks, backward
    halves of all blocks, then the token before and the token after.

    n_blocks, block_width (int): Blocks of an encoded position that are halved; the
    forward half is rounded down.
    n_label_heads (int): n_blocks where each block belongs to a label head, else 0.
    token_width (int): Width of a whole token beside the halves; 0 for none.
    scale (float): Factor of the halves.
    """

    n_blocks: int
    block_width: int
    n_label_heads: int = 0
    token_width: int = 0
    scale: float = 1.0

    @cached_property
    def forward_width(self) -> int:
        """Width of the forward half of a block."""
        return self.block_width // 2

    @cached_property
    def halves_width(self) -> int:
        """Width of all halves."""
        return self.n_blocks * self.block_width

    @cached_property
    def width(self) -> int:
        """Width of a fencepost."""
        return self.halves_width + 2 * self.token_width

    def read_width(self, from_tokens: bool) -> int:
        """Width of a whole fencepost, or of whole tokens.

        RAISES (ValueError): There are no whole tokens."""
        if from_tokens and not self.token_width:
            raise ValueError(
                "from_tokens = true requires fenceposts with token_skip = true"
            )
        return 2 * self.token_width if from_tokens else self.width

    def block_columns(self, heads: Sequence[int]) -> ndarray:
        """The columns of some label heads' blocks, one head after the other. *Shape:*
        (n_heads * block_width,)."""
        columns = np.arange(self.halves_width)
        halves = np.split(columns, [self.n_blocks * self.forward_width])
        by_head = [half.reshape(self.n_blocks, -1)[list(heads)] for half in halves]
        return np.concatenate(by_head, axis=1).ravel()


@dataclass(frozen=True)
class FencepostsConfig:
    """How fenceposts are made of encoded tokens: a forward half of the token before, a
    backward half of the token after (Mrini et al. 2020, Eq. 5: a span is
    f_end - f_start).

    halves (Optional[str]): "even_odd": even and odd features, so that each half has
        content and position. "first_second": the first and the second half of the
        features. None: after label attention, the halves of each label head's block;
        without it, no halves with token_skip; otherwise even_odd where content and
        position are kept apart, else first_second.
    token_skip (bool): Add all features of both tokens from the encoder's output, past
        label attention.
    scale_label_blocks (bool): Multiply label blocks by hidden_width / (n_label_heads *
        proj_width) and the first weights of the scorers by the inverse, so that Adam's
        steps do not grow with the number of label heads. False in the paper.
    """

    halves: Optional[Literal["even_odd", "first_second"]] = None
    token_skip: bool = False
    scale_label_blocks: bool = True

    def layout(
        self, hidden_width: int, encoded_width: int, n_label_heads: int, factored: bool
    ) -> FencepostLayout:
        """The layout of a network's fenceposts."""
        token_width = hidden_width if self.token_skip else 0
        if self.halves is None and n_label_heads:
            scale = hidden_width / encoded_width if self.scale_label_blocks else 1.0
            return FencepostLayout(
                n_label_heads,
                encoded_width // n_label_heads,
                n_label_heads,
                token_width,
                scale,
            )
        if self.halves is None and self.token_skip:
            return FencepostLayout(0, 0, 0, token_width)
        default = "even_odd" if factored else "first_second"
        if (self.halves or default) == "first_second":
            return FencepostLayout(1, encoded_width, 0, token_width)
        check_even(
            "the width of encoded tokens",
            encoded_width,
            'half of it for each direction with "even_odd"',
        )
        return FencepostLayout(encoded_width // 2, 2, 0, token_width)


FIRST_LABEL = 2  # of head 0: the empty and the sub-head label have no heads


@dataclass(frozen=True)
class SpanScorerConfig(Block):
    """The scorer of constituent labels.

    hidden_width (int): Hidden units.
    separate_endpoints (bool): Project the start and the end of a span separately.
        Otherwise, as in the paper (Eq. 5), the scorer reads f_end - f_start, in which
        shared features of both ends cancel out.
    label_heads (bool): Add the score of the label's own head on the span
        (`LabelHeadScorer`). Requires label attention with a head for each label.
    from_tokens (bool): The hidden units read only whole tokens, so that with
        `label_heads` a label head speaks for its own label alone. Requires fenceposts
        with token_skip.
    """

    hidden_width: int = 128
    separate_endpoints: bool = False
    label_heads: bool = False
    from_tokens: bool = False

    def check(self, layout: FencepostLayout, n_labels: int) -> None:
        """Check the options against the layout of fenceposts.

        RAISES (ValueError): `label_heads` or `from_tokens` requires what it lacks."""
        if self.label_heads and layout.n_label_heads < max(1, n_labels - FIRST_LABEL):
            raise ValueError(
                "label_heads = true requires label attention with a head for each of "
                f"{n_labels - FIRST_LABEL} labels, "
                f"got {layout.n_label_heads} label heads"
            )
        layout.read_width(self.from_tokens)


@dataclass(frozen=True)
class BiaffineScorerConfig(Block):
    """The scorer of arcs and deprels.

    arc_width, deprel_width (int): Width of heads and dependents, for arcs and for
    deprels.
    from_tokens (bool): Read only whole tokens, so that label blocks serve constituents
        alone. Requires fenceposts with token_skip.
    dropout (float): Elementwise dropout on fenceposts and on heads and dependents.
    """

    arc_width: int = 128
    deprel_width: int = 64
    from_tokens: bool = False
    dropout: float = 0.33


@dataclass(frozen=True)
class ParserSizes(InputSizes):
    """Sizes that come from a treebank, special labels included; 0 for none, or where
    the config decides."""

    n_labels: int = 0
    n_deprels: int = 0
    n_label_heads: int = 0


@dataclass(frozen=True)
class ParserNetworkConfig(Block):
    """See `models.parser.build_lal_parser`.

    RAISES (ValueError): The parts do not fit together."""

    hidden_width: int
    inputs: InputLayerConfig
    encoder: EncoderConfig
    label_attention: Optional[LabelAttentionConfig]
    fenceposts: FencepostsConfig
    span_scorer: Optional[SpanScorerConfig]
    biaffine_scorer: Optional[BiaffineScorerConfig]

    def __post_init__(self) -> None:
        super().__post_init__()
        queries = {layer.queries for layer in self.encoder.layers}
        if "positions" in queries and self.inputs.join != "sum":
            raise ValueError(
                'queries = "positions" requires join = "sum" of the inputs, got join '
                f"= {self.inputs.join!r}"
            )
        if self.span_scorer is None and self.biaffine_scorer is None:
            raise ValueError(
                "a parser without span_scorer and biaffine_scorer has nothing to "
                "score: expected one of them"
            )
        self.inputs.letters_read(self.hidden_width)  # raises if it does not fit
        # If label heads follow the labels, their number is the largest possible: it is
        # checked with the labels.
        n_heads = None if self.label_attention is None else self.label_attention.n_heads
        layout = self.layout(n_heads or self.hidden_width)
        if self.span_scorer is not None:
            self.span_scorer.check(layout, FIRST_LABEL + 1)
        if self.biaffine_scorer is not None:
            layout.read_width(self.biaffine_scorer.from_tokens)

    def n_label_heads(self, sizes: ParserSizes) -> int:
        """Label heads; 0 without label attention."""
        attention = self.label_attention
        return 0 if attention is None else attention.n_heads or sizes.n_label_heads

    def layout(self, n_label_heads: int) -> FencepostLayout:
        """The layout of fenceposts."""
        width = self.hidden_width
        attention = self.label_attention
        blocks = (width, 0)
        if attention is not None:
            blocks = attention.blocks(width, n_label_heads)
        return self.fenceposts.layout(width, *blocks, self.inputs.join == "concat")
