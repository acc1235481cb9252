"""Token vectors: what encoders read of a Doc, whether vectors are of its present
tokens, and several side by side. Encoders read a treebank's words without their escapes
(`plain_doc`): `-LRB-` is read as `(`, `/.` as `.`; and a sentence in capitals as it is
written elsewhere. Without vectors to read, spaCy's listeners return zeros: here that is
an error, as are vectors of other tokens."""

import re
import threading
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import chain
from typing import Any, Optional

import numpy
from spacy.attrs import LENGTH, SPACY
from spacy.tokens import Doc
from thinc.api import Model, get_array_module
from thinc.types import Floats2d

from ..lang import conventions
from ..trees.brackets import unescape_word
from .windows import likely_breaks

Tok2Vec = Model[list[Doc], list[Floats2d]]

DATA = "trf_data"
LISTENERS = (
    "transformer-listener",
    "tok2vec-listener",
)  # spacy-transformers' and spaCy's

# The Docs with which each thread has last initialised a model. No encoder has run on
# them, but thinc's `chain` asks for their vectors to tell the next layer their width.
_samples = threading.local()

_MAY_ESCAPE = re.compile(r"-(?:[LR][RSC]B|U\+)|\\[/*]|``|''|/[.?!,:;-]|[\"«»‹›„“”]")
# The ends of two words in capitals, next to each other or with a short one between.
_CAPITALS = "[A-ZÀ-ÖØ-Þ]"
_SHORT = r"(?:[A-ZÀ-ÖØ-Þ0-9]{1,3}\W{1,3})?"
_MAY_BE_CAPITALS = re.compile(rf"{_CAPITALS}{{2}}\W{{1,3}}{_SHORT}{_CAPITALS}{{2}}")
_MIN_CAPITALS = 3  # words of a sentence that is in capitals
_QUOTES = {"``": '"', "''": '"', **{f"/{mark}": mark for mark in "-!,:;"}}


def unescape_token(word: str) -> str:
    r"""The word that a treebank token stands for.

    >>> [unescape_token(word) for word in ("-LRB-", "/.", "``", r"3\/4", "and/or")]
    ['(', '.', '"', '3/4', 'and/or']
    """
    return _QUOTES.get(word) or unescape_word(word)


def plain_words(doc: Doc) -> list[str]:
    """The words of a Doc without escapes, and those of a sentence in capitals in lower
    case but for its first letter."""
    words = [token.text for token in doc]
    text = doc.text
    if _MAY_ESCAPE.search(text):
        read_as = conventions(doc.vocab.lang).read_as
        words = [read_as.get(word) or unescape_token(word) or word for word in words]
    if _MAY_BE_CAPITALS.search(text):
        kept = conventions(doc.vocab.lang).capitals
        bounds = [0, *likely_breaks(doc), len(doc)]
        for start, end in zip(bounds, bounds[1:], strict=False):
            words[start:end] = _in_sentence_case(words[start:end], kept)
    return words


def _in_sentence_case(words: Sequence[str], kept: Container[str]) -> list[str]:
    """The words of a sentence, in lower case if it is in capitals.

    kept (Container[str]): Words that are always in capitals."""
    with_letters = [word for word in words if any(map(str.isalpha, word))]
    n_long = sum(len(word) > 1 for word in with_letters)
    is_long = len(with_letters) >= _MIN_CAPITALS and n_long > 1
    if not is_long or not all(map(str.isupper, with_letters)):
        return list(words)
    lowered = [word if word in kept else word.lower() for word in words]
    first = words.index(with_letters[0])
    if words[first].isalpha():
        lowered[first] = lowered[first].capitalize()
    return lowered


def plain_doc(doc: Doc) -> Doc:
    """A Doc of the words that encoders read (`plain_words`): itself, or a copy of its
    words, norms and spaces."""
    text = doc.text
    if not _MAY_ESCAPE.search(text) and not _MAY_BE_CAPITALS.search(text):
        return doc
    plain = plain_words(doc)
    if plain == [token.text for token in doc]:
        return doc
    copied = Doc(
        doc.vocab, words=plain, spaces=[bool(token.whitespace_) for token in doc]
    )
    for token, new in zip(doc, copied, strict=True):
        if token.lower_ == new.lower_:
            new.norm_ = token.norm_
    return copied


class TokenVectors(numpy.ndarray):
    """An array that knows the tokens it was made for."""

    made_for: Optional[int] = None

    def __array_finalize__(self, other: Any) -> None:
        """Slices and copies are of the same tokens; `require_vectors` compares them
        with the Doc's."""
        self.made_for = getattr(other, "made_for", None)


def with_tokens(vectors: Any, doc: Doc) -> Any:
    """Vectors that know the Doc's present tokens; arrays of a GPU as they are. *Shape:*
    (n_tokens, width)."""
    if isinstance(vectors, numpy.ndarray):
        vectors = vectors.view(TokenVectors)
        vectors.made_for = tokens_hash(doc)
    return vectors


def tokens_hash(doc: Doc) -> int:
    """A number that differs for a Doc whose tokens were merged or split."""
    return hash(doc.to_array([LENGTH, SPACY]).tobytes())


