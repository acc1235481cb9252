"""The parser's network in ONNX Runtime: the same scores as `layers.folded_network`, from arrays to arrays.

It reads a folded network, so that all products of weights alone are made there. Small arrays (places, masks, charts)
are numpy's, whose calls cost a tenth of torch's: a sentence of 8 words has 10 positions. *Not* here: the scorers of
spans and deprels (`onnx_scorers.py`), running a graph (`runtimes.py`).
"""

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, cast

import numpy
from numpy import ndarray

from ..layers.basics import EPSILON, StdNorm
from ..layers.biaffine import BiaffineScorer
from ..layers.folded_network import FoldedNetwork
from ..layers.inputs import InputLayer, VectorProjection
from ..layers.label_attention import FoldedLabelAttention
from ..layers.scorers.deprel_features import DeprelFeatures
from ..layers.span_scorer import SpanScorer
from ..scores import OTHER_LABEL, PrunedScores
from .embedding import NetworkBatch
from .onnx_graph import Graph, as_array
from .onnx_scorers import OnnxDeprels, OnnxSpans
from .runtimes import OnnxSession

_TINY = 1e-20  # as `layers.norm`: keeps the reciprocal of a constant row finite
INPUTS: Dict[str, Tuple[str, List[str]]] = {
    "vectors": ("float32", ["positions", "vector_width"]),
    "places": ("int64", ["positions"]),
    "sentences": ("int64", ["positions"]),
    "unpacked": ("int64", ["batch", "length"]),
    "mask": ("float32", ["batch", "one", "length"]),
    "posts": ("int64", ["posts"]),
    "unpacked_posts": ("int64", ["batch", "sides"]),
}


class Places(NamedTuple):
    """Where the positions and fenceposts of a batch are; the inputs of the graph but the vectors. Rows of sentences
    come one after the other: n + 2 positions, n + 1 fenceposts.

    places (ndarray): The row of the position table of each position. *Shape:* (n_positions,).
    sentences (ndarray): The sentence of each position. *Shape:* (n_positions,).
    unpacked (ndarray): The row of each place of the padded batch; padding has a row of another place. *Shape:*
        (batch_size, seq_len).
    mask (ndarray): 0; minus infinity at padding. *Shape:* (batch_size, 1, seq_len).
    posts (ndarray): The position before each fencepost. *Shape:* (n_posts,).
    unpacked_posts (ndarray): As `unpacked`, for fenceposts. *Shape:* (batch_size, seq_len - 1).
    """

    places: ndarray
    sentences: ndarray
    unpacked: ndarray
    mask: ndarray
    posts: ndarray
    unpacked_posts: ndarray

    @classmethod
    def of(cls, lengths: ndarray, max_positions: int) -> "Places":
        """The places of sentences of some lengths, in words."""
        firsts, seq_len = _firsts(lengths + 2), int(lengths.max()) + 2
        along = numpy.arange(seq_len)
        padding = along >= lengths[:, None] + 2
        places = numpy.broadcast_to(along, padding.shape)
        inside = ~padding
        unpacked = numpy.where(padding, 0, firsts[:, None] + places)
        no_stop = along[:-1] <= lengths[:, None]
        return cls(
            places=places[inside] % max_positions,
            sentences=numpy.repeat(numpy.arange(len(lengths)), lengths + 2),
            unpacked=unpacked,
            mask=numpy.where(padding, -numpy.inf, 0.0).astype("float32")[:, None],
            posts=unpacked[:, :-1][no_stop],
            unpacked_posts=numpy.where(no_stop, _firsts(lengths + 1)[:, None] + along[:-1], 0),
        )


def _firsts(counts: ndarray) -> ndarray:
    """The first row of each sentence. *Shapes:* (batch_size,) to the same."""
    return numpy.cumsum(counts) - counts


