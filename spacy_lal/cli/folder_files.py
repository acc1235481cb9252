"""One file of a folder for `lal parse --engine`: read in pieces, parsed, written whole.

The written files record the progress: the metadata of each has the settings and the size and time of its input. No
separate list of finished files exists that could disagree with the files.
"""

import hashlib
import json
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional

from spacy_lal.cli.records import TEXT, format_by_name, text_reader
from spacy_lal.cli.texts import TextReader
from spacy_lal.distributed.batches import BatchParser
from spacy_lal.distributed.extras import import_extra
from spacy_lal.export import SCHEMA_VERSION
from spacy_lal.files import written_file

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".parquet", ".txt", ".jsonl", ".tsv")
RECORD_KEY = b"spacy_lal"
ROWS_AT_A_TIME = 1024


class FolderError(ValueError):
    """Folders that cannot be read from or written to."""


class FileTask(NamedTuple):
    """An input file and its output file."""

    source: Path
    target: Path


def list_tasks(source: Path, output: Path) -> List[FileTask]:
    """The Parquet, text, JSON lines and TSV files of a folder and its subfolders, each with its output file:
    `a/b.parquet` for `a/b.parquet`, `a/b.txt.parquet` for `a/b.txt`. As in Spark, names that begin with `.` or `_` are
    skipped.

    RAISES (FolderError): No files; two files with the same output; the folders lie within one another.
    """
    source, output = source.resolve(), output.resolve()
    if source == output or source in output.parents or output in source.parents:
        raise FolderError(f"expected two folders side by side to read and to write, got {source} and {output}")
    tasks: Dict[Path, FileTask] = {}
    for path in sorted(source.rglob("*")):
        name = path.relative_to(source)
        if path.suffix not in SUFFIXES or any(part.startswith((".", "_")) for part in name.parts) or not path.is_file():
            continue
        target = output / name if path.suffix == ".parquet" else output / f"{name}.parquet"
        if target in tasks:
            raise FolderError(f"{tasks[target].source} and {path} would both go to {target}: rename one")
        tasks[target] = FileTask(path, target)
    if not tasks:
        raise FolderError(f"expected files that end in {' or '.join(SUFFIXES)} in {source}, found none")
    return list(tasks.values())