def build_joined_tok2vec(*tok2vecs: Tok2Vec) -> Tok2Vec:
    """Build a tok2vec from several others.

    *tok2vecs (Model[List[Doc], List[Floats2d]]): At least one. May listen to other
    components.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape
        (n_tokens, sum of the widths).
    """
    return Model(
        "joined_tok2vec", forward, init=init, layers=list(tok2vecs), dims={"nO": None}
    )


def init(
    model: Tok2Vec, X: Optional[list[Doc]] = None, Y: Optional[list[Floats2d]] = None
) -> None:
    """Initialise the parts. The width is the sum of their widths, if all are known."""
    _samples.last = X
    for layer in model.layers:
        layer.initialize(X=X)
    widths = [layer.maybe_get_dim("nO") for layer in model.layers]
    if all(widths):
        model.set_dim("nO", sum(width for width in widths if width), force=True)


def forward(
    model: Tok2Vec, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Run the parts; the backward pass splits the gradient among them.

    RAISES (ValueError): See `require_vectors`."""
    parts, backprops = _run_parts(model, docs, is_train)
    xp = model.ops.xp
    joined = [
        JoinedRows([*map(xp.asarray, arrays)])[:] for arrays in zip(*parts, strict=True)
    ]

    def backprop(d_joined: list[Floats2d]) -> list[Doc]:
        first = 0
        for arrays, backprop_part in zip(parts, backprops, strict=True):
            width = max(
                (array.shape[1] for array in arrays), default=0
            )  # an empty Doc may have width 0
            backprop_part(
                [
                    xp.ascontiguousarray(d_doc[:, first : first + width])
                    for d_doc in d_joined
                ]
            )
            first += width
        return docs

    return joined, backprop


def _run_parts(model: Tok2Vec, docs: list[Doc], is_train: bool) -> tuple[Any, Any]:
    """For each part the arrays of the Docs, and its backward pass."""
    listening = [listeners(layer) for layer in model.layers]
    if not is_train and docs is not getattr(_samples, "last", None):
        require_vectors(chain.from_iterable(listening), docs)
    plain = [plain_doc(doc) for doc in docs]
    inputs = [docs if of_layer else plain for of_layer in listening]
    outputs = []
    backprops = []
    for layer, X in zip(model.layers, inputs, strict=True):
        arrays, backprop = layer(X, is_train)
        outputs.append(arrays)
        backprops.append(backprop)
    return outputs, backprops


class JoinedRows:
    """Arrays side by side, joined where rows are read: joined at once, they would take
    as much memory again."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = parts
        self.shape = len(parts[0]), sum(part.shape[1] for part in parts)

    def __getitem__(self, rows: Any) -> Any:
        read = [part[rows] for part in self.parts]
        xp = get_array_module(read[-1])
        return xp.concatenate(read, axis=-1) if len(read) > 1 else read[0]


def predict_rows(model: Tok2Vec, docs: list[Doc]) -> JoinedRows:
    """The vectors of all words of some Docs, one after the other.

    docs (List[Doc]): At least one word."""
    if model._func is forward:
        parts, _ = _run_parts(model, docs, False)
    else:
        parts = [model.predict(docs)]
    return JoinedRows([rows_of_docs(model, arrays) for arrays in parts])


def rows_of_docs(model: Model, arrays: Iterable[Floats2d]) -> Floats2d:
    """The rows of all Docs, one after the other. An empty Doc may have another
    width."""
    rows = [model.ops.asarray2f(array) for array in arrays if len(array)]
    return rows[0] if len(rows) == 1 else model.ops.xp.concatenate(rows)


def listeners(model: Model) -> list[Any]:
    """The layers of a model that listen to another component, or the model itself."""
    listening = []
    for layer in model.walk(order="dfs_pre"):
        if layer.name in LISTENERS:
            listening.append(layer)
    return listening


def require_vectors(listening: Iterable[Any], docs: list[Doc]) -> None:
    """Check that Docs have the vectors that some `listeners` read.

    RAISES (ValueError): A component that they listen to has not run on a Doc, or ran on
        other tokens."""
    for listener in listening:
        name = listener.upstream_name
        for doc in docs:
            vectors: Any = doc.tensor  # doc_cleaner may set None
            rows = vectors
            if listener.name == LISTENERS[0]:
                vectors = doc._.get(DATA) if doc.has_extension(DATA) else None
                rows = None if vectors is None else vectors.align.lengths
            n_rows = 0 if rows is None else len(rows)
            if len(doc) and not n_rows:
                raise ValueError(
                    f"'{name}' has not run on the Doc {doc.text[:40]!r}, and a "
                    "component that listens to it would read "
                    "zeros: expected it in the pipeline, enabled and before all that "
                    "listen to it (tagger, senter). "
                    f"Either enable '{name}' or add it, or leave these components out, "
                    f"too; or make '{name}' a part of "
                    "them by nlp.replace_listeners, in the pipeline that they come from"
                )
            made_for = getattr(vectors, "made_for", None)
            if n_rows != len(doc) or made_for not in (None, tokens_hash(doc)):
                raise ValueError(
                    f"'{name}' has run when the Doc {doc.text[:40]!r} had other tokens "
                    f"or spaces ({n_rows} tokens, and "
                    f"it has {len(doc)}). A component that merges or splits tokens, "
                    "such as merge_entities, can stand "
                    f"before '{name}' or after all components that listen to it, not "
                    "between them"
                )
