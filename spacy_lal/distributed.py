"""Parsing on many machines: a batch function over Arrow tables, adapters for Ray and
Spark (all optional)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Optional,
    TypeVar,
    cast,
)

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.util import is_package
from spacy.vocab import Vocab

from . import annotations
from .export import annotation_lists, constituent_record
from .pipeline.component import FACTORY, parser_names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from ray.data import Dataset

    Batch = TypeVar("Batch", pa.RecordBatch, pa.Table)

# Texts per memory zone: at its end spaCy forgets the words that it has met.
ZONE_SIZE = 4096
COLUMNS = "columns"
DOCBIN = "docbin"
RELATIONS = "relations"
OUTPUTS = (COLUMNS, DOCBIN, RELATIONS)
READING_CPUS = 2


@dataclass
class BatchParser:
    """Parses the texts of Arrow batches; picklable. Each process loads the pipeline
    itself, once.

    pipeline (str): A pipeline with a parser of ours: the name of a package, or a path
        that every worker can read.
    text_column (str): The column with the texts: strings, large strings or a dictionary
        of strings.
    keep (Optional[Sequence[str]]): The columns to keep besides the parse, such as ids;
        None keeps all.
    output (str): `columns`, `docbin` or `relations`, see `doc_fields`.
    batch_size (int): Texts per batch of the network.
    gpu_id (int): The GPU, in the numbering of the worker; -1 for the CPU.
    """

    pipeline: str
    text_column: str = "text"
    keep: Optional[Sequence[str]] = None
    output: str = COLUMNS
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

        RAISES (OSError, ValueError): The pipeline does not exist, or has no parser of
            ours.
        """
        # At each call: the choice is per thread, and a worker may have several.
        if self.gpu_id >= 0:
            spacy.require_gpu(self.gpu_id)
        return _load(self.pipeline, self.gpu_id)

    def kept_columns(self, names: Sequence[str]) -> list[str]:
        """Names of the columns that are kept.

        RAISES (ValueError): A column is missing, there twice, or has the name of a
            column of the parse.
        """
        kept = list(names) if self.keep is None else list(self.keep)
        new = [field.name for field in doc_fields(self.output)]
        counts = Counter(names)
        needed = (self.text_column, *kept)
        wrong = [name for name in needed if counts[name] != 1 or name in new]
        if wrong:
            raise ValueError(
                "expected columns that the table has once and the parse has not, got "
                f"{', '.join(wrong)}: the table has"
                f" {', '.join(names) or 'none'}, the parse {', '.join(new)}"
            )
        return kept

    def __call__(self, batch: "Batch") -> "Batch":
        """Parse a RecordBatch or a Table; a text may be null. Returns as many rows, in
        the same order and type.

        RAISES (ValueError): See `kept_columns`; or spaCy refuses a text: it is no
            string, or longer than `max_length`.
        """
        import pyarrow as pa

        kept: list[str] = self.kept_columns(batch.schema.names)
        new: list[Any] = doc_fields(self.output)
        rows: list[dict[str, Any]] = []
        if batch.num_rows:
            texts = batch.column(self.text_column).to_pylist()
            rows.extend(self._rows(texts))
        columns: list[Any] = [batch.column(name) for name in kept]
        for field in new:
            values = [row.get(field.name) for row in rows]
            columns.append(pa.array(values, type=field.type))
        # Without the metadata of the batch: pandas' may describe columns that are left
        # out.
        schema = pa.schema([*map(batch.schema.field, kept), *new])
        return cast("Batch", type(batch).from_arrays(columns, schema=schema))

    def _rows(self, texts: list[Optional[str]]) -> Iterator[dict[str, Any]]:
        """Docs as plain objects, made within a memory zone, at whose end their words
        are forgotten."""
        nlp = self.load()
        for start in range(0, len(texts), ZONE_SIZE):
            zone = texts[start : start + ZONE_SIZE]
            present = [text for text in zone if text is not None]
            with nlp.memory_zone():
                docs = nlp.pipe(present, batch_size=self.batch_size)
                rows = iter([doc_row(doc, self.output) for doc in docs])
            for text in zone:
                yield {} if text is None else next(rows)


@lru_cache(maxsize=4)
def _load(pipeline: str, gpu_id: int) -> Language:
    nlp = spacy.load(pipeline)
    if not parser_names(nlp):
        names = ", ".join(nlp.pipe_names) or "nothing"
        raise ValueError(f"the pipeline {pipeline!r} has no {FACTORY}, only: {names}")
    return nlp


