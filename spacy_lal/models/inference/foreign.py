"""Texts in a language that an encoder does not know."""

import warnings
from collections.abc import Sequence
from typing import Any, Optional


def check_language(text: str, encoded: Any, unknown: Optional[int]) -> None:
    """Warn if most words with letters, two or more, are unknown to a tokenizer or fall
    into single letters. A foreign language in Latin letters has the pieces of rare
    English words: it gets no warning."""
    words: dict[Optional[int], list[int]] = {}  # lengths of pieces; 0: unknown
    for word, piece, (start, end) in zip(
        encoded.word_ids, encoded.ids, encoded.offsets, strict=True
    ):
        if any(map(str.isalpha, text[start:end])):
            words.setdefault(word, []).append(end - start if piece != unknown else 0)
    n_foreign = sum(map(_looks_foreign, words.values()))
    if n_foreign > max(1, len(words) - n_foreign):
        message = (
            "the encoder does not know most words of a text: is it in the pipeline's "
            "language?"
        )
        warnings.warn(message, stacklevel=2)


def _looks_foreign(lengths: Sequence[int]) -> bool:
    """lengths: The letters of a word's pieces."""
    is_spelt = len(lengths) > 2 and max(lengths) == 1
    return 0 in lengths or is_spelt
