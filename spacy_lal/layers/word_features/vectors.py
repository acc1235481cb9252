"""External word vectors, from a tok2vec or a transformer, projected to the width of the features."""

from typing import Optional

import torch
from torch import Tensor, nn

from ..dropout import ElementDropout, FeatureDropout
from ..network_inputs import NetworkInputs


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
