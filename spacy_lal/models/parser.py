"""`spacy-lal.LALParser.v1`: the Label Attention Layer parser as a thinc model, from Docs to `ParserScores`.

It has two or three layers: a `tok2vec` (if any), `sentence_features`, `parser_network`. The protocol with a component:
1. build: sizes that come from data are not known yet;
2. `model.attrs["set_vocabularies"](model, n_labels=..., n_deprels=..., tags=[...], chars=[...], words={...})`;
3. `model.initialize(X=docs)` makes the network, with fresh weights; or `model.from_bytes` / `from_disk` makes it with
   the saved ones (step 2 is not needed: sizes and vocabularies are saved with the weights);
4. `model.predict(docs)`, `model.begin_update(docs)`; or, with less memory, `model.attrs["iter_scores"](model, docs)`.

It is *not* a component: no labels by name, no decoding.
"""

from dataclasses import replace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import Sentences
from ..layers.configs import (
    BiaffineScorerConfig,
    FencepostsConfig,
    LabelAttentionConfig,
    ParserNetworkConfig,
    ParserSizes,
    SpanScorerConfig,
)
from ..layers.input_configs import (
    CharLSTM,
    EncoderConfig,
    InputLayerConfig,
    SelfAttentionLayerConfig,
    Vectors,
    make_input_layer,
)
from ..scores import AnyScores, ParserScores, ScoresGradient
from . import shim as layer
from .batches import (
    N_SPECIAL_CHARS,
    N_SPECIAL_IDS,
    ReadingOptions,
    Tok2Vec,
    embed,
    get_shim,
    init,
    sentence_features,
)
from .parser_network import ParserShim

ParserModel = Model[List[Doc], List[ParserScores]]


def build_lal_parser(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    *,
    label_attention: Optional[LabelAttentionConfig],
    span_scorer: Optional[SpanScorerConfig],
    biaffine_scorer: Optional[BiaffineScorerConfig],
    inputs: Optional[InputLayerConfig] = None,
    encoder: Optional[EncoderConfig] = None,
    fenceposts: Optional[FencepostsConfig] = None,
    hidden_width: int = 256,
) -> ParserModel:
    """Build a LAL parser (Mrini et al. 2020): one `ParserScores` for each sentence, in order over all Docs. Whitespace
    tokens are left out. The defaults are small, for a model without a transformer.

    tok2vec (Optional[Model]): Token vectors, an array for each Doc. If its attribute `sentence_rows` is true, an array
        for each sentence, (n + 2, width). May listen to another component.
    label_attention (Optional[LabelAttentionConfig]): None for a network without it.
    span_scorer (Optional[SpanScorerConfig]): None to parse only dependencies.
    biaffine_scorer (Optional[BiaffineScorerConfig]): None to parse only constituents.
    inputs (Optional[InputLayerConfig]): None: a `CharLSTM` and the vectors of the tok2vec, if any.
    encoder (Optional[EncoderConfig]): None: two layers of self-attention.
    fenceposts (Optional[FencepostsConfig]): None: its defaults.
    hidden_width (int): Width of positions from the input layer to label attention.
    RETURNS (ParserModel): The model. `set_dropout_rate`, hence `drop` of `nlp.update`, does not change the dropout
        rates of the blocks.
    RAISES (ValueError): The blocks do not fit together; the message names the option.
    """
    if inputs is None:
        inputs = make_input_layer(CharLSTM(), *([] if tok2vec is None else [Vectors()]))
    network = ParserNetworkConfig(
        hidden_width=hidden_width,
        inputs=inputs,
        encoder=encoder if encoder is not None else EncoderConfig((SelfAttentionLayerConfig(repeat=2),)),
        label_attention=label_attention,
        fenceposts=fenceposts if fenceposts is not None else FencepostsConfig(),
        span_scorer=span_scorer,
        biaffine_scorer=biaffine_scorer,
    )
    return assemble_parser(tok2vec, network)


def assemble_parser(tok2vec: Optional[Tok2Vec], network: ParserNetworkConfig) -> ParserModel:
    """Build a parser's model from its parts; see `build_lal_parser`.

    network (ParserNetworkConfig): Everything but the sizes that come from data.
    RAISES (ValueError): The network reads vectors without a tok2vec, or does not read the tok2vec's vectors.
    """
    features = {feature.kind: feature for feature in network.inputs.features}
    if ("vectors" in features) != (tok2vec is not None):
        raise ValueError(
            "the inputs read vectors (spacy-lal.Vectors.v1), and there is no tok2vec"
            if tok2vec is None
            else "there is a tok2vec, and the inputs do not read its vectors: expected a feature spacy-lal.Vectors.v1"
        )
    if tok2vec is not None:
        learned_boundaries = not tok2vec.attrs.get("sentence_rows")
        kinds = tuple(
            replace(feature, learned_boundaries=learned_boundaries) if isinstance(feature, Vectors) else feature
            for feature in network.inputs.features
        )
        network = replace(network, inputs=replace(network.inputs, features=kinds))
    words = features.get("words")
    alphabet = network.inputs.alphabet
    options = ReadingOptions(
        use_tags="tags" in features,
        use_chars=alphabet is not None,
        use_words=words is not None,
        drop_rare=words is not None,
        **({} if alphabet is None else {"max_word_length": network.inputs.letters_read(network.hidden_width)}),
    )
    reader = sentence_features(options)
    scorer = layer.network_layer("parser_network", ParserShim(network))
    attention = network.label_attention
    attrs = {
        "set_vocabularies": set_vocabularies,
        "iter_scores": iter_scores,
        "get_parts": get_parts,
        "get_weights": get_weights,
        "get_network": get_network,
        "encode": encode,
        "scores_constituents": network.span_scorer is not None,
        "scores_dependencies": network.biaffine_scorer is not None,
        "has_tags": "tags" in features,
        "has_chars": alphabet is not None,
        "has_words": words is not None,
        "alphabet": alphabet,
        "n_label_heads": None if attention is None else attention.n_heads,
    }
    layers: List[Model] = [reader, scorer] if tok2vec is None else [tok2vec, reader, scorer]
    return Model("lal_parser", forward, init=init, layers=layers, attrs=attrs)


