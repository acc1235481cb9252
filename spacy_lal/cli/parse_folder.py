"""`python -m spacy lal parse FOLDER --engine ray --output OUT`: a folder of files in, a folder of Parquet files out.

A written file that is newer than its input is done, so that the same command continues after an interruption.
"""

from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional

import typer

from spacy_lal.cli.io import fail, progress, reason, say, wrote
from spacy_lal.cli.texts import Reading, Source
from spacy_lal.lang import DEFAULT_PIPELINE

if TYPE_CHECKING:
    import pyarrow as pa

    from spacy_lal.distributed import BatchParser

LOCAL, RAY = ENGINES = ("local", "ray")
FOLDER_FORMATS = ("columns", "docbin")
BATCH_SIZE = 32
SUFFIXES = (".parquet", ".txt", ".jsonl", ".tsv")
ROWS_AT_A_TIME = 1024


def parse_folder(
    source: Path,
    output: Optional[Path],
    model: Optional[str],
    engine: str,
    *,
    output_format: Optional[str],
    text_column: str,
    paragraphs: bool,
    batch_size: int,
    n_process: int,
    num_gpus: float,
    gpu_id: int,
    overwrite: bool,
) -> None:
    """Parse the files of a folder that are not yet parsed. Ends the command with exit code 2 if any file fails.

    source (Path): A folder with .parquet, .txt, .jsonl and .tsv files.
    output (Optional[Path]): The folder for the Parquet files to write, one per file.
    engine (str): `local` for this process, `ray` for actors of a Ray cluster.
    n_process (int), num_gpus (float): Number of Ray actors, and GPUs of each.
    overwrite (bool): Parse all files again.
    """
    from spacy_lal.distributed import BatchParser, import_extra

    output_format = output_format or FOLDER_FORMATS[0]
    if engine not in ENGINES or output_format not in FOLDER_FORMATS:
        expected = f"an engine of {', '.join(ENGINES)} and a format of {', '.join(FOLDER_FORMATS)}"
        fail(f"expected {expected}, got {engine!r} and {output_format!r}")
    if n_process < 1 or (engine == LOCAL and (n_process > 1 or num_gpus)) or (engine == RAY and gpu_id >= 0):
        fail("--engine local takes --gpu-id, and is one process; --engine ray takes --gpus, and 1 or more --n-process")
    if output is None:
        fail("--engine writes a folder: expected its name after --output")
    import_extra("pyarrow.parquet", "arrow")
    tasks = list_tasks(source, output)
    worker_gpu = gpu_id if engine == LOCAL else (0 if num_gpus > 0 else -1)  # Ray shows each actor only its own
    model = model or DEFAULT_PIPELINE
    parser = BatchParser(model, text_column, output=output_format, batch_size=batch_size, gpu_id=worker_gpu)
    left = [task for task in tasks if overwrite or not _is_done(**task)]
    if left and engine == LOCAL:
        parser.load()
    results = _run(FileParser(parser, paragraphs), left, n_process if engine == RAY else 0, num_gpus)
    n_files = n_texts = 0
    for result in progress(results, total=len(left), unit="files"):
        if result["error"]:
            say(f"{result['source']}: {result['error']}", err=True)
        else:
            n_files, n_texts = n_files + 1, n_texts + result["n_texts"]
    failed = f", {len(left) - n_files} failed" if n_files < len(left) else ""
    wrote(output, f"{n_files} files parsed ({n_texts} texts), {len(tasks) - len(left)} skipped: done before{failed}")
    if failed:
        raise typer.Exit(2)


def list_tasks(source: Path, output: Path) -> List[Dict[str, str]]:
    """The files of a folder and its subfolders, each with its output file: `a/b.parquet` for `a/b.parquet`,
    `a/b.txt.parquet` for `a/b.txt`. As in Spark, names that begin with `.` or `_` are skipped."""
    source, output = source.resolve(), output.resolve()
    if not source.is_dir() or source in (output, *output.parents) or output in source.parents:
        fail(f"expected two folders side by side to read and to write, got {source} and {output}")
    tasks = {}
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if path.suffix in SUFFIXES and path.is_file() and not any(part.startswith((".", "_")) for part in name.parts):
            target = output / name if path.suffix == ".parquet" else output / f"{name}.parquet"
            if target in tasks:
                fail(f"{tasks[target]} and {path} would both go to {target}: rename one")
            tasks[target] = path
    if not tasks:
        fail(f"expected files that end in {' or '.join(SUFFIXES)} in {source}, found none")
    return [{"source": str(path), "target": str(target)} for target, path in tasks.items()]


