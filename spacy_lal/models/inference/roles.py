"""The network of semantic roles on a CPU: the scores of `layers.roles_network`, but for
rounding. Products of weights run in ONNX Runtime, which packs them once; all else is
NumPy. Words are packed without padding, one sentence after the other. *Not* here: the
syntax head, BIO tags, the timing signal."""

from collections.abc import Iterator, Sequence
from typing import (
    NamedTuple,
    Optional,
    cast,
)

import numpy
from numpy import ndarray
from thinc.api import NumpyOps

from ...layers.pair_features import Candidates, ParseArrays, find_candidates
from ...layers.roles_configs import RolesNetworkConfig, RolesSizes, SpanRoleScorerConfig
from ...scores import RoleScores
from ..batches import RolesBatch
from .graph import Bits, Graph, Run
from .scorers import Weights, slices

SLOPE = 0.1  # of the leaky ReLU below zero
NORM_EPSILON = 1e-6
_MAX_PAIRS = 2048  # that are scored at once: they stay near a core's cache
_OPS = NumpyOps()
_N_PLACES = 5  # head, first, last, previous and next word of a candidate


def has_numpy_form(config: RolesNetworkConfig) -> bool:
    """Whether a network has this form."""
    return (
        config.syntax.heads == "none"
        and config.with_spans
        and not config.encoder.timing
    )


class _Net(Graph):
    """A graph of parts of the network, by the names of their weights. All arrays have a
    row for each word, predicate or pair."""

    def __init__(self, weights: Weights, int8: bool) -> None:
        super().__init__()
        self.weights = weights
        self.bits: Bits = 8 if int8 else 32

    def mapped(self, name: str, inputs: str, columns: slice = slice(None)) -> str:
        """The map `name`, or the map to some of its outputs."""
        weight = self.weights[f"{name}.weight"][columns]
        bias = self.weights.get(f"{name}.bias")
        if bias is not None:
            bias = bias[columns]
        return self.affine(inputs, weight, bias, self.bits)

    def leaky(self, name: str, inputs: str) -> str:
        """The map `name`, then a leaky ReLU."""
        return self.node("LeakyRelu", [self.mapped(name, inputs)], alpha=SLOPE)

    def gelu(self, inputs: str) -> str:
        """x Phi(x)."""
        return self.contrib("Gelu", [inputs])

    def norm(self, name: str, inputs: str) -> str:
        """The layer norm `name`."""
        gain = self.constant(self.weights[f"{name}.weight"])
        bias = self.constant(self.weights[f"{name}.bias"])
        operands = [inputs, gain, bias]
        return self.node("LayerNormalization", operands, epsilon=NORM_EPSILON)

    def after_attention(self, layer: str, normed: str, context: str) -> str:
        """The end of a layer: both of its parts add their output to their normalised
        input."""
        attended = self.mapped(f"{layer}.attention.output", context)
        normed = self.norm(f"{layer}.ff_norm", self.node("Add", [normed, attended]))
        hidden = self.leaky(f"{layer}.feed_forward.maps.0", normed)
        hidden = self.leaky(f"{layer}.feed_forward.maps.1", hidden)
        hidden = self.mapped(f"{layer}.feed_forward.maps.2", hidden)
        return self.node("Add", [normed, hidden])


class RolesInference:
    """The network of semantic roles in NumPy and ONNX Runtime, for several threads.
    weights (Weights): By their torch names, float32. int8 (bool): Multiply in 8
    bits."""

    def __init__(
        self,
        config: RolesNetworkConfig,
        sizes: RolesSizes,
        weights: Weights,
        *,
        int8: bool = False,
    ) -> None:
        self.config = config
        self.sizes = sizes
        self.stages = list(_make_stages(config, weights, int8))
        self.spans = _Spans(config, sizes, weights, int8)

    def scores(self, batch: RolesBatch, indices: Sequence[int]) -> list[RoleScores]:
        """The scores of some sentences of the batch, none without words."""
        rows = [batch.vectors.rows[i] for i in indices]
        sentences = slices([len(of_words) for of_words in rows])
        vectors = batch.vectors.data[numpy.concatenate(rows)]
        encoded = self._encode(vectors, sentences)
        if batch.predicates is None:
            n_others = self.sizes.n_other_labels
            shares = _softmax(encoded["predicates"])[:, n_others:].sum(axis=1)
            is_predicate = shares >= batch.threshold
            chosen = [is_predicate[words].nonzero()[0] for words in sentences]
        else:
            of_sentences = [batch.predicates[i] for i in indices]
            chosen = [numpy.asarray(one, dtype="int64") for one in of_sentences]
        parses = [batch.parses[i] for i in indices]  # type: ignore[index]
        return list(self.spans.score(encoded, sentences, chosen, parses))

    def _encode(
        self, vectors: ndarray, sentences: Sequence[slice]
    ) -> dict[str, ndarray]:
        """What `_make_stages` names: `predicates`, their scores, and what candidates
        are scored from."""
        first, *others = self.stages
        outputs = first(vectors=vectors)
        for stage in others:
            context = self._attend(outputs["qkv"], sentences)
            inputs = {"normed": outputs["normed"], "context": context}
            if stage is self.stages[-1]:
                inputs["vectors"] = vectors
            outputs.update(stage(**inputs))
        return outputs

    def _attend(self, qkv: ndarray, sentences: Sequence[slice]) -> ndarray:
        """*Shapes:* (n_words, 3 * width of all heads) to (n_words, width of all
        heads)."""
        encoder = self.config.encoder
        heads = qkv.reshape(len(qkv), 3, encoder.n_heads, encoder.head_width)
        context = numpy.empty_like(heads[:, 0], dtype="float32")
        scale = encoder.head_width**-0.5
        for words in sentences:
            query, key, value = heads[words].transpose(1, 2, 0, 3)
            logits = (query * scale) @ key.swapaxes(1, 2)
            shares = _softmax(logits)
            values = shares @ value
            context[words] = values.swapaxes(0, 1)
        return context.reshape(len(qkv), -1)


