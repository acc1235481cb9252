"""`spacy-lal.LALParser.v1`: the Label Attention Layer parser as a thinc model, from Docs to `ParserScores`.

Made of two or three layers: a `tok2vec` (if any), `sentence_features`, `parser_network`. The protocol with a component:
1. build: sizes that come from data are not known yet;
2. `model.attrs["set_vocabularies"](model, n_labels=..., n_deprels=..., tags=[...], chars=[...])`;
3. `model.initialize(X=docs)` makes the network, with fresh weights; or `model.from_bytes` / `from_disk` makes it with
   the saved ones (and needs no step 2: sizes, tags and characters are saved with the weights);
4. `model.predict(docs)`, `model.begin_update(docs)`; or, with less memory, `model.attrs["iter_scores"](model, docs)`.

It is *not* a component: no labels by name, no decoding.
"""

from contextlib import contextmanager
from contextvars import ContextVar
from typing import Callable, Dict, Iterator, List, Literal, Optional, Sequence, Tuple

import numpy
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..layers.parser_network import NetworkConfig, ParserNetwork
from ..scores import AnyGradient, AnyScores, ParserScores
from .bridge import NetworkBatch, NetworkModel, VectorRows, iter_pruned, iter_runs, parser_network
from .features import N_SPECIAL_CHARS, N_SPECIAL_IDS, FeaturesModel, SentenceFeatures, sentence_features
from .network_shim import ParserNetworkShim

ParserModel = Model[List[Doc], List[ParserScores]]
Tok2Vec = Model[List[Doc], List[Floats2d]]
# Takes Docs and the scores of their sentences, with attention; called when all of the Docs' sentences are scored.
Listener = Callable[[List[Doc], List[AnyScores]], None]

# Of the thread, and not of the model: other threads parse with the same one.
_LISTENER: ContextVar[Optional[Tuple[ParserModel, Listener]]] = ContextVar("_LISTENER", default=None)


