"""Parses carried over to other tokens: of the same Doc, where tokens were merged or split, or of a part of it."""

from spacy.tokens import Doc, Span

from .annotations import METHODS_KEY, SPANS_KEY
from .span_groups import PreorderGroup, check_present, present_spans


def carry_over(doc: Doc) -> None:
    """Write the constituents of a Doc, whose tokens were merged or split, for its present tokens.

    The getters, `render` and the exporters read them rightly without; spaCy does not: it can't store such a Doc, nor
    send it to another process, where a constituent stands beyond the last token. Constituents that begin or end within
    a token are dropped, with a warning.

    doc (Doc): Modified in place; without a parse, left as it is.
    RAISES (StaleParseError): The Doc's text is another than when it was parsed.
    """
    for key in (SPANS_KEY, METHODS_KEY):
        if key in doc.spans:
            present = present_spans(doc.spans[key], preorder=True)
            present.sort(key=lambda one: (one[0], -one[1]))
            doc.spans[key] = PreorderGroup(doc, key, [Span(doc, start, end, label) for start, end, label in present])


def as_doc(span: Span) -> Doc:
    """A part of a parsed Doc, most often a sentence, as a Doc of its own: what `span.as_doc()` gives, with the
    constituents within the Span. spaCy leaves all span groups out.

    RAISES (StaleParseError): The Span is of tokens that its Doc does not have.
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
