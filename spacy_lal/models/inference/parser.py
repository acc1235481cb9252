"""The parser's network on a CPU, in NumPy: the scores of `layers.parser_network`, but
for rounding. Products of weights alone are computed once. Sentences are packed without
padding: n + 2 positions, n + 1 fenceposts, one sentence after the other."""

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy
from numpy import ndarray

from ...layers import configs
from ...layers.input_configs import InputLayerConfig, Vectors
from ...scores import AnyScores, ParserScores, PrunedScores
from ..batches import NetworkBatch
from .scorers import (
    EPSILON,
    DeprelFeatures,
    DeprelInference,
    Places,
    SpanInference,
    Weights,
    transposed,
)


def has_numpy_form(config: configs.ParserNetworkConfig) -> bool:
    """Whether a network has this form."""
    kinds = config.inputs.features
    attention = config.label_attention
    spans = config.span_scorer
    return (
        len(kinds) == 1
        and type(kinds[0]) is Vectors
        and kinds[0].mix_layers == 1
        and type(config.inputs) is InputLayerConfig
        and not config.encoder.layers
        and type(attention) in (type(None), configs.LabelAttentionConfig)
        and (attention is None or config.fenceposts.halves in (None, "label_blocks"))
        and type(config.biaffine_scorer) in (type(None), configs.BiaffineScorerConfig)
        and (spans is None or spans.hidden_width > 1)
    )


