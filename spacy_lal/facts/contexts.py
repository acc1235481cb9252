"""What a text says of each clause: one pass over a sentence, heads before their
children. The context of the clause above is mapped to the context of the clause below
by the signature of the word between them (Nairn, Condoravdi and Karttunen 2006,
"Computing relative polarity"), and a clause's own words change what it inherits."""

from operator import attrgetter, itemgetter
from typing import Callable, Iterable, Optional, Sequence

from spacy.tokens import Span, Token

from ..lang.clause_words import (
    FACT,
    FUTURE,
    NEGATIVE,
    OPEN,
    POSITIVE,
    ClauseWords,
    Signature,
)
from ..trees.roles import CONTINUATION, PREDICATE_ROLE, REFERENCE, Proposition
from .grammar import (
    OUTER_SUBJECTS,
    SUBJECTS,
    is_beside,
    is_contrast,
    is_limited,
    is_prepositional,
    set_grammar,
)
from .questions import is_condition, is_disjunct, question_in
from .sentence import Context, Sentence, Word

_COMPLEMENTS = ("acl", "ccomp", "xcomp", "csubj", "csubj:pass")
_JOINED = ("conj", "parataxis", "list")
_CONNECTIVES = ("cc", "cc:preconj", "det", "case")
_CLAUSAL = ("advcl", *_COMPLEMENTS)
_OBLIQUE = ("obl", "nmod")
_BESIDE = ("parataxis", "list")
_DENYING = (*SUBJECTS, "obj", "iobj", "obl", "obl:agent")
_AFFECTED = ("obj", "obl", "nsubj:pass")
_PARTS = (CONTINUATION, REFERENCE)
_WRITER = Context()
_ENTAILED = Signature(POSITIVE, NEGATIVE)
_WISHED = Signature(OPEN, OPEN)
_SAID = Signature(POSITIVE, OPEN, is_said=True)


def read_sentence(
    span: Span,
    lang: ClauseWords,
    roles: Iterable[Proposition],
    confidence: Callable[[Sequence[Token]], float],
) -> Sentence:
    """Read a sentence of a Doc that has heads: its words with what denies them, their
    subjects and contexts.
    roles (Iterable[Proposition]): Over the tokens of the Doc."""
    sentence = Sentence(span, lang, confidence)
    words = sentence.words
    for proposition in roles:
        word = words[proposition.token - span.start]
        for start, end, role in sorted(proposition.args, key=itemgetter(2)):
            if role != PREDICATE_ROLE and role[:2] not in _PARTS:
                inner = words[start - span.start : end - span.start]
                word.roles[min(inner, key=attrgetter("depth"))] = role
    if any(word.lower in lang.denying for word in words):
        for word in reversed(sentence.order):
            word.denial = _denial_of(word)
    for word in sentence.order:
        set_grammar(word)
    question = question_in(sentence)
    for word in sentence.order:
        word.outer = _inherited(word, question)
        if word.is_predicate or word.is_auxiliary or word.dep == "xcomp":
            word.context = _of_clause(word)
        else:
            word.context = _of_noun(word) if word.denial else word.outer
    return sentence


def _denial_of(word: Word) -> Optional[Word]:
    """Give the word that denies a clause or a phrase: "not", "nor", "no", "nobody",
    "rather" of "rather than", "without", "but" of "all but Tom", "Not" of "Not all
    students", but no word of "not only"."""
    lang = word.lang
    if word.lower in lang.denied:
        return word
    for child in word.children:
        is_denying = False
        if child.lower in lang.amounts and child.denial:
            return child.denial
        if child.dep == "advmod":
            is_near = word.is_predicate and child.lower in lang.near
            is_denying = is_near or child.lower in lang.negations
        elif child.dep in _CONNECTIVES:
            is_denying = child.lower in lang.negations | lang.substituting
            if child.dep == "case" and child.lower in lang.adversative:
                before = [word.head, *word.head.children]
                is_denying = not any(x.lower in lang.denied for x in before)
        elif child.dep == "mark":
            is_denying = child.lower in lang.replacing
        if is_denying and not is_limited(child):
            return child
    return None


