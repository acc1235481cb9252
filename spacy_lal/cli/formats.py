"""Parsed Docs as text: brackets, CoNLL-U, JSON lines, or a drawn tree with a table of heads. One piece per sentence.
Whitespace tokens, and sentences of whitespace only, are left out. Each piece knows its text, see `Origin`."""

from enum import Enum
from typing import Callable, Dict

from spacy_lal.cli.texts import Origin
from spacy_lal.export import SCHEMA_VERSION, Sentence, read_sentences, sentence_record, sentence_to_conllu
from spacy_lal.pictures.markup import printable, printable_json, visible
from spacy_lal.pictures.tree import tree_to_text
from spacy_lal.trees.brackets import write_brackets

__all__ = ["FORMATS", "OutputFormat", "read_sentences"]


class OutputFormat(str, Enum):
    """The output formats of `lal parse`."""

    brackets = "brackets"
    conllu = "conllu"
    json = "json"
    tree = "tree"


def format_brackets(sentence: Sentence, origin: Origin, ids: bool = False) -> str:
    """One tree on one line; with ids, after the name of its text and a tab."""
    tree = write_brackets(sentence.tree())
    return f"{origin.name}\t{tree}\n" if ids else f"{tree}\n"


def format_conllu(sentence: Sentence, origin: Origin, ids: bool = False) -> str:
    """See `export.to_conllu`. Line and id of the text are comments; with ids, the line is the id of a text without."""
    text_id = origin.name if ids else origin.id
    return sentence_to_conllu(sentence, origin.number, line=origin.line, text_id=text_id)


def format_json(sentence: Sentence, origin: Origin, ids: bool = False) -> str:
    """One object on one line (docs/reference/formats.md). Annotation that the pipeline does not set is null."""
    record = {
        "schema": SCHEMA_VERSION,
        "doc": origin.number,
        "line": origin.line,
        "id": origin.name,
        "sent": sentence.number,
        **sentence_record(sentence),
    }
    return printable_json(record) + "\n"


def format_drawing(sentence: Sentence, origin: Origin, ids: bool = False) -> str:
    """The tree drawn with letters, and a table of heads below. Control characters are escaped. A heading names the
    line and the id of the text, if it has any, and the sentence."""
    pieces = []
    if sentence.constituents is not None:
        pieces.append(tree_to_text(sentence.tree()))
    if sentence.heads is not None:
        pieces.append(_table(sentence))
    return _heading(sentence, origin, ids) + "\n".join(pieces) + "\n"


def _heading(sentence: Sentence, origin: Origin, ids: bool) -> str:
    parts = [f"line {origin.line}"] if origin.line is not None else []
    if origin.id is not None or ids:
        parts.append(f"id {visible(origin.name)}")
    return f"# {', '.join(parts)}, sentence {sentence.number + 1}\n" if parts else ""


def _table(sentence: Sentence) -> str:
    words = ["", *(visible(token.text) for token in sentence.tokens)]
    rows = [("", "word", "tag", "head", "", "deprel")]
    heads = sentence.heads or []
    for i, (token, head, deprel) in enumerate(zip(sentence.tokens, heads, sentence.deprels, strict=True), start=1):
        governor = ("_", "") if head is None else (str(head), words[head])
        rows.append((str(i), words[i], token.tag_ or token.pos_, *governor, deprel))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            f"{row[0]:>{widths[0]}}",
            *(f"{cell:<{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        lines.append("  ".join(cells).rstrip())
    return printable("\n".join(lines)) + "\n"


FORMATS: Dict[OutputFormat, Callable[[Sentence, Origin, bool], str]] = {
    OutputFormat.brackets: format_brackets,
    OutputFormat.conllu: format_conllu,
    OutputFormat.json: format_json,
    OutputFormat.tree: format_drawing,
}
