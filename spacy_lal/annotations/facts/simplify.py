"""`simplify` says a sentence as sentences of one clause each."""

from typing import Dict, List, Optional

from spacy.tokens import Span, Token

from ..span_groups import check_present
from .grammar import (
    SUBJECTS,
    antecedent,
    child_of,
    has_child,
    is_auxiliary,
    is_finite,
    is_predicate,
    object_of,
    phrase,
    subject_of,
    tags_of,
    words_of,
)


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
            x.dep_ == "nmod:poss" or x.lower_ in words_of(x).determiners
            for x in noun.lefts
        )
        is_known = is_definite or noun.pos_ == "PROPN" or top.left_edge.text == ","
        return is_known and is_finite(token) and _gap(token) is not None
    if top.dep_ == "advcl":
        is_fact = (
            mark is not None
            and mark.lower_ in words_of(mark).factual
            and is_finite(token)
        )
        return is_fact and has_child(token, *SUBJECTS) and _stands_alone(noun)
    is_joined = (
        top.dep_ in ("conj", "parataxis")
        and (not word or word.lower_ in words_of(word).joining)
        and not mark
    )
    is_named = subject_of(token) is not None or token.tag_ == tags_of(token).base
    return is_joined and is_named and noun.dep_ != "acl:relcl" and _stands_alone(noun)


def _gap(token: Token) -> Optional[str]:
    """Tell where the antecedent of a relative clause belongs: "subject", "object"; None
    if it cannot be said alone."""
    words = [
        x
        for x in token.doc[token.left_edge.i : token.i]
        if x.tag_ in (*tags_of(x).relative, tags_of(x).relative_adverb)
    ]
    subject, thing = child_of(token, *SUBJECTS), object_of(token)
    if subject and words == [subject]:
        return "subject"
    is_object = (
        thing is not None and antecedent(thing) == token.head and words in ([], [thing])
    )
    return (
        "object" if is_object and not has_child(token, "conj", "cop", "mark") else None
    )


def _sentence(top: Token, tokens: List[Token]) -> str:
    """Write the words of a part as a sentence, with the words that it lacks, a capital
    and a full stop. The sentence's first word loses its capital elsewhere."""
    token, is_root, sentence = _verb(top), top.head.i == top.i, top.sent
    tags = tags_of(top)
    gap = _gap(token) if top.dep_ == "acl:relcl" else None
    out = [
        *(x for x in token.lefts if gap and x.tag_ in tags_of(x).relative),
        child_of(token, "mark"),
        child_of(top, "cc"),
    ]
    words = [x for x in tokens if is_root or x not in out]
    kept = {x.i for x in words}
    words = [x for x in words if x.text not in ",;–—" or {x.i - 1, x.i + 1} <= kept]
    while (
        words
        and (words[0].is_punct or words[0].is_space)
        and words[0].tag_ not in tags.opening
    ):
        words.pop(0)
    while (
        words
        and (words[-1].dep_ == "punct" or words[-1].is_space)
        and words[-1].tag_ not in tags.closing
    ):
        words.pop()
    place = next((i for i, x in enumerate(words, start=1) if x == token), len(words))
    while place < len(words) and (
        words[place].dep_ in ("compound:prt", "iobj")
        or words[place].tag_ in tags.prepositions
    ):
        if any(words[place].children):  # "for" of "you asked for" has none
            break
        place += 1
    thing = object_of(token)
    if thing and (thing not in tokens or gap == "object"):
        words[place:place] = phrase(
            antecedent(thing), 0, top.left_edge.i if gap else None
        )
    if gap == "subject":
        words = [*phrase(top.head, 0, top.left_edge.i), *words]
    elif not is_root and not has_child(token, *SUBJECTS):
        subject, first = subject_of(token), top.head
        while first.dep_ == "conj" and not is_finite(first):
            first = first.head
        lent = [
            x
            for x in first.lefts
            if x.dep_ in ("aux", "aux:pass") or x.lemma_ in words_of(x).negations
        ]
        named = (
            subject.subtree
            if subject and child_of(subject, "conj")
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
            and word.text != words_of(word).pronoun
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
