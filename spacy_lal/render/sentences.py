"""The sentences that a picture shows, and their writing. *Not* here: drawing."""

from typing import Dict, List, Union

from spacy.tokens import Doc, Span

from ..annotations.span_groups import check_present
from ..export import Sentence, read_sentences


class RenderError(ValueError):
    """The Doc lacks the annotation that the style shows."""


def writing(item: Union[Doc, Span]) -> Dict[str, str]:
    """The language of a Doc and its writing direction: `lang` ("en") and `direction` ("ltr")."""
    system = item.vocab.writing_system
    return {"lang": item.vocab.lang or "en", "direction": system.get("direction", "ltr")}


def shown_sentences(item: Union[Doc, Span]) -> List[Sentence]:
    """The sentences of a Doc that have words, or a Span's part of its sentence.

    RAISES (ValueError): A Span is of several sentences; sentence boundaries are missing.
    """
    if isinstance(item, Doc):
        return list(read_sentences(item))
    check_present(item)
    touched = [
        sentence
        for sentence in read_sentences(item.doc)
        if sentence.tokens[0].i < item.end and item.start <= sentence.tokens[-1].i
    ]
    if len(touched) > 1:
        raise ValueError(f"expected a Span of one sentence, got one over {len(touched)}: draw each of span.sents")
    return [sentence.cut(item.start, item.end) for sentence in touched if any(not token.is_space for token in item)]


def require(sentence: Sentence, style: str, annotation: str) -> None:
    """Check that a sentence has the annotation that a style shows.

    annotation (str): "dependencies" or "constituents".
    RAISES (RenderError): It is missing.
    """
    has_heads, has_trees = sentence.heads is not None, sentence.constituents is not None
    if has_heads if annotation == "dependencies" else has_trees:
        return
    what = "dependencies (token.head)" if annotation == "dependencies" else 'constituents (doc.spans["constituents"])'
    raise RenderError(
        f"style {style!r}: the Doc has no {what}: it must come from a pipeline whose lal_parser sets them"
    )
