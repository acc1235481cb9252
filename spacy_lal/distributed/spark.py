"""The batch function on Spark: `mapInArrow`, with a pipeline in each Python worker."""

from typing import TYPE_CHECKING, Any, Iterable, Iterator

from .batches import BatchError, BatchParser
from .columns import doc_fields
from .extras import import_extra

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


def parse_spark(df: "DataFrame", pipeline: str, **settings: Any) -> "DataFrame":
    """Parse a Spark DataFrame. Lazy, as Spark is. If a worker dies, Spark repeats its task at most
    `spark.task.maxFailures` times.

    df (pyspark.sql.DataFrame): Rows with a text.
    pipeline (str): See `BatchParser`.
    settings (Any): The other settings of `BatchParser`.
    RETURNS (pyspark.sql.DataFrame): The kept columns and the parse.
    RAISES (ImportError): PySpark is not installed.
    RAISES (BatchError): See `BatchParser`; a column is missing or holds no strings.
    """
    sql_types = import_extra("pyspark.sql.types", "spark")
    arrow_types = import_extra("pyspark.sql.pandas.types", "spark")
    parser = BatchParser(pipeline, **settings)
    fields = [df.schema[name] for name in parser.kept_columns(df.columns)]
    text_type = df.schema[parser.text_column].dataType
    if not isinstance(text_type, sql_types.StringType):
        raise BatchError(f"expected strings in the column {parser.text_column!r}, got {text_type.simpleString()}")
    for field in doc_fields(parser.output):
        fields.append(sql_types.StructField(field.name, arrow_types.from_arrow_type(field.type), nullable=True))

    def parse_partition(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.RecordBatch"]:
        for batch in batches:
            yield parser(batch)

    return df.mapInArrow(parse_partition, sql_types.StructType(fields))
