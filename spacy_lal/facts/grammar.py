"""Which words of a sentence are subjects and objects, and which words a phrase has.
Heads with the deprels of Universal Dependencies answer; words and tags are those of the
language (`lang/clause_words.py`)."""

from dataclasses import dataclass
from typing import Iterator, List, Optional

from spacy.tokens import Span, Token

from .sentence import Word

SUBJECTS = ("nsubj", "csubj", "nsubj:pass", "csubj:pass", "nsubj:outer", "csubj:outer")
INNER_SUBJECTS = SUBJECTS[:4]
OUTER_SUBJECTS = SUBJECTS[4:]
COORDINATION = ("conj", "cc", "cc:preconj")
VERBAL = ("aux", "aux:pass", "cop")
# Deprels of words below a phrase's head that a relation leaves out of the phrase
_OUT_OF_CLAUSE = (
    *COORDINATION,
    "acl:relcl",
    "advcl:relcl",
    "appos",
    "parataxis",
    "vocative",
    "discourse",
    "list",
)
OUT_OF_PHRASE = (
    *_OUT_OF_CLAUSE,
    *VERBAL,
    *SUBJECTS,
    "case",
    "punct",
    "mark",
    "advcl",
    "expl",
)
_OF_RELATIVES = ("xcomp", "conj", "nmod", "obl", "obj", *SUBJECTS)
_NOUNS = ("NOUN", "PROPN")
# What a verb of saying may have said before another clause stands beside it
_CONTENTS = ("obj", "obl", "discourse", "advmod", "ccomp", "xcomp")
_BETWEEN_VERBS = ("cc", "punct", "aux", "advmod")


@dataclass(frozen=True)
class Clause:
    """A clause of a sentence.

    span (Span): Its words, with the clauses that belong to it, without coordinate
        clauses, conjunction and outer marks.
    kind (str): "main", "complement", "relative", "adverbial" or "coordinate" (after
        another clause, with or without a conjunction).
    verb (Token): Its verb; the copula, where it has one.
    subject (Optional[Span]): Its subject, as in `Relation`: its own, an antecedent,
        or the subject of the clause around it.
    is_independent (bool): Whether it can stand alone: it has a finite verb and a
        subject of its own and nothing that subordinates it, or it is an imperative."""

    span: Span
    kind: str
    verb: Token
    subject: Optional[Span]
    is_independent: bool


def clause_of(word: Word) -> Word:
    """Give the head of a predicate's clause. A copula's clause is headed by the word
    that the copula joins to the subject."""
    return word.head if word.dep == "cop" else word


def is_passive(word: Word) -> bool:
    """Tell whether a verb is passive: with an auxiliary or a subject that says so, or a
    participle that modifies."""
    while True:
        deprels = [child.dep for child in word.children]
        if any(":pass" in deprel for deprel in deprels):
            return True
        is_bare = "aux" not in deprels and "cop" not in deprels
        if word.tag != word.lang.tags.participle or not is_bare:
            return False
        if word.dep != "conj":
            return word.dep in ("acl", "advcl")
        word = word.head


def top_of(word: Word) -> Word:
    """Give the head of the whole verb: "going" of "going to leave"."""
    while word.dep == "xcomp" and word.head.is_auxiliary:
        word = word.head
    return word


def is_finite(word: Word) -> bool:
    """Tell whether a clause's verb or its auxiliary is finite."""
    top = top_of(word)
    finite = word.lang.tags.finite
    verbs = [x for x in (*word.children, *top.children) if x.dep in VERBAL]
    return not {x.tag for x in (word, top, *verbs)}.isdisjoint(finite)


def is_relative(word: Word) -> bool:
    """Tell whether a clause's head makes its clause a relative one: with a relative
    word or without, the second half of "It was the driver who caused it", or "to win"
    of "the first woman to win"."""
    head = word.head
    if word.dep == "advcl:relcl":
        return bool(head.child("cop") and head.child("expl"))
    if word.dep == "advcl":
        return head.lower in word.lang.inclusive
    if word.dep == "acl":
        return not word.child("mark") or is_chosen(head)
    return word.dep == "acl:relcl"


