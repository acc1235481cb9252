"""Config blocks of the encoder. *Not* here: the torch modules, which `build` imports."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, List, Literal, Optional, Tuple

from ..checks import check_choice, check_count, check_flags, check_halves, check_number, check_parts, check_rates


class EncoderLayer(ABC):
    """The options of a kind of encoder layer. Subclasses are frozen dataclasses.

    repeat (int): How many layers there are; each has weights of its own.
    reads_positions (bool): Whether the layers read the rows of the position table beside their inputs.
    """

    repeat: int

    @property
    def reads_positions(self) -> bool:
        """See the class."""
        return False

    @abstractmethod
    def build(self, hidden_width: int) -> List[Any]:
        """Build `repeat` layers.

        hidden_width (int): Width of their inputs and outputs.
        RETURNS (List[Any]): Each takes inputs, *shape:* (batch_size, seq_len, hidden_width), and padding,
            *shape:* (batch_size, seq_len); with `reads_positions` also the rows of the position table, *shape:* (1 or
            batch_size, seq_len, hidden_width). Its output has the shape of its input.
        """


@dataclass(frozen=True)
class SelectorConfig:
    """The selector of a self-attention layer. Outside of training, a pair is chosen if its score is positive.

    mode (str): The choice in training. "hard": 0 or 1 from a Gumbel-sigmoid sample, with a straight-through gradient.
        "sample": that sample itself. "soft": the probability, without noise.
    temperature (float): Temperature of the samples; the paper's code has 0.5.
    on_empty (str): The keys of a position if no key is chosen, i.e. all choices are below 1e-6. "all": every
        allowed key. "self": itself. "nothing": no key, and the weights have the reference's 1e-6 in their denominator;
        then gradients of hard choices reach 1e7 on short sentences.
    bounded (bool): Bound the gradient of the choices by using the softmax over all allowed keys in it.
    width (Optional[int]): Width of a head's query and key, all parts together. None: attn_width of the layer.
    select_scale (float): Weight in the loss of the number of chosen (head, key) pairs of a query, a mean over the
        queries of a sentence; at least 0. Positive values make the choice sparse.
    entropy_scale (float): Weight in the loss of the negative entropy of the probabilities, a mean over the allowed
        pairs of a sentence. Positive values keep the selector undecided.
    RAISES (ValueError): An option is out of range.
    """

    mode: Literal["hard", "soft", "sample"] = "hard"
    temperature: float = 0.5
    on_empty: Literal["all", "self", "nothing"] = "all"
    bounded: bool = False
    width: Optional[int] = None
    select_scale: float = 0.0
    entropy_scale: float = 0.0

    def __post_init__(self) -> None:
        check_choice("mode of the selector", self.mode, ("hard", "soft", "sample"))
        check_number("temperature", self.temperature, above=0.0)
        check_choice("on_empty", self.on_empty, ("all", "self", "nothing"))
        check_flags(bounded=self.bounded)
        if self.width is not None:
            check_count("width of the selector", self.width)
        check_number("select_scale", self.select_scale, least=0.0)
        check_number("entropy_scale", self.entropy_scale)

    @property
    def regularises(self) -> bool:
        """Whether the selector adds to the loss."""
        return bool(self.select_scale or self.entropy_scale)


@dataclass(frozen=True)
class SelfAttentionLayerConfig(EncoderLayer):
    """One or several equal layers: self-attention, then a feed-forward network, each with residual and layer norm.

    repeat (int): How many layers there are; each has weights of its own.
    n_heads (int): Attention heads.
    attn_width (int): Width of a head's query, key and value, all parts together.
    ff_width (int): Hidden units of the feed-forward network.
    factored (bool): Keep the content half and the position half of the features apart (Kitaev & Klein 2018, 4.3). Then
        `attn_width`, `ff_width` and the selector's `width` are even.
    attention_dropout (float): Elementwise dropout on attention weights.
    relu_dropout, residual_dropout (float): Feature dropout on hidden units, and before a residual is added.
    queries (str): "features": queries and keys are made of the layer's input. "positions": of the rows of the position
        table, the same ones in every such layer (Kitaev & Klein's position-only attention); requires factored = false,
        and join = "sum" of the input layer.
    window (int): Only positions at most so far apart attend to each other, START and STOP counted; 0 for no window.
        A window in which each position sees itself alone is for parsing (`interpret.attention_limits`, window=0).
    relaxed_window (bool): START, the first word, the last word and STOP are exempt from the window.
    selector (Optional[SelectorConfig]): Chooses the pairs that may attend to each other (Geng et al. 2020). None: all.
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

    def __post_init__(self) -> None:
        check_flags(factored=self.factored, relaxed_window=self.relaxed_window)
        check_count("repeat", self.repeat)
        check_count("n_heads", self.n_heads)
        for name in ("attn_width", "ff_width"):
            check_count(name, getattr(self, name), 2 if self.factored else 1)
            if self.factored:
                check_halves(name, getattr(self, name))
        check_rates(
            attention_dropout=self.attention_dropout,
            relu_dropout=self.relu_dropout,
            residual_dropout=self.residual_dropout,
        )
        check_choice("queries", self.queries, ("features", "positions"))
        check_count("window", self.window, 0)
        self._check_together()

    def _check_together(self) -> None:
        if self.relaxed_window and not self.window:
            raise ValueError("relaxed_window = true requires a window: expected window of at least 1, got 0")
        if self.reads_positions and self.factored:
            raise ValueError('queries = "positions" requires factored = false, got factored = true')
        if self.selector is None:
            return
        if not isinstance(self.selector, SelectorConfig):
            raise ValueError(f"selector: expected a block spacy-lal.Selector.v1 or null, got {self.selector!r}")
        if self.factored and self.selector.width is not None:
            check_halves("width of the selector", self.selector.width)

    @property
    def reads_positions(self) -> bool:
        """See `EncoderLayer`."""
        return self.queries == "positions"

    def build(self, hidden_width: int) -> List[Any]:
        """See `EncoderLayer`."""
        from .self_attention import SelfAttentionLayer

        return [SelfAttentionLayer(self, hidden_width) for _ in range(self.repeat)]


@dataclass(frozen=True)
class EncoderConfig:
    """The layers of an encoder.

    layers (Tuple[EncoderLayer, ...]): In order; without any, positions keep their embeddings.
    RAISES (ValueError): `layers` is not a tuple of layer configs.
    """

    layers: Tuple[EncoderLayer, ...] = ()

    def __post_init__(self) -> None:
        check_parts("layers", self.layers, EncoderLayer)

    @property
    def reads_positions(self) -> bool:
        """Whether a layer reads the rows of the position table."""
        return any(layer.reads_positions for layer in self.layers)

    def build(self, hidden_width: int) -> Any:
        """Build the layers, of a width of `hidden_width`."""
        from .encoder import Encoder

        return Encoder(*(layer for config in self.layers for layer in config.build(hidden_width)))


def make_encoder(*layers: EncoderLayer) -> EncoderConfig:
    """An encoder. Each kind of layer is a block `[....encoder.*.NAME]`; names are free, their order matters. The config
    system requires at least one; see `make_no_encoder`."""
    return EncoderConfig(layers=layers)


def make_no_encoder() -> EncoderConfig:
    """An encoder without layers: positions keep their embeddings."""
    return EncoderConfig()
