"""A transformer as an ONNX graph: BERT, RoBERTa, MPNet, of any number of layers, in
single precision or with 8-bit products, written from its config. Neither torch nor the
package `onnx` is imported. ONNX Runtime's own operators (`com.microsoft`) compute whole
sublayers: attention, residual connection with its norm, bias with GELU. *Not* here:
sessions and Docs (`onnx_transformer.py`)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional

import numpy
from numpy import ndarray

from ..weights.storage import SCALE, quantise, weight_of
from .graph import Graph, port

Weights = Mapping[str, ndarray]  # by the library's names
INPUTS = ("states", "mask", "bias")
OUTPUT = "vectors"
KNOWN = ("bert", "roberta", "xlm-roberta", "camembert", "mpnet")
# Names of MPNet's weights, and of BERT's.
_MPNET = (
    (r"\.attention\.attn\.q\.", ".attention.self.query."),
    (r"\.attention\.attn\.k\.", ".attention.self.key."),
    (r"\.attention\.attn\.v\.", ".attention.self.value."),
    (r"\.attention\.attn\.o\.", ".attention.output.dense."),
    (r"\.attention\.LayerNorm\.", ".attention.output.LayerNorm."),
)
_BIAS = "encoder.relative_attention_bias.weight"
WORDS = "embeddings.word_embeddings.weight"
_GELU_REACHES = 0.17  # GELU is greater than -0.17 everywhere


def check_config(config: Mapping[str, Any]) -> None:
    """Check that the graph computes what a transformer's config says.

    RAISES (ValueError): It does not."""
    expected = {
        "model_type": KNOWN,
        "hidden_act": ("gelu",),
        "position_embedding_type": ("absolute", None),
        "is_decoder": (False, None),
        "add_cross_attention": (False, None),
    }
    for name, values in expected.items():
        if config.get(name) not in values:
            known = ", ".join(map(repr, values))
            raise ValueError(
                f"its config has {name} = {config.get(name)!r}, and the ONNX graph "
                f"knows {known}"
            )


def first_position(config: Mapping[str, Any]) -> int:
    """The row of the first piece in the table of positions. RoBERTa counts from the
    padding's id on, MPNet from 1."""
    return {"bert": 0, "mpnet": 2}.get(config["model_type"], config["pad_token_id"] + 1)


def relative_bias(config: Mapping[str, Any], weights: Weights) -> Optional[ndarray]:
    """MPNet's bias of attention by the distance to a piece, of negative distances at
    the end; None for other transformers. *Shape:* (n_distances, n_heads)."""
    if _BIAS not in weights:
        return None
    n_pieces = config["max_position_embeddings"]
    n_buckets = config.get("relative_attention_num_buckets", 32) // 2
    exact = n_buckets // 2
    distances = numpy.concatenate([numpy.arange(n_pieces), numpy.arange(-n_pieces, 0)])
    size = abs(distances)
    # The library computes in single precision; 128 is its largest distance.
    ratio = numpy.maximum(size, 1).astype("float32") / numpy.float32(exact)
    wide = numpy.log(ratio) / numpy.float32(numpy.log(128 / exact))
    far = exact + (wide * (n_buckets - exact)).astype("int64")
    buckets = numpy.where(size < exact, size, numpy.minimum(far, n_buckets - 1))
    buckets[1:n_pieces] += n_buckets
    return weight_of(weights, _BIAS)[buckets]


def place_embeddings(config: Mapping[str, Any], weights: Weights) -> list[ndarray]:
    """What is added to the embeddings of pieces: those of positions, and of the
    segment, if any. *Shapes:* (n_positions or 1, width)."""
    positions = slice(first_position(config), None)
    places = [weight_of(weights, "embeddings.position_embeddings.weight", positions)]
    segments = "embeddings.token_type_embeddings.weight"
    if segments in weights:
        places.append(weight_of(weights, segments, slice(1)))
    return places


def encoder_graphs(
    config: Mapping[str, Any], weights: Weights, *, int8: bool
) -> Iterator[tuple[bytes, dict[str, ndarray]]]:
    """Write a transformer as an ONNX model for each layer, without its weights, and
    these, as external initializers.

    weights (Weights): By the library's names; in single or half precision, or int8 with
        `SCALE`.
    int8 (bool): Multiply in 8 bits, with a scale for each output feature and each
        piece. The rest stays single.

    RETURNS (Iterator[Tuple[bytes, Dict[str, ndarray]]]): Inputs: states; mask, int32 of
        shape (n_rows, n_pieces); for MPNet `relative_bias`. Output: float32 of shape
        (n_rows, n_pieces, width)."""
    check_config(config)
    patterns = _MPNET if config["model_type"] == "mpnet" else ()
    renamed = dict(weights)
    for pattern, replacement in patterns:
        renamed = {re.sub(pattern, replacement, x): renamed[x] for x in renamed}
    for layer in range(config["num_hidden_layers"]):
        encoder = _EncoderGraph(config, renamed, int8=int8)
        yield encoder.write_layer(layer), encoder.constants


