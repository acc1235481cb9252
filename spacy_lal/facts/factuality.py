"""Whether a text says that something is so: a clause is asserted, negated, hypothetical
or reported. Its own words and the clause above it decide. A verb decides about its
complement as its signature says (Karttunen 1971, "Implicative verbs")."""

from typing import Optional

from spacy.tokens import Span, Token

from ..lang.clause_words import (
    ASSERTED,
    HYPOTHETICAL,
    NEGATED,
    REPORTED,
    Signature,
)
from .grammar import (
    OUTER_SUBJECTS,
    SUBJECTS,
    child_of,
    clause_of,
    has_child,
    is_contrast,
    is_finite,
    is_limited,
    is_passive,
    is_predicate,
    is_prepositional,
    is_relative,
    is_relative_word,
    phrase,
    subject_of,
    tags_of,
    word_of,
    words_of,
)

_COMPLEMENTS = ("acl", "ccomp", "xcomp", "csubj", "csubj:pass")
_JOINED = ("conj", "parataxis", "list")
_CONNECTIVES = ("cc", "cc:preconj", "det", "case")
_ENTAILED = Signature(ASSERTED, NEGATED)
_WISHED = Signature(HYPOTHETICAL, HYPOTHETICAL)
_SAID = Signature(REPORTED, HYPOTHETICAL, is_said=True)


def factuality_of(token: Token) -> str:
    """Tell whether a clause is "asserted", "negated", "hypothetical" or "reported".

    token (Token): The head of the clause."""
    context = _context_of(token)
    if context == HYPOTHETICAL:
        return context
    subject = child_of(token, *SUBJECTS)
    if denial_of(token) or (subject and denial_of(subject)):
        return HYPOTHETICAL if context == NEGATED else NEGATED
    if _is_open(token):
        return HYPOTHETICAL
    return REPORTED if context == ASSERTED and _is_hearsay(token) else context


def denial_of(token: Token) -> Optional[Token]:
    """Give the word that denies a clause or a phrase: "not", "nor", "no", "nobody",
    "rather" of "rather than", "without", "but" of "all but Tom", "Not" of "Not all
    students", but no word of "not only"."""
    words = words_of(token)
    if token.lower_ in words.denied:
        return token
    amounts = (x for x in token.children if x.lower_ in words.amounts)
    adverbs = words.negations
    above = token.head
    is_alone = words.denied.isdisjoint(x.lower_ for x in (above, *above.lefts))
    if is_predicate(token):
        adverbs |= words.near
    found = (
        word_of(token, adverbs, "advmod")
        or word_of(token, words.negations | words.substituting, *_CONNECTIVES)
        or word_of(token, words.replacing, "mark")
        or (is_alone and word_of(token, words.adversative, "case"))
        or next(filter(None, map(denial_of, amounts)), None)
    )
    return None if not found or is_limited(found) else found


def is_disjunct(token: Token) -> bool:
    """Tell whether a phrase is one of several alternatives: "Anna or Tom"."""
    first = token.head if token.dep_ == "conj" else token
    disjunctive = words_of(token).disjunctive
    others = (x for x in first.children if x.dep_ == "conj")
    return any(word_of(x, disjunctive, "cc") for x in others)


def _is_hearsay(token: Token) -> bool:
    """Tell whether a clause of its own is somebody else's word: "allegedly", "it is
    said"."""
    words = words_of(token)
    asides = (x for x in token.children if x.dep_ == "parataxis")
    is_said = any(x.lemma_ in words.saying and has_child(x, "expl") for x in asides)
    outer = child_of(token, *OUTER_SUBJECTS)
    if outer:  # "The claim is that he left"
        signature = words.of_clauses.get(outer.lemma_, _ENTAILED)
        is_said = signature.affirmed != ASSERTED
    return is_said or bool(word_of(token, words.reporting, "advmod"))


def _is_open(token: Token) -> bool:
    """Tell whether a clause's own words leave open if it is so: modals, conditions,
    "perhaps", questions and commands."""
    words = words_of(token)
    for child in token.children:
        is_modal = child.dep_ == "aux" and child.tag_ == words.tags.modal
        below = [child, *child.children] if child.dep_ == "advmod" else [child]
        is_condition = any(x.dep_ == "advcl" and _is_condition(x) for x in below)
        is_loose = word_of(child, words.loose, "mark")
        if is_modal or (is_condition and not is_loose):
            return True
    if word_of(token, words.doubting, "advmod") or is_disjunct(token):
        return True
    if token.tag_ == words.tags.base and has_child(token, "cop"):
        return True  # "was to sell"
    return token.dep_ == "ROOT" and (_is_question(token) or _is_command(token))


def _is_question(token: Token) -> bool:
    return token.sent.text.rstrip().endswith("?")


def _is_command(token: Token) -> bool:
    is_bare = not has_child(token, "aux", "mark", *SUBJECTS)
    return token.tag_ == tags_of(token).base and is_bare


def _is_condition(token: Token) -> bool:
    """Tell whether a clause is a condition or a question in itself: "if he paid", "as
    though he paid", "provided that he paid", "had he paid"."""
    if token.dep_ == "ccomp" and is_relative_word(token.left_edge):
        return True  # "who built it"
    marks = [
        x for child in token.children if child.dep_ == "mark" for x in child.subtree
    ]
    words = words_of(token)
    text = " ".join(x.lower_ for x in marks)
    found = [text, *text.split(), f"{token.head.lower_} {text}"]
    if token.dep_ == "advcl" and has_child(token, "ccomp"):
        found.append(token.lower_)
    if any(x in words.conditional for x in found):
        return True
    first = token.left_edge
    is_turned = first.head == token and first.dep_ in ("aux", "cop")
    return is_turned and has_child(token, *SUBJECTS)


