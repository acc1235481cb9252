"""`spacy-lal.TransformerModel.v1`: the transformer of a pipeline that is trained;
spacy-transformers' TransformerModel without most of its padding. Spans of similar
length run together, not all at once, and a span of too many pieces is cut. Either
architecture loads the other's files. `lal compact` turns it into
`spacy-lal.OnnxTransformer.v1`."""

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Callable, Optional

import torch
from spacy.tokens import Doc, Span
from spacy.util import get_package_path, is_package
from spacy_transformers.align import get_alignment, get_alignment_via_offset_mapping
from spacy_transformers.data_classes import (
    FullTransformerBatch,
    HFObjects,
    WordpieceBatch,
)
from spacy_transformers.layers.hf_shim import HFShim
from spacy_transformers.layers.transformer_model import (
    TransformerModel,
    huggingface_tokenize,
)
from spacy_transformers.layers.transformer_model import init as init_transformer
from spacy_transformers.truncate import truncate_oversize_splits
from thinc.api import Model, get_torch_default_device
from thinc.compat import has_torch_amp
from thinc.optimizers import Optimizer
from thinc.types import ArgsKwargs
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import PreTrainedTokenizerFast
from transformers.utils import ModelOutput

from ..inference.onnx_transformer import build_onnx_transformer, without_space
from ..vectors import plain_doc, tokens_hash
from ..windows import length_groups
from .encoder import torch_module
from .shim import ThreadsShim, training

# Most pieces that run at once in parsing, padding included, but at least a whole span.
MAX_BATCH_PIECES = 8192
# Padding pieces that cost less than another run of a transformer: few for a CPU,
# thousands for a GPU.
_SPARE_PIECES = {"cpu": 64}
_SPARE_PIECES_ELSEWHERE = 16384
# A tokenizer's limit above this means that it has none (transformers'
# VERY_LARGE_INTEGER).
_NO_LIMIT = 1_000_000


def build_transformer(
    name: str,
    get_spans: Callable,
    tokenizer_config: dict[str, Any] = {},  # noqa: B006
    transformer_config: dict[str, Any] = {},  # noqa: B006
    mixed_precision: bool = False,
    grad_scaler_config: dict[str, Any] = {},  # noqa: B006
) -> Model[list[Doc], FullTransformerBatch]:
    """Build a model for the `transformer` component.

    name (str): A name on the Hugging Face hub or a path, as for
        `spacy-transformers.TransformerModel.v3`; or a pipeline, whose
        `spacy-lal.OnnxTransformer.v1` is trained further. Read once, when a pipeline is
        initialised.
    get_spans, tokenizer_config, transformer_config, grad_scaler_config: As for that
    model.
    mixed_precision (bool): As in that model, on a GPU. On a CPU it changes nothing.
    """
    model = TransformerModel(
        name,
        get_spans,
        dict(tokenizer_config),
        dict(transformer_config),
        mixed_precision,
        dict(grad_scaler_config),
    )
    model._func = forward
    wrapper = model.layers[0]
    wrapper.shims[0] = TransformerShim(
        wrapper.shims[0]._hfmodel,  # type: ignore[attr-defined]
        tokenize=partial(huggingface_tokenize, texts=["a"]),
        mixed_precision=mixed_precision,
        grad_scaler_config=dict(grad_scaler_config),
    )
    model.attrs["replace_listener_cfg"] = replaced_listener
    model.init = init
    return model


def init(model: Any, X: Any = None, Y: Any = None) -> None:
    """Load the transformer by its name, unless the model has it."""
    if not model.attrs["has_transformer"]:
        folder = _pipeline_folder(model.attrs["name"])
        if folder is not None:
            shim: Any = build_onnx_transformer().from_disk(folder / "model").shims[0]
            backend = Tokenizer.from_str(shim.tokenizer)
            tokenizer = PreTrainedTokenizerFast(
                tokenizer_object=backend, **shim.config["tokenizer"]
            )
            settings = model._init_transformer_config
            transformer = torch_module(shim.config, shim.weights, **settings)
            transformer.to(get_torch_default_device())
            objects = HFObjects(tokenizer, transformer, None)
            model.attrs["set_transformer"](model, objects)
    init_transformer(model, X, Y)


