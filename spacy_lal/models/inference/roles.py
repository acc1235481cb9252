"""The network of semantic roles on a CPU, in NumPy: the scores of
`layers.roles_network`, but for rounding. Words are packed without padding, one sentence
after the other. *Not* here: the syntax head, BIO tags, the timing signal."""

import math
from copy import copy
from typing import Any, List, Mapping, Optional, Sequence, Tuple

import numpy
from numpy import ndarray
from thinc.api import NumpyOps

from ...layers.pair_features import ParseArrays, find_candidates
from ...layers.roles_configs import RolesNetworkConfig, RolesSizes, SpanRoleScorerConfig
from ...scores import RoleScores
from ..batches import RolesBatch

Weights = Mapping[str, ndarray]
SLOPE = 0.1  # of the leaky ReLU below zero
NORM_EPSILON = 1e-6
_MAX_PAIRS = 8192  # that are scored at once
_OPS = NumpyOps()


def has_numpy_form(config: RolesNetworkConfig) -> bool:
    """Whether a network has this form."""
    return (
        config.syntax.heads == "none"
        and config.with_spans
        and not config.encoder.timing
    )


class _Linear:
    """x @ W^T + b, from the weights `NAME.weight` and, if there is one, `NAME.bias`."""

    def __init__(self, weights: Weights, name: str) -> None:
        self.weight = numpy.ascontiguousarray(weights[f"{name}.weight"].T)
        self.bias: Any = weights.get(f"{name}.bias")

    def part(self, outputs: slice) -> "_Linear":
        """The map to some of its outputs."""
        part = copy(self)
        part.weight = numpy.ascontiguousarray(self.weight[:, outputs])
        part.bias = self.bias[outputs]
        return part

    def __call__(self, inputs: ndarray) -> ndarray:
        product = inputs @ self.weight
        if self.bias is not None:
            product += self.bias
        return product


class _Norm:
    def __init__(self, weights: Weights, name: str) -> None:
        self.gain = weights[f"{name}.weight"]
        self.bias = weights[f"{name}.bias"]

    def __call__(self, inputs: ndarray) -> ndarray:
        normed = inputs - inputs.mean(axis=-1, keepdims=True)
        variance = numpy.einsum("ij,ij->i", normed, normed) / normed.shape[1]
        normed /= numpy.sqrt(variance + NORM_EPSILON)[:, None]
        normed *= self.gain
        normed += self.bias
        return normed


class _Layer:
    """Attention and a feed-forward network. Each adds its output to its normalised
    input."""

    def __init__(
        self, weights: Weights, name: str, n_heads: int, head_width: int
    ) -> None:
        self.n_heads = n_heads
        self.head_width = head_width
        self.norms = (
            _Norm(weights, f"{name}.attention_norm"),
            _Norm(weights, f"{name}.ff_norm"),
        )
        self.qkv = _Linear(weights, f"{name}.attention.qkv")
        self.output = _Linear(weights, f"{name}.attention.output")
        self.maps = [
            _Linear(weights, f"{name}.feed_forward.maps.{i}") for i in range(3)
        ]

    def __call__(self, inputs: ndarray, sentences: Sequence[slice]) -> ndarray:
        """*Shapes:* (n_words, hidden_width) to the same."""
        normed = self.norms[0](inputs)
        heads = self.qkv(normed).reshape(len(inputs), 3, self.n_heads, self.head_width)
        context = numpy.empty(
            (len(inputs), self.n_heads, self.head_width), dtype="float32"
        )
        for words in sentences:
            query, key, value = heads[words].transpose(1, 2, 0, 3)
            logits = (query * self.head_width**-0.5) @ key.swapaxes(1, 2)
            context[words] = (_softmax(logits) @ value).swapaxes(0, 1)
        normed = self.norms[1](normed + self.output(context.reshape(len(inputs), -1)))
        hidden = normed
        for one in self.maps[:-1]:
            hidden = _leaky_relu(one(hidden))
        return normed + self.maps[-1](hidden)


