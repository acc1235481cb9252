"""`spacy-lal.TransformerModel.v1`: spacy-transformers' TransformerModel for long Docs and for CPUs with bfloat16.

spacy-transformers runs all spans of a batch of Docs at once, so that a Doc of 100,000 tokens takes gigabytes, and knows
half precision on GPUs only. What a transformer reads, gives and saves stays the same: either architecture loads what
the other has saved. *Not* here: training, which is theirs.
"""

from typing import Any, Callable, Dict, List, Optional

import torch
from spacy.tokens import Doc
from spacy_transformers.data_classes import FullTransformerBatch
from spacy_transformers.layers.hf_shim import HFShim
from spacy_transformers.layers.transformer_model import TransformerModel
from thinc.api import Model
from thinc.compat import has_torch_amp
from thinc.optimizers import Optimizer
from thinc.types import ArgsKwargs
from transformers.file_utils import ModelOutput

from ..layers.products import Product, half_precision


def build_transformer(
    name: str,
    get_spans: Callable,
    tokenizer_config: Dict[str, Any] = {},  # noqa: B006 (read only; spacy-transformers' own form)
    transformer_config: Dict[str, Any] = {},  # noqa: B006
    mixed_precision: bool = False,
    grad_scaler_config: Dict[str, Any] = {},  # noqa: B006
    max_batch_pieces: int = 8192,
) -> Model[List[Doc], FullTransformerBatch]:
    """Build a model for the `transformer` component.

    name, get_spans, tokenizer_config, transformer_config, grad_scaler_config: As for
        `spacy-transformers.TransformerModel.v3`.
    mixed_precision (bool): On a GPU, as there. On a CPU with instructions for it, linear layers multiply in bfloat16
        (not in training: see `spacy-lal.bfloat16_products.v1`); on any other it changes nothing.
    max_batch_pieces (int): How many pieces are run at once, padding included, but always a whole span. Not in training,
        where the backward pass needs them all.
    RAISES (ValueError): If `max_batch_pieces` is not positive.
    """
    if max_batch_pieces < 1:
        raise ValueError(f"expected max_batch_pieces of 1 or more, got {max_batch_pieces}")
    model = TransformerModel(
        name, get_spans, dict(tokenizer_config), dict(transformer_config), mixed_precision, dict(grad_scaler_config)
    )
    wrapper = model.layers[0]
    wrapper.shims[0] = TransformerShim(
        wrapper.shims[0]._hfmodel,  # type: ignore[attr-defined]
        max_batch_pieces=max_batch_pieces,
        mixed_precision=mixed_precision,
        grad_scaler_config=dict(grad_scaler_config),
    )
    return model


class TransformerShim(HFShim):
    """thinc's hold on a transformer; when it does not train, the transformer is run on some sequences at a time.

    max_batch_pieces, mixed_precision: As for `build_transformer`.
    settings: As for spacy-transformers' `HFShim`.
    """

    def __init__(self, model: Any, *, max_batch_pieces: int, mixed_precision: bool, **settings: Any) -> None:
        # thinc's half precision scales gradients, which it can't do without a GPU
        super().__init__(model, mixed_precision=mixed_precision and has_torch_amp, **settings)
        self.mixed_precision = mixed_precision
        self.max_batch_pieces = max_batch_pieces
        self._halved: Optional[torch.nn.Module] = None

    def predict(self, inputs: ArgsKwargs) -> ModelOutput:
        """The transformer's output, without gradient.

        inputs (ArgsKwargs): Its arguments; all are tensors with a row for each sequence.
        """
        n_rows, n_pieces = inputs.kwargs["input_ids"].shape
        size = max(1, self.max_batch_pieces // max(1, n_pieces))
        full, self._model = self._model, self._for_parsing()
        try:
            outputs = []
            for first in range(0, max(1, n_rows), size):
                rows = {key: value[first : first + size] for key, value in inputs.kwargs.items()}
                outputs.append(super().predict(ArgsKwargs(args=(), kwargs=rows)))
        finally:
            self._model = full
        return outputs[0] if len(outputs) == 1 else _join(outputs)

    def _for_parsing(self) -> Any:
        """The transformer, or a copy whose linear layers multiply in half precision."""
        device = self.device
        if not self.mixed_precision or device.type != "cpu" or half_precision(device) == torch.float32:
            return self._model
        if self._halved is None:
            self._halved = Product.inside(self._model, half_precision(device))
        return self._halved

    # Whatever changes the weights makes the copy stale.

    def begin_update(self, inputs: ArgsKwargs) -> Any:
        """See `HFShim`."""
        self._halved = None
        return super().begin_update(inputs)

    def finish_update(self, optimizer: Optimizer) -> None:
        """See `HFShim`."""
        self._halved = None
        super().finish_update(optimizer)

    def from_bytes(self, bytes_data: bytes) -> "TransformerShim":
        """See `HFShim`."""
        self._halved = None
        return super().from_bytes(bytes_data)


def _join(outputs: List[ModelOutput]) -> ModelOutput:
    """Outputs of some sequences each as the output of all. Fields are tensors, or tuples of tensors for each layer."""
    joined: Dict[str, Any] = {}
    for key, first in outputs[0].items():
        values = [output[key] for output in outputs]
        if isinstance(first, torch.Tensor):
            joined[key] = torch.cat(values)
        else:
            joined[key] = tuple(torch.cat(layer) for layer in zip(*values, strict=True))
    return type(outputs[0])(**joined)
