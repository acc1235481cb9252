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
    SUBJECTS,
    is_beside,
    is_contrast,
    is_limited,
    is_prepositional,
    set_grammar,
)
from .questions import asks, is_condition, is_disjunct, is_question
from .sentence import Context, Sentence, Word

_COMPLEMENTS = ("acl", "ccomp", "xcomp", "csubj", "csubj:pass")
_JOINED = ("conj", "parataxis", "list")
_DENYING = (*SUBJECTS, "obj", "iobj", "obl:agent")
_AFFECTED = ("obj", "obl", "nsubj:pass")
_MODIFIERS = ("amod", "case")
_PARTS = (PREDICATE_ROLE, CONTINUATION, REFERENCE)
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
    start = span.start
    for proposition in roles:
        word = sentence.words[proposition.token - start]
        for first, end, role in sorted(proposition.args, key=itemgetter(2)):
            if not role.startswith(_PARTS):
                words = sentence.words[first - start : end - start]
                word.roles[min(words, key=attrgetter("depth"))] = role
    for word in reversed(sentence.order):
        word.denial = _denial_of(word)
    for word in sentence.order:
        set_grammar(word)
    is_asked = is_question(sentence)
    for word in sentence.order:
        word.outer = _inherited(word)
        if word.head is word and (is_asked or is_condition(word)):
            word.outer = Context(certainty=OPEN)
        if word.is_predicate or word.is_auxiliary:
            word.context = _of_clause(word)
        elif word.denial:
            word.context = word.outer._replace(polarity=NEGATIVE)
        else:
            word.context = word.outer
    return sentence


def _denial_of(word: Word) -> Optional[Word]:
    """Give the word that denies a clause or a phrase: "not", "nor", "no", "nobody",
    "rather" of "rather than", "without", "but" of "all but Tom", "Not" of "Not all
    students", but no word of "not only"."""
    lang = word.lang
    if word.lower in lang.denied:
        return word
    for child in word.children:
        if child.lower in lang.amounts and child.denial:
            return child.denial
        is_denying = child.lower in lang.denying.get(child.dep, ())
        if is_denying and not is_limited(child):
            return child
    return None


def _inherited(word: Word) -> Context:
    """Give the context that the clause above lends to a word."""
    head = word.head
    if word.dep in _JOINED:
        return _of_conjunct(word)
    if head is not word and is_condition(word):
        return head.context._replace(polarity=POSITIVE, certainty=OPEN)
    if word.relative is word:
        return _of_relative(word)
    if is_beside(word):
        return head.outer
    if word.dep in _COMPLEMENTS or is_prepositional(word):
        return _mapped(word, _signature(word))
    return _of_adverbial(word) if word.dep == "advcl" else _of_thing(word)


def _of_conjunct(word: Word) -> Context:
    """A verb that shares an auxiliary or a denial shares what it says, until "but"."""
    first = word.head
    lang = word.lang
    if not word.denial and asks(word):
        return first.outer._replace(certainty=OPEN)
    is_quoted = word.dep == "parataxis" and first.lemma in lang.saying
    if is_quoted and word.is_predicate and not is_beside(word):
        return _mapped(word, _SAID)
    is_alternative = word.word(lang.disjunctive, "cc") is not None
    is_shared = word.dep == "conj" and not is_contrast(word)
    is_shared = is_shared and (is_alternative or not word.is_finite)
    is_own = first.head is first and word.child(*SUBJECTS) is not None
    above = Context() if is_own else first.outer
    return first.context if is_shared else above


def _of_relative(word: Word) -> Context:
    """A relative clause holds, unless its noun is denied. After a predicate noun ("is a
    man who") or a new one ("a man who"), it holds only if the clause above holds, or if
    it tells of the past."""
    noun = word.head
    lang = word.lang
    above = noun.context
    is_said = noun.child("cop") is not None
    determiner = noun.child("det", "nmod:poss")
    is_new = (determiner or noun).lower in lang.indefinite or is_said
    is_new = is_new or (determiner is None and noun.pos == "NOUN")
    is_aside = word.sentence.words[word.first].lower == lang.tags.comma
    is_past = word.tag not in lang.tags.present and not (is_said or asks(noun))
    is_denied = above.polarity == NEGATIVE and not noun.child("expl")
    if is_aside or is_past or not is_new:
        return above._replace(polarity=POSITIVE, certainty=FACT)
    return above._replace(polarity=POSITIVE, certainty=OPEN) if is_denied else above


def _mapped(word: Word, signature: Signature) -> Context:
    """Map the context of the verb, adjective or noun above to that of its complement:
    "said that he left", "no evidence that he left". Nobody says what is not said for a
    fact."""
    head = word.head
    above = head.context
    is_denied = above.polarity == NEGATIVE
    value = signature.denied if is_denied else signature.affirmed
    is_presupposed = signature.affirmed == signature.denied == POSITIVE
    if is_presupposed and word.is_finite:
        return above._replace(polarity=POSITIVE, certainty=FACT)
    is_open = OPEN in (value, above.certainty)
    if is_open or (signature.is_said and above.certainty != FACT):
        return above._replace(polarity=POSITIVE, certainty=OPEN)
    if signature.is_said:
        speaker = head.subject if head.is_predicate else head.child("nmod:poss")
        if head.is_passive:
            speaker = head.child("obl:agent")
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
    helping = head.child("aux", "cop") or head
    default = _WISHED
    if word.dep == "advcl":
        table = lang.of_gerunds
        if not word.word(lang.wished, "mark"):
            default = _ENTAILED
    elif head.is_auxiliary and helping.tag not in lang.tags.present:
        table = lang.of_past  # "had to leave", "was going to leave"
    elif word.is_finite:
        table = lang.of_clauses
        default = _SAID
    elif word.tag == lang.tags.gerund or not word.child("mark"):
        table = lang.of_participles
        default = _ENTAILED
    else:
        table = lang.of_infinitives
        if head.lemma in lang.saying and head.is_passive:
            default = _SAID
    following = [x.lower for x in word.sentence.words[head.i + 1 : head.i + 2]]
    pair = " ".join([head.lemma, *following])
    return table.get(pair) or table.get(head.lemma, default)


