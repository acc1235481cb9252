"""Tables that commands write: rows as CSV, TSV, JSON lines or Parquet."""

import csv
from io import StringIO
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence

from spacy_lal.cli import io

SEPARATORS = {"csv": ",", "tsv": "\t"}
PARQUET = "parquet"
FORMATS = (*SEPARATORS, "jsonl", PARQUET)
Row = Dict[str, Any]


def write_table(
    rows: Iterable[Row],
    columns: Sequence[str],
    output_format: str,
    output: Optional[Path] = None,
) -> int:
    """Write rows, each as it comes, but Parquet at the end; a missing value is an empty
    cell or null.

    RETURNS (int): How many there were.
    """
    if output_format == PARQUET:
        return _write_parquet(list(rows), columns, output)
    lines = (
        _separated(rows, columns, SEPARATORS[output_format])
        if output_format in SEPARATORS
        else _json_lines(rows)
    )
    n_lines = 0
    with io.text_output(output) as write:
        for line in lines:
            write(line)
            n_lines += 1
    has_names = output_format in SEPARATORS
    return n_lines - has_names


def _separated(
    rows: Iterable[Row], columns: Sequence[str], separator: str
) -> Iterator[str]:
    """The line of names, and a line for each row."""
    cells = StringIO()
    writer = csv.DictWriter(cells, columns, delimiter=separator, lineterminator="\n")
    writer.writeheader()
    yield cells.getvalue()
    for row in rows:
        cells.seek(0)
        cells.truncate()
        writer.writerow(row)
        yield cells.getvalue()


def _json_lines(rows: Iterable[Row]) -> Iterator[str]:
    from spacy_lal.pictures.markup import printable_json

    for row in rows:
        yield f"{printable_json(row)}\n"


def _write_parquet(
    rows: List[Row], columns: Sequence[str], output: Optional[Path]
) -> int:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        io.fail("Parquet needs pyarrow: pip install pyarrow")
    table = pa.table({name: [row[name] for row in rows] for name in columns})
    with io.output_path(output) as path:
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, path)
    return len(rows)
