"""The clauses of a sentence, `sent._.clauses`, and sentences of one clause each, `simplify`: from heads with deprels of
Universal Dependencies, in a joint parse with the constituent that a clause's head heads. English alone."""

from dataclasses import dataclass
from typing import Dict, List, Optional

from spacy.tokens import Span, Token

from ..lang import en
from .parses import check_present

SUBJECTS = ("nsubj", "csubj", "nsubj:pass", "csubj:pass", "nsubj:outer", "csubj:outer")
# What hangs on a phrase's head, and is no part of the phrase in a relation
_LOOSE = tuple("acl:relcl advcl:relcl appos parataxis conj cc case punct vocative discourse list".split())
_OUT_OF_CLAUSE = tuple(one for one in _LOOSE if one not in ("case", "punct"))
_OF_CLAUSE = ("cop", "aux", "aux:pass", "mark", "advcl", "expl", *SUBJECTS)
_KINDS = {"ROOT": "main", "acl:relcl": "relative", "advcl:relcl": "relative", "advcl": "adverbial"}
_KINDS |= dict.fromkeys(("ccomp", "xcomp", "csubj", "csubj:pass", "csubj:outer"), "complement")
_FINITE = ("VBD", "VBZ", "VBP", "MD")
_VERBAL = ("aux", "aux:pass", "cop")


@dataclass(frozen=True)
class Clause:
    """A clause of a sentence.
    span (Span): Its words, with the clauses that belong to it, without coordinate clauses, conjunction and outer marks.
    kind (str): "main", "complement", "relative", "adverbial" or "coordinate" (after another clause, with or without a
        conjunction).
    verb (Token): Its verb; the copula, where it has one.
    subject (Optional[Span]): Its subject, as in `Relation`: its own, an antecedent, that of the clause around it.
    is_independent (bool): Whether it can stand alone: it has a finite verb and a subject of its own and nothing that
        subordinates it, or it is an imperative."""

    span: Span
    kind: str
    verb: Token
    subject: Optional[Span]
    is_independent: bool


def get_clauses(span: Span) -> List[Clause]:
    """The clauses of a sentence, or those of a Span whose verbs lie in it, in the order of their verbs: kind, verb,
    subject, and whether they can stand alone. Empty without heads."""
    check_present(span)
    return [_clause(token) for token in span if span.doc.has_annotation("DEP") and is_predicate(token)]


def _clause(token: Token) -> Clause:
    top = top_of(token)
    kind, subject, mark = _kind(top), subject_of(token), child_of(top, "mark")
    is_own = any(child_of(x, *SUBJECTS) for x in (token, top)) or (subject is None and token.tag_ == "VB")
    is_alone = kind not in ("relative", "adverbial") and mark is None and (is_finite(token) or token.tag_ == "VB")
    return Clause(
        _range(token, top),
        kind,
        child_of(token, "cop") or token,
        None if subject is None else phrase(subject, 0, top.i if subject.i < top.left_edge.i else None),
        is_own and is_alone,
    )


def top_of(token: Token) -> Token:
    """The head of the whole verb: "going" of "going to leave"."""
    while token.dep_ == "xcomp" and is_auxiliary(token.head):
        token = token.head
    return token


def _kind(top: Token) -> str:
    if top.dep_ == "acl":
        return "relative" if child_of(top, "mark") is None else "complement"
    if top.dep_ in ("conj", "parataxis", "list", "appos", "dep"):
        return "coordinate"
    return _KINDS.get(top.dep_, "complement")


def is_finite(token: Token) -> bool:
    """Whether a clause's verb or its auxiliary is finite."""
    verbs = [token, top_of(token), *token.lefts, *top_of(token).lefts, *(x for x in token.rights if x.dep_ == "cop")]
    return any(x.tag_ in _FINITE and (x in (token, top_of(token)) or x.dep_ in _VERBAL) for x in verbs)


