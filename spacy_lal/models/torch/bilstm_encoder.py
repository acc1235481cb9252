"""`spacy-lal.BiLSTMEncoder.v1`: a bidirectional LSTM as the `encode` of spaCy's
Tok2Vec. Vectors do not depend on the batch, unlike those of
`spacy.TorchBiLSTMEncoder.v1`."""

from typing import Callable, cast

from thinc.api import ArgsKwargs, Model, PyTorchWrapper, noop, with_padded, xp2torch
from thinc.layers.pytorchwrapper import convert_rnn_inputs, convert_rnn_outputs
from thinc.types import Floats2d, Padded

from . import require_torch
from .shim import SharedShim


def build_bilstm_encoder(
    width: int, depth: int, dropout: float = 0.0
) -> Model[list[Floats2d], list[Floats2d]]:
    """Build the encoder.

    width (int): Width of the input and of the output.
    depth (int): Number of layers; 0 for none.
    dropout (float): Elementwise dropout between layers, active in training only.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): From token vectors of each Doc to
        token vectors in context.
    RAISES (ValueError): The width is odd, or torch is missing.
    """
    if depth == 0:
        return noop()
    require_torch()
    from ...layers.basics import BiLSTM

    network = BiLSTM(width, depth, dropout)
    lstm: Model[Padded, Padded] = PyTorchWrapper(
        network, convert_inputs=_convert_inputs, convert_outputs=convert_rnn_outputs
    )
    lstm.shims[0] = SharedShim(network)
    lstm.set_dim("nO", width)
    lstm.set_dim("nI", width)
    return with_padded(lstm)


def _convert_inputs(
    model: Model, padded: Padded, is_train: bool
) -> tuple[ArgsKwargs, Callable]:
    """As for thinc's own networks, with the lengths."""
    inputs, backprop = convert_rnn_inputs(model, padded, is_train)
    device = cast(SharedShim, model.shims[0]).device
    lengths = xp2torch(padded.lengths, device=device)
    return ArgsKwargs(args=(inputs.args[0], lengths), kwargs={}), backprop
