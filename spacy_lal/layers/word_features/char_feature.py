"""Word features that read the characters of a word."""

from abc import abstractmethod
from typing import Any, Literal

from ..checks import check_choice
from . import WordFeature

Alphabet = Literal["frequent", "codepoints"]


def check_alphabet(value: Any) -> None:
    """RAISES (ValueError): `value` is not an `Alphabet`."""
    check_choice("alphabet", value, ("frequent", "codepoints"))


class CharFeature(WordFeature):
    """A word feature that reads `char_ids`. All such features of a network share one alphabet.

    alphabet (str): "frequent": the characters that the training data have at least twice; rarer ones share a vector,
        which is thereby trained. "codepoints": all characters below 256 if the training data have no other, else all
        below 512, else the characters of the training data (Kitaev & Klein; reference-encoders.md A3).
    """

    alphabet: Alphabet

    @abstractmethod
    def letters_read(self, width: int) -> int:
        """The most letters of a word that this feature reads: of a longer word, half of them from each end.

        width (int): Width of its output.
        """