class RolesInference:
    """The network of semantic roles in NumPy, for several threads. weights (Weights):
    By their torch names, float32."""

    def __init__(
        self, config: RolesNetworkConfig, sizes: RolesSizes, weights: Weights
    ) -> None:
        self.config = config
        self.sizes = sizes
        encoder = config.encoder
        self.inputs = _Linear(weights, "inputs.projection")
        self.layers = [
            _Layer(weights, f"layers.{i}", encoder.n_heads, encoder.head_width)
            for i in range(encoder.n_layers)
        ]
        used = {config.predicate_scorer.layer, encoder.n_layers - 1}
        self.task_norms = {i: _Norm(weights, f"task_norms.{i}") for i in used}
        self.predicates = (
            _Linear(weights, "predicate_scorer.hidden"),
            _Linear(weights, "predicate_scorer.output"),
        )
        self.spans = _Spans(config.role_scorer, weights)  # type: ignore[arg-type]
        self.rolesets: Optional[_Linear] = None
        if config.roleset_scorer is not None and sizes.n_rolesets:
            self.rolesets = _Linear(weights, "roleset_scorer.output")

    def scores(self, batch: RolesBatch, indices: Sequence[int]) -> List[RoleScores]:
        """The scores of some sentences of the batch, none without words."""
        rows = [batch.vectors.rows[i] for i in indices]
        parses = batch.parses or []
        ends = numpy.cumsum([len(one) for one in rows]).tolist()
        sentences = [
            slice(end - len(one), end) for one, end in zip(rows, ends, strict=True)
        ]
        vectors = numpy.asarray(batch.vectors.data)[numpy.concatenate(rows)]
        positions, predicates = self._encode(vectors, sentences)
        probabilities = _softmax(predicates)[:, self.sizes.n_other_labels :].sum(axis=1)
        self_features = self.spans.features(vectors, positions)
        scores = []
        for i, words in zip(indices, sentences, strict=True):
            chosen = (probabilities[words] >= batch.threshold).nonzero()[0]
            if batch.predicates is not None:
                chosen = numpy.asarray(batch.predicates[i], dtype="int64")
            features = [one[words] for one in self_features]
            of_predicates, spans, ranges = self.spans.score(features, chosen, parses[i])
            scores.append(
                RoleScores(
                    predicates=predicates[words],
                    rows=chosen,
                    tags=None,
                    rolesets=None
                    if self.rolesets is None
                    else self.rolesets(of_predicates),
                    spans=spans,
                    ranges=ranges,
                )
            )
        return scores

    def _encode(
        self, vectors: ndarray, sentences: Sequence[slice]
    ) -> Tuple[ndarray, ndarray]:
        """The output of the layers, *shape:* (n_words, hidden_width), and the scores of
        predicates, *shape:* (n_words, n_predicate_labels)."""
        positions = _leaky_relu(self.inputs(vectors))
        predicates = positions
        for i, layer in enumerate(self.layers):
            positions = layer(positions, sentences)
            if i in self.task_norms:
                positions = self.task_norms[i](positions)
            if i == self.config.predicate_scorer.layer:
                predicates = self.predicates[1](
                    _leaky_relu(self.predicates[0](positions))
                )
        return positions, predicates


