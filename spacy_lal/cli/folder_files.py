"""One file of a folder for `lal parse --engine`: read in pieces, parsed, written whole.

What was done stands in the written files: the metadata of each has its input's size and time, and the settings. No list
of finished files is kept, so none can disagree with the files.
"""

import hashlib
import json
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional

from spacy_lal.cli.texts import TextReader
from spacy_lal.distributed.batches import BatchParser
from spacy_lal.distributed.extras import import_extra
from spacy_lal.training.whole_file import written_file

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".parquet", ".txt")
RECORD_KEY = b"spacy_lal"
ROWS_AT_A_TIME = 1024


class FolderError(ValueError):
    """Folders that cannot be read from or written to as they are."""


class FileTask(NamedTuple):
    """A file to read, and the one to write."""

    source: Path
    target: Path


def list_tasks(source: Path, output: Path) -> List[FileTask]:
    """The Parquet and text files of a folder and of the folders in it, each with the file that its parses go to:
    `a/b.parquet` to `a/b.parquet`, `a/b.txt` to `a/b.txt.parquet`. Names that begin with `.` or `_` are left out, as
    Spark does.

    RAISES (FolderError): There are none; two of them go to one file; the folders lie within one another.
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
    fingerprint (str): Of the pipeline, see `pipeline_fingerprint`.
    paragraphs (bool): How text files are read, see `TextReader`.
    """

    parser: BatchParser
    fingerprint: str
    paragraphs: bool = False

    @property
    def settings(self) -> Dict[str, Any]:
        """What a parse depends on, beside the input."""
        return {
            "pipeline": self.fingerprint,
            "format": self.parser.output,
            "text column": self.parser.text_column,
            "paragraphs": self.paragraphs,
        }

    def record(self, source: Path) -> Dict[str, Any]:
        """What is kept in a written file."""
        status = source.stat()
        return {"input": {"size": status.st_size, "mtime_ns": status.st_mtime_ns}, "settings": self.settings}

    def is_done(self, task: FileTask) -> bool:
        """Whether a file was parsed before, and is what it was then.

        RAISES (FolderError): What lies there is not ours, or was made with other settings.
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
        """Parse one file. What it goes to is there as a whole or not at all, whatever ends this.

        RETURNS (int): The number of texts.
        RAISES (OSError): The files cannot be read or written.
        RAISES (ValueError): What is in the file cannot be parsed.
        """
        record = self.record(task.source)  # before it is read: if it changes meanwhile, the next run sees that
        task.target.parent.mkdir(parents=True, exist_ok=True)
        with written_file(task.target) as file:
            n_texts = self._write(task.source, file, record)
        return n_texts

    def load(self) -> None:
        """Load the pipeline now."""
        self.parser.load()

    def __call__(self, batch: Dict[str, str]) -> Dict[str, Any]:
        """`parse` for Ray: a file that cannot be parsed is told of, and does not end the others.

        batch (Dict[str, str]): One row: `source` and `target`.
        RETURNS (Dict[str, Any]): `source`, `n_texts`, and `error`, empty where all went well.
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
        """The first is empty: it says the schema, of a file without rows too."""
        pa, pq = import_extra("pyarrow", "arrow"), import_extra("pyarrow.parquet", "arrow")
        with pq.ParquetFile(source) as file:
            yield pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
            yield from file.iter_batches(batch_size=ROWS_AT_A_TIME)

    def _text_batches(self, source: Path) -> Iterator["pa.RecordBatch"]:
        pa = import_extra("pyarrow", "arrow")
        schema = pa.schema([("line", pa.int64()), (self.parser.text_column, pa.string())])
        yield pa.RecordBatch.from_pylist([], schema=schema)
        texts = iter(TextReader(str(source), paragraphs=self.paragraphs, max_length=self.parser.load().max_length))
        while rows := list(islice(texts, ROWS_AT_A_TIME)):
            columns = [[text.line for text in rows], [text.text for text in rows]]
            yield pa.RecordBatch.from_arrays([*map(pa.array, columns)], schema=schema)


def read_record(target: Path) -> Dict[str, Any]:
    """What was kept in a written file.

    RAISES (FolderError): The file is not one of ours.
    """
    pq = import_extra("pyarrow.parquet", "arrow")
    metadata: Optional[Dict[bytes, bytes]] = None
    try:
        metadata = pq.read_schema(target).metadata
    except (OSError, ValueError):  # no Parquet, or nothing that can be read
        pass
    if not metadata or RECORD_KEY not in metadata:
        raise FolderError(f"{target} was not written by this command: move it away, or name another folder to write")
    record: Dict[str, Any] = json.loads(metadata[RECORD_KEY])
    return record


def pipeline_fingerprint(pipeline: str) -> str:
    """A hash over the files of a pipeline, which tells it from one that was trained further.

    pipeline (str): A path, or the name of an installed package.
    RETURNS (str): 16 hexadecimal digits.
    RAISES (OSError): There is no such pipeline.
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
