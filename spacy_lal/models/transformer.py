"""`spacy-lal.TransformerModel.v1`: spacy-transformers' TransformerModel without most of its padding, for long Docs and
for CPUs with bfloat16.

spacy-transformers pads all spans of a batch of Docs to the longest (on EWT, half of the computation is padding) and
runs them at once, so a Doc of 100,000 tokens takes gigabytes. It has half precision only on GPUs. Here spans of similar
length run together. A span of too many pieces is cut, where spacy-transformers drops the last pieces. Inputs, outputs
and saved files stay the same: either architecture loads the other's files.
"""

from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

import srsly
import torch
from spacy.tokens import Doc
from spacy_transformers.data_classes import FullTransformerBatch
from spacy_transformers.layers import split_trf_batch, trfs2arrays
from spacy_transformers.layers.transformer_model import TransformerModel, forward, huggingface_tokenize
from thinc.api import Model, chain
from thinc.compat import has_torch_amp
from thinc.optimizers import Optimizer
from thinc.types import ArgsKwargs, Floats2d, Ragged
from torch import Tensor, nn
from transformers.utils import ModelOutput

from ..layers.modes import evaluating
from ..layers.products import Product, half_precision
from .lone_doc import encode_alone
from .replaced_listeners import replace_listener, replaced_listener
from .runtimes import OnnxTransformer, check_runtime, open_session
from .shared_hf_shim import SharedHFShim
from .stored_weights import check_finite, check_message, with_checksum
from .windows import FittingSpans

# Padding pieces that cost less than another run of a transformer: few for a CPU, thousands for a GPU.
_SPARE_PIECES = {"cpu": 64}
_SPARE_PIECES_ELSEWHERE = 16384


def build_transformer(
    name: str,
    get_spans: Callable,
    tokenizer_config: Dict[str, Any] = {},  # noqa: B006 (read only; spacy-transformers' own form)
    transformer_config: Dict[str, Any] = {},  # noqa: B006
    mixed_precision: bool = False,
    grad_scaler_config: Dict[str, Any] = {},  # noqa: B006
    max_batch_pieces: int = 8192,
    runtime: str = "torch",
) -> Model[List[Doc], FullTransformerBatch]:
    """Build a model for the `transformer` component.

    name, get_spans, tokenizer_config, transformer_config, grad_scaler_config: As for
        `spacy-transformers.TransformerModel.v3`.
    mixed_precision (bool): On a GPU, as in that model. On a CPU with instructions for it, linear layers multiply in
        bfloat16, but not in training (see `spacy-lal.bfloat16_products.v1`). On other CPUs it changes nothing.
    max_batch_pieces (int): Most pieces that run at once, padding included, but at least a whole span. Ignored in
        training, where the backward pass needs all of them.
    runtime (str): What computes the transformer on a CPU. `onnx`: ONNX Runtime, the same numbers to 1e-5. `onnx-int8`:
        with products in 8 bits, quicker and less exact. Both know BERT alone, need the extra `fast`, and give the last
        hidden states without pooled vectors. Training, and parsing after an update, run in `torch`.
    RAISES (ValueError): `max_batch_pieces` is not positive, or `runtime` is unknown or set with `mixed_precision`.
    """
    check_runtime(runtime, mixed_precision=mixed_precision)
    if max_batch_pieces < 1:
        raise ValueError(f"expected max_batch_pieces of 1 or more, got {max_batch_pieces}")
    model = TransformerModel(
        name, get_spans, dict(tokenizer_config), dict(transformer_config), mixed_precision, dict(grad_scaler_config)
    )
    model._func = _forward
    wrapper = model.layers[0]
    wrapper.shims[0] = TransformerShim(
        wrapper.shims[0]._hfmodel,  # type: ignore[attr-defined]
        tokenize=partial(huggingface_tokenize, texts=["a"]),
        max_batch_pieces=max_batch_pieces,
        mixed_precision=mixed_precision,
        runtime=runtime,
        grad_scaler_config=dict(grad_scaler_config),
    )
    model.attrs["replace_listener"] = replace_listener
    model.attrs["replace_listener_cfg"] = replaced_listener
    return model


