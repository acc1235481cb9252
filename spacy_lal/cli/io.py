"""What commands share: loading, outputs, ends. Exit code 2 is an error; 1 the answer
"no" of `search`, `check`."""

import gc
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    BinaryIO,
    NoReturn,
    Optional,
)

import typer
from typer.core import TyperCommand

from spacy_lal.files import leftovers, written_file
from spacy_lal.lang import DEFAULT_PIPELINE, LANGUAGES

if TYPE_CHECKING:
    from spacy.language import Language

ERROR = 2
ENDS = (signal.SIGINT, signal.SIGTERM)
STDIN = "-"
PUBLISHED = re.compile(f"({'|'.join(LANGUAGES)})_lal_(sm|md|lg)")
FACTORY = "lal_parser"
ROLES_FACTORY = "lal_srl"
# The format of an ending, where it has another name.
FORMAT_OF = {
    ".brackets": "brackets",
    ".conllu": "conllu",
    ".mrg": "brackets",
    ".ptb": "brackets",
    ".spacy": "docbin",
}
ENDING_OF = {
    "brackets": ".ptb",
    "docbin": ".spacy",
    "openie": ".txt",
    "table": ".txt",
    "tree": ".txt",
}


OutputOption = Annotated[
    Optional[Path],
    typer.Option(
        "--output",
        "-o",
        help="Write here  [default: -, stdout]",
    ),
]
ModelOption = Annotated[
    Optional[str],
    typer.Option(
        "--model",
        "-m",
        help=f"The pipeline: path or package  [default: {DEFAULT_PIPELINE}]",
    ),
]
GpuOption = Annotated[
    int, typer.Option("--gpu-id", "-g", min=-1, help="GPU, or -1 for the CPU")
]


# Messages and ends


def say(message: str, *, err: bool = True) -> None:
    """Print lines, on stderr, with control characters escaped: messages quote texts,
    labels and names of files."""
    from spacy_lal.pictures.markup import printable

    typer.echo(printable(message), err=err)


def fail(message: str) -> NoReturn:
    """Print an error message and exit with code 2."""
    if sys.stdout is not None:
        with suppress(OSError):
            sys.stdout.flush()
    say(message)
    raise typer.Exit(ERROR)


def wrote(path: Optional[Path], content: str) -> None:
    """Say on stderr what has been written to a file or a folder; nothing if it went to
    stdout."""
    if path is None or is_stdout(path):
        return
    say(f"Wrote {path}: {content}")
    for part in leftovers(path):
        say(f"{part} is of a run that was killed, or is still writing")