# The arguments are grouped by what they set; the network's are fields of `NetworkConfig`, which says more of each.
# fmt: off
def build_lal_parser(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None, *,
    use_tags: bool = False, use_chars: bool = True, char_width: int = 32, max_word_length: int = 64,
    concatenate_features: bool = False, hidden_width: int = 256, n_layers: int = 2, n_attn_heads: int = 4,
    attn_width: int = 64, ff_width: int = 512, factored: bool = True, max_positions: int = 512,
    label_attention: bool = True, n_label_heads: Optional[int] = None, label_attn_width: int = 32,
    label_proj_width: int = 16, label_own_projection: bool = False, label_factored: bool = True,
    label_feed_forward: Literal["none", "per_label", "joint", "split"] = "none", label_ff_width: int = 0,
    label_residual_dropout: bool = False, label_query_per_token: bool = False, label_combine_as_self: bool = False,
    label_ties: bool = False, scale_label_blocks: bool = True, scrambled_queries: bool = False,
    whole_tokens: bool = False, arcs_from_tokens: bool = False,
    span_hidden_width: int = 128, span_own_projections: bool = False, arc_hidden_width: int = 128,
    deprel_hidden_width: int = 64, deprel_given_head: bool = True, attention_dropout: float = 0.2,
    embedding_dropout: float = 0.2, relu_dropout: float = 0.2, residual_dropout: float = 0.2, tag_dropout: float = 0.2,
    position_dropout: float = 0.0, char_dropout: float = 0.2, biaffine_dropout: float = 0.33,
    mixed_precision: bool = False, max_batch_cells: int = 65536,
) -> Model[List[Doc], List[ParserScores]]:
    """Build a LAL parser (Mrini et al. 2020). One `ParserScores` for each sentence, in order over all Docs; whitespace
    tokens are left out. The defaults are small, for a model without a transformer.

    tok2vec (Optional[Model]): Token vectors: an array for each Doc; or, where its attribute `sentence_rows` is true, an
        (n + 2, width) array for each sentence. May listen to another component.
    use_tags, use_chars (bool): Also read `token.tag_`; the characters of `token.text`, of at most `max_word_length`.
    n_label_heads (Optional[int]): None: one for each label of the treebank.
    label_ties (bool): Tie each label head to its label, by a score and (`tie_weight`) by a loss; not the paper's.
    scale_label_blocks (bool): Keep Adam's steps from growing with the number of label heads; False as in the paper.
    whole_tokens, arcs_from_tokens (bool): Also show the scorers whole tokens; score arcs and deprels from these alone.
    span_own_projections (bool): Score a span from both of its ends, not from their difference; not the paper's.
    scrambled_queries (bool): Reproduce a fault of the authors' code, for their published scores: label queries meet the
        keys of other labels, depending on how many sentences are scored at once, which is then all that are given.
    *_dropout (float): The network's own rates; `set_dropout_rate`, hence `drop` of `nlp.update`, does not touch them.
    mixed_precision (bool): Multiply matrices in half precision: in parsing where GPU or CPU is made for it (on a CPU,
        bfloat16), in training on a GPU.
    max_batch_cells (int): How many chart cells, (n + 1)^2 for each sentence, are scored at once, padding included.
    RETURNS (Model[List[Doc], List[ParserScores]]): The model.
    RAISES (ValueError): Where sizes or switches make no network.
    """
    if tok2vec is None and not use_tags and not use_chars:
        raise ValueError("The LAL parser has nothing to read: expected a tok2vec, use_tags or use_chars")
    sentence_rows = tok2vec is not None and bool(tok2vec.attrs.get("sentence_rows"))
    settings = NetworkConfig(
        # What comes from data is 1 or 3 here, so that wrong settings are refused now, and is set before the first use.
        vector_width=int(tok2vec is not None), n_tags=3 * use_tags, n_chars=5 * use_chars, char_width=char_width,
        concatenate_features=concatenate_features, learned_boundaries=not sentence_rows, hidden_width=hidden_width,
        n_layers=n_layers, n_attn_heads=n_attn_heads, attn_width=attn_width, ff_width=ff_width, factored=factored,
        max_positions=max_positions, label_attention=label_attention, n_label_heads=n_label_heads or hidden_width,
        label_attn_width=label_attn_width, label_proj_width=label_proj_width, label_own_projection=label_own_projection,
        label_factored=label_factored, label_feed_forward=label_feed_forward, label_ff_width=label_ff_width,
        label_residual_dropout=label_residual_dropout, label_query_per_token=label_query_per_token,
        label_combine_as_self=label_combine_as_self, label_ties=label_ties, scale_label_blocks=scale_label_blocks,
        scrambled_queries=scrambled_queries, whole_tokens=whole_tokens, arcs_from_tokens=arcs_from_tokens,
        span_hidden_width=span_hidden_width, span_own_projections=span_own_projections,
        arc_hidden_width=arc_hidden_width, deprel_hidden_width=deprel_hidden_width, deprel_given_head=deprel_given_head,
        attention_dropout=attention_dropout, embedding_dropout=embedding_dropout, relu_dropout=relu_dropout,
        residual_dropout=residual_dropout, tag_dropout=tag_dropout, position_dropout=position_dropout,
        char_dropout=char_dropout, biaffine_dropout=biaffine_dropout,
    )
    features = sentence_features(use_tags=use_tags, use_chars=use_chars, max_word_length=max_word_length)
    network = parser_network(settings, mixed_precision=mixed_precision, max_batch_cells=max_batch_cells)
    return _assemble(tok2vec, features, network, n_label_heads)
# fmt: on


def _assemble(
    tok2vec: Optional[Tok2Vec], features: FeaturesModel, network: NetworkModel, n_label_heads: Optional[int]
) -> ParserModel:
    layers: List[Model] = [features, network] if tok2vec is None else [tok2vec, features, network]
    attrs = {
        "set_vocabularies": set_vocabularies,
        "iter_scores": iter_scores,
        "get_network": get_network,
        "has_tags": features.attrs["use_tags"],
        "has_chars": features.attrs["use_chars"],
        "n_label_heads": n_label_heads,
        "return_attention": False,
    }
    return Model("lal_parser", forward, init=init, layers=layers, attrs=attrs)