def is_chosen(noun: Word) -> bool:
    """Tell whether a noun is one of several by what its clause says: "the first woman",
    "the worst car"."""
    lang = noun.lang
    return noun.lower in lang.inclusive or any(
        child.i < noun.i
        and (child.lower in lang.inclusive or child.tag in lang.tags.superlative)
        for child in noun.children
    )


def is_relative_word(word: Word) -> bool:
    """Tell whether a word is "who", "which" or "that" of a relative clause."""
    return word.tag in word.lang.tags.relative


def is_prepositional(word: Word) -> bool:
    """Tell whether a participle is a complement with a preposition or a particle: "kept
    him from leaving", "accused him of stealing", "gave up stealing"."""
    if word.dep != "advcl":
        return False
    helping = word.child("aux") or word
    mark = word.child("mark")
    is_gerund = word.lang.tags.gerund in (word.tag, helping.tag)
    is_marked = mark and mark.lower in word.lang.complementing and mark.i > word.head.i
    particle = word.head.child("compound:prt")
    is_next = particle is not None and particle.i == word.first - 1
    return is_gerund and bool(is_marked or is_next)


def is_means(word: Word) -> bool:
    """Tell whether a clause says by what something is done: "by heating sand"."""
    return word.dep == "advcl" and word.word(word.lang.means, "mark") is not None


def child_above(word: Word, head: Word) -> Word:
    """Give the child of a word that a word below it belongs to."""
    while word.head is not head:
        word = word.head
    return word


def is_contrast(word: Word) -> bool:
    """Tell whether a conjunct holds instead of the word before it: "Tom" of "not by
    Anna but by Tom", of "nobody but Tom"."""
    return word.word(word.lang.adversative, "cc", "case") is not None


def set_subject(word: Word) -> None:
    """Find the grammatical subject of a clause's head: its own, or the subject of the
    clause that controls it, which was found before."""
    subject = word.child(*SUBJECTS)
    if subject:
        word.subject = antecedent(subject)
    elif word.head is not word:
        word.subject = _lent_subject(word)


def _lent_subject(word: Word) -> Optional[Word]:
    head = word.head
    lang = word.lang
    if is_relative(word):
        return named(head)
    if is_means(word) and is_passive(head):
        return None
    if word.dep == "conj":
        return head.subject if head.is_predicate else None
    if word.dep not in ("xcomp", "advcl"):
        return None
    thing = head.child("obj", "iobj")
    if word.dep == "xcomp":
        is_lent = not thing or head.lemma in lang.subject_control
        return head.subject if is_lent else thing
    if is_prepositional(word) and head.lemma in lang.of_gerunds:
        return thing or head.subject
    return None if word.word(lang.loose, "mark") else head.subject


def antecedent(word: Word) -> Word:
    """Give the noun for a relative word; any other word stands for itself."""
    if not is_relative_word(word) or word.child("acl:relcl"):
        return word
    verb = word.head
    while verb.dep in _OF_RELATIVES and verb.head is not verb:
        verb = verb.head
    is_within = verb.head.i < word.i < verb.i
    return verb.head if is_within and is_relative(verb) else word


def named(noun: Word) -> Word:
    """Give the noun for "what" and "all" if a copula says it: "the price" of "What
    surprised me was the price"."""
    above = noun.head
    is_open = is_relative_word(noun) or noun.lower in noun.lang.amounts
    is_said = noun.dep == "nsubj" and above.pos in _NOUNS and above.child("cop")
    return above if is_open and is_said and not above.denial else noun


def object_of(word: Word, *, with_prepositions: bool = False) -> Optional[Word]:
    """Give the object of an active verb: a thing, a clause, an antecedent, or "the
    fish" of "cooked and ate the fish" for both verbs. A verb without one has, if
    `with_prepositions`, the noun that a preposition joins. Times and goals of motion
    are no objects."""
    for deprel in ("obj", "ccomp", "xcomp"):
        thing = word.child(deprel)
        if thing and not (deprel == "ccomp" and is_beside(thing)):
            return thing
    thing = shared_object(word) or _missing_object(word)
    if thing or not with_prepositions:
        return thing
    times = word.lang.times
    for child in word.children:
        is_after = child.i > word.i and child.dep == "obl"
        if is_after and child.token.ent_type_ not in times and not is_goal(child):
            return child
    return None


def is_beside(clause: Word) -> bool:
    """Tell whether a clause after another one only stands beside it, though it hangs on
    its verb: "She wrote a letter; he ate the soup"."""
    head = clause.head
    tags = clause.lang.tags
    if clause.i < head.i or clause.child("mark") or not clause.child(*SUBJECTS):
        return False
    inner = clause.sentence.words[head.i + 1 : clause.i]
    if inner and inner[0].dep == "discourse":  # "said no, I left"
        return True
    marks = [x for x in inner if x.dep == "punct" and x.i <= clause.first]
    if not marks or any(x.tag in tags.opening for x in marks):
        return False
    is_said = any(x.dep in _CONTENTS for x in inner if x.head is head)
    return is_said or marks[-1].text == tags.semicolon


def is_time(word: Word) -> bool:
    """Tell whether a noun is a time, which owns nothing: "yesterday's workshop"."""
    return word.lemma in word.lang.moments


def is_stranded(word: Word) -> bool:
    """Tell whether a preposition after a verb has no noun: "the book you asked for"."""
    is_next = word.i == word.head.i + 1 and word.head.pos == "VERB"
    return is_next and word.dep == "obl" and word.tag in word.lang.tags.prepositions


def is_goal(word: Word) -> bool:
    """Tell whether a phrase is the goal of a verb of motion: "ran to the
    bus"."""
    is_moving = word.head.lemma in word.lang.motion
    return is_moving and bool(word.word(word.lang.directions, "case"))


def _missing_object(word: Word) -> Optional[Word]:
    """Give the object that stands outside of its clause: an antecedent, an object that
    follows two verbs."""
    subject = word.child(*SUBJECTS)
    head = word.head
    if word.dep == "conj" and not subject and head.is_predicate:
        shared = [x for x in head.children if x.dep == "obj" and x.i > word.i]
        return shared[0] if shared else None
    is_open = word.dep == "acl:relcl" and subject is not None
    if not is_open or head.lemma in word.lang.adverbial_nouns:
        return None
    before = word.sentence.words[word.first : word.i]
    return None if any(map(is_relative_word, before)) else head


def shared_object(word: Word) -> Optional[Word]:
    """Give the object of the next verb in "cooked and ate the fish"; of "wilt, lose
    their leaves" there is none."""
    verb = word.child("conj")
    lang = word.lang
    if not verb or not verb.is_predicate or verb.child(*SUBJECTS):
        return None
    if word.lemma in lang.intransitive:
        return None
    inner = word.sentence.words[word.i + 1 : verb.i]
    is_next = all(x.dep in _BETWEEN_VERBS for x in inner)
    is_pair = any(x.dep == "cc" for x in inner)
    thing = verb.child("obj")
    is_after = thing is not None and thing.i > verb.i
    return thing if is_next and is_pair and is_after else None


def conjuncts(head: Word) -> Iterator[Word]:
    """Give the words that are coordinated with a word before them, "Tom" of "Anna, not
    Tom" and "tanks instead of tractors" too, but no "etc."."""
    stack = [head]
    while stack:
        word = stack.pop()
        if word is not head:
            yield word
        stack += [
            x
            for x in reversed(word.children)
            if x.i > word.i
            and (x.dep == "conj" or is_denied_noun(x))
            and x.lower not in head.lang.others
        ]


def is_denied_noun(word: Word) -> bool:
    """Tell whether a noun below another says who it was not: "Anna, not Tom", "Anna
    instead of Tom"."""
    if word.dep not in ("nmod", "appos") or word.denial is None:
        return False
    is_replaced = word.denial.lower in word.lang.substituting
    before = (child for child in word.children if child.i < word.denial.i)
    is_first = all(child.dep == "punct" for child in before)
    return is_first and (word.dep == "appos" or is_replaced)


def phrase(
    head: Word,
    start: int = 0,
    end: Optional[int] = None,
    label: str = "",
    *,
    is_clause: bool = True,
) -> Span:
    """Give the words below a head and next to it from `start` to `end`, without
    prepositions, conjuncts, appositions, relative clauses and marks at its ends;
    without a clause's own words ("red" of "it is red") if not `is_clause`."""
    is_clause = is_clause and (head.is_auxiliary or head.is_predicate)
    out = _OUT_OF_CLAUSE if is_clause else OUT_OF_PHRASE
    hyphen = head.lang.tags.hyphen
    kept = {head.i}
    for child in head.children:
        is_part = child.dep not in out and not is_outside(child, is_clause=is_clause)
        if is_part or child.tag == hyphen:
            kept.update(range(child.first, child.last + 1))
    first = head.i
    while first - 1 in kept and first > start:
        first -= 1
    last = head.i + 1
    while last in kept and last != end:
        last += 1
    return trimmed(head, first, last, label)


def is_outside(word: Word, *, is_clause: bool) -> bool:
    """Tell whether a word or clause is no part of its phrase: "not" of "not Tom", "not
    only", "both", a participle after a comma, "instead of Tom", what stands in
    brackets."""
    head = word.head
    lang = word.lang
    before = word.sentence.words[max(word.first - 1, 0)]
    if bool({before.text, word.sentence.words[word.first].text} & lang.tags.brackets):
        return word.i > head.i
    if word.dep == "acl":
        return lang.tags.comma in (before.text, word.sentence.words[word.first].text)
    if word.lower in lang.correlatives:
        is_determiner = word.dep in ("det", "det:predet")
        is_first = word.i == head.first and head.child("conj") is not None
        return is_determiner or is_first or is_contrast(head)
    if word.lower in lang.limiting:
        return before.lower in lang.negations
    is_denial = word.dep == "advmod" and word.lower in lang.negations
    is_idle = is_denial and (is_limited(word) or not is_clause)
    return is_idle or is_denied_noun(word)


def is_limited(word: Word) -> bool:
    """Tell whether a word does not deny: "not" of "not only"."""
    following = word.sentence.words[word.i + 1 : word.i + 2]
    return any(x.lower in word.lang.limiting for x in following)


def trimmed(head: Word, start: int, end: int, label: str = "") -> Span:
    """Give the tokens around a word, without marks and white space at the ends."""
    words = head.sentence.words
    while start < head.i and is_mark(words[start]):
        start += 1
    while end - 1 > head.i and is_mark(words[end - 1]):
        end -= 1
    return head.sentence.span_of(min(start, head.i), max(end, head.i + 1), label)


def is_mark(word: Word) -> bool:
    """Tell whether a word is a mark or white space, but for "$" before a number."""
    is_currency = word.tag == word.lang.tags.currency and word.i < word.head.i
    return (word.dep == "punct" or word.token.is_space) and not is_currency


def without_marks(words: List[Word]) -> List[Word]:
    """Give words without the marks and spaces at their ends. A mark that belongs to the
    words beside it stays: "$", ")"."""
    kept = [*words]
    for place in (0, -1):
        while kept and is_mark(kept[place]):
            tags = kept[place].lang.tags
            if kept[place].tag in (tags.closing if place else tags.opening):
                break
            kept.pop(place)
    return kept
