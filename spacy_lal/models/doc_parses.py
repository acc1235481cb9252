"""The parses of Docs as a network of semantic roles reads them: heads, and the arrays
of `pair_features.ParseArrays`."""

from typing import Sequence

import numpy
from numpy import ndarray
from spacy.tokens import Doc

from ..annotations import (
    SPANS_KEY,
    Sentences,
    constituents_within,
    tokens_with_heads,
)
from ..layers.pair_features import ParseArrays
from ..scores import MISSING

COMMA = ","
# Deprels of a passive's subject and auxiliary: UD's nsubj:pass, aux:pass, csubj:pass;
# ClearNLP's nsubjpass, auxpass.
PASSIVE_ENDING = "pass"


def doc_heads(docs: Sequence[Doc], sentences: Sequence[Sentences]) -> list[ndarray]:
    """The heads that Docs have, a list over all sentences, or parts of them. A root is
    its own head; a missing head, a head outside of the sentence, or on white space, is
    -1. *Shapes:* (n,), int64."""
    of_sentences: list[ndarray] = []
    for doc, of_doc in zip(docs, sentences, strict=True):
        heads = numpy.arange(len(doc)) + doc.to_array("HEAD").astype("int64")
        heads[~tokens_with_heads(doc)] = MISSING
        for words in of_doc:
            place = {word: i for i, word in enumerate(words)}
            of_sentences.append(
                numpy.array(
                    [place.get(int(heads[word]), MISSING) for word in words],
                    dtype="int64",
                )
            )
    return of_sentences


def lacking(doc: Doc, word_attr: str) -> str:
    """What a Doc lacks of its parse, and the component that sets it, in words; empty
    for a parsed Doc."""
    words = numpy.flatnonzero(doc.to_array("IS_SPACE") == 0)
    needed = {
        "constituents": (SPANS_KEY in doc.spans, "lal_parser"),
        "heads": (tokens_with_heads(doc)[words].all(), "lal_parser"),
        "tags": (doc.has_annotation("TAG"), "tagger"),
        "lemmas": (word_attr != "LEMMA" or doc.has_annotation("LEMMA"), "a lemmatizer"),
    }
    missing = {
        name: source
        for name, (is_there, source) in needed.items()
        if len(words) and not is_there
    }
    if not missing:
        return ""
    sources = ", ".join(dict.fromkeys(missing.values()))
    return (
        f"no {' and no '.join(missing)}: expected {sources} before it in the pipeline"
        f"{' (not with dependencies = false)' if 'heads' in missing else ''}"
    )


def unknown_parse(n_words: int) -> ParseArrays:
    """The parse of a sentence without predicates, which nothing reads: each word is a
    root, without a constituent."""
    heads = numpy.arange(n_words)
    ids = numpy.zeros(n_words, dtype="uint64")
    return ParseArrays(
        heads,
        ids,
        ids,
        ids,
        is_passive=heads < 0,
        is_comma=heads < 0,
        constituents=numpy.zeros((0, 2), dtype="int64"),
        labels=ids[:0],
    )


def doc_parses(doc: Doc, word_attr: str, sentences: Sentences) -> list[ParseArrays]:
    """The parses of a Doc's sentences or parts.

    RAISES (ValueError): It lacks constituents, heads, tags or lemmas."""
    if not any(sentences):
        return [unknown_parse(0) for _ in sentences]
    if missing := lacking(doc, word_attr):
        raise ValueError(
            f"the scorer of roles reads the parse of the Doc, and {doc.text[:40]!r} "
            f"has {missing} and, in training, in "
            "training.annotating_components"
        )
    arrays = doc.to_array(["HEAD", "DEP", "TAG", word_attr])
    heads = numpy.arange(len(doc)) + arrays[:, 0].astype("int64")
    passive = numpy.zeros(len(doc), dtype=bool)
    deprels, places = numpy.unique(arrays[:, 1], return_inverse=True)
    is_passive = [
        doc.vocab.strings[int(deprel)].endswith(PASSIVE_ENDING) for deprel in deprels
    ]
    passive[heads[numpy.array(is_passive, dtype=bool)[places]]] = True
    is_comma = doc.to_array("ORTH") == doc.vocab.strings.add(COMMA)
    parses = []
    for words, spans in zip(
        sentences, constituents_within(doc, sentences), strict=True
    ):
        place = {word: i for i, word in enumerate(words)}
        labels = [doc.vocab.strings.add(span.label) for span in spans]
        parses.append(
            ParseArrays(
                heads=numpy.array(
                    [place.get(int(heads[word]), i) for i, word in enumerate(words)],
                    dtype="int64",
                ),
                deprels=arrays[words, 1],
                tags=arrays[words, 2],
                words=arrays[words, 3],
                is_passive=passive[words],
                is_comma=is_comma[words],
                constituents=numpy.array(
                    [(span.start, span.end) for span in spans], dtype="int64"
                ).reshape(-1, 2),
                labels=numpy.array(labels, dtype="uint64"),
            )
        )
    return parses
