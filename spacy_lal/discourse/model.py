"""`spacy-lal.UnitsModel.v1`: for each token, whether a discourse unit starts there, or
goes on there after another that interrupted it. In layers, words hear their neighbours
in the text and in the tree. All layers are thinc's."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
from thinc.types import Floats2d, Ints2d

from ..models.vectors import Tok2Vec, rows_of_docs

# The classes of a token; white space is inside.
INSIDE, START, CONTINUATION = range(3)
N_CLASSES = 3
N_PIECES = 2  # of maxout
N_LABELS = 3
N_NEIGHBOURS = 6
_COLUMNS: list[int | str] = ["IS_SPACE", "SENT_START", "HEAD", "DEP", "TAG"]


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
    tables: list[Model[Ints2d, Floats2d]] = [
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
    model: Any, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Give probabilities. The backward pass takes the gradient of the cross-entropy by
    the scores before the softmax."""
    tok2vec, project, embed, join, *mixers, output = model.layers
    xp = model.ops.xp
    structure = read_structure(docs)
    ends = numpy.cumsum([len(doc) for doc in docs])
    of_docs, backprop_vectors = tok2vec(docs, is_train)
    vectors = rows_of_docs(model, of_docs)
    projected, backprop_projected = project(vectors, is_train)
    embedded, backprop_embedded = embed(structure.labels, is_train)
    joined = xp.hstack([projected[structure.words], embedded])
    words, backprop_joined = join(joined, is_train)
    backprops = []
    for mix in mixers:
        heard, backprop_heard = _hear(words, structure.neighbours, model.ops)
        mixed, backprop_mixed = mix(heard, is_train)
        words = words + mixed
        if is_train:  # backward passes hold all that layers have heard
            backprops.append((backprop_mixed, backprop_heard))
        del heard, backprop_heard, backprop_mixed
    of_words, backprop_output = output(words, is_train)
    probabilities = xp.zeros((len(vectors), N_CLASSES), dtype="f")
    probabilities[:, INSIDE] = 1.0
    probabilities[structure.words] = of_words

    def backprop(d_scores: list[Floats2d]) -> list[Doc]:
        d_words = backprop_output(xp.concatenate(d_scores)[structure.words])
        for backprop_mixed, backprop_heard in reversed(backprops):
            d_words = d_words + backprop_heard(backprop_mixed(d_words))
        d_joined = backprop_joined(d_words)
        width = projected.shape[1]
        backprop_embedded(model.ops.as_contig(d_joined[:, width:]))
        d_projected = xp.zeros_like(projected)
        d_projected[structure.words] = d_joined[:, :width]
        d_vectors = backprop_projected(d_projected)
        backprop_vectors(xp.split(d_vectors, ends[:-1]))
        return docs

    return xp.split(probabilities, ends[:-1]), backprop


def _hear(
    words: Any, neighbours: ndarray, ops: Any
) -> tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
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
        ops.scatter_add(d_padded, rows, d_heard.reshape((-1, width)))
        return d_padded[:n_words]

    return padded[places].reshape(n_words, places.shape[1] * width), backprop


# What the network reads of parses


class DocStructure(NamedTuple):
    """The n words of some Docs, white space left out, one Doc after the other.

    words (ndarray): The place of each among all tokens. *Shape:* (n,)
    labels (ndarray): Hashes of its deprel and its tag, and a number for the ends of
        subtrees that it is. *Shape:* (n, N_LABELS), uint64
    neighbours (ndarray): The words before and after it; the highest word whose subtree
        it begins, and the head of that; the highest word whose subtree the word before
        it ends, and the head of that. n: none in its sentence. *Shape:* (n,
        N_NEIGHBOURS)"""

    words: ndarray
    labels: ndarray
    neighbours: ndarray


def read_structure(docs: Sequence[Doc]) -> DocStructure:
    """Read the parses of Docs.

    RAISES (ValueError): A Doc has no sentences, heads or tags."""
    for doc in docs:
        _check(doc)
    tokens = numpy.concatenate([doc.to_array(_COLUMNS) for doc in docs])
    lengths = [len(doc) for doc in docs]
    tokens[numpy.cumsum([0, *lengths[:-1]]), 1] = 1
    is_word = tokens[:, 0] == 0
    words = numpy.flatnonzero(is_word)
    offsets, deprels, tags = tokens[is_word, 2:].T
    places = numpy.arange(len(words))
    place_of = numpy.cumsum(is_word) - 1
    heads = place_of[words + offsets.astype("int64")]
    first, last = subtree_ends(heads)
    is_end = [first == places, last == places, heads < places]
    is_end += [first[heads] == places, last[heads] == places]
    kinds = sum(flag * 2**i for i, flag in enumerate(is_end))
    sentences = numpy.cumsum(tokens[:, 1] == 1)[is_word]
    return DocStructure(
        words,
        numpy.stack([deprels, tags, kinds], axis=1).astype("uint64"),
        _neighbours(heads, sentences, first, last),
    )


def _check(doc: Doc) -> None:
    """Check what the model reads.

    RAISES (ValueError): A Doc has no sentences, heads or tags."""
    columns = {"SENT_START": "senter", "DEP": "lal_parser", "TAG": "tagger"}
    for column, component in columns.items():
        if len(doc) > 1 and not doc.has_annotation(column):
            raise ValueError(
                f"units are found in parsed sentences, and the Doc {doc.text[:40]!r} "
                f"has no {column}: expected a component that sets it, such as "
                f"{component}, before lal_units; in training, in "
                "training.annotating_components"
            )


def _neighbours(
    heads: ndarray, sentences: ndarray, first: ndarray, last: ndarray
) -> ndarray:
    """The neighbours of words.

    sentences (ndarray): The number of each word's sentence. *Shape:* (n,)
    first, last (ndarray): See `subtree_ends`.
    RETURNS (ndarray): *Shape:* (n, N_NEIGHBOURS)"""
    none = len(heads)
    places = numpy.arange(none)
    padded = numpy.append(sentences, -1)
    before = numpy.where(padded[places - 1] == sentences, places - 1, none)
    after = numpy.where(padded[places + 1] == sentences, places + 1, none)
    head_of = numpy.append(numpy.where(heads == places, none, heads), none)
    begun = _highest(heads, first)
    ended = numpy.append(_highest(heads, last), none)[before]
    columns = [before, after, begun, head_of[begun], ended, head_of[ended]]
    return numpy.stack(columns, axis=1)


def subtree_ends(heads: ndarray) -> tuple[ndarray, ndarray]:
    """The first and the last word of each word's subtree.

    heads (ndarray): A root is its own head. *Shape:* (n,)
    RETURNS (Tuple[ndarray, ndarray]): *Shapes:* (n,)"""
    first = numpy.arange(len(heads))
    last = first.copy()
    above = heads
    while True:  # each pass reaches twice as far up as the one before
        numpy.minimum.at(first, above, first.copy())
        numpy.maximum.at(last, above, last.copy())
        if (above[above] == above).all():
            return first, last
        above = above[above]


def _highest(heads: ndarray, ends: ndarray) -> ndarray:
    """For each word, the highest one whose subtree it begins, or ends; itself where
    there is none.

    ends (ndarray): The first, or the last, word of each subtree. *Shape:* (n,)
    RETURNS (ndarray): *Shape:* (n,)"""
    places = numpy.arange(len(heads))
    link = numpy.where(ends[heads] == ends, heads, places)
    while (link[link] != link).any():
        link = link[link]
    return numpy.where(ends == places, link, places)
