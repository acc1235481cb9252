"""The encoder: a stack of layers."""

from typing import Iterator, Optional

from torch import Tensor, nn

from ..folding import FoldedLayer, fold
from ..packing import Packing
from ..products import Precision
from .self_attention import SelfAttention


class Encoder(nn.Module):
    """A stack of layers.

    layers (nn.Module): Each takes inputs, *shape:* (batch_size, seq_len, width), and padding, *shape:* (batch_size,
        seq_len); its output has the shape of its input. A layer whose attribute `reads_positions` is true also takes
        the rows of the position table, *shape:* (1 or batch_size, seq_len, width).
    """

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    @property
    def reads_positions(self) -> bool:
        """Whether a layer reads the rows of the position table."""
        return any(_reads_positions(layer) for layer in self.layers)

    def attentions(self) -> Iterator[Optional[SelfAttention]]:
        """The self-attention of each layer; None for a layer without one."""
        for layer in self.layers:
            attention = getattr(layer, "attention", None)
            yield attention if isinstance(attention, SelfAttention) else None

    def take_penalty(self) -> Optional[Tensor]:
        """The sum of the selectors' regularisers in the last pass, which is forgotten; None without regularisers."""
        penalty: Optional[Tensor] = None
        for attention in self.attentions():
            if attention is not None and attention.penalty is not None:
                penalty = attention.penalty if penalty is None else penalty + attention.penalty
                attention.penalty = None
        return penalty

    def forward(self, inputs: Tensor, padding: Tensor, positions: Optional[Tensor] = None) -> Tensor:
        """Encode.

        inputs (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        padding (Tensor): True where a position is padding. *Shape:* (batch_size, seq_len).
        positions (Optional[Tensor]): Rows of the position table, if a layer reads them. *Shape:* (1 or batch_size,
            seq_len, hidden_width).
        RETURNS (Tensor): *Shape:* as the input.
        """
        for layer in self.layers:
            inputs = layer(inputs, padding, positions) if _reads_positions(layer) else layer(inputs, padding)
        return inputs

    def fold(self, precision: Precision) -> FoldedLayer:
        """The encoder on packed positions; see `spacy_lal.layers.folding`."""
        layers = [(fold(layer, precision), _reads_positions(layer)) for layer in self.layers]

        def encode(inputs: Tensor, packing: Packing, positions: Optional[Tensor] = None) -> Tensor:
            for layer, reads_positions in layers:
                inputs = layer(inputs, packing, positions) if reads_positions else layer(inputs, packing)
            return inputs

        return encode


def _reads_positions(layer: nn.Module) -> bool:
    return bool(getattr(layer, "reads_positions", False))