def _inherited(word: Word, question: Optional[Word]) -> Context:
    """Give the context that the clause above lends to a word."""
    head = word.head
    if head is word:
        is_open = word is question or is_condition(word)
        return _WRITER._replace(certainty=OPEN) if is_open else _WRITER
    if word.dep in _JOINED:
        return _of_conjunct(word)
    if word.dep in _CLAUSAL and is_condition(word):
        return head.context._replace(polarity=POSITIVE, certainty=OPEN)
    if word.relative is word:
        return _of_relative(word)
    if word.dep in _COMPLEMENTS or is_prepositional(word):
        return _of_complement(word)
    if word.dep == "advcl":
        return _of_adverbial(word)
    context = head.context
    if word.dep in _AFFECTED and not word.is_predicate:
        context = _of_thing(word)
    if word.dep in _OBLIQUE and word.word(word.lang.replacing, "case"):
        context = context._replace(polarity=NEGATIVE)
    if word.dep == "nmod" and f"in {head.lemma}" in word.lang.sources:
        context = context._replace(source=head, is_reported=True)
    return context


def _of_conjunct(word: Word) -> Context:
    """A verb that shares an auxiliary or a denial shares what it says, until "but"."""
    first = word.head
    if word.dep == "parataxis" and not is_beside(word) and _is_quoted(word):
        return _mapped(first, _SAID)
    if word.dep != "conj" or is_contrast(word):
        return first.outer
    if not word.is_predicate:
        return first.context
    is_alternative = word.word(word.lang.disjunctive, "cc") and first.denial
    is_shared = not word.child(*SUBJECTS) and (
        bool(is_alternative) or not word.is_finite
    )
    return first.context if is_shared else first.outer


def _is_quoted(word: Word) -> bool:
    return word.head.lemma in word.lang.saying and word.is_predicate


def _speaker_of(head: Word) -> Optional[Word]:
    """Give the agent of a word of saying, or the owner of a claim."""
    if head.is_passive:
        return head.child("obl:agent")
    return head.subject if head.is_predicate else head.child("nmod:poss")


def _of_relative(word: Word) -> Context:
    """A relative clause holds, unless its noun is denied. After a predicate noun ("is a
    man who") or a new one ("a man who"), it holds only if the clause above holds."""
    noun = word.head
    lang = word.lang
    above = noun.context
    is_said = noun.child("cop") is not None
    if noun.denial and not is_said:
        return above._replace(polarity=POSITIVE, certainty=OPEN)
    is_bare = noun.pos == "NOUN" and not noun.child("det", "nmod:poss")
    is_new = is_bare or noun.lower in lang.indefinite
    is_new = is_new or noun.word(lang.indefinite, "det") is not None
    is_new = is_new or any(x.tag in lang.tags.asking for x in noun.children)
    is_aside = word.sentence.words[word.first].lower == lang.tags.comma
    is_aside = is_aside or (word.dep == "acl" and not is_said)
    if is_aside or not (is_said or is_new):
        return above._replace(polarity=POSITIVE, certainty=FACT)
    if above.polarity == NEGATIVE and not noun.child("expl"):
        return above._replace(polarity=POSITIVE, certainty=OPEN)
    return above


def _of_complement(word: Word) -> Context:
    """What the verb, adjective or noun above says of it: "said that he left", "no
    evidence that he left"."""
    head = word.head
    if word.dep == "ccomp" and is_beside(word):
        return head.outer
    signature = _signature(word)
    is_presupposed = signature.affirmed == signature.denied == POSITIVE
    if is_presupposed and word.is_finite:
        return head.context._replace(polarity=POSITIVE, certainty=FACT)
    return _mapped(head, signature)


def _mapped(head: Word, signature: Signature) -> Context:
    """Map the context of a word to that of its complement."""
    return _signed(signature, head.context, _speaker_of(head))


