"""The batch function: Arrow batches of texts in, their parses out. It is independent of clusters: Ray, Spark or a plain
loop may call it. Its pickle holds only settings: each process loads the pipeline itself, once."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, TypeVar, cast

import spacy
from spacy.language import Language
from spacy.util import is_package

from ..pipeline.parser_names import FACTORY, parser_names
from .columns import COLUMNS, OUTPUTS, doc_arrays, doc_fields, doc_row
from .extras import import_extra

if TYPE_CHECKING:
    import pyarrow as pa

    Batch = TypeVar("Batch", pa.RecordBatch, pa.Table)

ZONE_SIZE = 4096  # texts per memory zone: at its end spaCy forgets the words that it has met


class BatchError(ValueError):
    """Texts or settings that a batch function cannot process."""


@dataclass
class BatchParser:
    """Parses the texts of Arrow batches; picklable.

    pipeline (str): A pipeline with a parser of ours: the name of a package, or a path that every worker can read.
    text_column (str): The column with the texts: strings, large strings or a dictionary of strings.
    keep (Optional[Sequence[str]]): The columns to keep besides the parse, such as ids; None keeps all.
    output (str): `columns` or `docbin`, see `doc_fields`.
    batch_size (int): Texts per batch of the network.
    gpu_id (int): The GPU, in the numbering of the worker; -1 for the CPU.
    RAISES (BatchError): `output` is unknown, or `batch_size` is less than 1.
    """

    pipeline: str
    text_column: str = "text"
    keep: Optional[Sequence[str]] = None
    output: str = COLUMNS
    batch_size: int = 32
    gpu_id: int = -1

    def __post_init__(self) -> None:
        if self.output not in OUTPUTS:
            raise BatchError(f"expected an output of {', '.join(OUTPUTS)}, got {self.output!r}")
        if self.batch_size < 1:
            raise BatchError(f"expected a batch_size of 1 or more, got {self.batch_size}")
        if isinstance(self.keep, str):
            raise BatchError(f"expected a list of columns to keep, got the string {self.keep!r}")
        self.pipeline = str(self.pipeline)
        # A worker may be started in another folder. A package's name wins over a path, as in `spacy.load`.
        if not is_package(self.pipeline) and Path(self.pipeline).exists():
            self.pipeline = str(Path(self.pipeline).resolve())

    def load(self) -> Language:
        """The pipeline, loaded at the first call in a process. Batches load it automatically; a worker that calls this
        first fails before its first batch.

        RAISES (OSError): The pipeline does not exist.
        RAISES (BatchError): It has no parser of ours.
        """
        if self.gpu_id >= 0:  # at each call: the choice is per thread, and a worker may have several
            spacy.require_gpu(self.gpu_id)
        return _load(self.pipeline, self.gpu_id)

    def schema(self, schema: "pa.Schema") -> "pa.Schema":
        """The schema of the output.

        schema (pyarrow.Schema): The schema of the input.
        RETURNS (pyarrow.Schema): The kept columns unchanged, then the columns of the parse.
        RAISES (BatchError): A column is missing, holds no strings, or has the name of a column of the parse.
        """
        pa = import_extra("pyarrow", "arrow")
        kept = self.kept_columns(schema.names)
        text_type = schema.field(self.text_column).type
        if not _is_text(text_type):
            raise BatchError(f"expected strings in the column {self.text_column!r}, got {text_type}")
        # Without metadata: pandas' metadata may describe columns that are left out.
        return pa.schema([*(schema.field(name) for name in kept), *doc_fields(self.output)])

    def kept_columns(self, names: Sequence[str]) -> List[str]:
        """Names of the columns that are kept.

        RAISES (BatchError): A column is missing, duplicated, or has the name of a column of the parse.
        """
        kept = list(names) if self.keep is None else list(self.keep)
        for name in (self.text_column, *kept):
            if list(names).count(name) != 1:
                problem = "twice" if name in names else "not"
                raise BatchError(f"the column {name!r} is {problem} among the columns: {', '.join(names) or 'none'}")
        taken = [field.name for field in doc_fields(self.output) if field.name in kept]
        if taken:
            raise BatchError(
                f"the parse comes in columns that the batch has already: {', '.join(taken)}; rename them, or name the "
                "columns to keep"
            )
        return kept

    def __call__(self, batch: "Batch") -> "Batch":
        """Parse one batch.

        batch (Union[pyarrow.RecordBatch, pyarrow.Table]): Any number of rows; a text may be null.
        RETURNS (Union[pyarrow.RecordBatch, pyarrow.Table]): As many rows, in the same order, in the type of `batch`.
        RAISES (BatchError): See `schema`; or a text is longer than the pipeline's `max_length`.
        """
        schema = self.schema(batch.schema)
        kept: List[Any] = [batch.column(name) for name in self.kept_columns(batch.schema.names)]
        rows = self._rows(batch.column(self.text_column).to_pylist()) if batch.num_rows else iter(())
        arrays = kept + doc_arrays(rows, self.output)
        return cast("Batch", type(batch).from_arrays(arrays, schema=schema))

    def _rows(self, texts: List[Optional[str]]) -> Iterator[Dict[str, Any]]:
        """Convert Docs to plain objects within a memory zone, at whose end their words are forgotten."""
        nlp = self.load()
        for i, text in enumerate(texts):
            if text is not None and len(text) > nlp.max_length:
                raise BatchError(
                    f"row {i} of the batch: expected a text of at most {nlp.max_length} characters, got {len(text)}"
                )
        for start in range(0, len(texts), ZONE_SIZE):
            zone = texts[start : start + ZONE_SIZE]
            with nlp.memory_zone():
                docs = nlp.pipe([text for text in zone if text is not None], batch_size=self.batch_size)
                rows = iter([doc_row(doc, self.output) for doc in docs])
            yield from ({} if text is None else next(rows) for text in zone)


@lru_cache(maxsize=4)
def _load(pipeline: str, gpu_id: int) -> Language:
    nlp = spacy.load(pipeline)
    if not parser_names(nlp):
        found = ", ".join(nlp.pipe_names) or "nothing"
        raise BatchError(f"the pipeline {pipeline!r} has no {FACTORY}, only: {found}")
    return nlp


def _is_text(data_type: "pa.DataType") -> bool:
    types = import_extra("pyarrow.types", "arrow")
    if types.is_dictionary(data_type):
        data_type = data_type.value_type
    checks: Tuple[Any, ...] = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(check(data_type) for check in checks)
