"""`simplify` says a sentence as sentences of one clause each."""

from typing import Dict, List, Optional

from spacy.tokens import Span, Token

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
    without_marks,
    words_of,
)

_SHARED = ("aux", "aux:pass")


def simplify_sentence(sentence: Span) -> List[str]:
    """Divide a sentence, or a Doc's part without heads, which stays whole."""
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
    token = _verb(top)
    noun = top.head
    if noun == top or not is_predicate(token):
        return noun == top
    words = words_of(token)
    mark = child_of(token, "mark")
    if top.dep_ == "acl:relcl":
        is_known = noun.pos_ == "PROPN" or top.left_edge.lower_ == words.tags.comma
        is_known = is_known or has_child(noun, "nmod:poss")
        is_known = is_known or any(x.lower_ in words.determiners for x in noun.lefts)
        return is_known and is_finite(token) and _gap(token) is not None
    if top.dep_ == "advcl":
        is_fact = mark is not None and mark.lower_ in words.factual
        is_stated = is_fact and is_finite(token) and has_child(token, *SUBJECTS)
        return is_stated and _stands_alone(noun)
    word = child_of(top, "cc")
    is_joined = top.dep_ in ("conj", "parataxis") and not mark
    if word and word.lower_ not in words.joining:
        is_joined = False
    is_named = subject_of(token) is not None or token.tag_ == words.tags.base
    is_inner = noun.dep_ == "acl:relcl"
    return is_joined and is_named and not is_inner and _stands_alone(noun)


def _gap(token: Token) -> Optional[str]:
    """Tell where the antecedent of a relative clause belongs: "subject", "object"; None
    if it cannot be said alone."""
    tags = tags_of(token)
    relative = (*tags.relative, tags.relative_adverb)
    before = token.doc[token.left_edge.i : token.i]
    words = [x for x in before if x.tag_ in relative]
    if words and words == [child_of(token, *SUBJECTS)]:
        return "subject"
    thing = object_of(token)
    is_object = thing is not None and antecedent(thing) == token.head
    is_alone = words in ([], [thing]) and not has_child(token, "conj", "cop", "mark")
    return "object" if is_object and is_alone else None


def _sentence(top: Token, tokens: List[Token]) -> str:
    """Write the words of a part as a sentence, with the words that it lacks, a capital
    and a full stop. The sentence's first word loses its capital elsewhere."""
    token = _verb(top)
    is_root = top.head == top
    tags = tags_of(top)
    gap = _gap(token) if top.dep_ == "acl:relcl" else None
    out = [child_of(token, "mark"), child_of(top, "cc")]
    out += [x for x in token.lefts if gap and x.tag_ in tags.relative]
    words = [x for x in tokens if is_root or x not in out]
    kept = {x.i for x in words}
    words = [x for x in words if x.text not in ",;–—" or {x.i - 1, x.i + 1} <= kept]
    words = without_marks(words)
    thing = object_of(token)
    if thing and (thing not in tokens or gap == "object"):
        place = words.index(token) + 1
        for word in words[place:]:
            is_before = word.dep_ in ("compound:prt", "iobj")
            is_before = is_before or word.tag_ in tags.prepositions
            if not is_before or any(word.children):  # "for" of "you asked for" has none
                break
            place += 1
        end = top.left_edge.i if gap else None
        words[place:place] = phrase(antecedent(thing), 0, end)
    subject = subject_of(token)
    if gap == "subject":
        words = [*phrase(top.head, 0, top.left_edge.i), *words]
    elif subject and not is_root and not has_child(token, *SUBJECTS):
        named = subject.subtree if has_child(subject, "conj") else phrase(subject)
        first = top.head
        while first.dep_ == "conj" and not is_finite(first):
            first = first.head
        negations = words_of(token).negations
        helping = (x for x in first.lefts if x.dep_ in _SHARED or x.lemma_ in negations)
        words = [*named, *(() if is_finite(token) else helping), *words]
    text = ""
    for word, after in zip(words, [*words[1:], *words[-1:]], strict=True):
        is_name = word.pos_ == "PROPN" or word.text == words_of(word).pronoun
        is_lowered = text and word.is_sent_start and not is_name
        is_next = after.i == word.i + 1
        space = word.whitespace_ if is_next else " " * (not after.is_punct)
        text += (word.lower_ if is_lowered else word.text) + space
    mark = "!" if is_root and top.sent[-1].text == "!" else "."
    return text[:1].upper() + text[1:].rstrip() + mark
