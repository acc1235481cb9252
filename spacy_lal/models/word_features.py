"""`spacy-lal.WordFeatures.v1`: vectors of words from their shapes, affixes and forms,
as `spacy.MultiHashEmbed.v2` has them, with its layers and weights. To parse, the tables
are multiplied by the layer after them once, so that a word's rows are only added."""

from spacy.ml.models import MultiHashEmbed

from .stored_layers import FoldedTables, StoredForward, table_weights
from .vectors import Tok2Vec


def build_word_features(width: int, attrs: list[str], rows: list[int]) -> Tok2Vec:
    """Build the model.

    width (int): Width of a word's vector.
    attrs (List[str]): Attributes of words, such as "SHAPE", "SUFFIX", "LOWER".
    rows (List[int]): Rows of the table of each attribute.
    RETURNS (Model[List[Doc], List[Floats2d]]): For each Doc an array of shape
        (n_tokens, width).
    RAISES (ValueError): There are not as many numbers of rows as attributes.
    """
    model = MultiHashEmbed(width, attrs, rows, include_static_vectors=False)
    model._func = StoredForward(table_weights, FoldedTables)  # type: ignore[assignment]
    return model