def _of_adverbial(word: Word) -> Context:
    """A purpose is open. A clause of time is open if the clause above is open. "because
    he paid" holds."""
    head = word.head
    if word.denial or word.word(word.lang.factual, "mark"):
        return head.outer._replace(polarity=POSITIVE)
    context = head.context._replace(polarity=POSITIVE)
    is_purpose = word.tag == word.lang.tags.base
    return context._replace(certainty=OPEN) if is_purpose else context


def _of_thing(noun: Word) -> Context:
    """A thing that is wanted, planned, denied or reported need not be, one that is
    replaced is not, and what an adjective says of it holds."""
    head = noun.head
    lang = noun.lang
    if noun.dep in _MODIFIERS:
        return head.context._replace(polarity=POSITIVE, certainty=FACT)
    signature = lang.of_things.get(head.lemma)
    context = head.context
    is_asked_for = noun.dep != "obl" or noun.word(lang.complementing, "case")
    if signature and noun.dep in _AFFECTED and is_asked_for:
        if noun.dep != "obl" or signature.affirmed != NEGATIVE:
            context = _mapped(noun, signature)
    is_replaced = noun.word(lang.replacing, "case") is not None
    return context._replace(polarity=NEGATIVE) if is_replaced else context


def _of_clause(word: Word) -> Context:
    """A clause's own words: denials, modals, conditions, "perhaps", commands, and who
    says it."""
    outer = word.outer
    denial = word.denial or _denial_below(word)
    polarity = outer.polarity
    if denial:
        polarity = POSITIVE if polarity == NEGATIVE else NEGATIVE
    certainty = _certainty_of(word, denial)
    is_open = is_disjunct(word) and polarity == POSITIVE
    if OPEN in (outer.certainty, certainty) or is_open:
        certainty = OPEN
    elif certainty == FACT:
        certainty = outer.certainty
    return _with_source(word, outer._replace(polarity=polarity, certainty=certainty))


def _denial_below(word: Word) -> Optional[Word]:
    """Give the denial of a clause's subject, its object or the person concerned: "No
    one", "to nobody"."""
    for child in word.children:
        is_concerned = child.word(word.lang.concerned, "case")
        if child.denial and (is_concerned or child.dep in _DENYING):
            return child.denial
    return None


def _certainty_of(word: Word, denial: Optional[Word]) -> str:
    """Tell how certain a clause's own words are."""
    lang = word.lang
    tags = lang.tags
    certainty = FUTURE if _is_scheduled(word) else FACT
    if word.tag == tags.base:
        is_alone = word.head is word or word.dep in _JOINED[1:]
        is_command = is_alone and not word.child("aux", "mark", *SUBJECTS)
        if is_command or word.child("cop"):  # "was to sell"
            return OPEN
    for child in word.children:
        if child.lower in lang.future:
            certainty = FUTURE
        elif child.tag == tags.modal and not (denial and child.lower in lang.ability):
            return OPEN
        if _is_doubt(child):
            return OPEN
    return certainty


def _is_doubt(child: Word) -> bool:
    """Tell whether a word makes the clause above open: "perhaps", "as long as he
    pays", "if he pays"."""
    lang = child.lang
    if child.dep == "advmod":
        return child.lower in lang.doubting or any(map(is_condition, child.children))
    is_loose = child.word(lang.loose, "mark", "advmod") is not None
    return child.dep == "advcl" and not is_loose and is_condition(child)


def _is_scheduled(word: Word) -> bool:
    """Tell whether a present tense speaks of what will be: "leaves tomorrow"."""
    lang = word.lang
    verb = word.child("aux", "cop") or word
    return verb.tag in lang.tags.present and any(
        x.lower in lang.soon
        or (x.lemma in lang.moments and x.word(lang.coming, "amod", "det", "case"))
        for x in word.children
    )


def _with_source(word: Word, context: Context) -> Context:
    """Add who says it: "according to Kim", "allegedly", "The claim is that"."""
    for child in word.children:
        if _is_source(child):
            source = child.child("obl:agent" if child.is_passive else "nsubj")
            if child.dep == "obl":
                source = child
            return context._replace(source=source, is_reported=True)
    return context


def _is_source(child: Word) -> bool:
    """Tell whether a word below a clause says who says it: "allegedly", "according to
    Kim", a fiction ("in the novel"), "as Kim said", "Kim said" within the clause or
    after a comma."""
    lang = child.lang
    head = child.head
    if child.dep == "advmod":
        return child.lower in lang.reporting
    if child.dep == "obl":
        case = child.child("case")
        first = case.lower if case else ""
        is_fiction = f"{first} {child.lemma}" in lang.sources
        is_told = child.i < head.i or head.tag in lang.tags.present
        return first in lang.sources or (is_fiction and is_told)
    if child.lemma not in lang.saying or child.child("obj", "ccomp"):
        return False
    before = child.sentence.words[child.first - 1 : child.first + 1]
    is_aside = all(x.lower != lang.tags.semicolon for x in before)
    is_beside = child.dep == "parataxis" and is_aside
    return is_beside or child.word(lang.loose, "mark") is not None