class OnnxNetwork:
    """A folded network in ONNX Runtime. Threads may share it. Later changes of the weights have no effect on it.

    folded (FoldedNetwork): In single precision, on a CPU.
    int8 (bool): Multiply in 8 bits; scores of spans, attention and sums stay in single precision.
    RAISES (ValueError): The network has a part that this form does not know.
    """

    def __init__(self, folded: FoldedNetwork, *, int8: bool = False) -> None:
        network = folded.network
        check_network(folded)
        self.span_scorer, self.max_positions = network.span_scorer, network.inputs.max_positions
        vectors: Any = network.inputs.features["vectors"]
        self.boundaries = None if vectors.boundaries is None else as_array(vectors.boundaries)
        graph = _NetworkGraph(folded, int8=int8)
        outputs = graph.outputs()
        self.names = [name for name in outputs if name != "attention"]
        self.has_attention = "attention" in outputs
        self.session = OnnxSession(graph.to_bytes(INPUTS, outputs))
        self.deprels = OnnxDeprels(network.biaffine_scorer, int8=int8) if network.biaffine_scorer is not None else None
        self.spans = OnnxSpans(network.span_scorer) if network.span_scorer is not None else None

    def scores(self, batch: NetworkBatch, indices: Sequence[int]) -> List[PrunedScores]:
        """The scores of some sentences, none without words.

        indices (Sequence[int]): Numbers of sentences in the batch.
        """
        lengths = numpy.array([batch.features[i].length for i in indices])
        places = Places.of(lengths, self.max_positions)
        feeds = {"vectors": self._vectors(batch, indices, lengths), **places._asdict()}
        names = [*self.names, "attention"] if batch.return_attention and self.has_attention else self.names
        found = dict(zip(names, self.session.run(names, feeds), strict=True))
        firsts = _firsts(lengths + 1)
        features: Optional[DeprelFeatures] = None
        if self.deprels is not None:
            features = DeprelFeatures(self.deprels, found["heads"], found["dependents"], firsts)
        charts = [_no_chart()] * len(lengths)
        if self.spans is not None:
            charts = self.spans.charts(found["spans"], firsts, lengths)
        scores = []
        for k, (n_words, (labels, label_ids)) in enumerate(zip(lengths.tolist(), charts, strict=True)):
            side = n_words + 1
            arcs = numpy.zeros((side, side), dtype="float32")
            if "arcs" in found:
                arcs = numpy.ascontiguousarray(found["arcs"][k, :side, :side])
            attention = None
            if "attention" in found:
                attention = numpy.ascontiguousarray(found["attention"][k, :, : side + 1])
            no_ids = numpy.zeros(0, dtype="int16")
            scores.append(PrunedScores(labels, label_ids, arcs, no_ids, attention, features, k))
        return scores

    def _vectors(self, batch: NetworkBatch, indices: Sequence[int], lengths: ndarray) -> ndarray:
        """The vectors of START, words and STOP, one sentence after the other. *Shape:* (n_positions, vector_width)."""
        if batch.vectors is None:
            raise ValueError("the network reads vectors, and the batch has none")
        rows, has_boundaries = batch.vectors.rows, batch.vectors.has_boundaries
        data: Any = batch.vectors.data
        if has_boundaries:
            return data[numpy.concatenate([rows[i] for i in indices])]
        if self.boundaries is None:
            raise ValueError("the vectors have no rows for START and STOP, and the network has no learned ones")
        packed = numpy.empty((int(lengths.sum()) + 2 * len(lengths), data.shape[1]), dtype="float32")
        first = 0
        for i in indices:
            stop = first + len(rows[i]) + 1
            packed[first], packed[stop] = self.boundaries
            packed[first + 1 : stop] = data[rows[i]]
            first = stop + 1
        return packed


def _no_chart() -> Tuple[ndarray, ndarray]:
    return numpy.zeros((0, 0, 3), dtype="float32"), numpy.zeros((0, 0), dtype="int16")


