"""Learned vectors of tags and of words, looked up by id (reference-parser.md 1.4)."""

from dataclasses import dataclass

from torch import Tensor, nn

from ..checks import check_count, check_flags, check_rates
from ..dropout import FeatureDropout
from ..network_inputs import InputSizes, NetworkInputs
from . import WordFeature


class Embedding(nn.Module):
    """A table of vectors with feature dropout.

    field (str): The field of `NetworkInputs` that holds the ids.
    n_ids (int): Rows of the table.
    width (int): Width of a vector.
    dropout (float): Feature dropout.
    """

    def __init__(self, field: str, n_ids: int, width: int, dropout: float) -> None:
        super().__init__()
        self.field = field
        self.embedding = nn.Embedding(n_ids, width)
        self.dropout = FeatureDropout(dropout)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        """Look up. RETURNS (Tensor): *Shape:* (batch_size, seq_len, width)."""
        return self.dropout(self.embedding(inputs.require(self.field)))


@dataclass(frozen=True)
class Tags(WordFeature):
    """Embeddings of fine part-of-speech tags (`token.tag_`).

    dropout (float): Feature dropout.
    """

    kind = "tags"
    dropout: float = 0.2

    def __post_init__(self) -> None:
        check_rates(dropout=self.dropout)

    def build(self, width: int, sizes: InputSizes) -> Embedding:
        """See `WordFeature`."""
        check_count("n_tags", sizes.n_tags)
        return Embedding("tag_ids", sizes.n_tags, width, self.dropout)


@dataclass(frozen=True)
class Words(WordFeature):
    """Embeddings of the words of the training data (`token.text`). A word outside is the unknown word.

    dropout (float): Feature dropout.
    drop_rare (bool): In training, read a word of count c as the unknown word with probability 1 / (1 + c), drawn for
        each token and pass, so that the unknown word is trained (Kitaev & Klein 2018; reference-encoders.md A3).
    """

    kind = "words"
    dropout: float = 0.4
    drop_rare: bool = True

    def __post_init__(self) -> None:
        check_rates(dropout=self.dropout)
        check_flags(drop_rare=self.drop_rare)

    def build(self, width: int, sizes: InputSizes) -> Embedding:
        """See `WordFeature`."""
        check_count("n_words", sizes.n_words)
        return Embedding("word_ids", sizes.n_words, width, self.dropout)
