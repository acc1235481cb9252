"""`python -m spacy lal evalb GOLD TEST`: EVALB's table for two bracket files."""

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Iterator, Optional

import typer

from spacy_lal.cli.outputs import is_stdin
from spacy_lal.cli.streams import closed_pipe_is_no_error, fail, say

if TYPE_CHECKING:
    from spacy_lal.metrics.evalb_params import EvalbParams


def evalb_cli(
    gold_path: Annotated[Path, typer.Argument(metavar="GOLD", help="Gold trees, one a line; - is stdin")],
    test_path: Annotated[Path, typer.Argument(metavar="TEST", help="Trees to score, one a line, in the same order")],
    param: Annotated[
        Optional[str], typer.Option("--param", "-p", help="A parameter file (.prm), or COLLINS (the default), nk or is")
    ] = None,
    cutoff_len: Annotated[
        Optional[int], typer.Option("--cutoff-len", "-c", help="Longest sentence of the second summary block")
    ] = None,
    max_error: Annotated[
        Optional[int], typer.Option("--max-error", "-e", help="Number of errors that the run may have")
    ] = None,
) -> None:
    """Score bracketing as the program EVALB does: the same rows and summary, line for line.

    Errors in sentences go to stderr, as in the original. Both files are read line by line, one tree per line.
    """
    from dataclasses import replace

    from spacy_lal.metrics.evalb_params import EvalbParamsError
    from spacy_lal.metrics.evalb_report import EvalbLineError, EvalbStopped, report

    try:
        params = read_params(param)
    except EvalbParamsError as err:
        fail(str(err))
    if cutoff_len is not None:
        params = replace(params, cutoff_len=cutoff_len)
    if max_error is not None:
        params = replace(params, max_error=max_error)
    paths = {"gold": gold_path, "test": test_path}
    if is_stdin(gold_path) and is_stdin(test_path):
        fail("expected at most one - (stdin) among the files")
    for side, path in paths.items():
        if not is_stdin(path) and (not path.exists() or path.is_dir()):  # a pipe is not a regular file, but can be read
            fail(f"Can't open {side} file ({path})")

    def on_error(message: str) -> None:
        say(message, err=True)

    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")  # bytes as they were read
    with closed_pipe_is_no_error():
        try:
            for line in report(_lines(gold_path), _lines(test_path), params, on_error=on_error):
                sys.stdout.write(line + "\n")
        except EvalbLineError as err:
            fail(f"{paths[err.side]}, line {err.line}: {err}")
        except EvalbStopped as err:
            fail(f"{test_path}: {err} (MAX_ERROR in the parameter file, or --max-error)")
        except OSError as err:
            if isinstance(err, BrokenPipeError):
                raise
            fail(str(err))


def read_params(param: Optional[str]) -> "EvalbParams":
    """The parameters by name or file (None: COLLINS). Warnings of the file's reader go to stderr."""
    import warnings

    from spacy_lal.metrics.evalb_params import COLLINS, NAMED, EvalbParams

    if param is None:
        return COLLINS
    if param in NAMED and not Path(param).exists():
        return NAMED[param]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        params = EvalbParams.from_file(param)
    for warning in caught:
        say(str(warning.message), err=True)
    return params


def _lines(path: Path) -> Iterator[str]:
    """Lines, split at `\\n` only. Bytes that are not UTF-8 are preserved, since the program compares bytes."""
    raw = sys.stdin.buffer if is_stdin(path) else path.open("rb")
    with io.TextIOWrapper(raw, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        yield from file
