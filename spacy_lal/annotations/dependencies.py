"""Heads and deprels on a Doc: `token.head` and `token.dep_`."""

from typing import List, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

UNKNOWN_DEPREL = WHITESPACE_DEPREL = "dep"  # spaCy counts a token without head offset and deprel as unparsed
ROOT_DEPREL = "ROOT"

# One sentence of n words: the half-open range of its tokens; its words; the head of each word, counted from 1, where 0
# is the root; the deprel of each word.
SentenceHeads = Tuple[Tuple[int, int], Sequence[int], Sequence[int], Sequence[str]]


def with_root_deprel(heads: Sequence[int], deprels: Sequence[str]) -> List[str]:
    """Deprels of a sentence in which roots, and no other words, have the deprel ROOT. A network chooses each deprel
    independently, and may give ROOT to another word. That word gets `dep`, as in Universal Dependencies."""
    others = [UNKNOWN_DEPREL if deprel == ROOT_DEPREL else deprel for deprel in deprels]
    return [other if head else ROOT_DEPREL for head, other in zip(heads, others, strict=True)]


def tokens_with_heads(doc: Doc) -> np.ndarray:
    """Whether each token has a head. To spaCy's `has_annotation("DEP")`, a single token with one suffices.
    *Shape:* (n_tokens,), bool."""
    return doc.to_array("DEP") != 0


def set_heads(doc: Doc, sentences: Sequence[SentenceHeads]) -> None:
    """Write heads and deprels. Sentence boundaries stay as they are.

    doc (Doc): Modified in place.
    sentences (Sequence[SentenceHeads]): All sentences, in order.
    RAISES (ValueError): The number of heads or deprels in a sentence is not the number of words.
    """
    offsets = np.zeros(len(doc), dtype=np.int64)
    deprels = np.full(len(doc), doc.vocab.strings.add(WHITESPACE_DEPREL), dtype=np.uint64)
    for (start, end), words, heads, sentence_deprels in sentences:
        if len(heads) != len(words) or len(sentence_deprels) != len(words):
            raise ValueError(
                f"expected a head and a deprel for each of the {len(words)} words of the sentence at token {start}, "
                f"got {len(heads)} and {len(sentence_deprels)}"
            )
        for word, head, deprel in zip(words, heads, sentence_deprels, strict=True):
            offsets[word] = (words[head - 1] if head else word) - word
            deprels[word] = doc.vocab.strings.add(deprel)
        _hang_whitespace(offsets, deprels, doc.vocab.strings.add(ROOT_DEPREL), start, end, set(words))
    sent_starts = doc.to_array("SENT_START")
    doc.from_array(["HEAD", "DEP"], np.stack([offsets.astype(np.uint64), deprels], axis=1))  # type: ignore[arg-type]
    # spaCy derives sentence starts from the arcs, and fails on some non-projective trees: the known ones are restored.
    doc.from_array(["SENT_START"], sent_starts)  # type: ignore[arg-type]


def _hang_whitespace(
    offsets: np.ndarray, deprels: np.ndarray, root: int, start: int, end: int, words: set[int]
) -> None:
    """Attach each whitespace token to the token before it; at the start of a sentence, to the first word. The root of a
    sentence of whitespace alone is its first token."""
    first = min(words, default=start)
    for token in range(start, end):
        if token in words:
            continue
        offsets[token] = (first if token <= first else token - 1) - token
        if token == first:
            deprels[token] = root
