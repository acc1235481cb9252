"""Config blocks of the parser's network but its input layer and encoder. *Not* here: torch modules, which `build`
imports."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Optional, Sequence, Tuple

import numpy as np
from numpy import ndarray

from .checks import (
    check_choice,
    check_count,
    check_even,
    check_flags,
    check_halves,
    check_rates,
)
from .input_configs import EncoderConfig, InputLayerConfig, InputSizes


@dataclass(frozen=True)
class LabelAttentionConfig:
    """The label attention layer, which comes after the encoder.

    n_heads (Optional[int]): Label heads. None: one for each label of the treebank.
    attn_width (int): Width of the query, key and value of one label head, all parts together; even if `factored`.
    proj_width (int): Width of a label head's block in the output.
    factored (bool): Keep the content half and the position half of the features apart.
    per_head_projection (bool): Each label head projects the token with its own matrix. Otherwise, as in the paper, all
        heads share one.
    ff_width (int): Hidden units of a feed-forward network on each label head's block; 0 for none.
    attention_dropout (float): Elementwise dropout on attention weights.
    residual_dropout (float): Feature dropout on each label head's output before the residual is added.
    RAISES (ValueError): An option is out of range.
    """

    n_heads: Optional[int] = None
    attn_width: int = 32
    proj_width: int = 16
    factored: bool = True
    per_head_projection: bool = False
    ff_width: int = 0
    attention_dropout: float = 0.2
    residual_dropout: float = 0.0

    def __post_init__(self) -> None:
        check_flags(factored=self.factored, per_head_projection=self.per_head_projection)
        if self.n_heads is not None:
            check_count("n_heads of label attention", self.n_heads)
        check_count("attn_width of label attention", self.attn_width, 2 if self.factored else 1)
        if self.factored:
            check_halves("attn_width of label attention", self.attn_width)
        check_count("proj_width of label attention", self.proj_width, 2)  # half for each direction
        check_count("ff_width of label attention", self.ff_width, 0)
        check_rates(attention_dropout=self.attention_dropout, residual_dropout=self.residual_dropout)

    def build(self, hidden_width: int, n_heads: int) -> Any:
        """Build the layer, with an input of `hidden_width` and `n_heads` label heads."""
        from .label_attention import LabelAttention

        return LabelAttention(self, hidden_width, n_heads)

    def blocks(self, hidden_width: int, n_heads: int) -> Tuple[int, int]:
        """Width of the layer's output, and how many blocks of label heads it has; 0 for none."""
        return n_heads * self.proj_width, n_heads


@dataclass(frozen=True)
class FencepostLayout:
    """The order of a fencepost's features: forward halves of all blocks, backward halves of all blocks, then the token
    before and the token after.

    n_blocks (int): Blocks of an encoded position that are halved; 0 for no halves.
    block_width (int): Width of a block; the forward half is rounded down.
    n_label_heads (int): n_blocks where each block belongs to a label head, else 0.
    token_width (int): Width of a whole token beside the halves; 0 for none.
    scale (float): Factor of the halves.
    """

    n_blocks: int
    block_width: int
    n_label_heads: int = 0
    token_width: int = 0
    scale: float = 1.0

    @property
    def forward_width(self) -> int:
        """Width of the forward half of a block."""
        return self.block_width // 2

    @property
    def halves_width(self) -> int:
        """Width of all halves."""
        return self.n_blocks * self.block_width

    @property
    def width(self) -> int:
        """Width of a fencepost."""
        return self.halves_width + 2 * self.token_width

    def block_columns(self, heads: Sequence[int]) -> ndarray:
        """The columns of some label heads' blocks, one head after the other. *Shape:* (n_heads * block_width,)."""
        forward, backward = self.forward_width, self.block_width - self.forward_width
        numbers = np.array(list(heads), dtype=np.int64)[:, None]
        first = numbers * forward + np.arange(forward)
        second = self.n_blocks * forward + numbers * backward + np.arange(backward)
        return np.concatenate([first, second], axis=1).ravel()


