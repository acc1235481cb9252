"""Relations: who did what to whom, `doc._.relations`. English alone.

They come from roles (`doc.spans["srl"]`) where a word has some, and from heads elsewhere; both need heads, with deprels
of Universal Dependencies. A passive is turned, conjuncts are relations of their own, relative words stand for their
antecedents, and a verb without a subject takes that of the verb that controls it."""

from dataclasses import dataclass
from importlib import import_module
from itertools import product
from typing import Any, ClassVar, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from spacy.tokens import Doc, Span, Token

from ..lang import en
from .clauses import (
    antecedent,
    child_of,
    conjuncts,
    is_passive,
    is_predicate,
    own_subject,
    phrase,
    relative_word,
    shared_object,
    subject_of,
    trimmed,
)
from .parses import check_present
from .predicates import Argument, Predicate, get_predicates, get_span_predicates

_CLAUSES = ("ccomp", "xcomp")
_OBLIQUES = ("obl", "obl:unmarked", "obl:agent", "advmod", "advcl")
_COPULA, _APPOSITION, _POSSESSIVE, _NOMINAL, _VERB = "copula", "apposition", "possessive", "nominal", "verb"


@dataclass(frozen=True)
class Relation:
    """Who did what to whom. All Spans are of the Doc; their labels are roles (ARG0), or deprels where a relation comes
    from heads.
    subject, object (Optional[Span]): A phrase without its preposition, apposition and relative clause; a clause. None
        where none is named.
    predicate (Optional[Span]): A verb with its particle, a copula, a noun, a possessive mark; None where no word says
        it: appositions, possessive pronouns.
    kind (str): "verb", "copula", "nominal", "apposition" or "possessive".
    arguments (Tuple[Span, ...]): What else is said: further arguments and adjuncts, whole.
    attribution (Optional[Span]): Who says so.
    tokens (Tuple[Token, ...]): The words whose heads the relation rests on."""

    subject: Optional[Span]
    predicate: Optional[Span]
    object: Optional[Span]
    kind: str
    arguments: Tuple[Span, ...]
    attribution: Optional[Span]
    tokens: Tuple[Token, ...]
    SPANS: ClassVar = ("subject", "predicate", "object", "place", "time", "negation", "modality", "attribution")

    @property
    def label(self) -> str:
        """A name for an edge of a graph: the predicate's lemma, "not" before it, the object's preposition after it
        ("not depend on"); "be" for an apposition, "have" for a possessive."""
        if self.kind in (_APPOSITION, _POSSESSIVE) or self.predicate is None:
            return "be" if self.kind == _APPOSITION else "have"
        words = ["not"] if self.negation else []
        words += [token.lemma_ or token.text for token in self.predicate]
        before = self.object.start - 1 if self.object is not None else -1
        if before > self.predicate[-1].i and self.object is not None and self.object.root.dep_ != "obl:agent":
            words += [child.text.lower() for child in self.object.root.lefts if child.dep_ == "case"]
        return " ".join(words)

    def _first(self, role: str, *deprels: str) -> Optional[Span]:
        return next((one for one in self.arguments if one.label_ == role or one.label_ in deprels), None)

    @property
    def place(self) -> Optional[Span]:
        """Where: ARGM-LOC; from heads, an adjunct with a named place."""
        return self._first("ARGM-LOC") or self._entity(en.PLACES)

    @property
    def time(self) -> Optional[Span]:
        """When: ARGM-TMP; from heads, an adjunct without preposition ("last year") or with a named time."""
        return self._first("ARGM-TMP", "obl:unmarked") or self._entity(en.TIMES)

    @property
    def negation(self) -> Optional[Span]:
        """The word that negates it."""
        return self._first("ARGM-NEG") or next((x for x in self.arguments if x.text.lower() in en.NEGATIONS), None)

    @property
    def modality(self) -> Optional[Span]:
        """The modal verb."""
        return self._first("ARGM-MOD", "aux")

    def _entity(self, labels: Sequence[str]) -> Optional[Span]:
        adjuncts = (one for one in self.arguments if one.label_.startswith("obl"))
        return next((one for one in adjuncts if any(token.ent_type_ in labels for token in one)), None)

    @property
    def confidence(self) -> float:
        """The probability that it is right, `spacy_lal.interpret.relation_confidence`; computed at each access. RAISES
        (ValueError): The parser is not in this process, or was not calibrated."""
        return ask_parser("relation_confidence", self)

    @property
    def sent(self) -> Span:
        """The sentence."""
        return self.tokens[0].sent

    def to_dict(self) -> Dict[str, Any]:
        """As plain objects, docs/reference/formats.md: Spans with text, tokens, characters and label."""
        spans = {name: _as_dict(getattr(self, name)) for name in self.SPANS}
        return {"kind": self.kind, "label": self.label, **spans, "arguments": [*map(_as_dict, self.arguments)]}

    def __str__(self) -> str:
        return f"({self.subject or '-'}; {self.predicate or self.label}; {self.object or '-'})"


