"""`spacy-lal.OnnxTransformer.v1`: a trained transformer in ONNX Runtime, as the model
of spaCy's component `tok2vec`; its backward pass ends here. A token's vector is the
mean over its pieces. `lal compact` makes it from a `transformer` component."""

import json
import os
import warnings
from copy import copy
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    cast,
)

import numpy
import safetensors.numpy
import srsly
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps
from thinc.shims import Shim
from thinc.types import Floats2d

from . import onnx_encoder as graph
from .shim import MAKING, is_safetensors, return_memory, stored_arrays
from .vectors import plain_doc, with_tokens
from .windows import WINDOW, length_groups, sentence_windows

RUNTIMES = ("onnx", "onnx-int8", "torch")
_SPARE_PIECES = 32  # padding that costs less than another run
_INHERITED: List[
    Any
] = []  # sessions of a process before its fork: closing one waits for threads that do not exist here


class Window(NamedTuple):
    """Tokens start to end of the Doc of a number, which the transformer reads at once;
    pieces with the special ones; means: 1 where a piece is of a token, else 0. *Shape:*
    (n_tokens, n_pieces)."""

    doc: int
    start: int
    end: int
    pieces: List[int]
    means: ndarray


def build_onnx_transformer(
    runtime: str = "onnx", window: int = WINDOW
) -> Model[List[Doc], List[Floats2d]]:
    """Build the model of a `tok2vec` component. Its weights are loaded with the
    pipeline.

    runtime (str): What computes it. `onnx`: ONNX Runtime, the numbers of torch to 1e-5.
        `onnx-int8`: with products in 8 bits, quicker and less exact. `torch`: the
        `transformers` library, as on every GPU.
    window (int): Most words of several sentences that it reads together. 1: it reads
        each sentence alone, so that a sentence has the same vectors in any Doc; parses
        are a little worse.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape
        (n_tokens, width). A Doc has the same vectors in any batch, to 1e-5.
    RAISES (ValueError): The runtime is unknown.
    """
    if runtime not in RUNTIMES:
        raise ValueError(
            f"expected runtime to be one of {', '.join(RUNTIMES)}, got {runtime!r}"
        )
    attrs = {
        "replace_listener_cfg": replaced_block,
        "replace_listener": replaced_listener,
    }
    shims: List[Shim] = [EncoderShim(runtime, window)]
    return Model(
        "onnx_transformer",
        forward,
        init=init,
        dims={"nO": None},
        attrs=attrs,
        shims=shims,
    )


# The block of the last listener that spaCy replaced, the block that contains it, and
# where.
_replaced: Dict[str, Any] = {}


def replaced_block(encoder: Dict[str, Any], tok2vec: Dict[str, Any]) -> Dict[str, Any]:
    """For `nlp.replace_listeners`: the block of this encoder for a component with the
    block `model.tok2vec`."""
    _replaced.update(block=dict(encoder), around=tok2vec)
    return _replaced["block"]


def replaced_listener(model: Model, listener: Any, tok2vec: Any) -> Model:
    """For `nlp.replace_listeners`: the encoder in the place of a listener. Where the
    path "model.tok2vec" (of spaCy's W087) is a JoinedTok2Vec around the listener, its
    block takes the encoder's place again, with the encoder within."""
    block, parts = _replaced["block"], _replaced["around"].get("*", {})
    if parts and not any(part is block for part in parts.values()):
        kept = {
            name: dict(block) if "Listener" in str(part.get("@architectures")) else part
            for name, part in parts.items()
        }
        block.clear()
        block.update({**_replaced["around"], "*": kept})
    return model


