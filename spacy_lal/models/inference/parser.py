"""The parser's network on a CPU, in NumPy: the scores of `layers.parser_network`, but
for rounding. Products of weights alone are computed once. Sentences are packed without
padding: n + 2 positions, n + 1 fenceposts, one sentence after the other."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import (
    Any,
    NamedTuple,
    Optional,
)

import numpy
from numpy import ndarray

from ...layers import configs
from ...layers.input_configs import InputLayerConfig, Vectors
from ...scores import ParserScores
from ..batches import NetworkBatch
from .graph import Product
from .scorers import (
    EPSILON,
    DeprelInference,
    SpanInference,
    Weights,
    part_of,
    slices,
)

# Layers of the scorer of arcs and deprels on fenceposts.
_ARC_LAYERS = ("arc_head", "arc_dependent", "deprel_head", "deprel_dependent")


def has_numpy_form(config: configs.ParserNetworkConfig) -> bool:
    """Whether a network has this form: label attention, or none, right on the sum of
    vectors of words and positions. Other networks run in torch."""
    inputs = config.inputs
    feature, *others = inputs.features
    scorer = config.span_scorer
    reads_vectors_alone = (
        type(inputs) is InputLayerConfig
        and inputs.join == "sum"
        and isinstance(feature, Vectors)
        and feature.mix_layers == 1
        and feature.learned_boundaries
        and not others
        and not config.encoder.layers
    )
    attention = config.label_attention
    attends_to_whole_vectors = attention is None or (
        type(attention) is configs.LabelAttentionConfig
        and config.fenceposts.halves in (None, "label_blocks")
        and not attention.factored
    )
    return (
        reads_vectors_alone
        and attends_to_whole_vectors
        and type(config.biaffine_scorer) in (type(None), configs.BiaffineScorerConfig)
        and (scorer is None or scorer.hidden_width > 1)
    )


class _FirstLayers(NamedTuple):
    """Layers on the same columns of fenceposts, in one product.

    names (List[str]): The layers.
    ends (List[int]): Where their outputs end, but for the last one's.
    first_column (int): Of those that they read."""

    names: list[str]
    ends: list[int]
    first_column: int
    product: Product


class ParserInference:
    """A parser's network on a CPU, for several threads. weights: By their names in
    torch, float32. int8: The first layers of the scorers, arcs and deprels are products
    in 8 bits."""

    def __init__(
        self,
        config: configs.ParserNetworkConfig,
        sizes: configs.ParserSizes,
        weights: Weights,
        *,
        int8: bool = False,
    ) -> None:
        self.int8 = int8
        self.layout = layout = config.layout(config.n_label_heads(sizes))
        self.max_positions = config.inputs.max_positions
        projection = weights["inputs.features.vectors.projection.weight"]
        self.project = Product(projection)
        self.boundaries = weights["inputs.features.vectors.boundaries"]
        self.positions = weights["inputs.positions"]
        self.gain = weights["inputs.norm.gain"]
        self.bias = weights["inputs.norm.bias"]
        self.attention: Optional[_AttentionProducts] = None
        self.halves_gain: Any = layout.scale
        self.halves_bias: Any = 0.0
        if config.label_attention is not None:
            self.attention = _AttentionProducts(weights, config.hidden_width)
            part = part_of(weights, "label_attention")
            self.halves_gain = _tiled(layout, part["norm.gain"] * layout.scale)
            self.halves_bias = _tiled(layout, part["norm.bias"] * layout.scale)
        self.spans: Optional[SpanInference] = None
        self.deprels: Optional[DeprelInference] = None
        layers: dict[str, tuple[ndarray, ndarray]] = {}  # weights and biases
        if config.span_scorer is not None and sizes.n_labels:
            self.spans = SpanInference(config.span_scorer, weights, layout)
            for name, weight in self.spans.projections().items():
                layers[name] = weight, numpy.zeros(len(weight), dtype="float32")
        if config.biaffine_scorer is not None and sizes.n_deprels:
            part = part_of(weights, "biaffine_scorer")
            for name in _ARC_LAYERS:
                layers[name] = part[f"{name}.weight"], part[f"{name}.bias"]
            bilinear = part["arc_bilinear"]
            self.arcs = Product(bilinear[:-1].T, bilinear[-1], 8 if int8 else 32)
            self.deprels = DeprelInference(weights, int8)
        self.first_layers = list(self._joined(layers))

    def _joined(
        self, layers: Mapping[str, tuple[ndarray, ndarray]]
    ) -> Iterator[_FirstLayers]:
        """Layers on whole fenceposts are one product, those on whole tokens another."""
        width = self.layout.width
        firsts = {name: width - layer[0].shape[1] for name, layer in layers.items()}
        for first in dict.fromkeys(firsts.values()):
            names = [name for name in layers if firsts[name] == first]
            weight = numpy.concatenate([layers[name][0] for name in names])
            bias = numpy.concatenate([layers[name][1] for name in names])
            ends = numpy.cumsum([len(layers[name][1]) for name in names])
            inner_ends = ends[:-1].tolist()
            product = Product(weight, bias, 15 if self.int8 else 32)
            yield _FirstLayers(names, inner_ends, first, product)

    # From vectors to fenceposts

    def tokens(
        self, batch: NetworkBatch, indices: Sequence[int], positions: Sequence[slice]
    ) -> ndarray:
        """The input layer. *Shape:* (n_positions, hidden_width).
        positions (Sequence[slice]): Of each sentence, START and STOP included."""
        vectors: Any = batch.vectors  # of START, words and STOP
        width = vectors.data.shape[1]
        packed = numpy.empty((positions[-1].stop, width), dtype="float32")
        for i, place in zip(indices, positions, strict=True):
            packed[place.start], packed[place.stop - 1] = self.boundaries
            packed[place.start + 1 : place.stop - 1] = vectors.data[vectors.rows[i]]
        numbers = [numpy.arange(place.stop - place.start) for place in positions]
        along = numpy.concatenate(numbers) % self.max_positions
        joined = self.positions[along]
        joined += self.project(packed)
        joined -= joined.mean(axis=1, keepdims=True)
        joined /= _deviation(joined)[:, None]
        joined *= self.gain
        joined += self.bias
        return joined

    def features(
        self,
        tokens: ndarray,
        positions: Sequence[slice],
        posts: Sequence[slice],
        attention: Optional["_Attended"],
    ) -> ndarray:
        """Fenceposts. *Shape:* (n_posts, layout.width)."""
        layout = self.layout
        features = numpy.empty((posts[-1].stop, layout.width), dtype="float32")
        n_blocks = layout.n_blocks
        half = layout.forward_width
        forward = features[:, : n_blocks * half]
        backward = features[:, n_blocks * half : layout.halves_width]
        sides = features[:, layout.halves_width :]
        width = layout.token_width
        for k, rows in enumerate(posts):
            of_sentence = tokens[positions[k]]
            sides[rows, :width] = of_sentence[:-1, :width]
            sides[rows, width:] = of_sentence[1:, :width]
            if not n_blocks:
                continue
            shape = (len(of_sentence) - 1, n_blocks, -1)
            first = forward[rows].reshape(shape)
            second = backward[rows].reshape(shape)
            if attention is None:
                blocks = of_sentence.reshape(-1, n_blocks, layout.block_width)
                first[:] = blocks[:-1, :, :half]
                second[:] = blocks[1:, :, half:]
            else:
                blocks, scale = attention.blocks(k, positions[k])
                numpy.multiply(blocks[:-1, :, :half], scale[:-1], out=first)
                numpy.multiply(blocks[1:, :, half:], scale[1:], out=second)
        if n_blocks:
            halves = features[:, : layout.halves_width]
            halves *= self.halves_gain
            halves += self.halves_bias
        return features

    def _encoded(
        self, batch: NetworkBatch, indices: Sequence[int]
    ) -> tuple[ndarray, Optional["_Attended"], list[slice]]:
        """Fenceposts, label attention, and the fenceposts of each sentence."""
        lengths = [batch.features[i].length for i in indices]
        positions = slices([length + 2 for length in lengths])
        posts = slices([length + 1 for length in lengths])
        tokens = self.tokens(batch, indices, positions)
        attended = None
        if self.attention is not None:
            attended = self.attention.attend(tokens, positions)
        return self.features(tokens, positions, posts, attended), attended, posts

    def encode(
        self, batch: NetworkBatch, index: int
    ) -> tuple[ndarray, Optional[ndarray]]:
        """See `models.parser.encode`; the sentence has words."""
        fenceposts, attended, _ = self._encoded(batch, [index])
        return fenceposts, None if attended is None else attended.weights[0].T.copy()

    # Scores

    def scores(self, batch: NetworkBatch, indices: Sequence[int]) -> list[ParserScores]:
        """The scores of some sentences of the batch, none without words."""
        fenceposts, _, posts = self._encoded(batch, indices)
        outputs = self._first_outputs(fenceposts)
        seen = None if self.deprels is None else self.arcs(outputs["arc_head"])
        scores: list[ParserScores] = []
        for rows in posts:
            n_posts = rows.stop - rows.start
            arcs = numpy.zeros((n_posts, n_posts), dtype="float32")
            deprels = numpy.zeros((n_posts, 0), dtype="float32")
            labels = numpy.zeros((0, 0, 0), dtype="float32")
            ids = None
            if self.deprels is not None and seen is not None:
                arcs = outputs["arc_dependent"][rows] @ seen[rows, :-1].T
                arcs += seen[rows, -1]
                deprels = self.deprels.scores(
                    outputs["deprel_head"][rows], outputs["deprel_dependent"][rows]
                )
            if self.spans is not None:
                labels, ids = self.spans.chart(outputs, rows, batch.pruned)
            scores.append(ParserScores(labels, arcs, deprels, label_ids=ids))
        return scores

    def _first_outputs(self, features: ndarray) -> dict[str, ndarray]:
        """The first layers of the scorers, by name."""
        outputs: dict[str, ndarray] = {}
        for layers in self.first_layers:
            product = layers.product(features[:, layers.first_column :])
            parts = numpy.split(product, layers.ends, axis=1)
            outputs.update(zip(layers.names, parts, strict=True))
        for name in outputs.keys() & set(_ARC_LAYERS):
            numpy.maximum(outputs[name], 0.0, out=outputs[name])
        return outputs


class _Attended(NamedTuple):
    """Label attention over a batch. weights: of each sentence, *shape:* (n + 2,
    n_heads). contexts: *Shape:* (batch_size, n_heads, proj_width). reduced: R x.
    *Shape:* (n_positions, 1 or n_heads, proj_width)."""

    weights: list[ndarray]
    contexts: ndarray
    reduced: ndarray

    def blocks(self, k: int, positions: slice) -> tuple[ndarray, ndarray]:
        """A sentence's blocks before their norm, of mean 0, and the norm's factors.
        *Shapes:* (n + 2, n_heads, proj_width), (n + 2, n_heads, 1)."""
        blocks = self.reduced[positions] + self.contexts[k]
        return blocks, 1.0 / _deviation(blocks)[..., None]


class _AttentionProducts:
    """Label attention: keys folded into queries, values and the norm's mean into the
    projection of the output. One product gives the logits and R x."""

    def __init__(self, weights: Weights, hidden_width: int) -> None:
        part = part_of(weights, "label_attention")
        self.proj_width = len(part["norm.gain"])
        reduce = part["reduce.weight"].reshape(-1, self.proj_width, hidden_width)
        reduce = reduce - reduce.mean(axis=1, keepdims=True)
        query = part["query.all"]
        folded = (part["key.all"] @ query[:, :, None])[..., 0]
        logits = folded * numpy.float32(1.0 / math.sqrt(hidden_width))
        self.n_heads = len(query)
        maps = [logits, reduce.reshape(-1, hidden_width)]
        self.product = Product(numpy.concatenate(maps))
        values = reduce @ part["output.all.weight"]
        # (n_heads, hidden_width, proj_width)
        self.values = part["value.all"] @ values.swapaxes(1, 2)

    def attend(self, tokens: ndarray, positions: Sequence[slice]) -> _Attended:
        """Attend to the words of each sentence. tokens: *Shape:* (n_positions,
        hidden_width)."""
        logits, reduced = numpy.split(self.product(tokens), [self.n_heads], axis=1)
        shape = (len(positions), self.n_heads, tokens.shape[1])
        pooled = numpy.empty(shape, dtype="float32")
        weights = []
        for k, place in enumerate(positions):
            shares = logits[place]
            shares = numpy.exp(shares - shares.max(axis=0))
            shares /= shares.sum(axis=0)
            numpy.matmul(shares.T, tokens[place], out=pooled[k])
            weights.append(shares)
        contexts = (pooled.swapaxes(0, 1) @ self.values).swapaxes(0, 1)
        blocks = reduced.reshape(len(tokens), -1, self.proj_width)
        return _Attended(weights, contexts, blocks)


def _deviation(centred: ndarray) -> ndarray:
    """The norm's divisor of rows of mean 0: the unbiased standard deviation plus
    epsilon."""
    squares = numpy.einsum("...i,...i->...", centred, centred)
    squares /= centred.shape[-1] - 1
    return numpy.sqrt(squares, out=squares) + EPSILON


def _tiled(layout: configs.FencepostLayout, of_block: ndarray) -> ndarray:
    """A number for each feature of a block, for all halves. *Shape:*
    (layout.halves_width,)."""
    halves = of_block[: layout.forward_width], of_block[layout.forward_width :]
    return numpy.concatenate([numpy.tile(half, layout.n_blocks) for half in halves])
