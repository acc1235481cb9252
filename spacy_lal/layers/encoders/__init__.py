"""Encoders: from embedded positions to encoded positions of the same width."""

from abc import ABC, abstractmethod
from typing import List

from torch import nn


class EncoderLayer(ABC):
    """The options of a kind of encoder layer. Subclasses are frozen dataclasses.

    repeat (int): How many layers there are; each has weights of its own.
    reads_positions (bool): Whether the layers read the rows of the position table beside their inputs.
    """

    repeat: int

    @property
    def reads_positions(self) -> bool:
        """See the class."""
        return False

    @abstractmethod
    def build(self, hidden_width: int) -> List[nn.Module]:
        """Build `repeat` layers.

        hidden_width (int): Width of their inputs and outputs.
        RETURNS (List[nn.Module]): Each takes inputs, *shape:* (batch_size, seq_len, hidden_width), and padding,
            *shape:* (batch_size, seq_len); with `reads_positions` also the rows of the position table, *shape:* (1 or
            batch_size, seq_len, hidden_width). Its output has the shape of its input.
        """
