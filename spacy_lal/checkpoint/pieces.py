"""Words to pieces, and pieces to the sequences that a transformer reads. No Docs, no tensors.

Each word is split separately, so that SentencePiece marks the beginning of every word (reference-parser.md 1.4).
"""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple


class SpecialPieces(NamedTuple):
    """Ids of the pieces at a sequence's ends, and of its padding."""

    cls: int
    sep: int
    pad: int


class PieceSequence(NamedTuple):
    """One sequence of pieces, a whole sentence or a window of it, and the destinations of its vectors.

    ids (List[int]): The pieces, including special ones.
    positions (List[int]): The pieces whose vectors are read: the last piece of a word, or a special piece.
    rows (List[int]): For each position, the output row of its vector.
    """

    ids: List[int]
    positions: List[int]
    rows: List[int]


def split_words(tokenizer: Any, sentences: Sequence[Sequence[str]]) -> List[List[List[int]]]:
    """Split each word of each sentence into pieces, separately.

    tokenizer (PreTrainedTokenizerBase): Slow or fast.
    sentences (Sequence[Sequence[str]]): Words.
    RETURNS (List[List[List[int]]]): The ids of each word's pieces; the unknown piece for a word without pieces.
    """
    words = sorted({word for sentence in sentences for word in sentence})
    if not words:
        return [[] for _ in sentences]
    # This call neither truncates nor adds special pieces, so the tokenizer's warning about length would mislead.
    encoded = tokenizer(words, add_special_tokens=False, return_attention_mask=False, verbose=False)["input_ids"]
    unknown = tokenizer.unk_token_id if tokenizer.unk_token_id is not None else special_pieces(tokenizer).sep
    pieces: Dict[str, List[int]] = {word: list(ids) or [unknown] for word, ids in zip(words, encoded, strict=True)}
    return [[pieces[word] for word in sentence] for sentence in sentences]


def special_pieces(tokenizer: Any) -> SpecialPieces:
    """The tokenizer's special pieces; begin and end of text if it lacks [cls] and [sep].

    RAISES (ValueError): It has neither.
    """
    cls = tokenizer.cls_token_id if tokenizer.cls_token_id is not None else tokenizer.bos_token_id
    sep = tokenizer.sep_token_id if tokenizer.sep_token_id is not None else tokenizer.eos_token_id
    if cls is None or sep is None:
        raise ValueError(
            f"{type(tokenizer).__name__} has no pieces for the ends of a sentence: expected [cls] and [sep], or begin "
            f"and end of text, got {cls} and {sep}"
        )
    return SpecialPieces(cls, sep, tokenizer.pad_token_id if tokenizer.pad_token_id is not None else sep)


def cut_sentence(
    words: Sequence[List[int]],
    specials: SpecialPieces,
    limit: Optional[int],
    first_row: int = 0,
    *,
    specials_last: bool = False,
) -> List[PieceSequence]:
    """The sequences in which a sentence of n > 0 words is read: one, or overlapping windows if it is too long.

    A word in two windows is read in the window where its shorter context is longer; START in the first, STOP in the
    last.

    words (Sequence[List[int]]): The pieces of each word.
    limit (Optional[int]): Longest sequence, special pieces included. A longer word keeps its last pieces.
    first_row (int): The row of START; the sentence has n + 2 rows.
    specials_last (bool): False: [cls] words [sep], rows START, words, STOP. True: words [sep] [cls], read in that order
        into the same rows, which shifts words by one: the authors' `pad_left` (T11).
    RETURNS (List[PieceSequence]): Together they contain each row once.
    """
    room = None if limit is None else limit - 2
    words = [pieces if room is None else pieces[-room:] for pieces in words]
    windows = _windows([len(pieces) for pieces in words], room)
    sequences = []
    first_word_row = first_row if specials_last else first_row + 1
    begin = 0
    for k, (start, end) in enumerate(windows):
        is_last = k == len(windows) - 1
        # This window reads half of the words that it shares with the next.
        stop = end if is_last else (windows[k + 1][0] + end + 1) // 2
        ids = [] if specials_last else [specials.cls]
        positions = [0] if k == 0 and not specials_last else []
        rows = [first_row] if k == 0 and not specials_last else []
        for w in range(start, end):
            ids.extend(words[w])
            if begin <= w < stop:
                positions.append(len(ids) - 1)
                rows.append(first_word_row + w)
        ids.append(specials.sep)
        if specials_last:
            ids.append(specials.cls)
        if is_last:
            positions.extend(range(len(ids) - (2 if specials_last else 1), len(ids)))
            rows.extend(first_word_row + len(words) + i for i in range(2 if specials_last else 1))
        sequences.append(PieceSequence(ids, positions, rows))
        begin = stop
    return sequences


def _windows(sizes: Sequence[int], room: Optional[int]) -> List[Tuple[int, int]]:
    """Half-open windows of words whose pieces fit; each shares up to half its room with the next."""
    if room is None:
        return [(0, len(sizes))]
    windows = []
    start = end = used = 0
    while True:
        while end < len(sizes) and used + sizes[end] <= room:
            used += sizes[end]
            end += 1
        windows.append((start, end))
        if end == len(sizes):
            return windows
        while start < end and (used > room // 2 or used + sizes[end] > room):
            used -= sizes[start]
            start += 1
