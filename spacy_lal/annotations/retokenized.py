"""Parses carried over to other tokens: after tokens of a Doc were merged or split, or to a Doc of a part of it."""

from spacy.tokens import Doc, Span

from ..trees.propositions import Proposition
from .constituents import SPANS_KEY
from .parses import METHODS_KEY
from .roles import get_propositions, has_propositions, set_propositions
from .span_groups import PreorderGroup, check_present, present_spans


def carry_over(doc: Doc) -> None:
    """Rewrite the constituents and roles of a Doc with merged or split tokens for its present tokens.

    The getters, `render` and the exporters do not need it. spaCy's `Doc.from_docs` and `Doc.from_json` do, if a Span
    begins or ends within a token. So does all of spaCy if the tokens of a Doc that was stored and read are merged: its
    groups are spaCy's own, and refuse to give Spans beyond the last token. Constituents, predicates and arguments that
    begin or end within a token are dropped, with a warning.

    doc (Doc): Modified in place; left unchanged without a parse.
    RAISES (StaleParseError): The Doc's text has changed since it was parsed.
    """
    for key in (SPANS_KEY, METHODS_KEY):
        if key in doc.spans:
            present = present_spans(doc.spans[key], preorder=True)
            present.sort(key=lambda one: (one[0], -one[1]))
            doc.spans[key] = PreorderGroup(doc, key, [Span(doc, start, end, label) for start, end, label in present])
    if has_propositions(doc):
        set_propositions(doc, get_propositions(doc))


def as_doc(span: Span) -> Doc:
    """A part of a parsed Doc, usually a sentence, as its own Doc: the result of `span.as_doc()` with the constituents
    and propositions within the Span, and the parse methods of its sentences. spaCy leaves all span groups out.

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
    if METHODS_KEY in whole.spans:
        parts = [
            (max(start, span.start), min(end, span.end), method)
            for start, end, method in present_spans(whole.spans[METHODS_KEY])
        ]
        doc.spans[METHODS_KEY] = [
            Span(doc, start - span.start, end - span.start, label=method) for start, end, method in parts if start < end
        ]
    if has_propositions(whole):
        within = [one for one in get_propositions(whole) if _is_within(one, span)]
        set_propositions(doc, [_moved(one, -span.start) for one in within])
    return doc


def _is_within(proposition: Proposition, span: Span) -> bool:
    return all(span.start <= start and end <= span.end for start, end, _ in proposition.args)


def _moved(proposition: Proposition, offset: int) -> Proposition:
    args = tuple((start + offset, end + offset, role) for start, end, role in proposition.args)
    return proposition._replace(token=proposition.token + offset, args=args)
