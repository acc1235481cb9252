"""The first steps of every explanation: find the parser, find the sentence, run the network on it.

The network reads the sentence as the Doc holds it. The Doc is not changed.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import List, Sequence, Tuple, Union

import torch
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..annotations import sentence_bounds, sentence_words
from ..annotations.span_groups import check_present
from ..layers.contributions import Encoded, encode_sentences
from ..layers.network_inputs import NetworkInputs
from ..layers.parser_network import ParserNetwork
from ..models.bridge import pad_inputs
from ..models.embedding import embed
from ..pipeline.lal_parser import LALParser
from ..pipeline.parser_names import FACTORY, parser_names
from ..scores import ParserScores
from ..trees import LabelVocab

Parser = Union[Language, LALParser]


@dataclass(frozen=True)
class Sentence:
    """A sentence of a Doc, as a parser sees it.

    parser (LALParser): The parser.
    doc (Doc): The Doc.
    number (int): Its place in the Doc, from 0.
    words (List[int]): The Doc indices of its words: its tokens without the whitespace tokens.
    """

    parser: LALParser
    doc: Doc
    number: int
    words: List[int]

    @property
    def name(self) -> str:
        """Its name in messages."""
        text = self.doc[self.words[0] : self.words[-1] + 1].text if self.words else ""
        return f"sentence {self.number} ({text[:40]!r})"

    def tokens(self, start: int, end: int) -> Tuple[int, int]:
        """The half-open range of Doc tokens that a span of words covers."""
        return self.words[start], self.words[end - 1] + 1


def find_parser(nlp: Parser) -> LALParser:
    """The `lal_parser` of a pipeline.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    RAISES (TypeError): `nlp` is something else.
    RAISES (ValueError): The pipeline has no parser, or several; the parser was neither trained nor loaded.
    """
    parser = nlp
    if isinstance(nlp, Language):
        names = parser_names(nlp)
        if not names:
            raise ValueError(f"the pipeline has no {FACTORY}, only: {', '.join(nlp.pipe_names) or 'nothing'}")
        if len(names) > 1:
            raise ValueError(f"the pipeline has {len(names)} parsers ({', '.join(names)}): expected nlp.get_pipe(name)")
        parser = nlp.get_pipe(names[0])  # type: ignore[assignment]
    if not isinstance(parser, LALParser):
        raise TypeError(f"expected a pipeline or its {FACTORY} component, got {type(nlp).__name__}")
    if not parser.labels:
        raise ValueError(
            f"'{parser.name}' was neither trained nor loaded, and has nothing to explain yet: train it, load it, or "
            "parse a Doc, for which it takes the weights of the default package"
        )
    return parser


def label_vocab(parser: LALParser) -> LabelVocab:
    """The parser's constituent labels and their ids.

    RAISES (ValueError): The parser scores no constituents.
    """
    labels = parser.label_data["constituents"]
    if not labels:
        raise ValueError(f"'{parser.name}' scores no constituents: it was trained on dependencies alone")
    return LabelVocab(labels)


def network_of(parser: LALParser) -> ParserNetwork:
    """The parser's torch network.

    RAISES (ValueError): The model has another architecture.
    """
    if "get_network" not in parser.model.attrs:
        raise ValueError(f"the model of '{parser.name}' is no spacy-lal.LALParser, but '{parser.model.name}'")
    return parser.model.attrs["get_network"](parser.model)


def sentences_of(nlp: Parser, doc_or_span: Union[Doc, Span]) -> List[Sentence]:
    """The sentences of a Doc, or a Span's sentence.

    RAISES (TypeError): `doc_or_span` is neither a Doc nor a Span.
    RAISES (ValueError): As `find_parser`; sentence boundaries are missing, or the Span crosses one.
    """
    parser = find_parser(nlp)
    network_of(parser)
    if isinstance(doc_or_span, Span):
        return [locate(nlp, doc_or_span)[0]]
    if not isinstance(doc_or_span, Doc):
        raise TypeError(f"expected a Doc or a Span, got {type(doc_or_span).__name__}")
    return [Sentence(parser, doc_or_span, i, words) for i, words in enumerate(sentence_words(doc_or_span))]


def locate(nlp: Parser, span: Span) -> Tuple[Sentence, int, int]:
    """A Span's sentence, and the Span as a half-open span of the sentence's words.

    RAISES (TypeError): `span` is no Span.
    RAISES (ValueError): As `find_parser`; sentence boundaries are missing, or the Span crosses one.
    """
    parser = find_parser(nlp)
    network_of(parser)
    if not isinstance(span, Span):
        raise TypeError(f"expected a Span, got {type(span).__name__}")
    check_present(span)
    bounds = sentence_bounds(span.doc)
    number = next((i for i, (start, end) in enumerate(bounds) if start <= span.start < end), None)
    if number is None or span.end > bounds[number][1]:
        raise ValueError(f"{span_name(span)} crosses a sentence boundary: expected a part of one sentence")
    words = sentence_words(span.doc)[number]
    return Sentence(parser, span.doc, number, words), bisect_left(words, span.start), bisect_left(words, span.end)


def locate_words(nlp: Parser, span: Span) -> Tuple[Sentence, int, int]:
    """As `locate`, for a Span with words.

    RAISES (ValueError): As `locate`; the Span has no words.
    """
    sentence, start, end = locate(nlp, span)
    if start == end:
        raise ValueError(f"{span_name(span)} has no words in it, and is no span of the parser's")
    return sentence, start, end


def span_name(span: Span) -> str:
    """A Span's name in messages."""
    return f"the Span {span.text[:40]!r} (tokens {span.start}:{span.end})"


# Running the network


def read_sentences(sentences: Sequence[Sentence]) -> List[NetworkInputs]:
    """The network's inputs for sentences of one Doc, each in a batch of its own: in a batch of one, a network with
    `scrambled_queries` scrambles nothing.

    RAISES (ValueError): No component provides the vectors that the model listens to; a sentence is so long that the
        parser reads it in pieces.
    """
    if not sentences:
        return []
    parser, doc = sentences[0].parser, sentences[0].doc
    limit = parser.long_sentences.limit(parser.decoder)
    for sentence in sentences:
        if limit is not None and len(sentence.words) > limit:
            raise ValueError(
                f"{sentence.name} has {len(sentence.words)} words: '{parser.name}' reads it in pieces of at most "
                f"{parser.long_sentences.piece_length(parser.decoder)}, so there is nothing to be said of it as a whole"
            )
    with parser.encoded([doc]):
        batch, _ = embed(parser.model, [doc], False)
        layer = parser.model.layers[-1]
        return [pad_inputs(layer, batch, [sentence.number], False).network for sentence in sentences]


def evaluation_mode(parser: LALParser) -> ParserNetwork:
    """The network, with dropout switched off."""
    network = network_of(parser)
    network.train(False)
    return network


def encode_sentence(sentence: Sentence) -> Encoded:
    """The scorers' inputs for one sentence with words.

    RAISES (ValueError): As `read_sentences`.
    """
    return encode_sentences(evaluation_mode(sentence.parser), read_sentences([sentence])[0])


@torch.no_grad()
def score_sentence(sentence: Sentence) -> ParserScores:
    """The scores of one sentence with words, in full precision and unpruned: all labels of all spans.

    RAISES (ValueError): As `read_sentences`.
    """
    output = evaluation_mode(sentence.parser)(read_sentences([sentence])[0])
    labels, arcs, deprels = (tensor.float().cpu().numpy()[0] for tensor in output[:3])
    return ParserScores(labels, arcs, deprels)
