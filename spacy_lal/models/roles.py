"""`spacy-lal.RolesModel.v1`: semantic roles (LISA, Strubell et al. 2018) as a thinc
model, from Docs to `RoleScores`. Layers and protocol are the parser's (`parser.py`),
with `get_shim(model).set_sizes({"n_tags": ..., ...})`, and
`begin_update(model, docs, golds)` to learn."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import (
    Any,
    Optional,
    Union,
)

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import (
    Sentences,
    sentence_words,
)
from ..layers import roles_configs as configs
from ..scores import MISSING, GoldRoles, RoleScores
from .batches import (
    RolesBatch,
    embed,
    get_config,
    init,
    pad_arrays,
    sentence_features,
)
from .doc_parses import doc_heads, range_parses, roles_batch
from .inference.roles import RolesInference, has_numpy_form
from .torch import network as layer
from .torch.network import to_numpy

RolesModel = Model[list[Doc], list[RoleScores]]


def build_roles_model(
    tok2vec: Model[list[Doc], list[Floats2d]],
    *,
    encoder: Optional[configs.RolesEncoderConfig] = None,
    syntax: Optional[configs.SyntaxConfig] = None,
    predicate_scorer: Optional[configs.PredicateScorerConfig] = None,
    role_scorer: Optional[
        Union[configs.RoleScorerConfig, configs.SpanRoleScorerConfig]
    ] = None,
    roleset_scorer: Optional[configs.RolesetScorerConfig] = None,
) -> RolesModel:
    """Build a model of semantic roles: one `RoleScores` for each sentence, in order
    over all Docs. Whitespace tokens are left out. The defaults are small, for a model
    without a transformer.

    tok2vec (Model): Token vectors, an array for each Doc. May listen to another
        component.
    encoder (Optional[RolesEncoderConfig]): The layers. None: its defaults, with the
        timing signal.
    syntax (Optional[SyntaxConfig]): The syntax head. None: no syntax head.
    predicate_scorer (Optional[PredicateScorerConfig]): None: its defaults.
    role_scorer (Optional[Union[RoleScorerConfig, SpanRoleScorerConfig]]): Of the role
        tags of words, or of the roles of ranges, which reads the parse of the Docs.
        None: of tags, with its defaults.
    roleset_scorer (Optional[RolesetScorerConfig]): None to predict no rolesets.
    RAISES (ValueError): The blocks do not fit together, an option is out of range, or
        the tok2vec gives rows of sentences, not of tokens.
    """
    if tok2vec.attrs.get("sentence_rows"):
        raise ValueError(
            "tok2vec: expected rows of tokens alone, got those of sentences from "
            f"'{tok2vec.name}'"
        )
    config = configs.RolesNetworkConfig(
        encoder=encoder or configs.RolesEncoderConfig(timing=True),
        predicate_scorer=predicate_scorer or configs.PredicateScorerConfig(),
        role_scorer=role_scorer or configs.RoleScorerConfig(),
        syntax=syntax or configs.SyntaxConfig(heads="none"),
        roleset_scorer=roleset_scorer,
    )
    network = layer.network_layer("roles_network", RolesTask(config))
    return Model(
        "lal_srl",
        forward,
        init=init,
        layers=[tok2vec, sentence_features(), network],
    )


def forward(
    model: RolesModel, docs: list[Doc], is_train: bool
) -> tuple[list[RoleScores], Callable]:
    """Score every sentence of the Docs, with the network's own predicates. To learn,
    see `begin_update`."""
    if is_train:
        raise ValueError(
            "roles are learnt from gold predicates: call "
            "begin_update(model, docs, golds)"
        )
    if not any(map(len, docs)):
        return [], lambda d_scores: []
    batch = roles_batch(model, docs, [sentence_words(doc) for doc in docs])
    return model.layers[-1].predict(batch), lambda d_scores: []


def begin_update(
    model: RolesModel, docs: list[Doc], golds: Sequence[GoldRoles]
) -> tuple[list[RoleScores], Callable[[list[RoleScores]], list[Doc]]]:
    """Scores of each sentence for its gold predicates, with gold heads for the syntax
    head, and the backward pass."""
    batch, backprop_vectors = embed(model, docs, is_train=True)
    if batch.vectors is None:
        return [], lambda d_scores: []
    sentences = [sentence_words(doc) for doc in docs]
    gold_heads = [gold.heads for gold in golds]
    roles = RolesBatch(
        vectors=batch.vectors,
        heads=_shown_heads(model, docs, sentences, gold_heads),
        deprel_heads=gold_heads,
        predicates=[gold.rows for gold in golds],
        parses=range_parses(model, docs, sentences, golds),
    )
    scores, backprop_network = model.layers[-1].begin_update(roles)
    return scores, lambda d_scores: backprop_vectors(backprop_network(d_scores))


def _shown_heads(
    model: RolesModel,
    docs: list[Doc],
    sentences: Sequence[Sentences],
    gold: list[ndarray],
) -> list[ndarray]:
    """The heads that the syntax head is shown in training: gold ones, or in some
    sentences predicted ones, which with `heads = "own"` are the network's and unknown
    here. A word without a gold head is shown its predicted head."""
    syntax: configs.SyntaxConfig = get_config(model).syntax
    others = [numpy.full(len(gold_heads), MISSING) for gold_heads in gold]
    if syntax.heads == "doc":
        others = doc_heads(docs, sentences)
    shown = []
    for gold_heads, other in zip(gold, others, strict=True):
        is_known = (other != MISSING).any() or syntax.heads == "own"
        if is_known and numpy.random.random() >= syntax.gold_heads_prob:
            shown.append(other)
        else:
            shown.append(numpy.where(gold_heads == MISSING, other, gold_heads))
    return shown


class RolesTask:
    """The network of semantic roles for `NetworkShim`; methods are those of `Task`."""

    has_ends = False
    scores = RoleScores

    def __init__(self, config: configs.RolesNetworkConfig) -> None:
        self.config = config

    def sizes(self, cfg: Mapping[str, int]) -> configs.RolesSizes:
        """See `Task`."""
        sizes = configs.RolesSizes(**cfg)
        self.config.check(sizes)
        return sizes

    def build_module(self, sizes: configs.RolesSizes) -> Any:
        """See `Task`."""
        from ..layers.roles_network import RolesNetwork

        return RolesNetwork(self.config, sizes)

    def build_inference(
        self, sizes: configs.RolesSizes, weights: Mapping[str, ndarray], int8: bool
    ) -> Optional[RolesInference]:
        """See `Task`."""
        if not has_numpy_form(self.config):
            return None
        return RolesInference(self.config, sizes, weights, int8=int8)

    def pad(self, batch: RolesBatch, indices: Sequence[int]) -> dict[str, Any]:
        """See `Task`."""
        lengths = numpy.array(batch.lengths)[indices]
        predicates = numpy.full((len(indices), lengths.max()), MISSING)
        if batch.predicates is not None:
            predicates[:] = 0
            for row, i in zip(predicates, indices, strict=True):
                row[batch.predicates[i]] = 1
        threshold = numpy.array(batch.threshold, "float32")
        arrays: dict[str, Any] = {"lengths": lengths, "threshold": threshold}
        arrays["predicates"] = predicates
        for name in ("heads", "deprel_heads"):
            heads = getattr(batch, name)
            if heads is not None:
                of_batch = [heads[i] for i in indices]
                shape = predicates.shape
                arrays[name] = pad_arrays(of_batch, shape, "int64", MISSING)
        if batch.parses is not None:
            arrays["parses"] = [batch.parses[i] for i in indices]
        return arrays

    def unpad(self, output: Any, lengths: Sequence[int]) -> list[RoleScores]:
        """See `Task`."""
        predicates, rows, tags, rolesets, arcs, deprels, spans = map(
            to_numpy, output[:-1]
        )
        ends = numpy.searchsorted(rows[:, 0], numpy.arange(len(lengths) + 1))
        n_pairs = 0  # of earlier sentences
        scores = []
        for k, n in enumerate(lengths):
            mine = slice(ends[k], ends[k + 1])
            of_sentence = RoleScores(
                predicates=numpy.ascontiguousarray(predicates[k, :n]),
                rows=rows[mine, 1].copy(),
                tags=_contiguous(tags, mine, slice(n)),
                rolesets=_contiguous(rolesets, mine),
                arcs=_contiguous(arcs, k, slice(n), slice(n)),
                deprels=_contiguous(deprels, k, slice(n)),
            )
            if spans is not None:
                ranges = output.ranges[k]
                shape = (len(of_sentence.rows), len(ranges), spans.shape[1])
                last = n_pairs + shape[0] * shape[1]
                of_pairs = spans[n_pairs:last].reshape(shape)
                of_sentence = of_sentence._replace(spans=of_pairs, ranges=ranges)
                n_pairs = last
            scores.append(of_sentence)
        return scores

    def gradients(
        self, output: Any, d_scores: Sequence[RoleScores]
    ) -> tuple[list[Any], list[Any]]:
        """See `Task`."""
        import torch

        tensors = []
        grads = []
        for name in ("predicates", "tags", "rolesets", "arcs", "deprels", "spans"):
            tensor = getattr(output, name)
            if tensor is None or not tensor.requires_grad or not tensor.numel():
                continue
            gradients = [getattr(gradient, name) for gradient in d_scores]
            if name in ("tags", "rolesets"):  # a row for each predicate
                gradients = list(chain.from_iterable(gradients))
            if name == "spans":  # a row for each pair
                rows = [gradient.reshape(-1, tensor.shape[1]) for gradient in gradients]
                gradients = list(numpy.concatenate(rows))
            padded = pad_arrays(gradients, tuple(tensor.shape))
            tensors.append(tensor)
            grads.append(torch.from_numpy(padded).to(tensor))
        return tensors, grads

    def nothing(self, sizes: configs.RolesSizes) -> RoleScores:
        """See `Task`."""

        def zeros(*shape: int) -> ndarray:
            return numpy.zeros(shape, dtype="float32")

        scores = RoleScores(
            predicates=zeros(0, sizes.n_predicate_labels),
            rows=numpy.zeros(0, dtype="int64"),
            rolesets=zeros(0, sizes.n_rolesets) if sizes.n_rolesets else None,
        )
        if sizes.n_deprels:
            deprels = zeros(0, sizes.n_deprels)
            scores = scores._replace(arcs=zeros(0, 0), deprels=deprels)
        if not self.config.with_spans:
            return scores._replace(tags=zeros(0, 0, sizes.n_tags))
        n_roles = (sizes.n_tags - 1) // 2
        ranges = numpy.zeros((0, 2), dtype="int64")
        return scores._replace(spans=zeros(0, 0, 1 + n_roles), ranges=ranges)


def _contiguous(array: Optional[ndarray], *place: Any) -> Optional[ndarray]:
    """A part of an array as an array of its own; None of None."""
    return None if array is None else array[place].copy(order="C")
