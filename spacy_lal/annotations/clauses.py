"""`sent._.clauses` gives the clauses of a sentence, and `simplify` sentences of one
clause each, in English alone. Both read heads with deprels of Universal Dependencies;
clauses of a Doc without heads come from its constituents."""

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional

from spacy.tokens import Doc, Span, Token

from ..lang.en import words as english
from ..lang.en.treebank import RELATIVE_TAGS, TIMES
from ..trees import spans_to_tree
from .parses import SPANS_KEY, get_constituents
from .span_groups import check_present

SUBJECTS = ("nsubj", "csubj", "nsubj:pass", "csubj:pass", "nsubj:outer", "csubj:outer")
# What hangs on a phrase's head, and is no part of the phrase in a relation
_OUT_OF_CLAUSE = tuple(
    "acl:relcl advcl:relcl appos parataxis conj cc vocative discourse list".split()
)
_OUT_OF_PHRASE = (
    *_OUT_OF_CLAUSE,
    "case",
    "punct",
    "cop",
    "aux",
    "aux:pass",
    "mark",
    "advcl",
    "expl",
    *SUBJECTS,
)
_KINDS = {
    "ROOT": "main",
    "acl:relcl": "relative",
    "advcl:relcl": "relative",
    "advcl": "adverbial",
}
_KINDS |= dict.fromkeys(("conj", "parataxis", "list", "appos", "dep"), "coordinate")
_FINITE = ("VBD", "VBZ", "VBP", "MD")
_VERBAL = ("aux", "aux:pass", "cop")
_NO_HEADS = (
    "aux",
    "aux:pass",
    "cop",
    "amod",
    "compound",
    "case",
    "mark",
    "fixed",
    "flat",
    "goeswith",
)
_CLAUSAL = ("S", "SBAR", "SBARQ", "SINV", "SQ")  # labels of constituents


@dataclass(frozen=True)
class Clause:
    """What is known of a clause.
    span (Span): Its words, with the clauses that belong to it, without coordinate
        clauses, conjunction and outer marks.
    kind (str): "main", "complement", "relative", "adverbial" or "coordinate" (after
        another clause, with or without a conjunction).
    verb (Token): Its verb; the copula, where it has one.
    subject (Optional[Span]): Its subject, as in `Relation`: its own, an antecedent,
        that of the clause around it.
    is_independent (bool): Whether it can stand alone: it has a finite verb and a
        subject of its own and nothing that subordinates it, or it is an imperative."""

    span: Span
    kind: str
    verb: Token
    subject: Optional[Span]
    is_independent: bool


def get_clauses(span: Span) -> List[Clause]:
    """Give the clauses of a sentence, or those of a Span whose verbs lie in it, in the
    order of their verbs: kind, verb, subject, and whether they can stand alone. A Doc
    without heads has those of its constituents and tags.
    RAISES (ValueError): There are constituents, but neither heads nor sentence
        boundaries."""
    check_present(span)
    if span.doc.has_annotation("DEP"):
        return [_clause(token) for token in span if is_predicate(token)]
    found = _in_constituents(span.doc) if SPANS_KEY in span.doc.spans else ()
    return sorted(
        (one for one in found if span.start <= one.verb.i < span.end),
        key=lambda one: one.verb.i,
    )


def _clause(token: Token) -> Clause:
    top = top_of(token)
    subject, mark, is_imperative = (
        subject_of(token),
        child_of(top, "mark"),
        token.tag_ == "VB",
    )
    kind = (
        "relative"
        if top.dep_ == "acl" and mark is None
        else _KINDS.get(top.dep_, "complement")
    )
    is_own = any(child_of(x, *SUBJECTS) for x in (token, top)) or (
        subject is None and is_imperative
    )
    is_alone = (
        kind not in ("relative", "adverbial")
        and mark is None
        and (is_finite(token) or is_imperative)
    )
    end = top.i if subject is not None and subject.i < top.left_edge.i else None
    named = None if subject is None else phrase(subject, 0, end)
    return Clause(
        _range(token, top),
        kind,
        child_of(token, "cop") or token,
        named,
        is_own and is_alone,
    )


