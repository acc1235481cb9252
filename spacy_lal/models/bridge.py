"""The bridge between thinc and the torch network: it pads arrays to tensors, and returns scores and gradients.

A thinc layer around `layers.parser_network.ParserNetwork`. Sentences run in sub-batches by padded size, so that one
long sentence does not blow up the charts of the others. The results do not depend on the sub-batches.
It does *not* define a network, and it knows no Docs.
"""

from functools import partial
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy
import torch
from numpy import ndarray
from thinc.api import Model
from thinc.types import ArgsKwargs

from ..layers.configs import ParserNetworkConfig, ParserSizes
from ..layers.folded_network import FoldedNetwork, FoldedOutput
from ..layers.inputs import NetworkInputs
from ..layers.parser_network import NetworkOutput, ParserNetwork
from ..layers.products import Precision
from ..scores import AnyScores, ParserScores, PrunedScores
from .embedding import NetworkBatch
from .execution import ExecutionConfig
from .gradients import pad_gradients
from .network_layer import PaddedVectors, Run, TrainRun, pad_vectors, score_sentences, sub_batches, to_numpy
from .network_shim import NetworkShim
from .onnx_parser import OnnxNetwork
from .runtimes import has_packages


class PaddedInputs(NamedTuple):
    """A sub-batch in the network's form.

    network (NetworkInputs): Padded tensors.
    vectors (Optional[PaddedVectors]): Its vectors and their origin; None without vectors.
    """

    network: NetworkInputs
    vectors: Optional[PaddedVectors]


NetworkModel = Model[NetworkBatch, List[ParserScores]]


def parser_network(config: ParserNetworkConfig, execution: Optional[ExecutionConfig] = None) -> NetworkModel:
    """The torch network as a thinc layer. Its shim's `build` or `from_bytes` makes the network.

    config (ParserNetworkConfig): Everything but the sizes that come from data.
    execution (Optional[ExecutionConfig]): How it runs; not saved with the weights. None: its defaults.
    RETURNS (NetworkModel): The layer.
    """
    execution = execution if execution is not None else ExecutionConfig()
    shim = NetworkShim(
        partial(_build_network, config),
        partial(_fold, execution.runtime) if execution.runtime != "torch" else FoldedNetwork,
        mixed_precision=execution.mixed_precision,
        fold_trained=FoldedNetwork,
    )
    # A record, which thinc leaves out of the saved attrs: the config's options hold, not the training's.
    return Model("parser_network", forward, shims=[shim], attrs={"execution": execution})


def _build_network(config: ParserNetworkConfig, sizes: Dict[str, int]) -> ParserNetwork:
    return ParserNetwork(config, ParserSizes(**sizes))


def _fold(runtime: str, network: ParserNetwork, precision: Precision) -> Union[FoldedNetwork, OnnxNetwork]:
    folded = FoldedNetwork(network, precision)
    if network.inputs.positions.device.type != "cpu" or not has_packages(runtime, "The parser's network"):
        return folded
    return OnnxNetwork(folded, int8=runtime == "onnx-int8")


def forward(model: NetworkModel, batch: NetworkBatch, is_train: bool) -> Tuple[List[ParserScores], Callable]:
    """Score all sentences, in order. The backward pass takes the gradient of every sentence's scores (`ScoresGradient`,
    or `ParserScores` of the same shapes) and returns the gradient of `batch.vectors.data`, or None without vectors."""
    data = None if batch.vectors is None else batch.vectors.data
    return score_sentences(model, iter_runs(model, batch, is_train), len(batch.features), data, pad_gradients)


def iter_runs(model: NetworkModel, batch: NetworkBatch, is_train: bool = False) -> Iterator[Run]:
    """Run the network on one sub-batch after the other. Yields numbers of sentences, their scores, and in training the
    input of the backward pass. Sentences without tokens come first; the network skips them."""
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    lengths = [features.length for features in batch.features]
    empty = [i for i, length in enumerate(lengths) if length == 0]
    if empty:
        nothing = _scores_of_nothing(shim.network, batch.return_attention)
        yield empty, [nothing] * len(empty), None
    for indices in _sub_batches(model, lengths, is_train):
        inputs = pad_inputs(model, batch, indices, is_train)
        call = ArgsKwargs(args=(inputs.network,), kwargs={"return_attention": batch.return_attention})
        output, backprop_torch = shim(call, is_train)
        scores = list(_unpad_scores(output, [lengths[i] for i in indices]))
        yield indices, scores, TrainRun(inputs.vectors, output, backprop_torch) if is_train else None


def iter_pruned(model: NetworkModel, batch: NetworkBatch) -> Iterator[Tuple[List[int], Sequence[AnyScores]]]:
    """As `iter_runs`, but with the folded network: numbers of sentences, and their `PrunedScores`. Sentences without
    tokens get `ParserScores`."""
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    folded = shim.folded
    lengths = [features.length for features in batch.features]
    empty = [i for i, length in enumerate(lengths) if length == 0]
    if empty:
        yield empty, [_scores_of_nothing(shim.network, batch.return_attention)] * len(empty)
    for indices in _sub_batches(model, lengths, is_train=False):
        if isinstance(folded, OnnxNetwork):
            yield indices, folded.scores(batch, indices)
            continue
        output = folded(pad_inputs(model, batch, indices, is_train=False).network)
        yield indices, list(_unpad_pruned(output, [lengths[i] for i in indices], batch.return_attention))


def _sub_batches(model: NetworkModel, lengths: Sequence[int], is_train: bool) -> List[List[int]]:
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    # the authors' batch effect depends on the batch and its order
    max_cells = model.attrs["execution"].max_batch_cells
    return sub_batches(model, lengths, is_train, max_cells, depends_on_batch=shim.network.depends_on_batch)


