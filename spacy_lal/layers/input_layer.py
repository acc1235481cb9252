"""The input layer: word features and positions -> the encoder's input (reference-parser.md 1.4-1.6)."""

from typing import Optional, Sequence

import torch
from torch import Tensor, nn

from .dropout import FeatureDropout
from .input_configs import InputLayerConfig, InputSizes
from .network_inputs import NetworkInputs
from .norm import StdNorm

ADDED_POSITIONS_SCALE = 0.02  # standard deviation of fresh position vectors that are added to words, as in BERT


class InputLayer(nn.Module):
    """Adds up the word features, joins them with learned positions, and normalises.

    config (InputLayerConfig): The options.
    hidden_width (int): Width of the output.
    sizes (InputSizes): Sizes of its inputs.
    """

    def __init__(self, config: InputLayerConfig, hidden_width: int, sizes: InputSizes) -> None:
        super().__init__()
        self.max_positions, self.concatenates = config.max_positions, config.join == "concat"
        content_width = config.content_width(hidden_width)
        widths = config.feature_widths(content_width)
        self.features = nn.ModuleDict(
            {feature.kind: feature.build(width, sizes) for feature, width in zip(config.features, widths, strict=True)}
        )
        # Vectors of a pretrained encoder already encode positions and are smaller than noise of size 1: positions that
        # are added to them start small.
        scale = config.position_scale or (1.0 if self.concatenates else ADDED_POSITIONS_SCALE)
        position_width = hidden_width - content_width if self.concatenates else hidden_width
        self.positions = nn.Parameter(nn.init.normal_(torch.empty(config.max_positions, position_width), std=scale))
        self.norm = StdNorm(hidden_width)
        self.position_dropout = FeatureDropout(config.position_dropout)
        self.dropout = FeatureDropout(config.dropout)

    def combine(self, features: Sequence[Tensor]) -> Tensor:
        """Combine the word features into one vector per position: their sum. *Shapes:* (batch_size, seq_len, width)."""
        content = features[0]
        for feature in features[1:]:
            content = content + feature
        return content

    def place(self, batch_size: int, seq_len: int) -> Tensor:
        """The rows of the position table for a batch, after dropout. *Shape:* (batch_size, seq_len, position_width)."""
        places = torch.arange(seq_len, device=self.positions.device) % self.max_positions
        positions = self.positions.index_select(0, places).expand(batch_size, -1, -1)
        return self.position_dropout(positions)

    def forward(self, inputs: NetworkInputs, seq_len: int, positions: Optional[Tensor] = None) -> Tensor:
        """Embed.

        inputs (NetworkInputs): The batch.
        seq_len (int): Length of the batch's longest sentence, with START and STOP.
        positions (Optional[Tensor]): From `place`, where an encoder reads the same rows; None to make them here.
            *Shape:* (batch_size, seq_len, position_width).
        RETURNS (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        RAISES (ValueError): The batch lacks features that the network reads.
        """
        content = self.combine([feature(inputs) for feature in self.features.values()])
        if positions is None:
            positions = self.place(len(content), seq_len)
        joined = torch.cat([content, positions], dim=-1) if self.concatenates else content + positions
        return self.norm(self.dropout(joined))
