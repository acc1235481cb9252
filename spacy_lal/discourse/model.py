"""`spacy-lal.UnitsModel.v1`: for each token, whether a discourse unit starts there, or
goes on there after another that interrupted it. In layers, words hear their neighbours
in the text and in the tree. All layers are thinc's."""

from typing import Any, Callable, List, Tuple

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import (
    Dropout,
    HashEmbed,
    Linear,
    Maxout,
    Model,
    Softmax,
    chain,
    concatenate,
)
from thinc.types import Floats2d

from ..models.vectors import Tok2Vec
from .structure import N_LABELS, N_NEIGHBOURS, read_structure

# The classes of a token; white space is inside.
INSIDE, START, CONTINUATION = range(3)
N_CLASSES = 3
N_PIECES = 2  # of maxout


def build_units_model(
    tok2vec: Tok2Vec,
    vector_width: int = 64,
    label_width: int = 16,
    label_rows: int = 200,
    hidden_width: int = 64,
    depth: int = 2,
) -> Tok2Vec:
    """Build the model.

    tok2vec (Model[List[Doc], List[Floats2d]]): Gives the vectors of tokens.
    vector_width (int): Width to which they are projected.
    label_width, label_rows (int): Width and rows of the table of each kind of label.
    hidden_width (int): Width of a word in the layers.
    depth (int): How many times words hear their neighbours.
    RETURNS (Model[List[Doc], List[Floats2d]]): Reads the parse of the Docs, too; for
        each Doc the probabilities of an array of shape (n_tokens, N_CLASSES)."""
    tables = [
        HashEmbed(label_width, label_rows, column=column, seed=column)
        for column in range(N_LABELS)
    ]
    joined_width = vector_width + N_LABELS * label_width
    heard_width = (1 + N_NEIGHBOURS) * hidden_width
    hidden = [
        Maxout(hidden_width, width, N_PIECES, normalize=True, dropout=0.0)
        for width in (joined_width, *[heard_width] * depth)
    ]
    output = Softmax(N_CLASSES, hidden_width)
    return Model(
        "units",
        forward,
        init=init,
        layers=[
            tok2vec,
            chain(Dropout(), Linear(vector_width)),
            concatenate(*tables),
            *hidden,
            output,
        ],
        refs={"output": output},
    )


def init(model: Any, X: Any = None, Y: Any = None) -> None:
    """Initialise the layers. The width of the vectors is the first layer's."""
    tok2vec, project, *layers = model.layers
    tok2vec.initialize(X=X)
    project.layers[1].set_dim("nI", tok2vec.get_dim("nO"))
    for layer in (project, *layers):
        layer.initialize()


def forward(
    model: Any, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    """Give probabilities. The backward pass takes the gradient of the cross-entropy by
    the scores before the softmax."""
    tok2vec, project, embed, join, *mixers, output = model.layers
    xp = model.ops.xp
    structure = read_structure(docs)
    ends = numpy.cumsum([len(doc) for doc in docs])
    of_docs, backprop_vectors = tok2vec(docs, is_train)
    vectors = xp.concatenate(of_docs)
    projected, backprop_projected = project(vectors[structure.words], is_train)
    embedded, backprop_embedded = embed(structure.labels, is_train)
    joined = xp.hstack([projected, embedded])
    words, backprop_joined = join(joined, is_train)
    backprops = []
    for mix in mixers:
        heard, backprop_heard = _hear(words, structure.neighbours, model.ops)
        mixed, backprop_mixed = mix(heard, is_train)
        words = words + mixed
        backprops.append((backprop_mixed, backprop_heard))
    found, backprop_found = output(words, is_train)
    probabilities = xp.zeros((len(vectors), N_CLASSES), dtype="f")
    probabilities[:, INSIDE] = 1.0
    probabilities[structure.words] = found

    def backprop(d_scores: List[Floats2d]) -> List[Doc]:
        d_words = backprop_found(xp.concatenate(d_scores)[structure.words])
        for backprop_mixed, backprop_heard in reversed(backprops):
            d_words = d_words + backprop_heard(backprop_mixed(d_words))
        d_joined = backprop_joined(d_words)
        width = projected.shape[1]
        backprop_embedded(model.ops.as_contig(d_joined[:, width:]))
        d_vectors = xp.zeros_like(vectors)
        d_projected = model.ops.as_contig(d_joined[:, :width])
        d_vectors[structure.words] = backprop_projected(d_projected)
        backprop_vectors(xp.split(d_vectors, ends[:-1]))
        return docs

    return xp.split(probabilities, ends[:-1]), backprop


def _hear(
    words: Any, neighbours: ndarray, ops: Any
) -> Tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    """The vectors of each word and of its neighbours, side by side; zeros where it has
    none.

    words (Floats2d): *Shape:* (n_words, width)
    RETURNS (Floats2d): *Shape:* (n_words, (1 + N_NEIGHBOURS) * width)"""
    n_words, width = words.shape
    padded = ops.xp.pad(words, ((0, 1), (0, 0)))
    places = numpy.insert(neighbours, 0, numpy.arange(n_words), axis=1)

    def backprop(d_heard: Floats2d) -> Floats2d:
        d_padded = ops.xp.zeros_like(padded)
        rows = ops.asarray(places.ravel(), dtype="i")
        ops.scatter_add(d_padded, rows, d_heard.reshape(-1, width))
        return d_padded[:n_words]

    return padded[places].reshape(n_words, places.shape[1] * width), backprop