def top_of(token: Token) -> Token:
    """Give the head of the whole verb: "going" of "going to leave"."""
    return (
        top_of(token.head)
        if token.dep_ == "xcomp" and is_auxiliary(token.head)
        else token
    )


def is_finite(token: Token) -> bool:
    """Tell whether a clause's verb or its auxiliary is finite."""
    top = top_of(token)
    verbs = [
        token,
        top,
        *(x for x in (*token.children, *top.children) if x.dep_ in _VERBAL),
    ]
    return any(x.tag_ in _FINITE for x in verbs)


def _range(token: Token, top: Token) -> Span:
    start, end = top.left_edge.i, top.right_edge.i + 1
    if (
        top.dep_ == "acl:relcl"
        and top.head.i == start - 1
        and top.head.tag_ in RELATIVE_TAGS
    ):
        start -= 1  # "what" of "what they found", which has no antecedent
    for child in (*top.children, *token.children):
        if child.dep_ in ("conj", "parataxis") and (
            is_predicate(child) or is_auxiliary(child)
        ):
            start, end = (
                (start, min(end, child.left_edge.i))
                if child.i > token.i
                else (child.right_edge.i + 1, end)
            )
    while start < token.i and (
        token.doc[start].is_punct or token.doc[start].dep_ == "cc"
    ):
        start += 1
    return trimmed(token, start, end)


# From constituents


def _in_constituents(doc: Doc) -> Iterator[Clause]:
    from nltk.tree import (
        ParentedTree,
    )  # a fifth of the time that it takes to load a pipeline

    for sentence, constituents in zip(doc.sents, get_constituents(doc), strict=True):
        if words := [token for token in sentence if not token.is_space]:
            tree = spans_to_tree(
                words, [x.tag_ or "X" for x in words], constituents, make=ParentedTree
            )
            for node in tree.subtrees(lambda node: node.label() in ("VP", *_CLAUSAL)):
                yield from _of_phrase(node)


def _of_phrase(node: Any) -> Iterator[Clause]:
    """Give the clause of a verb phrase, or of a clause without one ("Is it?"). The
    first phrase in another has none."""
    inner, end, is_later, around = node, None, _is_later(node), _label(node.parent())
    while phrases := _labelled(inner, "VP"):
        inner, end = (
            phrases[0],
            end or (phrases[0].leaves()[-1].i + 1 if len(phrases) > 1 else None),
        )
    verbs = [child[0] for child in _labelled(inner, "VB", "VBG", "VBN", *_FINITE)]
    is_inner = (
        around == "VP" and not is_later if node.label() == "VP" else inner is not node
    )
    if is_inner or not verbs:
        return
    clause = top = (
        node.parent()
        if node.label() == "VP" and around in _CLAUSAL and not is_later
        else node
    )
    top = top.parent() if _label(top.parent()) in ("SBAR", "SBARQ", "PP") else top
    above, words = node.parent() if is_later else clause, top.leaves()
    is_finite = top is above and any(verb.tag_ in _FINITE for verb in verbs)
    is_alone = is_finite and bool(_labelled(clause, "NP"))
    while above is not None and not _labelled(above, "NP"):
        above = above.parent()
    named = (
        []
        if above is None
        else _labelled(above, "NP")[-1 if node.label() == "VP" else 0].leaves()
    )
    subject = trimmed(named[-1], named[0].i, named[-1].i + 1) if named else None
    yield Clause(
        trimmed(verbs[-1], words[0].i, end or words[-1].i + 1),
        _kind_in(top),
        verbs[-1],
        subject,
        is_alone,
    )


def _label(node: Any) -> str:
    return "" if node is None else str(node.label())


def _labelled(node: Any, *labels: str) -> List[Any]:
    return [child for child in node if child.label() in labels]


def _is_later(node: Any) -> bool:
    labels = (
        []
        if node.parent() is None
        else [child.label() for child in node.parent()[: node.parent_index()]]
    )
    return node.label() in labels or "CC" in labels[1:]


