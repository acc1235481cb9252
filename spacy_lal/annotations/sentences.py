"""The sentences of a Doc: their boundaries, their words, and the words that components
read: without marks of notes, and in pieces of a long sentence."""

import re
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from re import Pattern
from typing import NamedTuple, Union

import numpy as np
from spacy.tokens import Doc, Span

from ..lang import token_rules
from ..lang.marks import EMPHASIS
from .span_groups import CONSTRAINTS_KEY, Range

# In `doc.user_data`, from treebanks: the `# sent_id` of each sentence.
SENT_IDS = "sent_ids"

# Charts grow with the square of a sentence's length: a longer one is read in pieces.
MAX_LENGTH = 500
PIECE_LENGTH = 100

# For each sentence of a Doc, the indices of its words.
Sentences = Sequence[Sequence[int]]
Item = Union[Doc, Span]


def has_sentences(doc: Doc) -> bool:
    """Tell whether the Doc's sentence boundaries are known; always true for a Doc of at
    most one token."""
    return doc.has_annotation("SENT_START")


def sentence_bounds(doc: Doc) -> list[Range]:
    """Give the half-open token range of each sentence.
    RAISES (ValueError): Boundaries are not known."""
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


def sentence_words(doc: Doc) -> list[list[int]]:
    """Give, for each sentence, the Doc indices of its words.
    RAISES (ValueError): Boundaries are not known."""
    bounds = sentence_bounds(doc)
    is_space = doc.to_array("IS_SPACE").tolist() if bounds else []
    return [[i for i in range(start, end) if not is_space[i]] for start, end in bounds]


class WithoutNotes(NamedTuple):
    """A Doc without marks of notes.
    doc (Doc): Its words and spaces.
    tokens (ndarray): The place of each of its tokens in the whole Doc. *Shape:* (n,).
    notes (List[Tuple[int, int]]): The marks, as half-open ranges of the whole Doc's
        tokens."""

    doc: Doc
    tokens: np.ndarray
    notes: list[Range]


@cache
def _pattern(lang: str) -> Pattern[str]:
    """The marks of a language, each as the first group; or what is none."""
    notes = "|".join(rule.pattern for rule in token_rules(lang).notes)
    return re.compile(f"{EMPHASIS}|({notes})" if notes else "(?!)()")


def note_tokens(doc: Doc) -> list[int]:
    """Give the tokens of marks of notes, in order. A Doc with constraints has none,
    since they may name any token."""
    if CONSTRAINTS_KEY in doc.spans:
        return []
    found: list[int] = []
    for match in _pattern(doc.vocab.lang).finditer(doc.text):
        span = doc.char_span(*match.span(1)) if match[1] else None
        if span is not None and span.start:
            found += range(span.start, span.end)
    return found


def note_ranges(doc: Doc) -> list[Range]:
    """Give the marks of notes, as half-open ranges of tokens."""
    return runs_of(note_tokens(doc))


class DocSentences(NamedTuple):
    """The sentences of a Doc, as a component reads them once.
    words (List[List[int]]): The Doc indices of the words of each.
    read (List[List[int]]): Those of its words without marks of notes; of a sentence of
        such marks, all words.
    pieces (List[List[List[int]]]): The words that are read, cut where a sentence is
        long."""

    words: list[list[int]]
    read: list[list[int]]
    pieces: list[list[list[int]]]


def read_sentences(doc: Doc) -> DocSentences:
    """Read the sentences of a Doc.
    RAISES (ValueError): Boundaries are not known."""
    sentences = sentence_words(doc)
    notes = set(note_tokens(doc))
    read = sentences
    if notes:
        read = [[i for i in words if i not in notes] or words for words in sentences]
    pieces = [
        [words] if len(words) <= MAX_LENGTH else cut_sentence(doc, words)
        for words in read
    ]
    return DocSentences(sentences, read, pieces)


def cut_sentence(doc: Doc, words: Sequence[int]) -> list[list[int]]:
    """Cut a long sentence. A piece ends at the last punctuation mark of the second half
    of its range; where there is none, it has `PIECE_LENGTH` words."""
    pieces: list[list[int]] = []
    remaining = list(words)
    while len(remaining) > PIECE_LENGTH:
        places = range(PIECE_LENGTH // 2, PIECE_LENGTH + 1)
        ends = [place for place in places if doc[remaining[place - 1]].is_punct]
        end = max(ends, default=PIECE_LENGTH)
        pieces.append(remaining[:end])
        remaining = remaining[end:]
    return [*pieces, remaining] if remaining else pieces


def read_words(doc: Doc) -> list[list[int]]:
    """Give, for each sentence, the Doc indices of the words that are read."""
    return read_sentences(doc).read


def without_notes(doc: Doc) -> WithoutNotes:
    """Leave the marks of notes out of a Doc; without any, give the Doc itself. The
    word before a mark has the space after the mark."""
    runs = note_ranges(doc)
    if not runs:
        return WithoutNotes(doc, np.arange(len(doc)), [])
    spaces = [bool(token.whitespace_) for token in doc]
    for start, end in runs:
        spaces[start - 1] = spaces[end - 1]
    left_out = {i for run in runs for i in range(*run)}
    kept = [i for i in range(len(doc)) if i not in left_out]
    words = [doc[i].text for i in kept]
    seen = Doc(doc.vocab, words=words, spaces=[spaces[i] for i in kept])
    return WithoutNotes(seen, np.array(kept), runs)


def runs_of(places: Sequence[int]) -> list[Range]:
    """Give ascending numbers as half-open ranges."""
    groups = groupby(enumerate(places), key=lambda one: one[1] - one[0])
    runs = [[place for _, place in group] for _, group in groups]
    return [(run[0], run[-1] + 1) for run in runs]


def words_of(item: Item) -> list[int]:
    """Give the Doc indices of the words of a Doc or of a part of it."""
    return [token.i for token in item if not token.is_space]


def sentence_of(span: Span) -> Span:
    """Give the sentence in which a non-empty Span begins; the whole Doc, if boundaries
    are not known."""
    return span[:1].sent if has_sentences(span.doc) else span.doc[:]


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