def _pipeline_folder(name: str) -> Optional[Path]:
    """The folder of the encoder in a pipeline, given by its path or package; None for
    another name."""
    root = get_package_path(name) if is_package(name) else Path(name)
    for path in (*root.glob("*/model"), *root.glob("*/*/model")):
        with path.open("rb") as file:
            if b"onnx_transformer" in file.read(200):  # the name of the first layer
                return path.parent
    return None


def replaced_listener(
    transformer: dict[str, Any], tok2vec: dict[str, Any]
) -> dict[str, Any]:
    """For `nlp.replace_listeners`: the transformer's block for a component with the
    block `model.tok2vec`."""
    replaced = {
        **transformer,
        "@architectures": "spacy-transformers.Tok2VecTransformer.v3",
    }
    for block in (tok2vec, *tok2vec.get("*", {}).values()):
        if "TransformerListener" in block.get("@architectures", ""):
            for key in {"pooling", "grad_factor"} & block.keys():
                replaced[key] = block[key]
    return replaced


def forward(
    model: Any, docs: list[Doc], is_train: bool
) -> tuple[FullTransformerBatch, Callable]:
    """As spacy-transformers' own, but for three things: no span has more pieces than
    the transformer reads, the space before a word is none of its pieces, and the output
    knows the Docs' tokens."""
    tokenizer = model.tokenizer
    transformer = model.layers[0]
    spans_of_docs = model.attrs["get_spans"]([*map(plain_doc, docs)])
    nested = _fitting_spans(model, spans_of_docs)
    spans = [*chain.from_iterable(nested)]
    encoded = huggingface_tokenize(tokenizer, [span.text for span in spans])
    wordpieces = WordpieceBatch.from_batch_encoding(encoded)
    if "offset_mapping" in encoded:
        offsets = encoded["offset_mapping"]
        for row, span in zip(offsets, spans, strict=True):
            row[:, 0] = without_space(span.text, row.tolist())
        align = get_alignment_via_offset_mapping(spans, offsets)
    else:
        align = get_alignment(spans, wordpieces.strings, tokenizer.all_special_tokens)
    wordpieces, align = truncate_oversize_splits(
        wordpieces, align, tokenizer.model_max_length
    )
    states, backprop_states = transformer(wordpieces, is_train)
    output = FullTransformerBatch(
        spans=nested, wordpieces=wordpieces, model_output=states, align=align
    )
    for doc, data in zip(docs, output.doc_data, strict=True):
        data.made_for = tokens_hash(doc)  # type: ignore[attr-defined]

    def backprop(d_output: FullTransformerBatch) -> list[Doc]:
        backprop_states(d_output.model_output)
        return docs

    return output, backprop


def _piece_limit(tokenizer: Any, transformer: Any) -> Optional[int]:
    """The longest sequence that may be read, special pieces included; None without a
    limit (XLNet)."""
    n_positions = getattr(transformer.config, "max_position_embeddings", 0)
    # RoBERTa and its relatives count positions from the padding's position on.
    padding = getattr(getattr(transformer, "embeddings", None), "padding_idx", None)
    if padding is not None:
        n_positions -= padding + 1
    limits = (tokenizer.model_max_length, n_positions)
    return min((limit for limit in limits if 0 < limit < _NO_LIMIT), default=None)


def _fitting_spans(model: Any, nested: list[list[Span]]) -> list[list[Span]]:
    """The spans of each Doc, cut in half until the transformer can read them. A single
    token is not cut."""
    tokenizer = model.tokenizer
    limit = _piece_limit(model.tokenizer, model.transformer)

    def fits(span: Span) -> bool:
        # A byte is at most a piece; special pieces come at the ends.
        if limit is None or len(span) < 2 or len(span.text.encode("utf8")) < limit - 4:
            return True
        # As the layer calls it, except for the warning: other padding would change the
        # tokenizer under other threads.
        (pieces,) = tokenizer(
            [span.text], add_special_tokens=True, padding="longest", verbose=False
        )["input_ids"]
        return len(pieces) <= limit

    def parts(span: Span) -> list[Span]:
        half = len(span) // 2
        return [span] if fits(span) else parts(span[:half]) + parts(span[half:])

    return [[part for span in spans for part in parts(span)] for spans in nested]


