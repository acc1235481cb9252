"""External word vectors, from a tok2vec or a transformer, projected to the width of the features."""

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn

from ..checks import check_count, check_flags, check_rates
from ..dropout import ElementDropout, FeatureDropout
from ..network_inputs import InputSizes, NetworkInputs
from . import WordFeature


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


@dataclass(frozen=True)
class Vectors(WordFeature):
    """The vectors of the model's `tok2vec`.

    learned_boundaries (bool): See `VectorProjection`. An architecture sets it to fit its tok2vec.
    mix_layers (int): Layers that the tok2vec gives side by side, for instance `spacy-lal.JoinedTok2Vec.v1`: the network
        learns their average. 1: the vectors are read as they are.
    vector_dropout (float): Elementwise dropout on the vectors.
    dropout (float): Feature dropout on the projected vectors.
    RAISES (ValueError): An option is out of range.
    """

    kind = "vectors"
    learned_boundaries: bool = True
    mix_layers: int = 1
    vector_dropout: float = 0.0
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_flags(learned_boundaries=self.learned_boundaries)
        check_count("mix_layers", self.mix_layers)
        check_rates(vector_dropout=self.vector_dropout, dropout=self.dropout)

    def build(self, width: int, sizes: InputSizes) -> VectorProjection:
        """See `WordFeature`."""
        check_count("vector_width", sizes.vector_width)
        return VectorProjection(
            sizes.vector_width, width, self.learned_boundaries, self.mix_layers, self.vector_dropout, self.dropout
        )
