"""`search_trees(doc, pattern)`: constituents, tags and words of parsed Docs by patterns of tgrep."""

from typing import Iterable, Iterator, List, Union

from spacy.tokens import Doc, Span

from .annotations import (
    MISSING_TAG,
    SPANS_KEY,
    UnparsedDocError,
    check_present,
    get_constituents,
    get_tree,
    has_sentences,
    sentence_of,
    sentence_words,
)
from .trees import spans_to_tree
from .trees.tgrep import Match, Pattern


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
    if isinstance(item, Doc):
        for words, constituents in zip(sentence_words(doc), get_constituents(doc), strict=True):
            if words:
                tags = [doc[i].tag_ or doc[i].pos_ or MISSING_TAG for i in words]
                tree = spans_to_tree([doc[i].text for i in words], tags, constituents)
                yield from _spans(doc, words, pattern.search(tree))
        return
    for sentence in _sentences(item):  # the cost must not grow with the Doc
        words = [token.i for token in sentence if not token.is_space]
        tree = get_tree(sentence) if words else None
        found = _spans(doc, words, pattern.search(tree)) if tree is not None else ()
        yield from (span for span in found if item.start <= span.start and span.end <= item.end)


def _spans(doc: Doc, words: List[int], matches: Iterable[Match]) -> Iterator[Span]:
    for match in matches:
        yield Span(doc, words[match.start], words[match.end - 1] + 1, label=match.label)


def _sentences(item: Span) -> Iterator[Span]:
    """The sentences that have tokens of a Span."""
    start = item.start
    while start < item.end:
        sentence = sentence_of(item.doc[start : start + 1])
        yield sentence
        start = sentence.end
