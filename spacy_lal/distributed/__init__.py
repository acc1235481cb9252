"""Parsing on many machines: one batch function over Arrow tables, and thin adapters for Ray Data and Spark.

Importing this module does not import pyarrow, ray or pyspark: they are optional, and imported when used.
"""

from .batches import BatchError, BatchParser
from .columns import doc_fields, to_doc
from .ray_data import parse_ray
from .spark import parse_spark

__all__ = ["BatchError", "BatchParser", "doc_fields", "parse_ray", "parse_spark", "to_doc"]