@dataclass
class FileParser:
    """Parses files one by one; picklable.

    parser (BatchParser): The batch function.
    fingerprint (str): The pipeline's hash, see `pipeline_fingerprint`.
    paragraphs (bool): How text files are divided, see `TextReader`.
    """

    parser: BatchParser
    fingerprint: str
    paragraphs: bool = False

    @property
    def settings(self) -> Dict[str, Any]:
        """The settings that a parse depends on, besides the input."""
        return {
            "pipeline": self.fingerprint,
            "format": self.parser.output,
            "text column": self.parser.text_column,
            "paragraphs": self.paragraphs,
            "schema": SCHEMA_VERSION,
        }

    def record(self, source: Path) -> Dict[str, Any]:
        """The metadata of a written file."""
        status = source.stat()
        return {"input": {"size": status.st_size, "mtime_ns": status.st_mtime_ns}, "settings": self.settings}

    def is_done(self, task: FileTask) -> bool:
        """Whether a file was parsed before and has not changed since.

        RAISES (FolderError): The output file was not written by us, or with other settings.
        """
        if not task.target.exists():
            return False
        found, expected = read_record(task.target), self.record(task.source)
        differing = [name for name, value in expected["settings"].items() if found["settings"].get(name) != value]
        if differing:
            was, now = ([record["settings"].get(name) for name in differing] for record in (found, expected))
            raise FolderError(
                f"{task.target} was made with another {', '.join(differing)}: {was}, now {now}; name another folder to "
                "write, or say --overwrite to parse all files again"
            )
        return bool(found["input"] == expected["input"])

    def parse(self, task: FileTask) -> int:
        """Parse one file. The output is written completely or not at all, even if the process is killed.

        RETURNS (int): The number of texts.
        RAISES (OSError): The files cannot be read or written.
        RAISES (ValueError): The content of the file cannot be parsed.
        """
        record = self.record(task.source)  # taken before reading: the next run notices if the file changes meanwhile
        task.target.parent.mkdir(parents=True, exist_ok=True)
        with written_file(task.target) as file:
            n_texts = self._write(task.source, file, record)
        return n_texts

    def load(self) -> None:
        """Load the pipeline."""
        self.parser.load()

    def __call__(self, batch: Dict[str, str]) -> Dict[str, Any]:
        """`parse` for Ray: an error is returned, so that the other files are still parsed.

        batch (Dict[str, str]): One row: `source` and `target`.
        RETURNS (Dict[str, Any]): `source`, `n_texts`, and `error`, which is empty on success.
        """
        n_texts, error = 0, ""
        try:
            n_texts = self.parse(FileTask(Path(batch["source"]), Path(batch["target"])))
        except (OSError, ValueError) as err:
            error = str(err).strip() or type(err).__name__
        return {"source": batch["source"], "n_texts": n_texts, "error": error}

    def _write(self, source: Path, file: BinaryIO, record: Dict[str, Any]) -> int:
        pq = import_extra("pyarrow.parquet", "arrow")
        batches = self._parquet_batches(source) if source.suffix == ".parquet" else self._text_batches(source)
        first = next(batches)
        schema = self.parser.schema(first.schema).with_metadata({RECORD_KEY: json.dumps(record)})
        n_texts = 0
        with pq.ParquetWriter(file, schema) as writer:
            for batch in chain([first], batches):
                writer.write_batch(self.parser(batch).replace_schema_metadata(schema.metadata))
                n_texts += batch.num_rows
        return n_texts

    def _parquet_batches(self, source: Path) -> Iterator["pa.RecordBatch"]:
        """The first batch is empty: it carries the schema, even for a file without rows."""
        pa, pq = import_extra("pyarrow", "arrow"), import_extra("pyarrow.parquet", "arrow")
        with pq.ParquetFile(source) as file:
            yield pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
            yield from file.iter_batches(batch_size=ROWS_AT_A_TIME)

    def _text_batches(self, source: Path) -> Iterator["pa.RecordBatch"]:
        """Rows of `line`, `id` (of JSON lines and TSV files alone), and the text."""
        pa = import_extra("pyarrow", "arrow")
        has_ids = format_by_name(source.name) != TEXT
        ids = [("id", pa.string())] if has_ids else []
        schema = pa.schema([("line", pa.int64()), *ids, (self.parser.text_column, pa.string())])
        yield pa.RecordBatch.from_pylist([], schema=schema)
        texts = iter(self._reader(source))
        while rows := list(islice(texts, ROWS_AT_A_TIME)):
            names = [[text.id for text in rows]] if has_ids else []
            columns = [[text.line for text in rows], *names, [text.text for text in rows]]
            arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _reader(self, source: Path) -> TextReader:
        return text_reader(
            str(source),
            paragraphs=self.paragraphs,
            text_field=self.parser.text_column,
            max_length=self.parser.load().max_length,
        )


def read_record(target: Path) -> Dict[str, Any]:
    """The metadata that we keep in a written file.

    RAISES (FolderError): The file was not written by us.
    """
    pq = import_extra("pyarrow.parquet", "arrow")
    metadata: Optional[Dict[bytes, bytes]] = None
    try:
        metadata = pq.read_schema(target).metadata
    except (OSError, ValueError):  # not Parquet, or unreadable
        pass
    if not metadata or RECORD_KEY not in metadata:
        raise FolderError(f"{target} was not written by this command: move it away, or name another folder to write")
    record: Dict[str, Any] = json.loads(metadata[RECORD_KEY])
    return record


def pipeline_fingerprint(pipeline: str) -> str:
    """A hash over the files of a pipeline. It differs from the hash of the same pipeline after further training.

    pipeline (str): A path, or the name of an installed package.
    RETURNS (str): 16 hexadecimal digits.
    RAISES (OSError): The pipeline does not exist.
    """
    from spacy.util import get_package_path, is_package

    folder = get_package_path(pipeline) if is_package(pipeline) else Path(pipeline)
    if not folder.is_dir():
        raise FileNotFoundError(f"expected a path or an installed package, found neither under {pipeline!r}")
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()[:16]