def doc_fields(output: str = COLUMNS) -> "list[pa.Field]":
    """The Arrow fields of a parsed Doc: lists over its tokens
    (docs/how_to/distributed.md names each), or one `docbin`, the bytes of a DocBin that
    holds this one Doc, or one `relations`, objects. A row without text is null in all
    of them."""
    import pyarrow as pa

    if output == DOCBIN:
        return [pa.field("docbin", pa.binary())]
    string = pa.string()
    number = pa.int32()
    flag = pa.bool_()
    bounds = [(name, number) for name in ("start", "end", "start_char", "end_char")]
    if output == RELATIONS:
        span = pa.struct([("text", string), *bounds, ("label", string)])
        spans = [(name, span) for name in annotations.Relation.SPANS]
        names = ("kind", "label", "factuality", "polarity", "certainty")
        texts = [(name, string) for name in names]
        relation = pa.struct([*texts, *spans, ("arguments", pa.list_(span))])
        return [pa.field("relations", pa.list_(relation))]
    types = {
        "tokens": string,
        "spaces": flag,
        "sent_starts": flag,
        "start_chars": number,
        "end_chars": number,
        "tags": string,
        "pos": string,
        "morphs": string,
        "lemmas": string,
        "heads": number,
        "deprels": string,
        "constituents": pa.struct([*bounds, ("label", string)]),
    }
    return [pa.field(name, pa.list_(type_)) for name, type_ in types.items()]


def doc_row(doc: Doc, output: str = COLUMNS) -> dict[str, Any]:
    """The values of `doc_fields` for one Doc with sentence boundaries, as plain Python
    objects."""
    if output == DOCBIN:
        return {"docbin": DocBin(docs=[doc], store_user_data=False).to_bytes()}
    if output == RELATIONS:
        relations = annotations.get_relations(doc)
        return {"relations": [relation.to_dict() for relation in relations]}
    starts = {start for start, _ in annotations.sentence_bounds(doc)}
    tokens = list(doc)
    row: dict[str, Any] = {
        **annotation_lists(doc, tokens),
        "spaces": [bool(token.whitespace_) for token in tokens],
        "sent_starts": [i in starts for i in range(len(tokens))],
        "heads": None,
        "constituents": None,
    }
    if row["deprels"] is not None:
        row["heads"] = [token.head.i if token.has_head() else None for token in tokens]
    if annotations.SPANS_KEY in doc.spans:
        spans = annotations.constituent_tokens(doc)
        row["constituents"] = [constituent_record(tokens, span) for span in spans]
    return row


def to_doc(row: Mapping[str, Any], vocab: Vocab) -> Optional[Doc]:
    """The Doc of a row of `table.to_pylist()`, or None if the row had no text. From
    columns, it has tokens, tags, parts of speech, morphology, lemmas, sentences and
    parse; from a DocBin, all annotation of the pipeline.

    vocab (Vocab): The vocabulary of the new Doc, such as `nlp.vocab`.
    """
    annotations.install_extensions()  # this process may not have created a parser
    if "docbin" in row:
        data = row["docbin"]
        if data is None:
            return None
        return next(DocBin().from_bytes(data).get_docs(vocab))
    if row["tokens"] is None:
        return None
    heads = row["heads"]
    if heads is not None:
        heads = [i if head is None else head for i, head in enumerate(heads)]
    doc = Doc(
        vocab,
        words=row["tokens"],
        spaces=row["spaces"],
        tags=row["tags"],
        pos=row["pos"],
        morphs=row["morphs"],
        lemmas=row["lemmas"],
        heads=heads,
        deps=row["deprels"],
    )
    # After the heads: spaCy derives sentences from them, which differ on some
    # non-projective trees.
    starts = [i for i, is_start in enumerate(row["sent_starts"]) if is_start]
    annotations.set_sentence_starts(doc, starts)
    if row["constituents"] is not None:
        spans = [
            Span(doc, span["start"], span["end"], label=span["label"])
            for span in row["constituents"]
        ]
        name = annotations.SPANS_KEY
        doc.spans[name] = SpanGroup(doc, name=name, spans=spans)
    return doc


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
    for field in doc_fields(parser.output):
        fields.append(
            StructField(field.name, from_arrow_type(field.type), nullable=True)
        )

    def parse_partition(
        batches: "Iterable[pa.RecordBatch]",
    ) -> "Iterator[pa.RecordBatch]":
        for batch in batches:
            yield parser(batch)

    return df.mapInArrow(parse_partition, StructType(fields))
