"""The text that a command reads: a file, stdin or --text. A text is never taken for a file name, nor the reverse."""

import os
import re
from pathlib import Path
from typing import NamedTuple, Optional, Sequence

import typer

from spacy_lal.cli.options import is_file, is_pipeline, model_and_words
from spacy_lal.cli.streams import fail
from spacy_lal.cli.texts import STDIN
from spacy_lal.files import quoted
from spacy_lal.lang import DEFAULT_PIPELINE

# Endings by which a name with spaces is taken for a file; a name without spaces may have any ending.
TEXT_SUFFIXES = ("conllu", "csv", "htm", "html", "json", "jsonl", "md", "parquet", "ptb", "spacy", "text", "tsv", "txt")
TREEBANK_SUFFIXES = (".brackets", ".conll", ".conllu", ".mrg", ".ptb")
MAX_PATH = 4096  # a longer word is a text
_FILE_NAME = re.compile(
    rf"\S+\.[A-Za-z]\w{{0,7}}|\S*[/\\\\]\S*|.*\w\.({'|'.join(TEXT_SUFFIXES)})", re.DOTALL | re.IGNORECASE
)


class Source(NamedTuple):
    """The input of a command and its pipeline.

    model (str): The pipeline: path or package.
    name (str): A file, a folder, or `-` for stdin; ignored where a text is given.
    text (Optional[str]): The value of --text.
    """

    model: str
    name: str
    text: Optional[str]


def parse_source(model: Optional[str], words: Optional[Sequence[str]], text: Optional[str]) -> Source:
    """The input, by the arguments `[FILE|-|FOLDER]`, or by their former form `MODEL [FILE|-|FOLDER]`. Ends the
    command if an argument could be either.

    model (Optional[str]): The value of --model.
    words (Optional[Sequence[str]]): The arguments.
    text (Optional[str]): The value of --text.
    RAISES (typer.BadParameter): Too many arguments.
    """
    given = list(words or ())
    if text is not None:
        is_former = model is None and len(given) == 1 and (is_pipeline(given[0]) or not is_file(given[0]))
        if given and not is_former:
            fail(f"expected one of FILE and --text, got both: {given[-1]}")
        return Source(given[0] if given else model or DEFAULT_PIPELINE, STDIN, text)
    if model is None and len(given) == 1 and is_pipeline(given[0]):
        if is_file(given[0]):
            fail(f"{given[0]} is both a pipeline and a file: say --model {given[0]}, or ./{given[0]} for the file")
        return Source(given[0], STDIN, None)
    if not given:
        return Source(model or DEFAULT_PIPELINE, STDIN, None)
    model, (name,) = model_and_words(model, given, "FILE")
    return Source(model, name, None)


def text_or_file(word: Optional[str], text: Optional[str]) -> Source:
    """The input, by one argument `[FILE|-|TEXT]`. A word that is no file, but looks like the name of one, ends the
    command.

    word (Optional[str]): The argument.
    text (Optional[str]): The value of --text.
    RETURNS (Source): With the default pipeline.
    RAISES (typer.BadParameter): Neither is given.
    """
    if word is not None and text is not None:
        fail(f"expected one of FILE and --text, got both: {word}")
    if word is None and text is None:
        raise typer.BadParameter("expected a FILE (- for stdin), or --text and a text, got neither")
    if word is None or word == STDIN or is_file(word):
        check_is_text(word or STDIN, "text; through stdin (-) its lines are parsed as they are")
        return Source(DEFAULT_PIPELINE, word or STDIN, text)
    if os.path.isdir(word) or (len(word) <= MAX_PATH and _FILE_NAME.fullmatch(word)):
        check_source(word)
    return Source(DEFAULT_PIPELINE, STDIN, word)


def check_source(name: str) -> None:
    """Ends the command unless a file to read exists. The message names --text, in case a text was meant."""
    if name != STDIN and not is_file(name):
        shown = name if name and name.isprintable() and " " not in name else quoted(name)
        fail(f"can't find the file {shown}; a text is given by --text: --text {quoted(name)}")


def existing_file(name: str) -> Path:
    """The path of a file to read, or `-`; ends the command if it is none."""
    if name != STDIN and not is_file(name):
        hint = f" ({name} is a pipeline, which needs a file beside it)" if is_pipeline(name) else ""
        fail(f"can't find the file {name}{hint}")
    return Path(name)


def check_is_text(name: str, expected: str) -> None:
    """Ends a command that would parse each line of a treebank as a text.

    name (str): The file, or `-`. expected (str): What the command reads, for the message.
    """
    if Path(name).suffix.lower() in TREEBANK_SUFFIXES:
        fail(f"{name} is a treebank by its ending: expected {expected}")
