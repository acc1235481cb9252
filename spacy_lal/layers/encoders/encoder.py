"""The encoder: a stack of layers."""

from dataclasses import dataclass
from typing import Tuple

from torch import Tensor, nn

from ..checks import check_parts
from ..folding import FoldedLayer, fold
from ..packing import Packing
from ..products import Precision
from .self_attention import SelfAttentionLayerConfig


@dataclass(frozen=True)
class EncoderConfig:
    """The layers of an encoder.

    layers (Tuple[SelfAttentionLayerConfig, ...]): In order; without any, positions keep their embeddings.
    RAISES (ValueError): `layers` is not a tuple of layer configs.
    """

    layers: Tuple[SelfAttentionLayerConfig, ...] = ()

    def __post_init__(self) -> None:
        check_parts("layers", self.layers, SelfAttentionLayerConfig)

    def build(self, hidden_width: int) -> "Encoder":
        """Build the layers.

        hidden_width (int): Width of positions.
        """
        return Encoder(*(layer for config in self.layers for layer in config.build(hidden_width)))


class Encoder(nn.Module):
    """A stack of layers.

    layers (nn.Module): Each takes inputs, *shape:* (batch_size, seq_len, width), and padding, *shape:* (batch_size,
        seq_len); its output has the shape of its input.
    """

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, inputs: Tensor, padding: Tensor) -> Tensor:
        """Encode.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        RETURNS (Tensor): *Shape:* as the input.
        """
        for layer in self.layers:
            inputs = layer(inputs, padding)
        return inputs

    def fold(self, precision: Precision) -> FoldedLayer:
        """The encoder on packed positions; see `spacy_lal.layers.folding`."""
        layers = [fold(layer, precision) for layer in self.layers]

        def encode(inputs: Tensor, packing: Packing) -> Tensor:
            for layer in layers:
                inputs = layer(inputs, packing)
            return inputs

        return encode