def from_transformer(
    trained: Any, *, bits: int = 16, runtime: str = "onnx"
) -> Model[List[Doc], List[Floats2d]]:
    """The model of a `tok2vec` component with the weights of spacy-transformers'
    TransformerModel. bits: 16: half precision. 8: matrices as integers with a scale for
    each row.
    RAISES (ValueError): The graph does not know this transformer, its
    tokenizer is not one of the library `tokenizers`, or a weight is not finite in half
    precision."""
    tokenizer, transformer = trained.tokenizer, trained.transformer
    config = {
        key: value
        for key, value in transformer.config.to_dict().items()
        if key[0] != "_" and value is not None
    }
    graph.check_config(config)
    if not tokenizer.is_fast:
        raise ValueError(
            f"its tokenizer {type(tokenizer).__name__} is none of the library `tokenizers`"
        )
    most = min(
        tokenizer.model_max_length,
        config["max_position_embeddings"] - graph.first_position(config),
    )
    settings = {
        "model_max_length": most,
        "model_input_names": tokenizer.model_input_names,
    }
    config.update(
        max_pieces=most, tokenizer={**tokenizer.special_tokens_map, **settings}
    )
    weights: Dict[str, ndarray] = {}
    for name, tensor in transformer.state_dict().items():
        if name.startswith("pooler.") or not tensor.is_floating_point():
            continue
        weights[name] = tensor.detach().cpu().numpy().astype("float16")
        if not numpy.isfinite(weights[name]).all():
            raise ValueError(
                f"half precision holds numbers up to 65504, and its weight {name} has others"
            )
        if bits == 8 and weights[name].ndim == 2:
            weights[name], weights[name + graph.SCALE] = graph.quantise(
                tensor.detach().cpu().numpy()
            )
    model = build_onnx_transformer(runtime)
    shim = cast(EncoderShim, model.shims[0])
    shim.config, shim.tokenizer, shim.weights = (
        config,
        tokenizer.backend_tokenizer.to_str(),
        weights,
    )
    model.set_dim("nO", config["hidden_size"])
    return model


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    """Check that there are weights."""
    if not model.has_dim("nO"):
        raise ValueError(
            "spacy-lal.OnnxTransformer.v1 has no weights and cannot be trained: expected a component of a trained "
            'pipeline, nlp.add_pipe("encoder", source=nlp_with_encoder), or the training config of a `transformer`'
        )


