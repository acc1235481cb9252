"""`python -m spacy lal parse FILE`: text in, parses out, as a stream."""

import sys
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Dict, Iterable, Iterator, List, Optional, Tuple

import typer

from spacy_lal.cli.inputs import check_source, parse_source
from spacy_lal.cli.options import GpuOption, ModelOption
from spacy_lal.cli.outputs import check_stream_apart
from spacy_lal.cli.parse_folder import BATCH_SIZE, ENGINES, FOLDER_FORMATS, Workers, parse_folder
from spacy_lal.cli.parse_output import FORMAT_NAMES, check_format, writer
from spacy_lal.cli.signals import Stopped
from spacy_lal.cli.streams import closed_pipe_is_no_error, fail, no_workers_left
from spacy_lal.cli.texts import Text, TextError, TextReader, given_text

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

ZONE_SIZE = 4096  # texts per memory zone: at its end spaCy forgets the words that it has met


def parse_cli(
    words: Annotated[
        Optional[List[str]],
        typer.Argument(
            metavar="[FILE|-|FOLDER]",
            help="Text, each line parsed by itself; a folder with --engine  [default: -, stdin]",
            show_default=False,
        ),
    ] = None,
    model: ModelOption = None,
    text: Annotated[Optional[str], typer.Option("--text", "-t", help="Parse this text instead of a file")] = None,
    output_format: Annotated[
        Optional[str],
        typer.Option("--format", "-f", help=f"{', '.join(FORMAT_NAMES)}; with --engine {', '.join(FOLDER_FORMATS)}"),
    ] = None,
    output: Annotated[Optional[Path], typer.Option("--output", "-o", help="Write here instead of to stdout")] = None,
    paragraphs: Annotated[
        bool, typer.Option("--paragraphs/--lines", help="Blank lines end a text; otherwise each line is one")
    ] = False,
    batch_size: Annotated[
        Optional[int], typer.Option("--batch-size", "-b", min=1, help=f"Texts parsed together  [default: {BATCH_SIZE}]")
    ] = None,
    n_process: Annotated[int, typer.Option("--n-process", "-n", help="Worker processes; -1 for one a core")] = 1,
    gpu_id: GpuOption = -1,
    engine: Annotated[
        Optional[str], typer.Option("--engine", help=f"Parse a folder of Parquet or text files: {', '.join(ENGINES)}")
    ] = None,
    text_column: Annotated[str, typer.Option("--text-column", help="Where Parquet files have their texts")] = "text",
    gpus: Annotated[float, typer.Option("--gpus", min=0.0, help="GPUs of each Ray worker; 0.5: two share one")] = 0.0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="With --engine: parse again what is done")] = False,
) -> None:
    """Parse plain text: one tree a line, CoNLL-U, JSON lines, drawn trees, or Docs.

    Reads FILE, or stdin, text by text, and writes each parse as it is made. Only Docs (docbin) are collected, for the
    .spacy file at the end. The file of --output is replaced when all is parsed. If the command ends early, an earlier
    file stays, and the parses are kept: under its name if it is free, otherwise beside it.
    A text is a line (or a paragraph, with --paragraphs), and may hold several sentences. With --engine, reads the
    .parquet and .txt files of FOLDER and writes a Parquet file for each to --output. If run again, continues with the
    unfinished files.
    """
    model, source, text = parse_source(model, words, text)
    if engine is not None:
        workers = Workers(engine, n_process=n_process, num_gpus=gpus, gpu_id=gpu_id)
        if text is not None:
            fail("--engine parses a folder, --text what is given: expected one of them")
        settings: Dict[str, Any] = {"text_column": text_column, "paragraphs": paragraphs, "overwrite": overwrite}
        settings |= {"output_format": output_format, "batch_size": batch_size}
        return parse_folder(model, Path(source), output, workers, **settings)
    if overwrite or gpus or text_column != "text":
        fail("--text-column, --gpus and --overwrite go with --engine, and a folder to parse")
    output_format = output_format or FORMAT_NAMES[0]
    check_format(output_format, output)
    if text is None:
        _check_source(source, output)
    _parse_stream(model, source, text, output_format, output, paragraphs, batch_size, n_process, gpu_id)


