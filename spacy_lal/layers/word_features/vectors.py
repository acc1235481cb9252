"""External word vectors, from a tok2vec or a transformer, projected to the width of the features."""

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor, nn

from ..checks import check_count, check_flags
from ..network_inputs import InputSizes, NetworkInputs
from . import WordFeature


class VectorProjection(nn.Module):
    """A linear map of word vectors, without bias.

    vector_width (int): Width of the vectors.
    width (int): Width of the output.
    learned_boundaries (bool): Whether START and STOP have learned vectors, for inputs that lack them.
    """

    def __init__(self, vector_width: int, width: int, learned_boundaries: bool) -> None:
        super().__init__()
        self.projection = nn.Linear(vector_width, width, bias=False)
        self.boundaries: Optional[nn.Parameter] = None
        if learned_boundaries:
            self.boundaries = nn.Parameter(torch.randn(2, vector_width))

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Project. RETURNS (Tensor): *Shape:* (batch_size, seq_len, width)."""
        return self.projection(self._with_boundaries(inputs))

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
    """

    kind = "vectors"
    learned_boundaries: bool = True

    def __post_init__(self) -> None:
        check_flags(learned_boundaries=self.learned_boundaries)

    def build(self, width: int, sizes: InputSizes) -> VectorProjection:
        """See `WordFeature`."""
        check_count("vector_width", sizes.vector_width)
        return VectorProjection(sizes.vector_width, width, self.learned_boundaries)
