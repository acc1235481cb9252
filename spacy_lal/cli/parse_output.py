"""Where `lal parse` writes: text immediately, or Docs at the end."""

import io
import sys
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Optional, TextIO, Type, Union

from spacy_lal.cli.outputs import is_stdout, refuse_terminal
from spacy_lal.cli.streams import Terminal, fail
from spacy_lal.cli.texts import Origin

if TYPE_CHECKING:
    from spacy.tokens import Doc, DocBin


DOCBIN = "docbin"
SUFFIX = ".spacy"
ENDINGS = {".conllu": "conllu", SUFFIX: DOCBIN, ".json": "json", ".jsonl": "json"}  # formats that endings stand for
PICTURES = (".svg", ".png", ".pdf")
FORMAT_NAMES = ("brackets", "conllu", "json", "tree", DOCBIN)


def check_ending(output_format: str, output: Optional[Path]) -> None:
    """Ends the command if no format was named, and the ending of the output stands for another one."""
    suffix = output.suffix.lower() if output is not None else ""
    if suffix in PICTURES:
        fail(f"lal parse writes no {suffix} file, got {output}: its formats are -f {', '.join(FORMAT_NAMES)}")
    if ENDINGS.get(suffix, output_format) != output_format:
        expected = f"say -f {ENDINGS[suffix]}, or name another file"
        fail(f"{output} would be written in the format {output_format}, which its ending contradicts: {expected}")


def check_format(output_format: str, output: Optional[Path]) -> None:
    """Ends the command if the format does not exist or cannot be written to the output."""
    if output_format not in FORMAT_NAMES:
        fail(f"expected a format of {', '.join(FORMAT_NAMES)}, got {output_format!r}")
    if output_format == DOCBIN and not (is_stdout(output) and output is not None):
        if output is None or output.suffix != SUFFIX:
            fail(f"--format {DOCBIN} writes a {SUFFIX} file: say which with --output, got {output or 'none'}")
    elif output_format == DOCBIN:
        refuse_terminal(f"a {SUFFIX} file")


def writer(output_format: str, output: Optional[Path], *, ids: bool = False) -> "DocWriter":
    """A context manager that writes Docs.

    output_format (str): One of FORMAT_NAMES.
    output (Optional[Path]): A file. None or `-`: stdout.
    ids (bool): Write the name of its text with each sentence; into a Doc's `user_data` with docbin.
    """
    return DocWriter(output_format, None if is_stdout(output) else output, ids=ids)


class DocWriter:
    """Writes one Doc at each call. The file is replaced when the block ends well, and unchanged otherwise.

    n_docs (int): Docs received.
    n_sentences (int): Their sentences.
    """

    def __init__(self, output_format: str, output: Optional[Path], *, ids: bool = False) -> None:
        self.output_format = output_format
        self.output = output
        self.ids = ids
        self.n_docs = 0
        self.n_sentences = 0
        self._file = ExitStack()
        self._text: Union[TextIO, Terminal, None] = None
        self._docs: Optional[DocBin] = None

    def __enter__(self) -> "DocWriter":
        """RAISES (OSError): The file cannot be written."""
        if self.output_format == DOCBIN:
            self._docs = _new_docs(self.ids)
        if self.output is None:
            if hasattr(sys.stdout, "reconfigure"):
                sys.stdout.reconfigure(encoding="utf-8")
            self._text = Terminal(sys.stdout) if sys.stdout.isatty() else sys.stdout
            return self
        from spacy_lal.files import written_file

        self._binary = self._file.enter_context(written_file(self.output))
        if self._docs is None:
            self._text = io.TextIOWrapper(self._binary, encoding="utf-8", write_through=True)
        return self

    def __call__(self, doc: "Doc", origin: Origin) -> int:
        """Write a Doc.

        origin (Origin): Where its text comes from.
        RETURNS (int): Its number of sentences.
        RAISES (ValueError): It lacks annotation that the format shows.
        RAISES (OSError): The file or stdout cannot be written.
        """
        if self._docs is not None:
            n_sentences = sum(1 for _ in doc.sents)
            if self.ids:
                doc.user_data = {"id": origin.name, "line": origin.line}
            self._docs.add(doc)
        elif self._text is not None:
            n_sentences = write_text(doc, origin, self.output_format, self._text, ids=self.ids)
        else:
            raise ValueError("expected a Doc within the writer's `with` block")
        self.n_docs += 1
        self.n_sentences += n_sentences
        return n_sentences

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """RAISES (OSError): The file or stdout cannot be written."""
        if error is None and self._docs is not None:
            (self._binary if self.output is not None else sys.stdout.buffer).write(self._docs.to_bytes())
        elif self.output is not None and self._text is not None:
            self._text.detach()
        self._file.__exit__(kind, error, trace)


def write_text(
    doc: "Doc", origin: Origin, output_format: str, file: Union[TextIO, Terminal], *, ids: bool = False
) -> int:
    """Write the sentences of one Doc, and flush.

    RETURNS (int): The number of sentences.
    """
    from spacy_lal.cli.formats import FORMATS, OutputFormat, read_sentences

    write = FORMATS[OutputFormat(output_format)]
    n_sentences = 0
    for sentence in read_sentences(doc):
        file.write(write(sentence, origin, ids))
        n_sentences += 1
    file.flush()
    return n_sentences


def _new_docs(ids: bool) -> "DocBin":
    """Collects Docs as bytes: tokens, tags, lemmas, trees. Other user data than ids are left out: in a pipeline with a
    transformer they take two kilobytes per token."""
    from spacy.tokens import DocBin

    from spacy_lal.treebanks.docs import DOCBIN_ATTRS

    return DocBin(attrs=DOCBIN_ATTRS, store_user_data=ids)
