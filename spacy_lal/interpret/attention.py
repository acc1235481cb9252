"""Label attention: what each label head looks at. On request only; nothing is drawn here."""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Iterator, List, Tuple, Union, cast, overload

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc, Span
from spacy.util import minibatch

from ..annotations import sentence_words
from ..architectures.parser import listening
from ..layers.contributions import encode_sentences
from ..pipeline.lal_parser import LALParser
from ..scores import AnyScores
from .sentences import Parser, Sentence, evaluation_mode, find_parser, network_of, read_sentences, sentences_of

START, STOP = "<START>", "<STOP>"


@dataclass(frozen=True)
class LabelAttention:
    """The attention of each label head over one sentence of n words.

    weights (ndarray): Shape: (n_label_heads, n + 2), float32. Each row sums to 1, or is 0 in a sentence without words,
        which the network does not read. Where queries are computed per token, the mean over the queries.
    heads (Tuple[str, ...]): Names of the rows: the label whose head it is, or "head 7" where there are not as many
        heads as labels. See `head_names` for what such a name is worth.
    tokens (Tuple[str, ...]): Names of the columns: "<START>", the words, "<STOP>".
    """

    weights: ndarray
    heads: Tuple[str, ...]
    tokens: Tuple[str, ...]

    def records(self) -> List[Dict[str, Any]]:
        """One dict for each cell: head, position (0 is START), token, weight."""
        return [
            {"head": head, "position": position, "token": token, "weight": weight}
            for head, row in zip(self.heads, self.weights.tolist(), strict=True)
            for position, (token, weight) in enumerate(zip(self.tokens, row, strict=True))
        ]


def head_names(parser: LALParser) -> Tuple[str, ...]:
    """A name for each label head: the labels, in order, where there are as many; otherwise "head 0", "head 1", ...

    The name is a convention, as in the paper: in training, nothing ties a head to the label of its number unless
    the model has `label_ties`.

    RAISES (ValueError): The model has no label attention.
    """
    config = network_of(parser).config
    if not config.label_attention:
        raise ValueError(f"'{parser.name}' is a model without label attention: it has no label heads")
    labels = parser.label_data["constituents"]
    if len(labels) == config.n_label_heads:
        return tuple(labels)
    return tuple(f"head {i}" for i in range(config.n_label_heads))


@overload
def label_attention(nlp: Parser, doc_or_span: Doc) -> List[LabelAttention]:
    """Of a Doc, one for each sentence."""


@overload
def label_attention(nlp: Parser, doc_or_span: Span) -> LabelAttention:
    """Of a Span, that of its sentence."""


def label_attention(nlp: Parser, doc_or_span: Union[Doc, Span]) -> Union[List[LabelAttention], LabelAttention]:
    """The label attention in the sentences of a Doc, or in the one that a Span is in: one more run of the network.

    nlp (Union[Language, LALParser]): A pipeline with one parser of ours, or the component.
    doc_or_span (Union[Doc, Span]): It needs sentence boundaries, but no parse.
    RETURNS (Union[List[LabelAttention], LabelAttention]): One for each sentence of a Doc; of a Span, its sentence's.
    RAISES (ValueError): The model has no label attention; the pipeline has no parser, or not one that was trained or
        loaded; sentence boundaries are not known, or the Span crosses one.
    """
    sentences = sentences_of(nlp, doc_or_span)
    heads = head_names(find_parser(nlp))
    read = [sentence for sentence in sentences if sentence.words]
    weights: Dict[int, ndarray] = {}
    for sentence, inputs in zip(read, read_sentences(read), strict=True):
        attention = encode_sentences(evaluation_mode(sentence.parser), inputs).label_attention
        if attention is not None:
            weights[sentence.number] = attention[0].float().cpu().numpy()
    nothing = np.zeros((len(heads), 2), dtype="f4")
    found = [_named(sentence, heads, weights.get(sentence.number, nothing)) for sentence in sentences]
    return found[0] if isinstance(doc_or_span, Span) else found


def parse_with_attention(
    nlp: Parser, docs: Iterable[Union[str, Doc]], *, batch_size: int = 64
) -> Iterator[Tuple[Doc, List[LabelAttention]]]:
    """Parse, and give the label attention of the same run of the network beside each Doc.

    nlp (Union[Language, LALParser]): As for `label_attention`; the component alone takes Docs only.
    docs (Iterable[Union[str, Doc]]): As `nlp.pipe` takes them.
    batch_size (int): How many are parsed at once.
    YIELDS (Tuple[Doc, List[LabelAttention]]): The parsed Doc, and one for each of its sentences; for each piece of a
        sentence that was so long that it was parsed in pieces.
    RAISES (ValueError): The model has no label attention; no parser, or not one that was trained or loaded.
    """
    parser = find_parser(nlp)
    heads = head_names(parser)
    process: Any = nlp.pipe
    for texts in minibatch(docs, batch_size):
        with _recorded(parser, heads) as found:
            parsed = list(process(texts, batch_size=batch_size))
        for doc in parsed:
            if len(doc) and id(doc) not in found:
                raise ValueError(f"a component after '{parser.name}' has replaced the Doc {doc.text[:40]!r} by another")
            yield doc, found[id(doc)][1] if len(doc) else []


@contextmanager
def _recorded(parser: LALParser, heads: Tuple[str, ...]) -> Iterator[Dict[int, Tuple[Doc, List[LabelAttention]]]]:
    """For the time of a block, the model returns its attention, and a dict holds it by the id of the Doc."""
    found: Dict[int, Tuple[Doc, List[LabelAttention]]] = {}

    def record(docs: List[Doc], scores: List[AnyScores]) -> None:
        # Named here and now: a later component may merge tokens.
        sentences = [Sentence(parser, doc, i, words) for doc in docs for i, words in enumerate(sentence_words(doc))]
        # A Doc with a long sentence comes several times, in windows and at last in the pieces that it is parsed in.
        found.update((id(doc), (doc, [])) for doc in docs)
        for sentence, one in zip(sentences, scores, strict=True):
            weights = cast(ndarray, one.attention)  # it has label attention, see head_names
            found[id(sentence.doc)][1].append(_named(sentence, heads, weights))

    with listening(parser.model, record):
        yield found


def _named(sentence: Sentence, heads: Tuple[str, ...], weights: ndarray) -> LabelAttention:
    words = [sentence.doc[i].text for i in sentence.words]
    return LabelAttention(weights, heads, (START, *words, STOP))