class _EncoderGraph(Graph):
    def __init__(
        self, config: Mapping[str, Any], weights: Weights, *, int8: bool
    ) -> None:
        super().__init__()
        self.config = config
        self.int8 = int8
        self.weights = weights  # by BERT's names
        self.epsilon = float(config["layer_norm_eps"])
        self.bias = INPUTS[2] if _BIAS in weights else ""

    def write_layer(self, layer: int) -> bytes:
        """The finished model of a layer; the first normalises its input."""
        prefix = f"encoder.layer.{layer}"
        states = INPUTS[0]
        if layer == 0:
            norm = self.norm("embeddings.LayerNorm")
            states = self.node(
                "LayerNormalization", [states, *norm], epsilon=self.epsilon
            )
        attended = self.attention(f"{prefix}.attention.self", states)
        states = self.sublayer(f"{prefix}.attention.output", attended, states)
        dense = f"{prefix}.intermediate.dense"
        bias = self.constant(weight_of(self.weights, f"{dense}.bias"))
        hidden = self.contrib("BiasGelu", [self.product([dense], states), bias])
        states = self.sublayer(f"{prefix}.output", hidden, states, after_gelu=True)
        batch = ("rows", "pieces")
        shape = (*batch, self.config["hidden_size"])
        inputs = [port(INPUTS[0], shape), port(INPUTS[1], batch, "int32")]
        if self.bias:
            n_heads = self.config["num_attention_heads"]
            inputs.append(port(INPUTS[2], (1, n_heads, "pieces", "pieces")))
        return self.write(inputs, {states: OUTPUT}, shape)

    def attention(self, prefix: str, states: str) -> str:
        """Multi-head attention, before its output map."""
        parts = [f"{prefix}.{name}" for name in ("query", "key", "value")]
        biases = [weight_of(self.weights, f"{part}.bias") for part in parts]
        product = self.product(parts, states)
        rows = self.node("Split", [product], n_outputs=3, axis=-1)
        bias = self.constant(numpy.concatenate(biases))
        return self.contrib(
            "MultiHeadAttention",
            [rows, f"{rows}_1", f"{rows}_2", bias, INPUTS[1], self.bias],
            num_heads=self.config["num_attention_heads"],
        )

    def sublayer(
        self, prefix: str, inputs: str, residual: str, *, after_gelu: bool = False
    ) -> str:
        """An affine map, a residual connection and a norm."""
        name = f"{prefix}.dense"
        bias = weight_of(self.weights, f"{name}.bias")
        is_shifted = after_gelu and self.int8
        if is_shifted:
            # `inputs + _GELU_REACHES` are not negative: all 255 steps are theirs
            reach = self.constant(numpy.float32(_GELU_REACHES))
            inputs = self.node("Add", [inputs, reach])
            integers, scales = self.integers(f"{name}.weight")
            bias = bias - _GELU_REACHES * scales * integers.sum(axis=1, dtype="int32")
        output = self.product([name], inputs, positive=is_shifted)
        norm = self.norm(f"{prefix}.LayerNorm")
        return self.contrib(
            "SkipLayerNormalization",
            [output, residual, *norm, self.constant(bias.astype("float32"))],
            epsilon=self.epsilon,
        )

    def product(
        self, names: Sequence[str], inputs: str, *, positive: bool = False
    ) -> str:
        """The linear maps `names` side by side, without their biases."""
        weights = [f"{name}.weight" for name in names]
        if self.int8:
            integers, scales = zip(*map(self.integers, weights), strict=True)
            rows = numpy.concatenate(integers)
            return self.quantised(
                rows, numpy.concatenate(scales), inputs, positive=positive
            )
        matrices = [weight_of(self.weights, name) for name in weights]
        return self.affine(inputs, numpy.concatenate(matrices))

    def integers(self, name: str) -> tuple[ndarray, ndarray]:
        """A weight in 8 bits, and the scales of its rows."""
        weight = self.weights[name]
        return (
            (weight, self.weights[name + SCALE])
            if name + SCALE in self.weights
            else quantise(weight)
        )

    def norm(self, prefix: str) -> list[str]:
        return [
            self.constant(weight_of(self.weights, f"{prefix}.{name}"))
            for name in ("weight", "bias")
        ]