def check_network(folded: FoldedNetwork) -> None:
    """Check whether a network has an ONNX form. RAISES (ValueError): It has none; the message says why."""
    network = folded.network
    kinds = list(network.inputs.features)
    vectors = network.inputs.features["vectors"] if kinds == ["vectors"] else None
    unknown = {
        "the input layer reads vectors alone, of one layer": type(network.inputs) is not InputLayer
        or type(vectors) is not VectorProjection
        or vectors.mix is not None,
        "the encoder has no layers": len(network.encoder.layers) > 0,
        "label attention is of the paper's form, without a feed-forward network": folded.label_attention is not None
        and (
            type(folded.label_attention) is not FoldedLabelAttention or folded.label_attention.feed_forward is not None
        ),
        "fenceposts have the halves of label blocks, where there is label attention": folded.label_attention is not None
        and folded.products.layout.n_label_heads == 0,
        "there is a constituent label": type(network.span_scorer) not in (type(None), SpanScorer)
        or (network.span_scorer is not None and network.span_scorer.output.out_features < OTHER_LABEL),
        "deprels are scored given the head": type(network.biaffine_scorer) not in (type(None), BiaffineScorer),
    }
    for expected, fails in unknown.items():
        if fails:
            raise ValueError(
                f"an ONNX runtime knows networks of a parser in which {expected}, and this one differs: expected "
                'runtime = "torch" for it'
            )


