"""`spacy-lal.OnnxTransformer.v1`: a trained transformer in ONNX Runtime, as the model
of spaCy's component `tok2vec`; its backward pass ends here. A token's vector is the
mean over its pieces. `lal compact` makes it from a `transformer` component."""

import json
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import (
    Any,
    NamedTuple,
    Optional,
    cast,
)

import numpy
import safetensors.numpy
from numpy import ndarray
from spacy.tokens import Doc, Span
from thinc.api import Model, NumpyOps
from thinc.shims import Shim
from thinc.types import Floats2d

from ...annotations import without_notes
from ..vectors import plain_doc, with_tokens
from ..weights.storage import SCALE, stored_arrays, stored_weight
from ..weights.threads import (
    ONE_BLAS_THREAD,
    Owner,
    made_once,
    return_memory,
    return_memory_of,
)
from ..windows import WINDOW, length_groups, sentence_windows
from . import onnx_encoder as graph
from .foreign import check_language
from .graph import session

RUNTIMES = ("onnx", "onnx-int8", "torch")
_SPARE_PIECES = 32  # padding that costs less than another run


class Window(NamedTuple):
    """Tokens of the Doc of a number, which the transformer reads at once; pieces with
    the special ones; means: 1 where a piece is of a token, else 0. *Shapes:*
    (n_tokens,), (n_tokens, n_pieces)."""

    doc: int
    tokens: ndarray
    pieces: list[int]
    means: ndarray


def build_onnx_transformer(
    runtime: str = "onnx", window: int = WINDOW
) -> Model[list[Doc], list[Floats2d]]:
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
    replacement = ListenerReplacement()
    attrs = {
        "replace_listener_cfg": replacement.new_block,
        "replace_listener": replacement.new_layer,
    }
    shims: list[Shim] = [EncoderShim(runtime, window)]
    return Model(
        "onnx_transformer",
        forward,
        init=init,
        dims={"nO": None},
        attrs=attrs,
        shims=shims,
    )


class ListenerReplacement:
    """The callbacks of `nlp.replace_listeners`. spaCy asks for the new block of a
    listener first, writes it into the config, then asks for the new layer."""

    def __init__(self) -> None:
        self.block: dict[str, Any] = {}  # the last listener's new block
        self.tok2vec: dict[str, Any] = {}  # the block that stood at "model.tok2vec"

    def new_block(
        self, encoder: dict[str, Any], tok2vec: dict[str, Any]
    ) -> dict[str, Any]:
        """The block of the encoder, for a component with the block `model.tok2vec`."""
        self.block = dict(encoder)
        self.tok2vec = tok2vec
        return self.block

    def new_layer(self, model: Model, listener: Any, tok2vec: Any) -> Model:
        """The encoder in the place of a listener. Where the path "model.tok2vec" (of
        spaCy's W087) is a JoinedTok2Vec around the listener, its block takes the
        encoder's place again, with the encoder within."""
        parts = self.tok2vec.get("*", {})
        is_within = any(part is self.block for part in parts.values())
        if parts and not is_within:
            encoder = dict(self.block)
            kept = {
                name: encoder if "Listener" in str(part.get("@architectures")) else part
                for name, part in parts.items()
            }
            self.block.clear()
            self.block.update({**self.tok2vec, "*": kept})
        return model


def from_transformer(
    trained: Any, *, bits: int = 16, runtime: str = "onnx"
) -> Model[list[Doc], list[Floats2d]]:
    """The model of a `tok2vec` component with the weights of spacy-transformers'
    TransformerModel. bits: 16: half precision. 8: matrices as integers with a scale for
    each row.

    RAISES (ValueError): The graph does not know this transformer, its tokenizer is not
        one of the library `tokenizers`, or a weight is not finite in half precision."""
    tokenizer = trained.tokenizer
    transformer = trained.transformer
    config = {
        key: value
        for key, value in transformer.config.to_dict().items()
        if key[0] != "_" and value is not None
    }
    graph.check_config(config)
    if not tokenizer.is_fast:
        kind = type(tokenizer).__name__
        raise ValueError(f"its tokenizer {kind} is none of the library `tokenizers`")
    n_positions = config["max_position_embeddings"] - graph.first_position(config)
    max_pieces = min(tokenizer.model_max_length, n_positions)
    model = build_onnx_transformer(runtime)
    shim = cast(EncoderShim, model.shims[0])
    shim.config = {
        **config,
        "max_pieces": max_pieces,
        "tokenizer": {
            **tokenizer.special_tokens_map,
            "model_max_length": max_pieces,
            "model_input_names": tokenizer.model_input_names,
        },
    }
    shim.tokenizer = tokenizer.backend_tokenizer.to_str()
    for name, tensor in transformer.state_dict().items():
        if not name.startswith("pooler.") and tensor.is_floating_point():
            weight = tensor.detach().cpu().numpy()
            shim.weights.update(stored_weight(name, weight, bits))
    model.set_dim("nO", config["hidden_size"])
    return model


