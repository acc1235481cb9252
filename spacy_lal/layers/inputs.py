"""The input layer: word features and positions -> the encoder's input
(docs/explanation/parser.md, Inputs)."""

from functools import singledispatch
from typing import Any, NamedTuple, Optional, Union

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from .basics import ElementDropout, FeatureDropout, StdNorm
from .input_configs import (
    CharConcat,
    CharLSTM,
    InputLayerConfig,
    InputSizes,
    Tags,
    Vectors,
    Words,
)

# Ids of the symbols that stand in for letters (docs/explanation/parser.md).
SENTENCE_START = 1
WORD_START = 2
WORD_STOP = 3
SENTENCE_STOP = 4
# Standard deviation of fresh position vectors that are added to words, as in BERT.
ADDED_POSITIONS_SCALE = 0.02


class NetworkInputs(NamedTuple):
    """A batch of sentences, padded: START, words, STOP, padding. *Shapes:* (batch_size,
    seq_len), and as given here.

    lengths (Tensor): Words of each sentence, without START and STOP. *Shape:*
        (batch_size,).
    vectors (Optional[Tensor]): External word vectors. *Shape:* (batch_size, seq_len,
        vector_width).
    char_ids (Optional[Tensor]): Characters of each word between its start and stop
        symbols, padded with 0. *Shape:* (batch_size, seq_len, word_len).
    char_lengths (Optional[Tensor]): Characters of each word, symbols included."""

    lengths: Tensor
    vectors: Any = None  # a Tensor, as all others, where the network reads it
    tag_ids: Any = None
    word_ids: Any = None
    char_ids: Any = None
    char_lengths: Any = None


