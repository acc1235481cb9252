"""Alternatives to a parse: other labels of a span, and margins of constituents and arcs.

Margins are exact: for each constituent or arc, the sentence is decoded again with this constituent or arc forbidden.
*Not* here: probabilities, see `marginals.py`.
"""

from typing import List, NamedTuple, Union

import numpy as np
from spacy.tokens import Doc, Span

from ..annotations import get_constraints
from ..annotations.constraints import in_words
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
    """A label and its score on a span; "" is the empty label, "<H>" the sub-head label, which no tree shows."""

    label: str
    score: float


class ConstituentMargin(NamedTuple):
    """A constituent, doc[start:end] with its whole unary chain ("S::VP"), and its margin."""

    start: int
    end: int
    label: str
    margin: float


class ArcMargin(NamedTuple):
    """An arc between two tokens, by their index in the Doc, and its margin. The root is its own head."""

    dependent: int
    head: int
    margin: float


def best_labels(nlp: Parser, span: Span, k: int = 5) -> List[LabelScore]:
    """The k best labels of a span, constituent or not, best first. The empty label, with score 0, is included. On a
    whole sentence it may even come first: no tree has an empty root, so training never sets that score.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    span (Span): Words of one sentence. The Doc needs no parse.
    k (int): The number of labels.
    RETURNS (List[LabelScore]): Labels and the network's scores.
    RAISES (ValueError): k is less than 1; the parser scores no constituents; the pipeline has no parser; the span
        crosses a sentence boundary, or has no words.
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
    """The margin of each constituent of a parse: the tree's score minus the score of the best tree without this
    labelled span. It is infinite where every tree has the constituent.

    The score is the objective of the pipeline's decoder. The joint decoder's is constituency_weight times the label
    scores plus (1 - constituency_weight) times the arc scores. The separate decoder's, used beyond max_length and with
    `dependencies = false` too, is the sum of the label scores.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    doc_or_span (Union[Doc, Span]): A Doc that it has parsed, or a Span for the sentence around it.
    RETURNS (List[ConstituentMargin]): In pre-order, sentence by sentence.
    RAISES (ValueError): The Doc has no parse, or a parse by another model; the parser scores no constituents, has an
        unsupported decoder, or parses the sentence in pieces; the sentence has constraints; the pipeline has no parser;
        sentence boundaries are missing, or the Span crosses one.
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
    """The margin of each arc of a parse: the tree's score minus the score of the best tree without this arc, whatever
    its deprel. The score is as in `constituent_margins`; the separate decoder's is the sum of the arc scores.

    RETURNS (List[ArcMargin]): One for each word, in order.
    RAISES (ValueError): As `constituent_margins`; the parser scores or sets no arcs.
    """
    sentences = sentences_of(nlp, doc_or_span)
    parser = find_parser(nlp)
    if not parser.label_data["deprels"]:
        raise ValueError(f"'{parser.name}' scores no arcs: it was trained on constituents alone")
    if not parser.dependencies:
        raise ValueError(f"'{parser.name}' sets no arcs: its option dependencies is false")
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
    """The search of the parser's decoder in a sentence. RAISES (ValueError): The sentence has constraints."""
    parser = sentence.parser
    if in_words(sentence.doc, sentence.words, get_constraints(sentence.doc)):
        raise ValueError(
            f"margins of a parse under constraints are not defined: {sentence.name}. Remove them with "
            "spacy_lal.annotations.constrain(doc), and parse again"
        )
    return Search(parser.decoder_in_use, score_sentence(sentence))


def _margin(best: float, other: float) -> float:
    """The margin, at least 0. Of two equally good trees, the decoder's float32 may choose the tree that is worse by a
    rounding error. The search has full precision, so it may prefer another tree than a parse in half precision:
    a constituent or arc that is missing in the search's best tree has a margin of 0."""
    return max(0.0, best - other)
