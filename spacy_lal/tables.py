"""Tables of parsed Docs: rows as dicts (`to_rows`), or a pandas DataFrame (`to_frame`).
`lal parse`, `roles`, `relations`, `units` and `complexity` write the same rows to
files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Optional,
)

from spacy.tokens import Doc, Span

from .annotations import SPANS_KEY, Relation, install_extensions
from .complexity import Complexity

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]
PLACE = ("id", "sentence", "text")
DIGITS = 4
ROLES = ("predicate", "roleset", "role", "argument", "description")
RELATIONS = (
    "subject",
    "predicate",
    "object",
    "label",
    "kind",
    "factuality",
    "factuality_score",
    "attribution",
    "place",
    "time",
    "modality",
    "negation",
)


class TableKind(NamedTuple):
    """A kind of table.

    names (Sequence[str]): Its columns after those of `PLACE`.
    values (Callable): For a sentence, the values of each row.
    is_of_docs (bool): A row is a Doc: `values` takes a Doc.
    """

    names: Sequence[str]
    values: Callable[[Any], Iterable[Sequence[Any]]]
    is_of_docs: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*PLACE, *self.names)

    def rows(self, doc: Doc, doc_id: Any) -> Iterator[Row]:
        """The rows of a Doc."""
        items: Iterable[tuple[Optional[int], Doc | Span]] = [(None, doc)]
        if not self.is_of_docs:
            items = enumerate(doc.sents, start=1)
        for number, item in items:
            text = item.text.strip()
            if text or self.is_of_docs:
                place = (doc_id, number, text)
                for values in self.values(item):
                    yield dict(zip(self.columns, (*place, *values), strict=True))


def to_rows(
    docs: Iterable[Doc], kind: str, ids: Optional[Iterable[Any]] = None
) -> Iterator[Row]:
    """Rows of a table. Each Doc is read once, and not kept.

    kind (str): "parse": a row is a sentence with its brackets; "roles": an argument of
        a predicate; "relations": a relation; "units": a discourse unit, or a part of
        one; "complexity": a Doc with its measures; "sentences": a sentence with its
        measures.
    ids (Optional[Iterable[Any]]): The id of each Doc; without, its number from 0.
    YIELDS (Dict[str, Any]): `id`, `sentence` (from 1; None for a Doc), `text`, and the
        columns of the kind; None is a missing value.
    RAISES (ValueError): There is no such kind; or the Docs lack what it shows.
    """
    table = find_kind(kind)
    install_extensions()
    numbered = enumerate(docs) if ids is None else zip(ids, docs, strict=True)
    for doc_id, doc in numbered:
        yield from table.rows(doc, doc_id)


def to_frame(
    docs: Iterable[Doc], kind: str, ids: Optional[Iterable[Any]] = None
) -> "DataFrame":
    """The rows of `to_rows` as a pandas DataFrame, which always has all columns.

    RAISES (ImportError): pandas is missing.
    """
    try:
        from pandas import DataFrame
    except ImportError as error:
        message = "a DataFrame needs pandas: pip install 'spacy-lal[tables]'"
        raise ImportError(message) from error
    return DataFrame(to_rows(docs, kind, ids), columns=find_kind(kind).columns)


def find_kind(name: str) -> TableKind:
    """The kind of table with a name.

    RAISES (ValueError): There is none.
    """
    if name not in KINDS:
        raise ValueError(f"expected a table of {', '.join(KINDS)}, got {name!r}")
    return KINDS[name]


def _brackets(sentence: Span) -> Iterator[Sequence[Any]]:
    has_tree = SPANS_KEY in sentence.doc.spans
    yield (sentence._.parse_string if has_tree else None,)


def _roles(sentence: Span) -> Iterator[Sequence[Any]]:
    """A predicate without arguments has a row, too."""
    for predicate in sentence._.predicates:
        head = (str(predicate), predicate.roleset)
        for argument in predicate.arguments:
            yield (*head, argument.role, str(argument), argument.description)
        if not predicate.arguments:
            yield (*head, None, None, None)


def _relations(sentence: Span) -> Iterator[Sequence[Any]]:
    for relation in sentence._.relations:
        yield [_value(relation, name) for name in RELATIONS]


def _value(relation: Relation, name: str) -> Any:
    try:
        value = getattr(relation, name)
    except ValueError:  # the pipeline has no weights of the score
        return None
    if isinstance(value, float):
        return round(value, DIGITS)
    return str(value) if isinstance(value, Span) else value


def measure_values(measures: Complexity) -> list[Any]:
    """The measures of `MEASURES`, rounded."""
    values = measures.to_dict().values()
    return [round(x, DIGITS) if isinstance(x, float) else x for x in values]


def _units(sentence: Span) -> Iterator[Sequence[Any]]:
    for unit in sentence._.units:
        yield unit.id_, unit.text.strip()


def _measures(item: Doc | Span) -> Iterator[Sequence[Any]]:
    yield measure_values(item._.complexity)


MEASURES = tuple(Complexity().to_dict())
KINDS: dict[str, TableKind] = {
    "parse": TableKind(["brackets"], _brackets),
    "roles": TableKind(ROLES, _roles),
    "relations": TableKind(RELATIONS, _relations),
    "units": TableKind(["number", "unit"], _units),
    "complexity": TableKind(MEASURES, _measures, is_of_docs=True),
    "sentences": TableKind(MEASURES, _measures),
}
