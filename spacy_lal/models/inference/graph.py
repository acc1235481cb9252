"""ONNX graphs, written node by node, and sessions that run them. Neither torch nor the
package `onnx` is imported. *Not* here: what the graphs compute."""

import os
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Optional

import numpy
from numpy import ndarray

from ..weights.storage import quantise

_TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int32": 6,
    "float16": 10,
}  # of ONNX tensors
# Of ONNX attributes.
_FLOAT = 1
_INT = 2
_INTS = 7
_OPSET = 17
_IR_VERSION = 8
_MAX_ROWS = 1024  # of a product at once: in 8 bits they are in memory three times
Bits = Literal[8, 15, 32]


@cache
def has_vnni() -> bool:
    """Whether the processor adds up four products of 8 bits in 32 bits."""
    cpu = Path("/proc/cpuinfo")  # on Linux
    return cpu.exists() and "vnni" in cpu.read_text()


class Graph:
    """An ONNX graph. Arrays are external: the model has their names, and their places
    in a file `memory` that holds one after the other."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.initializers: list[bytes] = []
        self.n_bytes = 0  # of all arrays, one after the other
        self.constants: dict[str, ndarray] = {}

    def constant(self, values: Any) -> str:
        """Add an array.

        RETURNS (str): Its name."""
        array = numpy.asarray(values, order="C")
        name = f"constant_{len(self.constants)}"
        dims = b"".join(_field(1, size) for size in array.shape)
        place = {"location": "memory", "offset": str(self.n_bytes)}
        entries = [_field(13, _field(1, k) + _field(2, v)) for k, v in place.items()]
        self.n_bytes += array.nbytes
        self.constants[name] = array
        self.initializers.append(
            dims
            + _field(2, _TYPES[array.dtype.name])
            + _field(8, name)
            + b"".join(entries)
            + _field(14, 1)
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

    def quantised(
        self,
        integers: ndarray,
        scales: ndarray,
        inputs: str,
        *,
        positive: bool = False,
        twice: bool = False,
    ) -> str:
        """A product in 8 bits: scale each row by its largest size, round, multiply
        integers, scale back.

        positive (bool): Whether inputs are not negative.
        twice (bool): Round what rounding has taken away, too, and multiply it: the
            inputs have 15 bits."""
        levels, middle = (255, 0) if positive else (127, 128)
        sizes = inputs if positive else self.node("Abs", [inputs])
        largest = self.node("ReduceMax", [sizes], axes=[-1], keepdims=1)
        of_zeros = self.constant(numpy.float32(1e-12))  # a row of zeros
        largest = self.node("Max", [largest, of_zeros])
        step = 1 / levels
        scaled = self.node("Div", [inputs, largest])
        zero = 0
        if not has_vnni():
            # sums of two products with signed weights would overflow 16 bits
            integers = (integers ^ numpy.int8(-128)).view("uint8")
            zero = 128
        zeros = numpy.full(scales.shape, zero, dtype=integers.dtype)
        matrix = [
            self.constant(integers.T),
            self.constant(scales.astype("float32")),
            self.constant(zeros),
        ]
        product, rounded = self._rounded_product(scaled, step, middle, matrix)
        if twice:
            lost = self.node("Sub", [scaled, self.node("DequantizeLinear", rounded)])
            finer, _ = self._rounded_product(lost, step / 254, 128, matrix)
            product = self.node("Add", [product, finer])
        return self.node("Mul", [product, largest])

    def _rounded_product(
        self, inputs: str, size: float, middle: int, matrix: Sequence[str]
    ) -> tuple[str, list[str]]:
        """The product of rounded inputs, and these with their step and zero.

        size (float): Of a step. matrix (Sequence[str]): Integers, scales, zeros."""
        integers, scales, zeros = matrix
        step = self.constant(numpy.float32(size))
        zero_point = self.constant(numpy.uint8(middle))
        rounded = self.node("QuantizeLinear", [inputs, step, zero_point])
        operands = [rounded, integers, step, scales, zero_point, zeros]
        product = self.contrib("MatMulIntegerToFloat", operands)
        return product, [rounded, step, zero_point]

    def affine(
        self,
        inputs: str,
        weight: ndarray,
        bias: Optional[ndarray] = None,
        bits: Bits = 32,
    ) -> str:
        """A linear map.

        weight: *Shape:* (n_out, n_in). bias: *Shape:* (n_out,). None: no bias.
        bits: Of the inputs: 32 for single precision; 8, or 15, with a weight in 8 bits.
        """
        if bits == 32:
            product = self.node("MatMul", [inputs, self.constant(weight.T)])
        else:
            product = self.quantised(*quantise(weight), inputs, twice=bits == 15)
        if bias is None:
            return product
        return self.node("Add", [product, self.constant(bias)])

    def compile(self, inputs: Sequence[str], outputs: dict[str, str]) -> "Run":
        """A session for arrays of rows. outputs: The nodes of the outputs, by their
        names."""
        ports = [port(name, ("rows", f"width of {name}")) for name in inputs]
        ends = {node: f"output {name}" for name, node in outputs.items()}
        return Run(session(self.write(ports, ends), self.constants), list(outputs))

    def write(
        self,
        inputs: Sequence[bytes],
        outputs: dict[str, str],
        shape: Optional[Sequence[Any]] = None,
        dtype: str = "float32",
    ) -> bytes:
        """The finished model.

        inputs (Sequence[bytes]): As `port` writes them.
        outputs (Dict[str, str]): Their names by the nodes that they are made by.
        shape, dtype: Of the outputs. None: of rows."""
        ends = [_node("Identity", [node], [name]) for node, name in outputs.items()]
        fields = [
            *((1, node) for node in [*self.nodes, *ends]),
            (2, "graph"),
            *((5, array) for array in self.initializers),
            *((11, written) for written in inputs),
            *(
                (12, port(name, shape or ("rows", f"width of {name}"), dtype))
                for name in outputs.values()
            ),
        ]
        graph = b"".join(_field(number, value) for number, value in fields)
        contrib_opset = _field(1, "com.microsoft") + _field(2, 1)
        model = [
            _field(1, _IR_VERSION),
            _field(7, graph),
            _field(8, _field(2, _OPSET)),
            _field(8, contrib_opset),
        ]
        return b"".join(model)


def session(model: bytes, constants: dict[str, ndarray]) -> Any:
    """A session of ONNX Runtime for a model and its arrays."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    n_threads = os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1
    options.intra_op_num_threads = int(n_threads)
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    options.enable_cpu_mem_arena = False  # what a large batch took goes back
    # Waiting threads sleep: a spinning thread costs the processor time of another
    # program.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    arrays = constants.values()
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in arrays]
    # The session copies them.
    options.add_external_initializers(list(constants), values)
    return onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"]
    )


