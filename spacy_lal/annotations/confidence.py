"""Who answers for the confidences of a parse: the component that wrote it. A component
signs what it writes (`parses.ParserSignature`), and the getters ask the component that
signed."""

from collections.abc import Sequence
from typing import Optional, Protocol

from spacy.tokens import Doc, Span, Token

from .parses import Layer, ParserSignature, get_signatures


class Confidences(Protocol):
    """How probably parts of a parse are right, as the parser that found it says."""

    def of_heads(self, span: Span) -> list[Optional[float]]:
        """The confidence of the head of each token of a Span's sentence."""

    def of_constituent(self, span: Span) -> Optional[float]:
        """The confidence of a constituent; None for a Span that is none."""

    def of_sentence(self, span: Span) -> Optional[float]:
        """The probability that all heads of a Span's sentence are right; None without
        words."""

    def of_relation(self, tokens: Sequence[Token]) -> float:
        """The confidence of a relation that rests on the heads of tokens."""


def confidences_of(doc: Doc, layer: Layer) -> Confidences:
    """Give the confidences of the parser that wrote a layer of a Doc.
    RAISES (ValueError): No parser signed the layer, or the parser is not in this
        process, for instance since the Doc was stored."""
    signature = get_signatures(doc)[layer]
    parser = signature.parser() if isinstance(signature, ParserSignature) else None
    if parser is not None:
        return parser
    reason = f"no lal_parser set the {layer} of this Doc"
    if signature is not None:
        reason = (
            f"'{signature}', which set the {layer} of this Doc, is not at hand: the "
            "Doc was stored, or comes from another process, or the pipeline is gone"
        )
    raise ValueError(
        f"{reason}. Confidence comes from a parser's scores: make the Doc with a "
        "loaded "
        "pipeline, or pass a pipeline to the functions of spacy_lal.interpret, such as "
        "head_confidences(nlp, doc)"
    )