def set_vocabularies(
    model: ParserModel, *, n_labels: int, n_deprels: int, tags: Sequence[str] = (), chars: Sequence[str] = ()
) -> None:
    """Set what comes from the training data. Weights for other sizes are dropped: initialise or load afterwards.

    n_labels (int): Number of constituent labels, EMPTY and SUB_HEAD among them; 0 for no constituents.
    n_deprels (int): Number of dependency labels; 0 for no dependencies.
    tags (Sequence[str]): The tags, without special ones. Ignored where the model reads none (`has_tags`).
    chars (Sequence[str]): The characters. Ignored where the model reads none (`has_chars`).
    RAISES (ValueError): If a character or tag is there twice, or `chars` has a string that is no character.
    """
    features, network = model.layers[-2:]
    for name, values in (("tags", tags), ("chars", chars)):
        if len(set(values)) != len(values):
            raise ValueError(f"{name} has a value twice: expected {len(values)} different ones, got {len(set(values))}")
    if any(len(char) != 1 for char in chars):
        raise ValueError(f"chars has strings that are not one character: {[c for c in chars if len(c) != 1][:5]}")
    features.attrs["tags"] = list(tags)
    features.attrs["chars"] = list(chars)
    sizes = {"n_labels": n_labels, "n_deprels": n_deprels}
    if model.attrs["has_tags"]:
        sizes["n_tags"] = N_SPECIAL_IDS + len(tags)
    if model.attrs["has_chars"]:
        sizes["n_chars"] = N_SPECIAL_CHARS + len(chars)
    # One head for each label but EMPTY and SUB_HEAD (the authors: 112, hard-coded; reference-parser.md T3).
    sizes["n_label_heads"] = model.attrs["n_label_heads"] or max(1, n_labels - 2)
    _get_shim(model).set_sizes(sizes)


def get_network(model: ParserModel) -> ParserNetwork:
    """The torch network, for instance to load a checkpoint into.

    RAISES (ValueError): If there is none yet.
    """
    return _get_shim(model).network


def init(model: ParserModel, X: Optional[List[Doc]] = None, Y: Optional[List[ParserScores]] = None) -> None:
    """Initialise the tok2vec, and make the network with fresh weights.

    RAISES (ValueError): If `set_vocabularies` was not called, or the width of the tok2vec's vectors cannot be told.
    """
    shim = _get_shim(model)
    if "n_labels" not in shim.cfg:
        raise ValueError('Sizes are not known yet: call model.attrs["set_vocabularies"] before model.initialize')
    tok2vec = _get_tok2vec(model)
    if tok2vec is not None:
        tok2vec.initialize(X=X)
        shim.set_sizes({"vector_width": _vector_width(tok2vec, X)})
    shim.build()


def forward(model: ParserModel, docs: List[Doc], is_train: bool) -> Tuple[List[ParserScores], Callable]:
    """Score every sentence of the Docs; backward gives what the tok2vec's backward pass gives."""
    batch, backprop_vectors = embed(model, docs, is_train)
    scores, backprop_network = model.layers[-1](batch, is_train)

    def backprop(d_scores: Sequence[AnyGradient]) -> List[Doc]:
        d_data = backprop_network(d_scores)
        return [] if d_data is None else backprop_vectors(d_data)

    return scores, backprop


def iter_scores(
    model: ParserModel, docs: List[Doc], *, pruned: bool = False
) -> Iterator[Tuple[List[int], Sequence[AnyScores]]]:
    """`model.predict` in sub-batches, so that the charts of all sentences need not be in memory together.

    pruned (bool): Whether to give `PrunedScores`, which are computed faster and take less memory, where the network
        can be folded (`spacy_lal.layers.folded_network`).
    RETURNS (Iterator[Tuple[List[int], Sequence[AnyScores]]]): Numbers of sentences, counted over all Docs, and their
        scores. Every sentence comes once; those of similar length come together.
    """
    batch, _ = embed(model, docs, is_train=False)
    listened, listener = _LISTENER.get() or (None, None)
    if listener is None or listened is not model:
        yield from _iter_batch(model, batch, pruned)
        return
    heard: Dict[int, AnyScores] = {}
    for indices, scores in _iter_batch(model, batch._replace(return_attention=True), pruned):
        heard.update(zip(indices, scores, strict=True))
        yield indices, scores
    listener(docs, [heard[i] for i in range(len(heard))])


