"""`python -m spacy lal parse FOLDER --engine ray --output OUT`: a folder of files in, a folder of parses out.

If run again, the command continues with the unfinished files.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import typer

from spacy_lal.cli.gpu import use_gpu
from spacy_lal.cli.streams import fail, say, wrote

ENGINES = ("local", "ray")
FOLDER_FORMATS = ("columns", "docbin")
BATCH_SIZE = 32
INTERRUPTED = 130  # the exit code of shells after Ctrl-C


@dataclass
class Workers:
    """The workers that parse.

    engine (str): `local` for this process, `ray` for actors of a Ray cluster.
    n_process (int): Number of Ray actors.
    num_gpus (float): GPUs per actor.
    gpu_id (int): The GPU of this process, or -1.
    """

    engine: str
    n_process: int = 1
    num_gpus: float = 0.0
    gpu_id: int = -1

    def check(self) -> None:
        """Ends the command if the options are incompatible."""
        if self.engine not in ENGINES:
            fail(f"expected an engine of {', '.join(ENGINES)}, got {self.engine!r}")
        if self.engine == "local" and (self.n_process != 1 or self.num_gpus):
            fail("--engine local is this one process: --n-process and --gpus go with --engine ray")
        if self.engine == "ray" and self.gpu_id >= 0:
            fail("--engine ray takes a share of a GPU for each worker, such as --gpus 1, instead of --gpu-id")
        if self.n_process < 1:
            fail(f"expected 1 or more workers with --engine ray, got --n-process {self.n_process}")

    @property
    def worker_gpu(self) -> int:
        """The GPU as a worker sees it: Ray shows each actor only its own."""
        return self.gpu_id if self.engine == "local" else (0 if self.num_gpus > 0 else -1)


def parse_folder(
    model: str,
    source: Path,
    output: Optional[Path],
    workers: Workers,
    *,
    output_format: Optional[str] = None,
    text_column: str = "text",
    paragraphs: bool = False,
    batch_size: Optional[int] = None,
    overwrite: bool = False,
) -> None:
    """Parse the files of a folder that are not yet parsed. If any file fails, ends the command with exit code 1.

    model (str): A path, or the name of an installed package.
    source (Path): A folder with .parquet and .txt files.
    output (Optional[Path]): The folder for the Parquet files to write, one per file.
    text_column (str): The column of Parquet files that holds the texts.
    overwrite (bool): Parse all files again. Files that this command did not write are never replaced.
    """
    from spacy_lal.cli.folder_files import FileParser, FolderError, list_tasks, pipeline_fingerprint, read_record
    from spacy_lal.distributed.batches import BatchParser
    from spacy_lal.distributed.extras import import_extra

    workers.check()
    use_gpu(workers.gpu_id)
    output_format = output_format or FOLDER_FORMATS[0]
    if output_format not in FOLDER_FORMATS:
        fail(f"expected a format of {', '.join(FOLDER_FORMATS)} with --engine, got {output_format!r}")
    if not source.is_dir():
        fail(f"expected a folder of .parquet or .txt files with --engine, got {source}")
    if output is None or output.is_file():
        fail(f"--engine writes a folder: expected its name after --output, got {output or 'nothing'}")
    try:
        import_extra("pyarrow.parquet", "arrow")
        if workers.engine == "ray":
            import_extra("ray.data", "ray")
        parser = BatchParser(
            model,
            text_column=text_column,
            output=output_format,
            batch_size=batch_size or BATCH_SIZE,
            gpu_id=workers.worker_gpu,
        )
        file_parser = FileParser(parser, pipeline_fingerprint(parser.pipeline), paragraphs)
        tasks = list_tasks(source, output)
        if overwrite:
            for task in tasks:
                if task.target.exists():
                    read_record(task.target)  # refuses a file that this command did not write
        left = tasks if overwrite else [task for task in tasks if not file_parser.is_done(task)]
        if left and workers.engine == "local":
            parser.load()
    except FolderError as err:
        fail(str(err))
    except (OSError, ValueError, ImportError, KeyError) as err:
        fail(f"can't parse with the pipeline {model!r}: {err}" if not isinstance(err, ImportError) else str(err))
    rows = [{"source": str(task.source), "target": str(task.target)} for task in left]
    _report(_run(workers, file_parser, rows), output, n_left=len(left), n_skipped=len(tasks) - len(left))


def _run(workers: Workers, file_parser: Any, rows: List[Dict[str, str]]) -> Iterator[Dict[str, Any]]:
    if not rows:
        return
    if workers.engine == "local":
        yield from map(file_parser, rows)
        return
    from spacy_lal.distributed.extras import import_extra
    from spacy_lal.distributed.ray_data import map_rows

    exceptions = import_extra("ray.exceptions", "ray")
    try:
        yield from map_rows(rows, file_parser, concurrency=min(workers.n_process, len(rows)), num_gpus=workers.num_gpus)
    except exceptions.RayError as err:
        fail(f"Ray gave up; the same command goes on with the other files: {str(err).strip().splitlines()[-1]}")


def _report(results: Iterator[Dict[str, Any]], output: Path, *, n_left: int, n_skipped: int) -> None:
    """Wait for the files, and print how many were parsed."""
    from tqdm import tqdm

    n_files = n_texts = n_failed = 0
    interrupted = 0
    try:
        for result in tqdm(results, total=n_left, unit=" files", disable=None, leave=False):
            if result["error"]:
                n_failed += 1
                say(f"{result['source']}: {result['error']}", err=True)
            else:
                n_files += 1
                n_texts += result["n_texts"]
    except KeyboardInterrupt as stopped:
        interrupted = getattr(stopped, "exit_code", INTERRUPTED)
    failed = f", {n_failed} failed" if n_failed else ""
    content = f"{n_files} files parsed ({n_texts} texts), {n_skipped} skipped: done before{failed}"
    if n_files:
        wrote(output, content)
    else:
        say(content, err=True)
    if interrupted:
        typer.echo("Stopped: the same command goes on with the other files", err=True)
        raise typer.Exit(interrupted)
    if n_failed:
        raise typer.Exit(1)
