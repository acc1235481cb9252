"""`doc._.relations` says who did what to whom.

Relations come from heads with deprels of Universal Dependencies and, where a word has
some, from roles. A passive is turned round. Each conjunct has a relation of its own.
Relative words stand for their antecedents. A verb without a subject takes the subject
of the verb that controls it."""

from dataclasses import dataclass, field, replace
from itertools import product
from typing import (
    Any,
    Callable,
    ClassVar,
    Collection,
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
)

from spacy.tokens import Doc, Span, Token

from ..lang.clause_words import ASSERTED, HYPOTHETICAL, NEGATED, REPORTED
from .factuality import attribution_of, denial_of, factuality_of, is_disjunct
from .grammar import (
    INNER_SUBJECTS,
    OUTER_SUBJECTS,
    antecedent,
    child_above,
    child_of,
    clause_of,
    conjuncts,
    has_child,
    is_auxiliary,
    is_contrast,
    is_denied_noun,
    is_goal,
    is_passive,
    is_predicate,
    is_relative_word,
    is_stranded,
    is_time,
    named,
    object_of,
    phrase,
    subject_of,
    tags_of,
    trimmed,
    word_of,
    words_of,
)

COPULA = "copula"
APPOSITION = "apposition"
POSSESSIVE = "possessive"
NOMINAL = "nominal"
VERB = "verb"
_ARGUMENTS = ("obl", "obl:unmarked", "obl:agent", "advmod", "advcl", "iobj")
NEGATION = "ARGM-NEG"
_Slot = Optional[Tuple[Token, str]]  # the head of a subject or an object, and its label


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
    factuality (str): Whether the text says that it is so: "asserted", "negated",
        "hypothetical" (conditions, questions, wishes, modals) or "reported".
    tokens (Tuple[Token, ...]): The words whose heads the relation rests on: the
        predicate, the heads of subject and object."""

    subject: Optional[Span]
    predicate: Optional[Span]
    object: Optional[Span]
    kind: str
    arguments: Tuple[Span, ...]
    attribution: Optional[Span]
    factuality: str
    tokens: Tuple[Token, ...]
    confidences: Callable[..., Any] = field(default=dict, repr=False, compare=False)
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
        language = words_of(self.tokens[0])
        if self.kind == POSSESSIVE:
            return language.possession
        if self.predicate is None:  # an apposition
            return language.copula
        words = [language.denial] if self.negation else []
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
        return self._first("ARGM-LOC", named=words_of(self.tokens[0]).places)

    @property
    def time(self) -> Optional[Span]:
        """Says when: ARGM-TMP; from heads, an adjunct without preposition ("last year")
        or with a named time."""
        return self._first(
            "ARGM-TMP", "obl:unmarked", named=words_of(self.tokens[0]).times
        )

    @property
    def negation(self) -> Optional[Span]:
        """Gives the word that denies it."""
        return self._first(NEGATION)

    @property
    def modality(self) -> Optional[Span]:
        """Gives the modal verb."""
        return self._first("ARGM-MOD", "aux")

    def _first(self, *names: str, named: Collection[str] = ()) -> Optional[Span]:
        for one in self.arguments:
            is_named = one.label_ in names or one.text.lower() in names
            is_oblique = one.label_.startswith("obl")
            if is_named or (is_oblique and any(x.ent_type_ in named for x in one)):
                return one
        return None

    @property
    def confidence(self) -> float:
        """Tells how probably it is right, `spacy_lal.interpret.relation_confidence`;
        computed at each access.
        RAISES (ValueError): The parser is not in this process, or was not
            calibrated."""
        return self.confidences(self.sent.doc, "heads").of_relation(self.tokens)

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


def relations_of(
    span: Span, predicates: Sequence[Any], confidences: Callable[[Doc, str], Any]
) -> List[Relation]:
    """Give the relations whose predicates lie in a Span, in their order."""
    roles = {one.token.i: one for one in predicates}
    found = (one for x in span for one in _of_token(x, roles.get(x.i)))
    return [replace(one, confidences=confidences) for one in found]


def _of_token(token: Token, roles: Any) -> Iterator[Relation]:
    """Find the relations whose predicate is a word. An apposition and a possessor have
    one with their noun."""
    if roles is not None and roles.is_auxiliary:
        return
    is_role = roles is not None and token.pos_ == "VERB"
    is_verb = is_role or not has_child(token, "cop")
    if token.dep_ == "cop" or (is_verb and is_predicate(token)):
        yield from _of_verb(token, roles)
    elif roles is not None and not is_auxiliary(token):
        subject, thing, others = _of_roles(roles, None, None, is_active=True)
        if subject and thing:
            yield from _distributed(NOMINAL, token, roles.span, subject, thing, others)
    noun = (token.head, "head")
    is_number = "NUM" in (token.pos_, token.head.pos_)
    is_same = token.dep_ == "appos" and not is_denied_noun(token)
    if is_same and not is_number:
        yield from _distributed(APPOSITION, token, None, noun, (token, "appos"))
    elif token.dep_ == "nmod:poss" and not is_time(token):
        mark = child_of(token, "case")
        predicate = token.doc[mark.i : mark.i + 1] if mark else None
        owner = (antecedent(token), "nmod:poss")
        yield from _distributed(POSSESSIVE, token, predicate, owner, noun)


def _of_verb(token: Token, roles: Any) -> Iterator[Relation]:
    """Find the relations of a verb or a copula."""
    clause = clause_of(token)
    is_copula = clause is not token
    is_active = is_copula or not is_passive(token)
    subject = _doer(token, clause)
    thing = _done(token, clause, has_roles=roles is not None)
    if not is_active:
        subject, thing = thing, subject
    if roles is not None:
        predicate = roles.span
        subject, thing, others = _of_roles(roles, subject, thing, is_active=is_active)
    else:
        predicate = with_particle(token)
        heads = {slot[0].i for slot in (subject, thing) if slot}
        others = tuple(_arguments(clause, heads))
    if subject or thing:
        kind = COPULA if is_copula or token.lemma_ == words_of(token).copula else VERB
        yield from _distributed(kind, token, predicate, subject, thing, others)


def _doer(token: Token, clause: Token) -> _Slot:
    """Give the grammatical subject of a verb or a copula."""
    outer = child_of(clause, *OUTER_SUBJECTS)
    copula = child_of(clause, "cop")
    if outer and token != copula:
        # "is late" of "All is he is late"
        inner = child_of(clause, *INNER_SUBJECTS) or (clause if copula else outer)
        return antecedent(inner), "nsubj"
    head = subject_of(clause)
    return (head, "nsubj") if head else None


def _done(token: Token, clause: Token, *, has_roles: bool) -> _Slot:
    """Give the object of an active verb, the agent of a passive one, or the word that a
    copula joins to its subject. With roles, those decide about agents and
    prepositions."""
    if clause is not token:
        return antecedent(clause), clause.dep_
    if not is_passive(token):
        done = object_of(token, with_prepositions=not has_roles)
    else:
        done = None if has_roles else child_of(token, "obl:agent")
    return (antecedent(done), done.dep_) if done else None


def with_particle(token: Token) -> Span:
    """Give a verb with the particle next to it."""
    particle = child_of(token, "compound:prt")
    is_next = particle is not None and particle.i == token.i + 1
    return token.doc[token.i : token.i + 1 + is_next]


def _arguments(clause: Token, heads: Collection[int]) -> Iterator[Span]:
    """Give the arguments and adjuncts of a clause by its heads, but for some."""
    for x in clause.children:
        is_argument = x.dep_ in _ARGUMENTS or x.tag_ == tags_of(x).modal
        if is_argument and x.i not in heads:
            yield trimmed(x, x.left_edge.i, x.right_edge.i + 1, x.dep_)


def _of_roles(
    predicate: Any, subject: _Slot, thing: _Slot, *, is_active: bool
) -> Tuple[_Slot, _Slot, Tuple[Span, ...]]:
    """Find subject, object and other arguments by roles. The heads' subject and object
    stay where no role names one. A goal of motion is no object."""
    token = predicate.token
    core = (
        one
        for one in predicate.arguments
        if one.is_core
        and one.root.dep_ != "advmod"
        and not is_goal(one.root)
        and not is_stranded(one.root)
    )
    ordered = sorted(core, key=lambda one: one.role)
    first = None
    for one in ordered:
        start = one.joined.start
        end = one.joined.end
        is_before = end <= token.i or token.pos_ not in ("VERB", "AUX")
        if subject:
            is_before = start <= subject[0].i < end
        if not first and (one.role == "ARG0" or (is_active and is_before)):
            first = one
    second = next((one for one in ordered if one is not first), None)
    used = (first, second)
    rest = (x for x in predicate.arguments if x not in used and x.role[:2] != "R-")
    others = tuple(x.span for x in rest)
    # "whose son" stands for itself, not for its antecedent
    relative = [x for x in predicate.arguments if x.role[:2] == "R-"]
    owned = {x.role[2:]: x for x in relative if not is_relative_word(x.root)}
    if first:
        root = owned.get(first.role, first).root
        subject = (antecedent(root), first.role)
    if second:
        root = owned.get(second.role, second).root
        is_subject = subject is not None and root == subject[0]  # "whose son died"
        thing = None if is_subject else (antecedent(root), second.role)
    return subject, thing, others


def _distributed(
    kind: str,
    token: Token,
    predicate: Optional[Span],
    subject: _Slot,
    thing: _Slot,
    others: Tuple[Span, ...] = (),
) -> Iterator[Relation]:
    """Make a relation for each pair of conjuncts of the subject and the object."""
    has_outer = subject is not None and subject[0].dep_ in OUTER_SUBJECTS
    has_outer = has_outer and has_child(clause_of(token), "cop")
    said_by = attribution_of(token)
    start = 0
    if kind == POSSESSIVE or has_outer:
        start = token.right_edge.i + 1
    is_clause = kind != COPULA or has_outer
    stated = ASSERTED
    if kind in (VERB, COPULA):
        stated = factuality_of(clause_of(token))
    if said_by and stated == ASSERTED:
        stated = REPORTED
    subjects = _fillers(subject, token)
    things = _fillers(thing, token, start, is_clause=is_clause)
    for pair in product(subjects, things):
        heads = [span.root for span in pair if span]
        factuality, denial = _stated_of(heads, token, stated)
        yield Relation(
            subject=pair[0],
            predicate=predicate,
            object=pair[1],
            kind=kind,
            arguments=_with_denial(others, denial),
            attribution=said_by,
            factuality=factuality,
            tokens=(token, *heads),
        )


def said_of(relation: Relation, noun: Token) -> Relation:
    """Give a relation as it is said of one of the nouns after a preposition: "in Paris,
    not in London"."""
    factuality, denial = _stated_of([noun], relation.tokens[0], relation.factuality)
    arguments = _with_denial(relation.arguments, denial)
    return replace(relation, factuality=factuality, arguments=arguments)


