"""Whole parses on other tokens: those of a Doc after tokens were merged or split, and
those of a part of a Doc."""

from spacy.tokens import Doc, Span

from .parses import (
    METHODS_KEY,
    SPANS_KEY,
    constituent_tokens,
    get_parse_method,
    get_signatures,
    write_methods,
)
from .roles import (
    get_propositions,
    has_propositions,
    propositions_within,
    set_propositions,
)
from .span_groups import check_present, read_group, write_group
from .units import UNITS_KEY, get_units


def carry_over(doc: Doc) -> None:
    """Rewrite the constituents, units, methods and roles of a Doc with merged or split
    tokens for its present tokens.

    Our getters, `render` and the exporters do not need it. spaCy itself does: it
    copies, stores and joins span groups by their former tokens. Constituents,
    predicates and arguments that begin or end within a token are dropped, with a
    warning.
    doc (Doc): Modified in place; left unchanged without a parse.
    RAISES (StaleParseError): The Doc's text has changed since it was parsed."""
    if SPANS_KEY in doc.spans:
        spans = [Span(doc, *span) for span in constituent_tokens(doc)]
        write_group(doc, SPANS_KEY, spans)
    if UNITS_KEY in doc.spans:
        write_group(doc, UNITS_KEY, get_units(doc))
    if METHODS_KEY in doc.spans:
        stored = read_group(doc, METHODS_KEY)
        methods = [Span(doc, *span.place, span.label) for span in stored if span.place]
        write_methods(doc, methods, {})
    if has_propositions(doc):
        set_propositions(doc, get_propositions(doc))


def as_doc(span: Span) -> Doc:
    """A part of a parsed Doc, usually a sentence, as its own Doc: the result of
    `span.as_doc()` with the constituents and propositions within the Span, and the
    parse methods of its sentences. spaCy leaves all span groups out.
    RAISES (StaleParseError): The Doc does not have the Span's tokens."""
    check_present(span)
    doc = span.as_doc()
    if SPANS_KEY in span.doc.spans:
        _copy_constituents(span, doc)
    if METHODS_KEY in span.doc.spans:
        _copy_methods(span, doc)
    if has_propositions(span.doc):
        _copy_propositions(span, doc)
    return doc


def _copy_constituents(span: Span, doc: Doc) -> None:
    first = span.start
    spans = [
        Span(doc, *part.moved(-first))
        for part in constituent_tokens(span.doc, first, span.end)
        if part.is_within(first, span.end)
    ]
    write_group(doc, SPANS_KEY, spans)


def _copy_methods(span: Span, doc: Doc) -> None:
    methods = []
    for sentence in span.sents:  # type: ignore[attr-defined]
        method = get_parse_method(sentence)
        if method:
            start = max(sentence.start, span.start) - span.start
            end = min(sentence.end, span.end) - span.start
            methods.append(Span(doc, start, end, method))
    write_methods(doc, methods, get_signatures(span.doc))


def _copy_propositions(span: Span, doc: Doc) -> None:
    propositions = propositions_within(span.doc, span.start, span.end)
    moved = [inside.mapped(lambda i: i - span.start) for inside in propositions]
    set_propositions(doc, moved)
