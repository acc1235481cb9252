"""The inputs of a network: a padded batch of sentences, and the sizes of the vocabularies behind its ids."""

from typing import NamedTuple, Optional

from torch import Tensor


class NetworkInputs(NamedTuple):
    """A batch of sentences, padded. Row 0 of a sentence is START, rows 1..n its words, row n + 1 STOP, then padding.

    lengths (Tensor): Words of each sentence, without START and STOP. *Shape:* (batch_size,).
    vectors (Optional[Tensor]): External word vectors. *Shape:* (batch_size, seq_len, vector_width).
    tag_ids (Optional[Tensor]): *Shape:* (batch_size, seq_len).
    word_ids (Optional[Tensor]): *Shape:* (batch_size, seq_len).
    char_ids (Optional[Tensor]): Characters of each word, padded with 0. *Shape:* (batch_size, seq_len, word_len).
    char_lengths (Optional[Tensor]): Characters of each word. *Shape:* (batch_size, seq_len).
    has_boundary_vectors (bool): Whether `vectors` has rows for START and STOP. If not, the network fills them in.
    """

    lengths: Tensor
    vectors: Optional[Tensor] = None
    tag_ids: Optional[Tensor] = None
    word_ids: Optional[Tensor] = None
    char_ids: Optional[Tensor] = None
    char_lengths: Optional[Tensor] = None
    has_boundary_vectors: bool = True

    def require(self, name: str) -> Tensor:
        """A field that the network reads.

        RAISES (ValueError): The batch lacks it.
        """
        tensor = getattr(self, name)
        if tensor is None:
            raise ValueError(f"the network reads NetworkInputs.{name}, and the batch has none")
        return tensor
