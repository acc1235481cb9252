"""Tables that commands write: rows as CSV, TSV, JSON lines or Parquet."""

import csv
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from io import StringIO
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import (
    TYPE_CHECKING,
    Any,
    Optional,
)

from spacy_lal.cli import io
from spacy_lal.files import leftovers, read_json

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from spacy_lal.cli.inputs import ManyInputs
    from spacy_lal.cli.texts import Origin

    Docs = Iterable[tuple[Doc, Origin]]

SEPARATORS = {"csv": ",", "tsv": "\t"}
JSONL = "jsonl"
PARQUET = "parquet"
FORMATS = (*SEPARATORS, JSONL, PARQUET)
Row = dict[str, Any]


def write_docs(
    docs: "Docs",
    inputs: "ManyInputs",
    output_format: str,
    kind: str,
    lines: "Callable[[Doc, Origin], str]",
    rows_of: "Optional[Callable[[Doc, Origin], Iterable[Row]]]" = None,
) -> None:
    """Write Docs as a table of a kind, or the lines of another format.

    rows_of: Makes the rows. They may have more than the columns of the kind, for JSON
        lines.
    """
    from spacy_lal.tables import find_kind

    if output_format not in FORMATS:
        written = f"the {kind}"
        with io.text_output(inputs.output) as write:
            for doc, origin in docs:
                write(lines(doc, origin))
    else:
        table = find_kind(kind)
        rows = (
            rows_of(doc, origin) if rows_of else table.rows(doc, origin.name)
            for doc, origin in docs
        )
        n_rows = write_table(rows, table.columns, output_format, inputs)
        written = io.counted(n_rows, "row")
    io.wrote(inputs.output, f"{written} of {io.counted(inputs.n_docs, 'text')}")


def write_table(
    rows_of_texts: Iterable[Iterable[Row]],
    columns: Sequence[str],
    output_format: str,
    inputs: "ManyInputs",
) -> int:
    """Write the rows of each text as they come, but Parquet at the end. A missing value
    is an empty cell or null. If the command ends early, a new file, or one that it goes
    on with, has the rows so far.

    RETURNS (int): How many there are.
    """
    output = inputs.output
    if output_format == PARQUET:
        rows = list(chain.from_iterable(rows_of_texts))
        _write_parquet(rows, columns, output)
        return len(rows)
    earlier = _read_done(output, columns, output_format) if inputs.resume else []
    inputs.done = {row["id"] for row in earlier}
    n_rows = 0
    keeps = inputs.resume or not (output is None or output.exists())
    failure: Optional[BaseException] = None
    with io.text_output(output) as write:
        write_rows = _row_writer(write, columns, output_format)
        try:
            for rows_of_text in chain([earlier], rows_of_texts):
                rows = list(rows_of_text)
                write_rows(rows)
                n_rows += len(rows)
        except BaseException as error:
            if not keeps or not n_rows:
                raise
            failure = error
    if failure is not None:
        so_far = io.counted(n_rows, "row")
        io.say(f"{output} has {so_far} so far: --resume goes on with it")
        raise failure
    return n_rows


def _row_writer(
    write: Callable[[str], Any], columns: Sequence[str], output_format: str
) -> Callable[[list[Row]], Any]:
    """What writes rows, after a heading."""
    from spacy_lal.pictures.markup import printable_json

    if output_format == JSONL:
        return lambda rows: write("".join(f"{printable_json(x)}\n" for x in rows))
    table = csv.DictWriter(
        SimpleNamespace(write=write),
        columns,
        extrasaction="ignore",
        delimiter=SEPARATORS[output_format],
        lineterminator="\n",
    )
    table.writeheader()
    return table.writerows


def _read_done(
    output: Optional[Path], columns: Sequence[str], output_format: str
) -> list[Row]:
    """The rows of an earlier run, or of one that was killed, but for those of the last
    text, which may not be all."""
    if output is None:
        return []
    paths = [path for path in (output, *leftovers(output)) if path.is_file()]
    if not paths:
        return []
    whole, _, _ = paths[0].read_text(encoding="utf8").rpartition("\n")
    if output_format in SEPARATORS:
        separator = SEPARATORS[output_format]
        rows = list(csv.DictReader(StringIO(whole), delimiter=separator))
    else:
        rows = list(map(read_json, whole.splitlines()))
    names = list(rows[0] if rows else columns)
    if names[: len(columns)] != list(columns):
        io.fail(
            f"--resume: expected the columns {', '.join(columns)} in {paths[0]}, got "
            f"{', '.join(names)}"
        )
    return [row for row in rows if row["id"] != rows[-1]["id"]]


def _write_parquet(
    rows: list[Row], columns: Sequence[str], output: Optional[Path]
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({name: [row[name] for row in rows] for name in columns})
    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink)
    with io.binary_output(output) as file:
        file.write(sink.getvalue())


def find_format(inputs: "ManyInputs", formats: Sequence[str]) -> str:
    """The format of a command's output: a table, or one of its own; ends the command if
    there is none such."""
    formats = [*formats, *FORMATS]
    output_format = io.output_format(inputs.output_format, inputs.output, formats)
    is_stream = output_format in (*SEPARATORS, JSONL)
    if inputs.resume and (io.is_stdout(inputs.output) or not is_stream):
        io.fail("--resume goes on with a table: expected -o FILE.csv, .tsv or .jsonl")
    if output_format == PARQUET and find_spec("pyarrow") is None:
        io.fail("Parquet needs pyarrow: pip install 'spacy-lal[tables]'")
    return output_format
