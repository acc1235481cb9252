"""The sentences of a Doc, and their words. No other module divides a Doc into sentences."""

from typing import List, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc, Span

SENT_IDS = "sent_ids"  # in user_data, from treebanks: the `# sent_id` of each sentence

Sentences = Sequence[Sequence[int]]  # for each sentence of a Doc, the indices of its words


def has_sentences(doc: Doc) -> bool:
    """Whether the Doc's sentence boundaries are known; always true for a Doc of at most one token."""
    return len(doc) < 2 or doc.has_annotation("SENT_START")


def sentence_bounds(doc: Doc) -> List[Tuple[int, int]]:
    """The half-open token range of each sentence, in order; empty for an empty Doc.

    RAISES (ValueError): Sentence boundaries are not known.
    """
    if not len(doc):
        return []
    if not has_sentences(doc):
        raise ValueError(
            "the Doc has no sentence boundaries, and a parse is made sentence by sentence: add a component that sets "
            'them before the parser, for example nlp.add_pipe("sentencizer") or nlp.add_pipe("senter")'
        )
    starts = np.flatnonzero(doc.to_array("SENT_START") == 1).tolist()
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    return list(zip(starts, starts[1:] + [len(doc)], strict=True))


def sentence_words(doc: Doc) -> List[List[int]]:
    """For each sentence, the indices of its words in the Doc, without whitespace tokens.

    RAISES (ValueError): Sentence boundaries are not known.
    """
    bounds = sentence_bounds(doc)
    is_space = doc.to_array("IS_SPACE").tolist() if bounds else []
    return [[i for i in range(start, end) if not is_space[i]] for start, end in bounds]


def sentence_of(span: Span) -> Span:
    """The sentence in which a non-empty Span begins, at the cost of this sentence; the whole Doc, if sentence
    boundaries are not known."""
    doc = span.doc
    return doc[span.start : span.start + 1].sent if len(doc) > 1 and has_sentences(doc) else doc[:]


def same_tokens(x: Doc, y: Doc) -> bool:
    """Whether two Docs have tokens of the same text, whatever their spaces."""
    return len(x) == len(y) and bool((x.to_array("ORTH") == y.to_array("ORTH")).all())


def set_sentence_starts(doc: Doc, starts: Sequence[int]) -> None:
    """Replace the Doc's sentence boundaries.

    starts (Sequence[int]): Index of the first token of each sentence.
    """
    values = np.full(len(doc), -1, dtype=np.int64)
    values[list(starts)] = 1
    if len(doc):
        values[0] = 1
        doc.from_array(["SENT_START"], values.astype(np.uint64))  # type: ignore[arg-type]