def pad_inputs(model: NetworkModel, batch: NetworkBatch, indices: List[int], is_train: bool) -> PaddedInputs:
    """Pad some sentences to the network's form.

    indices (List[int]): Numbers of sentences in the batch.
    is_train (bool): Whether their vectors get a gradient.
    """
    device = model.shims[0].device  # type: ignore[attr-defined]
    features = [batch.features[i] for i in indices]
    shape = (len(indices), max(one.length for one in features) + 2)
    vectors = None
    if batch.vectors is not None:
        first = 0 if batch.vectors.has_boundaries else 1
        vectors = pad_vectors(model, batch.vectors, indices, shape, first=first, is_train=is_train)
    char_ids, char_lengths = _pad_chars([one.chars for one in features], shape, device)
    inputs = NetworkInputs(
        lengths=torch.tensor([one.length for one in features], dtype=torch.int64, device=device),
        vectors=None if vectors is None else vectors.tensor,
        tag_ids=_pad_ids([one.tag_ids for one in features], shape, device),
        word_ids=_pad_ids([one.word_ids for one in features], shape, device),
        char_ids=char_ids,
        char_lengths=char_lengths,
        has_boundary_vectors=batch.vectors is not None and batch.vectors.has_boundaries,
    )
    return PaddedInputs(inputs, vectors)


def _pad_ids(ids: Sequence[Optional[ndarray]], shape: Tuple[int, int], device: torch.device) -> Optional[torch.Tensor]:
    """(n + 2,) arrays to one (batch, seq_len) tensor, padded with 0."""
    padded = numpy.zeros(shape, dtype="int64")
    for row, one in zip(padded, ids, strict=True):
        if one is None:
            return None
        row[: len(one)] = one
    return torch.from_numpy(padded).to(device)


def _pad_chars(
    chars: Sequence[Optional[List[Sequence[int]]]], shape: Tuple[int, int], device: torch.device
) -> Tuple[Optional[torch.Tensor], Optional[torch.Tensor]]:
    """Character ids to a (batch, seq_len, word_len) tensor, padded with 0, and their (batch, seq_len) lengths."""
    lengths = numpy.zeros(shape, dtype="int64")
    flat: List[int] = []
    for row, words in zip(lengths, chars, strict=True):
        if words is None:
            return None, None
        row[: len(words)] = [len(word) for word in words]
        for word in words:
            flat.extend(word)
    padded = numpy.zeros((*shape, int(lengths.max())), dtype="int64")
    padded[numpy.arange(padded.shape[2]) < lengths[..., None]] = flat
    return torch.from_numpy(padded).to(device), torch.from_numpy(lengths).to(device)


def _unpad_scores(output: NetworkOutput, lengths: Sequence[int]) -> Iterator[ParserScores]:
    """One `ParserScores` for each sentence, on the host. The arrays of a sentence that is alone may share the network's
    memory, since a long sentence has large charts; the backward pass does not read them."""
    labels, arcs, deprels = to_numpy(output.labels), to_numpy(output.arcs), to_numpy(output.deprels)
    weights, ties = to_numpy(output.label_attention), to_numpy(output.ties)
    for k, length in enumerate(lengths):
        side = slice(length + 1)
        yield ParserScores(
            labels=numpy.ascontiguousarray(labels[k, side, side]),
            arcs=numpy.ascontiguousarray(arcs[k, side, side]),
            deprels=numpy.ascontiguousarray(deprels[k, side, side] if deprels.ndim == 4 else deprels[k, side]),
            attention=None if weights is None else numpy.ascontiguousarray(weights[k, ..., : length + 2]),
            ties=None if ties is None else numpy.ascontiguousarray(ties[k, side]),
        )


def _unpad_pruned(output: FoldedOutput, lengths: Sequence[int], with_attention: bool) -> Iterator[PrunedScores]:
    """One `PrunedScores` for each sentence, on the host."""
    labels, label_ids, arcs, deprel_ids = (tensor.cpu().numpy() for tensor in output[:4])
    weights = output.label_attention.cpu().numpy() if with_attention and output.label_attention is not None else None
    for k, length in enumerate(lengths):
        side = slice(length + 1)
        yield PrunedScores(
            labels=numpy.ascontiguousarray(labels[k, side, side]),
            label_ids=label_ids[k, side, side],
            arcs=numpy.ascontiguousarray(arcs[k, side, side]),
            deprel_ids=deprel_ids[k, side, side] if deprel_ids.ndim == 3 else deprel_ids[k, side],
            attention=None if weights is None else numpy.ascontiguousarray(weights[k, :, : length + 2]),
            deprel_features=output.deprel_features,
            place=k,
        )


def _scores_of_nothing(network: ParserNetwork, with_attention: bool) -> ParserScores:
    """The scores of a sentence without tokens."""
    spans, biaffine, n_label_heads = network.span_scorer, network.biaffine_scorer, network.n_label_heads
    labels = (0, 0, 0) if spans is None else (1, 1, network.sizes.n_labels)
    deprels = (1, 0) if biaffine is None else (1, *((1,) if biaffine.given_head else ()), network.sizes.n_deprels)
    has_ties = spans is not None and spans.ties is not None
    return ParserScores(
        labels=numpy.zeros(labels, dtype="float32"),
        arcs=numpy.zeros((1, 1), dtype="float32"),
        deprels=numpy.zeros(deprels, dtype="float32"),
        attention=numpy.zeros((n_label_heads, 2), dtype="float32") if with_attention and n_label_heads else None,
        ties=numpy.zeros((1, n_label_heads), dtype="float32") if has_ties else None,
    )
