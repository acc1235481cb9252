"""The sentences of a Doc as Parses."""

from collections.abc import Iterator, Sequence
from typing import Optional

from spacy.tokens import Doc, Span, Token

from ..trees import Constituent, Parse, nested_spans
from .parses import SPANS_KEY, get_constituents
from .sentences import (
    Item,
    has_sentences,
    sentence_words,
    words_of,
)
from .span_groups import check_present

MISSING_TAG = "X"


class UnparsedDocError(ValueError):
    """The Doc has no constituents. Raised by the getters of
    `install_extensions(strict=True)`."""


def read_parses(item: Item) -> Iterator[Parse]:
    """The parses of sentences with words, those of a Doc or around a Span, at the cost
    of these sentences. Tags are fine tags, else coarse tags, else `X`. Of a Span, the
    numbers of its sentences are -1.

    RAISES (ValueError): Sentence boundaries are missing.
    RAISES (StaleParseError): The Doc does not have the Span's tokens.
    """
    for number, tokens, constituents in _sentences(item):
        if tokens:
            parse = parse_of_words(item.doc, tokens, number)
            parse.constituents = constituents
            yield parse


def parse_of_words(doc: Doc, tokens: Sequence[int], number: int) -> Parse:
    """The parse of some words of a sentence, without constituents.
    tokens (Sequence[int]): Their Doc indices.
    number (int): Of the sentence."""
    words = [doc[i] for i in tokens]
    return Parse(
        [word.text for word in words],
        [word.tag_ or word.pos_ or MISSING_TAG for word in words],
        None,
        _heads(words) if doc.has_annotation("DEP") else None,
        [word.dep_ for word in words],
        doc=doc,
        number=number,
        tokens=tokens,
        pos=[word.pos_ for word in words],
        morphs=[str(word.morph) for word in words],
    )


def sentence_trees(item: Item) -> Iterator[Parse]:
    """As `read_parses`, with constituents in pre-order.

    RAISES (UnparsedDocError): The Doc has no parse.
    RAISES (SpanError): Constituents cross.
    """
    missing = ""
    if SPANS_KEY not in item.doc.spans:
        missing = f"constituents (doc.spans[{SPANS_KEY!r}])"
    elif not has_sentences(item.doc):
        missing = "sentence boundaries"
    if missing:
        raise UnparsedDocError(
            f"the Doc has no {missing}: it must come from a pipeline with a lal_parser"
        )
    for parse in read_parses(item):
        parse.constituents = nested_spans(parse.constituents or (), len(parse.words))
        yield parse


Place = tuple[int, list[int], Optional[Sequence[Constituent]]]


def _sentences(item: Item) -> Iterator[Place]:
    """The number, the words and the constituents of each sentence."""
    if not isinstance(item, Span):
        sentences = sentence_words(item)
        is_parsed = SPANS_KEY in item.spans
        trees = get_constituents(item) if is_parsed else [None] * len(sentences)
        yield from zip(range(len(sentences)), sentences, trees, strict=True)
        return
    check_present(item)
    doc = item.doc
    for sentence in item.sents:  # type: ignore[attr-defined]
        trees = get_constituents(doc, sentence) if SPANS_KEY in doc.spans else [None]
        yield -1, words_of(sentence), trees[0]


def _heads(words: Sequence[Token]) -> list[Optional[int]]:
    """Heads as word numbers. If another component attached a word to whitespace, the
    head's head takes its place."""
    numbers = {word.i: number for number, word in enumerate(words, start=1)}
    heads: list[Optional[int]] = []
    for word in words:
        if not word.has_head():  # spaCy shows such a token as its own head
            heads.append(None)
            continue
        head = word.head
        while head.i not in numbers and head.head.i != head.i:
            head = head.head
        heads.append(0 if head.i == word.i else numbers.get(head.i, 0))
    return heads
