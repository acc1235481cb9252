"""`search_trees(doc, pattern)`: constituents, tags and words of parsed Docs by patterns
of tgrep."""

from collections.abc import Iterable, Iterator

from spacy.tokens import Doc, Span

from .annotations import sentence_trees
from .trees.tgrep import Pattern


def search_trees(
    docs: Doc | Span | Iterable[Doc | Span], pattern: str | Pattern
) -> Iterator[Span]:
    """The nodes of trees that match a pattern of tgrep, as Spans.

    docs (Union[Doc, Span, Iterable[Union[Doc, Span]]]): Parsed Docs, read lazily. Of a
        Span, the matches within it, in the tree of its sentence.
    pattern (Union[str, Pattern]): For instance `NP < (NN $. PP)`. Labels with `$ . , :`
        are quoted: `"PRP$"`.
    YIELDS (Span): For each matching node, sentence by sentence in pre-order, a Span
        with its label: of a constituent, a tag above a word, or, for a word, the empty
        string. A node has the same Span as the only node below it.
    RAISES (PatternError): The pattern is malformed; the message names the place.
    RAISES (UnparsedDocError): A Doc has no constituents or no sentence boundaries.
    RAISES (ValueError): An item is neither a Doc nor a Span.
    """
    compiled = pattern if isinstance(pattern, Pattern) else Pattern(pattern)
    items = [docs] if isinstance(docs, (Doc, Span)) else docs
    return (span for item in items for span in _search(item, compiled))


def _search(item: Doc | Span, pattern: Pattern) -> Iterator[Span]:
    if not isinstance(item, (Doc, Span)):
        raise ValueError(f"expected a Doc or a Span, got {type(item).__name__}")
    within = item[:]
    for tree in sentence_trees(item) if len(item) else ():
        for match in pattern.search(tree.to_tree()):
            first = tree.tokens[match.start]
            last = tree.tokens[match.end - 1]
            span = Span(tree.doc, first, last + 1, label=match.label)
            if span.start >= within.start and span.end <= within.end:
                yield span