def _with_denial(
    arguments: Sequence[Span], denial: Optional[Token]
) -> Tuple[Span, ...]:
    """Give arguments with the word that denies, if there is one, and no other."""
    kept = tuple(x for x in arguments if x.label_ != NEGATION and x.root != denial)
    if not denial:
        return kept
    return (*kept, Span(denial.doc, denial.i, denial.i + 1, label=NEGATION))


def _stated_of(
    heads: Sequence[Token], token: Token, stated: str
) -> Tuple[str, Optional[Token]]:
    """Tell the factuality of one pair of conjuncts, and the word that denies it. "but
    Tom" holds where another is denied; "or Tom" and "perhaps Tom" are open."""
    nouns = [x for x in heads if not is_predicate(x)]
    denials = list(filter(None, map(denial_of, nouns)))
    if denials:
        return NEGATED, denials[0]
    if stated == NEGATED and any(map(is_contrast, nouns)):
        return ASSERTED, None
    doubting = words_of(token).doubting
    is_open = any(
        is_disjunct(x) or word_of(x, doubting, "advmod", "orphan") for x in nouns
    )
    if is_open and stated == ASSERTED:
        return HYPOTHETICAL, None
    return stated, denial_of(clause_of(token))


def _fillers(
    slot: _Slot, verb: Token, start: int = 0, *, is_clause: bool = True
) -> List[Optional[Span]]:
    """Give what fills a slot: the phrases of its head and of the head's conjuncts, up
    to the verb's own clause. A noun stands without the clause that says it, if the verb
    is of a relative clause on this noun."""
    if not slot:
        return [None]
    head, label = slot
    if head.is_ancestor(clause_of(verb)):
        is_clause = False
        head = named(head)
    end = len(head.doc)
    if verb.left_edge.i > head.i:
        top = child_above(verb, head) if head.is_ancestor(verb) else verb
        end = top.left_edge.i
    heads = [head]
    for x in conjuncts(head):
        is_other = x.pos_ in ("PRON", "PROPN") and x.pos_ != head.pos_
        is_own = bool(start) and (is_other or has_child(x, "nmod:poss", "det"))
        is_verb = is_predicate(x) and not (is_clause and is_predicate(head))
        if x.i < end and not is_own and not is_verb:
            heads.append(x)
    return [phrase(x, start, end, label, is_clause=is_clause) for x in heads]