def build_tok2vec_transformer(
    name: str,
    get_spans: Callable,
    pooling: Model[Ragged, Floats2d],
    grad_factor: float = 1.0,
    tokenizer_config: Dict[str, Any] = {},  # noqa: B006
    transformer_config: Dict[str, Any] = {},  # noqa: B006
    mixed_precision: bool = False,
    grad_scaler_config: Dict[str, Any] = {},  # noqa: B006
    max_batch_pieces: int = 8192,
    runtime: str = "torch",
) -> Model[List[Doc], List[Floats2d]]:
    """Build a transformer as the tok2vec of one component, which no other component shares. `nlp.replace_listeners`
    puts it in the place of a listener to a `spacy-lal.TransformerModel.v1`, whose path it needs, such as
    `model.tok2vec.*.transformer`.

    name, get_spans, tokenizer_config, transformer_config, grad_scaler_config: As for `spacy-lal.TransformerModel.v1`.
    mixed_precision, max_batch_pieces, runtime: As for `spacy-lal.TransformerModel.v1`.
    pooling, grad_factor: As for `spacy-transformers.TransformerListener.v1`.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape (n_tokens, width).
    RAISES (ValueError): As `build_transformer`.
    """
    transformer = build_transformer(
        name,
        get_spans,
        tokenizer_config,
        transformer_config,
        mixed_precision,
        grad_scaler_config,
        max_batch_pieces,
        runtime,
    )
    # Chained as in a model whose listener was replaced, which is what the stored weights fit.
    return chain(chain(transformer, split_trf_batch()), trfs2arrays(pooling, grad_factor))  # type: ignore[arg-type]


def _forward(model: Any, docs: List[Doc], is_train: bool) -> Tuple[FullTransformerBatch, Callable]:
    """As spacy-transformers' own, but no span has more pieces than the transformer reads. A Doc that is alone goes to
    ONNX Runtime by a shorter way, if it is short."""
    quick = None if is_train or len(docs) != 1 else model.layers[0].shims[0]._for_parsing()
    alone = encode_alone(model, docs[0], quick) if isinstance(quick, OnnxTransformer) else None
    if alone is not None:
        return alone, lambda d_output: docs
    get_spans = FittingSpans(model.attrs["get_spans"], model.tokenizer, model.transformer)
    fitting: Any = SimpleNamespace(
        tokenizer=model.tokenizer, attrs={**model.attrs, "get_spans": get_spans}, layers=model.layers
    )
    return forward(fitting, docs, is_train)


class TransformerShim(SharedHFShim):
    """thinc's wrapper of a transformer, which runs sequences of similar length together.

    max_batch_pieces, mixed_precision, runtime: As for `build_transformer`.
    settings: As for `SharedHFShim`.
    """

    def __init__(
        self, model: Any, *, max_batch_pieces: int, mixed_precision: bool, runtime: str = "torch", **settings: Any
    ) -> None:
        # thinc's half precision scales gradients, which requires a GPU
        super().__init__(model, mixed_precision=mixed_precision and has_torch_amp, **settings)
        self.mixed_precision = mixed_precision
        self.max_batch_pieces = max_batch_pieces
        self.runtime = runtime
        self._frozen: Set[str] = set()

    def predict(self, inputs: ArgsKwargs) -> ModelOutput:
        """The transformer's output, without gradient.

        inputs (ArgsKwargs): The transformer's arguments; all are tensors with a row for each sequence.
        """
        return self.infer(_InGroups(self._for_parsing(), self.max_batch_pieces), inputs)

    def begin_update(self, inputs: ArgsKwargs) -> Any:
        """See `SharedShim`."""
        self.runtime = "torch"  # while it is trained, and afterwards
        self.unfold()
        with self._run_as(_InGroups(self._model, None)):  # backward needs all groups, whatever their size
            return super().begin_update(inputs)

    @contextmanager
    def _run_as(self, module: nn.Module) -> Iterator[None]:
        """Replace the transformer by another module in a block, during an update: no thread may disturb it."""
        full, self._model = self._model, module
        try:
            yield
        finally:
            self._model = full

    def _for_parsing(self) -> Any:
        """The transformer, or a form of it that is quicker: in ONNX Runtime, or with half-precision products."""
        if self.device.type != "cpu" or not (self.mixed_precision or self.runtime != "torch"):
            return evaluating(self._model)
        return self.fold(lambda: self._make_quick(evaluating(self._model)))

    def _make_quick(self, transformer: Any) -> Any:
        if self.runtime != "torch":
            return open_session(transformer, self.runtime) or transformer
        precision = half_precision(self.device)
        return transformer if precision == torch.float32 else evaluating(Product.inside(transformer, precision))

    def finish_update(self, optimizer: Optimizer) -> None:
        """See `SharedShim`. Parameters that the optimizer freezes (`LayerwiseAdam.freezes`) get no gradient afterwards:
        the gradient of word embeddings is as large as the embeddings."""
        super().finish_update(optimizer)
        freezes = getattr(optimizer, "freezes", lambda name: False)
        for name, parameter in self._model.named_parameters():
            if freezes(name) and parameter.requires_grad:
                self._frozen.add(name)
                parameter.requires_grad_(False)
                parameter.grad = None
            elif name in self._frozen and not freezes(name):  # another optimizer
                self._frozen.remove(name)
                parameter.requires_grad_(True)

    def to_bytes(self) -> bytes:
        """See `HFShim`. The weights have a checksum in either format."""
        return with_checksum(super().to_bytes())

    def from_bytes(self, bytes_data: bytes) -> "TransformerShim":
        """See `HFShim`.

        RAISES (ValueError): The weights are damaged, or not finite.
        """
        self.unfold()
        owner = "the transformer (the file `model` in the folder of the component)"
        check_message(srsly.msgpack_loads(bytes_data), owner)
        super().from_bytes(bytes_data)
        if self._model is not None:
            check_finite(self._model.state_dict(), owner)
        return self