HALVES = ("label_blocks", "even_odd", "first_second", "none")


@dataclass(frozen=True)
class FencepostsConfig:
    """How fenceposts are made of encoded tokens: a forward half of the token before, a backward half of the token after
    (reference-parser.md 1.10; the paper's Eq. 5 is f_end - f_start).

    halves (Optional[str]): "label_blocks": the halves of each label head's block. "even_odd": even and odd features, so
        that each half has content and position. "first_second": the first and the second half of the features. "none":
        no halves; requires token_skip. None: label_blocks after label attention. Without it, none with token_skip;
        otherwise even_odd where content and position are kept apart, else first_second.
    token_skip (bool): Add all features of both tokens from the encoder's output, past label attention.
    scale_label_blocks (bool): Multiply label blocks by hidden_width / (n_label_heads * proj_width) and the first
        weights of the scorers by the inverse, so that Adam's steps do not grow with the number of label heads. False in
        the paper.
    RAISES (ValueError): `halves` is unknown, or fenceposts have no features.
    """

    halves: Optional[Literal["label_blocks", "even_odd", "first_second", "none"]] = None
    token_skip: bool = False
    scale_label_blocks: bool = True

    def __post_init__(self) -> None:
        check_flags(token_skip=self.token_skip, scale_label_blocks=self.scale_label_blocks)
        check_choice("halves of fenceposts", self.halves, (None, *HALVES))
        if self.halves == "none" and not self.token_skip:
            raise ValueError('halves = "none" leaves no features of fenceposts: expected token_skip = true')

    def layout(self, hidden_width: int, encoded_width: int, n_label_heads: int, factored: bool) -> FencepostLayout:
        """The layout of a network's fenceposts.

        hidden_width (int): Width of the encoder's output.
        encoded_width (int): Width after label attention; hidden_width without it.
        n_label_heads (int): Blocks of label attention; 0 for none.
        factored (bool): Whether content and position are kept apart.
        RAISES (ValueError): `halves` requires label blocks without label attention, or leaves existing ones unread.
        """
        halves: Optional[str] = self.halves
        if halves is None:
            unblocked = "even_odd" if factored else "first_second"
            halves = "label_blocks" if n_label_heads else "none" if self.token_skip else unblocked
        if halves == "label_blocks" and not n_label_heads:
            raise ValueError('halves = "label_blocks" requires label attention, and there is none')
        if halves == "none" and n_label_heads:
            raise ValueError(
                'halves = "none" leaves label attention unread: expected others, or label_attention = null'
            )
        if halves == "even_odd":
            check_even("the width of encoded tokens", encoded_width, 'half of it for each direction with "even_odd"')
        token_width = hidden_width if self.token_skip else 0
        if halves == "label_blocks":
            scale = hidden_width / encoded_width if self.scale_label_blocks else 1.0
            width = encoded_width // n_label_heads
            return FencepostLayout(n_label_heads, width, n_label_heads, token_width, scale)
        n_blocks = {"none": 0, "even_odd": encoded_width // 2, "first_second": 1}[halves]
        return FencepostLayout(n_blocks, encoded_width // n_blocks if n_blocks else 0, 0, token_width)


FIRST_LABEL = 2  # label 2 is head 0's: the empty label and the sub-head label have no heads


@dataclass(frozen=True)
class SpanScorerConfig:
    """The scorer of constituent labels.

    hidden_width (int): Hidden units.
    separate_endpoints (bool): Project the start and the end of a span separately. Otherwise, as in the paper (Eq. 5),
        the scorer reads f_end - f_start, in which shared features of both ends cancel out.
    label_heads (bool): Add the score of the label's own head on the span (`label_head_scorer.py`). Requires label
        attention with a head for each label.
    RAISES (ValueError): An option is out of range.
    """

    hidden_width: int = 128
    separate_endpoints: bool = False
    label_heads: bool = False

    def __post_init__(self) -> None:
        check_flags(separate_endpoints=self.separate_endpoints, label_heads=self.label_heads)
        check_count("hidden_width of the span scorer", self.hidden_width)

    def check(self, layout: FencepostLayout, n_labels: int) -> None:
        """RAISES (ValueError): `label_heads` requires heads that the layout lacks."""
        if not self.label_heads:
            return
        if not layout.n_label_heads:
            raise ValueError("label_heads = true requires label attention with a block for each label head")
        if layout.n_label_heads < max(1, n_labels - FIRST_LABEL):
            raise ValueError(
                f"label_heads = true requires a label head for each of {n_labels - FIRST_LABEL} labels, got "
                f"{layout.n_label_heads} label heads"
            )

    def build(self, layout: FencepostLayout, n_labels: int) -> Any:
        """Build the scorer of `n_labels` labels, the empty label and the sub-head label among them.

        RAISES (ValueError): As `check`.
        """
        from .span_scorer import LabelHeadScorer, SpanScorer

        self.check(layout, n_labels)
        label_heads = LabelHeadScorer(layout) if self.label_heads else None
        return SpanScorer(layout.width, self.hidden_width, n_labels, label_heads, self.separate_endpoints)


@dataclass(frozen=True)
class BiaffineScorerConfig:
    """The scorer of arcs and deprels.

    arc_width, deprel_width (int): Width of heads and dependents, for arcs and for deprels.
    from_tokens (bool): Read only whole tokens, so that label blocks serve constituents alone. Requires fenceposts with
        token_skip.
    dropout (float): Elementwise dropout on fenceposts and on heads and dependents.
    RAISES (ValueError): An option is out of range.
    """

    given_head: ClassVar[bool] = True  # whether a deprel is scored for each possible head
    arc_width: int = 128
    deprel_width: int = 64
    from_tokens: bool = False
    dropout: float = 0.33

    def __post_init__(self) -> None:
        check_flags(from_tokens=self.from_tokens)
        check_count("arc_width", self.arc_width)
        check_count("deprel_width", self.deprel_width)
        check_rates(dropout=self.dropout)

    def input_width(self, layout: FencepostLayout) -> int:
        """Width of a fencepost's last features, which the scorer reads.

        RAISES (ValueError): It requires tokens that the fenceposts lack.
        """
        if not self.from_tokens:
            return layout.width
        if not layout.token_width:
            raise ValueError("from_tokens = true requires fenceposts with token_skip = true")
        return 2 * layout.token_width

    def build(self, layout: FencepostLayout, n_deprels: int) -> Any:
        """Build the scorer of `n_deprels` deprels."""
        from .biaffine import BiaffineScorer

        return BiaffineScorer(self.input_width(layout), self.arc_width, self.deprel_width, n_deprels, self.dropout)


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
        self.inputs.letters_read(self.hidden_width)  # raises if the features need other words
        # If label heads follow the labels, their number is the largest possible: it is checked with the labels.
        n_heads = None if self.label_attention is None else self.label_attention.n_heads
        layout = self.layout(n_heads or self.hidden_width)
        if self.span_scorer is not None:
            self.span_scorer.check(layout, FIRST_LABEL + 1)
        if self.biaffine_scorer is not None:
            self.biaffine_scorer.input_width(layout)

    def n_label_heads(self, sizes: ParserSizes) -> int:
        """Label heads; 0 without label attention. RAISES (ValueError): Their number is unknown."""
        if self.label_attention is None:
            return 0
        n_heads = self.label_attention.n_heads or sizes.n_label_heads
        check_count("n_label_heads", n_heads)
        return n_heads

    def layout(self, n_label_heads: int) -> FencepostLayout:
        """The layout of fenceposts.

        RAISES (ValueError): See `FencepostsConfig.layout`.
        """
        width, attention = self.hidden_width, self.label_attention
        encoded_width, n_blocks = (width, 0) if attention is None else attention.blocks(width, n_label_heads)
        return self.fenceposts.layout(width, encoded_width, n_blocks, self.inputs.join == "concat")
