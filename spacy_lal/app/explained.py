"""The contents of the page: the sentences of a text, and a report on any span of their words.

Everything is computed on first use and kept. *Not* here: Streamlit and the format of numbers.
"""

from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, TypeVar

from spacy.language import Language
from spacy.tokens import Span

from ..display.markup import escape, printable_json
from ..export import SCHEMA_VERSION, Sentence, read_sentences, sentence_record, sentence_to_conllu
from ..interpret import (
    Contributions,
    SpanMarginals,
    arc_margins,
    best_labels,
    constituent_margins,
    contributions,
    span_marginals,
)
from ..interpret.sentences import find_parser
from ..render import draw, render
from ..trees import SUB_HEAD_LABEL, write_brackets
from .clickable_tree import clickable_tree
from .permalink import MAX_TEXT
from .predicates import ExplainedPredicate, explain_predicates

MAX_EXPLAINED = 150  # words; margins and marginals of longer sentences take minutes
N_ALTERNATIVES = 5

T = TypeVar("T")


class Constituent(NamedTuple):
    """A constituent of a sentence: the half-open span of its words, counted from 0, and its unary chain ("S::VP")."""

    start: int
    end: int
    label: str


class Alternative(NamedTuple):
    """A possible label of a span ("" for none), its score, and its probability; see `SpanMarginals`."""

    label: str
    score: float
    probability: float


class OuterArc(NamedTuple):
    """An arc into a span: the word inside, its deprel, the head outside ("" for the root), and the margin."""

    word: str
    deprel: str
    head: str
    margin: Optional[float]


@dataclass(frozen=True)
class SpanReport:
    """The parser's scores and probabilities for a span of words.

    text (str): Its text, on one line.
    label (str): Its unary chain; "" if it is no constituent of the parse.
    margin (Optional[float]): The margin of this constituent; None without one.
    probability (Optional[float]): The probability that the span is a constituent, with any label.
    alternatives (List[Alternative]): Its best labels, best first.
    parts (Optional[Contributions]): The parts of the score of its label, or of its best label if it is no constituent.
    arcs (List[OuterArc]): Its words with heads outside. A constituent usually has one: its lexical head.
    notes (List[str]): Reasons for missing information; plain text.
    """

    text: str
    label: str
    margin: Optional[float]
    probability: Optional[float]
    alternatives: List[Alternative]
    parts: Optional[Contributions]
    arcs: List[OuterArc]
    notes: List[str]


class Explainer:
    """A pipeline that the readers of a page share. A lock serves one at a time: parsing and explaining are not
    thread-safe.

    nlp (Language): A pipeline with one `lal_parser`.
    RAISES (ValueError): The pipeline has no parser, or several; the parser was neither trained nor loaded.
    """

    def __init__(self, nlp: Language) -> None:
        find_parser(nlp)
        self.nlp = nlp
        self.lock = RLock()

    @property
    def name(self) -> str:
        """The pipeline's name and version."""
        meta = self.nlp.meta
        return f"{meta['lang']}_{meta['name']} {meta['version']}"

    def explain(self, text: str) -> List["ExplainedSentence"]:
        """Parse a text.

        RETURNS (List[ExplainedSentence]): Its sentences, except sentences of whitespace alone.
        RAISES (ValueError): The text is longer than MAX_TEXT; the pipeline sets no sentence boundaries.
        """
        if len(text) > MAX_TEXT:
            raise ValueError(f"expected a text of at most {MAX_TEXT} characters, got {len(text)}")
        with self.lock:
            return [ExplainedSentence(self, sentence) for sentence in read_sentences(self.nlp(text))]