def _range(token: Token, top: Token) -> Span:
    start, end = top.left_edge.i, top.right_edge.i + 1
    if top.dep_ == "acl:relcl" and top.head.i == start - 1 and top.head.tag_ in en.RELATIVE_TAGS:
        start -= 1  # "what" of "what they found", which has no antecedent
    for child in (*top.children, *token.children):
        if child.dep_ in ("conj", "parataxis") and (is_predicate(child) or is_auxiliary(child)):
            start, end = (start, min(end, child.left_edge.i)) if child.i > token.i else (child.right_edge.i + 1, end)
    while start < token.i and (token.doc[start].is_punct or token.doc[start].dep_ == "cc"):
        start += 1
    return trimmed(token, start, end)


# Sentences of one clause each


def simplify(span: Span) -> List[str]:
    """A sentence as sentences of one clause each: "He left." and "The man bought it." for "The man, who bought it,
    left.". Coordinate, relative and some adverbial clauses ("because", "although", "while") are said alone, with the
    antecedent or the shared subject, auxiliary and object put in. No word is made up or changed, but for a capital and
    a full stop: complements, conditions, participles and questions in a sentence stay where they are.
    The sentence itself where nothing can be said alone."""
    check_present(span)
    parts: Dict[int, List[Token]] = {}
    for token in span:
        owner = token
        while owner.head.i != owner.i and not _stands_alone(owner):
            owner = owner.head
        parts.setdefault(owner.i, []).append(token)
    if not span.doc.has_annotation("DEP") or len(parts) == 1 or span.text.strip().endswith("?"):
        return [span.text.strip()]
    return [_sentence(span.doc[i], tokens) for i, tokens in sorted(parts.items(), key=lambda one: one[1][0].i)]


def _stands_alone(top: Token) -> bool:
    """Whether the words below the head of a clause can be a sentence."""
    token = child_of(top, "xcomp") if is_auxiliary(top) else top
    if top.head.i == top.i or token is None or not is_predicate(token):
        return top.head.i == top.i
    mark, word = child_of(token, "mark"), child_of(top, "cc")
    if top.dep_ == "acl:relcl":
        return _gap(token) is not None and is_finite(token) and _is_known(top)
    if top.dep_ == "advcl":
        is_fact = mark is not None and mark.text.lower() in en.FACTUAL
        return is_fact and child_of(token, *SUBJECTS) is not None and is_finite(token) and _stands_alone(top.head)
    is_joined = top.dep_ in ("conj", "parataxis") and (word is None or word.text.lower() in en.JOINING)
    is_known = mark is None and subject_of(token) is not None and top.head.dep_ != "acl:relcl"
    return is_joined and is_known and _stands_alone(top.head)


def _is_known(top: Token) -> bool:
    """Whether a relative clause holds by itself: of a name, "the man", after a comma; not of "every man"."""
    words = (x.text.lower() for x in top.head.lefts if x.dep_ == "det")
    is_definite = any(word in en.DETERMINERS for word in words) or child_of(top.head, "nmod:poss") is not None
    return is_definite or top.head.pos_ == "PROPN" or top.doc[top.left_edge.i].text == ","


def _gap(token: Token) -> Optional[str]:
    """Where the antecedent of a relative clause belongs: "subject", "object"; None if it cannot be said alone."""
    words = [x for x in token.doc[token.left_edge.i : token.i] if x.tag_ in (*en.RELATIVE_TAGS, "WRB")]
    subject, word = child_of(token, *SUBJECTS), relative_word(token)
    if subject is not None and words == [subject]:
        return "subject"
    if subject is None or (words and (word is None or word.dep_ != "obj" or len(words) > 1)):
        return None
    is_full = child_of(token, "conj", *(() if words else ("obj", "ccomp", "xcomp", "cop", "mark", "obl"))) is not None
    return None if is_full or token.head.lemma_ in en.ADVERBIAL_NOUNS else "object"


