"""What else a sentence could have been: other labels of a span, and margins of constituents and arcs.

A margin is exact: the sentence is decoded once more for each constituent or arc, with that one forbidden. *Not* here:
probabilities, see `marginals.py`.
"""

from typing import List, NamedTuple, Union

import numpy as np
from spacy.tokens import Doc, Span

from ..layers.contributions import score_spans, span_vectors
from .parses import checked_arcs, checked_constituents
from .search import Search
from .sentences import (
    Parser,
    Sentence,
    encode_sentence,
    find_parser,
    label_vocab,
    locate_words,
    network_of,
    score_sentence,
    sentences_of,
)


class LabelScore(NamedTuple):
    """A label ("" is the empty one, "<H>" the one of a sub-head, which no tree shows), and its score on a span."""

    label: str
    score: float


class ConstituentMargin(NamedTuple):
    """A constituent, doc[start:end] with its whole unary chain ("S::VP"), and its margin."""

    start: int
    end: int
    label: str
    margin: float


class ArcMargin(NamedTuple):
    """An arc between two tokens of the Doc, by their index, and its margin. The root is its own head."""

    dependent: int
    head: int
    margin: float


def best_labels(nlp: Parser, span: Span, k: int = 5) -> List[LabelScore]:
    """The k best labels of a span, constituent or not, best first. The empty label, whose score is 0, is one of them.
    Of a whole sentence it may even come first: no tree leaves its root empty, so nothing was learned about that.

    nlp (Union[Language, LALParser]): A pipeline with one parser of ours, or the component.
    span (Span): Words of one sentence. The Doc needs no parse.
    k (int): How many.
    RETURNS (List[LabelScore]): Labels and the network's scores.
    RAISES (ValueError): k is less than 1; the parser scores no constituents; no parser; the span crosses a sentence
        boundary, or has no words.
    """
    if k < 1:
        raise ValueError(f"k is how many labels to give: expected at least 1, got {k}")
    sentence, start, end = locate_words(nlp, span)
    strings = label_vocab(sentence.parser).strings
    network = network_of(sentence.parser)
    vectors = span_vectors(network, encode_sentence(sentence).fenceposts[0], [(start, end)])
    scores = score_spans(network, vectors)[0].cpu().numpy()
    return [LabelScore(strings[i], float(scores[i])) for i in np.argsort(-scores, kind="stable")[:k]]


def constituent_margins(nlp: Parser, doc_or_span: Union[Doc, Span]) -> List[ConstituentMargin]:
    """For each constituent of a parse: the score of the tree less that of the best tree without that labelled span.

    The score is what the pipeline's decoder maximises: of the joint decoder, label scores times constituency_weight
    plus arc scores times one minus it; of the separate one (and beyond max_length), the label scores. Infinite where
    every tree has the constituent.

    nlp (Union[Language, LALParser]): A pipeline with one parser of ours, or the component.
    doc_or_span (Union[Doc, Span]): A Doc that it has parsed, or a Span for the sentence that it is in.
    RETURNS (List[ConstituentMargin]): In pre-order, sentence by sentence.
    RAISES (ValueError): The Doc has no parse, or that of another model; the parser scores no constituents, or has a
        decoder that is none of ours, or parses so long a sentence in pieces; no parser; sentence boundaries are not
        known, or the Span crosses one.
    """
    sentences = sentences_of(nlp, doc_or_span)
    strings = label_vocab(find_parser(nlp)).strings
    margins: List[ConstituentMargin] = []
    for sentence, constituents in zip(sentences, checked_constituents(sentences), strict=True):
        if not constituents:
            continue
        search = _search(sentence)
        best, _ = search.best_spans()
        others = search.scores_without_labels(constituents)
        for (start, end, label), other in zip(constituents, others, strict=True):
            tokens = sentence.tokens(start, end)
            margins.append(ConstituentMargin(*tokens, label=strings[label], margin=_margin(best, other)))
    return margins


def arc_margins(nlp: Parser, doc_or_span: Union[Doc, Span]) -> List[ArcMargin]:
    """For each arc of a parse: the score of the tree less that of the best tree without that arc, whatever its deprel.

    The score is that of `constituent_margins`; of the separate decoder, the arc scores.

    RETURNS (List[ArcMargin]): One for each word, in order.
    RAISES (ValueError): As `constituent_margins`; the parser scores no arcs.
    """
    sentences = sentences_of(nlp, doc_or_span)
    parser = find_parser(nlp)
    if not parser.label_data["deprels"]:
        raise ValueError(f"'{parser.name}' scores no arcs: it was trained on constituents alone")
    margins: List[ArcMargin] = []
    for sentence, arcs in zip(sentences, checked_arcs(sentences), strict=True):
        if not arcs:
            continue
        search = _search(sentence)
        best, _ = search.best_arcs()
        for (word, head), other in zip(arcs, search.scores_without_arcs(arcs), strict=True):
            dependent = sentence.words[word - 1]
            governor = sentence.words[head - 1] if head else dependent
            margins.append(ArcMargin(dependent, governor, _margin(best, other)))
    return margins


def _search(sentence: Sentence) -> Search:
    """The search that the parser makes in a sentence."""
    parser = sentence.parser
    return Search(parser.long_sentences.choose(parser.decoder), score_sentence(sentence))


def _margin(best: float, other: float) -> float:
    """Not below 0: of two trees that are as good as each other, the decoder's float32 may choose the one that is a
    rounding error worse. Where parsing was in half precision, this search is not, and may prefer another tree: what it
    has not in its best tree has a margin of 0."""
    return max(0.0, best - other)
