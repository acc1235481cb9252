"""The input layer: word features and positions -> the encoder's input (reference-parser.md 1.4-1.6)."""

from typing import List, NamedTuple, Optional

import torch
from torch import Tensor, nn

from .char_lstm import CharLSTM
from .dropout import FeatureDropout
from .network_config import NetworkConfig
from .norm import StdNorm

ADDED_POSITIONS_SCALE = 0.02  # standard deviation of fresh ones, as in BERT


class NetworkInputs(NamedTuple):
    """A batch of sentences, padded. Row 0 of a sentence is START, rows 1..n its words, row n + 1 STOP, then padding.

    lengths (Tensor): Words of each sentence, without START and STOP. *Shape:* (batch_size,).
    vectors (Optional[Tensor]): External word vectors. *Shape:* (batch_size, seq_len, vector_width).
    tag_ids (Optional[Tensor]): *Shape:* (batch_size, seq_len).
    word_ids (Optional[Tensor]): *Shape:* (batch_size, seq_len).
    char_ids (Optional[Tensor]): Characters of each word, padded with 0. *Shape:* (batch_size, seq_len, word_len).
    char_lengths (Optional[Tensor]): Characters of each word. *Shape:* (batch_size, seq_len).
    has_boundary_vectors (bool): Whether `vectors` has rows for START and STOP; if not, the network puts its own there.
    """

    lengths: Tensor
    vectors: Optional[Tensor] = None
    tag_ids: Optional[Tensor] = None
    word_ids: Optional[Tensor] = None
    char_ids: Optional[Tensor] = None
    char_lengths: Optional[Tensor] = None
    has_boundary_vectors: bool = True


def _given(name: str, tensor: Optional[Tensor]) -> Tensor:
    if tensor is None:
        raise ValueError(f"this network was built to read NetworkInputs.{name}, which is None")
    return tensor


class InputLayer(nn.Module):
    """Adds up (or concatenates) the kinds of word features, joins them with positions, and normalises.

    config (NetworkConfig): Sizes and switches.
    """

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        widths = config.feature_widths
        self.factored = config.factored
        self.concatenate = config.concatenate_features
        self.max_positions = config.max_positions
        self.tags: Optional[nn.Embedding] = None
        self.words: Optional[nn.Embedding] = None
        self.chars: Optional[CharLSTM] = None
        self.vector_projection: Optional[nn.Linear] = None
        self.boundary_vectors: Optional[nn.Parameter] = None
        if config.n_tags:
            self.tags = nn.Embedding(config.n_tags, widths.embedding)
        if config.n_words:
            self.words = nn.Embedding(config.n_words, widths.embedding)
        if config.n_chars:
            self.chars = CharLSTM(config.n_chars, config.char_width, widths.extra, config.char_dropout)
        if config.vector_width:
            self.vector_projection = nn.Linear(config.vector_width, widths.extra, bias=False)
            if config.learned_boundaries:
                self.boundary_vectors = nn.Parameter(torch.randn(2, config.vector_width))
        position_width = config.hidden_width - config.content_width if config.factored else config.hidden_width
        # Where they are added to the words, vectors of a pretrained encoder, which knows positions already, are smaller
        # than noise of size 1; it took thousands of steps to be heard through it.
        scale = 1.0 if config.factored else ADDED_POSITIONS_SCALE
        self.positions = nn.Parameter(torch.randn(config.max_positions, position_width) * scale)
        self.norm = StdNorm(config.hidden_width)
        self.tag_dropout = FeatureDropout(config.tag_dropout)
        self.word_dropout = FeatureDropout(config.word_dropout)
        self.position_dropout = FeatureDropout(config.position_dropout)
        self.dropout = FeatureDropout(config.embedding_dropout)

    def forward(self, inputs: NetworkInputs, seq_len: int) -> Tensor:
        """Embed.

        inputs (NetworkInputs): The batch.
        seq_len (int): Longest sentence of the batch with its START and STOP.
        RETURNS (Tensor): *Shape:* (batch_size, seq_len, hidden_width).
        RAISES (ValueError): if the batch lacks a kind of features that the network reads.
        """
        features = self._embed_words(inputs)
        if self.concatenate:
            content = torch.cat(features, dim=-1)
        else:
            content = features[0]
            for feature in features[1:]:
                content = content + feature
        places = torch.arange(seq_len, device=content.device) % self.max_positions
        positions = self.positions.index_select(0, places).expand(len(content), -1, -1)
        positions = self.position_dropout(positions)
        joined = torch.cat([content, positions], dim=-1) if self.factored else content + positions
        return self.norm(self.dropout(joined))

    def _embed_words(self, inputs: NetworkInputs) -> List[Tensor]:
        """The kinds of word features that the network reads, in the reference's order."""
        features = []
        if self.tags is not None:
            features.append(self.tag_dropout(self.tags(_given("tag_ids", inputs.tag_ids))))
        if self.words is not None:
            features.append(self.word_dropout(self.words(_given("word_ids", inputs.word_ids))))
        if self.chars is not None:
            features.append(self.chars(_given("char_ids", inputs.char_ids), inputs.char_lengths))
        if self.vector_projection is not None:
            features.append(self.vector_projection(self._bounded_vectors(inputs)))
        return features

    def _bounded_vectors(self, inputs: NetworkInputs) -> Tensor:
        vectors = _given("vectors", inputs.vectors)
        if inputs.has_boundary_vectors:
            return vectors
        if self.boundary_vectors is None:
            raise ValueError("vectors come without rows for START and STOP, and the network has no learned ones")
        places = torch.arange(vectors.shape[1], device=vectors.device)
        is_stop = (places == inputs.lengths[:, None] + 1).unsqueeze(-1)
        start, stop = self.boundary_vectors
        bounded = torch.where(is_stop, stop, vectors)
        return torch.where((places == 0)[None, :, None], start, bounded)