class _InGroups(nn.Module):
    """A transformer that runs on groups of sequences, each without the padding of longer ones.

    transformer (nn.Module): Of the `transformers` library.
    max_pieces (Optional[int]): Most pieces of a group, padding included, but at least a whole sequence.
    """

    def __init__(self, transformer: nn.Module, max_pieces: Optional[int]) -> None:
        super().__init__()
        self.transformer, self.max_pieces = transformer, max_pieces

    def forward(self, attention_mask: Tensor, **inputs: Tensor) -> ModelOutput:
        """The transformer's output for all sequences together, with zeros at padding. With several groups, it has only
        hidden states, attention weights and pooled outputs.

        attention_mask, inputs (Tensor): A row for each sequence and a column for each piece.
        """
        inputs["attention_mask"] = attention_mask
        n_rows, n_pieces = attention_mask.shape
        lengths = attention_mask.sum(1).long().tolist()
        if not attention_mask[:, :1].all():  # left padding counts in the positions
            lengths = [n_pieces] * n_rows
        spare = _SPARE_PIECES.get(attention_mask.device.type, _SPARE_PIECES_ELSEWHERE)
        groups = length_groups(lengths, spare, self.max_pieces)
        if len(groups) < 2:
            return self.transformer(**inputs)
        outputs = []
        for rows in groups:
            index = torch.tensor(rows, device=attention_mask.device)
            some = {key: value[index, : lengths[rows[0]]] for key, value in inputs.items()}
            outputs.append(self.transformer(**some))
        return _join(outputs, groups, n_pieces)


def length_groups(lengths: Sequence[int], spare: int, max_pieces: Optional[int] = None) -> List[List[int]]:
    """Group sequences of similar length.

    lengths (Sequence[int]): Length of each sequence.
    spare (int): Most padding of a group.
    max_pieces (Optional[int]): Most pieces of a group, padding included, unless it is a single sequence.
    RETURNS (List[List[int]]): Numbers of sequences; the longest group and sequence first.
    """
    groups: List[List[int]] = []
    padding = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        longest = lengths[groups[-1][0]] if groups else 0
        padding += longest - lengths[row]
        full = max_pieces is not None and groups and (len(groups[-1]) + 1) * longest > max_pieces
        if not groups or full or padding > spare:
            groups.append([])
            padding = 0
        groups[-1].append(row)
    return groups


def _join(outputs: List[ModelOutput], groups: List[List[int]], n_pieces: int) -> ModelOutput:
    """Join the outputs of groups. A field is a tensor, or has one for each layer."""
    joined: Dict[str, Any] = {}
    for key in ("last_hidden_state", "pooler_output", "hidden_states", "attentions"):
        values = [output[key] for output in outputs if output.get(key) is not None]
        if values and isinstance(values[0], Tensor):
            joined[key] = _join_rows(values, groups, n_pieces)
        elif values:
            joined[key] = tuple(_join_rows(layer, groups, n_pieces) for layer in zip(*values, strict=True))
    return type(outputs[0])(**joined)


def _join_rows(tensors: Sequence[Tensor], groups: List[List[int]], n_pieces: int) -> Tensor:
    """Rows of all groups in order, padded with zeros. *Shapes:* (n_rows, width), (n_rows, n_pieces, width) or (n_rows,
    n_heads, n_pieces, n_pieces)."""
    shape = list(tensors[0].shape)
    shape[0] = sum(map(len, groups))
    if len(shape) > 2:
        shape[1 if len(shape) == 3 else 2] = n_pieces
        shape[-1] = n_pieces if len(shape) == 4 else shape[-1]
    joined = tensors[0].new_zeros(shape)
    for tensor, rows in zip(tensors, groups, strict=True):
        index = torch.tensor(rows, device=tensor.device)
        if tensor.dim() == 2:
            joined[index] = tensor
        elif tensor.dim() == 3:
            joined[index, : tensor.shape[1]] = tensor
        else:
            joined[index, :, : tensor.shape[2], : tensor.shape[3]] = tensor
    return joined