class TransformerShim(ThreadsShim, HFShim):
    """spacy-transformers' `HFShim`, which runs sequences of similar length together.
    tokenize (Callable): As the layer does. A fast tokenizer changes its padding
    settings at the first call, which fails while another thread uses it: so that call
    is made at loading."""

    def __init__(
        self,
        model: Any,
        *,
        tokenize: Callable[[Any], Any],
        mixed_precision: bool = False,
        **settings: Any,
    ) -> None:
        # thinc's half precision scales gradients, which requires a GPU
        super().__init__(
            model, mixed_precision=mixed_precision and has_torch_amp, **settings
        )
        self.tokenize = tokenize
        self._frozen: set[str] = set()

    def predict(self, inputs: ArgsKwargs) -> ModelOutput:
        """The transformer's output, without gradient. thinc's `predict` ends in
        training mode, and other threads may predict."""
        module = _InGroups(self._model.eval(), MAX_BATCH_PIECES)
        with torch.no_grad(), torch.autocast("cuda", enabled=self._mixed_precision):
            return module(*inputs.args, **inputs.kwargs)

    def begin_update(self, inputs: ArgsKwargs) -> Any:
        """Output and backward pass, which is in training mode, too: checkpointing runs
        parts of the module again."""
        full = self._model
        # backward needs all groups, whatever their size
        self._model = _InGroups(full, None)
        try:
            with training(full):
                output, backprop = super().begin_update(inputs)
        finally:
            self._model = full

        def backprop_in_training(grads: ArgsKwargs) -> Any:
            # In half precision, thinc scales down all gradients after a pass, earlier
            # passes' too.
            gradients = [parameter.grad for parameter in full.parameters()]
            earlier = [gradient for gradient in gradients if gradient is not None]
            self._grad_scaler.scale(earlier, inplace=True)
            with training(full):
                return backprop(grads)

        return output, backprop_in_training

    def finish_update(self, optimizer: Optimizer, *, skip: bool = False) -> None:
        """See `ThreadsShim`. Gradients that overflowed in half precision are skipped.
        Parameters that the optimizer freezes (`LayerwiseAdam.freezes`) get no gradient
        afterwards: the gradient of word embeddings is as large as the embeddings."""
        super().finish_update(optimizer, skip=skip or self._grad_scaler.found_inf)
        self._grad_scaler.update()
        freezes = getattr(optimizer, "freezes", lambda name: False)
        parameters = self.parameters
        frozen = set(filter(freezes, parameters))
        for name in frozen ^ self._frozen:  # those of another optimizer learn again
            parameters[name].requires_grad_(name not in frozen)
            parameters[name].grad = None
        self._frozen = frozen

    def from_bytes(self, bytes_data: bytes) -> "TransformerShim":
        """See `HFShim`."""
        super().from_bytes(bytes_data)
        if self._hfmodel.tokenizer is not None:
            self.tokenize(self._hfmodel.tokenizer)
        return self


class _InGroups(nn.Module):
    """A transformer that runs on groups of sequences, each without the padding of
    longer ones."""

    def __init__(self, transformer: Any, max_pieces: Optional[int]) -> None:
        super().__init__()
        self.transformer = transformer
        self.max_pieces = max_pieces

    def forward(self, attention_mask: Tensor, **inputs: Tensor) -> ModelOutput:
        """The transformer's output for all sequences; of several groups, the last
        hidden states and pooled outputs."""
        inputs["attention_mask"] = attention_mask
        n_rows, n_pieces = attention_mask.shape
        lengths = attention_mask.sum(1).long().tolist()
        if not attention_mask[:, :1].all():  # left padding counts in the positions
            lengths = [n_pieces] * n_rows
        spare = _SPARE_PIECES.get(attention_mask.device.type, _SPARE_PIECES_ELSEWHERE)
        groups = length_groups(lengths, spare, self.max_pieces)
        config = self.transformer.config
        if len(groups) < 2 or config.output_hidden_states or config.output_attentions:
            return self.transformer(**inputs)
        outputs = []
        for rows in groups:
            longest = lengths[rows[0]]
            group = {key: tensor[rows, :longest] for key, tensor in inputs.items()}
            outputs.append(self.transformer(**group))
        order = torch.tensor([*chain.from_iterable(groups)]).argsort()
        places = order.to(attention_mask.device)
        states = [output.last_hidden_state for output in outputs]
        padded = [
            nn.functional.pad(tensor, (0, 0, 0, n_pieces - tensor.shape[1]))
            for tensor in states
        ]
        joined = {"last_hidden_state": torch.cat(padded)[places]}
        if outputs[0].get("pooler_output") is not None:
            pooled = torch.cat([output.pooler_output for output in outputs])
            joined["pooler_output"] = pooled[places]
        return type(outputs[0])(**joined)
