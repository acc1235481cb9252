"""Parsing on many machines: a batch function over Arrow tables, adapters for Ray and
Spark (all optional)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, TypeVar, cast

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.util import is_package
from spacy.vocab import Vocab

from .annotations import install_extensions
from .tables import KINDS, MEASURES, Row, TableKind

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from ray.data import Dataset

    Batch = TypeVar("Batch", pa.RecordBatch, pa.Table)

# Texts per memory zone: at its end spaCy forgets the words that it has met.
ZONE_SIZE = 4096
DOCBIN = "docbin"
SCORES = (*MEASURES, "factuality_score")  # columns of numbers
READING_CPUS = 2


def _docbin(doc: Doc) -> list[tuple[bytes]]:
    return [(DocBin(docs=[doc], store_user_data=False).to_bytes(),)]


OUTPUTS = {DOCBIN: TableKind([DOCBIN], _docbin, is_of_docs=True), **KINDS}


@dataclass
class BatchParser:
    """Parses the texts of Arrow batches; picklable. Each process loads the pipeline
    itself, once.

    pipeline (str): A pipeline with a parser of ours: the name of a package, or a path
        that every worker can read.
    text_column (str): The column with the texts: strings, large strings or a dictionary
        of strings.
    keep (Optional[Sequence[str]]): The columns to keep beside the parse, such as ids;
        None keeps all but the texts.
    output (str): A kind of table, as in `spacy_lal.to_rows`; or `docbin`: a row is a
        text, with the bytes of a DocBin that holds its Doc (`to_doc`).
    batch_size (int): Texts per batch of the network.
    gpu_id (int): The GPU, in the numbering of the worker; -1 for the CPU.
    """

    pipeline: str
    text_column: str = "text"
    keep: Optional[Sequence[str]] = None
    output: str = DOCBIN
    batch_size: int = 32
    gpu_id: int = -1

    def __post_init__(self) -> None:
        if self.output not in OUTPUTS:
            raise ValueError(
                f"expected an output of {', '.join(OUTPUTS)}, got {self.output!r}"
            )
        # A worker may be started in another folder. A package's name wins over a path,
        # as in `spacy.load`.
        if not is_package(str(self.pipeline)) and Path(self.pipeline).exists():
            self.pipeline = str(Path(self.pipeline).resolve())

    def load(self) -> Language:
        """The pipeline, loaded at the first call in a process.

        RAISES (OSError): The pipeline does not exist.
        """
        # At each call: the choice is per thread, and a worker may have several.
        if self.gpu_id >= 0:
            spacy.require_gpu(self.gpu_id)
        return _load(self.pipeline, self.gpu_id)

    def fields(self) -> "list[pa.Field]":
        """The Arrow fields of the parse."""
        import pyarrow as pa

        types = dict.fromkeys(SCORES, pa.float64())
        types |= {"sentence": pa.int32(), DOCBIN: pa.binary()}
        _, *names = OUTPUTS[self.output].columns  # without an id
        return [pa.field(name, types.get(name, pa.string())) for name in names]

    def kept_columns(self, names: Sequence[str]) -> list[str]:
        """Names of the columns that are kept.

        RAISES (ValueError): One has the name of a column of the parse.
        """
        kept = self.keep
        if kept is None:
            kept = [name for name in names if name != self.text_column]
        new = [field.name for field in self.fields()]
        wrong = sorted(set(kept).intersection(new))
        if wrong:
            raise ValueError(
                f"expected columns that the parse has not, got {', '.join(wrong)}: it "
                f"has {', '.join(new)}"
            )
        return list(kept)

    def __call__(self, batch: "Batch") -> "Batch":
        """Parse a RecordBatch or a Table. The rows of a text are in order, each with
        the columns that are kept; a text that is null has none.

        RAISES (KeyError): A column is missing, or there twice.
        RAISES (ValueError): See `kept_columns`; or spaCy refuses a text: it is no
            string, or longer than `max_length`.
        """
        import pyarrow as pa

        kept = self.kept_columns(batch.schema.names)
        texts = batch.column(self.text_column).to_pylist()
        rows = list(self._rows(texts))
        places = pa.array([place for place, _ in rows], pa.int64())
        columns: list[Any] = [batch.column(name).take(places) for name in kept]
        fields = self.fields()
        for field in fields:
            values = [row[field.name] for _, row in rows]
            columns.append(pa.array(values, field.type))
        # Without the metadata of the batch: pandas' may describe columns that are left
        # out.
        schema = pa.schema(list(map(batch.schema.field, kept)) + fields)
        return cast("Batch", type(batch).from_arrays(columns, schema=schema))

    def _rows(self, texts: list[Optional[str]]) -> Iterator[tuple[int, Row]]:
        """The rows of Docs, each with the place of its text. They are made within a
        memory zone, at whose end their words are forgotten."""
        known = ((text, place) for place, text in enumerate(texts) if text is not None)
        while zone := list(islice(known, ZONE_SIZE)):
            nlp = self.load()
            with nlp.memory_zone():
                docs = nlp.pipe(zone, as_tuples=True, batch_size=self.batch_size)
                for doc, place in docs:
                    for row in OUTPUTS[self.output].rows(doc, None):
                        yield place, row


@lru_cache(maxsize=4)
def _load(pipeline: str, gpu_id: int) -> Language:
    return spacy.load(pipeline)


def to_doc(row: Mapping[str, Any], vocab: Vocab) -> Doc:
    """The Doc of a row of `table.to_pylist()`, with all annotation of the pipeline.

    vocab (Vocab): The vocabulary of the new Doc, such as `nlp.vocab`.
    """
    install_extensions()  # this process may not have created a parser
    return next(DocBin().from_bytes(row[DOCBIN]).get_docs(vocab))


def parse_ray(
    dataset: "Dataset",
    pipeline: str,
    *,
    concurrency: int = 2,
    num_gpus: float = 0.0,
    num_cpus: Optional[float] = None,
    rows_per_batch: int = 256,
    **settings: Any,
) -> "Dataset":
    """Parse a Ray dataset. Lazy, as Ray is: the parser runs when the result is read or
    written. If a worker dies, Ray restarts it and its rows are parsed again.

    dataset (ray.data.Dataset): Rows with a text.
    concurrency (int): Number of actors, each with its own pipeline.
    num_gpus (float): GPUs of each actor; 0.5 lets two share one, 0 is the CPU.
    num_cpus (Optional[float]): CPUs of each actor; None: 1 if two remain free for Ray's
        reading, else 0.
    rows_per_batch (int): Rows that an actor gets at a time.
    pipeline (str), settings (Any): For `BatchParser`.
    RETURNS (ray.data.Dataset): The kept columns and the parse; Ray does not keep the
        order of rows.
    """
    import ray.data

    if num_cpus is None:
        # Actors stay: if they held all CPUs, the reading tasks would wait forever.
        n_cpus = ray.cluster_resources().get("CPU", 0)
        num_cpus = 1.0 if n_cpus >= concurrency + READING_CPUS else 0.0
    settings.setdefault("gpu_id", 0 if num_gpus > 0 else -1)
    return dataset.map_batches(
        BatchParser,
        fn_constructor_kwargs=asdict(BatchParser(pipeline, **settings)),
        batch_format="pyarrow",
        batch_size=rows_per_batch,
        compute=ray.data.ActorPoolStrategy(size=concurrency),
        num_gpus=num_gpus or None,
        num_cpus=num_cpus,
    )


def parse_spark(df: "DataFrame", pipeline: str, **settings: Any) -> "DataFrame":
    """Parse a Spark DataFrame of rows with a text. Lazy, as Spark is. If a worker dies,
    Spark repeats its task at most `spark.task.maxFailures` times.

    pipeline (str), settings (Any): For `BatchParser`.
    """
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, StructType

    parser = BatchParser(pipeline, **settings)
    fields = [df.schema[name] for name in parser.kept_columns(df.columns)]
    for field in parser.fields():
        fields.append(StructField(field.name, from_arrow_type(field.type)))

    def parse_partition(
        batches: "Iterable[pa.RecordBatch]",
    ) -> "Iterator[pa.RecordBatch]":
        for batch in batches:
            yield parser(batch)

    return df.mapInArrow(parse_partition, StructType(fields))
