"""The ONNX form of a BERT, in single precision or with 8-bit products, from the weights of its torch module.

ONNX Runtime's own operators (`com.microsoft`) compute whole sublayers: attention, residual connection with its norm,
bias with GELU. *Not* here: running it (`runtimes.py`). Needs the package `onnx`, which is imported when it is called.
"""

from typing import Any, Dict, List, Tuple

import numpy

from .light_bert import PLAIN_BERT
from .onnx_graph import Graph

INPUTS = ("input_ids", "token_type_ids", "attention_mask")
OUTPUT = "last_hidden_state"
_GELU_REACHES = 0.17  # GELU is greater than -0.17 everywhere


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
    graph = _BertGraph(transformer, int8=int8)
    states = graph.embeddings()
    for layer in range(config.num_hidden_layers):
        states = graph.layer(layer, states)
    shape = ["rows", "pieces"]
    given = dict.fromkeys(INPUTS, ("int32", shape))
    return graph.to_bytes(given, {OUTPUT: states}, {OUTPUT: ("float32", [*shape, config.hidden_size])})


def _check(config: Any) -> None:
    for name, values in PLAIN_BERT.items():
        found = getattr(config, name, None)
        if found not in values:
            raise ValueError(
                f"an ONNX runtime knows transformers with {name} = {values[0]!r}, and this one has {found!r}: expected "
                'runtime = "torch" for it'
            )


class _BertGraph(Graph):
    """The graph of a BERT.

    transformer, int8: As for `bert_to_onnx`.
    """

    def __init__(self, transformer: Any, *, int8: bool) -> None:
        super().__init__()
        state = transformer.state_dict()
        self.weights: Dict[str, numpy.ndarray] = {
            key: value.detach().float().cpu().numpy() for key, value in state.items()
        }
        self.epsilon = float(transformer.config.layer_norm_eps)
        self.n_heads = int(transformer.config.num_attention_heads)
        self.int8 = int8

    def embeddings(self) -> str:
        """Sums of word, position and segment embeddings, normalised."""
        names = ("word_embeddings", "position_embeddings", "token_type_embeddings")
        tables = [self.constant(self.weights[f"embeddings.{name}.weight"]) for name in names]
        norm = self.norm("embeddings.LayerNorm")
        return self.contrib("EmbedLayerNormalization", [*INPUTS[:2], *tables, *norm], n_outputs=2, epsilon=self.epsilon)

    def layer(self, number: int, states: str) -> str:
        """A layer: attention and feed-forward network, each followed by a residual connection and a norm."""
        prefix = f"encoder.layer.{number}"
        attended = self.attention(f"{prefix}.attention.self", states)
        states = self.sublayer(f"{prefix}.attention.output", attended, states)
        hidden, bias = self.affine(f"{prefix}.intermediate.dense", states)
        hidden = self.contrib("BiasGelu", [hidden, bias])
        return self.sublayer(f"{prefix}.output", hidden, states, after_gelu=True)

    def attention(self, prefix: str, states: str) -> str:
        """Multi-head attention, before its output map."""
        parts = [f"{prefix}.{name}" for name in ("query", "key", "value")]
        weight = numpy.concatenate([self.weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = self.constant(numpy.concatenate([self.weights[f"{part}.bias"] for part in parts]))
        mask = INPUTS[2]
        if not self.int8:
            return self.contrib("Attention", [states, self.constant(weight), bias, mask], num_heads=self.n_heads)
        query = self.node("Split", [self.product(weight, states, int8=True)], n_outputs=3, axis=-1)
        heads = [query, f"{query}_1", f"{query}_2"]
        return self.contrib("MultiHeadAttention", [*heads, bias, mask], num_heads=self.n_heads)

    def sublayer(self, prefix: str, inputs: str, residual: str, *, after_gelu: bool = False) -> str:
        """An affine map, a residual connection and a norm."""
        output, bias = self.affine(f"{prefix}.dense", inputs, after_gelu=after_gelu)
        norm = self.norm(f"{prefix}.LayerNorm")
        return self.contrib("SkipLayerNormalization", [output, residual, *norm, bias], epsilon=self.epsilon)

    def affine(self, name: str, inputs: str, *, after_gelu: bool = False) -> Tuple[str, str]:
        """A linear map. RETURNS (Tuple[str, str]): The product, and the bias that is still to be added."""
        weight, bias = self.weights[f"{name}.weight"].T, self.weights[f"{name}.bias"]
        if self.int8 and after_gelu:
            # `inputs + _GELU_REACHES` are not negative: at each position they are scaled to [0, 1]
            shifted = self.node("Add", [inputs, self.constant(numpy.float32(_GELU_REACHES))])
            product = self.quantised(weight, shifted, shifted, levels=255, zero=0)
            bias = bias - _GELU_REACHES * weight.sum(axis=0)
        else:
            product = self.product(weight, inputs, int8=self.int8)
        return product, self.constant(bias)

    def norm(self, prefix: str) -> List[str]:
        return [self.constant(self.weights[f"{prefix}.{name}"]) for name in ("weight", "bias")]