def _make_stages(
    config: RolesNetworkConfig, weights: Weights, int8: bool
) -> Iterator[Run]:
    """The network up to the first attention, between two attentions, and after the last
    one."""
    net = _Net(weights, int8)
    inputs = ["vectors"]
    positions = net.leaky("inputs.projection", "vectors")
    outputs: dict[str, str] = {}
    n_layers = config.encoder.n_layers
    for i in range(n_layers):
        outputs["normed"] = net.norm(f"layers.{i}.attention_norm", positions)
        outputs["qkv"] = net.mapped(f"layers.{i}.attention.qkv", outputs["normed"])
        yield net.compile(inputs, outputs)
        net = _Net(weights, int8)
        inputs = ["normed", "context"]
        outputs = {}
        positions = net.after_attention(f"layers.{i}", *inputs)
        if i in (config.predicate_scorer.layer, n_layers - 1):
            positions = net.norm(f"task_norms.{i}", positions)
        if i == config.predicate_scorer.layer:
            hidden = net.leaky("predicate_scorer.hidden", positions)
            outputs["predicates"] = net.mapped("predicate_scorer.output", hidden)
    mapped = net.gelu(net.mapped("role_scorer.vectors", "vectors"))
    words = net.node("Concat", [mapped, positions], axis=1)
    # places of predicates are read of predicates alone
    others = slice(config.role_scorer.hidden_width, None)  # type: ignore[union-attr]
    outputs["words"] = words
    outputs["places"] = net.mapped("role_scorer.places", words, others)
    outputs["products"] = net.mapped("role_scorer.product", words)
    yield net.compile([*inputs, "vectors"], outputs)


