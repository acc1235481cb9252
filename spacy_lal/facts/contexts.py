"""What a text says of each clause: one pass over a sentence, heads before their
children. The context of the clause above is mapped to the context of the clause below
by the signature of the word between them (Nairn, Condoravdi and Karttunen 2006,
"Computing relative polarity"), and a clause's own words change what it inherits."""

from typing import Optional

from ..lang.clause_words import (
    FACT,
    FUTURE,
    NEGATIVE,
    OPEN,
    POSITIVE,
    Signature,
)
from .sentence import SUBJECTS, VERBAL, Context, Sentence, Word

_COMPLEMENTS = ("acl", "ccomp", "xcomp", "csubj", "csubj:pass", "parataxis")
_JOINED = ("conj", "parataxis", "list")
_BEFORE_QUESTIONS = ("punct", "cc", "discourse", "vocative", "case")
_ASKING = ("ccomp", *_JOINED)
_DENYING = (*SUBJECTS, "obj", "iobj", "obl:agent")
_AFFECTED = ("obj", "obl", "nsubj:pass")
_ENTAILED = Signature(POSITIVE, NEGATIVE)
_WISHED = Signature(OPEN, OPEN)
_SAID = Signature(POSITIVE, OPEN, is_said=True)


def set_contexts(sentence: Sentence) -> None:
    """Set what denies the words of a sentence, their subjects and contexts."""
    for word in reversed(sentence.order):
        word.denial = _denial_of(word)
    for word in sentence.order:
        word.set_grammar()
    for word in sentence.order:
        word.outer = word.context = _inherited(word)
        if word.is_predicate or word.is_auxiliary:
            word.context = _of_clause(word)
        elif word.denial:
            word.context = word.outer._replace(polarity=NEGATIVE)


def _denial_of(word: Word) -> Optional[Word]:
    """Give the word that denies a clause or a phrase: "not", "nor", "no", "nobody",
    "rather" of "rather than", "without", "but" of "all but Tom", "Not" of "Not all
    students", but no word of "not only"."""
    lang = word.lang
    if word.lower in lang.denied:
        return word
    for child in word.children:
        if child.denial and child.lower in lang.amounts:
            return child.denial
        if child.lower in lang.denying.get(child.dep, ()) and not child.is_limited:
            return child
    return None


def _inherited(word: Word) -> Context:
    """Give the context that the clause above lends to a word."""
    head = word.head
    if head is word:
        last = "".join([x.lower for x in word.words[-3:]])  # quotes may come last
        others = [x for x in word.sentence.order if x.dep in _JOINED]
        is_asked = word.lang.question in last and not any(map(_asks, others))
        is_open = is_asked or _is_condition(word)
        return Context(certainty=OPEN if is_open else FACT)
    is_quoted = word.dep == "parataxis" and head.lemma in word.lang.saying
    if word.dep in _JOINED and (word.is_beside or not is_quoted):
        return _of_conjunct(word)
    if _is_condition(word):
        return head.context._replace(polarity=POSITIVE, certainty=OPEN)
    if word.relative is word:
        return _of_relative(word)
    if word.is_beside:
        return head.outer
    if word.dep in _COMPLEMENTS or word.is_prepositional:
        return _mapped(word, _signature(word))
    return _of_adverbial(word) if word.dep == "advcl" else _of_thing(word)


def _of_conjunct(word: Word) -> Context:
    """A verb that shares an auxiliary or a denial shares what it says, until "but"."""
    first = word.head
    if _asks(word) and not word.denial:
        return first.outer._replace(certainty=OPEN)
    is_shared = not word.is_finite or word.word(word.lang.disjunctive, "cc")
    if is_shared and not word.is_contrast:
        return first.context
    return Context() if first.head is first and word.child(*SUBJECTS) else first.outer


def _of_relative(word: Word) -> Context:
    """A relative clause holds, but not after a noun that is new and need not be: denied
    ("knows nobody who"), wanted ("wants a man who"), said ("may be a man who")."""
    noun = word.head
    above = noun.context._replace(polarity=POSITIVE)
    determiner = noun.child("det", "nmod:poss") or noun
    is_said = noun.child("cop") is not None or _asks(noun)
    is_denied = noun.context.polarity == NEGATIVE and not noun.child("expl")
    is_wanted = is_denied or noun.head.lemma in word.lang.of_things
    is_new = is_wanted and determiner.lower in word.lang.indefinite
    if word.is_aside or not (is_said or is_new):
        return above._replace(certainty=FACT)
    return above._replace(certainty=OPEN) if is_denied else noun.context