class ParserInference:
    """A parser's network in NumPy, for several threads. weights: By their names in
    torch, float32."""

    def __init__(
        self,
        config: configs.ParserNetworkConfig,
        sizes: configs.ParserSizes,
        weights: Weights,
    ) -> None:
        self.n_label_heads = config.n_label_heads(sizes)
        self.layout = layout = config.layout(self.n_label_heads)
        self.concatenates = config.inputs.join == "concat"
        self.max_positions = config.inputs.max_positions
        self.project = transposed(weights["inputs.features.vectors.projection.weight"])
        self.boundaries: Any = weights.get("inputs.features.vectors.boundaries")
        self.positions = weights["inputs.positions"]
        self.gain = weights["inputs.norm.gain"]
        self.bias = weights["inputs.norm.bias"]
        self.attention: Optional[_LabelAttention] = None
        if config.label_attention is not None:
            self.attention = _LabelAttention(weights, config.hidden_width)
        self.spans: Optional[SpanInference] = None
        self.deprels: Optional[DeprelInference] = None
        layers: List[Tuple[ndarray, ndarray]] = []
        if config.span_scorer is not None and sizes.n_labels:
            self.spans = SpanInference(config.span_scorer, weights, layout)
            layers += [
                (part, numpy.zeros(len(part), dtype="float32"))
                for part in self.spans.take_projections()
            ]
        if config.biaffine_scorer is not None and sizes.n_deprels:
            names = [
                f"biaffine_scorer.{name}"
                for name in (
                    "arc_head",
                    "arc_dependent",
                    "deprel_head",
                    "deprel_dependent",
                )
            ]
            pairs = [
                (weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in names
            ]
            layers += pairs
            self.arcs = weights["biaffine_scorer.arc_bilinear"]
            self.deprels = DeprelInference(weights)
        # layers on whole fenceposts are one product, those on whole tokens another
        self.products: List[
            Tuple[List[int], List[int], int, Tuple[ndarray, ndarray]]
        ] = []
        for first in {layout.width - len(weight[0]): None for weight, _ in layers}:
            numbers = [
                i
                for i, (weight, _) in enumerate(layers)
                if layout.width - len(weight[0]) == first
            ]
            chosen = [layers[i] for i in numbers]
            ends = numpy.cumsum([len(bias) for _, bias in chosen])[:-1].tolist()
            self.products.append((numbers, ends, first, self._folded(chosen, first)))

    def _folded(
        self, layers: List[Tuple[ndarray, ndarray]], first: int
    ) -> Tuple[ndarray, ndarray]:
        """Layers on fenceposts from a column on as one, with the gain and the bias of
        label attention's norm and the scale of halves in it. *Shapes:* (width - first,
        n_out), (n_out,)."""
        bias = numpy.concatenate([one[1] for one in layers])
        folded = numpy.empty((layers[0][0].shape[1], len(bias)), dtype="float32")
        at = 0
        for weight, _ in layers:
            folded[:, at : at + len(weight)] = weight.T
            at += len(weight)
        if not first and self.layout.halves_width:
            halves = folded[: self.layout.halves_width]
            gain = numpy.ones(self.layout.block_width, dtype="float32")
            if self.attention is not None:
                gain = self.attention.gain
                bias = (
                    bias
                    + _tiled(self.layout, self.attention.bias * self.layout.scale)
                    @ halves
                )
            halves *= _tiled(self.layout, gain * self.layout.scale)[:, None]
        return folded, bias

    # From vectors to fenceposts

    def tokens(
        self, batch: NetworkBatch, indices: Sequence[int], places: Places
    ) -> ndarray:
        """The input layer. *Shape:* (n_positions, hidden_width)."""
        vectors: Any = batch.vectors  # of START, words and STOP
        data = numpy.asarray(vectors.data)
        given = vectors.rows
        if vectors.has_boundaries:
            packed = data[numpy.concatenate([given[i] for i in indices])]
        else:
            packed = numpy.empty((places.positions[-1], data.shape[1]), dtype="float32")
            for i, (_, positions, _) in zip(indices, iter(places), strict=True):
                packed[positions.start], packed[positions.stop - 1] = self.boundaries
                packed[positions.start + 1 : positions.stop - 1] = data[given[i]]
        content = packed @ self.project
        along = numpy.concatenate(
            [numpy.arange(length + 2) for length in places.lengths]
        )
        rows = self.positions[along % self.max_positions]
        joined = (
            numpy.concatenate([content, rows], axis=1)
            if self.concatenates
            else numpy.add(content, rows, out=rows)
        )
        joined -= joined.mean(axis=1, keepdims=True)
        joined /= _deviation(joined)[:, None]
        joined *= self.gain
        joined += self.bias
        return joined

    def features(
        self, tokens: ndarray, places: Places, attention: Optional["_Attended"]
    ) -> ndarray:
        """Fenceposts but for the norm's gain and bias and the scale of halves. *Shape:*
        (n_posts, layout.width)."""
        layout = self.layout
        features = numpy.empty((places.posts[-1], layout.width), dtype="float32")
        n_blocks = layout.n_blocks
        half = layout.forward_width
        forward, backward = numpy.split(
            features[:, : layout.halves_width], [n_blocks * half], axis=1
        )
        for k, positions, posts in places:
            of_sentence = tokens[positions]
            if n_blocks:
                shape = (len(of_sentence) - 1, n_blocks, -1)
                first = forward[posts].reshape(shape)
                second = backward[posts].reshape(shape)
                if attention is None:
                    blocks = of_sentence.reshape(-1, n_blocks, layout.block_width)
                    first[:] = blocks[:-1, :, :half]
                    second[:] = blocks[1:, :, half:]
                else:
                    blocks, scale = attention.blocks(k, positions)
                    numpy.multiply(blocks[:-1, :, :half], scale[:-1], out=first)
                    numpy.multiply(blocks[1:, :, half:], scale[1:], out=second)
            if layout.token_width:
                sides = features[posts, layout.halves_width :]
                sides[:, : layout.token_width] = of_sentence[:-1]
                sides[:, layout.token_width :] = of_sentence[1:]
        return features

    def encode(
        self, batch: NetworkBatch, index: int
    ) -> Tuple[ndarray, Optional[ndarray]]:
        """See `models.parser.encode`; the sentence has words."""
        places = Places.of([batch.features[index].length])
        tokens = self.tokens(batch, [index], places)
        attention = (
            self.attention.attend(tokens, places)
            if self.attention is not None
            else None
        )
        fenceposts = self.features(tokens, places, attention)
        halves = fenceposts[:, : self.layout.halves_width]
        if attention is not None and self.attention is not None:
            halves *= _tiled(self.layout, self.attention.gain)
            halves += _tiled(self.layout, self.attention.bias)
        halves *= self.layout.scale
        return fenceposts, None if attention is None else attention.weights[0].T.copy()

    # Scores

    def scores(self, batch: NetworkBatch, indices: Sequence[int]) -> List[AnyScores]:
        """The scores of some sentences of the batch, none without words."""
        pruned = batch.pruned
        places = Places.of([batch.features[i].length for i in indices])
        tokens = self.tokens(batch, indices, places)
        attention = (
            self.attention.attend(tokens, places)
            if self.attention is not None
            else None
        )
        features = self.features(tokens, places, attention)
        spans, pairs = self._layers(features)
        features_of_deprels = None
        seen = None
        if self.deprels is not None:
            arc_head, arc_dependent, head, dependent = pairs
            seen = arc_head @ self.arcs[:-1] + self.arcs[-1]
            features_of_deprels = DeprelFeatures(
                self.deprels, head, dependent, numpy.array(places.posts)
            )
        charts = (
            self.spans.charts(spans, places, pruned) if self.spans is not None else None
        )
        scores: List[AnyScores] = []
        no_chart = (
            numpy.zeros((0, 0, 3), dtype="float32"),
            numpy.zeros((0, 0), dtype="int16"),
        )
        for k, _, posts in places:
            side = posts.stop - posts.start
            arcs = numpy.zeros((side, side), dtype="float32")
            if seen is not None:
                arcs = arc_dependent[posts] @ seen[posts, :-1].T
                arcs += seen[posts, -1]
            if pruned:
                labels, ids = charts[k] if charts is not None else no_chart
                scores.append(PrunedScores(labels, ids, arcs, features_of_deprels, k))
                continue
            labels = (
                charts[k][0]
                if charts is not None
                else numpy.zeros((0, 0, 0), dtype="float32")
            )
            deprels = numpy.zeros((side, 0), dtype="float32")
            if self.deprels is not None:
                deprels = self.deprels.scores(head[posts], dependent[posts])
            scores.append(ParserScores(labels, arcs, deprels))
        return scores

    def _layers(self, features: ndarray) -> Tuple[List[ndarray], List[ndarray]]:
        """The first layers of the scorers: the span scorer's projections; then of arcs
        and deprels."""
        found: Dict[int, ndarray] = {}
        for numbers, ends, first, (weight, bias) in self.products:
            product = features[:, first:] @ weight
            product += bias
            found.update(zip(numbers, numpy.split(product, ends, axis=1), strict=True))
        outputs = [found[i] for i in range(len(found))]
        n_spans = len(outputs) - (4 if self.deprels is not None else 0)
        return outputs[:n_spans], [
            numpy.maximum(one, 0.0, out=one) for one in outputs[n_spans:]
        ]


class _Attended(NamedTuple):
    """Label attention over a batch. weights: of each sentence, *shape:* (n + 2,
    n_heads). contexts: *Shape:* (batch_size, n_heads, proj_width). reduced: R x.
    *Shape:* (n_positions, 1 or n_heads, proj_width)."""

    weights: List[ndarray]
    contexts: ndarray
    reduced: ndarray

    def blocks(self, k: int, positions: slice) -> Tuple[ndarray, ndarray]:
        """A sentence's blocks before their norm, of mean 0, and the norm's factors.
        *Shapes:* (n + 2, n_heads, proj_width), (n + 2, n_heads, 1)."""
        blocks = self.reduced[positions] + self.contexts[k]
        return blocks, 1.0 / _deviation(blocks)[..., None]


class _LabelAttention:
    """Label attention: keys folded into queries, values and the norm's mean into the
    projection of the output."""

    def __init__(self, weights: Weights, hidden_width: int) -> None:
        self.gain = weights["label_attention.norm.gain"]
        self.bias = weights["label_attention.norm.bias"]
        names = (
            ("content", "position")
            if "label_attention.query.content" in weights
            else ("all",)
        )
        reduce = weights["label_attention.reduce.weight"].reshape(
            -1, len(self.gain), hidden_width
        )
        reduce = reduce - reduce.mean(axis=1, keepdims=True)
        keys = []
        values = []
        first = 0
        for name in names:
            query, key, value = (
                weights[f"label_attention.{kind}.{name}"]
                for kind in ("query", "key", "value")
            )
            narrow = (
                reduce[:, :, first : first + key.shape[1]]
                @ weights[f"label_attention.output.{name}.weight"]
            )
            keys.append((key @ query[:, :, None])[..., 0])
            values.append(value @ narrow.swapaxes(1, 2))
            first += key.shape[1]
        self.keys = transposed(
            numpy.concatenate(keys, axis=1) / math.sqrt(hidden_width)
        ).astype("float32")
        self.values = numpy.ascontiguousarray(
            numpy.concatenate(values, axis=1)
        )  # (n_heads, hidden_width, proj_width)
        self.reduce = transposed(reduce.reshape(-1, hidden_width))

    def attend(self, tokens: ndarray, places: Places) -> _Attended:
        """Attend to the words of each sentence. tokens: *Shape:* (n_positions,
        hidden_width)."""
        logits = tokens @ self.keys
        weights = []
        pooled = numpy.empty(
            (len(places.lengths), logits.shape[1], tokens.shape[1]), dtype="float32"
        )
        for k, positions, _ in places:
            one = logits[positions]
            one = numpy.exp(one - one.max(axis=0))
            one /= one.sum(axis=0)
            numpy.matmul(one.T, tokens[positions], out=pooled[k])
            weights.append(one)
        contexts = (pooled.swapaxes(0, 1) @ self.values).swapaxes(0, 1)
        return _Attended(
            weights,
            contexts,
            (tokens @ self.reduce).reshape(len(tokens), -1, len(self.gain)),
        )


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