class VectorProjection(nn.Module):
    """A linear map of vectors, or of a learned average of layers (ELMo's mix, of scale
    1; Kitaev & Klein 2018, section 5.2)."""

    def __init__(self, config: Vectors, width: int, sizes: InputSizes) -> None:
        super().__init__()
        n_layers = config.mix_layers
        self.projection = nn.Linear(sizes.vector_width // n_layers, width, bias=False)
        self.mix: Optional[nn.Parameter] = None
        if n_layers > 1:
            self.mix = nn.Parameter(torch.zeros(n_layers))
        self.boundaries: Optional[nn.Parameter] = None
        if config.learned_boundaries:
            self.boundaries = nn.Parameter(torch.randn(2, sizes.vector_width))
        self.vector_dropout = ElementDropout(config.vector_dropout)
        self.dropout = FeatureDropout(config.dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Mix and project.

        RETURNS (Tensor): *Shape:* (batch_size, seq_len, width)."""
        vectors = inputs.vectors
        if self.boundaries is not None:
            start, stop = self.boundaries.to(vectors.dtype)
            rows = torch.arange(vectors.shape[0], device=vectors.device)
            vectors = vectors.clone()
            vectors[:, 0] = start
            vectors[rows, inputs.lengths + 1] = stop
        if self.mix is not None:
            layers = vectors.unflatten(-1, (len(self.mix), -1))
            vectors = self.mix.softmax(0) @ layers
        return self.dropout(self.projection(self.vector_dropout(vectors)))


class Embedding(nn.Module):
    """A table of vectors of tags or words, with feature dropout."""

    def __init__(
        self, config: Union[Tags, Words], width: int, sizes: InputSizes
    ) -> None:
        super().__init__()
        is_tags = isinstance(config, Tags)
        self.field = "tag_ids" if is_tags else "word_ids"
        size = sizes.n_tags if is_tags else sizes.n_words
        self.embedding = nn.Embedding(size, width)
        self.dropout = FeatureDropout(config.dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Look up.

        RETURNS (Tensor): *Shape:* (batch_size, seq_len, width)."""
        return self.dropout(self.embedding(getattr(inputs, self.field)))


class CharLSTMEncoder(nn.Module):
    """A bidirectional LSTM over a word's characters; its two final states side by side
    are the word's vector. It runs once for each distinct word of a batch. config,
    width, sizes: See `VectorProjection`."""

    def __init__(self, config: CharLSTM, width: int, sizes: InputSizes) -> None:
        super().__init__()
        self.embedding = nn.Embedding(sizes.n_chars, config.char_width)
        self.lstm = nn.LSTM(
            config.char_width, width // 2, batch_first=True, bidirectional=True
        )
        self.dropout = ElementDropout(config.dropout)
        self.output_dropout = FeatureDropout(config.output_dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Vectors of words; zeros for padding. *Shape:* (batch_size, seq_len,
        output_width)."""
        words = inputs.char_ids.flatten(0, 1)
        lengths = inputs.char_lengths.reshape(-1, 1)
        read = self._last_of_packed
        if torch.onnx.is_in_onnx_export():
            read = self._last_of_padded
        # torch's LSTM in bfloat16 fails on CPUs that lack the instructions; on GPUs
        # this changes nothing
        with torch.autocast("cpu", enabled=False):
            # padding, a word without characters, is read as one of one character
            states = read(words, lengths.clamp(min=1)) * (lengths > 0)
        return self.output_dropout(states.unflatten(0, inputs.char_lengths.shape))

    def _last_of_packed(self, words: Tensor, lengths: Tensor) -> Tensor:
        """Final states. *Shapes:* (n_words, word_len), (n_words, 1) to (n_words,
        output_width)."""
        distinct, inverse = torch.cat([lengths, words], dim=1).unique(
            dim=0, return_inverse=True
        )
        packed = pack_padded_sequence(
            self.dropout(self.embedding(distinct[:, 1:])),
            distinct[:, 0].cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        _, (states, _) = self.lstm(packed)
        return states.transpose(0, 1).flatten(1).index_select(0, inverse)

    def _last_of_padded(self, words: Tensor, lengths: Tensor) -> Tensor:
        """As `_last_of_packed`, in ONNX: the leftward direction reads words that are
        moved to the end."""
        longest = words.shape[1]
        places = torch.arange(longest)
        twice = words.repeat(1, 2)
        moved = twice.gather(1, places + lengths)
        rightward, _ = self.lstm(self.embedding(words))
        leftward, _ = self.lstm(self.embedding(moved))
        is_last = places == lengths - 1
        is_first = places == longest - lengths
        last = is_last.float().unsqueeze(1) @ rightward
        first = is_first.float().unsqueeze(1) @ leftward
        width = self.lstm.hidden_size
        halves = [last[..., :width], first[..., width:]]
        return torch.cat(halves, dim=-1).squeeze(1)


class CharConcatEncoder(nn.Module):
    """The first and last letters of each word (Kitaev & Klein 2018, section 5.1)."""

    def __init__(self, config: CharConcat, width: int, sizes: InputSizes) -> None:
        super().__init__()
        self.n_letters = config.letters_read(width)
        self.embedding = nn.Embedding(sizes.n_chars, config.char_width)
        self.dropout = FeatureDropout(config.dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Vectors of words.

        RETURNS (Tensor): *Shape:* (batch_size, seq_len, n_letters * char_width)."""
        return self.dropout(self.embedding(self.letter_ids(inputs)).flatten(2))

    def letter_ids(self, inputs: NetworkInputs) -> Tensor:
        """The letters of each word. Places after the first letters of a short word hold
        the symbol of a word's stop, places after its last letters the symbol of its
        start. START and STOP have their own symbols in all places.

        RETURNS (Tensor): Character ids. *Shape:* (batch_size, seq_len, n_letters)."""
        char_ids = inputs.char_ids
        last = inputs.char_lengths.unsqueeze(-1) - 2  # letter k is in place k, from 1
        offsets = torch.arange(self.n_letters // 2, device=char_ids.device)
        firsts = (offsets + 1).expand(*last.shape[:2], -1)
        places = torch.cat([firsts, last - offsets], dim=2)
        limit = char_ids.shape[-1] - 1
        ids = char_ids.gather(2, places.clamp(0, limit))
        ids = ids.where(places <= last, WORD_STOP)
        ids = ids.where(places >= 1, WORD_START)
        rows = torch.arange(ids.shape[1], device=ids.device)[:, None]
        ids = ids.where(rows != 0, SENTENCE_START)
        stops = inputs.lengths[:, None, None] + 1
        return ids.where(rows != stops, SENTENCE_STOP)


# The module of each kind of word features: takes its options, the width of its output,
# and sizes that come from data.
FEATURES: dict[str, Any] = {
    "vectors": VectorProjection,
    "tags": Embedding,
    "words": Embedding,
    "chars": CharLSTMEncoder,
    "char_concat": CharConcatEncoder,
}


class InputLayer(nn.Module):
    """Adds up the word features, joins them with learned positions, and normalises."""

    def __init__(
        self, config: InputLayerConfig, hidden_width: int, sizes: InputSizes
    ) -> None:
        super().__init__()
        self.max_positions = config.max_positions
        self.concatenates = config.join == "concat"
        content_width = config.content_width(hidden_width)
        self.features = nn.ModuleDict(
            {
                feature.kind: FEATURES[feature.kind](feature, content_width, sizes)
                for feature in config.features
            }
        )
        # Vectors of a pretrained encoder already encode positions and are smaller than
        # noise of size 1: positions that are added to them start small.
        scale = config.position_scale
        if scale is None:
            scale = 1.0 if self.concatenates else ADDED_POSITIONS_SCALE
        position_width = hidden_width
        if self.concatenates:
            position_width -= content_width
        positions = torch.randn(config.max_positions, position_width)
        self.positions = nn.Parameter(positions * scale)
        self.norm = StdNorm(hidden_width)
        self.position_dropout = FeatureDropout(config.position_dropout)
        self.dropout = FeatureDropout(config.dropout)

    def content(self, inputs: NetworkInputs) -> Tensor:
        """The sum of the word features. *Shape:* (batch_size, seq_len, width)."""
        return sum(feature(inputs) for feature in self.features.values())

    def place(self, batch_size: int, seq_len: int) -> Tensor:
        """The rows of the position table for a batch, after dropout. *Shape:*
        (batch_size, seq_len, position_width)."""
        places = torch.arange(seq_len, device=self.positions.device)
        rows = self.positions[places % self.max_positions]
        return self.position_dropout(rows.expand(batch_size, -1, -1))

    def forward(self, inputs: NetworkInputs, positions: Tensor) -> Tensor:
        """Embed. *Shapes:* positions (batch_size, seq_len, position_width) to
        (batch_size, seq_len, hidden_width)."""
        content = self.content(inputs)
        if self.concatenates:
            joined = torch.cat([content, positions], dim=-1)
        else:
            joined = content + positions
        return self.norm(self.dropout(joined))


# The layer of a config: of another kind for a config of another class.
build_inputs = singledispatch(InputLayer)
