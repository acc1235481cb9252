"""From Docs to the parses of their sentences, for features of roles."""

from itertools import chain
from typing import List, Sequence

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..annotations import SPANS_KEY, get_constituents, sentence_words, tokens_with_heads
from ..layers.pair_features import SentenceParse

# Deprels of a passive's subject and auxiliary: UD's nsubj:pass, aux:pass, csubj:pass; ClearNLP's nsubjpass, auxpass.
PASSIVE_ENDING = "pass"


def sentence_parses(docs: Sequence[Doc], word_attr: str) -> List[SentenceParse]:
    """The parse of every sentence, over its words.

    word_attr (str): "LEMMA", "NORM" or "LOWER".
    RAISES (ValueError): A Doc lacks constituents, the head of a word, tags or lemmas, which it needs.
    """
    return [parse for doc in docs for parse in _of_doc(doc, word_attr)]


def _check_parsed(doc: Doc, sentences: Sequence[Sequence[int]], word_attr: str) -> None:
    """RAISES (ValueError): As `sentence_parses`; names the missing annotation and the component that sets it."""
    needed = {
        "constituents": (SPANS_KEY in doc.spans, "lal_parser"),
        "heads": (tokens_with_heads(doc)[list(chain.from_iterable(sentences))].all(), "lal_parser"),
        "tags": (doc.has_annotation("TAG"), "tagger"),
        "lemmas": (word_attr != "LEMMA" or doc.has_annotation("LEMMA"), "a lemmatizer"),
    }
    missing = {name: source for name, (found, source) in needed.items() if not found}
    if missing:
        raise ValueError(
            f"the scorer of roles reads the parse of the Doc, and {doc.text[:40]!r} has no {' and no '.join(missing)}: "
            f"expected {', '.join(dict.fromkeys(missing.values()))} before it in the pipeline"
            f"{' (not with dependencies = false)' if 'heads' in missing else ''} and, in training, in "
            "training.annotating_components"
        )


def unknown_parse(n_words: int) -> SentenceParse:
    """The parse of a sentence without predicates, which nothing reads: each word is a root, without a constituent."""
    heads, ids = numpy.arange(n_words), numpy.zeros(n_words, dtype="uint64")
    return SentenceParse(heads, ids, ids, ids, heads < 0, numpy.zeros((0, 2), dtype="int64"), ids[:0])


def _of_doc(doc: Doc, word_attr: str) -> List[SentenceParse]:
    sentences = sentence_words(doc)
    if not any(sentences):
        return [unknown_parse(0) for _ in sentences]
    _check_parsed(doc, sentences, word_attr)
    arrays = doc.to_array(["HEAD", "DEP", "TAG", word_attr])
    heads = numpy.arange(len(doc)) + arrays[:, 0].astype("int64")
    passive = numpy.zeros(len(doc), dtype=bool)
    passive[heads[_is_passive(arrays[:, 1], doc.vocab)]] = True
    parses = []
    for words, spans in zip(sentences, get_constituents(doc), strict=True):
        place = {word: i for i, word in enumerate(words)}
        labels = [doc.vocab.strings.add(label) for _, _, label in spans]
        parses.append(
            SentenceParse(
                heads=numpy.array([place.get(int(heads[word]), i) for i, word in enumerate(words)], dtype="int64"),
                deprels=arrays[words, 1],
                tags=arrays[words, 2],
                words=arrays[words, 3],
                is_passive=passive[words],
                constituents=numpy.array([one[:2] for one in spans], dtype="int64").reshape(-1, 2),
                labels=numpy.array(labels, dtype="uint64"),
            )
        )
    return parses


def _is_passive(deprels: ndarray, vocab: Vocab) -> ndarray:
    values, places = numpy.unique(deprels, return_inverse=True)
    flags = numpy.array([vocab.strings[int(one)].endswith(PASSIVE_ENDING) for one in values], dtype=bool)
    return flags[places]