def forward(
    model: Model, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    """The vectors of the tokens of each Doc. No gradient passes."""
    shim = cast(EncoderShim, model.shims[0])
    run = shim.runner(None if isinstance(model.ops, NumpyOps) else "torch")
    windows = [
        window
        for number, doc in enumerate(docs)
        for window in shim.read(number, plain_doc(doc))
    ]
    vectors: Any = [
        numpy.zeros((len(doc), shim.config["hidden_size"]), dtype="float32")
        for doc in docs
    ]
    counts = [numpy.zeros((len(doc), 1), dtype="float32") for doc in docs]
    for rows in length_groups(
        [len(window.pieces) for window in windows], _SPARE_PIECES, run.most_pieces
    ):
        longest = len(windows[rows[0]].pieces)
        pieces, mask = numpy.zeros((2, len(rows), longest), dtype="int32")
        for row, number in enumerate(rows):
            n_pieces = len(windows[number].pieces)
            pieces[row, :n_pieces], mask[row, :n_pieces] = windows[number].pieces, 1
        for number, states in zip(rows, run(pieces, mask), strict=True):
            of_doc, start, end, ids, means = windows[number]
            vectors[of_doc][start:end] += means @ states[: len(ids)]
            counts[of_doc][start:end] += means.sum(axis=1, keepdims=True)
    for sums, of_tokens in zip(vectors, counts, strict=True):
        sums /= numpy.maximum(of_tokens, 1)
    found = [
        with_tokens(model.ops.asarray2f(array), doc)
        for doc, array in zip(docs, vectors, strict=True)
    ]
    return found, lambda d_vectors: docs


class EncoderShim(Shim):
    """Config, tokenizer and weights, which copies and threads share, and a session,
    made when the first Doc comes; a forked process makes its own, since threads of the
    runtime do not survive a fork."""

    def __init__(self, runtime: str, window: int) -> None:
        super().__init__(None)
        self.runtime, self.window = runtime, window
        self.config: Dict[str, Any] = {}
        self.tokenizer = ""
        self.weights: Dict[str, ndarray] = {}
        self._ready: Optional[Tuple[int, str, Any, Any]] = (
            None  # process, runtime, its runner, tokenizer
        )

    def runner(self, runtime: Optional[str] = None) -> Any:
        """A map from pieces and mask, int32 of shape (n_rows, n_pieces), to float32 of
        shape (n_rows, n_pieces, width).
        RAISES (ValueError): There are no weights."""
        runtime, ready = runtime or self.runtime, self._ready
        if ready is None or ready[:2] != (os.getpid(), runtime):
            with MAKING:
                ready = self._ready
                if ready is None or ready[:2] != (os.getpid(), runtime):
                    from tokenizers import Tokenizer

                    if not self.weights:
                        raise ValueError(
                            "the encoder has no weights: expected a loaded pipeline, or `lal compact`"
                        )
                    tokenizer = Tokenizer.from_str(self.tokenizer)
                    tokenizer.no_truncation()
                    tokenizer.no_padding()
                    if runtime == "torch":
                        runner: Any = TorchRunner(self.config, self.weights)
                    else:
                        runner = OnnxRunner(
                            self.config, self.weights, int8=runtime == "onnx-int8"
                        )
                        return_memory()
                    if ready is not None and ready[0] != os.getpid():
                        _INHERITED.append(ready)
                    ready = self._ready = (os.getpid(), runtime, runner, tokenizer)
        return ready[2]

    def read(self, number: int, doc: Doc) -> Iterator[Window]:
        """The windows of a Doc. A window of too many pieces is cut in half; a single
        token loses its last pieces."""
        tokenizer, limit = self._ready[3], self.config["max_pieces"]  # type: ignore[index]
        unknown = tokenizer.token_to_id(self.config["tokenizer"].get("unk_token", ""))
        spans = [(span.start, span.end) for span in sentence_windows(doc, self.window)][
            ::-1
        ]
        while spans:
            start, end = spans.pop()
            text = doc[start:end].text
            encoded = tokenizer.encode(text)
            ids, offsets = encoded.ids, encoded.offsets
            if len(ids) > limit and end - start > 1:
                half = (start + end) // 2
                spans += [(half, end), (start, half)]
                continue
            if not text.isascii():
                check_language(text, encoded, unknown)
            yield Window(
                number,
                start,
                end,
                ids[:limit],
                _overlaps(doc, start, end, text, offsets[:limit]),
            )

    def to_bytes(self) -> bytes:
        """The weights as a safetensors file, with config and tokenizer in its
        metadata."""
        about = json.dumps(
            {"config": self.config, "tokenizer": self.tokenizer}
        )  # exact numbers
        return safetensors.numpy.save(self.weights, {"encoder": about})

    def from_bytes(self, data: bytes) -> "EncoderShim":
        """Load what `to_bytes` wrote, or the msgpack of `en_lal_lg` 0.1.0, which holds
        such a file."""
        about: Dict[str, Any] = {}
        if not is_safetensors(data):
            about = srsly.msgpack_loads(data)
            data = about["weights"]
        self.weights, stored = stored_arrays(data)
        about = about or json.loads(stored["encoder"])
        self.config, self.tokenizer, self._ready = (
            about["config"],
            about["tokenizer"],
            None,
        )
        return self

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_ready": None}

    def copy(self) -> "EncoderShim":
        """A copy with the same arrays: nothing changes them."""
        return copy(self)

    def __deepcopy__(self, memo: Any) -> "EncoderShim":
        return self.copy()

    def finish_update(self, optimizer: Any) -> None:
        """Nothing is trained."""

    def to_device(self, device_type: str, device_id: int) -> None:
        """The device is thinc's when it runs."""
        self._ready = None


def check_language(text: str, encoded: Any, unknown: Optional[int]) -> None:
    """Warn if most words with letters, two or more, are unknown to a tokenizer or fall
    into single letters. A foreign language in Latin letters has the pieces of rare
    English words: it gets no warning."""
    words: Dict[
        Optional[int], List[int]
    ] = {}  # the lengths of the pieces of a word; 0: an unknown one
    for word, piece, (start, end) in zip(
        encoded.word_ids, encoded.ids, encoded.offsets, strict=True
    ):
        if any(map(str.isalpha, text[start:end])):
            words.setdefault(word, []).append(end - start if piece != unknown else 0)
    foreign = sum(
        0 in lengths or (len(lengths) > 2 and max(lengths) == 1)
        for lengths in words.values()
    )
    if foreign > max(1, len(words) - foreign):
        message = "the encoder does not know most words of a text: is it in the pipeline's language?"
        warnings.warn(message, stacklevel=2)


def _overlaps(
    doc: Doc, start: int, end: int, text: str, offsets: Sequence[Tuple[int, int]]
) -> ndarray:
    """Which tokens a piece is of: all that share a character with it, or the space
    after them."""
    first = doc[start].idx
    starts = numpy.array([doc[i].idx - first for i in range(start, end)])
    ends = numpy.append(starts[1:], len(text) + 1)
    begins, stops = (
        numpy.array(without_space(text, offsets)),
        numpy.array(offsets)[:, 1],
    )
    overlaps = (starts[:, None] < stops) & (ends[:, None] > begins) & (begins < stops)
    return overlaps.astype("float32")


def without_space(text: str, offsets: Sequence[Sequence[int]]) -> List[int]:
    """Where each piece begins, without the space before a word, which some tokenizers
    count to its first piece."""
    begins = []
    for begin, end in offsets:
        while begin < end and text[begin].isspace():
            begin += 1
        begins.append(begin)
    return begins


class OnnxRunner:
    """A session of ONNX Runtime for each layer. Arguments as for `encoder_graphs`."""

    most_pieces = 512  # that run at once, padding included: their hidden units stay in a core's cache

    def __init__(
        self, config: Dict[str, Any], weights: Dict[str, ndarray], *, int8: bool
    ) -> None:
        self.sessions = [
            _session(layer, constants)
            for layer, constants in graph.encoder_graphs(config, weights, int8=int8)
        ]
        self.config, self.weights = config, weights
        self.is_relative = len(self.sessions[0].get_inputs()) == len(graph.INPUTS)

    def __call__(self, pieces: ndarray, mask: ndarray) -> ndarray:
        """See `EncoderShim.runner`."""
        feeds = {
            graph.INPUTS[0]: graph.embed_pieces(self.config, self.weights, pieces),
            graph.INPUTS[1]: mask,
        }
        if self.is_relative:
            feeds[graph.INPUTS[2]] = graph.relative_bias(
                self.config, self.weights, pieces.shape[1]
            )
        for session in self.sessions:
            feeds[graph.INPUTS[0]] = session.run([graph.OUTPUT], feeds)[0]
        return feeds[graph.INPUTS[0]]


def _session(layer: bytes, constants: Dict[str, ndarray]) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(
        os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1
    )
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    options.enable_cpu_mem_arena = False  # what a large batch took goes back
    # Waiting threads sleep: a spinning thread costs the processor time of another
    # program.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    values = [
        onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in constants.values()
    ]
    options.add_external_initializers(
        list(constants), values
    )  # which the session copies
    return onnxruntime.InferenceSession(
        layer, options, providers=["CPUExecutionProvider"]
    )