def init(model: Model, X: Any = None, Y: Any = None) -> None:
    """Check that there are weights."""
    if not model.has_dim("nO"):
        raise ValueError(
            "spacy-lal.OnnxTransformer.v1 has no weights and cannot be trained: "
            "expected a component of a trained "
            'pipeline, nlp.add_pipe("encoder", source=nlp_with_encoder), or the '
            "training config of a `transformer`"
        )


def forward(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """The vectors of the tokens of each Doc. No gradient passes."""
    shim = cast(EncoderShim, model.shims[0])
    run, tokenizer = shim.ready(None if isinstance(model.ops, NumpyOps) else "torch")
    windows: list[Window] = []
    for number, doc in enumerate(docs):
        windows.extend(shim.read(number, doc, tokenizer))
    width = shim.config["hidden_size"]
    sums = [numpy.zeros((len(doc), width), dtype="float32") for doc in docs]
    counts = [numpy.zeros((len(doc), 1), dtype="float32") for doc in docs]
    lengths = [len(window.pieces) for window in windows]
    with ONE_BLAS_THREAD:
        for rows in length_groups(lengths, _SPARE_PIECES, run.most_pieces):
            together = [windows[row] for row in rows]
            for window, states in zip(together, run(*_padded(together)), strict=True):
                of_window = window.means @ states[: len(window.pieces)]
                sums[window.doc][window.tokens] += of_window
                n_pieces = window.means.sum(axis=1, keepdims=True)
                counts[window.doc][window.tokens] += n_pieces
    return_memory_of(docs)
    of_docs = []
    for doc, vectors, n_pieces in zip(docs, sums, counts, strict=True):
        vectors /= numpy.maximum(n_pieces, 1)
        of_docs.append(with_tokens(model.ops.asarray2f(vectors), doc))  # type: ignore[arg-type]
    return of_docs, lambda d_vectors: docs


def _padded(windows: Sequence[Window]) -> tuple[ndarray, ndarray]:
    """Pieces and mask of windows, the longest first. *Shapes:* (n_rows, n_pieces)."""
    shape = (len(windows), len(windows[0].pieces))
    pieces = numpy.zeros(shape, dtype="int32")
    mask = numpy.zeros(shape, dtype="int32")
    for row, window in enumerate(windows):
        n_pieces = len(window.pieces)
        pieces[row, :n_pieces] = window.pieces
        mask[row, :n_pieces] = 1
    return pieces, mask


class EncoderShim(Owner, Shim):
    """Config, tokenizer and weights, which copies and threads share, and a session,
    made when the first Doc comes; a forked process makes its own, since threads of the
    runtime do not survive a fork."""

    def __init__(self, runtime: str, window: int) -> None:
        super().__init__(None)
        self.runtime = runtime
        self.window = window
        self.config: dict[str, Any] = {}
        self.tokenizer = ""
        self.weights: dict[str, ndarray] = {}

    def ready(self, runtime: Optional[str] = None) -> tuple[Any, Any]:
        """A map from pieces and mask, int32 of shape (n_rows, n_pieces), to float32 of
        shape (n_rows, n_pieces, width), and the tokenizer.

        RAISES (ValueError): There are no weights."""
        wanted = runtime or self.runtime
        return made_once(self, wanted, lambda: (self._make(wanted), self._tokenizer()))

    def _make(self, runtime: str) -> Any:
        if not self.weights:
            raise ValueError(
                "the encoder has no weights: expected a loaded pipeline, or `lal "
                "compact`"
            )
        if runtime == "torch":
            from ..torch.encoder import TorchRunner

            return TorchRunner(self.config, self.weights)
        int8 = runtime == "onnx-int8"
        return OnnxRunner(self.config, self.weights, int8=int8)

    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self.tokenizer)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def read(self, number: int, doc: Doc, tokenizer: Any) -> Iterator[Window]:
        """The windows of a Doc without its marks of notes; and of each mark, after the
        word before it."""
        seen = without_notes(doc)
        plain = plain_doc(seen.doc)
        spans = list(sentence_windows(plain, self.window))
        yield from self._windows(number, plain, seen.tokens, spans, tokenizer)
        all_tokens = numpy.arange(len(doc))
        for start, end in seen.notes:
            spans = [(start - 1, end)]
            for window in self._windows(number, doc, all_tokens, spans, tokenizer):
                window.means[window.tokens < start] = 0.0
                yield window

    def _windows(
        self,
        number: int,
        doc: Doc,
        tokens: ndarray,
        spans: list[tuple[int, int]],
        tokenizer: Any,
    ) -> Iterator[Window]:
        """Windows of some ranges of tokens of a Doc. A window of too many pieces is cut
        in half; a single token loses its last pieces.

        tokens (ndarray): What the Window calls them. *Shape:* (n_tokens,)."""
        limit = self.config["max_pieces"]
        unknown = tokenizer.token_to_id(self.config["tokenizer"].get("unk_token", ""))
        spans = spans[::-1]
        while spans:
            start, end = spans.pop()
            text = doc[start:end].text
            encoded = tokenizer.encode(text)
            if len(encoded.ids) > limit and end - start > 1:
                half = (start + end) // 2
                spans += [(half, end), (start, half)]
                continue
            if not text.isascii():
                check_language(text, encoded, unknown)
            means = _overlaps(doc[start:end], text, encoded.offsets[:limit])
            yield Window(number, tokens[start:end], encoded.ids[:limit], means)

    def to_bytes(self) -> bytes:
        """The weights as a safetensors file, with config and tokenizer in its
        metadata."""
        # JSON keeps numbers exactly
        about = json.dumps({"config": self.config, "tokenizer": self.tokenizer})
        return safetensors.numpy.save(self.weights, {"encoder": about})

    def from_bytes(self, data: bytes) -> "EncoderShim":
        """Load what `to_bytes` wrote."""
        self.weights, stored = stored_arrays(data)
        about = json.loads(stored["encoder"])
        self.config = about["config"]
        self.tokenizer = about["tokenizer"]
        self.made = None
        return self

    def copy(self) -> "EncoderShim":
        """A copy with the same arrays: nothing changes them."""
        return copy(self)

    def __deepcopy__(self, memo: Any) -> "EncoderShim":
        return self.copy()

    def finish_update(self, optimizer: Any) -> None:
        """Nothing is trained."""

    def to_device(self, device_type: str, device_id: int) -> None:
        """The device is thinc's when it runs."""
        self.made = None


