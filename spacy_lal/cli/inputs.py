"""What commands read, and the options that they have for it in common."""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import Parameter, Signature, signature
from itertools import count, groupby
from math import inf, isfinite
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Optional,
)

import typer

from spacy_lal.cli import io, texts, workers
from spacy_lal.cli.texts import STORED, TEXT, TEXT_FORMATS, Form, Origin, Source

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

DOCBIN = "docbin"
Readable = tuple[Source, Form]
N_CORES = os.cpu_count() or 1
SOME_LEFT_OUT = 1  # exit code


@dataclass
class Inputs:
    """The options of what a command reads and where it writes.

    stored (Collection[str]): The formats that it reads beside those of texts.
    keeps_blank (bool): Whether a source without texts, and a blank row of a table,
        counts as a text.
    """

    words: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="[FILE|FOLDER|-|TEXT]...",
            help="Files, folders, patterns such as 'essays/*.txt', texts in quotes  "
            "[default: -, stdin]",
        ),
    ] = None
    model: io.ModelOption = None
    text: Annotated[
        Optional[str], typer.Option("--text", "-t", help="This text instead of files")
    ] = None
    output: io.OutputOption = None
    input_format: Annotated[
        Optional[str],
        typer.Option(
            "--input-format",
            "-i",
            help="The format of all files  [default: by each file's ending]",
        ),
    ] = None
    text_column: texts.TextColumnOption = None
    id_column: texts.IdColumnOption = None
    paragraphs: texts.ParagraphsOption = None
    gpu_id: io.GpuOption = -1
    skip_errors: Annotated[
        bool,
        typer.Option(
            "--skip-errors", help="Leave out what can't be read, and name it at the end"
        ),
    ] = False
    stored: Collection[str] = field(default=(), kw_only=True)
    keeps_blank: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        formats = (*TEXT_FORMATS, *self.stored)
        if self.input_format not in (None, *formats):
            io.fail(
                f"expected an input format of {', '.join(formats)}, got "
                f"{self.input_format!r}"
            )
        if self.text is not None and self.words:
            io.fail(f"expected one of FILE and --text, got both: {self.words[0]}")
        if self.text is None:
            io.check_one_stdin(self.words or [io.STDIN])
        io.check_apart(self.output, *(self.words or ()))
        self.left_out: list[str] = []
        self.n_texts = 0.0  # infinite where it is not known
        self._numbers = count()

    def find(self) -> list[Readable]:
        """What is read, and how. Files are looked at to their ends: what cannot be read
        ends the command, or is left out."""
        readable: list[Readable] = []
        for source in self._sources():
            with self._leaving_out():
                form = self._form(source)
                can_reread = source.is_file or source.text is not None
                records = READERS[form.kind](source, form) if can_reread else ()
                self.n_texts += sum(1 for _ in records) if can_reread else inf
                readable.append((source, form))
        if not readable:
            io.fail("\n".join(["there is nothing to read", *self.left_out]))
        self._is_several = len(readable) > 1
        return readable

    def _sources(self) -> Iterator[Source]:
        if self.text is not None:
            yield Source(texts.TEXT_NAME, self.text)
            return
        endings = [end for end, kind in STORED.items() if kind in self.stored]
        for word in self.words or [io.STDIN]:
            with self._leaving_out():
                yield from texts.find_sources(word, endings)

    def _form(self, source: Source) -> Form:
        suffix = source.suffix
        kind = self.input_format
        if kind is None and STORED.get(suffix) in self.stored:
            kind = STORED[suffix]
        elif kind is None and suffix in texts.OTHERS:
            raise ValueError(
                f"{source.name} is {texts.OTHERS[suffix]} by its ending: expected "
                "texts; --input-format text reads its lines"
            )
        elif kind is None:
            kind = suffix[1:] if suffix[1:] in TEXT_FORMATS else TEXT
        paragraphs = self.paragraphs
        if paragraphs is None and kind == TEXT and source.is_file:
            paragraphs = texts.looks_wrapped(line for _, line in source.lines())
            if paragraphs:
                io.say(
                    f"{source.name}: its lines look wrapped, so that blank lines end a "
                    "text (or say --lines)"
                )
        return Form(kind, bool(paragraphs), self.text_column, self.id_column)

    @contextmanager
    def _leaving_out(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, OSError) as error:
            if not self.skip_errors:
                raise
            self.left_out.append(io.reason(error))

    def texts(
        self, readable: Iterable[Readable], max_length: int
    ) -> Iterator[tuple[str, Origin]]:
        """The texts of sources, each with its origin; blank ones are left out, see
        `keeps_blank`.

        RAISES (ValueError): A line cannot be read, or a text has more than `max_length`
            characters; with file and line.
        """
        for source, form in readable:
            if source.is_terminal:
                io.say("Reading from the terminal: each line is a text, Ctrl-D ends")
            file = source.shown if self._is_several else None
            is_blank = True
            with self._leaving_out():
                for line, text, name in texts.read_records(source, form):
                    keeps = self.keeps_blank and form.kind != TEXT
                    if not text.strip() and not keeps:
                        continue
                    if len(text) > max_length:
                        raise ValueError(
                            f"{source.shown}, line {line}: a text of more than "
                            f"{max_length} characters"
                        )
                    is_blank = False
                    yield text, Origin(next(self._numbers), line, name, file)
            if is_blank and self.keeps_blank:
                yield "", Origin(next(self._numbers), file=file)

    def report(self) -> None:
        """Name what was left out; the command then ends with code 1."""
        if self.left_out:
            n_left_out = io.counted(len(self.left_out), "input")
            io.say("\n".join([f"Left out {n_left_out}:", *self.left_out]))
            raise typer.Exit(SOME_LEFT_OUT)


