"""`spacy-lal.JoinedTok2Vec.v1`: the vectors of several tok2vecs side by side.

For instance of an uncased transformer, and of the tokens' shapes. thinc's own `concatenate` adds up what the layers'
backward passes return, which a listener and an embedding return each in its own way; nobody reads it.
"""

from typing import Callable, List, Optional, Tuple

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

Tok2Vec = Model[List[Doc], List[Floats2d]]


def build_joined_tok2vec(*tok2vecs: Tok2Vec) -> Tok2Vec:
    """Build a tok2vec out of others.

    *tok2vecs (Model[List[Doc], List[Floats2d]]): At least one. May listen to other components.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape (n_tokens, sum of the widths).
    RAISES (ValueError): Without any.
    """
    if not tok2vecs:
        raise ValueError("a JoinedTok2Vec needs at least one tok2vec: expected [..tok2vec.*.NAME] blocks, got none")
    return Model("joined_tok2vec", forward, init=init, layers=list(tok2vecs), dims={"nO": None})


def init(model: Tok2Vec, X: Optional[List[Doc]] = None, Y: Optional[List[Floats2d]] = None) -> None:
    """Initialise the parts; the width is the sum of theirs where all of them tell."""
    for layer in model.layers:
        layer.initialize(X=X)
    widths = [layer.maybe_get_dim("nO") for layer in model.layers]
    if all(widths):
        model.set_dim("nO", sum(width for width in widths if width), force=True)


def forward(model: Tok2Vec, docs: List[Doc], is_train: bool) -> Tuple[List[Floats2d], Callable]:
    """Run the parts; backward shares the gradient out among them.

    RAISES (ValueError): A part gives vectors for other tokens than the Doc has.
    """
    parts, backprops = zip(*(layer(docs, is_train) for layer in model.layers), strict=True)
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
            width = max((array.shape[1] for array in arrays), default=0)  # of an empty Doc it may be 0
            backprop_part([model.ops.xp.ascontiguousarray(d_doc[:, first : first + width]) for d_doc in d_joined])
            first += width
        return docs

    return joined, backprop