def ask_parser(name: str, item: Union[Span, Relation]) -> Any:
    """A confidence of `spacy_lal.interpret`, which stands above this room and is imported when somebody asks."""
    confidence = import_module("spacy_lal.interpret.confidence")
    return getattr(confidence, name)(confidence.parser_of(item.sent.doc), item)


def _as_dict(span: Optional[Span]) -> Optional[Dict[str, Any]]:
    if span is None:
        return None
    ends = {"start": span.start, "end": span.end, "start_char": span.start_char, "end_char": span.end_char}
    return {"text": span.text, **ends, "label": span.label_}


class _Frame(NamedTuple):
    """A predicate before its conjuncts are distributed: heads of subject and object, roles, ranges."""

    predicate: Optional[Span]
    token: Token
    kind: str
    subject: Optional["_Slot"]
    object: Optional["_Slot"]
    arguments: Tuple[Span, ...]


class _Slot(NamedTuple):
    head: Token
    label: str
    start: int
    end: int


def get_relations(item: Union[Doc, Span]) -> List[Relation]:
    """The relations of a Doc or Span, in the order of their predicates: `Relation(subject, predicate, object, ...)`,
    from roles where there are some, else from heads. Empty for a Doc without heads.

    RAISES (StaleParseError): As `doc._.predicates`.
    """
    if not isinstance(item, Doc):
        check_present(item)
    if not item.doc.has_annotation("DEP"):
        return []
    predicates = get_predicates(item) if isinstance(item, Doc) else get_span_predicates(item)
    found = {one.token.i: one for one in predicates}
    frames: List[_Frame] = []
    for token in item:
        if token.i in found:
            frames += _of_roles(found[token.i])
        elif not any(child.dep_ == "cop" and child.i in found for child in token.children):
            frames += _of_heads(token)
        frames += _of_noun(token)
    return [relation for frame in frames for relation in _distributed(frame)]


# From roles


def _of_roles(predicate: Predicate) -> Iterator[_Frame]:
    token, arguments = predicate.token, predicate.arguments
    if predicate.is_auxiliary:
        return
    is_verb = token.pos_ in ("VERB", "AUX") and token.dep_ not in ("amod", "compound")
    core = {one.role: one for one in sorted(arguments, key=lambda one: one.role) if one.is_core}
    passive = is_verb and is_passive(token)
    grammatical = subject_of(token.head if token.dep_ == "cop" else token) if is_verb else None
    subject = core.pop("ARG0", None)
    if subject is None and not passive:
        roles = [role for role, one in core.items() if not is_verb or _is_subject(one, token, grammatical)]
        subject = _pop(core, *roles)
    thing = _pop(core, *core)
    taken = {one.role for one in (subject, thing) if one}
    slots = [_slot_of(one) for one in (subject, thing)]
    if is_verb and grammatical is not None and slots[passive] is None:
        slots[passive] = _slot(grammatical, "nsubj", token)
    if is_verb and not passive and slots[1] is None:
        direct = child_of(token, "obj")
        slots[1] = _slot(antecedent(direct), "obj", token) if direct is not None else None
        if direct is None and (subject is None or subject.role == "ARG0"):
            shared = shared_object(token)
            slots[1] = None if shared is None else _slot(shared, "obj", token)
    others = [one.span for one in arguments if one.role not in taken and not one.role.startswith("R-")]
    kind = _COPULA if is_verb and token.lemma_ == "be" else _VERB if is_verb else _NOMINAL
    if slots.count(None) < (2 if is_verb else 1):
        yield _Frame(predicate.span, token, kind, slots[0], slots[1], tuple(others))


def _is_subject(argument: Argument, token: Token, grammatical: Optional[Token]) -> bool:
    """Whether an argument of an active verb has its subject; without a known subject, whether it precedes the verb."""
    start, end = argument.joined.start, argument.joined.end
    return start <= grammatical.i < end if grammatical is not None else end <= token.i


def _pop(core: Dict[str, Argument], *roles: str) -> Optional[Argument]:
    return next((core.pop(role) for role in roles if role in core), None)


def _slot_of(argument: Optional[Argument]) -> Optional[_Slot]:
    if argument is None:
        return None
    noun = antecedent(argument.root)
    if noun.i != argument.root.i:
        return _slot(noun, argument.role, argument.predicate.token)
    return _Slot(noun, argument.role, *argument.joined.parts[0])


def _slot(head: Token, label: str, verb: Token) -> _Slot:
    """A slot of a verb; a conjunct of an antecedent that follows the relative clause is none of its own."""
    clauses = (one for one in head.rights if one.dep_[:3] == "acl" and one.left_edge.i <= verb.i <= one.right_edge.i)
    return _Slot(head, label, 0, next((one.left_edge.i for one in clauses), len(head.doc)))


# From heads


