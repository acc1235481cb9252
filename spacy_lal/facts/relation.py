"""A relation, and what can be asked of it."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Collection, Dict, Optional, Tuple

from spacy.tokens import Span, Token

from .score import factuality_score
from .sentence import Word

COPULA = "copula"
APPOSITION = "apposition"
POSSESSIVE = "possessive"
NOMINAL = "nominal"
VERB = "verb"
KINDS = (VERB, COPULA, NOMINAL, APPOSITION, POSSESSIVE)
PRESUPPOSED = (APPOSITION, POSSESSIVE)
NEGATION = "ARGM-NEG"


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
    polarity (str): "+", or "-" for what is denied.
    certainty (str): "fact", "future" (the writer says that it will be) or "open":
        conditions, questions, wishes, possibilities, commands.
    factuality (str): Whether the text says that it is so, by the first that holds:
        "hypothetical" (open), "negated", "future", "reported", "asserted".
    tokens (Tuple[Token, ...]): The words whose heads the relation rests on: the
        predicate, the heads of subject and object."""

    subject: Optional[Span]
    predicate: Optional[Span]
    object: Optional[Span]
    kind: str
    arguments: Tuple[Span, ...]
    attribution: Optional[Span]
    polarity: str
    certainty: str
    factuality: str
    tokens: Tuple[Token, ...]
    word: Word = field(repr=False, compare=False)
    SPANS: ClassVar = (
        "subject",
        "predicate",
        "object",
        "place",
        "time",
        "negation",
        "modality",
        "attribution",
    )

    @property
    def label(self) -> str:
        """Names an edge of a graph: the predicate's lemma, "not" before it, the
        object's preposition after it ("not depend on"); "be" for an apposition, "have"
        for a possessive."""
        lang = self.word.lang
        if self.kind == POSSESSIVE:
            return lang.possession
        if self.predicate is None:  # an apposition
            return lang.copula
        words = [lang.denial] if self.negation else []
        words += [token.lemma_ or token.text for token in self.predicate]
        if self.object is None or self.object.start <= self.predicate.end:
            return " ".join(words)
        head = self.object.root
        if head.dep_ != "obl:agent":
            words += [x.text.lower() for x in head.lefts if x.dep_ == "case"]
        return " ".join(words)

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
        return self._first(NEGATION)

    @property
    def modality(self) -> Optional[Span]:
        """Gives the modal verb."""
        return self._first("ARGM-MOD", "aux")

    def _first(self, *names: str, entities: Collection[str] = ()) -> Optional[Span]:
        for span in self.arguments:
            is_named = span.label_ in names or span.text.lower() in entities
            is_oblique = span.label_.startswith("obl")
            if is_named or (is_oblique and any(x.ent_type_ in entities for x in span)):
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
        if self.kind == POSSESSIVE:
            return self.tokens[1].pos_ != "PRON"
        if self.kind != APPOSITION or not (self.subject and self.object):
            return True
        ends = (*self.subject, *self.object)
        is_named = {x.pos_ for x in ends} == {"PROPN"}
        return not (
            is_named and self.object[0].nbor(-1).text == self.word.lang.tags.comma
        )

    @property
    def joins_things(self) -> bool:
        """Tells whether it has two ends, neither a clause nor a word such as "which"
        nor half of a pair of brackets."""
        first = self.word.sentence.span.start
        heads = [self.word.sentence.words[x.i - first] for x in self.tokens[1:]]
        ends = [span for span in (self.subject, self.object) if span]
        is_whole = all(map(_is_thing, heads)) and all(map(_is_whole, ends))
        return len(ends) == 2 and is_whole

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
        return self.tokens[0].sent

    def to_dict(self) -> Dict[str, Any]:
        """Writes it as plain objects, docs/reference/formats.md: Spans with text,
        tokens, characters and label."""
        spans = {name: _as_dict(getattr(self, name)) for name in self.SPANS}
        return {
            "kind": self.kind,
            "label": self.label,
            "factuality": self.factuality,
            "polarity": self.polarity,
            "certainty": self.certainty,
            **spans,
            "arguments": [*map(_as_dict, self.arguments)],
        }

    def __str__(self) -> str:
        parts = (self.subject, self.predicate or self.label, self.object)
        return f"({'; '.join(str(part or '-') for part in parts)})"


def _as_dict(span: Optional[Span]) -> Optional[Dict[str, Any]]:
    if span is None:
        return None
    names = ("text", "start", "end", "start_char", "end_char")
    return {**{name: getattr(span, name) for name in names}, "label": span.label_}


def _is_thing(word: Word) -> bool:
    """Tell whether a word is no clause and no question word."""
    return word.tag not in word.lang.tags.asking and not (
        word.is_predicate and word.pos in ("VERB", "AUX")
    )


def _is_whole(span: Span) -> bool:
    """Tell whether a Span has both halves of its brackets."""
    text = span.text
    return all(text.count(x) == text.count(y) for x, y in ("()", "[]", "{}"))
