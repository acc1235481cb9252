"""A transformer as an ONNX graph: BERT, RoBERTa, MPNet, of any number of layers, in
single precision or with 8-bit products, written from its config. Neither torch nor the
package `onnx` is imported. ONNX Runtime's own operators (`com.microsoft`) compute whole
sublayers: attention, residual connection with its norm, bias with GELU. *Not* here:
sessions and Docs (`onnx_transformer.py`)."""

import re
import struct
from functools import cache
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple

import numpy
from numpy import ndarray

from ..weights.storage import SCALE, quantise, weight_of

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
_WORDS = "embeddings.word_embeddings.weight"
_GELU_REACHES = 0.17  # GELU is greater than -0.17 everywhere
_TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int32": 6,
    "float16": 10,
}  # of ONNX tensors
# of ONNX attributes
_FLOAT = 1
_INT = 2
_INTS = 7
_OPSET = 17
_IR_VERSION = 8


@cache
def _has_vnni() -> bool:
    cpu = Path("/proc/cpuinfo")  # on Linux
    return cpu.exists() and "vnni" in cpu.read_text()


def check_config(config: Mapping[str, Any]) -> None:
    """RAISES (ValueError): The graph does not compute what a transformer's config
    says."""
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


def relative_bias(
    config: Mapping[str, Any], weights: Mapping[str, ndarray], n_pieces: int
) -> ndarray:
    """MPNet's bias of attention from i to j, by their distance. *Shape:* (1, n_heads,
    n_pieces, n_pieces)."""
    distances = numpy.arange(n_pieces) - numpy.arange(n_pieces)[:, None]
    n_buckets = config.get("relative_attention_num_buckets", 32) // 2
    exact = n_buckets // 2
    size = numpy.abs(distances)
    # The library computes in single precision; 128 is its largest distance.
    wide = numpy.log(
        numpy.maximum(size, 1).astype("float32") / numpy.float32(exact)
    ) / numpy.float32(numpy.log(128 / exact))
    far = numpy.minimum(
        exact + (wide * (n_buckets - exact)).astype("int64"), n_buckets - 1
    )
    buckets = numpy.where(distances > 0, n_buckets, 0) + numpy.where(
        size < exact, size, far
    )
    table = weight_of(weights, _BIAS)
    return numpy.ascontiguousarray(table[buckets].transpose(2, 0, 1)[None])


def embed_pieces(
    config: Mapping[str, Any], weights: Mapping[str, ndarray], pieces: ndarray
) -> ndarray:
    """Sums of word, position and segment embeddings. *Shapes:* (n_rows, n_pieces) to
    (n_rows, n_pieces, width)."""
    words = weights[_WORDS][pieces].astype("float32")
    first = first_position(config)
    if _WORDS + SCALE in weights:
        words *= weights[_WORDS + SCALE][pieces, None]
    words += weight_of(
        weights,
        "embeddings.position_embeddings.weight",
        slice(first, first + pieces.shape[1]),
    )
    if "embeddings.token_type_embeddings.weight" in weights:
        words += weight_of(weights, "embeddings.token_type_embeddings.weight", slice(1))
    return words


def encoder_graphs(
    config: Mapping[str, Any], weights: Mapping[str, ndarray], *, int8: bool
) -> Iterator[Tuple[bytes, Dict[str, ndarray]]]:
    """Write a transformer as an ONNX model for each layer, without its weights, and
    these, as external initializers. weights: By the library's names; in single or half
    precision, or int8 with `SCALE`. int8: Multiply in 8 bits, with a scale for each
    output feature and each piece. The rest stays single.

    RETURNS (Iterator[Tuple[bytes, Dict[str, ndarray]]]): Inputs: states; mask, int32 of
        shape (n_rows, n_pieces); for MPNet `relative_bias`. Output: float32 of shape
        (n_rows, n_pieces, width)."""
    check_config(config)
    for layer in range(config["num_hidden_layers"]):
        encoder = _Encoder(config, weights, int8=int8)
        yield encoder.write(layer), encoder.constants


