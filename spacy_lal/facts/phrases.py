"""Which words of a sentence belong to an argument, and which to a verb."""

from collections.abc import Sequence
from typing import Optional

from spacy.tokens import Span

from .sentence import SUBJECTS, VERBAL, Word

CLAUSES = ("ccomp", "xcomp", "advcl")
PHRASES = ("obl", "obl:agent", "obl:unmarked")
ADJUNCTS = (*PHRASES, "iobj", "advmod")
_RELATIVE = ("acl:relcl", "advcl:relcl")
ASIDE = (*_RELATIVE, "parataxis", "discourse", "vocative", "list")
# Deprels of words below a head that are no part of its phrase
OUT_OF_PHRASE = (*ASIDE, "conj", "cc", "cc:preconj", "appos", "case")
_OF_CLAUSE = (*SUBJECTS, *VERBAL, *ADJUNCTS, "advcl", "expl", "mark", *OUT_OF_PHRASE)
_SHARED = ("aux", "aux:pass")
_LINKS = ("advmod", "mark")  # between two verbs
_OF_VERB = (*VERBAL, "compound:prt")


def words_of(head: Word, verb: Word) -> set[int]:
    """Give the words of an argument of a verb or a copula, without its preposition,
    conjuncts and asides. A noun has no clause that it heads, and not the clause that
    the verb heads; a predicate noun begins after the copula. A copula may join a clause
    to a subject of its own: "The problem is that he has no money"."""
    clause = verb.clause
    is_clause = head is not clause and heads_clause(head)
    is_noun = head.child("cop") is not None and not is_clause
    is_noun |= verb.dep == "cop" and head.dep == "conj"
    if head is clause:
        is_noun = verb.subject is clause.subject
    words = words_within(head, _OF_CLAUSE if is_noun else OUT_OF_PHRASE)
    for child in head.children:
        if clause.is_below(child):
            words -= child.below
        elif is_clause and (child.dep == "case" or _is_joined(child)):
            words |= child.below  # "said that she is in Rome and sleeps"
    if head is clause and verb.i < head.i:
        words -= set(range(verb.i + 1))
    return words


def _is_joined(word: Word) -> bool:
    return word.dep == "conj" and not word.child(*SUBJECTS)


def heads_clause(word: Word) -> bool:
    """Tell whether a word heads a clause that is an argument, or a conjunct of one."""
    is_predicate = word.is_predicate
    while word.dep == "conj":
        word = word.head
    return is_predicate and word.dep in CLAUSES


def words_within(head: Word, out: tuple[str, ...]) -> set[int]:
    """Give a word and the words below it, but for children with some deprels."""
    words = {head.i}
    for child in head.children:
        if _is_part(child, out) and not _is_outside(child):
            words |= child.below
    return words


def _is_part(word: Word, out: tuple[str, ...]) -> bool:
    """Tell whether a word is a part of its phrase: unless its deprel is one of some,
    but with the clause of "what he had cooked", "anyone who came", "the first woman who
    flew", and with "slightly" of "slightly heavier"."""
    if word.dep not in out:
        return True
    head = word.head
    if word.dep not in _RELATIVE:
        return _is_degree(word)
    is_free = head.tag in word.lang.asking or head.pos in ("PRON", "DET")
    return (is_free or head.is_chosen) and not word.is_aside


def _is_degree(word: Word) -> bool:
    head = word.head
    is_before = word.dep == "advmod" and word.i == head.i - 1
    return is_before and head.pos == "ADJ" and not word.is_denial


def _is_outside(word: Word) -> bool:
    """Tell whether a word or clause is no part of its phrase: "not" of "not Tom", "not
    only", "both", a participle after a comma, "instead of Tom", what stands in
    brackets."""
    head = word.head
    lang = word.lang
    around = {word.words[i].lower for i in (word.first - 1, word.first)}
    if word.i > head.i and around & lang.brackets:
        return True
    if word.dep == "acl":
        return lang.comma in around
    if word.lower in lang.limiting:
        return not around.isdisjoint(lang.negations)
    is_idle = not (head.is_predicate or head.is_auxiliary)
    if word.lower in lang.correlatives:
        return word.dep == "det" or (is_idle and word.dep != "nmod")
    return word.is_denied_noun or (word.is_denial and (is_idle or word.is_limited))


