"""Parses carried over to other tokens: after tokens of a Doc were merged or split, or to a Doc of a part of it."""

from spacy.tokens import Doc, Span

from .constituents import SPANS_KEY
from .parses import METHODS_KEY
from .span_groups import PreorderGroup, check_present, present_spans


def carry_over(doc: Doc) -> None:
    """Rewrite the constituents of a Doc with merged or split tokens for its present tokens.

    The getters, `render` and the exporters do not need it, but spaCy does. It can neither store such a Doc nor send it
    to another process, if a constituent stands beyond the last token. Constituents that begin or end within a token are
    dropped, with a warning.

    doc (Doc): Modified in place; left unchanged without a parse.
    RAISES (StaleParseError): The Doc's text has changed since it was parsed.
    """
    for key in (SPANS_KEY, METHODS_KEY):
        if key in doc.spans:
            present = present_spans(doc.spans[key], preorder=True)
            present.sort(key=lambda one: (one[0], -one[1]))
            doc.spans[key] = PreorderGroup(doc, key, [Span(doc, start, end, label) for start, end, label in present])


def as_doc(span: Span) -> Doc:
    """A part of a parsed Doc, usually a sentence, as its own Doc: the result of `span.as_doc()` with the constituents
    within the Span. spaCy leaves all span groups out.

    RAISES (StaleParseError): The Doc does not have the Span's tokens.
    """
    check_present(span)
    whole, doc = span.doc, span.as_doc()
    if SPANS_KEY in whole.spans:
        spans = []
        for start, end, label in present_spans(whole.spans[SPANS_KEY], preorder=True):
            first, last = max(start, span.start), min(end, span.end)
            if first < last and all(whole[i].is_space for i in (*range(start, first), *range(last, end))):
                spans.append(Span(doc, first - span.start, last - span.start, label=label))
        doc.spans[SPANS_KEY] = spans
    return doc
