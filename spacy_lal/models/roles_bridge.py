"""The bridge between thinc and the network of semantic roles: it pads arrays to tensors, and returns scores and
gradients. It does *not* define a network, and it knows no Docs. Compare `bridge.py`, the parser's."""

from functools import partial
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import numpy
import torch
from numpy import ndarray
from thinc.api import Model
from thinc.types import ArgsKwargs

from ..layers.pair_features import SentenceParse
from ..layers.roles_configs import RolesNetworkConfig, RolesSizes
from ..layers.roles_network import RolesInputs, RolesNetwork, RolesOutput
from ..scores import MISSING, RoleScores
from .embedding import VectorRows
from .execution import ExecutionConfig
from .network_layer import PaddedVectors, Run, TrainRun, pad_vectors, score_sentences, sub_batches, to_numpy
from .network_shim import NetworkShim


class RolesBatch(NamedTuple):
    """The input of the network layer; the lists have one item for each sentence.

    vectors (VectorRows): The vectors of all words, with the rows of each sentence.
    heads (Optional[List[ndarray]]): Heads for the syntax head, from 0; a root is its own head, -1 is unknown. None: all
        are unknown. Shapes: (n,).
    deprel_heads (Optional[List[ndarray]]): Heads for which deprels are scored. None: deprels are not scored.
    predicates (Optional[List[ndarray]]): The words that are predicates, ascending. None: the network's own.
    threshold (float): The network's own predicates have at least this probability.
    parses (Optional[List[SentenceParse]]): The parses, for a scorer of ranges.
    """

    vectors: VectorRows
    heads: Optional[List[ndarray]] = None
    deprel_heads: Optional[List[ndarray]] = None
    predicates: Optional[List[ndarray]] = None
    threshold: float = 0.5
    parses: Optional[List[SentenceParse]] = None


RolesNetworkModel = Model[RolesBatch, List[RoleScores]]


def roles_network(config: RolesNetworkConfig, execution: Optional[ExecutionConfig] = None) -> RolesNetworkModel:
    """The torch network as a thinc layer. Its shim's `build` or `from_bytes` makes the network.

    config (RolesNetworkConfig): Everything but the sizes that come from data.
    execution (Optional[ExecutionConfig]): How it runs, always in torch; not saved with the weights. None: its defaults.
    """
    execution = execution if execution is not None else ExecutionConfig()
    shim = NetworkShim(partial(_build_network, config), _unfolded, mixed_precision=execution.mixed_precision)
    # A record, which thinc leaves out of the saved attrs: the config's options hold, not the training's.
    return Model("roles_network", forward, shims=[shim], attrs={"execution": execution})


def _build_network(config: RolesNetworkConfig, sizes: Dict[str, int]) -> RolesNetwork:
    return RolesNetwork(config, RolesSizes(**sizes))


def _unfolded(network: Any, precision: Any) -> Any:
    """This network has no folded form."""
    return network


def forward(model: RolesNetworkModel, batch: RolesBatch, is_train: bool) -> Tuple[List[RoleScores], Callable]:
    """Score all sentences, in order. The backward pass takes the gradient of every sentence's scores, and returns the
    gradient of `batch.vectors.data`."""
    runs = iter_runs(model, batch, is_train)
    return score_sentences(model, runs, len(batch.vectors.rows), batch.vectors.data, pad_role_gradients)


def iter_runs(model: RolesNetworkModel, batch: RolesBatch, is_train: bool = False) -> Iterator[Run]:
    """Run the network on one sub-batch after the other. Yields numbers of sentences, their scores, and in training the
    input of the backward pass. Sentences without words come first; the network skips them."""
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    lengths = [len(rows) for rows in batch.vectors.rows]
    empty = [i for i, length in enumerate(lengths) if length == 0]
    if empty:
        yield empty, [scores_of_nothing(shim.network.sizes, shim.network.config.with_spans)] * len(empty), None
    for indices in sub_batches(model, lengths, is_train, model.attrs["execution"].max_batch_cells):
        inputs, vectors = pad_roles(model, batch, indices, is_train)
        output, backprop_torch = shim(ArgsKwargs(args=(inputs,), kwargs={}), is_train)
        scores = _unpad(output, [lengths[i] for i in indices])
        yield indices, scores, TrainRun(vectors, output, backprop_torch) if is_train else None


