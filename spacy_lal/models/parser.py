"""`spacy-lal.LALParser.v1`: the Label Attention Layer parser as a thinc model, from
Docs to `ParserScores`.

It has two or three layers: a `tok2vec` (if any), `sentence_features`, `parser_network`.
The protocol with a component:
1. build: sizes that come from data are not known yet;
2. `set_vocabularies(model, n_labels=..., n_deprels=..., tags=[...], chars=[...],
   words={...})`;
3. `model.initialize(X=docs)`, or `model.from_bytes` / `from_disk`, which need no step
   2;
4. `model.predict(docs)`, `model.begin_update(docs)`; the component takes scores in
   sub-batches."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Optional

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import read_words
from ..layers import configs
from ..layers.input_configs import CharLSTM, InputLayerConfig, Vectors, make_input_layer
from ..scores import ParserScores, ScoresGradient, SparseGradient
from . import batches
from .inference.parser import ParserInference, has_numpy_form
from .torch import network as layer
from .torch.network import run_module, to_numpy
from .vectors import Tok2Vec

MODEL_NAME = "lal_parser"
ParserModel = Model[list[Doc], list[ParserScores]]


def build_lal_parser(
    tok2vec: Optional[Model[list[Doc], list[Floats2d]]] = None,
    *,
    label_attention: Optional[configs.LabelAttentionConfig],
    span_scorer: Optional[configs.SpanScorerConfig],
    biaffine_scorer: Optional[configs.BiaffineScorerConfig],
    inputs: Optional[InputLayerConfig] = None,
    encoder: Optional[configs.EncoderConfig] = None,
    fenceposts: Optional[configs.FencepostsConfig] = None,
    hidden_width: int = 256,
) -> ParserModel:
    """Build a LAL parser (Mrini et al. 2020): one `ParserScores` for each sentence, in
    order over all Docs. Whitespace tokens are left out. The defaults are small, for a
    model without a transformer.

    tok2vec (Optional[Model]): Token vectors, an array for each Doc. If its attribute
        `sentence_rows` is true, an array for each sentence, (n + 2, width). May listen
        to another component.
    label_attention (Optional[LabelAttentionConfig]): None for a network without it.
    span_scorer (Optional[SpanScorerConfig]): None to parse only dependencies.
    biaffine_scorer (Optional[BiaffineScorerConfig]): None to parse only constituents.
    inputs (Optional[InputLayerConfig]): None: a `CharLSTM` and the vectors of the
        tok2vec, if any.
    encoder (Optional[EncoderConfig]): None: two layers of self-attention.
    fenceposts (Optional[FencepostsConfig]): None: its defaults.
    hidden_width (int): Width of positions from the input layer to label attention.
    RETURNS (ParserModel): The model. `set_dropout_rate`, hence `drop` of `nlp.update`,
        does not change the dropout rates of the blocks.
    RAISES (ValueError): The blocks do not fit together; the message names the option.
    """
    if inputs is None:
        inputs = make_input_layer(CharLSTM(), *([] if tok2vec is None else [Vectors()]))
    network = configs.ParserNetworkConfig(
        hidden_width=hidden_width,
        inputs=inputs,
        encoder=encoder
        or configs.EncoderConfig((configs.SelfAttentionLayerConfig(repeat=2),)),
        label_attention=label_attention,
        fenceposts=fenceposts or configs.FencepostsConfig(),
        span_scorer=span_scorer,
        biaffine_scorer=biaffine_scorer,
    )
    return assemble_parser(tok2vec, network)


def assemble_parser(
    tok2vec: Optional[Tok2Vec], network: configs.ParserNetworkConfig
) -> ParserModel:
    """Build a parser's model from its parts.

    RAISES (ValueError): Vectors are read without a tok2vec, or not read."""
    features = {feature.kind for feature in network.inputs.features}
    if ("vectors" in features) != (tok2vec is not None):
        raise ValueError(
            "expected a tok2vec and inputs that read its vectors "
            "(spacy-lal.Vectors.v1), or neither; got inputs that read "
            f"{', '.join(sorted(features))}, and {tok2vec and tok2vec.name!r} as the "
            "tok2vec"
        )
    if tok2vec is not None:
        learned_boundaries = not tok2vec.attrs.get("sentence_rows")
        kinds = tuple(
            replace(feature, learned_boundaries=learned_boundaries)
            if isinstance(feature, Vectors)
            else feature
            for feature in network.inputs.features
        )
        network = replace(network, inputs=replace(network.inputs, features=kinds))
    options = batches.ReadingOptions(
        use_tags="tags" in features,
        use_chars=network.inputs.alphabet is not None,
        use_words="words" in features,
    )
    if options.use_chars:
        n_letters = network.inputs.letters_read(network.hidden_width)
        options = replace(options, max_word_length=n_letters)
    layers: list[Model] = [
        batches.sentence_features(options),
        layer.network_layer("parser_network", ParserTask(network)),
    ]
    layers = layers if tok2vec is None else [tok2vec, *layers]
    return Model(MODEL_NAME, forward, init=batches.init, layers=layers)


def set_vocabularies(
    model: ParserModel,
    *,
    n_labels: int,
    n_deprels: int,
    tags: Sequence[str] = (),
    chars: Sequence[str] = (),
    words: Optional[Mapping[str, int]] = None,
) -> None:
    """Set the training data's vocabularies and sizes. Weights for other sizes are
    dropped. What the model does not read is ignored.

    n_labels (int): With EMPTY and SUB_HEAD; 0 for no constituents.
    words (Optional[Mapping[str, int]]): With their numbers."""
    words = words or {}
    attrs = model.layers[-2].attrs
    shim = batches.get_shim(model)
    attrs.update(
        tags=list(tags),
        chars=list(chars),
        words=list(words),
        word_counts=list(words.values()),
    )
    reads: batches.ReadingOptions = attrs["options"]
    sizes = {"n_labels": n_labels, "n_deprels": n_deprels}
    if reads.use_tags:
        sizes["n_tags"] = batches.N_SPECIAL_IDS + len(tags)
    if reads.use_chars:
        sizes["n_chars"] = batches.N_SPECIAL_CHARS + len(chars)
    if reads.use_words:
        sizes["n_words"] = batches.N_SPECIAL_IDS + len(words)
    # One head for each label but EMPTY and SUB_HEAD (the authors: 112, hard-coded).
    attention = shim.config.label_attention
    n_heads = attention.n_heads if attention else None
    sizes["n_label_heads"] = n_heads or max(1, n_labels - 2)
    shim.set_sizes(sizes)


def get_network(model: ParserModel) -> Any:
    """The torch network, for example to load a checkpoint into.

    RAISES (ValueError): It does not exist yet."""
    return batches.get_shim(model).network


def encode(
    model: ParserModel, doc: Doc, numbers: Sequence[int]
) -> list[tuple[ndarray, Optional[ndarray]]]:
    """What the scorers read of some sentences of a Doc, each with words: fenceposts,
    *shape:* (n + 1, width), and label attention over START, words, STOP, *shape:*
    (n_label_heads, n + 2), None in a network without it."""
    batch, _ = batches.embed(model, [doc], False, [read_words(doc)])
    shim = batches.get_shim(model)
    return [encode_sentence(shim, batch, number) for number in numbers]


def encode_sentence(
    shim: layer.NetworkShim, batch: batches.NetworkBatch, number: int
) -> tuple[ndarray, Optional[ndarray]]:
    """What the scorers read of a sentence with words; see `encode`."""
    inference = shim.inference
    if isinstance(inference, ParserInference):
        return inference.encode(batch, number)
    fenceposts, weights = map(to_numpy, run_module(shim, batch, [number], "encode"))
    return fenceposts[0], None if weights is None else weights[0]


def forward(
    model: ParserModel, docs: list[Doc], is_train: bool
) -> tuple[list[ParserScores], Callable]:
    """Score every sentence of the Docs; the backward pass returns the result of the
    tok2vec's backward pass."""
    batch, backprop_vectors = batches.embed(model, docs, is_train)
    scores, backprop_network = model.layers[-1](batch, is_train)

    def backprop(d_scores: Sequence[ScoresGradient]) -> list[Doc]:
        d_data = backprop_network(d_scores)
        return [] if d_data is None else backprop_vectors(d_data)

    return scores, backprop


