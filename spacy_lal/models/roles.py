"""`spacy-lal.RolesModel.v1`: semantic roles (LISA, Strubell et al. 2018) as a thinc
model, from Docs to `RoleScores`. Layers and protocol are the parser's (`parser.py`),
with `model.attrs["set_sizes"](model, n_tags=..., ...)`, and
`model.attrs["begin_update"](model, docs, golds)` to learn."""

from bisect import bisect_left
from itertools import accumulate, chain
from typing import (
    Any,
    Callable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import (
    SPANS_KEY,
    CollapsedSpan,
    Sentences,
    get_constituents,
    sentence_words,
    tokens_with_heads,
)
from ..layers import roles_configs as configs
from ..layers.pair_features import ParseArrays
from ..scores import MISSING, GoldRoles, RoleScores
from . import shim as layer
from .batches import RolesBatch, embed, get_shim, init, sentence_features
from .roles_inference import RolesInference, has_numpy_form
from .shim import NetworkShim, to_numpy

RolesModel = Model[List[Doc], List[RoleScores]]
# Deprels of a passive's subject and auxiliary: UD's nsubj:pass, aux:pass, csubj:pass;
# ClearNLP's nsubjpass, auxpass.
PASSIVE_ENDING = "pass"


def build_roles_model(
    tok2vec: Model[List[Doc], List[Floats2d]],
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
            f"tok2vec: expected rows of tokens alone, got those of sentences from '{tok2vec.name}'"
        )
    config = configs.RolesNetworkConfig(
        encoder=encoder or configs.RolesEncoderConfig(timing=True),
        predicate_scorer=predicate_scorer or configs.PredicateScorerConfig(),
        role_scorer=role_scorer or configs.RoleScorerConfig(),
        syntax=syntax or configs.SyntaxConfig(heads="none"),
        roleset_scorer=roleset_scorer,
    )
    network = layer.network_layer("roles_network", RolesShim(config))
    # thinc saves attributes of plain types with the weights, and restores them; the
    # record `config` stays the config's
    attrs = {
        "set_sizes": set_sizes,
        "iter_scores": iter_scores,
        "begin_update": begin_update,
        "config": config,
    }
    return Model(
        "lal_srl",
        forward,
        init=init,
        layers=[tok2vec, sentence_features(), network],
        attrs=attrs,
    )


def set_sizes(model: RolesModel, **sizes: int) -> None:
    """Set the sizes that come from data, by the names of `RolesSizes`. Weights for
    other sizes are dropped."""
    get_shim(model).set_sizes(sizes)


def forward(
    model: RolesModel, docs: List[Doc], is_train: bool
) -> Tuple[List[RoleScores], Callable]:
    """Score every sentence of the Docs, with the network's own predicates. To learn,
    see `begin_update`."""
    if is_train:
        raise ValueError(
            'roles are learnt from gold predicates: call model.attrs["begin_update"](model, docs, golds)'
        )
    return layer.in_order(iter_scores(model, docs)), lambda d_scores: []


def iter_scores(
    model: RolesModel,
    docs: List[Doc],
    *,
    predicates: Optional[List[ndarray]] = None,
    heads: Optional[List[ndarray]] = None,
    threshold: float = 0.5,
    sentences: Optional[Sequence[Sentences]] = None,
) -> Iterator[Tuple[List[int], List[RoleScores]]]:
    """Numbers of sentences, over all Docs, and their scores, in sub-batches. See
    `RolesBatch`.

    heads (Optional[List[ndarray]]): None: with `heads = "doc"`, the heads of the Docs.
    sentences (Optional[Sequence[Sentences]]): For each Doc, the words of its sentences
    or parts. None: its sentences."""
    sentences = (
        [sentence_words(doc) for doc in docs] if sentences is None else sentences
    )
    batch, _ = embed(model, docs, is_train=False, sentences=sentences)
    if batch.vectors is None:
        return
    if heads is None and model.attrs["config"].syntax.heads == "doc":
        heads = doc_heads(docs, sentences)
    roles = RolesBatch(
        batch.vectors,
        heads,
        None,
        predicates,
        threshold,
        _parses(model, docs, sentences),
    )
    yield from layer.iter_scores(model.layers[-1], roles)


def begin_update(
    model: RolesModel, docs: List[Doc], golds: Sequence[GoldRoles]
) -> Tuple[List[RoleScores], Callable[[List[RoleScores]], List[Doc]]]:
    """Scores of each sentence for its gold predicates, with gold heads for the syntax
    head, and the backward pass."""
    batch, backprop_vectors = embed(model, docs, is_train=True)
    if batch.vectors is None:
        return [], lambda d_scores: []
    gold_heads = [gold.heads for gold in golds]
    roles = RolesBatch(
        vectors=batch.vectors,
        heads=_shown_heads(model, docs, gold_heads),
        deprel_heads=gold_heads,
        predicates=[gold.rows for gold in golds],
        parses=_parses(model, docs, [sentence_words(doc) for doc in docs], golds),
    )
    scores, backprop_network = model.layers[-1].begin_update(roles)
    return scores, lambda d_scores: backprop_vectors(backprop_network(d_scores))


def _parses(
    model: RolesModel,
    docs: List[Doc],
    sentences: Sequence[Sentences],
    golds: Optional[Sequence[GoldRoles]] = None,
) -> Optional[List[ParseArrays]]:
    """The parses that a scorer of ranges reads; see `doc_parses`. A Doc without gold
    predicates needs none."""
    scorer = model.attrs["config"].role_scorer
    if not isinstance(scorer, configs.SpanRoleScorerConfig):
        return None
    parses: List[ParseArrays] = []
    for doc, words in zip(docs, sentences, strict=True):
        of_doc = (
            None if golds is None else golds[len(parses) : len(parses) + len(words)]
        )
        if of_doc is None or any(len(gold.rows) for gold in of_doc):
            parses.extend(doc_parses(doc, scorer.word_attr, words))
        else:
            parses.extend(unknown_parse(len(gold.heads)) for gold in of_doc)
    return parses


def _shown_heads(
    model: RolesModel, docs: List[Doc], gold: List[ndarray]
) -> List[ndarray]:
    """The heads that the syntax head is shown in training: gold ones, or in some
    sentences predicted ones, which with `heads = "own"` are the network's and unknown
    here. A word without a gold head is shown its predicted head."""
    syntax: configs.SyntaxConfig = model.attrs["config"].syntax
    others = [numpy.full(len(one), MISSING) for one in gold]
    if syntax.heads == "doc":
        others = doc_heads(docs, [sentence_words(doc) for doc in docs])
    shown = []
    for one, other in zip(gold, others, strict=True):
        keeps = (
            syntax.gold_heads_prob >= 1.0
            or numpy.random.random() < syntax.gold_heads_prob
        )
        if not keeps and syntax.heads == "doc" and (other == MISSING).all():
            keeps = True  # no component has set heads on the Doc
        shown.append(numpy.where(one == MISSING, other, one) if keeps else other)
    return shown


def doc_heads(docs: Sequence[Doc], sentences: Sequence[Sentences]) -> List[ndarray]:
    """The heads that Docs have, a list over all sentences, or parts of them. A root is
    its own head; a missing head, a head outside of the sentence, or on white space, is
    -1. *Shapes:* (n,), int64."""
    found: List[ndarray] = []
    for doc, of_doc in zip(docs, sentences, strict=True):
        heads = numpy.arange(len(doc)) + doc.to_array("HEAD").astype("int64")
        heads[~tokens_with_heads(doc)] = MISSING
        for words in of_doc:
            place = {word: i for i, word in enumerate(words)}
            found.append(
                numpy.array(
                    [place.get(int(heads[word]), MISSING) for word in words],
                    dtype="int64",
                )
            )
    return found


def lacking(doc: Doc, word_attr: str) -> str:
    """What a Doc lacks of its parse, and the component that sets it, in words; empty
    for a parsed Doc."""
    words = list(chain.from_iterable(sentence_words(doc)))
    needed = {
        "constituents": (SPANS_KEY in doc.spans, "lal_parser"),
        "heads": (tokens_with_heads(doc)[words].all(), "lal_parser"),
        "tags": (doc.has_annotation("TAG"), "tagger"),
        "lemmas": (word_attr != "LEMMA" or doc.has_annotation("LEMMA"), "a lemmatizer"),
    }
    missing = {
        name: source for name, (found, source) in needed.items() if words and not found
    }
    if not missing:
        return ""
    sources = ", ".join(dict.fromkeys(missing.values()))
    return (
        f"no {' and no '.join(missing)}: expected {sources} before it in the pipeline"
        f"{' (not with dependencies = false)' if 'heads' in missing else ''}"
    )


def unknown_parse(n_words: int) -> ParseArrays:
    """The parse of a sentence without predicates, which nothing reads: each word is a
    root, without a constituent."""
    heads, ids = numpy.arange(n_words), numpy.zeros(n_words, dtype="uint64")
    return ParseArrays(
        heads, ids, ids, ids, heads < 0, numpy.zeros((0, 2), dtype="int64"), ids[:0]
    )


def doc_parses(doc: Doc, word_attr: str, sentences: Sentences) -> List[ParseArrays]:
    """The parses of a Doc's sentences or parts.
    RAISES (ValueError): It lacks
    constituents, heads, tags or lemmas."""
    if not any(sentences):
        return [unknown_parse(0) for _ in sentences]
    if missing := lacking(doc, word_attr):
        raise ValueError(
            f"the scorer of roles reads the parse of the Doc, and {doc.text[:40]!r} has {missing} and, in training, in "
            "training.annotating_components"
        )
    arrays = doc.to_array(["HEAD", "DEP", "TAG", word_attr])
    heads = numpy.arange(len(doc)) + arrays[:, 0].astype("int64")
    passive = numpy.zeros(len(doc), dtype=bool)
    deprels, places = numpy.unique(arrays[:, 1], return_inverse=True)
    is_passive = [
        doc.vocab.strings[int(deprel)].endswith(PASSIVE_ENDING) for deprel in deprels
    ]
    passive[heads[numpy.array(is_passive, dtype=bool)[places]]] = True
    parses = []
    for words, spans in zip(sentences, _constituents(doc, sentences), strict=True):
        place = {word: i for i, word in enumerate(words)}
        labels = [doc.vocab.strings.add(label) for _, _, label in spans]
        parses.append(
            ParseArrays(
                heads=numpy.array(
                    [place.get(int(heads[word]), i) for i, word in enumerate(words)],
                    dtype="int64",
                ),
                deprels=arrays[words, 1],
                tags=arrays[words, 2],
                words=arrays[words, 3],
                is_passive=passive[words],
                constituents=numpy.array(
                    [one[:2] for one in spans], dtype="int64"
                ).reshape(-1, 2),
                labels=numpy.array(labels, dtype="uint64"),
            )
        )
    return parses


def _constituents(doc: Doc, sentences: Sentences) -> Iterator[List[CollapsedSpan]]:
    lengths = [0, *(len(words) for words in sentence_words(doc))]
    spans = [
        (offset + start, offset + end, label)
        for offset, of_sentence in zip(
            accumulate(lengths), get_constituents(doc), strict=False
        )
        for start, end, label in of_sentence
    ]
    starts, first = [start for start, _, _ in spans], 0
    for words in sentences:
        last = first + len(words)
        here = spans[bisect_left(starts, first) : bisect_left(starts, last)]
        yield [
            (start - first, end - first, label)
            for start, end, label in here
            if end <= last
        ]
        first = last


class RolesShim(NetworkShim):
    """The network of semantic roles; see `NetworkShim`."""

    config: configs.RolesNetworkConfig
    sizes_type = configs.RolesSizes

    def from_bytes(self, bytes_data: bytes) -> "RolesShim":
        """See `NetworkShim`.
        RAISES (ValueError): The sizes do not fit the config."""
        super().from_bytes(bytes_data)
        if self.cfg:
            self.config.check(self.sizes)
        return self

    def build_module(self) -> Any:
        """See `NetworkShim`."""
        from ..layers.roles_network import RolesNetwork

        return RolesNetwork(self.config, self.sizes)

    def build_inference(
        self, weights: Mapping[str, ndarray]
    ) -> Optional[RolesInference]:
        """See `NetworkShim`."""
        return (
            RolesInference(self.config, self.sizes, weights)
            if has_numpy_form(self.config)
            else None
        )

    def pad(self, batch: RolesBatch, indices: Sequence[int], vectors: Any) -> Any:
        """See `NetworkShim`."""
        import torch

        from ..layers.roles_network import RolesInputs

        def pad_ids(items: Optional[List[ndarray]], *, as_flags: bool = False) -> Any:
            if items is None:
                return None
            ids = numpy.full(tuple(vectors.shape[:2]), False if as_flags else MISSING)
            for row, i in zip(ids, indices, strict=True):
                row[items[i] if as_flags else slice(len(items[i]))] = (
                    True if as_flags else items[i]
                )
            return torch.from_numpy(ids).to(vectors.device)

        return RolesInputs(
            lengths=torch.tensor(
                [batch.lengths[i] for i in indices], device=vectors.device
            ),
            vectors=vectors,
            heads=pad_ids(batch.heads),
            deprel_heads=pad_ids(batch.deprel_heads),
            predicates=pad_ids(batch.predicates, as_flags=True),
            threshold=batch.threshold,
            parses=None if batch.parses is None else [batch.parses[i] for i in indices],
        )

    def unpad(self, output: Any, lengths: Sequence[int]) -> List[RoleScores]:
        """See `NetworkShim`."""
        predicates, rows, tags, rolesets, arcs, deprels, spans = map(
            to_numpy, output[:-1]
        )
        ranges: Any = [None] * len(lengths) if output.ranges is None else output.ranges
        first = 0
        ends = numpy.searchsorted(rows[:, 0], numpy.arange(len(lengths) + 1))
        scores = []
        for k, n in enumerate(lengths):
            mine = slice(ends[k], ends[k + 1])
            of_spans = None
            if spans is not None:
                shape = (int(ends[k + 1] - ends[k]), len(ranges[k]), spans.shape[1])
                of_spans = spans[first : first + shape[0] * shape[1]].reshape(shape)
                first += shape[0] * shape[1]
            scores.append(
                RoleScores(
                    predicates=numpy.ascontiguousarray(predicates[k, :n]),
                    rows=rows[mine, 1].copy(),
                    tags=None
                    if tags is None
                    else numpy.ascontiguousarray(tags[mine, :n]),
                    rolesets=None if rolesets is None else rolesets[mine].copy(),
                    arcs=None
                    if arcs is None
                    else numpy.ascontiguousarray(arcs[k, :n, :n]),
                    deprels=None
                    if deprels is None
                    else numpy.ascontiguousarray(deprels[k, :n]),
                    spans=of_spans,
                    ranges=ranges[k],
                )
            )
        return scores

    def gradients(
        self, output: Any, d_scores: Sequence[RoleScores]
    ) -> Tuple[List[Any], List[Any]]:
        """See `NetworkShim`."""
        import torch

        tensors, grads = [], []
        for name in ("predicates", "tags", "rolesets", "arcs", "deprels", "spans"):
            tensor = getattr(output, name)
            if tensor is None or not tensor.requires_grad or not tensor.numel():
                continue
            padded = numpy.zeros(tuple(tensor.shape), dtype="float32")
            first = 0  # rows of earlier sentences, where rows are of predicates or pairs and not of sentences
            for k, gradient in enumerate(getattr(one, name) for one in d_scores):
                if gradient is None:
                    continue
                if name == "spans":
                    gradient = gradient.reshape(-1, padded.shape[1])
                if name in ("tags", "rolesets", "spans"):
                    place = padded[first : first + len(gradient)]
                    first += len(gradient)
                else:
                    place = padded[k]
                place[tuple(slice(size) for size in gradient.shape)] = gradient
            tensors.append(tensor)
            grads.append(torch.from_numpy(padded).to(tensor))
        return tensors, grads

    def nothing(self, batch: RolesBatch) -> RoleScores:
        """See `NetworkShim`."""
        sizes, with_spans = self.sizes, self.config.with_spans

        def zeros(*shape: int) -> ndarray:
            return numpy.zeros(shape, dtype="float32")

        return RoleScores(
            predicates=zeros(0, sizes.n_predicate_labels),
            rows=numpy.zeros(0, dtype="int64"),
            tags=None if with_spans else zeros(0, 0, sizes.n_tags),
            rolesets=zeros(0, sizes.n_rolesets) if sizes.n_rolesets else None,
            arcs=zeros(0, 0) if sizes.n_deprels else None,
            deprels=zeros(0, sizes.n_deprels) if sizes.n_deprels else None,
            spans=zeros(0, 0, 1 + (sizes.n_tags - 1) // 2) if with_spans else None,
            ranges=numpy.zeros((0, 2), dtype="int64") if with_spans else None,
        )
