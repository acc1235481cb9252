"""The parser's network in thinc: padded tensors for the torch module, and its scores and their gradients.

A gradient that a loss makes sparse stays sparse up to the scorer, which recomputes only the cells that it names. *Not*
here: the layers of the network, its NumPy form (`parser_inference.py`), and Docs.
"""

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy
from numpy import ndarray

from ..layers.configs import ParserNetworkConfig, ParserSizes
from ..scores import ParserScores, ScoresGradient, SparseGradient
from .batches import NetworkBatch
from .parser_inference import ParserInference, has_numpy_form
from .shim import NetworkShim, run_module, to_numpy


class ParserShim(NetworkShim):
    """The network of a parser; see `NetworkShim`."""

    config: ParserNetworkConfig
    has_ends = True

    @property
    def sizes(self) -> ParserSizes:
        """What the data decide, as the network's config has it."""
        return ParserSizes(**self.cfg)

    def build_module(self) -> Any:
        """See `NetworkShim`."""
        from ..layers.parser_network import ParserNetwork

        return ParserNetwork(self.config, self.sizes)

    def build_inference(self, weights: Dict[str, ndarray]) -> Optional[ParserInference]:
        """See `NetworkShim`."""
        return ParserInference(self.config, self.sizes, weights) if has_numpy_form(self.config) else None

    def pad(self, batch: NetworkBatch, indices: Sequence[int], vectors: Any) -> Any:
        """See `NetworkShim`."""
        import torch

        from ..layers.inputs import NetworkInputs

        features = [batch.features[i] for i in indices]
        shape = (len(indices), max(one.length for one in features) + 2)
        arrays = {"lengths": numpy.array([one.length for one in features], dtype="int64")}
        for name in ("tag_ids", "word_ids"):
            if getattr(features[0], name) is not None:
                arrays[name] = _pad_arrays([getattr(one, name) for one in features], shape, "int64")
        if features[0].chars is not None:
            arrays["char_ids"], arrays["char_lengths"] = _pad_chars([one.chars or [] for one in features], shape)
        device = self.device
        tensors = {name: torch.from_numpy(one).to(device) for name, one in arrays.items()}
        has_boundaries = batch.vectors is not None and batch.vectors.has_boundaries
        return NetworkInputs(vectors=vectors, has_boundary_vectors=has_boundaries, **tensors)

    def unpad(self, output: Any, lengths: Sequence[int]) -> List[ParserScores]:
        """See `NetworkShim`."""
        labels, arcs, deprels, ties = map(to_numpy, (output.labels, output.arcs, output.deprels, output.ties))
        scores = []
        for k, length in enumerate(lengths):
            side = slice(length + 1)
            of_deprels = deprels[k, side, side] if deprels.ndim == 4 else deprels[k, side]
            parts = [labels[k, side, side], arcs[k, side, side], of_deprels]
            of_ties = None if ties is None else numpy.ascontiguousarray(ties[k, side])
            scores.append(ParserScores(*map(numpy.ascontiguousarray, parts), ties=of_ties))  # type: ignore[arg-type]
        return scores

    def gradients(self, output: Any, d_scores: Sequence[ScoresGradient]) -> Tuple[List[Any], List[Any]]:
        """A chart whose gradients are all sparse is reduced to the cells that they name."""
        import torch

        from ..layers.basics import PickedCells

        tensors, grads = [], []
        for field in ("labels", "arcs", "deprels", "ties"):
            tensor = getattr(output, field)
            if tensor is None or not tensor.requires_grad:  # an unused scorer
                continue
            given = [getattr(one, field) for one in d_scores]
            if any(isinstance(one, SparseGradient) for one in given):
                indices, grad = _join_cells(given)
                tensor = PickedCells.apply(tensor, torch.from_numpy(indices).to(tensor.device))
            else:
                grad = _pad_arrays(given, tuple(tensor.shape))
            tensors.append(tensor)
            grads.append(torch.from_numpy(grad).to(tensor.device, tensor.dtype))
        penalty = getattr(output, "penalty", None)
        if penalty is not None and penalty.requires_grad:  # a part of the loss, which the network computes
            tensors.append(penalty)
            grads.append(torch.ones_like(penalty))
        return tensors, grads

    def nothing(self, batch: NetworkBatch) -> ParserScores:
        """See `NetworkShim`."""
        config, sizes = self.config, self.sizes
        labels, deprels = (0, 0, 0), (1, 0)
        if config.span_scorer is not None and sizes.n_labels:
            labels = (1, 1, sizes.n_labels)
        if config.biaffine_scorer is not None and sizes.n_deprels:
            deprels = (1, 1, sizes.n_deprels) if config.biaffine_scorer.given_head else (1, sizes.n_deprels)  # type: ignore
        ties = None
        if config.span_scorer is not None and config.span_scorer.label_heads:
            ties = numpy.zeros((1, config.n_label_heads(sizes)), dtype="float32")
        zeros = [numpy.zeros(shape, dtype="float32") for shape in (labels, (1, 1), deprels)]
        return ParserScores(*zeros, ties=ties)  # type: ignore[arg-type]

    def encode(self, batch: NetworkBatch, index: int) -> Tuple[ndarray, Optional[ndarray]]:
        """The fenceposts of one sentence with words, *shape:* (n + 1, width), and its label attention, *shape:*
        (n_label_heads, n + 2), if the network has one."""
        inference = self.inference
        if inference is not None:
            return inference.encode(batch, index)
        fenceposts, weights = map(to_numpy, run_module(self, batch, [index], "encode"))
        return fenceposts[0], None if weights is None else weights[0]


def _pad_chars(chars: Sequence[List[Sequence[int]]], shape: Tuple[int, int]) -> Tuple[ndarray, ndarray]:
    """Character ids to a (batch, seq_len, word_len) array, padded with 0, and their (batch, seq_len) lengths."""
    lengths = numpy.zeros(shape, dtype="int64")
    flat: List[int] = []
    for row, words in zip(lengths, chars, strict=True):
        row[: len(words)] = [len(word) for word in words]
        for word in words:
            flat.extend(word)
    padded = numpy.zeros((*shape, int(lengths.max())), dtype="int64")
    padded[numpy.arange(padded.shape[2]) < lengths[..., None]] = flat
    return padded, lengths


def _join_cells(gradients: Sequence[Optional[SparseGradient]]) -> Tuple[ndarray, ndarray]:
    """Indices into a padded chart, *shape:* (1 + n_axes, n_cells), and the gradient of the cells."""
    sparse = [(k, one) for k, one in enumerate(gradients) if isinstance(one, SparseGradient)]
    sentences = numpy.repeat([k for k, _ in sparse], [len(one.cells) for _, one in sparse])
    indices = numpy.vstack([sentences, numpy.concatenate([one.cells for _, one in sparse]).T])
    return indices, numpy.concatenate([one.values for _, one in sparse])


def _pad_arrays(arrays: Sequence[Optional[ndarray]], shape: Tuple[int, ...], dtype: str = "float32") -> ndarray:
    """Arrays of single sentences as one array of a shape, with zeros elsewhere."""
    padded = numpy.zeros(shape, dtype=dtype)
    for k, array in enumerate(arrays):
        if array is not None and array.size:
            padded[k][tuple(slice(size) for size in array.shape)] = array
    return padded
