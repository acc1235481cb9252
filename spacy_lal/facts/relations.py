"""`doc._.relations` says who did what to whom.

Relations come from heads with deprels of Universal Dependencies and, where a word has
some, from roles. A passive is turned round. Each conjunct has a relation of its own.
Relative words stand for their antecedents. A verb without a subject takes the subject
of the verb that controls it."""

from dataclasses import replace
from itertools import product
from typing import (
    Dict,
    Iterator,
    List,
    Optional,
    Sequence,
    Tuple,
)

from spacy.tokens import Span

from ..lang.clause_words import FACT, NEGATIVE, OPEN, POSITIVE
from ..trees.roles import (
    PREDICATE_ROLE,
    JoinedArgument,
    Proposition,
    is_core,
    join_parts,
    predicate_span,
)
from .grammar import (
    INNER_SUBJECTS,
    OUTER_SUBJECTS,
    SUBJECTS,
    antecedent,
    child_above,
    clause_of,
    conjuncts,
    is_contrast,
    is_denied_noun,
    is_goal,
    is_passive,
    is_relative_word,
    is_stranded,
    is_time,
    named,
    object_of,
    phrase,
    trimmed,
)
from .questions import is_disjunct
from .relation import (
    APPOSITION,
    COPULA,
    NEGATION,
    NOMINAL,
    POSSESSIVE,
    PRESUPPOSED,
    VERB,
    Relation,
)
from .sentence import Context, Sentence, Word

_ARGUMENTS = ("obl", "obl:unmarked", "obl:agent", "advmod", "advcl", "iobj")
_REFERENCE = "R-"
_Slot = Optional[Tuple[Word, str]]  # the head of a subject or an object, and its label


def relations_of(sentence: Sentence) -> List[Relation]:
    """Give the relations of a sentence, in the order of their predicates."""
    return [one for word in sentence.words for one in _of_word(word)]


def _of_word(word: Word) -> Iterator[Relation]:
    """Find the relations whose predicate is a word. An apposition and a possessor have
    one with their noun."""
    roles = word.sentence.roles.get(word.i)
    if word.dep == "cop":
        yield from _of_verb(word, roles)
    elif word.is_predicate and not (
        word.child("cop") and (word.pos != "VERB" or not roles)
    ):
        yield from _of_verb(word, roles)
    elif roles and not word.is_auxiliary:
        subject, thing, others = _of_roles(word, roles, None, None, is_active=True)
        if subject and thing:
            predicate = _predicate_span(word, roles)
            yield from _distributed(NOMINAL, word, predicate, subject, thing, others)
    noun = (word.head, "head")
    is_same = word.dep == "appos" and not is_denied_noun(word)
    if is_same and "NUM" not in (word.pos, word.head.pos):
        yield from _distributed(APPOSITION, word, None, noun, (word, "appos"))
    elif word.dep == "nmod:poss" and not is_time(word) and not _is_idiom(word):
        mark = word.child("case")
        predicate = word.sentence.span_of(mark.i, mark.i + 1) if mark else None
        owner = (antecedent(word), "nmod:poss")
        yield from _distributed(POSSESSIVE, word, predicate, owner, noun)


def _is_idiom(owner: Word) -> bool:
    return owner.head.lemma in owner.lang.idle


def _of_verb(word: Word, roles: Optional[Proposition]) -> Iterator[Relation]:
    """Find the relations of a verb or a copula."""
    clause = clause_of(word)
    is_copula = clause is not word
    is_active = is_copula or not is_passive(word)
    subject = _doer(word, clause)
    thing = _done(word, clause, is_active=is_active, has_roles=roles is not None)
    if not is_active:
        subject, thing = thing, subject
    if roles is not None:
        predicate = _predicate_span(word, roles)
        subject, thing, others = _of_roles(
            word, roles, subject, thing, is_active=is_active
        )
    else:
        particle = word.child("compound:prt")
        is_next = particle is not None and particle.i == word.i + 1
        predicate = word.sentence.span_of(word.i, word.i + 1 + is_next)
        heads = [slot[0] for slot in (subject, thing) if slot]
        others = tuple(
            trimmed(x, x.first, x.last + 1, x.dep)
            for x in clause.children
            if (x.dep in _ARGUMENTS or x.tag == word.lang.tags.modal) and x not in heads
        )
    if subject or thing:
        kind = COPULA if is_copula or word.lemma == word.lang.copula else VERB
        yield from _distributed(kind, word, predicate, subject, thing, others)


