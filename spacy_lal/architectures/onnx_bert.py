"""The ONNX form of a BERT, in single precision or with 8-bit products, from the weights of its torch module.

ONNX Runtime's own operators (`com.microsoft`) compute whole sublayers: attention, residual connection with its norm,
bias with GELU. *Not* here: running it (`runtimes.py`). Needs the package `onnx`, which is imported when it is called.
"""

from typing import Any, Dict, List, Tuple

import numpy

INPUTS = ("input_ids", "token_type_ids", "attention_mask")
OUTPUT = "last_hidden_state"
# Weights have 7 bits: on CPUs without VNNI instructions, ONNX Runtime adds two products of an 8-bit activation and a
# weight in 16 bits, which hold 2 * 255 * 63, but not 2 * 255 * 127.
_MOST = 63
_GELU_REACHES = 0.17  # GELU is greater than -0.17 everywhere
_CONTRIB = "com.microsoft"
_OPSET, _IR_VERSION = 17, 8


def bert_to_onnx(transformer: Any, *, int8: bool = False) -> bytes:
    """Write a BERT as an ONNX model.

    transformer (BertModel): Of the `transformers` library.
    int8 (bool): Multiply in 8 bits: weights have a scale for each output feature, activations for each position, so
        that a sequence gets the same numbers in any batch. Embeddings, norms, softmax and sums stay in single
        precision.
    RETURNS (bytes): The model. Its inputs are `INPUTS`, int32 of shape (n_rows, n_pieces); its output is `OUTPUT`,
        float32 of shape (n_rows, n_pieces, width).
    RAISES (ValueError): It is not a BERT, or computes something that this form does not know.
    """
    config = transformer.config
    _check(config)
    graph = _Graph(transformer, int8=int8)
    states = graph.embeddings()
    for layer in range(config.num_hidden_layers):
        states = graph.layer(layer, states)
    return graph.to_bytes(states, config.hidden_size)


def _check(config: Any) -> None:
    expected = {
        "model_type": ("bert",),
        "hidden_act": ("gelu",),
        "position_embedding_type": ("absolute", None),
        "is_decoder": (False, None),
        "add_cross_attention": (False, None),
    }
    for name, values in expected.items():
        found = getattr(config, name, None)
        if found not in values:
            raise ValueError(
                f"an ONNX runtime knows transformers with {name} = {values[0]!r}, and this one has {found!r}: expected "
                'runtime = "torch" for it'
            )