@dataclass
class ManyInputs(Inputs):
    """The options of a command that parses many texts."""

    output_format: Annotated[
        Optional[str],
        typer.Option(
            "--format",
            "-f",
            help="csv, tsv, jsonl, parquet; or one of its own  [default: by the ending "
            "of -o]",
        ),
    ] = None
    batch_size: Annotated[
        int, typer.Option("--batch-size", "-b", min=1, help="Texts parsed together")
    ] = 32
    n_process: Annotated[
        int,
        typer.Option(
            "--n-process",
            "-n",
            min=-1,
            max=4 * N_CORES,
            help="Worker processes; -1 for one a core",
        ),
    ] = 1
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with the table of -o: leave out the ids that it has"
        ),
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_process < 1:
            self.n_process = N_CORES
        self.done: Collection[str] = ()  # ids
        self.n_docs = 0

    def docs(
        self, nlp: "Language", readable: list[Readable]
    ) -> "Iterator[tuple[Doc, Origin]]":
        """The parsed texts of sources, and stored Docs, with a bar on a terminal. A Doc
        is valid until the next one is requested."""
        from tqdm import tqdm

        has_terminal = io.is_stdout(self.output) and sys.stdout.isatty()
        for pair in tqdm(
            self._docs(nlp, readable),
            total=self.n_texts if isfinite(self.n_texts) else None,
            unit=" texts",
            leave=False,
            disable=has_terminal or None,  # None: shown at a terminal
        ):
            self.n_docs += 1
            yield pair

    def _docs(
        self, nlp: "Language", readable: list[Readable]
    ) -> "Iterator[tuple[Doc, Origin]]":
        types = any(source.is_terminal for source, _ in readable)
        for is_stored, group in groupby(readable, lambda pair: pair[1].kind == DOCBIN):
            if is_stored:
                yield from self._stored(nlp, group)
                continue
            read = self.texts(group, nlp.max_length)
            yield from workers.parse_texts(
                nlp,
                (pair for pair in read if pair[1].name not in self.done),
                batch_size=1 if types else self.batch_size,
                n_process=self.n_process,
            )

    def _stored(
        self, nlp: "Language", readable: Iterable[Readable]
    ) -> "Iterator[tuple[Doc, Origin]]":
        for source, _ in readable:
            file = source.shown if self._is_several else None
            docs = read_docs(source, nlp.vocab)
            for line, doc in enumerate(docs, start=1):
                origin = Origin(next(self._numbers), line, file=file)
                if origin.name not in self.done:
                    yield doc, origin


def with_inputs(
    inputs: type[Inputs], **settings: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command, whose first argument is an `Inputs`, the options of one.

    settings (Any): What the command itself says: `stored`, `keeps_blank`.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(signature(command).parameters.values())[1:]
        common = [
            option
            for option in signature(inputs).parameters.values()
            if option.kind is not Parameter.KEYWORD_ONLY
        ]

        def run(**values: Any) -> None:
            read = inputs(**{x.name: values.pop(x.name) for x in common}, **settings)
            command(read, **values)
            read.report()

        options = [
            option.replace(kind=Parameter.KEYWORD_ONLY) for option in (*own, *common)
        ]
        run.__doc__ = command.__doc__
        run.__annotations__ = {option.name: option.annotation for option in options}
        run.__signature__ = Signature(options)  # type: ignore[attr-defined]
        return run

    return decorate


def read_trees(source: Source, form: Form, **options: bool) -> Iterator[Any]:
    """The trees of a file of brackets, and their lines."""
    from spacy_lal.trees import read_brackets_with_lines

    lines = (line for _, line in source.lines())
    return read_brackets_with_lines(lines, name=source.shown, **options)


def read_heads(source: Source, form: Form) -> Iterator[Any]:
    """The sentences of CoNLL-U."""
    from spacy_lal.trees import read_conllu

    is_stdin = source.name == io.STDIN
    return read_conllu(
        (line for _, line in source.lines()) if is_stdin else source.name
    )


def read_docs(source: Source, vocab: "Vocab") -> "list[Doc]":
    """The Docs of a `.spacy` file.

    RAISES (ValueError): It is no such file, or holds no words, or constituents that are
        no tree.
    """
    from spacy_lal.annotations import check_tree
    from spacy_lal.treebanks.corpora import read_spacy

    with source.open() as file:
        docs = list(read_spacy(file.read(), vocab, source.shown))
    if not any(map(len, docs)):
        raise ValueError(f"{source.shown} holds no words")
    for number, doc in enumerate(docs, start=1):
        check_tree(doc, f"{source.shown}, Doc {number}")
    return docs


def read_stored(source: Source, form: Form) -> "list[Doc]":
    """The Docs of a `.spacy` file, in a vocabulary of their own."""
    from spacy.vocab import Vocab

    return read_docs(source, Vocab())


READERS: dict[str, Callable[..., Iterable[Any]]] = {
    "brackets": read_trees,
    "conllu": read_heads,
    DOCBIN: read_stored,
    **dict.fromkeys(TEXT_FORMATS, texts.read_records),
}