def _predicate_span(word: Word, roles: Proposition) -> Span:
    start, end = predicate_span(roles.args)
    sentence = word.sentence
    label = PREDICATE_ROLE
    return sentence.span_of(start, end, label)


def _doer(word: Word, clause: Word) -> _Slot:
    """Give the grammatical subject of a verb or a copula."""
    outer = clause.child(*OUTER_SUBJECTS)
    copula = clause.child("cop")
    if outer and word is not copula:
        # "is late" of "All is he is late"
        inner = clause.child(*INNER_SUBJECTS) or (clause if copula else outer)
        return antecedent(inner), "nsubj"
    return (clause.subject, "nsubj") if clause.subject else None


def _done(word: Word, clause: Word, *, is_active: bool, has_roles: bool) -> _Slot:
    """Give the object of an active verb, the agent of a passive one, or the word that a
    copula joins to its subject. With roles, those decide about agents and
    prepositions."""
    if clause is not word:
        return antecedent(clause), clause.dep
    if is_active:
        done = object_of(word, with_prepositions=not has_roles)
    else:
        done = None if has_roles else word.child("obl:agent")
    return (antecedent(done), done.dep) if done else None


def _of_roles(
    word: Word, roles: Proposition, subject: _Slot, thing: _Slot, *, is_active: bool
) -> Tuple[_Slot, _Slot, Tuple[Span, ...]]:
    """Find subject, object and other arguments by roles. The heads' subject and object
    stay where no role names one. A goal of motion is no object."""
    sentence = word.sentence
    arguments = [x for x in join_parts(roles.args) if x.role != PREDICATE_ROLE]
    roots = {x.role: sentence.root_of(*x.parts[0]) for x in arguments}
    core = []
    for one in arguments:
        root = roots[one.role]
        is_place = root.dep == "advmod" or is_goal(root) or is_stranded(root)
        if is_core(one.role) and not is_place:
            core.append(one)
    core.sort(key=_role_of)
    first = None
    for one in core:
        is_before = one.end <= word.i or word.pos not in ("VERB", "AUX")
        if subject:
            is_before = one.start <= subject[0].i < one.end
        if not first and (one.role == "ARG0" or (is_active and is_before)):
            first = one
    second = next((one for one in core if one is not first), None)
    others = tuple(
        sentence.span_of(one.start, one.end, one.role)
        for one in arguments
        if one not in (first, second) and one.role[:2] != _REFERENCE
    )
    if first:
        subject = (antecedent(_owned(first, roots)), first.role)
    if second:
        root = _owned(second, roots)
        is_subject = subject is not None and root is subject[0]  # "whose son died"
        thing = None if is_subject else (antecedent(root), second.role)
    return subject, thing, others


def _role_of(argument: JoinedArgument) -> str:
    return argument.role


def _owned(argument: JoinedArgument, roots: Dict[str, Word]) -> Word:
    """Give the head of an argument, or of "whose son", which stands for itself, not for
    its antecedent."""
    root = roots.get(_REFERENCE + argument.role)
    return root if root and not is_relative_word(root) else roots[argument.role]


def _distributed(
    kind: str,
    word: Word,
    predicate: Optional[Span],
    subject: _Slot,
    thing: _Slot,
    others: Tuple[Span, ...] = (),
) -> Iterator[Relation]:
    """Make a relation for each pair of conjuncts of the subject and the object."""
    clause = clause_of(word)
    has_outer = subject is not None and subject[0].dep in OUTER_SUBJECTS
    has_outer = has_outer and clause.child("cop") is not None
    start = 0
    if kind == POSSESSIVE or has_outer:
        start = word.last + 1
    is_clause = kind != COPULA or has_outer
    context = _presupposed(word.head) if kind in PRESUPPOSED else clause.context
    source = context.source
    speaker = None
    if source:
        is_above = source is clause or clause.is_below(source)
        end = source.i + 1 if is_above else None
        speaker = phrase(source, 0, end, is_clause=False)
    subjects = _fillers(subject, word)
    things = _fillers(thing, word, start, is_clause=is_clause)
    start = word.sentence.span.start
    doc = word.sentence.span.doc
    for pair in product(subjects, things):
        heads = [end[0] for end in pair if end]
        stated, denial = _stated_of(heads, clause, kind, context)
        yield Relation(
            subject=pair[0] and pair[0][1],
            predicate=predicate,
            object=pair[1] and pair[1][1],
            kind=kind,
            arguments=_with_denial(others, denial),
            attribution=speaker,
            polarity=stated.polarity,
            certainty=stated.certainty,
            factuality=stated.factuality,
            tokens=tuple(doc[start + x.i] for x in (word, *heads)),
            word=word,
        )


