"""`simplify` says a sentence as sentences of one clause each."""

from typing import Dict, List, Sequence

from .grammar import SUBJECTS, is_relative_word, object_of
from .phrases import is_denial, without_marks
from .sentence import Sentence, Word

_SHARED = ("aux", "aux:pass")
_JOINED = ("conj", "parataxis")
_ASIDE_MARKS = ",;–—"
Owners = Dict[Word, Word]


def simplify_sentence(sentence: Sentence) -> List[str]:
    """Divide a sentence into sentences of one clause each."""
    owners: Owners = {}
    for word in sentence.order:
        is_alone = word.head is word or _stands_alone(word, owners)
        owners[word] = word if is_alone else owners[word.head]
    parts: Dict[Word, List[Word]] = {}
    for word in sentence.words:
        parts.setdefault(owners[word], []).append(word)
    text = sentence.span.text.strip()
    if len(parts) < 2 or text.endswith(sentence.lang.tags.question):
        return [text]
    return [_sentence(top, owners, words) for top, words in parts.items()]


def _verb(top: Word) -> Word:
    """Give the verb that an auxiliary one helps."""
    return (top.child("xcomp") if top.is_auxiliary else None) or top


def _stands_alone(top: Word, owners: Owners) -> bool:
    """Tell whether the words below the head of a clause can be a sentence: relative
    clauses of a name, of "the man" or after a comma, whose subject is the antecedent;
    other clauses that hold, with a subject and on a clause that stands alone."""
    word = _verb(top)
    lang = word.lang
    noun = top.head
    subject = word.child(*SUBJECTS)
    if not word.is_predicate:
        return False
    if top.dep == "acl:relcl":
        before = word.sentence.words[top.first : word.i]
        asking = [x for x in before if x.tag in lang.tags.asking]
        first = word.sentence.words[top.first]
        is_known = noun.pos == "PROPN" or first.lower == lang.tags.comma
        is_known = is_known or noun.word(lang.determiners, "det") is not None
        return is_known and asking == [subject]
    if owners[noun] is not noun or noun.dep == "acl:relcl":
        return False
    if top.dep == "advcl":
        is_fact = word.word(lang.factual, "mark") is not None
        return is_fact and subject is not None and word.is_finite
    link = top.child("cc", "mark")
    is_joined = top.dep in _JOINED and (not link or link.lower in lang.joining)
    is_named = word.subject is not None or word.tag == lang.tags.base
    return is_joined and is_named and not _shares_object(word, noun)


def _shares_object(word: Word, first: Word) -> bool:
    """Tell whether two verbs have one object: "cooked and ate the fish"."""
    thing = object_of(word)
    return thing is not None and (thing is object_of(first) or thing.head is first)


def _sentence(top: Word, owners: Owners, words: Sequence[Word]) -> str:
    """Write the words of a part as a sentence: without its conjunction, relative words
    and the marks around it, with the subject that it lacks, a capital and a full
    stop."""
    verb = _verb(top)
    subject = verb.subject
    end = "."
    if top.head is not top:
        out = (verb.child("mark"), top.child("cc"))
        relative = [x for x in verb.children if is_relative_word(x)]
        words = [x for x in words if x not in (*out, *relative)]
        if subject and subject not in words:
            words = [*_shared_words(top, subject, owners), *words]
    elif top.sentence.words[-1].lower == "!":
        end = "!"
    kept = {x.i for x in words}
    words = [
        x for x in words if x.lower not in _ASIDE_MARKS or {x.i - 1, x.i + 1} <= kept
    ]
    words = without_marks(words)
    return _written(words[1:] if words[0].dep == "cc" else words) + end


def _shared_words(top: Word, subject: Word, owners: Owners) -> List[Word]:
    """Give the subject and the auxiliaries that a conjunct shares."""
    around = subject.sentence.words[subject.first : subject.last + 1]
    named = [x for x in around if owners[x] is owners[subject] and x.dep != "case"]
    first = top.head
    while first.dep == "conj" and not first.is_finite:
        first = first.head
    if top.is_finite:
        return named
    shared = [x for x in first.children if x.dep in _SHARED or is_denial(x)]
    return named + [x for x in shared if x.i < first.i]


def _written(words: Sequence[Word]) -> str:
    """Write words with a capital, and a space where words between them are left out."""
    text = ""
    for word, after in zip(words, [*words[1:], words[-1]], strict=True):
        is_apart = after.i != word.i + 1 and not after.token.is_punct
        text += word.token.text + (" " if is_apart else word.token.whitespace_)
    return text[:1].upper() + text[1:].rstrip()