def _context_of(token: Token) -> str:
    """Give the factuality that the clause above lends to a clause."""
    if _is_condition(token):
        return HYPOTHETICAL
    if token.dep_ in _JOINED:
        return _context_of_conjunct(token)
    if is_relative(token):
        return _context_of_relative(token)
    if token.dep_ in _COMPLEMENTS or is_prepositional(token):
        return _context_of_complement(token)
    return _context_of_adverbial(token) if token.dep_ == "advcl" else ASSERTED


def _context_of_adverbial(token: Token) -> str:
    """A purpose is open. A clause of time is open if the clause above is open. "because
    he paid" holds."""
    if denial_of(token):
        return _context_of(token.head)
    if token.tag_ == tags_of(token).base and not is_finite(token):
        return HYPOTHETICAL
    is_fact = word_of(token, words_of(token).factual, "mark")
    is_open = _is_open(token.head) or factuality_of(token.head) == HYPOTHETICAL
    return HYPOTHETICAL if is_open and not is_fact else _context_of(token.head)


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
    """A relative clause holds, unless its noun is denied. After a predicate noun ("is a
    man who") or a new one ("a man who"), it holds only if the clause above holds."""
    noun = token.head
    words = words_of(noun)
    is_said = has_child(noun, "cop")
    if denial_of(noun) and not is_said:
        return HYPOTHETICAL
    is_bare = noun.pos_ == "NOUN" and not has_child(noun, "det", "nmod:poss")
    is_new = is_bare or noun.lower_ in words.indefinite
    is_new = is_new or bool(word_of(noun, words.indefinite, "det"))
    is_aside = token.left_edge.lower_ == words.tags.comma
    if is_aside or not (is_said or is_new):
        return ASSERTED
    above = _predicate_above(token)
    if above.lemma_ in words.wanting and not is_said:
        return HYPOTHETICAL
    stated = factuality_of(above)
    is_cleft = has_child(noun, "expl")
    return HYPOTHETICAL if stated == NEGATED and not is_cleft else stated


def _predicate_above(token: Token) -> Token:
    return next(filter(is_predicate, token.ancestors), token.head)


def _context_of_complement(token: Token) -> str:
    """What the verb, adjective or noun above says of it: "said that he left", "no
    evidence that he left"."""
    signature = _signature(token)
    above = factuality_of(_predicate_above(token))
    if above == NEGATED or denial_of(token.head):
        return signature.negated
    is_carried = above == HYPOTHETICAL or signature.affirmed == ASSERTED
    return above if is_carried else signature.affirmed


def _signature(token: Token) -> Signature:
    """Give the signature of the word above. For a word without an entry, an infinitive
    with "to" is a wish; below a passive verb of saying, it is reported. Other
    complements are entailed ("saw him leave", "kept asking")."""
    head = token.head
    lemma = head.lemma_.lower()
    words = words_of(token)
    default = _ENTAILED
    if token.dep_ == "advcl":
        table = words.of_gerunds
        if word_of(token, words.wished, "mark"):
            default = _WISHED
    elif is_finite(token):
        table = words.of_clauses
        default = _SAID
    elif not has_child(token, "mark") and token.dep_ != "acl":
        table = words.of_participles
    else:
        table = words.implicative
        is_said = lemma in words.saying and is_passive(head)
        default = _SAID if is_said else _WISHED
    following = f"{lemma} {head.doc[head.i + 1 : head.i + 2]}"
    return table.get(following) or table.get(lemma, default)


def attribution_of(token: Token) -> Optional[Span]:
    """Tell who says it: the subject of a verb of saying above, the owner of a claim,
    the noun after "according to". Nobody says what is not said to be said."""
    token = clause_of(token)
    below = token
    while True:
        source = _source_of(token, below)
        head = token.head
        if not source and _is_said(token):
            if factuality_of(head) in (NEGATED, HYPOTHETICAL):
                return None
            source = _speaker_of(head)
        if source or head == token:
            end = token.i + 1 if source == token else None
            return phrase(source, 0, end, is_clause=False) if source else None
        below = token
        token = head


def _is_said(token: Token) -> bool:
    """Tell whether a clause is the complement of a word of saying."""
    if token.dep_ == "parataxis":
        return token.head.lemma_ in words_of(token).saying
    is_complement = token.dep_ in ("acl", "ccomp", "xcomp") or is_prepositional(token)
    return is_complement and _signature(token).is_said


def _speaker_of(head: Token) -> Optional[Token]:
    """Give the agent of a word of saying, or the owner of a claim."""
    if is_passive(head):
        return child_of(head, "obl:agent")
    return subject_of(head) if is_predicate(head) else child_of(head, "nmod:poss")


def _source_of(token: Token, below: Token) -> Optional[Token]:
    """Give the noun after "according to", a fiction ("in the novel", "a film about"),
    or who says it beside the clause ("as Kim said"), but for a word below one child."""
    words = words_of(token)
    is_present = token.morph.get("Tense", []) == ["Pres"]
    if below.dep_ == "nmod" and f"in {token.lemma_}" in words.sources:
        return token
    for child in token.children:
        case = child_of(child, "case")
        first = case.lower_ if case else ""
        is_source = first in words.sources
        if is_present or child.i < token.i:
            is_source |= f"{first} {child.lemma_}" in words.sources
        if is_source and child.dep_ == "obl" and child != below:
            return child
        is_aside = child.dep_ == "parataxis" and child != below
        if is_aside or word_of(child, words.loose, "mark"):
            is_bare = not has_child(child, "obj", "ccomp")
            if is_bare and child.lemma_ in words.saying:
                return _speaker_of(child)
    return None
