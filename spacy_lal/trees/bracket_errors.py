"""Errors in brackets. Each has the file, the line and the beginning of the line."""

from .lines import quoted

EXCERPT = 80  # characters of a line, a word or a label that an error shows


class BracketError(ValueError):
    """A text that is not a sequence of trees.

    path (str): The file, or the caller's name for the text.
    line (int): The line, from 1. For an unclosed tree, its first line.
    text (str): The beginning of that line.
    reason (str): The expected content.
    """

    def __init__(self, path: str, line: int, text: str, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        self.text = text.strip()[:EXCERPT]
        super().__init__(path, line, self.text, reason)  # the original arguments: errors are pickled between processes

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}: {quoted(self.text)}"


class UnclosedTreeError(BracketError):
    """`(S (NP (DT the) (NN dawn))`: a bracket is still open when the text ends or the next tree begins."""


class ExtraCloseTreeError(BracketError):
    """`(NP (NN dawn)))`: a closing bracket without an opening one."""


class UnlabeledTreeError(BracketError):
    """`(S ((DT the) (NN dawn)))`, `(S (dawn))`, `(S ())`: a bracket without a label, or without content."""


class MixedTreeError(BracketError):
    """`(NP (DT the) dawn)`, `(NN dawn chorus)`, `dawn (NN chorus)`: a word that is not alone under its tag."""


class OversizedTreeError(BracketError):
    """A tree with more brackets or characters than the limit: probably an unclosed tree."""


class BracketDecodeError(BracketError):
    """A line that is not UTF-8, or exceeds the maximum length."""