def pad_roles(
    model: RolesNetworkModel, batch: RolesBatch, indices: List[int], is_train: bool
) -> Tuple[RolesInputs, PaddedVectors]:
    """Pad some sentences to the network's form; also returns the origin of their vectors.

    indices (List[int]): Numbers of sentences in the batch.
    is_train (bool): Whether their vectors get a gradient.
    """
    device = model.shims[0].device  # type: ignore[attr-defined]
    lengths = [len(batch.vectors.rows[i]) for i in indices]
    shape = (len(indices), max(lengths))
    vectors = pad_vectors(model, batch.vectors, indices, shape, first=0, is_train=is_train)

    def pad_ids(items: Optional[List[ndarray]]) -> Optional[torch.Tensor]:
        if items is None:
            return None
        ids = numpy.full(shape, MISSING, dtype="int64")
        for row, i in zip(ids, indices, strict=True):
            row[: len(items[i])] = items[i]
        return torch.from_numpy(ids).to(device)

    predicates = None
    if batch.predicates is not None:
        flags = numpy.zeros(shape, dtype=bool)
        for row, i in zip(flags, indices, strict=True):
            row[batch.predicates[i]] = True
        predicates = torch.from_numpy(flags).to(device)
    inputs = RolesInputs(
        lengths=torch.tensor(lengths, dtype=torch.int64, device=device),
        vectors=vectors.tensor,
        heads=pad_ids(batch.heads),
        deprel_heads=pad_ids(batch.deprel_heads),
        predicates=predicates,
        threshold=batch.threshold,
        parses=None if batch.parses is None else [batch.parses[i] for i in indices],
    )
    return inputs, vectors


def _unpad(output: RolesOutput, lengths: Sequence[int]) -> List[RoleScores]:
    """One `RoleScores` for each sentence, on the host."""
    predicates, rows, tags, rolesets, arcs, deprels, spans = map(to_numpy, output[:-1])
    ranges = [None] * len(lengths) if output.ranges is None else output.ranges
    first = 0
    ends = numpy.searchsorted(rows[:, 0], numpy.arange(len(lengths) + 1))  # type: ignore[index]
    scores = []
    for k, n in enumerate(lengths):
        mine = slice(ends[k], ends[k + 1])
        of_spans = None
        if spans is not None:
            shape = (int(ends[k + 1] - ends[k]), len(ranges[k]), spans.shape[1])  # type: ignore[arg-type]
            of_spans = spans[first : first + shape[0] * shape[1]].reshape(shape)
            first += shape[0] * shape[1]
        scores.append(
            RoleScores(
                predicates=numpy.ascontiguousarray(predicates[k, :n]),  # type: ignore[index]
                rows=rows[mine, 1].copy(),  # type: ignore[index]
                tags=None if tags is None else numpy.ascontiguousarray(tags[mine, :n]),
                rolesets=None if rolesets is None else rolesets[mine].copy(),
                arcs=None if arcs is None else numpy.ascontiguousarray(arcs[k, :n, :n]),
                deprels=None if deprels is None else numpy.ascontiguousarray(deprels[k, :n]),
                spans=of_spans,
                ranges=ranges[k],
            )
        )
    return scores


def pad_role_gradients(
    output: RolesOutput, d_scores: Sequence[RoleScores]
) -> Tuple[List[torch.Tensor], List[torch.Tensor]]:
    """The output tensors that a gradient reaches, and their gradients, zero at padding.

    d_scores (Sequence[RoleScores]): The gradient of the scores of each sentence.
    RAISES (ValueError): A gradient is of other predicates than the scores.
    """
    if sum(len(one.rows) for one in d_scores) != len(output.rows):
        raise ValueError(
            f"got gradients of {sum(len(one.rows) for one in d_scores)} predicates, expected {len(output.rows)}"
        )
    tensors, grads = [], []
    if output.spans is not None and output.spans.requires_grad and len(output.spans):
        of_spans = [numpy.asarray(one.spans).reshape(-1, output.spans.shape[1]) for one in d_scores]
        tensors.append(output.spans)
        grads.append(torch.from_numpy(numpy.concatenate(of_spans)).to(output.spans))
    for name in ("predicates", "tags", "rolesets", "arcs", "deprels"):
        tensor = getattr(output, name)
        if tensor is None or not tensor.requires_grad or not tensor.numel():
            continue
        padded = numpy.zeros(tuple(tensor.shape), dtype="float32")
        first = 0
        for k, one in enumerate(d_scores):
            gradient = getattr(one, name)
            n, n_rows = one.n_words, len(one.rows)
            if gradient is None:
                continue
            if name == "tags":
                padded[first : first + n_rows, :n] = gradient
            elif name == "rolesets":
                padded[first : first + n_rows] = gradient
            elif name == "arcs":
                padded[k, :n, :n] = gradient
            else:
                padded[k, :n] = gradient
            first += n_rows
        tensors.append(tensor)
        grads.append(torch.from_numpy(padded).to(tensor))
    return tensors, grads


def scores_of_nothing(sizes: RolesSizes, with_spans: bool = False) -> RoleScores:
    """The scores of a sentence without words."""

    def zeros(*shape: int) -> ndarray:
        return numpy.zeros(shape, dtype="float32")

    return RoleScores(
        predicates=zeros(0, sizes.n_predicate_labels),
        rows=numpy.zeros(0, dtype="int64"),
        tags=None if with_spans else zeros(0, 0, sizes.n_tags),
        rolesets=zeros(0, sizes.n_rolesets) if sizes.n_rolesets else None,
        arcs=zeros(0, 0) if sizes.n_deprels else None,
        deprels=zeros(0, sizes.n_deprels) if sizes.n_deprels else None,
        spans=zeros(0, 0, 1 + (sizes.n_tags - 1) // 2) if with_spans else None,
        ranges=numpy.zeros((0, 2), dtype="int64") if with_spans else None,
    )
