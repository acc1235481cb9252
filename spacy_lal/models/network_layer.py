"""The parts that the bridges of all networks share: padded vectors, sub-batches, and the scores of a whole batch with
their backward pass. It knows no network, no scores and no Docs."""

from typing import Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, Tuple, cast

import numpy
import torch
from thinc.api import Model, torch2xp, xp2torch
from thinc.types import ArgsKwargs, Floats2d, Floats3d, Ints1d

from .embedding import VectorRows
from .network_shim import NetworkShim
from .sub_batches import batch_sentences


class PaddedVectors(NamedTuple):
    """The vectors of a sub-batch in the network's form, and their origin.

    tensor (Tensor): Shape: (batch_size, seq_len, width). On the network's device.
    sources (Any): Ints1d. Shape: (n_rows,). The rows of its vectors in `VectorRows.data`.
    places (Any): Ints1d. Shape: (n_rows,). Their rows among the batch_size * seq_len padded ones.
    """

    tensor: torch.Tensor
    sources: Any
    places: Any


class TrainRun(NamedTuple):
    """A sub-batch in training.

    vectors (Optional[PaddedVectors]): The vectors that take a gradient, if any.
    output (Any): The network's output.
    backprop (Callable): The shim's backward pass.
    """

    vectors: Optional[PaddedVectors]
    output: Any
    backprop: Callable


# Numbers of sentences and their scores; in training, also the inputs of the backward pass.
Run = Tuple[List[int], List[Any], Optional[TrainRun]]


def pad_vectors(
    model: Model, vectors: VectorRows, indices: Sequence[int], shape: Tuple[int, int], *, first: int, is_train: bool
) -> PaddedVectors:
    """Pad the vectors of some sentences with zeros.

    indices (Sequence[int]): Numbers of sentences in the batch.
    shape (Tuple[int, int]): The number of sentences, and the rows of each.
    first (int): The row of a sentence's first vector.
    is_train (bool): Whether the vectors get a gradient.
    """
    rows = [vectors.rows[i] for i in indices]
    sources = model.ops.asarray1i(cast(Ints1d, numpy.concatenate(rows)), dtype="int64")
    starts = [k * shape[1] + first + numpy.arange(len(one)) for k, one in enumerate(rows)]
    places = model.ops.asarray1i(cast(Ints1d, numpy.concatenate(starts)), dtype="int64")
    padded = model.ops.alloc2f(shape[0] * shape[1], vectors.data.shape[1])
    padded[places] = vectors.data[sources]
    device = model.shims[0].device  # type: ignore[attr-defined]
    tensor = xp2torch(model.ops.reshape3f(padded, *shape, -1), requires_grad=is_train, device=device)
    return PaddedVectors(tensor, sources, places)


def sub_batches(
    model: Model, lengths: Sequence[int], is_train: bool, max_cells: int, *, depends_on_batch: bool = False
) -> List[List[int]]:
    """Numbers of sentences that run together, by padded size; empty sentences are left out.

    max_cells (int): Most padded cells that run at once.
    depends_on_batch (bool): Whether the network's results depend on the batch, which then runs as a whole.
    """
    shim: NetworkShim = model.shims[0]  # type: ignore[assignment]
    # A GPU that learns in half precision has room for the whole batch, and is quicker at it.
    if depends_on_batch or (is_train and shim._mixed_precision):
        whole = [i for i, length in enumerate(lengths) if length > 0]
        return [whole] if whole else []
    return batch_sentences(lengths, max_cells)


def score_sentences(
    model: Model, runs: Iterable[Run], n_sentences: int, data: Optional[Floats2d], pad_gradients: Callable
) -> Tuple[List[Any], Callable]:
    """The scores of all sentences, in order, and their backward pass, which takes the gradient of every sentence's
    scores and returns the gradient of `data`, or None without vectors.

    runs (Iterable[Run]): Every sentence is in one of them.
    data (Optional[Floats2d]): The vectors of the whole batch.
    pad_gradients (Callable): From a network's output and the gradients of its sentences to tensors and their
        gradients.
    """
    scores: List[Any] = [None] * n_sentences
    train_runs: List[Tuple[List[int], TrainRun]] = []
    for indices, run_scores, run in runs:
        for i, one in zip(indices, run_scores, strict=True):
            scores[i] = one
        if run is not None:
            train_runs.append((indices, run))

    def backprop(d_scores: Sequence[Any]) -> Optional[Floats2d]:
        if len(d_scores) != n_sentences:
            raise ValueError(f"Got gradients of {len(d_scores)} sentences, expected {n_sentences}")
        d_data = None if data is None else model.ops.alloc2f(*data.shape)
        while train_runs:
            indices, (vectors, output, backprop_torch) = train_runs.pop()
            tensors, grads = pad_gradients(output, [d_scores[i] for i in indices])
            if not tensors:
                continue
            backprop_torch(ArgsKwargs(args=(tensors,), kwargs={"grad_tensors": grads}))
            if d_data is not None and vectors is not None and vectors.tensor.grad is not None:
                d_padded = cast(Floats3d, torch2xp(vectors.tensor.grad, ops=model.ops))
                d_data[vectors.sources] = model.ops.reshape2f(d_padded, -1, d_data.shape[1])[vectors.places]
        return d_data

    return scores, backprop


def to_numpy(tensor: Optional[torch.Tensor]) -> Any:
    """A tensor of any device as an array on the host, real numbers in single precision; None stays None."""
    if tensor is None:
        return None
    tensor = tensor.detach()
    return (tensor.float() if tensor.is_floating_point() else tensor).cpu().numpy()