def _presupposed(noun: Word) -> Context:
    """Give the context of what a noun phrase takes for granted: nobody denies or
    reports it, but it is open below what is wished, planned, failed or done without."""
    context = noun.context
    top = noun
    while top.dep in ("nmod", "conj", "nmod:poss", "appos", "compound"):
        top = top.head
    is_open = context.certainty == OPEN
    clause = top
    while not clause.is_predicate and clause.head is not clause:
        clause = clause.head
    is_undone = clause.outer.polarity == NEGATIVE
    is_undone = is_undone or (
        context.polarity == NEGATIVE and _is_unowned(noun, clause)
    )
    is_kept = top.dep in SUBJECTS and top.denial is None
    certainty = OPEN if (is_open or is_undone) and not is_kept else FACT
    return Context(POSITIVE, certainty, context.source)


def _is_unowned(noun: Word, clause: Word) -> bool:
    """Tell whether a denial leaves open that there is a thing: "without", "their first
    title"."""
    lang = noun.lang
    denial = clause.denial
    is_replaced = denial is not None and denial.lower in lang.replacing
    is_counted = any(x.lower in lang.inclusive for x in noun.children)
    return is_replaced or is_counted or noun.word(lang.replacing, "case") is not None


def said_of(relation: Relation, noun: Word) -> Relation:
    """Give a relation as it is said of one of the nouns after a preposition: "in Paris,
    not in London"."""
    clause = clause_of(relation.word)
    context = clause.context
    stated, denial = _stated_of([noun], clause, relation.kind, context)
    return replace(
        relation,
        polarity=stated.polarity,
        certainty=stated.certainty,
        factuality=stated.factuality,
        arguments=_with_denial(relation.arguments, denial),
    )


def _with_denial(arguments: Sequence[Span], denial: Optional[Word]) -> Tuple[Span, ...]:
    """Give arguments with the word that denies, if there is one, and no other."""
    label = (
        [denial.sentence.span_of(denial.i, denial.i + 1, NEGATION)] if denial else []
    )
    places = {(span.start, span.end) for span in label}
    kept = [
        span
        for span in arguments
        if span.label_ != NEGATION and (span.start, span.end) not in places
    ]
    return (*kept, *label)


def _stated_of(
    heads: Sequence[Word], clause: Word, kind: str, context: Context
) -> Tuple[Context, Optional[Word]]:
    """Give the context of one pair of conjuncts, and the word that denies it. "but Tom"
    holds where another is denied; "or Tom" and "perhaps Tom" are open."""
    if kind in PRESUPPOSED:
        return context, None
    nouns = [x for x in heads if not x.is_predicate]
    denials = [x.denial for x in nouns if x.denial]
    if denials:
        return context._replace(polarity=NEGATIVE), denials[0]
    if context.polarity == NEGATIVE and any(map(is_contrast, nouns)):
        return context._replace(polarity=POSITIVE), None
    doubting = clause.lang.doubting
    for noun in nouns:
        is_open = noun.word(doubting, "advmod", "orphan") or is_disjunct(noun)
        if is_open and context.polarity == POSITIVE:
            return context._replace(certainty=OPEN), None
    return context, clause.denial


def _fillers(
    slot: _Slot, verb: Word, start: int = 0, *, is_clause: bool = True
) -> List[Optional[Tuple[Word, Span]]]:
    """Give what fills a slot: the phrases of its head and of the head's conjuncts, up
    to the verb's own clause. A noun stands without the clause that says it, if the verb
    is of a relative clause on this noun."""
    if not slot:
        return [None]
    head, label = slot
    if clause_of(verb).is_below(head):
        is_clause = False
        head = named(head)
    end = len(verb.sentence.words)
    if verb.first > head.i:
        top = child_above(verb, head) if verb.is_below(head) else verb
        end = top.first
    heads = [head]
    for x in conjuncts(head):
        is_other = x.pos in ("PRON", "PROPN") and x.pos != head.pos
        is_own = bool(start) and (is_other or x.child("nmod:poss", "det"))
        is_verb = x.is_predicate and not (is_clause and head.is_predicate)
        if x.i < end and not is_own and not is_verb:
            heads.append(x)
    return [(x, phrase(x, start, end, label, is_clause=is_clause)) for x in heads]
