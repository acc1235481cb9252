"""Where `lal parse` writes: text immediately, or Docs at the end."""

import io
import sys
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Optional, TextIO, Type, Union

from spacy_lal.cli.streams import Terminal, fail

if TYPE_CHECKING:
    from spacy.tokens import Doc, DocBin

    from spacy_lal.files.whole_file import WholeFile

DOCBIN = "docbin"
SUFFIX = ".spacy"
FORMAT_NAMES = ("brackets", "conllu", "json", "tree", DOCBIN)


def check_format(output_format: str, output: Optional[Path]) -> None:
    """Ends the command if the format does not exist or cannot be written to the output."""
    if output_format not in FORMAT_NAMES:
        fail(f"expected a format of {', '.join(FORMAT_NAMES)}, got {output_format!r}")
    if output_format == DOCBIN and (output is None or output.suffix != SUFFIX):
        fail(f"--format {DOCBIN} writes a {SUFFIX} file: say which with --output, got {output or 'none'}")


def writer(output_format: str, output: Optional[Path]) -> "DocWriter":
    """A context manager that writes Docs.

    output_format (str): One of FORMAT_NAMES.
    output (Optional[Path]): A file. None: stdout.
    """
    return DocWriter(output_format, output)


class DocWriter:
    """Writes one Doc at each call. The file is replaced when the block ends well. If the block ends early, an earlier
    file stays unchanged, and the Docs so far are kept: under the file's name if it is free, otherwise beside it.

    n_docs (int): Docs received.
    kept (Optional[Path]): Where they are after an early end.
    """

    def __init__(self, output_format: str, output: Optional[Path]) -> None:
        self.output_format = output_format
        self.output = output
        self.n_docs = 0
        self.kept: Optional[Path] = None
        self._whole: Optional[WholeFile] = None
        self._text: Union[TextIO, Terminal, None] = None
        self._docs: Optional[DocBin] = None

    def __enter__(self) -> "DocWriter":
        """RAISES (OSError): The file cannot be written."""
        if self.output is None:
            if hasattr(sys.stdout, "reconfigure"):
                sys.stdout.reconfigure(encoding="utf-8")
            self._text = Terminal(sys.stdout) if sys.stdout.isatty() else sys.stdout
            return self
        from spacy_lal.files.whole_file import WholeFile

        if self.output_format == DOCBIN:
            self.output.parent.mkdir(parents=True, exist_ok=True)
        self._whole = WholeFile(self.output)  # a file that cannot be written fails before the parsing
        if self.output_format == DOCBIN:
            self._docs = _new_docs()
        else:
            self._text = io.TextIOWrapper(self._whole.file, encoding="utf-8", write_through=True)
        return self

    def __call__(self, doc: "Doc", number: int) -> int:
        """Write a Doc.

        number (int): Its place in the stream, from 0.
        RETURNS (int): Its number of sentences.
        RAISES (ValueError): It lacks annotation that the format shows.
        RAISES (OSError): The file or stdout cannot be written.
        """
        if self._docs is not None:
            n_sentences = sum(1 for _ in doc.sents)
            self._docs.add(doc)
        elif self._text is not None:
            n_sentences = write_text(doc, number, self.output_format, self._text)
            if self._whole is not None:
                self._whole.mark()
        else:
            raise ValueError("expected a Doc within the writer's `with` block")
        self.n_docs += 1
        return n_sentences

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """RAISES (OSError): The file cannot be written."""
        if self._whole is None:
            return
        if self._docs is not None and (error is None or self.n_docs):
            try:
                self._whole.file.write(self._docs.to_bytes())
                self._whole.mark()
            except BaseException:
                self._whole.discard()
                raise
        if error is None:
            self._whole.commit()
        else:
            self.kept = self._whole.keep()

    @property
    def note(self) -> str:
        """The message after an early end."""
        return f"; what was parsed before is in {self.kept}" if self.kept is not None else ""


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


def _new_docs() -> "DocBin":
    """Collects Docs as bytes: tokens, tags, lemmas, trees. User data are left out: in a pipeline with a transformer
    they take two kilobytes per token."""
    from spacy.tokens import DocBin

    from spacy_lal.treebanks.docs import DOCBIN_ATTRS

    return DocBin(attrs=DOCBIN_ATTRS, store_user_data=False)
