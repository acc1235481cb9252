"""The inputs of a network: a padded batch of sentences, and the sizes of the vocabularies behind its ids.

External word vectors, from a tok2vec or a transformer, projected to the width of the features.

Learned vectors of tags and of words, looked up by id (reference-parser.md 1.4).

Character LSTM of a word (reference-parser.md 1.5), run once for each distinct word of a batch.

A word's first and last letters side by side (Kitaev & Klein 2018; reference-encoders.md A3).

The input layer: word features and positions -> the encoder's input (reference-parser.md 1.4-1.6)."""

from typing import NamedTuple, Optional, Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from .basics import ElementDropout, FeatureDropout, StdNorm
from .input_configs import InputLayerConfig, InputSizes


class NetworkInputs(NamedTuple):
    """A batch of sentences, padded. Row 0 of a sentence is START, rows 1..n its words, row n + 1 STOP, then padding.

    lengths (Tensor): Words of each sentence, without START and STOP. *Shape:* (batch_size,).
    vectors (Optional[Tensor]): External word vectors. *Shape:* (batch_size, seq_len, vector_width).
    tag_ids (Optional[Tensor]): *Shape:* (batch_size, seq_len).
    word_ids (Optional[Tensor]): *Shape:* (batch_size, seq_len).
    char_ids (Optional[Tensor]): Characters of each word, padded with 0. *Shape:* (batch_size, seq_len, word_len).
    char_lengths (Optional[Tensor]): Characters of each word. *Shape:* (batch_size, seq_len).
    has_boundary_vectors (bool): Whether `vectors` has rows for START and STOP. If not, the network fills them in.
    """

    lengths: Tensor
    vectors: Optional[Tensor] = None
    tag_ids: Optional[Tensor] = None
    word_ids: Optional[Tensor] = None
    char_ids: Optional[Tensor] = None
    char_lengths: Optional[Tensor] = None
    has_boundary_vectors: bool = True

    def require(self, name: str) -> Tensor:
        """A field that the network reads.

        RAISES (ValueError): The batch lacks it.
        """
        tensor = getattr(self, name)
        if tensor is None:
            raise ValueError(f"the network reads NetworkInputs.{name}, and the batch has none")
        return tensor


