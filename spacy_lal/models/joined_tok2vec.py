"""`spacy-lal.JoinedTok2Vec.v1`: the vectors of several tok2vecs side by side.

For example, an uncased transformer and the tokens' shapes. thinc's own `concatenate` adds up the results of the layers'
backward passes, which differ in form between a listener and an embedding; they are not used.

Without its transformer's output, a listener of spacy-transformers silently returns zeros. Here that is an error.
In prediction, components that pool the same output of a transformer share the pooled vectors.
"""

import threading
import weakref
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from .quick_embed import predict_embedding

Tok2Vec = Model[List[Doc], List[Floats2d]]

DATA = "trf_data"
TRANSFORMER_LISTENER = "transformer-listener"

# The Docs with which each thread has last initialised a model. No transformer has run on them, but thinc's `chain` asks
# for their vectors to tell the next layer their width.
_samples = threading.local()


class _Pooled(NamedTuple):
    """What each thread has last pooled.

    pooling (str): How.
    outputs (Sequence): Weak references to the transformer's output for each Doc.
    vectors (List[Floats2d]): For each Doc. Shape: (n_tokens, width). Emptied when an output is gone.
    """

    pooling: str
    outputs: Sequence["weakref.ref[Any]"]
    vectors: List[Floats2d]


_pooled = threading.local()


def build_joined_tok2vec(*tok2vecs: Tok2Vec) -> Tok2Vec:
    """Build a tok2vec from several others.

    *tok2vecs (Model[List[Doc], List[Floats2d]]): At least one. May listen to other components.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape (n_tokens, sum of the widths).
    RAISES (ValueError): `tok2vecs` is empty.
    """
    if not tok2vecs:
        raise ValueError("a JoinedTok2Vec needs at least one tok2vec: expected [..tok2vec.*.NAME] blocks, got none")
    return Model("joined_tok2vec", forward, init=init, layers=list(tok2vecs), dims={"nO": None})


def init(model: Tok2Vec, X: Optional[List[Doc]] = None, Y: Optional[List[Floats2d]] = None) -> None:
    """Initialise the parts. The width is the sum of their widths, if all are known."""
    _samples.last = X
    for layer in model.layers:
        layer.initialize(X=X)
    widths = [layer.maybe_get_dim("nO") for layer in model.layers]
    if all(widths):
        model.set_dim("nO", sum(width for width in widths if width), force=True)


def forward(model: Tok2Vec, docs: List[Doc], is_train: bool) -> Tuple[List[Floats2d], Callable]:
    """Run the parts; the backward pass splits the gradient among them.

    RAISES (ValueError): A part listens to a transformer that has not run on one of the Docs, or the number of its
        vectors differs from the Doc's tokens.
    """
    if not is_train and docs is not getattr(_samples, "last", None):
        _require_transformer(model, docs)
    called = (layer(docs, is_train) if is_train else _predict(layer, docs) for layer in model.layers)
    parts, backprops = zip(*called, strict=True)
    for layer, arrays in zip(model.layers, parts, strict=True):
        for doc, array in zip(docs, arrays, strict=True):
            if len(array) != len(doc):
                raise ValueError(
                    f"'{layer.name}' has {len(array)} vectors for the {len(doc)} tokens of the Doc {doc.text[:40]!r}. "
                    "A component that merges or splits tokens, such as merge_entities, can stand before the "
                    "transformer or after all components that listen to it, not between them"
                )
    joined = [model.ops.xp.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)]

    def backprop(d_joined: List[Floats2d]) -> List[Doc]:
        first = 0
        for arrays, backprop_part in zip(parts, backprops, strict=True):
            width = max((array.shape[1] for array in arrays), default=0)  # an empty Doc may have width 0
            backprop_part([model.ops.xp.ascontiguousarray(d_doc[:, first : first + width]) for d_doc in d_joined])
            first += width
        return docs

    return joined, backprop


def _predict(layer: Tok2Vec, docs: List[Doc]) -> Tuple[List[Floats2d], Callable]:
    """The vectors of a part. A transformer listener's vectors are pooled once for all components in turn."""
    pooling = _pooling(layer)
    if pooling is None or not all(_has_output(doc) for doc in docs):
        embedded = predict_embedding(layer, docs)
        return layer(docs, is_train=False) if embedded is None else (embedded, _no_backprop)
    outputs = [doc._.get(DATA) for doc in docs]
    last: Optional[_Pooled] = getattr(_pooled, "last", None)
    if (
        last is None
        or last.pooling != pooling
        or len(last.outputs) != len(outputs)
        or any(ref() is not output for ref, output in zip(last.outputs, outputs, strict=True))
    ):
        vectors = layer.predict(docs)
        refs = [weakref.ref(output, lambda _: vectors.clear()) for output in outputs]
        last = _pooled.last = _Pooled(pooling, refs, vectors)
    return last.vectors, _no_backprop


def _pooling(layer: Tok2Vec) -> Optional[str]:
    """The name of a listener's pooling, if it has no weights; None for other layers."""
    if len(layer.layers) != 2 or layer.layers[0].name != TRANSFORMER_LISTENER or len(layer.layers[1].layers) != 1:
        return None
    pooling = layer.layers[1].layers[0]
    return None if pooling.param_names or pooling.layers or pooling.shims else pooling.name


def _no_backprop(d_vectors: List[Floats2d]) -> List[Doc]:
    return []  # as a listener's


def _has_output(doc: Doc) -> bool:
    return doc.has_extension(DATA) and doc._.get(DATA) is not None


def _require_transformer(model: Tok2Vec, docs: List[Doc]) -> None:
    without = [doc for doc in docs if len(doc) and not _has_output(doc)]
    if not without:
        return
    listener = next((node for node in model.walk() if node.name == TRANSFORMER_LISTENER), None)
    if listener is not None:
        for doc in without:
            raise ValueError(
                f"the transformer '{listener.upstream_name}' has not run on the Doc {doc.text[:40]!r} "  # type: ignore
                f"(doc._.{DATA} is not set), and a component that listens to it would answer by zeros: expected it in "
                "the pipeline, enabled and before all that listen to it (tagger, senter). Either enable the "
                "transformer or add it, or leave these components out, too"
            )
