"""The input layer: word features and positions -> the encoder's input (reference-parser.md 1.4-1.6)."""

import math
from dataclasses import dataclass
from typing import List, Literal, Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from .checks import check_choice, check_count, check_even, check_parts, check_rates
from .dropout import FeatureDropout
from .network_inputs import InputSizes, NetworkInputs
from .norm import StdNorm
from .word_features import WordFeature
from .word_features.char_feature import Alphabet, CharFeature
from .word_features.char_lstm import CharLSTM

ADDED_POSITIONS_SCALE = 0.02  # standard deviation of fresh position vectors that are added to words, as in BERT


@dataclass(frozen=True)
class InputLayerConfig:
    """The word features of the input layer, and how they are combined with positions.

    features (Tuple[WordFeature, ...]): The kinds of word features. Their vectors are added.
    join (str): "concat": the first half of the features describes the word, the second half its position (Kitaev &
        Klein 2018, section 4.3). "sum": both are added.
    max_positions (int): Rows of the position table. A longer sentence begins again at the first row.
    position_dropout, dropout (float): Feature dropout on positions, and on the result before it is normalised.
    position_scale (Optional[float]): Standard deviation of fresh position vectors. None: 1 with "concat"; 0.02 with
        "sum", which suits vectors of a pretrained encoder. Kitaev & Klein add positions of scale 1.
    RAISES (ValueError): An option is out of range, features are missing, or two are of the same kind.
    """

    features: Tuple[WordFeature, ...]
    join: Literal["concat", "sum"]
    max_positions: int
    position_dropout: float
    dropout: float
    position_scale: Optional[float] = None

    def __post_init__(self) -> None:
        check_parts("features", self.features, WordFeature)
        check_choice("join", self.join, ("concat", "sum"))
        check_count("max_positions", self.max_positions)
        check_rates(position_dropout=self.position_dropout, dropout=self.dropout)
        scale = self.position_scale
        if scale is not None and not (isinstance(scale, (int, float)) and math.isfinite(scale) and scale > 0):
            raise ValueError(f"position_scale: expected a positive number, or null, got {scale!r}")
        kinds = [feature.kind for feature in self.features]
        if not kinds:
            raise ValueError("the input layer has nothing to read: expected at least one word feature")
        if len(set(kinds)) < len(kinds):
            raise ValueError(f"the input layer reads each kind of word features once, got {', '.join(kinds)}")
        alphabets = {feature.alphabet for feature in self.features if isinstance(feature, CharFeature)}
        if len(alphabets) > 1:
            raise ValueError(f"alphabet: expected the same of all word features, got {', '.join(sorted(alphabets))}")

    @property
    def alphabet(self) -> Optional[Alphabet]:
        """The alphabet of the word features that read characters; None without such features."""
        return next((feature.alphabet for feature in self.features if isinstance(feature, CharFeature)), None)

    def letters_read(self, hidden_width: int) -> int:
        """The most letters of a word that a feature reads; 0 if none reads letters.

        RAISES (ValueError): Another feature must read more letters than a `max_word_length`.
        """
        widths = self.feature_widths(self.content_width(hidden_width))
        pairs = zip(self.features, widths, strict=True)
        letters = {feature: feature.letters_read(width) for feature, width in pairs if isinstance(feature, CharFeature)}
        most = max(letters.values(), default=0)
        for feature, n_letters in letters.items():
            if isinstance(feature, CharLSTM) and n_letters < most:
                raise ValueError(
                    f"max_word_length of CharLSTM: expected at least the {most} letters of CharConcat, got {n_letters}"
                )
        return most

    def content_width(self, hidden_width: int) -> int:
        """Width of the word features.

        RAISES (ValueError): `join` is "concat" and the hidden width is odd.
        """
        if self.join == "sum":
            return hidden_width
        check_even("hidden_width", hidden_width, 'half of it for words with join = "concat"')
        return hidden_width // 2

    def feature_widths(self, content_width: int) -> List[int]:
        """Width of each kind of word features."""
        return [content_width] * len(self.features)

    def build(self, hidden_width: int, sizes: InputSizes) -> "InputLayer":
        """Build the layer.

        hidden_width (int): Width of its output.
        sizes (InputSizes): Sizes of its inputs.
        """
        return InputLayer(self, hidden_width, sizes)


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