def _signed(signature: Signature, above: Context, speaker: Optional[Word]) -> Context:
    """Map a context by a signature. Nobody says what is not said for a fact."""
    is_denied = above.polarity == NEGATIVE
    value = signature.denied if is_denied else signature.affirmed
    is_open = OPEN in (value, above.certainty)
    if is_open or (signature.is_said and above.certainty != FACT):
        return above._replace(polarity=POSITIVE, certainty=OPEN)
    if signature.is_said:
        return Context(value, FACT, speaker, is_reported=True)
    if value == FUTURE:
        return above._replace(certainty=FUTURE)
    return above._replace(polarity=value)


def _signature(word: Word) -> Signature:
    """Give the signature of the word above. For a word without an entry, an infinitive
    with "to" is a wish; below a passive verb of saying, it is reported. Other
    complements are entailed ("saw him leave", "kept asking")."""
    head = word.head
    lang = word.lang
    mark = word.child("mark")
    default = _ENTAILED
    if word.dep == "advcl":
        table = lang.of_gerunds
        if mark and mark.lower in lang.wished:
            default = _WISHED
    elif word.is_finite:
        table = lang.of_clauses
        default = _SAID
    elif not mark and word.dep != "acl":
        table = lang.of_participles
    else:
        table = lang.of_infinitives
        is_said = head.lemma in lang.saying and head.is_passive
        default = _SAID if is_said else _WISHED
    helping = head.child("aux", "cop") or head
    if head.is_auxiliary and helping.tag not in lang.tags.present:
        table = lang.of_past  # "had to leave", "was going to leave"
    following = word.sentence.words[head.i + 1 : head.i + 2]
    pair = f"{head.lemma} {following[0].lower}" if following else ""
    return table.get(pair) or table.get(head.lemma, default)


def _of_adverbial(word: Word) -> Context:
    """A purpose is open. A clause of time is open if the clause above is open. "because
    he paid" holds."""
    head = word.head
    if word.denial:
        return head.outer._replace(polarity=POSITIVE)
    if word.tag == word.lang.tags.base and not word.is_finite:
        return head.context._replace(polarity=POSITIVE, certainty=OPEN)
    if word.word(word.lang.factual, "mark"):
        is_kept = head.head is head or is_condition(head)
        certainty = head.outer.certainty if is_kept else FACT
        return head.outer._replace(polarity=POSITIVE, certainty=certainty)
    tags = word.lang.tags
    modals = {x.lower for x in head.children if x.tag == tags.modal}
    if modals - word.lang.future and word.tag in tags.present:  # "until he pays"
        return head.context._replace(polarity=POSITIVE, certainty=OPEN)
    return head.context._replace(polarity=POSITIVE)


def _of_thing(noun: Word) -> Context:
    """A thing that is wanted, planned, denied or reported need not be."""
    head = noun.head
    lang = noun.lang
    signature = lang.of_things.get(head.lemma)
    if signature is None:
        return head.context
    if noun.dep == "obl":
        is_asked_for = noun.word(lang.complementing, "case") is not None
        if not is_asked_for or signature.affirmed == NEGATIVE:
            return head.context
    return _mapped(head, signature)


def _of_noun(noun: Word) -> Context:
    """A noun that is denied; the denial of a subject is its clause's."""
    if noun.dep in SUBJECTS:
        return noun.outer
    return noun.outer._replace(polarity=NEGATIVE)


def _of_clause(word: Word) -> Context:
    """A clause's own words: denials, modals, conditions, "perhaps", commands, and who
    says it."""
    outer = word.outer
    denial = word.denial or _denial_below(word)
    is_turned = outer.polarity == NEGATIVE and word.dep != "conj"
    polarity = POSITIVE if denial and is_turned else outer.polarity
    if denial and not is_turned:
        polarity = NEGATIVE
    certainty = _certainty_of(word, denial)
    is_open = is_disjunct(word) and polarity == POSITIVE
    if OPEN in (outer.certainty, certainty) or is_open:
        certainty = OPEN
    elif certainty == FACT:
        certainty = outer.certainty
    context = outer._replace(polarity=polarity, certainty=certainty)
    return _with_source(word, context)


