"""Label attention: the words that each label head attends to. *Not* here: drawing."""

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple, Union, cast, overload

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc, Span
from spacy.util import minibatch

from ..annotations import sentence_words
from ..annotations.sentences import Sentences
from ..layers.contributions import encode_sentences
from ..models.parser import listening
from ..pipeline.lal_parser import LALParser
from ..scores import AnyScores
from .sentences import Parser, Sentence, evaluation_mode, find_parser, network_of, read_sentences, sentences_of

START, STOP = "<START>", "<STOP>"


@dataclass(frozen=True)
class LabelAttention:
    """The attention of each label head over one sentence of n words.

    weights (ndarray): Shape: (n_label_heads, n + 2), float32. Each row sums to 1, or is 0 in a sentence without words,
        which the network does not read. Where queries are computed per token, it is their mean.
    heads (Tuple[str, ...]): Names of the rows: labels, or "head 7" where the numbers of heads and labels differ. See
        `head_names` for the meaning of such a name.
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
    """A name for each label head: the labels, in order, if there are as many of them; otherwise "head 0", "head 1", ...

    The name is a convention, as in the paper: training ties no head to the label of its number, unless the model has
    `label_ties`.

    RAISES (ValueError): The model has no label attention.
    """
    network = network_of(parser)
    if network.label_attention is None:
        raise ValueError(f"'{parser.name}' is a model without label attention: it has no label heads")
    labels = parser.label_data["constituents"]
    if len(labels) == network.n_label_heads:
        return tuple(labels)
    return tuple(f"head {i}" for i in range(network.n_label_heads))


@overload
def label_attention(nlp: Parser, doc_or_span: Doc) -> List[LabelAttention]:
    """For a Doc, the attention of each sentence."""


@overload
def label_attention(nlp: Parser, doc_or_span: Span) -> LabelAttention:
    """For a Span, the attention of its sentence."""


def label_attention(nlp: Parser, doc_or_span: Union[Doc, Span]) -> Union[List[LabelAttention], LabelAttention]:
    """The label attention in the sentences of a Doc, or in a Span's sentence. It runs the network again.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    doc_or_span (Union[Doc, Span]): A Doc or Span with sentence boundaries; it needs no parse.
    RETURNS (Union[List[LabelAttention], LabelAttention]): One for each sentence of a Doc; one for a Span.
    RAISES (ValueError): The model has no label attention; the pipeline has no parser, or the parser was neither trained
        nor loaded; sentence boundaries are missing, or the Span crosses one.
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
    """Parse, and yield each Doc with the label attention of the same run of the network.

    nlp (Union[Language, LALParser]): As for `label_attention`; the component alone takes Docs only.
    docs (Iterable[Union[str, Doc]]): As `nlp.pipe` takes them.
    batch_size (int): Docs parsed at once.
    YIELDS (Tuple[Doc, List[LabelAttention]]): The parsed Doc and the attention of each of its sentences. A long
        sentence that is parsed in pieces has one for each piece.
    RAISES (ValueError): The model has no label attention; no parser is found, or it was neither trained nor loaded.
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
    """Within the block, the model returns its attention, and the dict holds it by the id of the Doc."""
    found: Dict[int, Tuple[Doc, List[LabelAttention]]] = {}

    def record(docs: List[Doc], read: Sequence[Sentences], scores: List[AnyScores]) -> None:
        remaining = iter(scores)
        for doc, sentences in zip(docs, read, strict=True):
            of_doc = list(islice(remaining, len(sentences)))
            if sum(map(len, sentences)) < sum(map(len, sentence_words(doc))):
                continue  # some sentences are read once more, since they have constraints
            # A Doc with a long sentence is recorded several times: in windows, then in its pieces, which replace them.
            # The words are read at once: a later component may merge tokens.
            found[id(doc)] = (doc, [])
            for i, (words, one) in enumerate(zip(sentences, of_doc, strict=True)):
                weights = cast(ndarray, one.attention)  # not None: head_names has checked the model
                found[id(doc)][1].append(_named(Sentence(parser, doc, i, list(words)), heads, weights))

    with listening(parser.model, record):
        yield found


def _named(sentence: Sentence, heads: Tuple[str, ...], weights: ndarray) -> LabelAttention:
    words = [sentence.doc[i].text for i in sentence.words]
    return LabelAttention(weights, heads, (START, *words, STOP))