def torch_module(
    config: Dict[str, Any], weights: Dict[str, ndarray], **settings: Any
) -> Any:
    """The transformer in the `transformers` library, on the CPU. settings (Any): Other
    values of the config."""
    import torch
    from transformers import AutoConfig, AutoModel

    known = {
        key: value
        for key, value in config.items()
        if key not in ("model_type", "tokenizer", "max_pieces")
    }
    module = AutoModel.from_config(
        AutoConfig.for_model(config["model_type"], **{**known, **settings})
    )
    names = [name for name in weights if not name.endswith(graph.SCALE)]
    module.load_state_dict(
        {name: torch.from_numpy(graph.weight_of(weights, name)) for name in names},
        strict=False,
    )
    return module


class TorchRunner:
    """The module of the `transformers` library, on thinc's device. Arguments as for
    `encoder_graphs`."""

    most_pieces = 8192

    def __init__(self, config: Dict[str, Any], weights: Dict[str, ndarray]) -> None:
        import torch
        from thinc.api import get_torch_default_device

        self.torch, self.device = torch, get_torch_default_device()
        self.module = torch_module(config, weights).to(self.device).eval()
        self.first = graph.first_position(config)

    def __call__(self, pieces: ndarray, mask: ndarray) -> ndarray:
        """See `EncoderShim.runner`."""
        with self.torch.no_grad():
            ids, shown = (
                self.torch.from_numpy(array).long().to(self.device)
                for array in (pieces, mask)
            )
            places = (
                self.torch.arange(ids.shape[1], device=self.device)[None].expand_as(ids)
                + self.first
            )
            states = self.module(
                input_ids=ids, attention_mask=shown, position_ids=places
            ).last_hidden_state
        return states.float().cpu().numpy()