class ExplainedSentence:
    """A parsed sentence of at least one word, with pictures and reports.

    explainer (Explainer): The pipeline that parsed it. sentence (Sentence): The sentence.
    """

    def __init__(self, explainer: Explainer, sentence: Sentence) -> None:
        self._explainer = explainer
        self._sentence = sentence
        self._kept: Dict[Any, Any] = {}
        self.words: Tuple[str, ...] = tuple(token.text for token in sentence.tokens)
        self.constituents = [Constituent(*constituent) for constituent in sentence.constituents or []]

    @property
    def text(self) -> str:
        """The sentence on one line."""
        return " ".join(self._sentence.text.split())

    @property
    def is_rtl(self) -> bool:
        """Whether it is written from right to left."""
        return bool(self._sentence.tokens[0].vocab.writing_system.get("direction") == "rtl")

    @cached_property
    def brackets(self) -> str:
        """The tree in brackets; without a tree, the reason."""
        return self._or_reason(lambda: write_brackets(self._sentence.tree()))

    @cached_property
    def conllu(self) -> str:
        """The sentence as CoNLL-U."""
        return self._or_reason(lambda: sentence_to_conllu(self._sentence, 0))

    @cached_property
    def files(self) -> List[Tuple[str, str, str]]:
        """The sentence as files: the name of the format, the ending, and the content; formats whose annotation is
        missing are left out."""
        style = "parse" if self._sentence.constituents is not None and self._sentence.heads is not None else "dep"
        style = style if self._sentence.heads is not None else "tree"
        record = {"schema": SCHEMA_VERSION, **sentence_record(self._sentence)}
        span = self._span(0, len(self.words))
        made: List[Tuple[str, str, Callable[[], str]]] = [
            ("SVG", "svg", lambda: render(span, style=style, format="svg") or ""),
            ("brackets", "ptb", lambda: write_brackets(self._sentence.tree()) + "\n"),
            ("CoNLL-U", "conllu", lambda: sentence_to_conllu(self._sentence, 0)),
            ("JSON", "json", lambda: printable_json(record, indent=1) + "\n"),
        ]
        contents = [(name, suffix, self._try(make)[0]) for name, suffix, make in made]
        return [(name, suffix, content) for name, suffix, content in contents if content is not None]

    def span_text(self, start: int, end: int) -> str:
        """The text of a half-open span of words, on one line."""
        return " ".join(self._span(start, end).text.split())

    def picture(self, style: str) -> str:
        """A picture, as `render` draws it; if it can't be drawn, the reason.

        style (str): As for `render`.
        RETURNS (str): Markup.
        """
        return self._keep(
            ("picture", style),
            lambda: self._or_reason(lambda: self._draw(style), lambda reason: f"<p>{escape(reason)}</p>"),
        )

    @cached_property
    def predicates(self) -> List[ExplainedPredicate]:
        """Its predicates, if the Doc has semantic roles, else none."""
        return explain_predicates(self._span(0, len(self.words)), self._sentence.tokens)

    def tree(self, chosen: Tuple[int, int], predicate: Optional[int] = None) -> str:
        """The tree with clickable nodes; see `clickable_tree`.

        chosen (Tuple[int, int]): The highlighted span of words.
        predicate (Optional[int]): Its place in `predicates`, whose arguments are marked; None marks nothing.
        RETURNS (str): Markup.
        """
        picture = self.picture("tree")
        if self._sentence.constituents is None or "<svg" not in picture:
            return picture
        marked = {} if predicate is None else self.predicates[predicate].spans
        return clickable_tree(picture, self._sentence.tree(), chosen, mirrored=self.is_rtl, marked=marked)

    def checked_span(self, value: Any) -> Optional[Tuple[int, int]]:
        """The half-open span of words that a browser sent; None if the value is no such span."""
        if not (isinstance(value, (list, tuple)) and len(value) == 2 and all(type(one) is int for one in value)):
            return None
        start, end = value
        return (start, end) if 0 <= start < end <= len(self.words) else None

    def report(self, start: int, end: int) -> SpanReport:
        """The report on a span of words.

        start, end (int): The span, half-open, counted from 0.
        RAISES (ValueError): The span is empty or exceeds the sentence.
        """
        if self.checked_span((start, end)) is None:
            raise ValueError(f"expected a span of words within 0:{len(self.words)}, got {start}:{end}")
        return self._keep(("report", start, end), lambda: self._report(start, end))

    def _report(self, start: int, end: int) -> SpanReport:
        label = next((one.label for one in self.constituents if one[:2] == (start, end)), "")
        span, notes = self._span(start, end), []
        if len(self.words) > MAX_EXPLAINED:
            notes.append(f"Only sentences of at most {MAX_EXPLAINED} words are explained; this has {len(self.words)}.")
            return SpanReport(
                self.span_text(start, end), label, None, None, [], None, self._outer_arcs(span, {}), notes
            )

        def said(key: str, compute: Callable[[], T]) -> Optional[T]:
            # The result is kept for the sentence, and so is the reason of a failure.
            result, reason = self._keep(key, lambda: self._try(compute))
            if reason and reason not in notes:
                notes.append(reason)
            return result

        nlp, sent = self._explainer.nlp, self._span(0, len(self.words))
        margins = said("margins", lambda: {one[:2]: one.margin for one in constituent_margins(nlp, sent)}) or {}
        arcs = said("arcs", lambda: {one.dependent: one.margin for one in arc_margins(nlp, sent)}) or {}
        marginals = said("marginals", lambda: span_marginals(nlp, sent))
        best = said(f"labels {start} {end}", lambda: best_labels(nlp, span, N_ALTERNATIVES)) or []
        shown = label or next((one.label for one in best if one.label not in ("", SUB_HEAD_LABEL)), "")
        parts = said(f"parts {start} {end}", lambda: contributions(nlp, span, shown)) if shown else None
        return SpanReport(
            text=self.span_text(start, end),
            label=label,
            margin=margins.get((span.start, span.end)),
            probability=None if marginals is None else float(marginals.constituents[start, end]),
            alternatives=[Alternative(*one, _probability(marginals, start, end, one.label)) for one in best],
            parts=parts,
            arcs=self._outer_arcs(span, arcs),
            notes=notes,
        )

    def _outer_arcs(self, span: Span, margins: Dict[int, float]) -> List[OuterArc]:
        if self._sentence.heads is None:
            return []
        found = []
        for token, head in zip(self._sentence.tokens, self._sentence.heads, strict=True):
            if head is None:
                continue
            governor = self._sentence.tokens[head - 1] if head else None
            if span.start <= token.i < span.end and not (governor and span.start <= governor.i < span.end):
                text = governor.text if governor else ""
                found.append(OuterArc(token.text, token.dep_, text, margins.get(token.i)))
        return found

    def _span(self, start: int, end: int) -> Span:
        tokens = self._sentence.tokens
        return tokens[0].doc[tokens[start].i : tokens[end - 1].i + 1]

    def _draw(self, style: str) -> str:
        (picture,) = draw(self._span(0, len(self.words)), style, {}, self._explainer.nlp)
        return picture

    def _keep(self, key: Any, compute: Callable[[], T]) -> T:
        with self._explainer.lock:
            if key not in self._kept:
                self._kept[key] = compute()
            return self._kept[key]

    def _try(self, compute: Callable[[], T]) -> Tuple[Optional[T], str]:
        try:
            return compute(), ""
        except ValueError as err:  # no such part in this model
            return None, str(err)

    def _or_reason(self, compute: Callable[[], str], show: Callable[[str], str] = str) -> str:
        result, reason = self._try(compute)
        return show(reason) if result is None else result


def _probability(marginals: Optional[SpanMarginals], start: int, end: int, label: str) -> float:
    if marginals is None:
        return float("nan")
    return float(marginals.probabilities[start, end, marginals.labels.index(label)])
