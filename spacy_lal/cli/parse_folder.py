"""`python -m spacy lal parse FOLDER --engine ray --output OUT`: a folder of files in, a folder of Parquet files out.

A written file that is newer than its input is done, so that the same command continues after an interruption.
"""

from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List

import typer

from spacy_lal.cli import io
from spacy_lal.cli.texts import Reading, Source

if TYPE_CHECKING:
    import pyarrow as pa

    from spacy_lal.distributed import BatchParser

LOCAL, RAY = ENGINES = ("local", "ray")
SUFFIXES = (".parquet", ".txt", ".jsonl", ".tsv")
ROWS_AT_A_TIME = 1024


def parse_folder(
    source: Path,
    output: Path,
    model: str,
    engine: str,
    settings: Dict[str, Any],
    *,
    paragraphs: bool,
    n_process: int,
    gpu_id: int,
    overwrite: bool,
) -> None:
    """Parse the files of a folder that are not yet parsed. Ends the command with exit code 2 if any file fails.

    source (Path): A folder with .parquet, .txt, .jsonl and .tsv files.
    output (Path): The folder for the Parquet files to write, one per file.
    engine (str): `local` for this process, `ray` for actors of a Ray cluster.
    settings (Dict[str, Any]): For `BatchParser`.
    n_process (int), gpu_id (int): Number of Ray actors; each has a GPU if one is named.
    overwrite (bool): Parse all files again.
    """
    from spacy_lal.distributed import BatchParser

    if engine not in ENGINES or n_process < 1 or (engine == LOCAL and n_process > 1):
        expected = f"an engine of {', '.join(ENGINES)}, and 1 --n-process or, with ray, more"
        io.fail(f"expected {expected}; got {engine!r} and {n_process}")
    worker_gpu = min(gpu_id, 0) if engine == RAY else gpu_id  # Ray shows each actor only its own
    files = FileParser(BatchParser(model, gpu_id=worker_gpu, **settings), paragraphs)
    tasks = list_tasks(source, output)
    left = [task for task in tasks if overwrite or not _is_done(**task)]
    if left and engine == LOCAL:
        files.parser.load()
    results = _with_ray(files, left, n_process, float(gpu_id >= 0)) if left and engine == RAY else map(files, left)
    n_files = n_texts = 0
    for result in io.progress(results, total=len(left), unit="files"):
        n_files, n_texts = n_files + (not result["error"]), n_texts + result["n_texts"]
        if result["error"]:
            io.say(f"{result['source']}: {result['error']}", err=True)
    failed = f", {len(left) - n_files} failed" if n_files < len(left) else ""
    io.wrote(output, f"{n_files} files parsed ({n_texts} texts), {len(tasks) - len(left)} skipped: done before{failed}")
    if failed:
        raise typer.Exit(io.ERROR)


def list_tasks(source: Path, output: Path) -> List[Dict[str, str]]:
    """The files of a folder and its subfolders, each with its output file: `a/b.parquet` for `a/b.parquet`,
    `a/b.txt.parquet` for `a/b.txt`. As in Spark, names that begin with `.` or `_` are skipped."""
    source, output = source.resolve(), output.resolve()
    if not source.is_dir() or source in (output, *output.parents) or output in source.parents:
        io.fail(f"expected two folders side by side to read and to write, got {source} and {output}")
    tasks = {}
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if path.suffix in SUFFIXES and path.is_file() and not any(part.startswith((".", "_")) for part in name.parts):
            target = output / name if path.suffix == ".parquet" else output / f"{name}.parquet"
            if target in tasks:
                io.fail(f"{tasks[target]} and {path} would both go to {target}: rename one")
            tasks[target] = path
    if not tasks:
        io.fail(f"expected files that end in {' or '.join(SUFFIXES)} in {source}, found none")
    return [{"source": str(path), "target": str(target)} for target, path in tasks.items()]


def _is_done(source: str, target: str) -> bool:
    return Path(target).exists() and Path(target).stat().st_mtime_ns >= Path(source).stat().st_mtime_ns


def _with_ray(files: "FileParser", tasks: List[Dict[str, str]], n_actors: int, gpus: float) -> Iterator[Dict[str, Any]]:
    from spacy_lal.distributed import ParsingActor, actor_settings, import_extra

    ray, data = import_extra("ray", "ray"), import_extra("ray.data", "ray")
    if not ray.is_initialized():
        ray.init(logging_level="warning", log_to_driver=False)
    data.DataContext.get_current().enable_progress_bars = False
    settings = actor_settings(min(n_actors, len(tasks)), gpus)
    rows = data.from_items(tasks, override_num_blocks=len(tasks))
    try:
        yield from rows.map(ParsingActor, fn_constructor_args=(files,), **settings).iter_rows()
    except ray.exceptions.RayError as err:
        io.fail(f"Ray gave up; the same command goes on with the other files: {io.reason(err).splitlines()[-1]}")


class FileParser:
    """Parses files one by one; picklable.

    parser (BatchParser): The batch function. paragraphs (bool): How text files are divided.
    """

    def __init__(self, parser: "BatchParser", paragraphs: bool) -> None:
        self.parser, self.paragraphs = parser, paragraphs

    def load(self) -> None:
        """Load the pipeline."""
        self.parser.load()

    def __call__(self, task: Dict[str, str]) -> Dict[str, Any]:
        """Parse the file `source` into the file `target`. An error is returned, so that the others are still parsed."""
        from pyarrow.parquet import ParquetWriter

        from spacy_lal.files import written_file

        n_texts = 0
        try:
            batches = self._batches(Path(task["source"]))
            first = next(batches)
            with written_file(task["target"]) as file, ParquetWriter(file, self.parser.schema(first.schema)) as writer:
                for batch in chain([first], batches):
                    writer.write_batch(self.parser(batch))
                    n_texts += batch.num_rows
        except (OSError, ValueError) as err:
            return {"source": task["source"], "n_texts": 0, "error": str(err).strip() or type(err).__name__}
        return {"source": task["source"], "n_texts": n_texts, "error": ""}

    def _batches(self, source: Path) -> "Iterator[pa.RecordBatch]":
        """The rows of a Parquet file, or the column `line`, `id` (not of .txt) and text of another one. The first batch
        is empty: it carries the schema, even for a file without rows."""
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile

        if source.suffix == ".parquet":
            with ParquetFile(source) as file:
                yield pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
                yield from file.iter_batches(batch_size=ROWS_AT_A_TIME)
            return
        column = self.parser.text_column
        ids = [] if source.suffix == ".txt" else [("id", pa.string())]
        schema = pa.schema([("line", pa.int64()), *ids, (column, pa.string())])
        yield pa.RecordBatch.from_pylist([], schema=schema)
        reading = Reading([Source(str(source))], paragraphs=self.paragraphs, text_field=column)
        texts = reading.texts(self.parser.load().max_length)
        while rows := [{"line": one.line, "id": one.id, column: text} for text, one in islice(texts, ROWS_AT_A_TIME)]:
            yield pa.RecordBatch.from_pylist(rows, schema=schema)