class _Encoder:
    def __init__(
        self, config: Mapping[str, Any], weights: Mapping[str, ndarray], *, int8: bool
    ) -> None:
        self.config = config
        self.int8 = int8
        self.weights: Dict[str, ndarray] = {}
        for name, weight in weights.items():
            for pattern, replacement in (
                _MPNET if config["model_type"] == "mpnet" else ()
            ):
                name = re.sub(pattern, replacement, name)
            self.weights[name] = weight
        self.epsilon = float(config["layer_norm_eps"])
        self.bias = INPUTS[2] if _BIAS in weights else ""
        self.nodes: List[bytes] = []
        self.initializers: List[bytes] = []
        self.constants: Dict[str, ndarray] = {}

    def write(self, layer: int) -> bytes:
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
        hidden = self.contrib(
            "BiasGelu", self.affine(f"{prefix}.intermediate.dense", states)
        )
        states = self.sublayer(f"{prefix}.output", hidden, states, after_gelu=True)
        self.nodes.append(_node("Identity", [states], [OUTPUT]))
        batch = ("rows", "pieces")
        n_heads = self.config["num_attention_heads"]
        shape = (*batch, self.config["hidden_size"])
        given = [_info(INPUTS[0], "float32", shape), _info(INPUTS[1], "int32", batch)]
        if self.bias:
            given.append(_info(INPUTS[2], "float32", (1, n_heads, "pieces", "pieces")))
        parts: List[Any] = [
            (1, self.nodes),
            (2, ["encoder"]),
            (5, self.initializers),
            (11, given),
        ]
        parts.append((12, [_info(OUTPUT, "float32", shape)]))
        graph = b"".join(
            _field(number, value) for number, values in parts for value in values
        )
        opsets = [_field(2, _OPSET), _field(1, "com.microsoft") + _field(2, 1)]
        return (
            _field(1, _IR_VERSION)
            + _field(7, graph)
            + b"".join(_field(8, one) for one in opsets)
        )

    def attention(self, prefix: str, states: str) -> str:
        """Multi-head attention, before its output map."""
        parts = [f"{prefix}.{name}" for name in ("query", "key", "value")]
        bias = self.constant(
            numpy.concatenate(
                [weight_of(self.weights, f"{part}.bias") for part in parts]
            )
        )
        n_heads = self.config["num_attention_heads"]
        mask = INPUTS[1]
        if not self.int8:
            weight = numpy.concatenate(
                [weight_of(self.weights, f"{part}.weight") for part in parts]
            )
            inputs = [states, self.constant(weight.T), bias, mask, "", self.bias]
            return self.contrib("Attention", inputs, num_heads=n_heads)
        integers, scales = map(
            numpy.concatenate,
            zip(*(self.integers(f"{part}.weight") for part in parts), strict=True),
        )
        rows = self.node(
            "Split", [self.quantised(integers, scales, states)], n_outputs=3, axis=-1
        )
        heads = [rows, f"{rows}_1", f"{rows}_2"]
        return self.contrib(
            "MultiHeadAttention", [*heads, bias, mask, self.bias], num_heads=n_heads
        )

    def sublayer(
        self, prefix: str, inputs: str, residual: str, *, after_gelu: bool = False
    ) -> str:
        """An affine map, a residual connection and a norm."""
        output, bias = self.affine(f"{prefix}.dense", inputs, after_gelu=after_gelu)
        norm = self.norm(f"{prefix}.LayerNorm")
        return self.contrib(
            "SkipLayerNormalization",
            [output, residual, *norm, bias],
            epsilon=self.epsilon,
        )

    def affine(
        self, name: str, inputs: str, *, after_gelu: bool = False
    ) -> Tuple[str, str]:
        """A linear map.

        RETURNS (Tuple[str, str]): The product, and the bias that is still to be
            added."""
        bias = weight_of(self.weights, f"{name}.bias")
        if not self.int8:
            weight = weight_of(self.weights, f"{name}.weight")
            return self.node(
                "MatMul", [inputs, self.constant(weight.T)]
            ), self.constant(bias)
        integers, scales = self.integers(f"{name}.weight")
        if after_gelu:
            # `inputs + _GELU_REACHES` are not negative: all 255 steps are theirs
            inputs = self.node(
                "Add", [inputs, self.constant(numpy.float32(_GELU_REACHES))]
            )
            bias = bias - _GELU_REACHES * scales * integers.sum(axis=1, dtype="int32")
        return self.quantised(
            integers, scales, inputs, positive=after_gelu
        ), self.constant(bias.astype("float32"))

    def integers(self, name: str) -> Tuple[ndarray, ndarray]:
        """A weight in 8 bits, and the scales of its rows."""
        weight = self.weights[name]
        return (
            (weight, self.weights[name + SCALE])
            if name + SCALE in self.weights
            else quantise(weight)
        )

    def quantised(
        self, integers: ndarray, scales: ndarray, inputs: str, *, positive: bool = False
    ) -> str:
        """A product in 8 bits: scale each row by its largest size, round, multiply
        integers, scale back."""
        levels, zero = (255, 0) if positive else (127, 128)
        sizes = inputs if positive else self.node("Abs", [inputs])
        largest = self.node("ReduceMax", [sizes], axes=[-1], keepdims=1)
        largest = self.node(
            "Max", [largest, self.constant(numpy.float32(1e-12))]
        )  # of a row of zeros
        step = self.constant(numpy.float32(1 / levels))
        zero_point = self.constant(numpy.uint8(zero))
        rounded = self.node(
            "QuantizeLinear", [self.node("Div", [inputs, largest]), step, zero_point]
        )
        if (
            not _has_vnni()
        ):  # sums of two products with signed weights would overflow 16 bits
            integers = (integers ^ numpy.int8(-128)).view("uint8")  # 128 more
        right = [
            self.constant(integers.T),
            step,
            self.constant(scales.astype("float32")),
            zero_point,
        ]
        zeros = self.constant(
            numpy.full(
                scales.shape,
                0 if integers.dtype == "int8" else 128,
                dtype=integers.dtype,
            )
        )
        return self.node(
            "Mul",
            [self.contrib("MatMulIntegerToFloat", [rounded, *right, zeros]), largest],
        )

    def norm(self, prefix: str) -> List[str]:
        return [
            self.constant(weight_of(self.weights, f"{prefix}.{name}"))
            for name in ("weight", "bias")
        ]

    def constant(self, values: Any) -> str:
        """Add an array.

        RETURNS (str): Its name."""
        array = numpy.asarray(values, order="C")
        name = f"constant_{len(self.constants)}"
        dims = b"".join(_field(1, size) for size in array.shape)
        place = _field(13, _field(1, "location") + _field(2, "memory")) + _field(14, 1)
        self.constants[name] = array
        self.initializers.append(
            dims + _field(2, _TYPES[array.dtype.name]) + _field(8, name) + place
        )
        return name

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        *,
        n_outputs: int = 1,
        domain: str = "",
        **options: Any,
    ) -> str:
        """Add a node.

        RETURNS (str): The name of its first output; others end in `_1`, `_2`."""
        name = f"{kind}_{len(self.nodes)}"
        outputs = [name, *(f"{name}_{i}" for i in range(1, n_outputs))]
        self.nodes.append(_node(kind, inputs, outputs, domain, **options))
        return name

    def contrib(self, kind: str, inputs: Sequence[str], **options: Any) -> str:
        """Add a node with an operator of ONNX Runtime's own.

        RETURNS (str): The name of its first output."""
        return self.node(kind, inputs, domain="com.microsoft", **options)


# Protocol buffers: the few messages of onnx.proto3 that a graph needs, by the numbers
# of their fields.


def _node(
    kind: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    domain: str = "",
    **options: Any,
) -> bytes:
    fields = [
        *((1, name) for name in inputs),
        *((2, name) for name in outputs),
        (4, kind),
        (7, domain),
    ]
    return b"".join(_field(number, value) for number, value in fields) + b"".join(
        _field(5, _option(name, value)) for name, value in options.items()
    )


def _option(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, _FLOAT)
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, _INT)
    return (
        _field(1, name) + b"".join(_field(8, one) for one in value) + _field(20, _INTS)
    )


def _info(name: str, dtype: str, shape: Sequence[Any]) -> bytes:
    sizes = b"".join(
        _field(1, _field(2 if isinstance(size, str) else 1, size)) for size in shape
    )
    return _field(1, name) + _field(
        2, _field(1, _field(1, _TYPES[dtype]) + _field(2, sizes))
    )


def _field(number: int, value: Any) -> bytes:
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    content = value.encode("utf8") if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= 0xFFFF_FFFF_FFFF_FFFF  # negative numbers have ten bytes
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