class _NetworkGraph(Graph):
    """The graph from vectors to arcs, to features of deprels, and to the projections of spans.

    folded, int8: As for `OnnxNetwork`.
    """

    def __init__(self, folded: FoldedNetwork, *, int8: bool) -> None:
        super().__init__()
        self.folded, self.int8 = folded, int8
        self.label_attention = cast(Optional[FoldedLabelAttention], folded.label_attention)

    def outputs(self) -> Dict[str, str]:
        """Write the graph. RETURNS (Dict[str, str]): The nodes of its outputs."""
        products, outputs = self.folded.products, {}
        tokens = self.inputs()
        blocks = tokens
        if self.label_attention is not None:
            blocks, outputs["attention"] = self.attend(tokens, self.label_attention)
        sums = self.fenceposts(tokens, blocks)
        span, *pairs = products.widths
        if not pairs:
            return {**outputs, "spans": sums}
        spans, features = self.split(sums, [span, sum(pairs)]) if span else ("", sums)
        if span:
            outputs["spans"] = spans
        head, dependent, of_head, of_dependent = self.split(self.node("Relu", [features]), pairs)
        return {**outputs, "arcs": self.arcs(head, dependent), "heads": of_head, "dependents": of_dependent}

    def inputs(self) -> str:
        """The input layer. *Shape:* (n_positions, hidden_width)."""
        layer = self.folded.network.inputs
        vectors: Any = layer.features["vectors"]
        content = self.product(as_array(vectors.projection.weight).T, "vectors", int8=self.int8)
        positions = self.node("Gather", [self.constant(as_array(layer.positions)), "places"])
        if layer.concatenates:
            joined = self.node("Concat", [content, positions], axis=-1)
        else:
            joined = self.node("Add", [content, positions])
        return self.node("Add", [self.norm(joined, layer.norm), self.constant(as_array(layer.norm.bias))])

    def norm(self, inputs: str, norm: StdNorm) -> str:
        """`std_norm` over the last axis, but for its bias."""
        width = len(norm.gain)
        if width == 1:  # unchanged, but for the bias that is added next
            return self.node("Sub", [inputs, self.constant(as_array(norm.bias))])
        given = [inputs, self.constant(as_array(norm.gain))]
        normed = self.node("LayerNormalization", given, n_outputs=3, axis=-1, epsilon=_TINY)
        spread = self.constant(numpy.float32(math.sqrt(width / (width - 1))))
        scaled = self.node("Mul", [f"{normed}_2", self.constant(numpy.float32(EPSILON))])
        return self.node("Div", [normed, self.node("Add", [scaled, spread])])

    def attend(self, tokens: str, layer: FoldedLabelAttention) -> Tuple[str, str]:
        """Blocks, *shape:* (n_positions, n_heads, proj_width), and weights, *shape:* (batch_size, n_heads, seq_len)."""
        logits = self.node("Gather", [self.product(as_array(layer.keys.weight).T, tokens), "unpacked"])
        logits = self.node("Add", [self.node("Transpose", [logits], perm=[0, 2, 1]), "mask"])
        weights = self.node("Softmax", [logits], axis=-1)
        pooled = self.node("MatMul", [weights, self.node("Gather", [tokens, "unpacked"])])
        values = self.constant(as_array(layer.values))
        contexts = self.node("MatMul", [self.node("Transpose", [pooled], perm=[1, 0, 2]), values])
        contexts = self.node("Transpose", [contexts], perm=[1, 0, 2])
        reduced = self.product(as_array(layer.reduce.weight).T, tokens, int8=self.int8)
        reduced = self.reshape(reduced, [0, -1, layer.values.shape[2]])
        summed = self.node("Add", [self.node("Gather", [contexts, "sentences"]), reduced])
        return self.norm(summed, layer.norm), weights

    def fenceposts(self, tokens: str, blocks: str) -> str:
        """The first layers of all scorers. *Shape:* (n_posts, sum of their widths)."""
        products = self.folded.products
        layout = products.layout
        halves = []
        if layout.n_blocks:
            blocks = self.reshape(blocks, [0, layout.n_blocks, layout.block_width])
            widths = [layout.forward_width, layout.block_width - layout.forward_width]
            halves = [
                self.reshape(half, [0, layout.n_blocks * width])
                for half, width in zip(self.split(blocks, widths), widths, strict=True)
            ]
        after = self.node("Add", ["posts", self.constant(numpy.int64(1))])
        sides: List[str] = []
        of_tokens: List[str] = []
        for i, side in enumerate(("posts", after)):
            sides += [self.node("Gather", [half, side]) for half in halves[i : i + 1]]
            if layout.token_width:
                of_tokens.append(self.node("Gather", [tokens, side]))
                sides.append(of_tokens[-1])
        sums = []
        if products.on_fenceposts is not None:
            weight, bias = as_array(products.on_fenceposts.weight), as_array(products.on_fenceposts.bias)
            if self.label_attention is not None:
                bias = bias + weight @ self.bias_of_blocks(self.label_attention.norm)
            product = self.product(weight.T, self.node("Concat", sides, axis=-1), int8=self.int8)
            sums.append(self.node("Add", [product, self.constant(bias.astype("float32"))]))
        if products.on_tokens is not None:
            weight, bias = as_array(products.on_tokens.weight), as_array(products.on_tokens.bias)
            product = self.product(weight.T, self.node("Concat", of_tokens, axis=-1), int8=self.int8)
            sums.append(self.node("Add", [product, self.constant(bias)]))
        return self.node("Concat", sums, axis=-1) if len(sums) > 1 else sums[0]

    def bias_of_blocks(self, norm: StdNorm) -> ndarray:
        """The norm's bias, which every block has, among the features of a fencepost. *Shape:* (layout.width,)."""
        layout, bias = self.folded.products.layout, as_array(norm.bias)
        token = numpy.zeros(layout.token_width)
        halves = bias[: layout.forward_width], bias[layout.forward_width :]
        return numpy.concatenate([part for half in halves for part in (numpy.tile(half, layout.n_blocks), token)])

    def arcs(self, head: str, dependent: str) -> str:
        """Scores of arcs. *Shape:* (batch_size, n_fenceposts, n_fenceposts)."""
        scorer: Any = self.folded.biaffine_scorer
        bilinear = as_array(scorer.arc_bilinear)
        seen = self.product(bilinear[:-1], head, int8=self.int8)
        seen = self.node("Add", [seen, self.constant(bilinear[-1])])
        seen = self.node("Gather", [seen, "unpacked_posts"])
        seen = self.node("Transpose", [seen], perm=[0, 2, 1])
        seen, constant = self.split(seen, [len(bilinear) - 1, 1], axis=1)
        dependent = self.node("Gather", [dependent, "unpacked_posts"])
        return self.node("Add", [self.node("MatMul", [dependent, seen]), constant])

    def split(self, inputs: str, widths: Sequence[int], axis: int = -1) -> List[str]:
        """Parts of an axis, in order."""
        sizes = self.constant(numpy.array(widths, dtype="int64"))
        first = self.node("Split", [inputs, sizes], n_outputs=len(widths), axis=axis)
        return [first, *(f"{first}_{i}" for i in range(1, len(widths)))]

    def reshape(self, inputs: str, shape: Sequence[int]) -> str:
        """Another shape; 0 keeps the size of an axis."""
        return self.node("Reshape", [inputs, self.constant(numpy.array(shape, dtype="int64"))])