def _denial_below(word: Word) -> Optional[Word]:
    """Give the denial of a clause's subject, its object or the person concerned: "No
    one", "to nobody"."""
    for child in word.children:
        if child.denial and child.dep in _DENYING:
            if child.dep != "obl" or child.word(word.lang.concerned, "case"):
                return child.denial
    return None


def _certainty_of(word: Word, denial: Optional[Word]) -> str:
    """Tell how certain a clause's own words are."""
    lang = word.lang
    tags = lang.tags
    is_alone = word.head is word or word.dep in _BESIDE
    is_command = is_alone and _is_bare(word)
    if is_command or (word.tag == tags.base and word.child("cop")):  # "was to sell"
        return OPEN
    certainty = FUTURE if _is_scheduled(word) else FACT
    for child in word.children:
        is_modal = child.dep == "aux" and child.tag == tags.modal
        is_able = denial is not None and child.lower in lang.ability
        if is_modal and child.lower in lang.future:
            certainty = FUTURE
        elif is_modal and not is_able:
            return OPEN
        if child.dep == "advmod":
            conditions = [x for x in child.children if x.dep == "advcl"]
            if child.lower in lang.doubting or any(map(is_condition, conditions)):
                return OPEN
        is_loose = child.word(lang.loose, "mark", "advmod") is not None
        if child.dep == "advcl" and is_condition(child) and not is_loose:
            return OPEN
    return certainty


def _is_bare(word: Word) -> bool:
    return word.tag == word.lang.tags.base and not word.child("aux", "mark", *SUBJECTS)


def _is_scheduled(word: Word) -> bool:
    """Tell whether a present tense speaks of what will be: "leaves tomorrow"."""
    lang = word.lang
    tags = lang.tags
    verb = word.child("aux", "cop") or word
    if verb.tag not in tags.present or word.child("aux:pass"):
        return False
    times = [x for x in word.children if x.dep[:3] in ("obl", "adv")]
    return any(
        x.lower in lang.soon
        or (x.lemma in lang.moments and x.word(lang.coming, "amod", "det", "case"))
        for x in times
    )


def _with_source(word: Word, context: Context) -> Context:
    """Add who says it: "according to Kim", "allegedly", "The claim is that"."""
    lang = word.lang
    for child in word.children:
        if child.dep in OUTER_SUBJECTS:
            signature = lang.of_clauses.get(child.lemma, _ENTAILED)
            return _signed(signature, context, child.child("nmod:poss"))
        source = _source_in(child)
        is_said = child.dep == "parataxis" and child.lemma in lang.saying
        is_hearsay = is_said and child.child("expl") is not None
        if child.dep == "advmod":
            is_hearsay = child.lower in lang.reporting
        if source or is_hearsay:
            return context._replace(source=source, is_reported=True)
    return context


def _source_in(child: Word) -> Optional[Word]:
    """Give the noun after "according to", a fiction ("in the novel"), or who says it
    beside the clause ("as Kim said")."""
    lang = child.lang
    head = child.head
    if child.dep == "obl":
        case = child.child("case")
        first = case.lower if case else ""
        is_source = first in lang.sources
        is_present = head.token.morph.get("Tense", []) == ["Pres"]
        if is_present or child.i < head.i:
            is_source |= f"{first} {child.lemma}" in lang.sources
        return child if is_source else None
    is_aside = child.dep == "parataxis" and _is_aside(child)
    if is_aside or child.word(lang.loose, "mark"):
        if child.lemma in lang.saying and not child.child("obj", "ccomp"):
            return _aside_speaker(child)
    return None


def _aside_speaker(child: Word) -> Optional[Word]:
    if child.is_passive:
        return child.child("obl:agent")
    return child.child(*SUBJECTS)


def _is_aside(child: Word) -> bool:
    """Tell whether a clause says who speaks: it stands within a clause or after a
    comma, not after a semicolon."""
    before = child.sentence.words[max(child.first - 1, 0) : child.first + 1]
    return not any(x.lower == child.lang.tags.semicolon for x in before)
