"""`python -m spacy lal parse FILE`: texts in, parses out, as a stream."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Dict, Iterable, Iterator, List, Optional, Tuple

import typer

from spacy_lal.cli.inputs import Source, check_is_text, check_source, parse_source
from spacy_lal.cli.options import GpuOption, ModelOption
from spacy_lal.cli.outputs import check_stream_apart, is_stdout
from spacy_lal.cli.parse_folder import BATCH_SIZE, ENGINES, FOLDER_FORMATS, Workers, parse_folder
from spacy_lal.cli.parse_output import FORMAT_NAMES, check_ending, check_format, writer
from spacy_lal.cli.progress import reading_progress
from spacy_lal.cli.records import INPUT_FORMATS, JSONL, TEXT, format_by_name, text_reader
from spacy_lal.cli.streams import closed_pipe_is_no_error, counted, fail, no_workers_left, say, wrote
from spacy_lal.cli.texts import Interruptible, Origin, Text, TextError, given_text

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

ZONE_SIZE = 4096  # texts per memory zone: at its end spaCy forgets the words that it has met
TEXT_FIELD = "text"

WordsArgument = Annotated[
    Optional[List[str]],
    typer.Argument(
        metavar="[FILE|-|FOLDER]",
        help="Texts, one a line; a folder with --engine  [default: -, stdin]",
        show_default=False,
    ),
]
TextOption = Annotated[Optional[str], typer.Option("--text", "-t", help="Parse this text instead of a file")]
FormatOption = Annotated[
    Optional[str],
    typer.Option("--format", "-f", help=f"{', '.join(FORMAT_NAMES)}; with --engine {', '.join(FOLDER_FORMATS)}"),
]
OutputOption = Annotated[
    Optional[Path], typer.Option("--output", "-o", help="Write here; - is stdout  [default: -]", show_default=False)
]
InputFormatOption = Annotated[
    Optional[str],
    typer.Option("--input-format", "-i", help="text, jsonl, tsv (ID, tab, text)  [default: by the file's ending]"),
]
IdsOption = Annotated[bool, typer.Option("--ids", help="Begin each tree with the id of its text, or else its line")]
ParagraphsOption = Annotated[
    bool, typer.Option("--paragraphs/--lines", help="Blank lines end a text; otherwise each line is one")
]
BatchOption = Annotated[
    Optional[int], typer.Option("--batch-size", "-b", min=1, help=f"Texts parsed together  [default: {BATCH_SIZE}]")
]
ProcessesOption = Annotated[int, typer.Option("--n-process", "-n", help="Worker processes; -1 for one a core")]
EngineOption = Annotated[
    Optional[str], typer.Option("--engine", help=f"Parse a folder of Parquet or text files: {', '.join(ENGINES)}")
]
ColumnOption = Annotated[str, typer.Option("--text-column", help="Where JSON lines and Parquet files have their texts")]
GpusOption = Annotated[float, typer.Option("--gpus", min=0.0, help="GPUs of each Ray worker; 0.5: two share one")]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="With --engine: parse again what is done")]


def parse_cli(
    words: WordsArgument = None,
    model: ModelOption = None,
    text: TextOption = None,
    output_format: FormatOption = None,
    output: OutputOption = None,
    input_format: InputFormatOption = None,
    ids: IdsOption = False,
    paragraphs: ParagraphsOption = False,
    batch_size: BatchOption = None,
    n_process: ProcessesOption = 1,
    gpu_id: GpuOption = -1,
    engine: EngineOption = None,
    text_column: ColumnOption = TEXT_FIELD,
    gpus: GpusOption = 0.0,
    overwrite: OverwriteOption = False,
) -> None:
    """Parse texts: one tree a line, CoNLL-U, JSON lines, drawn trees, or Docs.

    Reads FILE, or stdin, text by text, and writes each parse as it is made. Only Docs (docbin) are collected, for the
    .spacy file at the end. The file of --output is replaced when all is parsed.
    A text is a line (or a paragraph, with --paragraphs), and may hold several sentences. Blank lines are skipped. JSON
    and CoNLL-U name the line and the id of each text; with --ids, the other formats too. With --engine, reads the
    files of FOLDER and writes a Parquet file for each to --output. If run again, continues with the unfinished files.
    """
    source = parse_source(model, words, text)
    if engine is not None:
        workers = Workers(engine, n_process=n_process, num_gpus=gpus, gpu_id=gpu_id)
        if source.text is not None:
            fail("--engine parses a folder, --text what is given: expected one of them")
        if input_format is not None or ids:
            fail("--input-format and --ids go with a file: with --engine, files go by their endings and keep their ids")
        settings: Dict[str, Any] = {"text_column": text_column, "paragraphs": paragraphs, "overwrite": overwrite}
        settings |= {"output_format": output_format, "batch_size": batch_size}
        return parse_folder(source.model, Path(source.name), output, workers, **settings)
    if overwrite or gpus:
        fail("--gpus and --overwrite go with --engine, and a folder to parse")
    reading = Reading(source, input_format, paragraphs, text_column)
    reading.check(output)
    if output_format is None:
        output_format = FORMAT_NAMES[0]
        check_ending(output_format, output)
    check_format(output_format, output)
    _parse_stream(reading, output_format, output, ids, Running(batch_size, n_process, gpu_id))


@dataclass
class Reading:
    """How the texts are read.

    source (Source): Where they are.
    input_format (Optional[str]): One of INPUT_FORMATS; None goes by the ending of the file's name.
    paragraphs (bool): Whether blank lines end a text.
    text_field (str): The key of the texts in JSON lines.
    """

    source: Source
    input_format: Optional[str]
    paragraphs: bool
    text_field: str

    def check(self, output: Optional[Path]) -> None:
        """Ends the command if the options are incompatible, or the file does not exist or would be overwritten."""
        name, text = self.source.name, self.source.text
        if self.input_format not in (None, *INPUT_FORMATS):
            fail(f"expected an input format of {', '.join(INPUT_FORMATS)}, got {self.input_format!r}")
        if text is not None and self.input_format is not None:
            fail("--input-format goes with a file, --text is plain text: expected one of them")
        kind = TEXT if text is not None else self.input_format or format_by_name(name)
        if self.paragraphs and kind != TEXT:
            fail(f"--paragraphs goes with plain text: in {kind}, each line is a text")
        if self.text_field != TEXT_FIELD and kind != JSONL:
            fail("--text-column goes with --engine, and a folder to parse, or with --input-format jsonl")
        if text is not None:
            return
        if Path(name).is_dir():
            fail(f"{name} is a folder: say --engine {' or '.join(ENGINES)}, and a folder to write with --output")
        check_source(name)
        if self.input_format is None:
            check_is_text(name, "texts; --input-format text parses its lines as they are")
        check_stream_apart(output, name)


@dataclass
class Running:
    """How a stream is parsed; see the command's options."""

    batch_size: Optional[int]
    n_process: int
    gpu_id: int


