"""Where `lal parse` writes: text as it comes, or Docs at the end."""

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Iterator, Optional, TextIO, Union

from spacy_lal.cli.streams import Terminal, fail

if TYPE_CHECKING:
    from spacy.tokens import Doc

DOCBIN = "docbin"
SUFFIX = ".spacy"
FORMAT_NAMES = ("brackets", "conllu", "json", "tree", DOCBIN)

Writer = Callable[["Doc", int], int]


def check_format(output_format: str, output: Optional[Path]) -> None:
    """Ends the command where there is no such format, or it does not go with the output."""
    if output_format not in FORMAT_NAMES:
        fail(f"expected a format of {', '.join(FORMAT_NAMES)}, got {output_format!r}")
    if output_format == DOCBIN and (output is None or output.suffix != SUFFIX):
        fail(f"--format {DOCBIN} writes a {SUFFIX} file: say which with --output, got {output or 'none'}")


@contextmanager
def writer(output_format: str, output: Optional[Path]) -> Iterator[Writer]:
    """What writes one Doc, given its place in the stream from 0, and tells how many sentences it has.

    output_format (str): One of FORMAT_NAMES.
    output (Optional[Path]): A file. None: stdout.
    RAISES (ValueError): When called: the Doc lacks what the format shows.
    """
    if output_format == DOCBIN and output is not None:
        with _docs(output) as write:
            yield write
    else:
        with _opened(output) as file:
            yield lambda doc, number: write_text(doc, number, output_format, file)


def write_text(doc: "Doc", number: int, output_format: str, file: Union[TextIO, Terminal]) -> int:
    """Write the sentences of one Doc, and flush.

    RETURNS (int): The number of sentences.
    """
    from spacy_lal.cli.formats import FORMATS, OutputFormat, read_sentences

    write = FORMATS[OutputFormat(output_format)]
    n_sentences = 0
    for sentence in read_sentences(doc):
        file.write(write(sentence, number))
        n_sentences += 1
    file.flush()
    return n_sentences


@contextmanager
def _docs(output: Path) -> Iterator[Writer]:
    """Collects Docs as bytes, and writes those that have come, whatever ended them: tokens, tags, lemmas, trees. Of
    user data nothing, which in a pipeline with a transformer is two kilobytes a token."""
    from spacy.tokens import DocBin

    from spacy_lal.training.treebank_docs import DOCBIN_ATTRS

    doc_bin = DocBin(attrs=DOCBIN_ATTRS, store_user_data=False)

    def add(doc: "Doc", number: int) -> int:
        doc_bin.add(doc)
        return sum(1 for _ in doc.sents)

    output.parent.mkdir(parents=True, exist_ok=True)
    output.touch()  # a file that cannot be written is known before the parsing
    try:
        yield add
    finally:
        doc_bin.to_disk(output)


@contextmanager
def _opened(output: Optional[Path]) -> Iterator[Union[TextIO, Terminal]]:
    if output is not None:
        with output.open("w", encoding="utf-8") as file:
            yield file
        return
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")
    yield Terminal(sys.stdout) if sys.stdout.isatty() else sys.stdout