def _sentence(top: Token, tokens: List[Token]) -> str:
    """The words of a part as a sentence, with what it lacks."""
    token = (child_of(top, "xcomp") if is_auxiliary(top) else top) or top
    is_root = top.head.i == top.i
    gap = _gap(token) if top.dep_ == "acl:relcl" else None
    out = () if is_root else (child_of(token, "mark"), child_of(top, "cc"))
    words = [x for x in tokens if x not in out and not (gap and x.head == token and x.tag_ in en.RELATIVE_TAGS)]
    kept = {x.i for x in words}
    words = [x for x in words if x.text not in ",;–—" or {x.i - 1, x.i + 1} <= kept]
    while words and (words[0].is_punct or words[0].is_space) and words[0].tag_ not in ("$", "``", "-LRB-"):
        words.pop(0)
    while words and (words[-1].dep_ == "punct" or words[-1].is_space) and words[-1].tag_ not in ("''", "-RRB-"):
        words.pop()
    before: List[Token] = []
    thing = top.head if gap == "object" else shared_object(token)
    if gap == "subject":
        before = [*phrase(top.head, 0, top.left_edge.i)]
    elif not is_root and child_of(token, *SUBJECTS) is None:
        subject, first = subject_of(token), top.head
        before = [*phrase(subject)] if subject is not None else []
        while first.dep_ == "conj" and not is_finite(first):
            first = first.head
        lends = () if is_finite(token) else (x for x in first.lefts if x.dep_ in _VERBAL or x.lemma_ in en.NEGATIONS)
        before += [x for x in lends if x.dep_ != "cop"]
    place = next((i + 1 for i, x in enumerate(words) if x == token), len(words))
    if place < len(words) and words[place].dep_ == "compound:prt":
        place += 1
    after = [] if thing is None else [*phrase(thing, 0, top.left_edge.i if gap else None)]
    end = token.sent[-1].text if is_root and token.sent[-1].text == "!" else "."
    return _text([*before, *words[:place], *after, *words[place:]], token.sent.start) + end


def _text(words: List[Token], start: int) -> str:
    """Words with their spaces and a capital; the first word of the sentence loses its own elsewhere."""
    text, before = "", None
    for word in words:
        is_next = before is not None and before.i + 1 == word.i
        space = "" if before is None or (is_next and not before.whitespace_) or (not is_next and word.is_punct) else " "
        is_lowered = before is not None and word.i == start and word.pos_ != "PROPN" and word.text != "I"
        text += space + (word.text.lower() if is_lowered else word.text)
        before = word
    return text[:1].upper() + text[1:]


# Words and phrases


def child_of(token: Token, *deprels: str) -> Optional[Token]:
    """The first child with one of the deprels."""
    return next((child for child in token.children if child.dep_ in deprels), None)


def is_predicate(token: Token) -> bool:
    """Whether a word is the head of a clause: a verb that is no auxiliary, or a word with a copula."""
    if token.dep_ in ("aux", "aux:pass", "cop", "amod", "compound", "case", "mark", "fixed", "flat", "goeswith"):
        return False
    is_verb = token.pos_ in ("VERB", "AUX") if token.pos_ else token.tag_[:2] in ("VB", "MD")
    return (is_verb and not is_auxiliary(token)) or child_of(token, "cop") is not None


def is_auxiliary(token: Token) -> bool:
    """Whether a verb only helps the next one: "going to", "have to", "used to"."""
    if (token.lemma_ or token.text.lower()) not in en.AUXILIARY_VERBS or child_of(token, "obj", "advcl"):
        return False
    verb = child_of(token, "xcomp")
    mark = verb and child_of(verb, "mark")
    return bool(mark) and (token.lemma_ != "go" or token.tag_ == "VBG")


def is_passive(token: Token) -> bool:
    """Whether a verb is passive: with an auxiliary or a subject that says so, or a participle that modifies."""
    if any(child.dep_.endswith(":pass") for child in token.children):
        return True
    if token.tag_ != "VBN" or child_of(token, "aux", "cop"):
        return False
    return token.dep_ in ("acl", "advcl") or (token.dep_ == "conj" and is_passive(token.head))


