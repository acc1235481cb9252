"""Whether a text says that something is so: a clause is asserted, negated, hypothetical
or reported, by its words and by what stands above it. A verb decides about its
complement as its signature says (Karttunen 1971, "Implicative verbs")."""

from typing import Optional

from spacy.tokens import Token

from ...lang.clause_words import (
    ASSERTED,
    HYPOTHETICAL,
    NEGATED,
    REPORTED,
    Signature,
)
from .grammar import (
    SUBJECTS,
    child_of,
    is_finite,
    is_passive,
    is_prevented,
    is_relative,
    tags_of,
    words_of,
)

_COMPLEMENTS = ("ccomp", "xcomp", "csubj", "csubj:pass")
_JOINED = ("conj", "parataxis", "list")
_DENYING = ("advmod", "cc", "cc:preconj", "mark", "det", "case")
_ENTAILED = Signature(ASSERTED, NEGATED)
_PRESUPPOSED = Signature(ASSERTED, ASSERTED)
_WISHED = Signature(HYPOTHETICAL, HYPOTHETICAL)
_SAID = Signature(REPORTED, HYPOTHETICAL)
_DENIED = Signature(NEGATED, HYPOTHETICAL)


def factuality_of(token: Token) -> str:
    """Tell whether a clause is "asserted", "negated", "hypothetical" or "reported".

    token (Token): The head of the clause."""
    context = _context_of(token)
    if context == HYPOTHETICAL:
        return context
    if denial_of(token) is not None:
        return HYPOTHETICAL if context == NEGATED else NEGATED
    if context != NEGATED and _is_open(token):
        return HYPOTHETICAL
    is_hearsay = any(x.lower_ in words_of(x).reporting for x in token.children)
    return REPORTED if context == ASSERTED and is_hearsay else context


def denial_of(token: Token) -> Optional[Token]:
    """Give the word that denies a clause or a phrase: "not", "nor", "no", "nobody",
    "rather" of "rather than", "without", but no word of "not only"."""
    if token.lower_ in words_of(token).denied:
        return token
    words = words_of(token)
    denying = words.negations | words.replacing | words.near
    for child in token.children:
        is_denial = child.dep_ in _DENYING and child.lower_ in denying
        if is_denial and not _is_limited(child):
            return child
    return None


def _is_limited(token: Token) -> bool:
    following = token.doc[token.i + 1 : token.i + 2]
    return any(x.lower_ in words_of(x).limiting for x in following)


def is_contrast(token: Token) -> bool:
    """Tell whether a conjunct is what holds instead: "Tom" of "not by Anna but by
    Tom"."""
    word = child_of(token, "cc")
    return word is not None and word.lower_ in words_of(word).adversative


def is_disjunct(token: Token) -> bool:
    """Tell whether a phrase is one of several, of which one holds: "Anna or Tom"."""
    first = token.head if token.dep_ == "conj" else token
    words = (child_of(x, "cc") for x in first.children if x.dep_ == "conj")
    return any(x is not None and x.lower_ in words_of(x).disjunctive for x in words)


def _is_open(token: Token) -> bool:
    """Tell whether a clause of its own leaves open if it is so: modals, conditions,
    "perhaps", questions and commands."""
    for child in token.children:
        is_modal = child.dep_ == "aux" and child.tag_ == tags_of(child).modal
        is_doubt = child.lower_ in words_of(child).doubting
        if is_modal or is_doubt or (child.dep_ == "advcl" and _is_condition(child)):
            return True
    return token.dep_ == "ROOT" and (_is_question(token) or _is_command(token))


def _is_question(token: Token) -> bool:
    return token.sent.text.rstrip().endswith("?")


def _is_command(token: Token) -> bool:
    is_bare = child_of(token, "aux", "mark", *SUBJECTS) is None
    return token.tag_ == tags_of(token).base and is_bare


def _is_condition(token: Token) -> bool:
    """Tell whether a clause is a condition: "if he paid", "had he paid"."""
    mark = child_of(token, "mark")
    if mark is not None:
        return mark.lower_ in words_of(mark).conditional
    first = token.left_edge
    return first.dep_ in ("aux", "cop") and child_of(token, *SUBJECTS) is not None


def _context_of(token: Token) -> str:
    """Tell what the clause above says of a clause."""
    head = token.head
    if token.dep_ in _JOINED:
        return _context_of_conjunct(token)
    if is_relative(token):
        return _context_of_relative(token)
    if token.dep_ == "acl":
        return _context_of_content(token)
    if token.dep_ in _COMPLEMENTS or (token.dep_ == "advcl" and is_prevented(token)):
        return _context_of_complement(token)
    if token.dep_ != "advcl":
        return ASSERTED
    is_purpose = token.tag_ == tags_of(token).base and not is_finite(token)
    is_purpose = is_purpose and denial_of(token) is None
    is_open = _is_condition(token) or is_purpose
    return HYPOTHETICAL if is_open else _context_of(head)


def _context_of_conjunct(token: Token) -> str:
    """A verb that shares an auxiliary shares what it says, until "but"."""
    first = token.head
    shares_all = token.dep_ == "conj" and not is_finite(token)
    if shares_all and not is_contrast(token):
        return factuality_of(first)
    if first.dep_ == "ROOT" and token.dep_ == "conj" and _is_question(first):
        return HYPOTHETICAL
    return _context_of(first)


def _context_of_relative(token: Token) -> str:
    """A relative clause holds, but where its noun is nothing, or is said of somebody in
    a clause that does not hold."""
    noun = token.head
    if child_of(noun, "cop") is None:
        return ASSERTED if denial_of(noun) is None else NEGATED
    above = factuality_of(noun)
    is_cleft = child_of(noun, "expl") is not None
    return HYPOTHETICAL if above == NEGATED and not is_cleft else above


def _context_of_content(token: Token) -> str:
    """Of "the plan to leave" and "the claim that he left"."""
    if not is_finite(token):
        return HYPOTHETICAL
    is_fact = token.head.lemma_ in words_of(token).factive_nouns
    return ASSERTED if is_fact else REPORTED


def _context_of_complement(token: Token) -> str:
    signature = _signature(token)
    above = factuality_of(token.head)
    if above == NEGATED:
        return signature.negated
    if above == ASSERTED or signature.affirmed == NEGATED:
        return signature.affirmed
    return ASSERTED if signature == _PRESUPPOSED else above


def _signature(token: Token) -> Signature:
    """Say what the word above says of its complement."""
    head = token.head
    lemma = head.lemma_.lower()
    mark = child_of(token, "mark")
    if mark is not None and mark.lower_ in words_of(mark).conditional:
        return _WISHED
    if not is_finite(token):
        return _signature_of_infinitive(token)
    if lemma in words_of(token).denying:
        return _DENIED
    if lemma in words_of(token).factive:
        return _PRESUPPOSED
    if lemma in words_of(token).wishing:
        return _WISHED
    if lemma in words_of(token).saying:
        return _SAID
    return words_of(token).implicative.get(lemma, _SAID)


def _signature_of_infinitive(token: Token) -> Signature:
    """Without an entry, an infinitive with "to" is a wish, or said of a passive; others
    are entailed ("saw him leave", "kept asking")."""
    head = token.head
    lemma = head.lemma_.lower()
    if lemma in words_of(token).implicative:
        return words_of(token).implicative[lemma]
    if child_of(token, "mark") is None:
        return _DENIED if lemma in words_of(token).denying else _ENTAILED
    is_said = lemma in words_of(token).saying and is_passive(head)
    return _SAID if is_said else _WISHED