class ParserTask:
    """A parser's network for `NetworkShim`; methods are those of `Task`."""

    has_ends = True
    scores = ParserScores

    def __init__(self, config: configs.ParserNetworkConfig) -> None:
        self.config = config

    def sizes(self, cfg: Mapping[str, int]) -> configs.ParserSizes:
        """See `Task`."""
        return configs.ParserSizes(**cfg)

    def build_module(self, sizes: configs.ParserSizes) -> Any:
        """See `Task`."""
        from ..layers.parser_network import ParserNetwork

        return ParserNetwork(self.config, sizes)

    def build_inference(
        self, sizes: configs.ParserSizes, weights: Mapping[str, ndarray], int8: bool
    ) -> Optional[ParserInference]:
        """See `Task`."""
        if not has_numpy_form(self.config):
            return None
        return ParserInference(self.config, sizes, weights, int8=int8)

    def pad(
        self, batch: batches.NetworkBatch, indices: Sequence[int]
    ) -> dict[str, ndarray]:
        """See `Task`."""
        features = [batch.features[i] for i in indices]
        lengths = numpy.array(batch.lengths)[indices]
        shape = (len(indices), lengths.max() + 2)
        arrays = {"lengths": lengths}
        for name in ("tag_ids", "word_ids"):
            ids = [getattr(sentence, name) for sentence in features]
            if ids[0] is not None:
                arrays[name] = batches.pad_arrays(ids, shape, "int64")
        if features[0].chars is not None:
            chars = [sentence.chars or [] for sentence in features]
            arrays["char_ids"], arrays["char_lengths"] = _pad_chars(chars, shape)
        return arrays

    def unpad(self, output: Any, lengths: Sequence[int]) -> list[ParserScores]:
        """See `Task`."""
        labels, arcs, deprels, label_heads = map(to_numpy, output[:4])
        scores = []
        for k, length in enumerate(lengths):
            side = slice(length + 1)
            of_deprels = deprels[k, side]
            if deprels.ndim == 4:
                of_deprels = of_deprels[:, side]
            parts = [labels[k, side, side], arcs[k, side, side], of_deprels]
            if label_heads is not None:
                parts.append(label_heads[k, side])
            scores.append(ParserScores(*map(numpy.ascontiguousarray, parts)))
        return scores

    def gradients(
        self, output: Any, d_scores: Sequence[ScoresGradient]
    ) -> tuple[list[Any], list[Any]]:
        """See `Task`. A chart whose gradients are all sparse is reduced to the cells
        that they name."""
        import torch

        tensors = []
        grads = []
        for field in ("labels", "arcs", "deprels", "label_heads"):
            tensor = getattr(output, field)
            if tensor is None or not tensor.requires_grad:  # an unused scorer
                continue
            gradients = [getattr(gradient, field) for gradient in d_scores]
            if any(isinstance(gradient, SparseGradient) for gradient in gradients):
                cells, grad = _joined_cells(gradients)
                tensor = tensor[tuple(torch.from_numpy(cells).to(tensor.device))]
            else:
                grad = batches.pad_arrays(gradients, tuple(tensor.shape))
            tensors.append(tensor)
            grads.append(torch.from_numpy(grad).to(tensor.device, tensor.dtype))
        return tensors, grads

    def nothing(self, sizes: configs.ParserSizes) -> ParserScores:
        """See `Task`."""
        return ParserScores(
            labels=numpy.zeros((0, 0, 0), dtype="float32"),
            arcs=numpy.zeros((1, 1), dtype="float32"),
            deprels=numpy.zeros((1, 0), dtype="float32"),
        )