def _parse_stream(reading: Reading, output_format: str, output: Optional[Path], ids: bool, running: Running) -> None:
    from spacy_lal.cli.pipelines import load_pipeline

    nlp = load_pipeline(reading.source.model, running.gpu_id, parses_only=True)
    text, n_process = reading.source.text, running.n_process
    settings: Dict[str, Any] = {"paragraphs": reading.paragraphs, "text_field": reading.text_field}
    reader = text_reader(reading.source.name, reading.input_format, max_length=nlp.max_length, **settings)
    if text is None and reader.is_terminal:
        say("Reading from the terminal: each line is a text, Ctrl-D ends", err=True)
    batch_size = running.batch_size or (1 if reader.is_terminal else BATCH_SIZE)
    texts = Interruptible(reader if text is None else given_text(text))
    where = "--text" if text is not None else f"{reader.name}, after line 0"
    with closed_pipe_is_no_error(is_stdout(output)), no_workers_left(n_process):
        out = writer(output_format, output, ids=ids)
        try:
            with out as write, reading_progress(reader if text is None else None, output) as advance:
                for doc, origin in parse_texts(nlp, texts, batch_size=batch_size, n_process=n_process):
                    where = where if origin.line is None else f"{reader.name}, after line {origin.line}"
                    advance(write(doc, origin))
                if texts.error is not None:
                    raise texts.error
        except BrokenPipeError:
            raise
        except OSError as err:
            fail(f"can't write {'to stdout' if is_stdout(output) else output}: {err.strerror or err}")
        except TextError as err:
            fail(f"{err}")
        except ValueError as err:
            reason = str(err).strip().splitlines()[-1]  # a worker's error comes with its traceback
            fail(f"{where}: {reason.removeprefix('ValueError: ')}")
    if not is_stdout(output):
        wrote(output, f"{counted(out.n_sentences, 'sentence')} of {counted(out.n_docs, 'text')}")


def parse_texts(
    nlp: "Language", texts: Iterable[Text], *, batch_size: int, n_process: int = 1, zone_size: int = ZONE_SIZE
) -> Iterator[Tuple["Doc", Origin]]:
    """Parse a stream. In one process, spaCy regularly forgets new words (`nlp.memory_zone`), so that memory does not
    grow with the text: each Doc is valid until the next one is requested.

    YIELDS (Tuple[Doc, Origin]): Each Doc, with the origin of its text.
    """
    pairs = ((text.text, Origin.of(number, text)) for number, text in enumerate(texts))
    if n_process != 1:
        yield from nlp.pipe(pairs, as_tuples=True, batch_size=batch_size, n_process=n_process)
        return
    for first in pairs:
        with nlp.memory_zone():
            chunk = _chain(first, islice(pairs, zone_size - 1))
            yield from nlp.pipe(chunk, as_tuples=True, batch_size=batch_size)


def _chain(first: Any, rest: Iterable[Any]) -> Iterator[Any]:
    yield first
    yield from rest