class Run(NamedTuple):
    """A graph that runs."""

    session: Any
    outputs: list[str]

    def __call__(self, **inputs: ndarray) -> dict[str, ndarray]:
        """The outputs for some rows, by name."""
        arrays = self.session.run(None, inputs)
        return dict(zip(self.outputs, arrays, strict=True))


class Product:
    """A linear map of rows in ONNX Runtime, which packs the weight once, where NumPy
    packs it for every product. See `Graph.affine`."""

    def __init__(
        self, weight: ndarray, bias: Optional[ndarray] = None, bits: Bits = 32
    ) -> None:
        graph = Graph()
        product = graph.affine("rows", weight, bias, bits)
        self.run = graph.compile(["rows"], {"product": product})
        self.n_outputs = len(weight)

    def __call__(self, rows: Any) -> ndarray:
        """*Shapes:* (n_rows, n_in) to (n_rows, n_out)."""
        products = numpy.empty((rows.shape[0], self.n_outputs), dtype="float32")
        for first in range(0, len(products), _MAX_ROWS):
            some = slice(first, first + _MAX_ROWS)
            products[some] = self.run(rows=rows[some])["product"]
        return products


# Protocol buffers: the few messages of onnx.proto3 that a graph needs, by the numbers
# of their fields.


def port(name: str, shape: Sequence[Any], dtype: str = "float32") -> bytes:
    """An input or output of a graph, as ONNX's ValueInfoProto.

    shape (Sequence[Union[int, str]]): Sizes that differ from run to run have names."""
    dims = [_field(2 if isinstance(size, str) else 1, size) for size in shape]
    sizes = b"".join(_field(1, dim) for dim in dims)
    tensor = _field(1, _TYPES[dtype]) + _field(2, sizes)
    return _field(1, name) + _field(2, _field(1, tensor))


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
        _field(1, name)
        + b"".join(_field(8, number) for number in value)
        + _field(20, _INTS)
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
    septets = bytearray()
    while value > 127:
        septets.append(value & 127 | 128)
        value >>= 7
    return bytes([*septets, value])
