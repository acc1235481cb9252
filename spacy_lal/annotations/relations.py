"""`doc._.relations` says who did what to whom, in English alone.

Relations come from heads with deprels of Universal Dependencies and, where a word has
some, from roles. A passive is turned, conjuncts are relations of their own, relative
words stand for their antecedents, and a verb without a subject takes that of the verb
that controls it."""

from dataclasses import dataclass
from itertools import product
from typing import (
    Any,
    ClassVar,
    Collection,
    Dict,
    Iterator,
    List,
    Optional,
    Tuple,
    Union,
)

from spacy.tokens import Doc, Span, Token

from ..lang.en.treebank import PLACES, TIMES
from ..lang.en.words import NEGATIONS, SAYING
from .clauses import (
    SUBJECTS,
    antecedent,
    child_of,
    is_auxiliary,
    is_passive,
    is_predicate,
    object_of,
    phrase,
    subject_of,
    trimmed,
)
from .confidence import confidences_of
from .predicates import Predicate, get_span_predicates
from .span_groups import check_present

_ARGUMENTS = ("obl", "obl:unmarked", "obl:agent", "advmod", "advcl", "iobj")
_Slot = Optional[Tuple[Token, str]]  # the head of a subject or an object, and its label
_COPULA, _APPOSITION, _POSSESSIVE, _NOMINAL, _VERB = (
    "copula",
    "apposition",
    "possessive",
    "nominal",
    "verb",
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
    arguments (Tuple[Span, ...]): What else is said: further arguments and adjuncts,
        whole.
    attribution (Optional[Span]): Who says so.
    tokens (Tuple[Token, ...]): The words whose heads the relation rests on."""

    subject: Optional[Span]
    predicate: Optional[Span]
    object: Optional[Span]
    kind: str
    arguments: Tuple[Span, ...]
    attribution: Optional[Span]
    tokens: Tuple[Token, ...]
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
        if self.predicate is None or self.kind == _POSSESSIVE:
            return "be" if self.kind == _APPOSITION else "have"
        words = ["not"] * bool(self.negation) + [
            token.lemma_ or token.text for token in self.predicate
        ]
        if (
            self.object is not None
            and self.object.start > self.predicate.end
            and self.object.root.dep_ != "obl:agent"
        ):
            words += [
                child.text.lower()
                for child in self.object.root.lefts
                if child.dep_ == "case"
            ]
        return " ".join(words)

    @property
    def place(self) -> Optional[Span]:
        """Says where: ARGM-LOC; from heads, an adjunct with a named place."""
        return self._first("ARGM-LOC", named=PLACES)

    @property
    def time(self) -> Optional[Span]:
        """Says when: ARGM-TMP; from heads, an adjunct without preposition ("last year")
        or with a named time."""
        return self._first("ARGM-TMP", "obl:unmarked", named=TIMES)

    @property
    def negation(self) -> Optional[Span]:
        """Gives the word that negates it."""
        return self._first("ARGM-NEG", *NEGATIONS)

    @property
    def modality(self) -> Optional[Span]:
        """Gives the modal verb."""
        return self._first("ARGM-MOD", "aux")

    def _first(self, *names: str, named: Collection[str] = ()) -> Optional[Span]:
        for one in self.arguments:
            labels = (
                [token.ent_type_ for token in one]
                if named and one.label_[:3] == "obl"
                else []
            )
            if (
                one.label_ in names
                or one.text.lower() in names
                or any(label in named for label in labels)
            ):
                return one
        return None

    @property
    def confidence(self) -> float:
        """Tells how probably it is right, `spacy_lal.interpret.relation_confidence`;
        computed at each access.
        RAISES (ValueError): The parser is not in this process, or was not
            calibrated."""
        return confidences_of(self.sent.doc, "heads").of_relation(self.tokens)

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
            **spans,
            "arguments": [*map(_as_dict, self.arguments)],
        }

    def __str__(self) -> str:
        return (
            f"({self.subject or '-'}; {self.predicate or self.label}; "
            f"{self.object or '-'})"
        )


def _as_dict(span: Optional[Span]) -> Optional[Dict[str, Any]]:
    names = ("text", "start", "end", "start_char", "end_char")
    return (
        None
        if span is None
        else {**{name: getattr(span, name) for name in names}, "label": span.label_}
    )


def get_relations(item: Union[Doc, Span]) -> List[Relation]:
    """Give the relations of a Doc or Span, in the order of their predicates:
    `Relation(subject, predicate, object,
    ...)`, from roles where there are some, else from heads. A Doc without heads has
    none.
    RAISES (StaleParseError): As `doc._.predicates`."""
    span = item[:] if isinstance(item, Doc) else item
    check_present(span)
    roles = (
        {one.token.i: one for one in get_span_predicates(span)}
        if span.doc.has_annotation("DEP")
        else None
    )
    return (
        [one for token in span for one in _of_token(token, roles.get(token.i))]
        if roles is not None
        else []
    )


def _of_token(token: Token, roles: Optional[Predicate]) -> Iterator[Relation]:
    """Find the relations whose predicate is a word; at an apposition or possessor those
    of its noun."""
    head, is_verb = (
        token.head,
        child_of(token, "cop") is None or (roles is not None and token.pos_ == "VERB"),
    )
    if roles is not None and roles.is_auxiliary:
        return
    if token.dep_ == "cop" or (is_verb and is_predicate(token)):
        yield from _of_verb(token, roles)
    elif roles is not None and not is_auxiliary(token):
        subject, thing, others = _of_roles(roles, None, None, is_active=True)
        if subject and thing:
            yield from _distributed(_NOMINAL, token, roles.span, subject, thing, others)
    if token.dep_ == "appos" and "NUM" not in (token.pos_, head.pos_):
        yield from _distributed(
            _APPOSITION, token, None, (head, "head"), (token, "appos")
        )
    elif token.dep_ == "nmod:poss":
        mark = child_of(token, "case")
        predicate = None if mark is None else token.doc[mark.i : mark.i + 1]
        yield from _distributed(
            _POSSESSIVE,
            token,
            predicate,
            (antecedent(token), "nmod:poss"),
            (head, "head"),
        )


def _of_verb(token: Token, roles: Optional[Predicate]) -> Iterator[Relation]:
    """Find those of a verb or a copula."""
    clause = token.head if token.dep_ == "cop" else token
    is_active = clause is not token or not is_passive(token)
    agent = child_of(token, "obl:agent") if roles is None else None
    done = (
        clause
        if clause is not token
        else object_of(token, with_prepositions=roles is None)
        if is_active
        else agent
    )
    is_inner = child_of(clause, *SUBJECTS[4:]) and token != child_of(
        clause, "cop"
    )  # "is late" of "All is he is late"
    doer = (
        antecedent(child_of(clause, *SUBJECTS[:4]) or clause)
        if is_inner
        else subject_of(clause)
    )
    subject: _Slot = None if doer is None else (doer, "nsubj")
    thing: _Slot = None if done is None else (antecedent(done), done.dep_)
    subject, thing = (subject, thing) if is_active else (thing, subject)
    if roles is not None:
        predicate = roles.span
        subject, thing, others = _of_roles(roles, subject, thing, is_active=is_active)
    else:
        particle = child_of(token, "compound:prt")
        predicate = token.doc[
            token.i : token.i + 1 + (particle is not None and particle.i == token.i + 1)
        ]
        found = (x for x in clause.children if x.dep_ in _ARGUMENTS or x.tag_ == "MD")
        found = (
            x for x in found if x not in (subject and subject[0], thing and thing[0])
        )
        others = tuple(
            trimmed(x, x.left_edge.i, x.right_edge.i + 1, x.dep_) for x in found
        )
    others += tuple(
        token.doc[x.i : x.i + 1] for x in clause.lefts if x.lower_ in ("neither", "nor")
    )
    if subject or thing:
        kind = _COPULA if clause is not token or token.lemma_ == "be" else _VERB
        yield from _distributed(kind, token, predicate, subject, thing, others)


def _of_roles(
    predicate: Predicate, subject: _Slot, thing: _Slot, *, is_active: bool
) -> Tuple[_Slot, _Slot, Tuple[Span, ...]]:
    """Find subject, object and other arguments by roles; without a role, those of heads
    stay."""
    token, first = predicate.token, None
    core = sorted(
        (one for one in predicate.arguments if one.is_core), key=lambda one: one.role
    )
    for one in core:
        start, end = one.joined.start, one.joined.end
        is_before = (
            start <= subject[0].i < end
            if subject
            else end <= token.i or token.pos_ not in ("VERB", "AUX")
        )
        if first is None and (one.role == "ARG0" or (is_active and is_before)):
            first = one
    second = next((one for one in core if one is not first), None)
    others = (
        x.span
        for x in predicate.arguments
        if x not in (first, second) and x.role[:2] != "R-"
    )
    subject = subject if first is None else (antecedent(first.root), first.role)
    return (
        subject,
        thing if second is None else (antecedent(second.root), second.role),
        tuple(others),
    )


def _distributed(
    kind: str,
    token: Token,
    predicate: Optional[Span],
    subject: _Slot,
    thing: _Slot,
    others: Tuple[Span, ...] = (),
) -> Iterator[Relation]:
    """Make a relation for each pair of conjuncts of the subject and the object."""
    has_outer, said_by = (
        subject is not None and subject[0].dep_ in SUBJECTS[4:],
        _attribution(token),
    )
    start, is_clause = (
        token.right_edge.i + 1 if kind == _POSSESSIVE or has_outer else 0,
        kind != _COPULA or has_outer,
    )
    for one, other in product(
        _spans_of(subject, token), _spans_of(thing, token, start, is_clause)
    ):
        tokens = (token, *(span.root for span in (one, other) if span is not None))
        yield Relation(one, predicate, other, kind, others, said_by, tokens)


def _spans_of(
    slot: _Slot, verb: Token, start: int = 0, is_clause: bool = True
) -> List[Optional[Span]]:
    """Give the phrases of a slot's head and of its conjuncts, up to the verb's own
    clause."""
    if slot is None:
        return [None]
    head, label = slot
    end = verb.left_edge.i if verb.left_edge.i > head.i else len(head.doc)
    inner = (
        x
        for x in conjuncts(head)
        if x.i < end and not (start and child_of(x, "nmod:poss", "det"))
    )
    heads = (
        x for x in inner if not is_predicate(x) or (is_clause and is_predicate(head))
    )
    return [phrase(x, start, end, label, is_clause=is_clause) for x in (head, *heads)]


def conjuncts(head: Token) -> List[Token]:
    """Give the words that are coordinated with a word before them."""
    return [
        x
        for child in head.rights
        if child.dep_ == "conj"
        for x in (child, *conjuncts(child))
    ]


def _attribution(token: Token) -> Optional[Span]:
    """Tell who says it: the subject of a verb of saying above, or the noun after
    "according to"."""
    token = token.head if token.dep_ == "cop" else token
    while True:
        source = next(
            (
                x
                for x in token.children
                if x.dep_ == "obl" and x.left_edge.lower_ == "according"
            ),
            None,
        )
        head, is_said = (
            token.head,
            token.dep_ in ("ccomp", "parataxis") and token.head.lemma_ in SAYING,
        )
        if source is None and is_said and not is_passive(head):
            source = subject_of(head)
            if source is None or any(
                child.lemma_.lower() in NEGATIONS for child in head.children
            ):
                return None
        if source is not None:
            return phrase(source)
        if head.i == token.i or (token.dep_ == "parataxis" and token.lemma_ in SAYING):
            return None
        token = head