class _Graph:
    """The nodes and weights of a graph that is being written.

    transformer, int8: As for `bert_to_onnx`.
    """

    def __init__(self, transformer: Any, *, int8: bool) -> None:
        state = transformer.state_dict()
        self.weights: Dict[str, numpy.ndarray] = {
            key: value.detach().float().cpu().numpy() for key, value in state.items()
        }
        self.epsilon = float(transformer.config.layer_norm_eps)
        self.n_heads = int(transformer.config.num_attention_heads)
        self.int8 = int8
        self.nodes: List[Any] = []
        self.constants: List[Any] = []

    def constant(self, values: Any) -> str:
        """Add an array. RETURNS (str): Its name."""
        from onnx import numpy_helper

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(numpy.array(values, order="C"), name))
        return name

    def node(self, kind: str, inputs: List[str], *, n_outputs: int = 1, domain: str = _CONTRIB, **options: Any) -> str:
        """Add a node. RETURNS (str): The name of its first output; others end in `_1`, `_2`."""
        from onnx import helper

        name = f"{kind}_{len(self.nodes)}"
        outputs = [name, *(f"{name}_{i}" for i in range(1, n_outputs))]
        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **options))
        return name

    def embeddings(self) -> str:
        """Sums of word, position and segment embeddings, normalised."""
        names = ("word_embeddings", "position_embeddings", "token_type_embeddings")
        tables = [self.constant(self.weights[f"embeddings.{name}.weight"]) for name in names]
        norm = self.norm("embeddings.LayerNorm")
        return self.node("EmbedLayerNormalization", [*INPUTS[:2], *tables, *norm], n_outputs=2, epsilon=self.epsilon)

    def layer(self, number: int, states: str) -> str:
        """A layer: attention and feed-forward network, each followed by a residual connection and a norm."""
        prefix = f"encoder.layer.{number}"
        attended = self.attention(f"{prefix}.attention.self", states)
        states = self.sublayer(f"{prefix}.attention.output", attended, states)
        hidden, bias = self.product(f"{prefix}.intermediate.dense", states)
        hidden = self.node("BiasGelu", [hidden, bias])
        return self.sublayer(f"{prefix}.output", hidden, states, after_gelu=True)

    def attention(self, prefix: str, states: str) -> str:
        """Multi-head attention, before its output map."""
        parts = [f"{prefix}.{name}" for name in ("query", "key", "value")]
        weight = numpy.concatenate([self.weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = self.constant(numpy.concatenate([self.weights[f"{part}.bias"] for part in parts]))
        mask = INPUTS[2]
        if not self.int8:
            return self.node("Attention", [states, self.constant(weight), bias, mask], num_heads=self.n_heads)
        query = self.node("Split", [self.symmetric(weight, states)], n_outputs=3, domain="", axis=-1)
        heads = [query, f"{query}_1", f"{query}_2"]
        return self.node("MultiHeadAttention", [*heads, bias, mask], num_heads=self.n_heads)

    def sublayer(self, prefix: str, inputs: str, residual: str, *, after_gelu: bool = False) -> str:
        """An affine map, a residual connection and a norm."""
        output, bias = self.product(f"{prefix}.dense", inputs, after_gelu=after_gelu)
        norm = self.norm(f"{prefix}.LayerNorm")
        return self.node("SkipLayerNormalization", [output, residual, *norm, bias], epsilon=self.epsilon)

    def product(self, name: str, inputs: str, *, after_gelu: bool = False) -> Tuple[str, str]:
        """A linear map. RETURNS (Tuple[str, str]): The product, and the bias that is still to be added."""
        weight, bias = self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"]
        if not self.int8:
            product = self.node("MatMul", [inputs, self.constant(weight)], domain="")
        elif after_gelu:
            product = self.from_zero(weight, inputs)
            bias = bias - _GELU_REACHES * weight.sum(axis=0)
        else:
            product = self.symmetric(weight, inputs)
        return product, self.constant(bias)

    def symmetric(self, weight: numpy.ndarray, inputs: str) -> str:
        """A product in 8 bits. The inputs of each position are scaled to [-1, 1].

        *Shape of the weight:* (n_inputs, n_outputs).
        """
        return self.quantised(weight, inputs, self.node("Abs", [inputs], domain=""), levels=127, zero=128)

    def from_zero(self, weight: numpy.ndarray, inputs: str) -> str:
        """A product in 8 bits of `inputs + _GELU_REACHES`, which are not negative, and at each position scaled to
        [0, 1]."""
        shifted = self.node("Add", [inputs, self.constant(numpy.float32(_GELU_REACHES))], domain="")
        return self.quantised(weight, shifted, shifted, levels=255, zero=0)

    def quantised(self, weight: numpy.ndarray, inputs: str, sizes: str, *, levels: int, zero: int) -> str:
        """Scale each position by its largest size, round, multiply integers, scale back."""
        # a position of zeros is divided by this, not by zero
        least = self.constant(numpy.float32(1e-12))
        largest = self.node("ReduceMax", [sizes], domain="", axes=[-1], keepdims=1)
        largest = self.node("Max", [largest, least], domain="")
        scaled = self.node("Div", [inputs, largest], domain="")
        step, zero_point = self.constant(numpy.float32(1 / levels)), self.constant(numpy.uint8(zero))
        rounded = self.node("QuantizeLinear", [scaled, step, zero_point], domain="")
        integers, scales = quantise(weight)
        right = [self.constant(integers), step, self.constant(scales), zero_point]
        zeros = self.constant(numpy.zeros(scales.shape, dtype="int8"))
        product = self.node("MatMulIntegerToFloat", [rounded, *right, zeros])
        return self.node("Mul", [product, largest], domain="")

    def norm(self, prefix: str) -> List[str]:
        return [self.constant(self.weights[f"{prefix}.{name}"]) for name in ("weight", "bias")]

    def to_bytes(self, states: str, width: int) -> bytes:
        """The finished model."""
        from onnx import TensorProto, helper

        shape = ["rows", "pieces"]
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, shape) for name in INPUTS]
        output = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [*shape, width])
        self.nodes.append(helper.make_node("Identity", [states], [OUTPUT]))
        graph = helper.make_graph(self.nodes, "bert", inputs, [output], self.constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString()


def quantise(weight: numpy.ndarray) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """Round a weight to integers, symmetrically, with a scale for each output feature.

    weight (ndarray): *Shape:* (n_inputs, n_outputs), float32.
    RETURNS (Tuple[ndarray, ndarray]): Integers of at most 63, int8, and scales, float32 of shape (n_outputs,):
        `integers * scales` is the weight but for at most half a scale.
    """
    scales = numpy.maximum(numpy.abs(weight).max(axis=0), numpy.finfo("float32").tiny) / _MOST
    integers = numpy.clip(numpy.rint(weight / scales), -_MOST, _MOST).astype("int8")
    return integers, scales.astype("float32")