def _kind_in(top: Any) -> str:
    """Tell the kind of a clause by what is around it."""
    above, word = top.parent(), top.leaves()[0]
    if above is None or _is_later(top):
        return "main" if above is None else "coordinate"
    if above.label() in _CLAUSAL and not _labelled(above, "VP"):
        return _kind_in(above)
    is_marked = word.tag_ in ("IN", "TO") and word.lower_ not in ("that", "whether")
    if above.label() == "NP":
        return "complement" if word.tag_ in ("IN", "TO") else "relative"
    if (
        top.label() == "PP"
        or word.lower_ == "when"
        or (top.label() == "SBAR" and is_marked)
    ):
        return "adverbial"
    if (above.label() in _CLAUSAL and not _labelled(top, "NP")) or _label(
        top.left_sibling()
    ) == ",":
        return "adverbial"
    return "complement" if above.label() in ("VP", "ADJP", *_CLAUSAL) else "main"


# Sentences of one clause each


def simplify(span: Span) -> List[str]:
    """Divide a sentence into sentences of one clause each: "The man left." and "The man
    bought it." for "The man, who bought it, left.". Coordinate, relative and some
    adverbial clauses ("because", "although", "while") are said alone, with the
    antecedent or the shared subject, auxiliary and object put in. No word is made up or
    changed, but for a capital and a full stop: complements, conditions, participles and
    questions stay where they are. A sentence stays whole where nothing can be said
    alone; a Span of several sentences or a part gives its sentences."""
    check_present(span)
    sentences = span.sents if len(span) and span.doc.has_annotation("DEP") else [span]  # type: ignore[attr-defined]
    return [text for sentence in sentences for text in _simplified(sentence) if text]


def _simplified(sentence: Span) -> List[str]:
    parts: Dict[int, List[Token]] = {}
    for token in sentence if sentence.doc.has_annotation("DEP") else ():
        owner = token
        while not _stands_alone(owner):
            owner = owner.head
        parts.setdefault(owner.i, []).append(token)
    text = sentence.text.strip()
    ordered = sorted(parts.items(), key=lambda one: one[1][0].i)
    return (
        [text]
        if len(parts) < 2 or text.endswith("?")
        else [_sentence(sentence.doc[i], x) for i, x in ordered]
    )


def _verb(top: Token) -> Token:
    """Give the verb that an auxiliary one helps."""
    return (child_of(top, "xcomp") if is_auxiliary(top) else None) or top


def _stands_alone(top: Token) -> bool:
    """Tell whether the words below the head of a clause can be a sentence: relative
    clauses of a name, of "the man" or after a comma, other clauses that hold, with a
    subject and on a clause that stands alone."""
    token, noun = _verb(top), top.head
    if noun.i == top.i or not is_predicate(token):
        return noun.i == top.i
    mark, word = child_of(token, "mark"), child_of(top, "cc")
    if top.dep_ == "acl:relcl":
        is_definite = any(
            x.dep_ == "nmod:poss" or x.lower_ in english.DETERMINERS for x in noun.lefts
        )
        is_known = is_definite or noun.pos_ == "PROPN" or top.left_edge.text == ","
        return is_known and is_finite(token) and _gap(token) is not None
    if top.dep_ == "advcl":
        is_fact = (
            mark is not None and mark.lower_ in english.FACTUAL and is_finite(token)
        )
        return (
            is_fact and child_of(token, *SUBJECTS) is not None and _stands_alone(noun)
        )
    is_joined = (
        top.dep_ in ("conj", "parataxis")
        and (word is None or word.lower_ in english.JOINING)
        and mark is None
    )
    is_named = subject_of(token) is not None or token.tag_ == "VB"
    return is_joined and is_named and noun.dep_ != "acl:relcl" and _stands_alone(noun)


def _gap(token: Token) -> Optional[str]:
    """Tell where the antecedent of a relative clause belongs: "subject", "object"; None
    if it cannot be said alone."""
    words = [
        x
        for x in token.doc[token.left_edge.i : token.i]
        if x.tag_ in (*RELATIVE_TAGS, "WRB")
    ]
    subject, thing = child_of(token, *SUBJECTS), object_of(token)
    if subject is not None and words == [subject]:
        return "subject"
    is_object = (
        thing is not None and antecedent(thing) == token.head and words in ([], [thing])
    )
    return (
        "object"
        if is_object and child_of(token, "conj", "cop", "mark") is None
        else None
    )


