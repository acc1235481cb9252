"""`simplify` says a sentence as sentences of one clause each."""

from collections.abc import Sequence

from .phrases import case_of, without_marks, words_of_verb
from .sentence import Sentence, Word

_ASIDE_MARKS = ",;–—"
Owners = dict[Word, Word]


def simplify_sentence(sentence: Sentence) -> list[str]:
    """Divide a sentence into sentences of one clause each."""
    owners: Owners = {}
    for word in sentence.order:
        is_alone = word.head is word or _stands_alone(word, owners)
        owners[word] = word if is_alone else owners[word.head]
    parts: dict[Word, list[Word]] = {}
    for word in sentence.words:
        parts.setdefault(owners[word], []).append(word)
    text = sentence.span.text.strip()
    if len(parts) < 2 or text.endswith(sentence.lang.question):
        return [text]
    return [_sentence(top, words, owners) for top, words in parts.items()]


def _verb(top: Word) -> Word:
    """Give the verb that an auxiliary one helps."""
    return (top.child("xcomp") if top.is_auxiliary else None) or top


def _stands_alone(top: Word, owners: Owners) -> bool:
    """Tell whether the words below the head of a clause can be a sentence: relative
    clauses of a name, of "the man" or after a comma, whose subject is the antecedent;
    other clauses that hold, on a clause that stands alone."""
    word = _verb(top)
    lang = word.lang
    head = top.head
    if not word.is_predicate:
        return False
    if top.dep == "acl:relcl":
        is_aside = top.is_aside or head.pos == "PROPN"
        is_known = is_aside or head.word(lang.determiners, "det") is not None
        return is_known and word.subject is head
    if owners[head] is not head:
        return False
    if top.dep == "advcl":
        return word.is_finite and word.word(lang.factual, "mark") is not None
    link = top.child("cc", "mark")
    is_joined = top.dep in ("conj", "parataxis")
    if not is_joined or (link and link.lower not in lang.joining):
        return False
    thing = word.object
    is_shared = thing is not None and thing is head.object
    return not is_shared and (word.subject is not None or word.tag == lang.base)


def _sentence(top: Word, words: Sequence[Word], owners: Owners) -> str:
    """Write the words of a part as a sentence: without its conjunction, relative words
    and the marks around it, with the subject and auxiliaries that it shares, a capital
    and a full stop."""
    verb = _verb(top)
    subject = verb.subject or verb
    kept = {x.i for x in words} | words_of_verb(verb, None)
    if subject.child("cop") and subject.subject:  # "is a man who left"
        subject = subject.subject
    around = subject.below - case_of(subject)
    kept.update([i for i in around if owners[top.words[i]] is owners[subject]])
    for word in top.children:
        is_link = word.dep in ("cc", "mark") or word.is_relative_word
        if is_link and top.head is not top:
            kept -= word.below
    marks = [i for i in kept if top.words[i].lower in _ASIDE_MARKS]
    kept.difference_update([i for i in marks if not {i - 1, i + 1} <= kept])
    inner = without_marks([top.words[i] for i in sorted(kept)])
    is_joined = len(inner) > 0 and inner[0].dep == "cc"
    text = ""
    for word in inner[is_joined:]:
        is_next = word.i + 1 in kept
        text += word.token.text_with_ws if is_next else f"{word.token.text} "
    return f"{text[:1].upper()}{text[1:].rstrip()}."