class _Spans:
    def __init__(self, config: SpanRoleScorerConfig, weights: Weights) -> None:
        self.config = config
        self.table = weights["role_scorer.table.weight"]
        names = (
            "vectors",
            "predicate",
            "places",
            "product",
            "hidden",
            "output",
            "features",
            "of_product",
        )
        parts = [_Linear(weights, f"role_scorer.{name}") for name in names]
        (
            self.vectors,
            self.predicate,
            self.places,
            self.product,
            self.hidden,
            self.output,
        ) = parts[:6]
        width, of_features, of_product = config.hidden_width, *parts[6:]
        self.of_predicate = self.places.part(
            slice(width)
        )  # places of predicates are read of predicates alone
        self.places = self.places.part(slice(width, None))
        self.pair = numpy.concatenate([of_features.weight, of_product.weight])
        self.pair_bias: ndarray = of_features.bias + of_product.bias

    def features(self, vectors: ndarray, positions: ndarray) -> Tuple[ndarray, ...]:
        """Words as the scorer reads them, in each place of a candidate, and as factors
        of products. *Shapes:* (n_words, width), (n_words, n_places, hidden_width),
        (n_words, 2, product_width)."""
        words = numpy.concatenate([_gelu(self.vectors(vectors)), positions], axis=1)
        places = self.places(words).reshape(len(words), -1, self.config.hidden_width)
        return words, places, self.product(words).reshape(len(words), 2, -1)

    def score(
        self, features: Sequence[ndarray], chosen: ndarray, parse: ParseArrays
    ) -> Tuple[ndarray, ...]:
        """The vectors of a sentence's predicates, *shape:* (F, predicate_width), the
        scores of its candidates, *shape:* (F, n_candidates, 1 + n_roles), and the
        candidates, *shape:* (n_candidates, 2)."""
        words, places, products = features
        found = find_candidates(parse, chosen, self.config.n_rows)
        starts, ends = found.ranges[:, 0], found.ranges[:, 1]
        spans = numpy.full(
            (len(chosen), len(starts), len(self.output.bias)),
            -numpy.inf,
            dtype="float32",
        )
        spans[..., 0] = 0.0
        if len(chosen):
            nothing = numpy.zeros((1, *places.shape[1:]), dtype="float32")
            padded = numpy.concatenate(
                [places, nothing]
            )  # the last row stands before and after the sentence
            # head, first, last, previous and next word of a candidate
            at = (
                found.heads,
                starts,
                ends - 1,
                starts - 1,
                numpy.where(ends < len(places), ends, -1),
            )
            of_candidates = (
                sum(padded[word, k] for k, word in enumerate(at)) + self.pair_bias
            )
            of_predicates = self.of_predicate(words[chosen])
            free = (chosen[:, None] < starts) | (chosen[:, None] >= ends)
            rows, columns = free.nonzero()
            for first in range(0, len(rows), _MAX_PAIRS):
                f = rows[first : first + _MAX_PAIRS]
                c = columns[first : first + _MAX_PAIRS]
                of_features = _OPS.gather_add(
                    self.table, found.features[f, c].astype("uint32")
                )  # type: ignore
                product = products[chosen[f], 0] * products[found.heads[c], 1]
                hidden = numpy.concatenate([of_features, product], axis=1) @ self.pair
                hidden += of_candidates[c]
                hidden += of_predicates[f]
                hidden = _gelu(hidden)
                spans[f, c] = self.output(hidden + _gelu(self.hidden(hidden)))
        return _gelu(self.predicate(words[chosen])), spans, found.ranges


def _softmax(logits: ndarray) -> ndarray:
    shares = numpy.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares


def _leaky_relu(values: ndarray) -> ndarray:
    return numpy.maximum(values, values * numpy.float32(SLOPE))


def _gelu(values: ndarray) -> ndarray:
    """x Phi(x) = max(x, 0) - |x| Phi(-|x|); Phi after Abramowitz and Stegun, 7.1.26,
    with an error below 1e-7."""
    size = numpy.abs(values)
    t = size * numpy.float32(0.3275911 * math.sqrt(0.5))
    t += numpy.float32(1.0)
    numpy.reciprocal(t, out=t)
    tail = t * numpy.float32(0.5 * 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += numpy.float32(0.5 * factor)
        tail *= t
    tail *= size
    size *= size
    size *= numpy.float32(-0.5)
    tail *= numpy.exp(size, out=size)
    return numpy.subtract(numpy.maximum(values, 0.0, out=t), tail, out=t)
