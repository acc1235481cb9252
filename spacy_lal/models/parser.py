"""`spacy-lal.LALParser.v1`: the Label Attention Layer parser as a thinc model, from
Docs to `ParserScores`.

It has two or three layers: a `tok2vec` (if any), `sentence_features`, `parser_network`.
The protocol with a component:
1. build: sizes that come from data are not known yet;
2. `set_vocabularies(model, n_labels=..., n_deprels=..., tags=[...], chars=[...],
   words={...})`;
3. `model.initialize(X=docs)`, or `model.from_bytes` / `from_disk`, which need no step
   2;
4. `model.predict(docs)`, `model.begin_update(docs)`, or, with less memory,
   `iter_scores(model, docs)`."""

from dataclasses import replace
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotations import Sentences, read_words
from ..layers import configs
from ..layers.input_configs import CharLSTM, InputLayerConfig, Vectors, make_input_layer
from ..scores import AnyScores, ParserScores, ScoresGradient, SparseGradient
from . import batches
from .inference.parser import ParserInference, has_numpy_form
from .torch import network as layer
from .torch.network import run_module, to_numpy

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
    tok2vec: Optional[batches.Tok2Vec], network: configs.ParserNetworkConfig
) -> ParserModel:
    """Build a parser's model from its parts.

    RAISES (ValueError): Vectors are read without a tok2vec, or not read."""
    features = {feature.kind: feature for feature in network.inputs.features}
    if ("vectors" in features) != (tok2vec is not None):
        if tok2vec is None:
            raise ValueError(
                "the inputs read vectors (spacy-lal.Vectors.v1), and there is no "
                "tok2vec"
            )
        raise ValueError(
            "there is a tok2vec, and the inputs do not read its vectors: expected a "
            "feature spacy-lal.Vectors.v1"
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
    alphabet = network.inputs.alphabet
    options = batches.ReadingOptions(
        use_tags="tags" in features,
        use_chars=alphabet is not None,
        use_words="words" in features,
        **(
            {}
            if alphabet is None
            else {"max_word_length": network.inputs.letters_read(network.hidden_width)}
        ),
    )
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
    sizes["n_label_heads"] = (attention is not None and attention.n_heads) or max(
        1, n_labels - 2
    )
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
    if inference is not None:
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


def iter_scores(
    model: ParserModel,
    docs: list[Doc],
    *,
    pruned: bool = False,
    sentences: Optional[Sequence[Sentences]] = None,
) -> Iterator[tuple[list[int], Sequence[AnyScores]]]:
    """Numbers of sentences, over all Docs, and their scores, in sub-batches. pruned:
    Whether `PrunedScores` suffice. A network that runs in torch gives `ParserScores`
    all the same. sentences: For each Doc, the words of its sentences or parts. None:
    its sentences."""
    batch, _ = batches.embed(model, docs, is_train=False, sentences=sentences)
    yield from layer.iter_scores(model.layers[-1], batch._replace(pruned=pruned))


class ParserTask:
    """A parser's network for `NetworkShim`; methods are those of `Task`."""

    has_ends = True

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
        self,
        batch: batches.NetworkBatch,
        indices: Sequence[int],
        vectors: Any,
        device: Any,
    ) -> Any:
        """See `Task`."""
        import torch

        from ..layers.inputs import NetworkInputs

        features = [batch.features[i] for i in indices]
        lengths = numpy.array([one.length for one in features], dtype="int64")
        shape = (len(indices), int(lengths.max()) + 2)
        arrays = {"lengths": lengths}
        for name in ("tag_ids", "word_ids"):
            if getattr(features[0], name) is not None:
                ids = [getattr(one, name) for one in features]
                arrays[name] = _pad_arrays(ids, shape, "int64")
        if features[0].chars is not None:
            chars = [one.chars or [] for one in features]
            arrays["char_ids"], arrays["char_lengths"] = _pad_chars(chars, shape)
        return NetworkInputs(
            vectors=vectors,
            has_boundary_vectors=(
                batch.vectors is not None and batch.vectors.has_boundaries
            ),
            **{name: torch.from_numpy(one).to(device) for name, one in arrays.items()},
        )

    def unpad(self, output: Any, lengths: Sequence[int]) -> list[ParserScores]:
        """See `Task`."""
        labels, arcs, deprels, label_heads = map(to_numpy, output)
        given_head = deprels.ndim == 4
        scores = []
        for k, length in enumerate(lengths):
            side = slice(length + 1)
            of_deprels = deprels[k, side, side] if given_head else deprels[k, side]
            of_sentence = ParserScores(
                labels=numpy.ascontiguousarray(labels[k, side, side]),
                arcs=numpy.ascontiguousarray(arcs[k, side, side]),
                deprels=numpy.ascontiguousarray(of_deprels),
            )
            if label_heads is not None:
                of_sentence = of_sentence._replace(
                    label_heads=numpy.ascontiguousarray(label_heads[k, side])
                )
            scores.append(of_sentence)
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
                grad = _pad_arrays(gradients, tuple(tensor.shape))
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
    chars: Sequence[list[Sequence[int]]], shape: tuple[int, int]
) -> tuple[ndarray, ndarray]:
    """Character ids of words, and their numbers. *Shapes:* (*shape, longest word),
    shape."""
    lengths = numpy.zeros(shape, dtype="int64")
    longest = max(len(word) for words in chars for word in words)
    padded = numpy.zeros((*shape, longest), dtype="int64")
    for k, words in enumerate(chars):
        for j, word in enumerate(words):
            lengths[k, j] = len(word)
            padded[k, j, : len(word)] = word
    return padded, lengths


def _pad_arrays(
    arrays: Sequence[Optional[ndarray]], shape: tuple[int, ...], dtype: str = "float32"
) -> ndarray:
    padded = numpy.zeros(shape, dtype=dtype)
    for k, array in enumerate(arrays):
        if array is not None and array.size:
            padded[k][tuple(slice(size) for size in array.shape)] = array
    return padded