def own_subject(token: Token) -> Optional[Token]:
    """The subject that hangs on a clause's head; the antecedent for a relative word."""
    subject = child_of(token, *SUBJECTS)
    return None if subject is None else antecedent(subject)


def subject_of(token: Token) -> Optional[Token]:
    """The grammatical subject of a clause's head: its own, or that of the clause that controls it."""
    subject = own_subject(token)
    head, deprel = token.head, token.dep_
    if subject is not None or head.i == token.i:
        return subject
    if deprel in ("acl", "acl:relcl") and (deprel == "acl:relcl" or child_of(token, "mark") is None):
        return None if deprel == "acl:relcl" and relative_word(token) is not None else head
    if deprel == "xcomp":
        thing = child_of(head, "obj", "iobj")
        return thing if thing is not None and head.lemma_ not in en.SUBJECT_CONTROL else subject_of(head)
    if deprel == "conj" and is_predicate(head) or deprel == "advcl":
        return subject_of(head)
    return None


def relative_word(token: Token) -> Optional[Token]:
    """The relative word of a relative clause that is no subject."""
    return next((x for x in token.lefts if x.tag_ in en.RELATIVE_TAGS and x.dep_ not in SUBJECTS), None)


def antecedent(token: Token) -> Token:
    """The noun for a relative word; other words themselves."""
    if token.tag_ not in en.RELATIVE_TAGS or child_of(token, "acl:relcl") is not None:
        return token
    verb = token.head
    while verb.dep_ in ("xcomp", "conj", "nmod", "obl") and verb.head.i != verb.i:
        verb = verb.head
    return verb.head if verb.dep_ == "acl:relcl" and verb.i > token.i and verb.head.i < token.i else token


def conjuncts(head: Token) -> List[Token]:
    """A word and the words that are coordinated with it."""
    found = [head]
    for child in head.rights:
        found += conjuncts(child) if child.dep_ == "conj" else []
    return found


def phrase(head: Token, start: int = 0, end: Optional[int] = None, label: str = "", *, is_clause: bool = True) -> Span:
    """The words below a head and next to it from `start` to `end`, without prepositions, conjuncts, appositions,
    relative clauses and marks at its ends; without a clause's own words ("red" of "it is red") if not `is_clause`."""
    end = len(head.doc) if end is None else end
    is_clause = is_clause and (is_auxiliary(head) or is_predicate(head))
    out = _OUT_OF_CLAUSE if is_clause else (*_LOOSE, *_OF_CLAUSE)
    kept = {head.i}
    for child in head.children:
        if child.dep_ not in out or (child.dep_ == "punct" and child.tag_ == "HYPH"):
            kept.update(range(child.left_edge.i, child.right_edge.i + 1))
    first = last = head.i
    while first - 1 in kept and first > start:
        first -= 1
    while last + 1 in kept and last + 1 < end:
        last += 1
    return trimmed(head, first, last + 1, label)


def trimmed(head: Token, start: int, end: int, label: str = "") -> Span:
    """Tokens around a word, without marks and white space at the ends."""
    doc = head.doc
    while start < head.i and (doc[start].dep_ == "punct" or doc[start].is_space) and doc[start].tag_ != "$":
        start += 1
    while end > head.i + 1 and (doc[end - 1].dep_ == "punct" or doc[end - 1].is_space):
        end -= 1
    return Span(doc, start, end, label=label)


def shared_object(token: Token) -> Optional[Token]:
    """The object of the next verb in "cooked and ate the fish"."""
    verb = next((child for child in token.rights if child.dep_ == "conj"), None)
    if verb is None or not is_predicate(verb) or token.lemma_ in en.INTRANSITIVE or own_subject(verb) is not None:
        return None
    thing, between = child_of(verb, "obj"), token.doc[token.i + 1 : verb.i]
    is_next = all(one.dep_ in ("cc", "punct", "aux", "advmod") for one in between)
    return thing if is_next and thing is not None and thing.i > verb.i else None
