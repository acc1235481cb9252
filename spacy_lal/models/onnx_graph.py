"""Writing a graph of ONNX Runtime node by node, in single precision or with 8-bit products.

Needs the package `onnx`, which is imported when it is called. *Not* here: the nodes of a graph (`onnx_bert.py`,
`onnx_parser.py`), and running it (`runtimes.py`).
"""

from typing import Any, List, Mapping, Optional, Sequence, Tuple

import numpy
from numpy import ndarray

# Weights have 7 bits: on CPUs without VNNI instructions, ONNX Runtime adds two products of an 8-bit activation and a
# weight in 16 bits, which hold 2 * 255 * 63, but not 2 * 255 * 127.
_MOST = 63
_CONTRIB = "com.microsoft"  # operators of ONNX Runtime's own
_OPSET, _IR_VERSION = 17, 8


class Graph:
    """The nodes and weights of a graph that is being written."""

    def __init__(self) -> None:
        self.nodes: List[Any] = []
        self.constants: List[Any] = []

    def constant(self, values: Any) -> str:
        """Add an array. RETURNS (str): Its name."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.array(values, order="C"), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], *, n_outputs: int = 1, domain: str = "", **options: Any) -> str:
        """Add a node. RETURNS (str): The name of its first output; others end in `_1`, `_2`."""
        from onnx import helper

        name = f"{kind}_{len(self.nodes)}"
        outputs = [name, *(f"{name}_{i}" for i in range(1, n_outputs))]
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **options))
        return name

    def contrib(self, kind: str, inputs: Sequence[str], **options: Any) -> str:
        """Add a node with an operator of ONNX Runtime's own. RETURNS (str): The name of its first output."""
        return self.node(kind, inputs, domain=_CONTRIB, **options)

    def product(self, weight: ndarray, inputs: str, *, int8: bool = False) -> str:
        """A product with a constant matrix. In 8 bits, the inputs of each row are scaled to [-1, 1].

        *Shape of the weight:* (n_inputs, n_outputs).
        """
        if not int8:
            return self.node("MatMul", [inputs, self.constant(weight)])
        return self.quantised(weight, inputs, self.node("Abs", [inputs]), levels=127, zero=128)

    def quantised(self, weight: ndarray, inputs: str, sizes: str, *, levels: int, zero: int) -> str:
        """A product in 8 bits: scale each row by its largest size, round, multiply integers, scale back."""
        # a row of zeros is divided by this, not by zero
        least = self.constant(numpy.float32(1e-12))
        largest = self.node("ReduceMax", [sizes], axes=[-1], keepdims=1)
        largest = self.node("Max", [largest, least])
        scaled = self.node("Div", [inputs, largest])
        step, zero_point = self.constant(numpy.float32(1 / levels)), self.constant(numpy.uint8(zero))
        rounded = self.node("QuantizeLinear", [scaled, step, zero_point])
        integers, scales = quantise(weight)
        right = [self.constant(integers), step, self.constant(scales), zero_point]
        zeros = self.constant(numpy.zeros(scales.shape, dtype="int8"))
        product = self.contrib("MatMulIntegerToFloat", [rounded, *right, zeros])
        return self.node("Mul", [product, largest])

    def to_bytes(
        self,
        inputs: Mapping[str, Tuple[str, Sequence[Any]]],
        outputs: Mapping[str, str],
        shapes: Optional[Mapping[str, Tuple[str, Optional[Sequence[Any]]]]] = None,
    ) -> bytes:
        """The finished model.

        inputs (Mapping[str, Tuple]): The element type (numpy's name) and the shape of each input; names stand for sizes
            that may vary.
        outputs (Mapping[str, str]): The node of each output.
        shapes (Optional[Mapping[str, Tuple]]): As `inputs`, for the outputs; float32 and no shape for others.
        """
        from onnx import helper

        known = shapes or {}
        given = [_info(name, *of_input) for name, of_input in inputs.items()]
        found = [_info(name, *known.get(name, ("float32", None))) for name in outputs]
        for name, node in outputs.items():
            self.nodes.append(helper.make_node("Identity", [node], [name]))
        graph = helper.make_graph(self.nodes, "network", given, found, self.constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString()


def as_array(tensor: Any) -> ndarray:
    """A weight of torch as an array."""
    return tensor.detach().numpy()


def _info(name: str, element: str, shape: Any) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(element)), shape)


def quantise(weight: ndarray) -> Tuple[ndarray, ndarray]:
    """Round a weight to integers, symmetrically, with a scale for each output feature.

    weight (ndarray): *Shape:* (n_inputs, n_outputs), float32.
    RETURNS (Tuple[ndarray, ndarray]): Integers of at most 63, int8, and scales, float32 of shape (n_outputs,):
        `integers * scales` is the weight but for at most half a scale.
    """
    scales = numpy.maximum(numpy.abs(weight).max(axis=0), numpy.finfo("float32").tiny) / _MOST
    integers = numpy.clip(numpy.rint(weight / scales), -_MOST, _MOST).astype("int8")
    return integers, scales.astype("float32")
