"""`simplify` says a sentence as sentences of one clause each."""

from typing import Dict, List, Optional, Set

from .grammar import SUBJECTS, antecedent, object_of
from .phrases import phrase, without_marks
from .sentence import Sentence, Word

_SHARED = ("aux", "aux:pass")
_ASIDE_MARKS = ",;–—"


def simplify_sentence(sentence: Sentence) -> List[str]:
    """Divide a sentence into sentences of one clause each."""
    alone: Set[int] = set()
    owners: Dict[int, Word] = {}
    for word in sentence.order:
        if _stands_alone(word, alone):
            alone.add(word.i)
            owners[word.i] = word
        else:
            owners[word.i] = owners[word.head.i]
    text = sentence.span.text.strip()
    if len(alone) < 2 or text.endswith(sentence.lang.tags.question):
        return [text]
    parts: Dict[int, List[Word]] = {}
    for word in sentence.words:
        parts.setdefault(owners[word.i].i, []).append(word)
    return [_sentence(sentence.words[i], words) for i, words in parts.items()]


def _verb(top: Word) -> Word:
    """Give the verb that an auxiliary one helps."""
    return (top.child("xcomp") if top.is_auxiliary else None) or top


def _stands_alone(top: Word, alone: Set[int]) -> bool:
    """Tell whether the words below the head of a clause can be a sentence: relative
    clauses of a name, of "the man" or after a comma, other clauses that hold, with a
    subject and on a clause that stands alone."""
    word = _verb(top)
    noun = top.head
    if noun is top or not word.is_predicate:
        return noun is top
    lang = word.lang
    mark = word.child("mark")
    if top.dep == "acl:relcl":
        first = top.sentence.words[top.first]
        is_known = noun.pos == "PROPN" or first.lower == lang.tags.comma
        is_known = is_known or noun.child("nmod:poss") is not None
        is_known = is_known or any(x.lower in lang.determiners for x in noun.children)
        return is_known and word.is_finite and _gap(word) is not None
    if noun.i not in alone:
        return False
    if top.dep == "advcl":
        is_fact = mark is not None and mark.lower in lang.factual
        return is_fact and word.is_finite and word.child(*SUBJECTS) is not None
    conjunction = top.child("cc")
    is_joined = top.dep in ("conj", "parataxis") and not mark
    if conjunction and conjunction.lower not in lang.joining:
        is_joined = False
    is_named = word.subject is not None or word.tag == lang.tags.base
    return is_joined and is_named and noun.dep != "acl:relcl"


def _gap(word: Word) -> Optional[str]:
    """Tell where the antecedent of a relative clause belongs: "subject", "object"; None
    if it cannot be said alone."""
    tags = word.lang.tags
    before = word.sentence.words[word.first : word.i]
    words = [x for x in before if x.tag in tags.asking]
    if words and words == [word.child(*SUBJECTS)]:
        return "subject"
    thing = object_of(word)
    is_object = thing is not None and antecedent(thing) is word.head
    is_alone = words in ([], [thing]) and not word.child("conj", "cop", "mark")
    return "object" if is_object and is_alone else None


def _phrase(head: Word, verb: Word) -> List[Word]:
    span = phrase(head, verb)
    start = head.sentence.span.start
    return head.sentence.words[span.start - start : span.end - start]


def _sentence(top: Word, inner: List[Word]) -> str:
    """Write the words of a part as a sentence, with the words that it lacks, a capital
    and a full stop. The sentence's first word loses its capital elsewhere."""
    verb = _verb(top)
    is_root = top.head is top
    gap = _gap(verb) if top.dep == "acl:relcl" else None
    words = _own_words(top, inner, gap)
    thing = object_of(verb)
    if thing and (thing not in inner or gap == "object"):
        place = words.index(verb) + 1
        for word in words[place:]:
            is_before = word.dep in ("compound:prt", "iobj")
            is_before = is_before or word.tag in word.lang.tags.prepositions
            if not is_before or word.children:  # "for" of "you asked for" has none
                break
            place += 1
        words[place:place] = _phrase(antecedent(thing), verb)
    subject = verb.subject
    if gap == "subject":
        words = [*_phrase(top.head, verb), *words]
    elif subject and not is_root and not verb.child(*SUBJECTS):
        words = [*_shared_words(top, verb, subject), *words]
    last = top.sentence.words[-1].lower
    return _written(words) + ("!" if is_root and last == "!" else ".")


def _own_words(top: Word, inner: List[Word], gap: Optional[str]) -> List[Word]:
    """Give the words of a part without its conjunction, relative words and marks."""
    verb = _verb(top)
    out = [verb.child("mark"), top.child("cc")]
    if gap:
        out += [x for x in verb.children if x.tag in top.lang.tags.relative]
    if top.head is top:
        out = []
    words = [x for x in inner if x not in out]
    kept = {x.i for x in words}
    words = [
        x for x in words if x.lower not in _ASIDE_MARKS or {x.i - 1, x.i + 1} <= kept
    ]
    return without_marks(words)


def _shared_words(top: Word, verb: Word, subject: Word) -> List[Word]:
    """Give the subject and the auxiliaries that a conjunct shares."""
    words = subject.sentence.words
    named = words[subject.first : subject.last + 1]
    if not subject.child("conj"):
        named = _phrase(subject, verb)
    first = top.head
    while first.dep == "conj" and not first.is_finite:
        first = first.head
    negations = top.lang.negations
    helping = [
        x
        for x in first.children
        if x.i < first.i and (x.dep in _SHARED or x.lemma in negations)
    ]
    return named if verb.is_finite else [*named, *helping]


def _written(words: List[Word]) -> str:
    text = ""
    for word, after in zip(words, [*words[1:], *words[-1:]], strict=True):
        is_name = word.pos == "PROPN" or word.token.text == word.lang.pronoun
        is_lowered = text and word.i == 0 and not is_name
        is_next = after.i == word.i + 1
        space = word.token.whitespace_ if is_next else " " * (not after.token.is_punct)
        text += (word.lower if is_lowered else word.token.text) + space
    return text[:1].upper() + text[1:].rstrip()
