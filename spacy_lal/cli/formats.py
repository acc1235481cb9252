"""Parsed Docs as text: brackets, CoNLL-U, JSON lines, or a drawn tree with a table of heads. One piece per sentence.
Whitespace tokens, and sentences of whitespace only, are left out."""

from enum import Enum
from typing import Callable, Dict

from spacy_lal.display.markup import printable, printable_json, visible
from spacy_lal.display.tree import tree_to_text
from spacy_lal.export import Sentence, read_sentences, sentence_to_conllu
from spacy_lal.trees.brackets import write_brackets
from spacy_lal.trees.spans import expand_chains

__all__ = ["FORMATS", "OutputFormat", "read_sentences"]


class OutputFormat(str, Enum):
    """The output formats of `lal parse`."""

    brackets = "brackets"
    conllu = "conllu"
    json = "json"
    tree = "tree"


def format_brackets(sentence: Sentence, doc_number: int) -> str:
    """One tree on one line."""
    return write_brackets(sentence.tree()) + "\n"


def format_json(sentence: Sentence, doc_number: int) -> str:
    """One object on one line. Heads count from 1, 0 is the root. Constituents are half-open [start, end, label] over
    tokens from 0, outer before inner. Annotation that the pipeline does not set is null."""
    constituents = None if sentence.constituents is None else expand_chains(sentence.constituents)
    record = {
        "doc": doc_number,
        "sent": sentence.number,
        "text": sentence.text,
        "tokens": [token.text for token in sentence.tokens],
        "tags": [token.tag_ for token in sentence.tokens],
        "heads": sentence.heads,
        "deprels": None if sentence.heads is None else sentence.deprels,
        "constituents": constituents,
    }
    return printable_json(record) + "\n"


def format_drawing(sentence: Sentence, doc_number: int) -> str:
    """The tree drawn with letters, and a table of heads below. Control characters are escaped."""
    pieces = []
    if sentence.constituents is not None:
        pieces.append(tree_to_text(sentence.tree()))
    if sentence.heads is not None:
        pieces.append(_table(sentence))
    return "\n".join(pieces) + "\n"


def _table(sentence: Sentence) -> str:
    words = ["", *(visible(token.text) for token in sentence.tokens)]
    rows = [("", "word", "tag", "head", "", "deprel")]
    heads = sentence.heads or []
    for i, (token, head, deprel) in enumerate(zip(sentence.tokens, heads, sentence.deprels, strict=True), start=1):
        rows.append((str(i), words[i], token.tag_ or token.pos_, str(head), words[head], deprel))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            f"{row[0]:>{widths[0]}}",
            *(f"{cell:<{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    return printable("\n".join(lines)) + "\n"


FORMATS: Dict[OutputFormat, Callable[[Sentence, int], str]] = {
    OutputFormat.brackets: format_brackets,
    OutputFormat.conllu: sentence_to_conllu,
    OutputFormat.json: format_json,
    OutputFormat.tree: format_drawing,
}