def _joined_cells(
    gradients: Sequence[Optional[SparseGradient]],
) -> tuple[ndarray, ndarray]:
    """The cells of a batch's sparse gradients, with the number of their sentence first,
    and their values. *Shapes:* (n_dims, n_cells), (n_cells, ...)."""
    sentences = []
    cells = []
    values = []
    for k, gradient in enumerate(gradients):
        if isinstance(gradient, SparseGradient):
            sentences.append(numpy.full(len(gradient.cells), k))
            cells.append(gradient.cells)
            values.append(gradient.values)
    indices = [numpy.concatenate(sentences), *numpy.concatenate(cells).T]
    return numpy.stack(indices), numpy.concatenate(values)


def _pad_chars(
    chars: Sequence[Sequence[Sequence[int]]], shape: tuple[int, int]
) -> tuple[ndarray, ndarray]:
    """Character ids of words, and their numbers. *Shapes:* (*shape, longest word),
    shape."""
    n_chars = [numpy.array([len(word) for word in words]) for words in chars]
    lengths = batches.pad_arrays(n_chars, shape, "int64")
    padded = numpy.zeros((*shape, lengths.max()), dtype="int64")
    for of_sentence, words in zip(padded, chars, strict=True):
        for row, word in zip(of_sentence, words, strict=False):
            row[: len(word)] = word
    return padded, lengths
