"""A relation, and what can be asked of it."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Optional

from spacy.tokens import Span, Token

from .phrases import joining
from .score import factuality_score
from .sentence import Context, Word

COPULA = "copula"
APPOSITION = "apposition"
POSSESSIVE = "possessive"
NOMINAL = "nominal"
VERB = "verb"
PRESUPPOSED = (APPOSITION, POSSESSIVE)
_FIELDS = ("kind", "label", "factuality", "polarity", "certainty")
_PLACES = ("text", "start", "end", "start_char", "end_char")
_SPANS = (
    "subject",
    "predicate",
    "object",
    "place",
    "time",
    "negation",
    "modality",
    "attribution",
)


@dataclass(frozen=True)
class Relation:
    """It says who did what to whom. All Spans are of the Doc; their labels are roles
    (ARG0), or deprels where a relation comes from heads.

    subject, object (Optional[Span]): A phrase without its preposition, apposition and
        relative clause; a clause. None where none is named.
    predicate (Optional[Span]): A verb with its particle, a copula, a noun, a possessive
        mark; None where no word says it: appositions, possessive pronouns.
    kind (str): "verb", "copula", "nominal", "apposition" or "possessive".
    arguments (Tuple[Span, ...]): Further arguments and adjuncts, whole.
    attribution (Optional[Span]): Who says so.
    tokens (Tuple[Token, ...]): The words whose heads the relation rests on: the
        predicate, the heads of subject and object.
    word (Word): The predicate; of an apposition or a possessive its noun.
    ends (Tuple[Optional[Word], Optional[Word]]): The heads of subject and object.
    denial (Optional[Word]): The word that denies it.
    context (Context): Whether the text says that it is so."""

    subject: Optional[Span]
    predicate: Optional[Span]
    object: Optional[Span]
    kind: str
    arguments: tuple[Span, ...]
    attribution: Optional[Span]
    tokens: tuple[Token, ...]
    word: Word = field(repr=False, compare=False)
    ends: tuple[Optional[Word], Optional[Word]] = field(repr=False, compare=False)
    denial: Optional[Word] = field(repr=False, compare=False)
    context: Context

    @property
    def polarity(self) -> str:
        """Gives "+", or "-" for what is denied."""
        return self.context.polarity

    @property
    def certainty(self) -> str:
        """Gives "fact", "future" (the writer says that it will be) or "open":
        conditions, questions, wishes, possibilities, commands."""
        return self.context.certainty

    @property
    def factuality(self) -> str:
        """Tells whether the text says that it is so, by the first that holds:
        "hypothetical" (open), "negated", "future", "reported", "asserted"."""
        return self.context.factuality

    @property
    def label(self) -> str:
        """Names an edge of a graph: the predicate's lemma, "not" before it, the
        object's preposition after it ("not depend on"); "be" for an apposition, "have"
        for a possessive."""
        lang = self.word.lang
        if self.kind in PRESUPPOSED:
            return lang.possession if self.kind == POSSESSIVE else lang.copula
        words = [lang.denial] if self.denial else []
        words += [token.lemma_ or token.text for token in self.predicate or ()]
        return " ".join([*words, *self.preposition])

    @property
    def preposition(self) -> list[str]:
        """Gives the words that join an object after the predicate: "out", "of"."""
        thing = self.ends[1]
        if self.kind in PRESUPPOSED or not thing or thing.dep == "obl:agent":
            return []
        return [thing.words[i].lower for i in sorted(joining(thing, self.word.clause))]

    @property
    def place(self) -> Optional[Span]:
        """Says where: ARGM-LOC; from heads, an adjunct with a named place."""
        return self._first("ARGM-LOC", entities=self.word.lang.places)

    @property
    def time(self) -> Optional[Span]:
        """Says when: ARGM-TMP; from heads, an adjunct without preposition ("last year")
        or with a named time."""
        times = self.word.lang.times
        return self._first("ARGM-TMP", "obl:unmarked", entities=times)

    @property
    def negation(self) -> Optional[Span]:
        """Gives the word that denies it."""
        denial = self.denial
        return denial.sentence.span_of(denial.i, denial.i + 1) if denial else None

    @property
    def modality(self) -> Optional[Span]:
        """Gives the modal verb."""
        return self._first("ARGM-MOD", "aux")

    def _first(self, *labels: str, entities: Collection[str] = ()) -> Optional[Span]:
        for span in self.arguments:
            is_named = any(x.ent_type_ in entities for x in span)
            if span.label_ in labels or (is_named and span.label_[:3] == "obl"):
                return span
        return None

    @property
    def is_edge(self) -> bool:
        """Tells whether one would keep it in a graph of facts: it is of a kind that one
        keeps, and joins two things. Its factuality is not asked for."""
        return self.is_kept and self.joins_things

    @property
    def is_kept(self) -> bool:
        """Tells whether it is no possession of a pronoun and no "Oslo, Norway"."""
        word = self.word
        if self.kind == POSSESSIVE:
            return word.pos != "PRON"
        is_pair = word.is_aside and word.pos == word.head.pos == "PROPN"
        return self.kind != APPOSITION or not is_pair

    @property
    def joins_things(self) -> bool:
        """Tells whether it has two ends, neither a clause nor a word such as "which"
        nor half of a pair of brackets."""
        text = f"{self.subject} {self.object}"
        is_whole = text.count("(") == text.count(")")
        return is_whole and all(map(_is_thing, self.ends))

    @property
    def factuality_score(self) -> float:
        """Tells how probably people say that it has happened or is happening, from 0 to
        1; computed at each access.
        RAISES (ValueError): The pipeline has no weights of this score."""
        return factuality_score(self.word)

    @property
    def confidence(self) -> float:
        """Tells how probably it is right, `spacy_lal.interpret.relation_confidence`;
        computed at each access.
        RAISES (ValueError): The parser is not in this process, or was not
            calibrated."""
        return self.word.sentence.confidence(self.tokens)

    @property
    def sent(self) -> Span:
        """Gives the sentence."""
        return self.word.sentence.span

    def to_dict(self) -> dict[str, Any]:
        """Writes it as plain objects, docs/reference/formats.md: Spans with text,
        tokens, characters and label."""
        return {
            **{name: getattr(self, name) for name in _FIELDS},
            **{name: _as_dict(getattr(self, name)) for name in _SPANS},
            "arguments": [*map(_as_dict, self.arguments)],
        }

    def __str__(self) -> str:
        said = " ".join([str(self.predicate or self.label), *self.preposition])
        return f"({self.subject or '-'}; {said}; {self.object or '-'})"


def _as_dict(span: Optional[Span]) -> Optional[dict[str, Any]]:
    if span is None:
        return None
    return {**{name: getattr(span, name) for name in _PLACES}, "label": span.label_}


def _is_thing(word: Optional[Word]) -> bool:
    """Tell whether a word is no clause and no question word."""
    if word is None or (word.is_predicate and word.pos in ("VERB", "AUX")):
        return False
    return word.tag not in word.lang.asking