class _Spans:
    """The scorer of roles of candidates."""

    def __init__(
        self,
        config: RolesNetworkConfig,
        sizes: RolesSizes,
        weights: Weights,
        int8: bool,
    ) -> None:
        scorer = cast(SpanRoleScorerConfig, config.role_scorer)
        self.n_rows = scorer.n_rows
        self.width = scorer.hidden_width
        self.table = weights["role_scorer.table.weight"]
        self.n_outputs = len(weights["role_scorer.output.bias"])
        self.has_rolesets = config.roleset_scorer is not None and sizes.n_rolesets > 0
        net = _Net(weights, int8)
        of_places = slice(self.width)
        outputs = {"hidden": net.mapped("role_scorer.places", "words", of_places)}
        if self.has_rolesets:
            vectors = net.gelu(net.mapped("role_scorer.predicate", "words"))
            outputs["rolesets"] = net.mapped("roleset_scorer.output", vectors)
        self.of_predicates = net.compile(["words"], outputs)
        net = _Net(weights, int8)
        of_features = net.mapped("role_scorer.features", "features")
        of_product = net.mapped("role_scorer.of_product", "product")
        summed = net.node("Sum", [of_features, of_product, "others"])
        hidden = net.gelu(summed)
        second = net.gelu(net.mapped("role_scorer.hidden", hidden))
        scores = net.mapped("role_scorer.output", net.node("Add", [hidden, second]))
        inputs = ["features", "product", "others"]
        self.of_pairs = net.compile(inputs, {"scores": scores})

    def score(
        self,
        encoded: dict[str, ndarray],
        sentences: Sequence[slice],
        predicates: Sequence[ndarray],
        parses: Sequence[ParseArrays],
    ) -> Iterator[RoleScores]:
        """The scores of sentences that are packed one after the other. predicates: The
        words of each sentence that are predicates."""
        of_candidates = [
            find_candidates(parse, rows, self.n_rows)
            for parse, rows in zip(parses, predicates, strict=True)
        ]
        batch = _BatchPairs.of(sentences, predicates, of_candidates)
        of_predicates = self.of_predicates(words=encoded["words"][batch.predicates])
        scores = self._score_pairs(encoded, of_predicates["hidden"], batch)
        of_sentences = numpy.split(
            scores, _ends([candidates.pairs for candidates in of_candidates])
        )
        rolesets: Sequence[Optional[ndarray]] = [None] * len(of_candidates)
        if self.has_rolesets:
            rolesets = numpy.split(of_predicates["rolesets"], _ends(predicates))
        for k, candidates in enumerate(of_candidates):
            shape = (len(predicates[k]), len(candidates.ranges), self.n_outputs)
            spans = numpy.full(shape, -numpy.inf, dtype="float32")
            spans[..., 0] = 0.0
            spans[tuple(candidates.pairs.T)] = of_sentences[k]
            yield RoleScores(
                predicates=encoded["predicates"][sentences[k]],
                rows=predicates[k],
                rolesets=rolesets[k],
                spans=spans,
                ranges=candidates.ranges,
            )

    def _score_pairs(
        self, encoded: dict[str, ndarray], of_predicates: ndarray, batch: "_BatchPairs"
    ) -> ndarray:
        """*Shape:* (n_pairs, 1 + n_roles)."""
        places = encoded["places"].reshape(-1, _N_PLACES, self.width)
        nothing = numpy.zeros((1, *places.shape[1:]), dtype="float32")
        padded = numpy.concatenate([places, nothing])
        of_candidates = sum(padded[word, k] for k, word in enumerate(batch.places))
        factors = encoded["products"].reshape(len(places), 2, -1)
        of_predicate = factors[batch.predicates, 0]
        of_head = factors[batch.places[0], 1]
        scores = numpy.empty((len(batch.pairs), self.n_outputs), dtype="float32")
        for first in range(0, len(scores), _MAX_PAIRS):
            chunk = slice(first, first + _MAX_PAIRS)
            f, c = batch.pairs[chunk].T
            rows = batch.features[chunk].astype("uint32")
            outputs = self.of_pairs(
                features=_OPS.gather_add(self.table, rows),  # type: ignore[arg-type]
                product=of_predicate[f] * of_head[c],
                others=of_predicates[f] + of_candidates[c],
            )
            scores[chunk] = outputs["scores"]
        return scores


class _BatchPairs(NamedTuple):
    """The candidates of all sentences of a batch, one after the other, whose words are
    packed.

    predicates: Words. *Shape:* (n_predicates,).
    places: Head, first, last, previous and next word of each candidate, -1 for none.
        *Shape:* (_N_PLACES, n_candidates).
    pairs: Numbers of predicates and candidates. *Shape:* (n_pairs, 2).
    features: *Shape:* (n_pairs, N_FEATURES)."""

    predicates: ndarray
    places: ndarray
    pairs: ndarray
    features: ndarray

    @classmethod
    def of(
        cls,
        sentences: Sequence[slice],
        predicates: Sequence[ndarray],
        of_sentences: Sequence[Candidates],
    ) -> "_BatchPairs":
        """Join the candidates of sentences."""
        places, pairs, words = [], [], []
        before = numpy.zeros(2, dtype="int64")  # predicates and candidates
        for sentence, rows, candidates in zip(
            sentences, predicates, of_sentences, strict=True
        ):
            starts, ends = candidates.ranges.T
            n_words = sentence.stop - sentence.start
            next_words = numpy.where(ends < n_words, ends, -1)
            at = numpy.stack(
                [candidates.heads, starts, ends - 1, starts - 1, next_words]
            )
            places.append(numpy.where(at < 0, -1, at + sentence.start))
            pairs.append(candidates.pairs + before)
            words.append(rows + sentence.start)
            before += (len(rows), len(starts))
        return cls(
            predicates=numpy.concatenate(words),
            places=numpy.concatenate(places, axis=1),
            pairs=numpy.concatenate(pairs),
            features=numpy.concatenate(
                [candidates.features for candidates in of_sentences]
            ),
        )


def _ends(arrays: Sequence[ndarray]) -> ndarray:
    """Where arrays that were joined are cut again."""
    return numpy.cumsum([len(array) for array in arrays])[:-1]


def _softmax(logits: ndarray) -> ndarray:
    shares = numpy.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares
