"""Facts ask here which words of a sentence are predicates, what their subjects and
objects are, and which words a phrase has. Heads with the deprels of Universal
Dependencies answer. Words and tags come from the vocabulary's language
(`lang/clause_words.py`)."""

from dataclasses import dataclass
from typing import Container, Iterator, List, Optional

from spacy.tokens import Span, Token

from ..lang import clause_words
from ..lang.clause_words import ClauseLabels, ClauseTags, ClauseWords

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
_NO_HEADS = (
    *VERBAL,
    "amod",
    "compound",
    "case",
    "mark",
    "fixed",
    "flat",
    "goeswith",
)
_OF_RELATIVES = ("xcomp", "conj", "nmod", "obl", "obj", *SUBJECTS)


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


def words_of(token: Token) -> ClauseWords:
    """Give the words by which the clauses of the token's language are read.
    RAISES (ValueError): Nobody has written them down."""
    return clause_words(token.vocab.lang)


def tags_of(token: Token) -> ClauseTags:
    """Give the tags by which they are read."""
    return words_of(token).tags


def labels_of(token: Token) -> ClauseLabels:
    """Give the labels of constituents by which they are read."""
    return words_of(token).labels


def child_of(token: Token, *deprels: str) -> Optional[Token]:
    """Give the first child with one of the deprels."""
    return next((child for child in token.children if child.dep_ in deprels), None)


def has_child(token: Token, *deprels: str) -> bool:
    """Tell whether a child has one of the deprels."""
    return child_of(token, *deprels) is not None


def word_of(token: Token, words: Container[str], *deprels: str) -> Optional[Token]:
    """Give the first child with one of the deprels that is one of some words."""
    found = (x for x in token.children if x.dep_ in deprels and x.lower_ in words)
    return next(found, None)


def is_predicate(token: Token) -> bool:
    """Tell whether a word is the head of a clause: a verb that is no auxiliary, or a
    word with a copula."""
    if token.dep_ in _NO_HEADS:
        return False
    if has_child(token, "cop"):
        return True
    is_verb = token.tag_.startswith(tags_of(token).verbal)
    if token.pos_:
        is_verb = token.pos_ in ("VERB", "AUX")
    return is_verb and not is_auxiliary(token)


def is_auxiliary(token: Token) -> bool:
    """Tell whether a verb only helps the next one: "going to", "have to", "used to"."""
    verb = child_of(token, "xcomp")
    if not verb or not has_child(verb, "mark") or has_child(token, "obj", "advcl"):
        return False
    words = words_of(token)
    lemma = token.lemma_ or token.lower_
    is_gerund = token.tag_ == words.tags.gerund
    is_helping = is_gerund or lemma not in words.auxiliary_gerunds
    return is_helping and lemma in words.auxiliary_verbs


def clause_of(token: Token) -> Token:
    """Give the head of a predicate's clause. A copula's clause is headed by the word
    that the copula joins to the subject."""
    return token.head if token.dep_ == "cop" else token


def is_passive(token: Token) -> bool:
    """Tell whether a verb is passive: with an auxiliary or a subject that says so, or a
    participle that modifies."""
    if any(child.dep_.endswith(":pass") for child in token.children):
        return True
    if token.tag_ != tags_of(token).participle or has_child(token, "aux", "cop"):
        return False
    if token.dep_ == "conj":
        return is_passive(token.head)
    return token.dep_ in ("acl", "advcl")


def top_of(token: Token) -> Token:
    """Give the head of the whole verb: "going" of "going to leave"."""
    if token.dep_ == "xcomp" and is_auxiliary(token.head):
        return top_of(token.head)
    return token


def is_finite(token: Token) -> bool:
    """Tell whether a clause's verb or its auxiliary is finite."""
    top = top_of(token)
    helping = (x for x in (*token.children, *top.children) if x.dep_ in VERBAL)
    finite = tags_of(token).finite
    return any(x.tag_ in finite for x in (token, top, *helping))


def is_relative(token: Token) -> bool:
    """Tell whether a clause's head makes its clause a relative one: with a relative
    word or without, the second half of "It was the driver who caused it", or "to win"
    of "the first woman to win"."""
    if token.dep_ == "acl:relcl":
        return True
    head = token.head
    if token.dep_ == "advcl:relcl":
        return has_child(head, "cop") and has_child(head, "expl")
    if token.dep_ == "advcl":
        return head.lower_ in words_of(token).inclusive
    is_open = is_chosen(head) or not has_child(token, "mark")
    return token.dep_ == "acl" and is_open


def is_chosen(noun: Token) -> bool:
    """Tell whether a noun is one of several by what its clause says: "the first woman",
    "the worst car"."""
    words = words_of(noun)
    before = noun.doc[noun.left_edge.i : noun.i + 1]
    chosen = (x for x in before if x.lower_ in words.inclusive)
    return any(chosen) or any(x.tag_ in words.tags.superlative for x in before)


def is_relative_word(token: Token) -> bool:
    """Tell whether a word is "who", "which" or "that" of a relative clause."""
    return token.tag_ in tags_of(token).relative


def is_prepositional(token: Token) -> bool:
    """Tell whether a participle is a complement with a preposition or a particle: "kept
    him from leaving", "accused him of stealing", "gave up stealing"."""
    words = words_of(token)
    helping = child_of(token, "aux") or token
    is_gerund = words.tags.gerund in (token.tag_, helping.tag_)
    first = token.left_edge
    is_marked = first.lower_ in words.complementing and first.i > token.head.i
    is_marked = is_marked or token.doc[first.i - 1].dep_ == "compound:prt"
    return token.dep_ == "advcl" and is_gerund and is_marked


def is_means(token: Token) -> bool:
    """Tell whether a clause says by what something is done: "by heating sand"."""
    is_marked = word_of(token, words_of(token).means, "mark") is not None
    return token.dep_ == "advcl" and is_marked


def child_above(token: Token, head: Token) -> Token:
    """Give the child of a word that a word below it belongs to."""
    while token.head != head:
        token = token.head
    return token


def is_contrast(token: Token) -> bool:
    """Tell whether a conjunct holds instead of the word before it: "Tom" of "not by
    Anna but by Tom", of "nobody but Tom"."""
    return word_of(token, words_of(token).adversative, "cc", "case") is not None


def subject_of(token: Token) -> Optional[Token]:
    """Give the grammatical subject of a clause's head: its own, or the subject of the
    clause that controls it."""
    subject = child_of(token, *SUBJECTS)
    head = token.head
    if subject:
        return antecedent(subject)
    if head.i == token.i or (is_means(token) and is_passive(head)):
        return None
    words = words_of(token)
    if is_relative(token):
        return named(head)
    thing = child_of(head, "obj", "iobj")
    is_lent = not thing or head.lemma_ in words.subject_control
    if token.dep_ == "xcomp":
        return subject_of(head) if is_lent else thing
    if is_prepositional(token) and head.lemma_ in words.of_gerunds:
        return thing or subject_of(head)
    is_joined = token.dep_ == "conj" and is_predicate(head)
    is_adverbial = token.dep_ == "advcl" and not word_of(token, words.loose, "mark")
    return subject_of(head) if is_joined or is_adverbial else None


def antecedent(token: Token) -> Token:
    """Give the noun for a relative word; any other word stands for itself."""
    if not is_relative_word(token) or has_child(token, "acl:relcl"):
        return token
    verb = token.head
    while verb.dep_ in _OF_RELATIVES and verb.head.i != verb.i:
        verb = verb.head
    is_within = verb.head.i < token.i < verb.i
    return verb.head if is_within and is_relative(verb) else token


def named(noun: Token) -> Token:
    """Give the noun for "what" and "all" if a copula says it: "the price" of "What
    surprised me was the price"."""
    words = words_of(noun)
    is_open = is_relative_word(noun) or noun.lower_ in words.amounts
    is_said = noun.dep_ == "nsubj" and has_child(noun.head, "cop")
    is_noun = noun.head.pos_ in ("NOUN", "PROPN")
    is_denied = word_of(noun.head, words.negations, "advmod")
    return noun.head if is_open and is_said and is_noun and not is_denied else noun


def object_of(token: Token, *, with_prepositions: bool = False) -> Optional[Token]:
    """Give the object of an active verb: a thing, a clause, an antecedent, or "the
    fish" of "cooked and ate the fish" for both verbs. A verb without one has, if
    `with_prepositions`, the noun that a preposition joins. Times and goals of motion
    are no objects."""
    found = (
        child_of(token, "obj")
        or child_of(token, "ccomp")
        or child_of(token, "xcomp")
        or shared_object(token)
        or _missing_object(token)
    )
    if found or not with_prepositions:
        return found
    times = words_of(token).times
    obliques = (x for x in token.rights if x.dep_ == "obl")
    near = (x for x in obliques if x.ent_type_ not in times and not is_goal(x))
    return next(near, None)


def is_time(token: Token) -> bool:
    """Tell whether a noun is a time, which owns nothing: "yesterday's workshop"."""
    return token.lemma_.lower() in words_of(token).moments


def is_stranded(token: Token) -> bool:
    """Tell whether a preposition after a verb has no noun: "the book you asked for"."""
    before = token.doc[token.i - 1]
    is_next = before == token.head and before.pos_ == "VERB"
    return is_next and token.dep_ == "obl" and token.tag_ in tags_of(token).prepositions


def is_goal(token: Token) -> bool:
    """Tell whether a phrase is the goal of a verb of motion: "ran to the
    bus"."""
    words = words_of(token)
    is_moving = token.head.lemma_ in words.motion
    return is_moving and bool(word_of(token, words.directions, "case"))


def _missing_object(token: Token) -> Optional[Token]:
    """Give the object that stands outside of its clause: an antecedent, an object that
    follows two verbs."""
    has_subject = has_child(token, *SUBJECTS)
    head = token.head
    if token.dep_ == "conj" and not has_subject and is_predicate(head):
        shared = (x for x in head.rights if x.dep_ == "obj" and x.i > token.i)
        return next(shared, None)
    is_open = token.dep_ == "acl:relcl" and has_subject
    if not is_open or head.lemma_ in words_of(head).adverbial_nouns:
        return None
    before = token.doc[token.left_edge.i : token.i]
    return None if any(map(is_relative_word, before)) else head


def shared_object(token: Token) -> Optional[Token]:
    """Give the object of the next verb in "cooked and ate the fish"."""
    verb = child_of(token, "conj")
    if not verb or not is_predicate(verb) or has_child(verb, *SUBJECTS):
        return None
    if token.lemma_ in words_of(token).intransitive:
        return None
    between = token.doc[token.i + 1 : verb.i]
    is_next = all(x.dep_ in ("cc", "punct", "aux", "advmod") for x in between)
    return next((x for x in verb.rights if x.dep_ == "obj"), None) if is_next else None


def conjuncts(head: Token) -> Iterator[Token]:
    """Give the words that are coordinated with a word before them, "Tom" of "Anna, not
    Tom" and "tanks instead of tractors" too."""
    for child in head.rights:
        if child.dep_ == "conj" or is_denied_noun(child):
            yield child
            yield from conjuncts(child)


def is_denied_noun(token: Token) -> bool:
    """Tell whether a noun below another says who it was not: "Anna, not Tom", "Anna
    instead of Tom"."""
    words = words_of(token)
    first = token.left_edge.lower_
    if token.dep_ == "nmod":
        return first in words.substituting
    return token.dep_ == "appos" and first in words.negations


def phrase(
    head: Token,
    start: int = 0,
    end: Optional[int] = None,
    label: str = "",
    *,
    is_clause: bool = True,
) -> Span:
    """Give the words below a head and next to it from `start` to `end`, without
    prepositions, conjuncts, appositions, relative clauses and marks at its ends;
    without a clause's own words ("red" of "it is red") if not `is_clause`."""
    is_clause = is_clause and (is_auxiliary(head) or is_predicate(head))
    out = _OUT_OF_CLAUSE if is_clause else OUT_OF_PHRASE
    hyphen = tags_of(head).hyphen
    kept = {head.i}
    for child in head.children:
        is_within = child.dep_ not in out
        is_within = is_within and not is_outside(child, is_clause=is_clause)
        if is_within or child.tag_ == hyphen:
            kept.update(range(child.left_edge.i, child.right_edge.i + 1))
    first = head.i
    while first - 1 in kept and first > start:
        first -= 1
    last = head.i + 1
    while last in kept and last != end:
        last += 1
    return trimmed(head, first, last, label)


def is_outside(token: Token, *, is_clause: bool) -> bool:
    """Tell whether a word or clause is no part of its phrase: "not" of "not Tom", "not
    only", "both", a participle after a comma, "instead of Tom"."""
    head = token.head
    words = words_of(token)
    before = token.doc[max(token.left_edge.i - 1, 0)].lower_
    if token.dep_ == "acl":
        return words.tags.comma in (before, token.left_edge.lower_)
    if token.lower_ in words.correlatives:
        is_determiner = token.dep_ in ("det", "det:predet")
        is_first = token.i == head.left_edge.i and has_child(head, "conj")
        return is_determiner or is_first or is_contrast(head)
    if token.lower_ in words.limiting:
        return before in words.negations
    is_denial = token.dep_ == "advmod" and token.lower_ in words.negations
    is_idle = is_denial and (is_limited(token) or not is_clause)
    return is_idle or is_denied_noun(token)


def is_limited(token: Token) -> bool:
    """Tell whether a word does not deny: "not" of "not only"."""
    following = token.doc[token.i + 1 : token.i + 2]
    return any(x.lower_ in words_of(x).limiting for x in following)


def trimmed(head: Token, start: int, end: int, label: str = "") -> Span:
    """Give the tokens around a word, without marks and white space at the ends."""
    currency = tags_of(head).currency
    inner = [head.i]
    for token in head.doc[start:end]:
        is_mark = token.dep_ == "punct" if token.dep else token.is_punct
        is_currency = token.i < head.i and token.tag_ == currency
        if is_currency or not (is_mark or token.is_space):
            inner.append(token.i)
    return Span(head.doc, min(inner), max(inner) + 1, label=label)


def without_marks(words: List[Token]) -> List[Token]:
    """Give words without the marks and spaces at their ends. A mark that belongs to the
    words beside it stays: "$", ")"."""
    kept = [*words]
    for place in (0, -1):
        while kept and (kept[place].dep_ == "punct" or kept[place].is_space):
            tags = tags_of(kept[place])
            if kept[place].tag_ in (tags.closing if place else tags.opening):
                break
            kept.pop(place)
    return kept