def _sentence(top: Token, tokens: List[Token]) -> str:
    """Write the words of a part as a sentence, with what it lacks, a capital and a full
    stop; the first word of the sentence loses its capital elsewhere."""
    token, is_root, sentence = _verb(top), top.head.i == top.i, top.sent
    gap = _gap(token) if top.dep_ == "acl:relcl" else None
    out = [
        *(x for x in token.lefts if gap and x.tag_ in RELATIVE_TAGS),
        child_of(token, "mark"),
        child_of(top, "cc"),
    ]
    words = [x for x in tokens if is_root or x not in out]
    kept = {x.i for x in words}
    words = [x for x in words if x.text not in ",;–—" or {x.i - 1, x.i + 1} <= kept]
    while (
        words
        and (words[0].is_punct or words[0].is_space)
        and words[0].tag_ not in ("$", "``", "-LRB-")
    ):
        words.pop(0)
    while (
        words
        and (words[-1].dep_ == "punct" or words[-1].is_space)
        and words[-1].tag_ not in ("''", "-RRB-")
    ):
        words.pop()
    place = next((i for i, x in enumerate(words, start=1) if x == token), len(words))
    while place < len(words) and (
        words[place].dep_ in ("compound:prt", "iobj") or words[place].tag_ == "IN"
    ):
        if any(words[place].children):  # "for" of "you asked for" has none
            break
        place += 1
    thing = object_of(token)
    if thing is not None and (thing not in tokens or gap == "object"):
        words[place:place] = phrase(
            antecedent(thing), 0, top.left_edge.i if gap else None
        )
    if gap == "subject":
        words = [*phrase(top.head, 0, top.left_edge.i), *words]
    elif not is_root and child_of(token, *SUBJECTS) is None:
        subject, first = subject_of(token), top.head
        while first.dep_ == "conj" and not is_finite(first):
            first = first.head
        lent = [
            x
            for x in first.lefts
            if x.dep_ in ("aux", "aux:pass") or x.lemma_ in english.NEGATIONS
        ]
        named = (
            subject.subtree
            if subject is not None and child_of(subject, "conj")
            else subject and phrase(subject)
        )
        words = [
            *(named or ()),
            *(lent if named and not is_finite(token) else ()),
            *words,
        ]
    text = ""
    for word, after in zip(words, [*words[1:], *words[-1:]], strict=True):
        is_lowered = (
            text
            and word.i == sentence.start
            and word.pos_ != "PROPN"
            and word.text != "I"
        )
        space = (
            word.whitespace_ if after.i == word.i + 1 else " " * (not after.is_punct)
        )
        text += (word.lower_ if is_lowered else word.text) + space
    return (
        text[:1].upper()
        + text[1:].rstrip()
        + ("!" if is_root and sentence[-1].text == "!" else ".")
    )


def child_of(token: Token, *deprels: str) -> Optional[Token]:
    """Give the first child with one of the deprels."""
    return next((child for child in token.children if child.dep_ in deprels), None)


def is_predicate(token: Token) -> bool:
    """Tell whether a word is the head of a clause: a verb that is no auxiliary, or a
    word with a copula."""
    if token.dep_ in _NO_HEADS:
        return False
    is_verb = (
        token.pos_ in ("VERB", "AUX") if token.pos_ else token.tag_[:2] in ("VB", "MD")
    )
    return (is_verb and not is_auxiliary(token)) or child_of(token, "cop") is not None


def is_auxiliary(token: Token) -> bool:
    """Tell whether a verb only helps the next one: "going to", "have to", "used to"."""
    verb = child_of(token, "xcomp")
    if (
        verb is None
        or child_of(verb, "mark") is None
        or child_of(token, "obj", "advcl") is not None
    ):
        return False
    return (token.lemma_ or token.lower_) in english.AUXILIARY_VERBS and (
        token.lemma_ != "go" or token.tag_ == "VBG"
    )


def is_passive(token: Token) -> bool:
    """Tell whether a verb is passive: with an auxiliary or a subject that says so, or a
    participle that modifies."""
    if any(child.dep_.endswith(":pass") for child in token.children):
        return True
    if token.tag_ != "VBN" or child_of(token, "aux", "cop"):
        return False
    return token.dep_ in ("acl", "advcl") or (
        token.dep_ == "conj" and is_passive(token.head)
    )


