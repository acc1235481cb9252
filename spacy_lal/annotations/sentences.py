"""The sentences of a Doc: their boundaries and their words."""

from typing import List, Sequence, Tuple, Union

import numpy as np
from spacy.tokens import Doc, Span

# In `doc.user_data`, from treebanks: the `# sent_id` of each sentence.
SENT_IDS = "sent_ids"

# For each sentence of a Doc, the indices of its words.
Sentences = Sequence[Sequence[int]]


def has_sentences(doc: Doc) -> bool:
    """Tell whether the Doc's sentence boundaries are known; always true for a Doc of at
    most one token."""
    return len(doc) < 2 or doc.has_annotation("SENT_START")


def sentence_bounds(doc: Doc) -> List[Tuple[int, int]]:
    """Give the half-open token range of each sentence.
    RAISES (ValueError): Boundaries are not known; it is no Doc."""
    if not isinstance(doc, Doc):
        raise ValueError(f"doc: expected a Doc, got {type(doc).__name__}")
    if not len(doc):
        return []
    if not has_sentences(doc):
        raise ValueError(
            "the Doc has no sentence boundaries, and a parse is made sentence by "
            "sentence: add a component that sets them before the parser, for example "
            'nlp.add_pipe("sentencizer", first=True)'
        )
    starts = np.flatnonzero(doc.to_array("SENT_START") == 1).tolist()
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    ends = [*starts[1:], len(doc)]
    return list(zip(starts, ends, strict=True))


def sentence_words(doc: Doc) -> List[List[int]]:
    """Give, for each sentence, the Doc indices of its words.
    RAISES (ValueError): Boundaries are not known."""
    bounds = sentence_bounds(doc)
    is_space = doc.to_array("IS_SPACE").tolist() if bounds else []
    return [[i for i in range(start, end) if not is_space[i]] for start, end in bounds]


def words_of(item: Union[Doc, Span]) -> List[int]:
    """Give the Doc indices of the words of a Doc or of a part of it."""
    return [token.i for token in item if not token.is_space]


def sentence_of(span: Span) -> Span:
    """Give the sentence in which a non-empty Span begins; the whole Doc, if boundaries
    are not known."""
    doc = span.doc
    if len(doc) < 2 or not has_sentences(doc):
        return doc[:]
    return doc[span.start : span.start + 1].sent


def same_tokens(x: Doc, y: Doc) -> bool:
    """Tell whether two Docs have tokens of the same text, whatever their spaces."""
    return len(x) == len(y) and bool((x.to_array("ORTH") == y.to_array("ORTH")).all())


def set_sentence_starts(doc: Doc, starts: Sequence[int]) -> None:
    """Replace the Doc's sentence boundaries.
    starts (Sequence[int]): Index of the first token of each sentence."""
    if not len(doc):
        return
    values = np.full(len(doc), -1, dtype=np.int64)
    values[list(starts)] = 1
    values[0] = 1
    doc.from_array(["SENT_START"], values.astype(np.uint64))  # type: ignore[arg-type]
