"""`spacy-lal.BiLSTMEncoder.v1`: a bidirectional LSTM as the `encode` of spaCy's
Tok2Vec. Vectors do not depend on the batch, unlike those of
`spacy.TorchBiLSTMEncoder.v1`."""

from dataclasses import replace
from typing import Any, Callable

from thinc.api import Model, noop, torch2xp, with_padded, xp2torch
from thinc.types import Floats2d, Padded

from ...layers.input_configs import check_even
from .network import NetworkShim


def build_bilstm_encoder(
    width: int, depth: int, dropout: float = 0.0
) -> Model[list[Floats2d], list[Floats2d]]:
    """Build the encoder.

    width (int): Width of the input and of the output.
    depth (int): Number of layers; 0 for none.
    dropout (float): Elementwise dropout between layers, active in training only.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): From token vectors of each Doc to
        token vectors in context.
    RAISES (ValueError): The width is odd.
    """
    if depth == 0:
        return noop()
    check_even("width of a bidirectional LSTM", width, "half for each direction")
    shim = NetworkShim(BiLSTMTask(width, depth, dropout))  # type: ignore[arg-type]
    lstm: Model[Padded, Padded] = Model(
        "bilstm",
        _forward,
        init=lambda model, X=None, Y=None: model.shims[0].build(),
        dims={"nO": width, "nI": width},
        shims=[shim],
    )
    return with_padded(lstm)


def _forward(model: Model, padded: Padded, is_train: bool) -> tuple[Padded, Callable]:
    shim: Any = model.shims[0]
    if not padded.data.size:
        return padded, lambda d_padded: d_padded
    lengths: Any = padded.lengths.astype("int64")
    inference = None if is_train else shim.inference
    if inference is not None:
        arrays = {"sequences": padded.data, "lengths": lengths}
        (vectors,) = inference.session.run(None, arrays)
        return replace(padded, data=vectors), lambda d_padded: d_padded
    import torch

    sequences: Any = xp2torch(padded.data, requires_grad=is_train, device=shim.device)
    inputs = shim.network.input_type(sequences, xp2torch(lengths, device=shim.device))
    with torch.set_grad_enabled(is_train):
        output = shim.network.train(is_train)(inputs)

    def backprop(d_padded: Padded) -> Padded:
        output.vectors.backward(xp2torch(d_padded.data, device=shim.device))
        gradient: Any = torch2xp(sequences.grad)
        return replace(d_padded, data=gradient)

    context: Any = torch2xp(output.vectors.detach())
    return replace(padded, data=context), backprop


class BiLSTMTask:
    """The LSTM for `NetworkShim`; methods are those of `Task`."""

    def __init__(self, *options: Any) -> None:
        self.config = options

    def sizes(self, cfg: Any) -> None:
        """See `Task`."""

    def build_module(self, sizes: None) -> Any:
        """See `Task`."""
        from ...layers.basics import BiLSTM

        return BiLSTM(*self.config)

    def build_inference(self, *weights: Any) -> None:
        """See `Task`."""