def set_vocabularies(
    model: ParserModel,
    *,
    n_labels: int,
    n_deprels: int,
    tags: Sequence[str] = (),
    chars: Sequence[str] = (),
    words: Optional[Mapping[str, int]] = None,
) -> None:
    """Set the training data's vocabularies and sizes. Weights for other sizes are dropped: initialise or load next.

    n_labels (int): Number of constituent labels, including EMPTY and SUB_HEAD; 0 for no constituents.
    n_deprels (int): Number of dependency labels; 0 for no dependencies.
    tags (Sequence[str]): The tags, without special ones. Ignored if the model reads no tags (`has_tags`).
    chars (Sequence[str]): The characters. Ignored if the model reads no characters (`has_chars`).
    words (Optional[Mapping[str, int]]): The words and their numbers in the training data. Ignored if the model reads no
        words (`has_words`).
    """
    words = words or {}
    vocabularies = {"tags": list(tags), "chars": list(chars), "words": list(words), "word_counts": list(words.values())}
    model.layers[-2].attrs.update(vocabularies)
    sizes = {"n_labels": n_labels, "n_deprels": n_deprels}
    if model.attrs["has_tags"]:
        sizes["n_tags"] = N_SPECIAL_IDS + len(tags)
    if model.attrs["has_chars"]:
        sizes["n_chars"] = N_SPECIAL_CHARS + len(chars)
    if model.attrs["has_words"]:
        sizes["n_words"] = N_SPECIAL_IDS + len(words)
    # One head for each label but EMPTY and SUB_HEAD (the authors: 112, hard-coded; reference-parser.md T3).
    sizes["n_label_heads"] = model.attrs["n_label_heads"] or max(1, n_labels - 2)
    get_shim(model).set_sizes(sizes)


def get_network(model: ParserModel) -> Any:
    """The torch network, for example to load a checkpoint into.

    RAISES (ValueError): The network does not exist yet, or torch is not installed.
    """
    return get_shim(model).network


def get_weights(model: ParserModel) -> Dict[str, ndarray]:
    """The weights of the network, by their names in the torch network. RAISES (ValueError): There are none yet."""
    return get_shim(model).weights


def get_parts(model: ParserModel) -> Tuple[ParserNetworkConfig, ParserSizes]:
    """The parts of the network and its sizes."""
    shim: ParserShim = get_shim(model)
    return shim.config, shim.sizes


def encode(model: ParserModel, doc: Doc, numbers: Sequence[int]) -> List[Tuple[ndarray, Optional[ndarray]]]:
    """What the scorers read of some sentences of a Doc, each with words: fenceposts, *shape:* (n + 1, width), and label
    attention over START, words, STOP, *shape:* (n_label_heads, n + 2), None in a network without it."""
    batch, _ = embed(model, [doc], False)
    return [get_shim(model).encode(batch, number) for number in numbers]


def forward(model: ParserModel, docs: List[Doc], is_train: bool) -> Tuple[List[ParserScores], Callable]:
    """Score every sentence of the Docs; the backward pass returns the result of the tok2vec's backward pass."""
    batch, backprop_vectors = embed(model, docs, is_train)
    scores, backprop_network = model.layers[-1](batch, is_train)

    def backprop(d_scores: Sequence[ScoresGradient]) -> List[Doc]:
        d_data = backprop_network(d_scores)
        return [] if d_data is None else backprop_vectors(d_data)

    return scores, backprop


def iter_scores(
    model: ParserModel, docs: List[Doc], *, pruned: bool = False, sentences: Optional[Sequence[Sentences]] = None
) -> Iterator[Tuple[List[int], Sequence[AnyScores]]]:
    """`model.predict` in sub-batches, so that the charts of all sentences need not be in memory together.

    pruned (bool): Whether `PrunedScores` suffice, which are faster and take less memory. A network that runs in torch
        gives `ParserScores` all the same.
    sentences (Optional[Sequence[Sentences]]): For each Doc, the words of its sentences, or of parts of them to be
        scored like sentences. None: the Doc's own sentences.
    RETURNS (Iterator[Tuple[List[int], Sequence[AnyScores]]]): Numbers of sentences, counted over all Docs, and their
        scores. Every sentence comes once; sentences of similar length come together.
    """
    batch, _ = embed(model, docs, is_train=False, sentences=sentences)
    yield from layer.iter_scores(model.layers[-1], batch._replace(pruned=pruned))