class VectorProjection(nn.Module):
    """A linear map of word vectors, without bias. Of several layers side by side it maps a learned average: their
    weights are a softmax, equal at first (ELMo's mix, of scale 1; reference-encoders.md A3).

    vector_width (int): Width of the vectors, all layers together.
    width (int): Width of the output.
    learned_boundaries (bool): Whether START and STOP have learned vectors, for inputs that lack them.
    mix_layers (int): Layers that the vectors hold side by side, each of the same width.
    vector_dropout (float): Elementwise dropout on the (mixed) vectors.
    dropout (float): Feature dropout on the output.
    RAISES (ValueError): The vectors cannot be divided into layers of equal width.
    """

    def __init__(
        self,
        vector_width: int,
        width: int,
        learned_boundaries: bool,
        mix_layers: int = 1,
        vector_dropout: float = 0.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if vector_width % mix_layers:
            raise ValueError(
                f"mix_layers: expected a number of layers that divides the width of the vectors, {vector_width}, got "
                f"{mix_layers}"
            )
        self.projection = nn.Linear(vector_width // mix_layers, width, bias=False)
        self.mix: Optional[nn.Parameter] = nn.Parameter(torch.zeros(mix_layers)) if mix_layers > 1 else None
        self.boundaries: Optional[nn.Parameter] = None
        if learned_boundaries:
            self.boundaries = nn.Parameter(torch.randn(2, vector_width))
        self.vector_dropout, self.dropout = ElementDropout(vector_dropout), FeatureDropout(dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Mix and project. RETURNS (Tensor): *Shape:* (batch_size, seq_len, width)."""
        vectors = self._with_boundaries(inputs)
        if self.mix is not None:
            vectors = self.mix.softmax(0) @ vectors.unflatten(-1, (len(self.mix), -1))
        return self.dropout(self.projection(self.vector_dropout(vectors)))

    def _with_boundaries(self, inputs: NetworkInputs) -> Tensor:
        vectors = inputs.require("vectors")
        if inputs.has_boundary_vectors:
            return vectors
        if self.boundaries is None:
            raise ValueError("the vectors have no rows for START and STOP, and the network has no learned ones")
        places = torch.arange(vectors.shape[1], device=vectors.device)
        is_stop = (places == inputs.lengths[:, None] + 1).unsqueeze(-1)
        start, stop = self.boundaries
        bounded = torch.where(is_stop, stop, vectors)
        return torch.where((places == 0)[None, :, None], start, bounded)


class Embedding(nn.Module):
    """A table of vectors with feature dropout.

    field (str): The field of `NetworkInputs` that holds the ids.
    n_ids (int): Rows of the table.
    width (int): Width of a vector.
    dropout (float): Feature dropout.
    """

    def __init__(self, field: str, n_ids: int, width: int, dropout: float) -> None:
        super().__init__()
        self.field = field
        self.embedding = nn.Embedding(n_ids, width)
        self.dropout = FeatureDropout(dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Look up. RETURNS (Tensor): *Shape:* (batch_size, seq_len, width)."""
        return self.dropout(self.embedding(inputs.require(self.field)))


class CharLSTMEncoder(nn.Module):
    """A bidirectional LSTM over a word's characters; its two final states side by side are the word's vector.

    n_chars (int): Size of the character vocabulary.
    char_width (int): Width of a character embedding.
    output_width (int): Width of the result, half of it from each direction.
    dropout (float): Elementwise dropout on the character embeddings.
    output_dropout (float): Feature dropout on the vectors of words.
    RAISES (ValueError): The output width is odd.
    """

    def __init__(
        self, n_chars: int, char_width: int, output_width: int, dropout: float, output_dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_chars, char_width)
        self.lstm = nn.LSTM(char_width, output_width // 2, batch_first=True, bidirectional=True)
        self.dropout, self.output_dropout = ElementDropout(dropout), FeatureDropout(output_dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Vectors of words, from `char_ids`: the characters of each word with its start and stop symbols, then 0.
        Without `char_lengths`, a word ends with its last id other than 0. A word of length 0 (padding) gets zeros.
        RETURNS (Tensor): *Shape:* (batch_size, seq_len, output_width)."""
        char_ids, char_lengths = inputs.require("char_ids"), inputs.char_lengths
        places = torch.arange(1, char_ids.shape[-1] + 1, device=char_ids.device)
        if char_lengths is None:
            char_lengths = (char_ids.ne(0) * places).amax(-1)
        lengths = char_lengths.reshape(-1, 1)
        ids = char_ids.flatten(0, 1) * (places <= lengths)
        words, inverse = torch.unique(torch.cat([lengths, ids], dim=1), dim=0, return_inverse=True)
        word_lengths, words = words[:, 0].cpu(), words[:, 1:]
        n_empty = int((word_lengths == 0).sum())  # sorted by length, so padding comes first
        outputs = words.new_zeros((len(words), 2 * self.lstm.hidden_size), dtype=self.embedding.weight.dtype)
        if n_empty < len(words):
            embedded = self.dropout(self.embedding(words[n_empty:]))
            packed = pack_padded_sequence(embedded, word_lengths[n_empty:], batch_first=True, enforce_sorted=False)
            # torch's LSTM in bfloat16 fails on CPUs that lack the instructions; on GPUs this changes nothing
            with torch.autocast("cpu", enabled=False):
                _, (states, _) = self.lstm(packed)
            outputs = torch.cat([outputs[:n_empty], states.transpose(0, 1).flatten(1)])
        return self.output_dropout(outputs.index_select(0, inverse).unflatten(0, char_ids.shape[:2]))


# Ids of the symbols that stand in for letters (reference-parser.md 1.5).
SENTENCE_START, WORD_START, WORD_STOP, SENTENCE_STOP = 1, 2, 3, 4


class CharConcatEncoder(nn.Module):
    """Looks up the first and the last letters of each word.

    n_chars (int): Size of the character vocabulary.
    char_width (int): Width of a character embedding.
    n_letters (int): Places for letters, an even number.
    dropout (float): Feature dropout on the result.
    """

    def __init__(self, n_chars: int, char_width: int, n_letters: int, dropout: float) -> None:
        super().__init__()
        self.n_letters = n_letters
        self.embedding = nn.Embedding(n_chars, char_width)
        self.dropout = FeatureDropout(dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Vectors of words. RETURNS (Tensor): *Shape:* (batch_size, seq_len, n_letters * char_width)."""
        return self.dropout(self.embedding(self.letter_ids(inputs)).flatten(2))

    def letter_ids(self, inputs: NetworkInputs) -> Tensor:
        """The letters of each word. Places after the first letters of a short word hold the symbol of a word's stop,
        places after its last letters the symbol of its start. START and STOP have their own symbols in all places.

        inputs (NetworkInputs): With `char_ids`, each word between its start and stop symbols. Without `char_lengths`, a
            word ends with its last id other than 0.
        RETURNS (Tensor): Character ids. *Shape:* (batch_size, seq_len, n_letters).
        """
        char_ids, char_lengths = inputs.require("char_ids"), inputs.char_lengths
        places = torch.arange(1, char_ids.shape[-1] + 1, device=char_ids.device)
        if char_lengths is None:
            char_lengths = (char_ids.ne(0) * places).amax(-1)
        half, last = self.n_letters // 2, (char_lengths - 2).unsqueeze(-1)  # letter k stands in place k, from 1
        offsets = torch.arange(half, device=char_ids.device).expand(*char_ids.shape[:2], half)
        firsts, lasts = offsets + 1, last - offsets
        limit = char_ids.shape[-1] - 1
        first_ids = char_ids.gather(2, firsts.clamp(max=limit)).where(firsts <= last, WORD_STOP)
        last_ids = char_ids.gather(2, lasts.clamp(0, limit)).where(lasts >= 1, WORD_START)
        ids = torch.cat([first_ids, last_ids], dim=2)
        rows = torch.arange(ids.shape[1], device=ids.device)[:, None]
        ids = ids.where(rows != 0, SENTENCE_START)
        return ids.where(rows != inputs.lengths[:, None, None] + 1, SENTENCE_STOP)


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