def subject_of(token: Token) -> Optional[Token]:
    """Give the grammatical subject of a clause's head: its own, or that of the clause
    that controls it."""
    subject, head, deprel = child_of(token, *SUBJECTS), token.head, token.dep_
    if subject is not None or head.i == token.i:
        return None if subject is None else antecedent(subject)
    if deprel == "acl:relcl" or (deprel == "acl" and child_of(token, "mark") is None):
        return head
    if deprel == "xcomp":
        thing = child_of(head, "obj", "iobj")
        return (
            thing
            if thing is not None and head.lemma_ not in english.SUBJECT_CONTROL
            else subject_of(head)
        )
    return (
        subject_of(head)
        if deprel == "advcl" or (deprel == "conj" and is_predicate(head))
        else None
    )


def antecedent(token: Token) -> Token:
    """Give the noun for a relative word; any other word stands for itself."""
    if token.tag_ not in RELATIVE_TAGS or child_of(token, "acl:relcl") is not None:
        return token
    verb = token.head
    while (
        verb.dep_ in ("xcomp", "conj", "nmod", "obl", "obj", *SUBJECTS)
        and verb.head.i != verb.i
    ):
        verb = verb.head
    return (
        verb.head
        if verb.dep_ == "acl:relcl" and verb.i > token.i and verb.head.i < token.i
        else token
    )


def object_of(token: Token, *, with_prepositions: bool = False) -> Optional[Token]:
    """Give the object of an active verb: a thing, a clause, an antecedent, that of the
    other verb of "cooked and ate the fish"; `with_prepositions`, else what a
    preposition joins."""
    found = (
        child_of(token, "obj")
        or child_of(token, "ccomp")
        or child_of(token, "xcomp")
        or shared_object(token)
    )
    subject, head = child_of(token, *SUBJECTS), token.head
    if (
        found is None
        and token.dep_ == "acl:relcl"
        and subject is not None
        and head.lemma_ not in english.ADVERBIAL_NOUNS
    ):
        found = None if any(x.tag_ in RELATIVE_TAGS for x in token.lefts) else head
    if (
        found is None
        and token.dep_ == "conj"
        and subject is None
        and is_predicate(head)
    ):
        found = next(
            (x for x in head.rights if x.dep_ == "obj" and x.i > token.i), None
        )
    obliques = (
        x
        for x in token.rights
        if with_prepositions and x.dep_ == "obl" and x.ent_type_ not in TIMES
    )
    return found or next(obliques, None)


def shared_object(token: Token) -> Optional[Token]:
    """Give the object of the next verb in "cooked and ate the fish"."""
    verb = child_of(token, "conj")
    if (
        verb is None
        or not is_predicate(verb)
        or token.lemma_ in english.INTRANSITIVE
        or child_of(verb, *SUBJECTS)
    ):
        return None
    is_next = all(
        one.dep_ in ("cc", "punct", "aux", "advmod")
        for one in token.doc[token.i + 1 : verb.i]
    )
    return next((x for x in verb.rights if x.dep_ == "obj"), None) if is_next else None


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
    out = _OUT_OF_CLAUSE if is_clause else _OUT_OF_PHRASE
    kept = {head.i}
    for child in head.children:
        if child.dep_ not in out or child.tag_ == "HYPH":
            kept.update(range(child.left_edge.i, child.right_edge.i + 1))
    first, last = head.i, head.i + 1
    while first - 1 in kept and first > start:
        first -= 1
    while last in kept and last != end:
        last += 1
    return trimmed(head, first, last, label)


def trimmed(head: Token, start: int, end: int, label: str = "") -> Span:
    """Give the tokens around a word, without marks and white space at the ends."""
    inner = [
        x.i
        for x in head.doc[start:end]
        if not (x.dep_ == "punct" or x.is_space or (not x.dep and x.is_punct))
    ]
    inner += [head.i, *(i for i in range(start, head.i) if head.doc[i].tag_ == "$")]
    return Span(head.doc, min(inner), max(inner) + 1, label=label)