def _mapped(word: Word, signature: Signature) -> Context:
    """Map the context of the verb, adjective or noun above to that of its complement:
    "said that he left", "no evidence that he left". Nobody says what is not said for a
    fact."""
    head = word.head
    above = head.context
    value = signature.affirmed
    if above.polarity == NEGATIVE:
        value = signature.denied
    if word.is_finite and signature.affirmed == signature.denied == POSITIVE:
        return above._replace(polarity=POSITIVE, certainty=FACT)
    is_unsaid = signature.is_said and above.certainty != FACT
    if is_unsaid and above.polarity == POSITIVE and _is_own_word(head):
        return head.outer
    if is_unsaid or OPEN in (value, above.certainty):
        return above._replace(polarity=POSITIVE, certainty=OPEN)
    if signature.is_said:
        speaker = head.subject if head.is_predicate else head.child("nmod:poss")
        if head.is_passive:
            speaker = head.child("obl:agent")
        return Context(value, FACT, speaker, is_reported=True)
    if value == FUTURE:
        return above._replace(certainty=FUTURE)
    return above._replace(polarity=value)


def _is_own_word(verb: Word) -> bool:
    """Tell whether the writer says it: "I must say that", "Please note that"."""
    speaker = verb.subject
    is_own = speaker is not None and speaker.lower in verb.lang.writers
    return is_own or _is_command(verb)


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
        default = _WISHED if word.word(lang.wished, "mark") else _ENTAILED
    elif head.is_auxiliary and helping.tag not in lang.present:
        table = lang.of_past  # "had to leave", "was going to leave"
    elif word.is_finite:
        table = lang.of_clauses
        default = _SAID
    elif word.tag == lang.gerund or not word.child("mark"):
        table = lang.of_participles
        default = _ENTAILED
    else:
        table = lang.of_infinitives
        if head.lemma in lang.saying and head.is_passive:
            default = _SAID
    inner = (*head.children, *word.children)
    pairs = [f"{head.lemma} {x.lower}" for x in inner]
    return next((table[x] for x in (*pairs, head.lemma) if x in table), default)


def _of_adverbial(word: Word) -> Context:
    """A purpose is open, and "because he pays" holds, as does a clause in the past:
    "when he paid". Another clause of time is open if the clause above is open."""
    above = word.head.context
    verb = word.child(*VERBAL) or word
    if verb.tag == word.lang.past or word.word(word.lang.factual, "mark"):
        above = word.head.outer._replace(certainty=FACT)
    elif word.tag != word.lang.gerund and word.word(word.lang.infinitive, "mark"):
        above = above._replace(certainty=OPEN)
    return above._replace(polarity=POSITIVE)


def _of_thing(noun: Word) -> Context:
    """A thing that is wanted, planned, denied or reported need not be."""
    lang = noun.lang
    context = noun.head.context
    signature = lang.of_things.get(noun.head.lemma)
    if not signature or noun.dep not in _AFFECTED:
        return context
    is_asked_for = noun.dep != "obl" or noun.word(lang.complementing, "case")
    is_left = noun.dep == "obl" and signature.affirmed == NEGATIVE
    return _mapped(noun, signature) if is_asked_for and not is_left else context


def _of_clause(word: Word) -> Context:
    """A clause's own words: denials, modals, conditions, "perhaps", commands, and who
    says it."""
    context = word.outer
    denial = word.denial or _denial_below(word)
    if denial:
        is_denied = context.polarity == NEGATIVE
        context = context._replace(polarity=POSITIVE if is_denied else NEGATIVE)
    is_doubted = any(_is_doubt(x, denial) for x in word.children)
    is_one_of_several = is_disjunct(word) and context.polarity == POSITIVE
    if is_doubted or is_one_of_several or word.is_due or _is_command(word):
        context = context._replace(certainty=OPEN)
    elif context.certainty == FACT and _is_future(word):
        context = context._replace(certainty=FUTURE)
    return _with_source(word, context)


def _denial_below(word: Word) -> Optional[Word]:
    """Give the denial of a clause's subject, its object or the person concerned: "No
    one", "to nobody"."""
    for child in word.children:
        is_concerned = child.word(word.lang.concerned, "case")
        if child.denial and (is_concerned or child.dep in _DENYING):
            return child.denial
    return None


