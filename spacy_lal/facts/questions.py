"""Which clauses ask, suppose, or are one of several."""

from typing import Optional

from .grammar import SUBJECTS
from .sentence import Sentence, Word

_AUXILIARIES = ("aux", "cop")
_BEFORE_QUESTIONS = ("punct", "cc", "discourse", "vocative")


def is_condition(word: Word) -> bool:
    """Tell whether a clause is a condition or a question in itself: "if he paid", "as
    though he paid", "provided that he paid", "had he paid", "who built it"."""
    lang = word.lang
    words = word.sentence.words
    if word.dep == "ccomp" and _asks(words[word.first], word):
        return True
    marks = [x for x in word.children if x.dep == "mark"]
    texts = [x.lower for mark in marks for x in words[mark.first : mark.last + 1]]
    text = " ".join(texts)
    found = [text, *texts, f"{word.head.lower} {text}"]
    if word.dep == "advcl" and word.child("ccomp"):
        found.append(word.lower)
    if not lang.conditional.isdisjoint(found):
        return True
    first = words[word.first]
    is_turned = first.head is word and first.dep in _AUXILIARIES
    return is_turned and word.child(*SUBJECTS) is not None


def is_disjunct(word: Word) -> bool:
    """Tell whether a phrase is one of several alternatives: "Anna or Tom", but not "30
    euros, or 33 dollars"."""
    first = word.head if word.dep == "conj" else word
    lang = word.lang
    later = [x for x in first.children if x.dep == "conj"]
    for other in later:
        conjunction = other.word(lang.disjunctive, "cc")
        if conjunction:
            before = word.sentence.words[conjunction.i - 1]
            is_pair = before.lower == lang.tags.comma and len(later) == 1
            is_amount = other.pos == "NUM" or other.child("nummod") is not None
            return not (is_pair and is_amount)
    return False


def question_in(sentence: Sentence) -> Optional[Word]:
    """Give the root if it asks something: by a mark, an inverted auxiliary, or a word
    such as "who" in front."""
    lang = sentence.lang
    roots = [word for word in sentence.order if word.head is word]
    words = [x for x in sentence.words if not x.token.is_space]
    while words and words[-1].tag in lang.tags.closing:
        words.pop()
    root = roots[0]
    if not words:
        return None
    if words[-1].lower.endswith(lang.tags.question) or _is_inverted(root):
        return root
    first = next((x for x in words if x.dep not in _BEFORE_QUESTIONS), root)
    return root if _asks(first, root) else None


def _asks(first: Word, clause: Word) -> bool:
    """Tell whether a clause's first word asks: "who", "how many people", "in which
    room"."""
    word = first
    if first.dep == "case":
        word = first.sentence.words[first.i + 1]
    tags = first.lang.tags
    is_bare = word.tag == tags.relative_determiner and clause.head is clause
    if word.tag not in tags.asking or (is_bare and word.dep != "det"):
        return False
    if word.child("acl:relcl"):  # "What you say"
        return False
    while word.depth > clause.depth and not word.is_predicate:
        word = word.head
    subject = clause.child(*SUBJECTS)
    helping = clause.child("aux", "aux:pass", "cop")
    is_turned = helping is not None and subject is not None and helping.i < subject.i
    is_subject = subject is None or subject.first <= first.i <= subject.last
    is_open = is_turned or is_subject or clause.head is not clause
    return word is clause and is_open


def _is_inverted(root: Word) -> bool:
    """Tell whether an auxiliary stands before the subject, with nothing before it that
    turns a statement round: "Never did he ask", "So did Kim"."""
    subject = root.child(*SUBJECTS)
    helping = root.child("aux", "aux:pass", "cop")
    if not subject or not helping or not helping.i < subject.i < max(root.i, 1):
        return False
    before = [x for x in root.children if x.i < helping.i]
    return all(x.dep in _BEFORE_QUESTIONS or _is_asking(x) for x in before)


def _is_asking(word: Word) -> bool:
    within = word.sentence.words[word.first : word.last + 1]
    return any(x.tag in word.lang.tags.asking for x in within)
