"""Which clauses ask, suppose, or are one of several."""

from .sentence import SUBJECTS, VERBAL, Sentence, Word

_BEFORE_QUESTIONS = ("punct", "cc", "discourse", "vocative", "case")
_BESIDE = ("conj", "parataxis", "list")
_ASKING = ("ccomp", *_BESIDE)


def is_condition(word: Word) -> bool:
    """Tell whether a clause is a condition or a question in itself: "if he paid", "as
    though he paid", "provided that he paid", "had he paid", "who built it"."""
    words = word.words
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
    return any(
        x.dep == "conj"
        and x.word(word.lang.disjunctive, "cc")
        and not x.child("nummod")
        for x in first.children
    )


def asks(clause: Word) -> bool:
    """Tell whether a clause asks by its words: an auxiliary before its subject stands
    first, or "who", "how many people", "in which room"."""
    lang = clause.lang
    words = clause.words[clause.first : clause.last + 1]
    first = next((x for x in words if x.dep not in _BEFORE_QUESTIONS), clause)
    subject = clause.child(*SUBJECTS)
    helping = clause.child(*VERBAL)
    if subject and first is helping:
        return True
    is_main = clause.head is clause
    is_bare = first.tag == lang.relative_determiner and first.dep != "det"
    is_place = clause.dep in _ASKING or (is_main and not is_bare)
    if first.tag not in lang.asking or first.child("acl:relcl") or not is_place:
        return False
    if not subject or subject.first <= first.i:
        return True
    return not is_main or (helping is not None and helping.i < subject.i)


def is_question(sentence: Sentence) -> bool:
    """Tell whether a sentence ends with a question mark, and no clause beside the root
    asks by its words."""
    lang = sentence.lang
    texts = [
        x.lower
        for x in sentence.words
        if not x.token.is_space and x.tag not in lang.closing
    ]
    others = [x for x in sentence.order if x.dep in _BESIDE]
    is_marked = "".join(texts).endswith(lang.question)
    return is_marked and not any(map(asks, others))