def _is_command(word: Word) -> bool:
    """Tell whether a clause says what to do: "Sell it", "What I must do is sell it"."""
    if word.tag != word.lang.base:
        return False
    is_alone = word.head is word or word.dep in _JOINED[1:]
    is_bare = not word.child("aux", "mark", *SUBJECTS)
    return (is_alone and is_bare) or word.child("cop") is not None


def _is_doubt(child: Word, denial: Optional[Word]) -> bool:
    """Tell whether a word makes the clause above open: "may", but not "can" of "can't",
    "perhaps", "as long as he pays", "if he pays"."""
    lang = child.lang
    if child.tag == lang.modal:
        is_denied = denial is not None and child.lower in lang.ability
        return child.lower not in lang.future and not is_denied
    if child.dep == "advmod":
        return child.lower in lang.doubting or any(map(_is_condition, child.children))
    is_loose = child.word(lang.loose, "mark", "advmod") is not None
    return child.dep == "advcl" and not is_loose and _is_condition(child)


def _is_future(word: Word) -> bool:
    """Tell whether a clause speaks of what will be: "will leave", "leaves tomorrow",
    but not "has approved it in recent months"."""
    lang = word.lang
    verb = word.child("aux", "cop") or word
    texts = {x.lower for x in word.children}
    if texts & lang.future:
        return True
    if verb.tag not in lang.present or verb.lemma == lang.possession:
        return False
    moments = [x for x in word.children if x.lemma in lang.moments]
    coming = [x.word(lang.coming, "amod", "det", "case") for x in moments]
    return any(coming) or not texts.isdisjoint(lang.soon)


def _with_source(word: Word, context: Context) -> Context:
    """Add who says it: "according to Kim", "allegedly", "The claim is that"."""
    for child in word.children:
        if _is_source(child):
            source = child.child("obl:agent" if child.is_passive else "nsubj")
            source = child if child.dep == "obl" else source
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
        is_told = child.i < head.i or head.tag in lang.present
        cases = [x.lower for x in child.children if x.dep == "case"]
        cases += [f"{x} {child.lemma}" for x in cases if is_told]
        return not lang.sources.isdisjoint(cases)
    if child.lemma not in lang.saying or child.child("obj", "ccomp"):
        return False
    before = [x.lower for x in child.words[child.first - 1 : child.first + 1]]
    is_apart = child.dep != "parataxis" or lang.semicolon in before
    return not is_apart or child.word(lang.loose, "mark") is not None


def _is_condition(word: Word) -> bool:
    """Tell whether a clause is a condition or a question in itself: "if he paid", "as
    though he paid", "provided that he paid", "had he paid", "who built it"."""
    marks = [x for x in word.children if x.dep == "mark"]
    texts = [x.lower for mark in marks for x in word.words[mark.first : mark.last + 1]]
    text = " ".join(texts)
    phrases = {text, f"{word.head.lower} {text}", *texts}
    if word.child("ccomp"):
        phrases.add(word.lower)
    return _asks(word) or not word.lang.conditional.isdisjoint(phrases)


def is_disjunct(word: Word) -> bool:
    """Tell whether a phrase is one of several alternatives: "Anna or Tom", but not "30
    euros, or 33 dollars"."""
    first = word.head if word.dep == "conj" else word
    return any(
        x.word(word.lang.disjunctive, "cc") and not x.child("nummod")
        for x in first.children
    )


def _asks(clause: Word) -> bool:
    """Tell whether a clause _asks by its words: an auxiliary before its subject stands
    first, or "who", "how many people", "in which room"."""
    lang = clause.lang
    words = clause.words[clause.first : clause.last + 1]
    first = next((x for x in words if x.dep not in _BEFORE_QUESTIONS), clause)
    subject = clause.child(*SUBJECTS)
    helping = clause.child(*VERBAL)
    if subject and first is helping:
        return True
    is_bare = first.tag == lang.relative_determiner and first.dep != "det"
    is_main = clause.head is clause and not is_bare
    if first.tag not in lang.asking or first.child("acl:relcl"):
        return False
    if not is_main and clause.dep not in _ASKING:
        return False
    if not subject or subject.first <= first.i or clause.head is not clause:
        return True
    return helping is not None and helping.i < subject.i
