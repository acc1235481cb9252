"""What may be wrong with brackets. Each error has the file, the line and the beginning of the line."""

from .lines import quoted

EXCERPT = 80  # characters of a line, a word or a label that an error shows


class BracketError(ValueError):
    """A text that is no sequence of trees.

    path (str): The file, or what the caller named the text.
    line (int): The line, from 1. Of a tree that is never closed: the line on which it begins.
    text (str): The beginning of that line.
    reason (str): What was expected there.
    """

    def __init__(self, path: str, line: int, text: str, reason: str) -> None:
        self.path, self.line, self.reason = path, line, reason
        self.text = text.strip()[:EXCERPT]
        super().__init__(path, line, self.text, reason)  # the arguments as they are: errors cross processes as pickles

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}: {quoted(self.text)}"


class UnclosedTreeError(BracketError):
    """`(S (NP (DT the) (NN dawn))`: a bracket is still open when the text ends or the next tree begins."""


class ExtraCloseTreeError(BracketError):
    """`(NP (NN dawn)))`: a bracket closes that was never opened."""


class UnlabeledTreeError(BracketError):
    """`(S ((DT the) (NN dawn)))`, `(S (dawn))`, `(S ())`: a bracket without a label, or with nothing beside it."""


class MixedTreeError(BracketError):
    """`(NP (DT the) dawn)`, `(NN dawn chorus)`, `dawn (NN chorus)`: a word that is not alone under its tag."""


class OversizedTreeError(BracketError):
    """A tree of more brackets or characters than are read: most likely one that is never closed."""


class BracketDecodeError(BracketError):
    """A line that is not UTF-8, or is too long to be read."""
