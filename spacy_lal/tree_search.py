"""`search_trees(doc, pattern)`: constituents, tags and words of parsed Docs by patterns of tgrep."""

from typing import Iterable, Iterator, Union

from spacy.tokens import Doc, Span

from .annotations import MISSING_TAG, SPANS_KEY, UnparsedDocError, get_constituents, has_sentences, sentence_words
from .annotations.span_groups import check_present
from .trees import spans_to_tree
from .trees.tgrep import Pattern


def search_trees(docs: Union[Doc, Span, Iterable[Union[Doc, Span]]], pattern: Union[str, Pattern]) -> Iterator[Span]:
    """The nodes of trees that match a pattern of tgrep, as Spans.

    docs (Union[Doc, Span, Iterable[Union[Doc, Span]]]): Parsed Docs, read lazily. Of a Span, the matches within it, in
        the tree of its sentence.
    pattern (Union[str, Pattern]): For instance `NP < (NN $. PP)`. Labels with `$ . , :` are quoted: `"PRP$"`.
    YIELDS (Span): For each matching node, sentence by sentence in pre-order, a Span with its label: of a constituent,
        a tag above a word, or, for a word, the empty string. A node has the same Span as the only node below it.
    RAISES (PatternError): The pattern is malformed; the message names the place. (UnparsedDocError): A Doc has no
        constituents or no sentence boundaries. (ValueError): An item is neither a Doc nor a Span.
    """
    compiled = pattern if isinstance(pattern, Pattern) else Pattern(pattern)
    items = [docs] if isinstance(docs, (Doc, Span)) else docs
    return (span for item in items for span in _search(item, compiled))


def _search(item: Union[Doc, Span], pattern: Pattern) -> Iterator[Span]:
    if not isinstance(item, (Doc, Span)):
        raise ValueError(f"expected a Doc or a Span, got {type(item).__name__}")
    if not len(item):
        return
    doc = item if isinstance(item, Doc) else item.doc
    if isinstance(item, Span):
        check_present(item)
    if SPANS_KEY not in doc.spans or not has_sentences(doc):
        missing = "sentence boundaries" if SPANS_KEY in doc.spans else "constituents"
        raise UnparsedDocError(f"the Doc has no {missing}: it must come from a pipeline with a lal_parser")
    first, last = (0, len(doc)) if isinstance(item, Doc) else (item.start, item.end)
    for words, constituents in zip(sentence_words(doc), get_constituents(doc), strict=True):
        if not words or words[-1] < first or last <= words[0]:
            continue
        tags = [doc[i].tag_ or doc[i].pos_ or MISSING_TAG for i in words]
        for match in pattern.search(spans_to_tree([doc[i].text for i in words], tags, constituents)):
            start, end = words[match.start], words[match.end - 1] + 1
            if first <= start and end <= last:
                yield Span(doc, start, end, label=match.label)