def words_of_verb(verb: Word, denial: Optional[Word]) -> set[int]:
    """Give a verb or copula with its auxiliaries, its particles, the adverbs before it
    and its denial. The verbs that control it ("was able to reinforce") and shared
    auxiliaries ("was arrested and jailed") belong to it, too."""
    clause = verb.clause
    words = {verb.i}
    verbs = [clause]
    for word in verbs:  # which grows
        head = word.head
        for child in word.children:
            if _is_verbal(child):
                words |= child.below
        if word.dep == "xcomp" and not head.child("obj", "iobj"):
            verbs.append(head)
            words.add(head.i)
            for child in (*head.children, *word.children):
                if child.dep in _LINKS and head.i < child.i < word.i:
                    words |= child.below
        elif word.dep == "conj" and not word.is_finite:
            shared = (x.i for x in head.children if x.dep in _SHARED or x.is_denial)
            words.update(shared)
    if clause.denial and clause.denial is not denial:
        words -= clause.denial.shown.below
    if denial and denial.shown.dep == "advmod":
        words |= denial.shown.below
    first = clause.child("cop")
    if first and first.subject is not clause.subject:
        words = {i for i in words if (i > first.i) != (verb is first)}
    return words


def is_adjunct(word: Word) -> bool:
    """Tell whether a word heads a further argument, and no relative word is in it."""
    tags = {x.tag for x in (word, *word.children)}
    if word.dep == "advmod" and (word.is_denial or _is_outside(word)):
        return False
    is_phrase = word.dep in ADJUNCTS or word.is_means
    return is_phrase and tags.isdisjoint(word.lang.asking)


def _is_verbal(word: Word) -> bool:
    """Tell whether a word belongs to its verb: an auxiliary, a particle, "if", "for" of
    "the book you asked for", "not", "perhaps", one adverb between subject and verb."""
    lang = word.lang
    clause = word.head
    if word.dep in _OF_VERB or word.is_stranded:
        return True
    if word.dep == "mark":
        is_due = clause.is_due and word.lower in lang.infinitive
        return is_due or word.lower in (lang.conditional | lang.replacing)
    if word.dep != "advmod" or _is_outside(word):
        return False
    if word.lower in lang.doubting:
        return True
    subject = clause.child(*SUBJECTS)
    is_between = (subject.i if subject else -1) < word.i < clause.i
    return is_between and not word.children and not _is_degree(word)


def case_of(head: Word) -> set[int]:
    """Give the words of the preposition of a phrase, or of its first conjunct."""
    while head.dep == "conj" and not head.child("case"):
        head = head.head
    cases = [x.below for x in head.children if x.dep == "case" and x.i < head.i]
    return set().union(*cases)


def joining(head: Word, clause: Word) -> set[int]:
    """Give the words of the preposition that joins a phrase after a predicate to it:
    "out", "of"."""
    is_after = head is clause or (head.i > clause.i and not head.child("cop"))
    return case_of(head) if is_after else set()


def phrase(head: Optional[Word], verb: Word) -> Optional[Span]:
    """Give the words of an argument that stand next to its head, with its role or
    deprel."""
    if head is None:
        return None
    words = words_of(head, verb)
    start = head.i
    end = head.i + 1
    while start - 1 in words:
        start -= 1
    while end in words:
        end += 1
    return trimmed(head, start, end, verb.roles.get(head) or head.dep)


def trimmed(head: Word, start: int, end: int, label: str = "") -> Span:
    """Give the words around a word, without marks and white space at the ends."""
    words = without_marks(head.words[start:end]) or [head]
    return head.sentence.span_of(words[0].i, words[-1].i + 1, label)


def without_marks(words: Sequence[Word]) -> list[Word]:
    """Give words without the marks and spaces at their ends, but with "$" before a
    number."""
    kept = [*words]
    for place in (0, -1):
        while kept and _is_mark(kept[place]):
            kept.pop(place)
    return kept


def _is_mark(word: Word) -> bool:
    is_currency = word.tag == word.lang.currency and word.i < word.head.i
    return (word.dep == "punct" or word.token.is_space) and not is_currency


def written(words: Sequence[Word], places: set[int]) -> str:
    """Write words in the order of the sentence, without quotation marks, brackets and
    stops. A word with a hyphen is one word, as in the text."""
    lang = words[0].lang
    inner = [words[i] for i in sorted(places)]
    kept = [x for x in inner if not x.token.is_space and x.tag not in lang.silent]
    text = ""
    for word in without_marks(kept):
        before = words[word.i - 1]
        is_hyphen = lang.hyphen in (word.tag, before.tag)
        is_apart = before.token.whitespace_ or not is_hyphen
        text += f" {word.token.text}" if is_apart else word.token.text
    return text.strip()
