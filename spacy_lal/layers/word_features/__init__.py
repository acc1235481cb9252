"""Features of words, one kind a file. Each kind is a record with the options of its config block, which builds a torch
module from `NetworkInputs` to a vector for each position."""

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import nn

from ..network_inputs import InputSizes


class WordFeature(ABC):
    """A kind of word features and its options. Subclasses are frozen dataclasses.

    kind (str): Names the module in the network; an input layer has at most one feature of a kind.
    """

    kind: ClassVar[str]

    @abstractmethod
    def build(self, width: int, sizes: InputSizes) -> nn.Module:
        """Build the module.

        width (int): Width of its output.
        sizes (InputSizes): Sizes of its inputs.
        RETURNS (nn.Module): From `NetworkInputs` to a tensor. *Shape:* (batch_size, seq_len, width).
        RAISES (ValueError): The data lack these features.
        """