def _is_done(source: str, target: str) -> bool:
    return Path(target).exists() and Path(target).stat().st_mtime_ns >= Path(source).stat().st_mtime_ns


def _run(parser: "FileParser", tasks: List[Dict[str, str]], n_actors: int, num_gpus: float) -> Iterator[Dict[str, Any]]:
    if not tasks or not n_actors:
        yield from map(parser, tasks)
        return
    from spacy_lal.distributed import ParsingActor, actor_settings, import_extra

    ray, data = import_extra("ray", "ray"), import_extra("ray.data", "ray")
    if not ray.is_initialized():
        ray.init(logging_level="warning", log_to_driver=False)
    data.DataContext.get_current().enable_progress_bars = False
    settings = actor_settings(min(n_actors, len(tasks)), num_gpus)
    rows = data.from_items(tasks, override_num_blocks=len(tasks))
    try:
        yield from rows.map(ParsingActor, fn_constructor_args=(parser,), **settings).iter_rows()
    except ray.exceptions.RayError as err:
        fail(f"Ray gave up; the same command goes on with the other files: {reason(err).splitlines()[-1]}")


@dataclass
class FileParser:
    """Parses files one by one; picklable.

    parser (BatchParser): The batch function. paragraphs (bool): How text files are divided.
    """

    parser: "BatchParser"
    paragraphs: bool = False

    def load(self) -> None:
        """Load the pipeline."""
        self.parser.load()

    def __call__(self, task: Dict[str, str]) -> Dict[str, Any]:
        """Parse one file. An error is returned, so that the other files are still parsed.

        task (Dict[str, str]): `source` and `target`.
        RETURNS (Dict[str, Any]): `source`, `n_texts`, and `error`, which is empty on success.
        """
        try:
            return {"source": task["source"], "n_texts": self._parse(Path(task["source"]), task["target"]), "error": ""}
        except (OSError, ValueError) as err:
            return {"source": task["source"], "n_texts": 0, "error": str(err).strip() or type(err).__name__}

    def _parse(self, source: Path, target: str) -> int:
        from spacy_lal.distributed import import_extra
        from spacy_lal.files import written_file

        pq = import_extra("pyarrow.parquet", "arrow")
        batches = self._parquet_batches(source) if source.suffix == ".parquet" else self._text_batches(source)
        first = next(batches)
        n_texts = 0
        with written_file(target) as file, pq.ParquetWriter(file, self.parser.schema(first.schema)) as writer:
            for batch in chain([first], batches):
                writer.write_batch(self.parser(batch))
                n_texts += batch.num_rows
        return n_texts

    def _parquet_batches(self, source: Path) -> "Iterator[pa.RecordBatch]":
        """The first batch is empty: it carries the schema, even for a file without rows."""
        import pyarrow as pa
        from pyarrow import parquet

        with parquet.ParquetFile(source) as file:
            yield pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
            yield from file.iter_batches(batch_size=ROWS_AT_A_TIME)

    def _text_batches(self, source: Path) -> "Iterator[pa.RecordBatch]":
        """Rows of `line`, `id` (of JSON lines and TSV files alone), and the text."""
        import pyarrow as pa

        column = self.parser.text_column
        ids = [] if source.suffix == ".txt" else [("id", pa.string())]
        schema = pa.schema([("line", pa.int64()), *ids, (column, pa.string())])
        yield pa.RecordBatch.from_pylist([], schema=schema)
        reading = Reading([Source(str(source))], paragraphs=self.paragraphs, text_field=column)
        texts = reading.texts(self.parser.load().max_length)
        while rows := [{"line": one.line, "id": one.id, column: text} for text, one in islice(texts, ROWS_AT_A_TIME)]:
            yield pa.RecordBatch.from_pylist(rows, schema=schema)