@contextmanager
def listening(model: ParserModel, listener: Listener) -> Iterator[None]:
    """For the time of a block, and in its thread alone: scores of `iter_scores` have attention, and a listener gets
    them, too."""
    token = _LISTENER.set((model, listener))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def _iter_batch(
    model: ParserModel, batch: NetworkBatch, pruned: bool
) -> Iterator[Tuple[List[int], Sequence[AnyScores]]]:
    if pruned:
        yield from iter_pruned(model.layers[-1], batch)
    else:
        for indices, scores, _ in iter_runs(model.layers[-1], batch):
            yield indices, scores


def embed(model: ParserModel, docs: List[Doc], is_train: bool) -> Tuple[NetworkBatch, Callable]:
    """Features and vectors of the Docs' sentences, and the backward pass of the vectors, which takes the gradient of
    `VectorRows.data`."""
    features: List[SentenceFeatures] = model.layers[-2].predict(docs)
    tok2vec = _get_tok2vec(model)
    return_attention = bool(model.attrs["return_attention"])
    # Without a token there is no sentence; spaCy's tok2vecs fail on a batch without tokens.
    if tok2vec is None or not any(len(doc) for doc in docs):
        return NetworkBatch(features, None, return_attention), _no_backprop
    arrays, backprop_arrays = tok2vec(docs, is_train)
    vectors = _vector_rows(model, features, docs, arrays, bool(tok2vec.attrs.get("sentence_rows")))
    ends = numpy.cumsum([len(array) for array in arrays]).tolist()

    def backprop(d_data: Floats2d) -> List[Doc]:
        # Arrays without rows may have any width: spacy-transformers gives an empty Doc a width of 0.
        d_arrays = [
            d_data[end - len(array) : end] if len(array) else model.ops.alloc2f(*array.shape)
            for array, end in zip(arrays, ends, strict=True)
        ]
        return backprop_arrays(d_arrays)

    return NetworkBatch(features, vectors, return_attention), backprop


def _vector_rows(
    model: ParserModel, features: List[SentenceFeatures], docs: List[Doc], arrays: List[Floats2d], sentence_rows: bool
) -> VectorRows:
    expected = [one.length + 2 for one in features] if sentence_rows else [len(doc) for doc in docs]
    if [len(array) for array in arrays] != expected:
        kind = "one more for START and STOP of each sentence" if sentence_rows else "one for each token of each Doc"
        raise ValueError(f"The tok2vec gave {[len(array) for array in arrays]} rows; expected {expected}: {kind}")
    data = [model.ops.asarray2f(array) for array in arrays if len(array)]
    width = _get_shim(model).cfg["vector_width"]
    flat = model.ops.xp.concatenate(data) if data else model.ops.alloc2f(0, width)
    if flat.shape[1] != width:
        raise ValueError(f"The tok2vec gave vectors of width {flat.shape[1]}; the network was made for {width}")
    rows = [one.rows for one in features]
    if sentence_rows:
        firsts = numpy.cumsum([0, *expected])
        rows = [numpy.arange(first, first + n_rows) for first, n_rows in zip(firsts[:-1], expected, strict=True)]
    return VectorRows(flat, rows, sentence_rows)


def _vector_width(tok2vec: Tok2Vec, docs: Optional[List[Doc]]) -> int:
    """The width of a tok2vec's output: as it says itself, or as it does."""
    width = tok2vec.maybe_get_dim("nO")
    if width is None and docs:
        width = max((array.shape[1] for array in tok2vec.predict(docs) if len(array)), default=None)
    if not width:
        raise ValueError(
            f"Cannot tell the width of the tok2vec '{tok2vec.name}': it does not say, and there is no example of its "
            "output; expected at least one Doc with tokens"
        )
    return width


def _get_tok2vec(model: ParserModel) -> Optional[Tok2Vec]:
    # By position, not by reference: thinc's `Model.copy` loses references.
    return model.layers[0] if len(model.layers) == 3 else None


def _get_shim(model: ParserModel) -> ParserNetworkShim:
    return model.layers[-1].shims[0]  # type: ignore[return-value]


def _no_backprop(d_data: Floats2d) -> List[Doc]:
    return []