def _check_source(source: str, output: Optional[Path]) -> None:
    if Path(source).is_dir():
        fail(f"{source} is a folder: say --engine {' or '.join(ENGINES)}, and a folder to write with --output")
    check_source(source)
    check_stream_apart(output, source)


def _parse_stream(
    model: str,
    source: str,
    text: Optional[str],
    output_format: str,
    output: Optional[Path],
    paragraphs: bool,
    batch_size: Optional[int],
    n_process: int,
    gpu_id: int,
) -> None:
    from spacy_lal.cli.pipelines import load_pipeline

    nlp = load_pipeline(model, gpu_id)
    reader = TextReader(source, paragraphs=paragraphs, max_length=nlp.max_length)
    if batch_size is None:
        batch_size = 1 if reader.is_terminal else BATCH_SIZE
    texts = Interruptible(reader if text is None else given_text(text))
    name = "--text" if text is not None else reader.name
    progress_of = reader if text is None else None
    line = 0
    with closed_pipe_is_no_error(output is None), no_workers_left(n_process):
        out = writer(output_format, output)
        try:
            with out as write, _progress(progress_of, output) as advance:
                docs = parse_texts(nlp, texts, batch_size=batch_size, n_process=n_process)
                for number, (doc, line) in enumerate(docs):  # noqa: B007  (for the message below)
                    advance(write(doc, number))
                if texts.error is not None:
                    raise texts.error
        except Stopped as stopped:
            stopped.note = out.note
            raise
        except BrokenPipeError:
            raise
        except OSError as err:
            fail(f"can't write {output or 'to stdout'}: {err.strerror or err}{out.note}")
        except TextError as err:
            fail(f"{err}{out.note}")
        except ValueError as err:
            reason = str(err).strip().splitlines()[-1]  # a worker's error comes with its traceback
            fail(f"{name}, after line {line}: {reason.removeprefix('ValueError: ')}{out.note}")


class Interruptible:
    """Texts up to the first unreadable one. The error is stored, so that earlier texts that wait in the same batch are
    still parsed.

    error (Optional[TextError]): The error that ended the texts; None at their end.
    """

    def __init__(self, texts: Iterable[Text]) -> None:
        self.texts = texts
        self.error: Optional[TextError] = None

    def __iter__(self) -> Iterator[Text]:
        try:
            yield from self.texts
        except TextError as err:
            self.error = err


def parse_texts(
    nlp: "Language", texts: Iterable[Text], *, batch_size: int, n_process: int = 1, zone_size: int = ZONE_SIZE
) -> Iterator[Tuple["Doc", int]]:
    """Parse a stream. In one process, spaCy regularly forgets new words (`nlp.memory_zone`), so that memory does not
    grow with the text: each Doc is valid until the next one is requested.

    YIELDS (Tuple[Doc, int]): Each Doc, with the line where its text begins.
    """
    remaining = iter(texts)
    pairs = ((text.text, text.line) for text in remaining)
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


@contextmanager
def _progress(reader: Optional[TextReader], output: Optional[Path]) -> Iterator[Any]:
    """A progress bar on stderr, if stderr is a terminal that the parses are not written to. It counts bytes read if the
    size of the file is known, otherwise sentences."""
    shown = sys.stderr is not None and sys.stderr.isatty() and (output is not None or not sys.stdout.isatty())
    if reader is None or not shown:
        yield lambda n_sentences: None
        return
    from tqdm import tqdm

    total = reader.n_bytes
    unit = "B" if total is not None else " sentences"
    n_done = 0
    with tqdm(total=total, unit=unit, unit_scale=total is not None, file=sys.stderr) as bar:

        def advance(n_sentences: int) -> None:
            nonlocal n_done
            n_done += n_sentences
            if total is None:
                bar.update(n_sentences)
            else:
                bar.set_postfix(sentences=n_done, refresh=False)
                bar.update(reader.bytes_read - bar.n)

        yield advance
