"""The scores of a sentence, for explanations and confidences: find the parser and the
sentence, run the network. The Doc is not changed. A sentence is read as a whole, with
the vectors that the Doc or the pipeline has for it."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Optional,
    Union,
)

from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..annotations import (
    MAX_LENGTH,
    SPANS_KEY,
    constituents_within,
    parse_of_words,
    read_words,
    sentence_bounds,
)
from ..models import parser as network
from ..models.vectors import listeners, require_vectors
from ..scores import ParserScores
from ..trees import LabelVocab, Parse
from .component import FACTORY, SentencePipe, parser_names

if TYPE_CHECKING:
    from .lal_parser import LALParser

PipelineOrParser = Union[Language, "LALParser"]


class Encoded(NamedTuple):
    """A sentence of n words as the scorers read it.
    fenceposts (ndarray): Features of the gaps between words. Shape: (n + 1,
        fencepost_width), float32.
    attention (Optional[ndarray]): The label attention over START, words, STOP. Shape:
        (n_label_heads, n + 2)."""

    fenceposts: ndarray
    attention: Optional[ndarray]


def find_parser(nlp: PipelineOrParser) -> "LALParser":
    """The `lal_parser` of a pipeline.
    RAISES (ValueError): There is none, or several, or it was not trained."""
    parser: Any = nlp
    got = type(nlp).__name__
    if isinstance(nlp, Language):
        names = parser_names(nlp)
        parser = nlp.get_pipe(names[0]) if len(names) == 1 else None
        got = ", ".join(names or nlp.pipe_names)
    is_parser = isinstance(parser, SentencePipe) and "constituents" in parser.cfg
    if not is_parser or not parser.labels:
        raise ValueError(
            f"expected a pipeline with one {FACTORY}, trained or loaded, or the "
            f"component; got {got}"
        )
    return parser


def check_count(k: Any) -> None:
    """Check k, how many results to give.
    RAISES (ValueError): It is no integer of at least 1."""
    if isinstance(k, bool) or not hasattr(k, "__index__") or k < 1:
        raise ValueError(f"k: expected an integer of at least 1, got {k!r}")


def label_strings(parser: "LALParser") -> list[str]:
    """The parser's labels by id: empty, "<H>", the unary chains.
    RAISES (ValueError): It scores none."""
    labels = parser.label_data["constituents"]
    if not labels:
        raise ValueError(
            f"'{parser.name}' scores no constituents: it was trained on dependencies "
            "alone"
        )
    return LabelVocab(labels).strings


def sentences_of(item: Union[Doc, Span]) -> list[Parse]:
    """The sentences of a Doc, or the sentence of a Span, with the words that a parser
    reads: without white space and marks of notes.
    RAISES (ValueError): Neither a Doc nor a Span; no sentence boundaries, or the Span
        crosses one."""
    if not isinstance(item, (Doc, Span)):
        raise ValueError(f"expected a Doc or a Span, got {type(item).__name__}")
    doc = item.doc
    read = read_words(doc)
    numbers = list(range(len(read)))
    if isinstance(item, Span):
        numbers = [
            number
            for number, (start, end) in enumerate(sentence_bounds(doc))
            if start <= item.start < end and item.end <= end
        ]
        if not numbers:
            raise ValueError(
                f"{span_name(item)} crosses a sentence boundary: expected a part of "
                "one sentence"
            )
    return [parse_of_words(doc, read[number], number) for number in numbers]


def locate(span: Span) -> tuple[Parse, int, int]:
    """A Span's sentence, and the Span in words of it.
    RAISES (ValueError): As `sentences_of`; it has no words."""
    span = span[:] if isinstance(span, Doc) else span
    (sentence,) = sentences_of(span)
    start = bisect_left(sentence.tokens, span.start)
    end = bisect_left(sentence.tokens, span.end)
    if start == end:
        raise ValueError(
            f"{span_name(span)} has no words in it, and is no span of the parser's"
        )
    return sentence, start, end


def span_name(span: Span) -> str:
    """A Span's name in messages."""
    text = span.doc[span.start : span.end].text[:40]
    return f"the Span {text!r} (tokens {span.start}:{span.end})"


def constituents_of(
    parser: "LALParser", sentences: Sequence[Parse]
) -> list[list[tuple[int, int, int]]]:
    """The constituents that the Doc has of some of its sentences, in pre-order: start,
    end, label id, in words.
    RAISES (ValueError): The Doc has no constituents, or labels that the parser does not
        know."""
    if not sentences:
        return []
    doc = sentences[0].doc
    ids = {label: i for i, label in enumerate(label_strings(parser))}
    parts = constituents_within(doc, [sentence.tokens for sentence in sentences])
    unknown = {span.label for spans in parts for span in spans} - set(ids)
    if SPANS_KEY not in doc.spans or unknown:
        got = f"no parse (no doc.spans[{SPANS_KEY!r}])"
        if unknown:
            got = f"labels of another model, {', '.join(sorted(unknown))}"
        raise ValueError(
            f"expected a Doc with a parse of '{parser.name}', got {got}: "
            f"{doc.text[:40]!r}"
        )
    return [
        [(span.start, span.end, ids[span.label]) for span in spans] for spans in parts
    ]


# Running the network


def encode(parser: "LALParser", sentences: Sequence[Parse]) -> list[Encoded]:
    """Run the first half of the network on sentences of one Doc, each with words and in
    a batch of its own.
    RAISES (ValueError): A sentence has more than `MAX_LENGTH` words; no component
        provides the vectors that the model listens to."""
    if not sentences:
        return []
    _check_lengths(parser, sentences)
    doc = _with_vectors(parser, sentences[0].doc)
    numbers = [sentence.number for sentence in sentences]
    encoded = network.encode(parser.model, doc, numbers)
    return [Encoded(*of_sentence) for of_sentence in encoded]


def score(parser: "LALParser", sentence: Parse) -> ParserScores:
    """The scores of all labels of all spans, and of all arcs, of one sentence.
    RAISES (ValueError): As `encode`."""
    _check_lengths(parser, [sentence])
    doc = _with_vectors(parser, sentence.doc)
    words = [[sentence.tokens]]
    ((_, (scores,)),) = parser.iter_scores([doc], pruned=False, sentences=words)
    return scores  # type: ignore[return-value]


def _with_vectors(parser: "LALParser", doc: Doc) -> Doc:
    """The Doc if it has the vectors that the parser listens to, else a copy with
    them."""
    try:
        require_vectors(listeners(parser.model), [doc])
    except ValueError:
        nodes = parser.model.walk()
        upstreams = {getattr(node, "upstream_name", None) for node in nodes}
        doc = doc.copy()
        for name, pipe in parser.nlp.pipeline:
            doc = pipe(doc) if name in upstreams else doc
    return doc


def _check_lengths(parser: "LALParser", sentences: Sequence[Parse]) -> None:
    for sentence in sentences:
        if len(sentence.words) > MAX_LENGTH:
            raise ValueError(
                f"expected a sentence of at most {MAX_LENGTH} words, got "
                f"{len(sentence.words)}: '{parser.name}' reads it in pieces "
                f"({' '.join(sentence.words[:6])} ...)"
            )
