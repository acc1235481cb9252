"""`doc._.complexity` and `span._.complexity`: syntactic complexity of sentences."""

from typing import Iterator, List, Optional, Tuple, Union

from spacy.tokens import Doc, Span, Token

from ..complexity import Complexity, HeadedWord, measure_sentence, summed
from ..lang import conventions
from .parses import SPANS_KEY
from .sentence_trees import SentenceTree, sentence_trees
from .sentences import sentence_words, words_of
from .span_groups import check_present

PUNCT = "PUNCT"
# The words of a sentence, and its tree where there are constituents.
Sentence = Tuple[List[int], Optional[SentenceTree]]


def get_complexity(item: Union[Doc, Span]) -> Complexity:
    """Give the measures of syntactic complexity of a Doc, or of a Span of one or
    several sentences: a `Complexity`. Measures of constituents are None for a Doc
    without any, measures of heads for a Doc without heads, and counts of structures in
    other languages than English."""
    return summed(sentence_complexities(item))


def sentence_complexities(item: Union[Doc, Span]) -> List[Complexity]:
    """The measures of each sentence of a Doc or Span, in order.

    RAISES (ValueError): The Doc has no sentence boundaries, or the Span is not made of
        whole sentences.
    """
    doc = item if isinstance(item, Doc) else item.doc
    if isinstance(item, Span):
        check_present(item)
    has_heads = doc.has_annotation("DEP")
    lang = doc.vocab.lang
    found = []
    for words, tree in _sentences(item):
        tokens = [doc[i] for i in words]
        found.append(
            measure_sentence(
                [token.tag_ for token in tokens],
                tree.to_nltk() if tree is not None else None,
                _headed(tokens, lang) if has_heads else None,
                lang=lang,
            )
        )
    return found


def _sentences(item: Union[Doc, Span]) -> Iterator[Sentence]:
    """The sentences of an item that have words."""
    doc = item if isinstance(item, Doc) else item.doc
    wanted = set(words_of(item))
    for words, tree in _all_sentences(item if SPANS_KEY in doc.spans else doc):
        within = wanted.intersection(words)
        if within and len(within) < len(words):
            raise ValueError(
                "complexity is measured of whole sentences: expected a Span of one or "
                f"several, got {item.text[:60]!r}, a part of one"
            )
        if within:
            yield words, tree


def _all_sentences(
    item: Union[Doc, Span],
) -> Iterator[Sentence]:
    doc = item if isinstance(item, Doc) else item.doc
    if SPANS_KEY in doc.spans:
        for tree in sentence_trees(item):
            yield list(tree.words), tree
    else:
        for words in sentence_words(doc):
            yield words, None


def _headed(tokens: List[Token], lang: str) -> List[HeadedWord]:
    """The words of a sentence with the places of their heads."""
    marks = conventions(lang).mark_tags
    places = {token.i: place for place, token in enumerate(tokens)}
    return [
        HeadedWord(
            head=places.get(token.head.i, place),
            deprel=token.dep_,
            pos=token.pos_,
            morph=str(token.morph),
            is_punct=token.tag_ in marks or token.pos_ == PUNCT,
        )
        for place, token in enumerate(tokens)
    ]