def _of_heads(token: Token) -> Iterator[_Frame]:
    if not is_predicate(token):
        return
    copula = child_of(token, "cop")
    passive = copula is None and is_passive(token)
    grammatical = subject_of(token)
    subject = None if grammatical is None else _slot(grammatical, "nsubj", token)
    thing = _object_of(token) if copula is None else _Slot(token, token.dep_, copula.i + 1, len(token.doc))
    if copula is not None and token.i < copula.i:
        thing = _slot(token, token.dep_, token)
    if passive:
        agent = child_of(token, "obl:agent")
        thing, subject = subject, None if agent is None else _slot(agent, "obl:agent", token)
    taken = [slot.head.i for slot in (subject, thing) if slot]
    others = [child for child in token.children if child.dep_ in (*_OBLIQUES, "iobj") or child.tag_ == "MD"]
    spans = [trimmed(x, x.left_edge.i, x.right_edge.i + 1, x.dep_) for x in others if x.i not in taken]
    particle = child_of(token, "compound:prt")
    end = particle.i + 1 if particle is not None and particle.i == token.i + 1 else token.i + 1
    predicate = token.doc[token.i : end] if copula is None else token.doc[copula.i : copula.i + 1]
    if subject is not None or thing is not None:
        kind = _VERB if copula is None else _COPULA
        yield _Frame(predicate, token, kind, subject, thing, tuple(spans))


def _object_of(token: Token) -> Optional[_Slot]:
    """The object of an active verb: a thing, an antecedent, a clause, what a preposition joins."""
    for deprel in ("obj", *_CLAUSES):
        child = child_of(token, deprel)
        if child is not None:
            return _slot(antecedent(child), deprel, token)
    if token.dep_ == "acl:relcl" and token.head.lemma_ not in en.ADVERBIAL_NOUNS and own_subject(token) is not None:
        word = relative_word(token)
        if own_subject(token) != token.head and (word is None or word.dep_ == "obj"):
            return _slot(token.head, "obj", token)
    thing = shared_object(token)
    if thing is None and token.dep_ == "conj" and is_predicate(token.head) and own_subject(token) is None:
        thing = child_of(token.head, "obj")
        thing = thing if thing is not None and thing.i > token.i else None
    thing = thing or next((x for x in token.rights if x.dep_ == "obl" and x.ent_type_ not in en.TIMES), None)
    return None if thing is None else _slot(antecedent(thing), thing.dep_, token)


def _of_noun(token: Token) -> Iterator[_Frame]:
    """Appositions and possessives."""
    if token.dep_ == "appos" and "NUM" not in (token.pos_, token.head.pos_):
        yield _Frame(None, token, _APPOSITION, _slot(token.head, "head", token), _slot(token, "appos", token), ())
    elif token.dep_ == "nmod:poss":
        mark = child_of(token, "case")
        predicate = None if mark is None else token.doc[mark.i : mark.i + 1]
        thing = _Slot(token.head, "head", token.right_edge.i + 1, len(token.doc))
        yield _Frame(predicate, token, _POSSESSIVE, _slot(antecedent(token), "nmod:poss", token), thing, ())


# Relations


def _distributed(frame: _Frame) -> Iterator[Relation]:
    """A relation for each pair of conjuncts of the subject and the object."""
    attribution = _attribution(frame)
    objects = _spans_of(frame.object, is_clause=frame.kind != _COPULA)
    for subject, thing in product(_spans_of(frame.subject), objects):
        tokens = (frame.token, *(one.root for one in (subject, thing) if one is not None))
        yield Relation(subject, frame.predicate, thing, frame.kind, frame.arguments, attribution, tokens)


def _spans_of(slot: Optional[_Slot], *, is_clause: bool = True) -> List[Optional[Span]]:
    if slot is None:
        return [None]
    inside = (one for one in conjuncts(slot.head) if slot.start <= one.i < slot.end)
    is_whole = is_clause and is_predicate(slot.head)
    heads = [one for one in inside if one.i == slot.head.i or is_whole or not is_predicate(one)]
    return [phrase(head, slot.start, slot.end, slot.label, is_clause=is_clause) for head in heads or [slot.head]]


def _attribution(frame: _Frame) -> Optional[Span]:
    """Who says it: the subject of a verb of saying above, or the noun after "according to"."""
    token = frame.token.head if frame.token.dep_ == "cop" else frame.token
    while True:
        for child in token.children:
            if child.dep_ == "obl" and any(x.text.lower() == "according" for x in child.lefts):
                return phrase(child)
        head = token.head
        if head.i == token.i:
            return None
        if token.dep_ in ("ccomp", "parataxis") and head.lemma_ in en.SAYING and not is_passive(head):
            said_by = subject_of(head)
            is_negated = any(child.lemma_.lower() in en.NEGATIONS for child in head.children)
            return None if said_by is None or is_negated else phrase(said_by)
        if token.dep_ == "parataxis" and token.lemma_ in en.SAYING:
            return None
        token = head