def _overlaps(span: Span, text: str, offsets: Sequence[tuple[int, int]]) -> ndarray:
    """Which tokens a piece is of: all that share a character with it, or the space
    after them. *Shape:* (n_tokens, n_pieces)."""
    starts = [token.idx - span[0].idx for token in span]
    ends = [*starts[1:], len(text) + 1]
    first = numpy.array(starts)[:, None]
    last = numpy.array(ends)[:, None]
    begins = numpy.array(without_space(text, offsets))
    stops = numpy.array(offsets)[:, 1]
    has_characters = begins < stops
    begins_before_end = begins < last
    ends_after_begin = first < stops
    overlaps = has_characters & begins_before_end & ends_after_begin
    return overlaps.astype("float32")


def without_space(text: str, offsets: Sequence[Sequence[int]]) -> list[int]:
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

    # Pieces that run at once, padding included: their hidden units stay in a core's
    # cache.
    most_pieces = 512

    def __init__(
        self, config: dict[str, Any], weights: dict[str, ndarray], *, int8: bool
    ) -> None:
        self.sessions = [
            session(layer, constants)
            for layer, constants in graph.encoder_graphs(config, weights, int8=int8)
        ]
        self.words = weights[graph.WORDS]
        self.scales = weights.get(graph.WORDS + SCALE)
        self.places = graph.place_embeddings(config, weights)
        self.bias = graph.relative_bias(config, weights)
        return_memory()

    def __call__(self, pieces: ndarray, mask: ndarray) -> ndarray:
        """See `EncoderShim.ready`."""
        feeds = self.inputs(pieces, mask)
        for layer in self.sessions:
            feeds[graph.INPUTS[0]] = layer.run([graph.OUTPUT], feeds)[0]
        return feeds[graph.INPUTS[0]]

    def inputs(self, pieces: ndarray, mask: ndarray) -> dict[str, ndarray]:
        """What the first layer reads: the sums of word, position and segment
        embeddings, the mask, and MPNet's bias of attention from one piece to
        another."""
        states = self.words[pieces].astype("float32")
        if self.scales is not None:
            states *= self.scales[pieces, None]
        for embeddings in self.places:
            states += embeddings[: pieces.shape[1]]
        arrays = [states, mask]
        if self.bias is not None:
            places = numpy.arange(pieces.shape[1])
            of_pairs = self.bias[places - places[:, None]]
            arrays.append(numpy.ascontiguousarray(of_pairs.transpose(2, 0, 1)[None]))
        return dict(zip(graph.INPUTS, arrays, strict=False))
