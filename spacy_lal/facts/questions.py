"""Which clauses ask, suppose, or are one of several."""

from .grammar import SUBJECTS
from .sentence import Sentence, Word

_BEFORE_QUESTIONS = ("punct", "cc", "discourse", "vocative", "case")
_BESIDE = ("conj", "parataxis", "list")
_ASKING = ("ccomp", *_BESIDE)


def is_condition(word: Word) -> bool:
    """Tell whether a clause is a condition or a question in itself: "if he paid", "as
    though he paid", "provided that he paid", "had he paid", "who built it"."""
    words = word.sentence.words
    marks = [x for x in word.children if x.dep == "mark"]
    texts = [x.lower for mark in marks for x in words[mark.first : mark.last + 1]]
    text = " ".join(texts)
    phrases = {text, f"{word.head.lower} {text}", *texts}
    if word.child("ccomp"):
        phrases.add(word.lower)
    return asks(word) or not word.lang.conditional.isdisjoint(phrases)


def is_disjunct(word: Word) -> bool:
    """Tell whether a phrase is one of several alternatives: "Anna or Tom", but not "30
    euros, or 33 dollars"."""
    first = word.head if word.dep == "conj" else word
    others = [x for x in first.children if x.dep == "conj" and not x.child("nummod")]
    return any(x.word(word.lang.disjunctive, "cc") for x in others)


def asks(clause: Word) -> bool:
    """Tell whether a clause asks by its words: an auxiliary before its subject stands
    first, or "who", "how many people", "in which room"."""
    tags = clause.lang.tags
    words = clause.sentence.words[clause.first : clause.last + 1]
    first = next((x for x in words if x.dep not in _BEFORE_QUESTIONS), clause)
    subject = clause.child(*SUBJECTS)
    helping = clause.child("aux", "aux:pass", "cop")
    if subject and first is helping:
        return True
    is_main = clause.head is clause
    is_bare = first.tag == tags.relative_determiner and first.dep != "det"
    is_word = first.tag in tags.asking and not first.child("acl:relcl")
    is_place = clause.dep in _ASKING or (is_main and not is_bare)
    if not is_word or not is_place:
        return False
    top = first
    while top.head is not clause and top is not clause:
        if top.is_predicate:
            return False
        top = top.head
    is_turned = subject and helping and helping.i < subject.i
    return bool(not subject or top is subject or not is_main or is_turned)


def is_question(sentence: Sentence) -> bool:
    """Tell whether a sentence ends with a question mark, and no clause beside the root
    asks by its words."""
    tags = sentence.lang.tags
    words = [*sentence.words]
    while len(words) > 1 and (
        words[-1].token.is_space or words[-1].tag in tags.closing
    ):
        words.pop()
    others = [x for x in sentence.order if x.dep in _BESIDE]
    return words[-1].lower.endswith(tags.question) and not any(map(asks, others))