def counted(number: int, noun: str) -> str:
    """A number with its noun in singular or plural: `2 trees`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Command(TyperCommand):
    """A command that ends with one line on stderr for wrong input, and quietly if the
    reader of its pipe left."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The parts of the usage line after the command's name."""
        params = self.get_params(ctx)
        arguments = [x for x in params if x.param_type_name == "argument"]
        return ["[OPTIONS]", *(str(x.metavar or x.name) for x in arguments)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of the command line. An option that has one value is said
        once."""
        _, _, params = self.make_parser(ctx).parse_args(args=list(args))
        for param in params:
            is_option = param.param_type_name == "option" and not param.multiple
            if is_option and params.count(param) > 1:
                fail(f"expected {param.opts[0]} once")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        if sys.stdout is None:
            fail("stdout is closed: expected > FILE, or > /dev/null")
        before = [(number, signal.signal(number, _end)) for number in ENDS]
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            # The interpreter flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except KeyboardInterrupt as err:
            number = next(iter(err.args), signal.SIGINT)
            raise typer.Exit(128 + number) from None
        except SystemExit as err:  # spaCy has printed what is wrong with a config
            raise typer.Exit(ERROR if err.code else 0) from None
        except (OSError, ValueError, ImportError) as err:
            fail(reason(err))
        finally:
            for number, handler in before:
                signal.signal(number, handler)


def _end(number: int, frame: Any) -> NoReturn:
    """A signal ends the command as Ctrl-C does: files that are not complete are
    removed."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt(number)


def reason(err: BaseException) -> str:
    """The message of an error."""
    from ..models.torch import TRAIN

    if isinstance(err, ModuleNotFoundError) and err.name in (
        "torch",
        "spacy_transformers",
    ):
        return f"expected {err.name}, which is missing: {TRAIN}"
    if isinstance(err, OSError) and err.errno:
        return f"can't read or write {err.filename or 'stdout'}: {err.strerror}"
    text = str(err).strip()
    if text.startswith("[E002] Can't find factory for 'transformer'"):
        return f"it has a 'transformer' of torch: {TRAIN}"
    return text


# Pipelines


def load_pipeline(
    model: Optional[str] = None,
    gpu_id: int = -1,
    *,
    needs: Sequence[str] = (FACTORY,),
    exclude: Sequence[str] = (),
) -> "Language":
    """Load a pipeline: a path, a package, or None, the default one; ends the command if
    it cannot be loaded.

    needs (Sequence[str]): Factories of which it must have one.
    exclude (Sequence[str]): Names of components that the command does not need.
    """
    import spacy

    # What is there now, and a pipeline, stays to the end: the collector need not look
    # for garbage in it.
    gc.freeze()
    model = model or DEFAULT_PIPELINE
    try:
        if gpu_id >= 0:
            spacy.require_gpu(gpu_id)
    except Exception as err:  # CUDA's errors have no common base
        fail(
            f"can't use --gpu-id {gpu_id}: {err} (pip install 'spacy[cuda12x]', and a "
            "torch with CUDA)"
        )
    try:
        nlp = spacy.load(model, exclude=list(exclude))
    except Exception as err:  # a damaged file may raise any error of its reader
        why = " ".join(reason(err).split()) or type(err).__name__
        fail(f"can't load the pipeline {model!r}: {why}{how_to_install(model)}")
    gc.freeze()
    if needs and not {
        nlp.get_pipe_meta(name).factory for name in nlp.pipe_names
    }.intersection(needs):
        names = ", ".join(nlp.pipe_names) or "nothing"
        fail(f"the pipeline {model!r} has no {' or '.join(needs)}, only: {names}")
    return nlp


def how_to_install(model: str) -> str:
    """How to get a package that is missing, if it is one of ours, or nothing."""
    from spacy.util import is_package

    if not PUBLISHED.fullmatch(model) or is_package(model):
        return ""
    return (
        f" Install it, `pip install ./packages/{model}-*` in a clone, or name another "
        "by --model"
    )


# Outputs


def output_format(
    named: Optional[str], output: Optional[Path], formats: Sequence[str]
) -> str:
    """The format that was named, or else that the output's ending stands for, or else
    the first."""
    suffix = output.suffix.lower() if output is not None else ""
    if named is None and suffix == ".txt":
        return formats[0]
    chosen = named or FORMAT_OF.get(suffix, suffix[1:]) or formats[0]
    if chosen not in formats:
        endings = [ENDING_OF.get(name, f".{name}") for name in formats]
        fail(
            f"expected an ending of {', '.join(dict.fromkeys(endings))} after -o, or a "
            f"format of {', '.join(formats)} by --format, got {named or output}"
        )
    return chosen


def is_stdout(output: Optional[Path]) -> bool:
    """Whether an output is stdout: none is named, or `-`."""
    return output is None or str(output) == STDIN


@contextmanager
def text_output(
    output: Optional[Path], *, errors: str = "strict"
) -> Iterator[Callable[[str], Any]]:
    """For a block that writes text, by the function that it is given. To stdout it goes
    piece by piece, with control characters escaped for a terminal; a file is replaced
    at the end, and stays as it was if the block fails."""
    if not is_stdout(output) and output is not None:
        with written_file(output) as file:
            yield lambda text: file.write(text.encode("utf8", errors))
        return
    show: Callable[[str], str] = str
    if sys.stdout.isatty():
        from spacy_lal.pictures.markup import printable as show
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors=errors)
    yield lambda text: (sys.stdout.write(show(text)), sys.stdout.flush())


@contextmanager
def binary_output(output: Optional[Path]) -> Iterator[BinaryIO]:
    """For a block that writes bytes: to a pipe, or to a file, which is replaced at the
    end."""
    if not is_stdout(output) and output is not None:
        with written_file(output) as file:
            yield file
        return
    if sys.stdout.isatty():
        fail("expected a file after --output, or a pipe: stdout is a terminal")
    yield sys.stdout.buffer


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """The rows of a table as lines, with the cells of a column below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def check_apart(output: Optional[Path], *inputs: object) -> None:
    """Ends the command if it would replace a file that it reads."""
    if output is None or is_stdout(output) or not output.exists():
        return
    for path in map(Path, map(str, inputs)):
        if path.exists() and output.samefile(path):
            fail(f"{output} would be read and written at once: name another file")


def compiled(pattern: Optional[str], option: str) -> "Optional[re.Pattern[str]]":
    """The regular expression of an option; ends the command if it is none."""
    try:
        return None if pattern is None else re.compile(pattern)
    except re.error as error:
        fail(f"{option}: {pattern!r} is no regular expression: {error}")


def write_lines(output: Optional[Path], lines: Iterable[str], content: str) -> None:
    """Write lines, bytes in them as they were read, and say what they are."""
    with text_output(output, errors="surrogateescape") as write:
        for line in lines:
            write(f"{line}\n")
    wrote(output, content)


# Files of Docs and treebanks


def check_one_stdin(paths: Sequence[object]) -> None:
    """Ends the command if it would read stdin twice, or where it is closed."""
    n_read = sum(str(path) == STDIN for path in paths)
    if n_read > 1:
        fail("expected at most one - (stdin) among the files")
    if n_read and sys.stdin is None:
        fail("expected files, or texts on stdin, got a stdin that is closed")


@contextmanager
def input_paths(
    paths: Sequence[Path],
) -> Iterator[tuple[list[Path], Callable[[str], str]]]:
    """For a block that reads files by their paths. One of them may be `-`: a temporary
    file then has stdin's content. Yields the paths, and a function that names the
    temporary file `<stdin>` in a message."""
    check_one_stdin(paths)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "<stdin>"
        if any(str(path) == STDIN for path in paths):
            file.write_bytes(sys.stdin.buffer.read())

        def named(message: str) -> str:
            return message.replace(f"{folder}{os.sep}", "")

        try:
            yield [file if str(path) == STDIN else path for path in paths], named
        except ValueError as err:
            fail(named(str(err)))
