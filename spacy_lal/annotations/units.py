"""Elementary discourse units on a Doc: the span group `doc.spans["units"]`, and what
reads it. A Span of the group has the label `unit`; its id is the number of its unit in
the Doc, from 1, equal for the parts of a unit that another one interrupts. The Spans of
a sentence tile it."""

from collections.abc import Iterable

from spacy.tokens import Doc, Span

from .sentences import Item
from .span_groups import check_present, read_group, warn_of_lost, write_group

UNITS_KEY = "units"
UNIT_LABEL = "unit"
NO_UNITS = (
    "units are annotated in English alone (GUM), so of the packages the English ones "
    'have a lal_units: spacy.load("en_lal_md"); to train one, see docs/how_to/units.md'
)


def set_units(doc: Doc, units: Iterable[tuple[int, int, int]]) -> None:
    """Write `doc.spans["units"]`.

    units (Iterable[Tuple[int, int, int]]): Half-open ranges of tokens, in the order of
        the text, each with the number of its unit, from 1."""
    spans = [
        Span(doc, start, end, label=UNIT_LABEL, span_id=str(number))
        for start, end, number in units
    ]
    write_group(doc, UNITS_KEY, spans)


def get_units(item: Item) -> list[Span]:
    """Give the units and parts of units of a Doc, or those that begin in a Span, in the
    order of the text; of a unit that others interrupt, each part is a Span.

    RAISES (ValueError): The Doc has no units.
    RAISES (StaleParseError): Tokens and text of the Doc have changed since."""
    span = item[:] if isinstance(item, Doc) else item
    check_present(span)
    doc = span.doc
    if UNITS_KEY not in doc.spans:
        raise ValueError(f"the Doc has no units ('lal_units' did not run): {NO_UNITS}")
    units = read_group(doc, UNITS_KEY, span.start, span.end)
    if any(unit.is_cut for unit in units):
        warn_of_lost("units")
    return [
        Span(doc, *unit.place, label=unit.label, span_id=unit.id)
        for unit in units
        if unit.place and span.start <= unit.place[0] < span.end
    ]
