"""Which words of a sentence are a noun's, a verb's, an argument's part of a triple."""

from typing import Sequence, Set, Tuple

from .grammar import (
    COORDINATION,
    SUBJECTS,
    VERBAL,
    child_above,
    is_chosen,
    is_mark,
    is_outside,
    is_stranded,
)
from .sentence import Word

ASIDE = ("acl:relcl", "advcl:relcl", "parataxis", "discourse", "vocative")
CLAUSES = ("ccomp", "xcomp", "advcl")
OBLIQUES = ("obl", "obl:agent")
PHRASES = (*OBLIQUES, "obl:unmarked")
ADJUNCTS = (*PHRASES, "iobj", "advmod")
OUT_OF_PHRASE = (*ASIDE, *COORDINATION, "appos", "case")
OUT_OF_PREDICATE = (
    *OUT_OF_PHRASE,
    *VERBAL,
    *SUBJECTS,
    *ADJUNCTS,
    "advcl",
    "expl",
    "mark",
)
OUT_OF_OWNED = (*OUT_OF_PREDICATE, "nmod:poss", "punct")
_SHARED = ("aux", "aux:pass")
NESTED = ("nmod", "obl")


def words_of_verb(clause: Word) -> Set[int]:
    """Give a verb or copula with its auxiliaries, its particles and the adverbs before
    it. The verbs that control it ("was able to reinforce") and shared auxiliaries ("was
    arrested and jailed") belong to it, too."""
    words: Set[int] = set()
    while True:
        helping = [x for x in clause.children if x.dep in VERBAL]
        if not clause.child("cop"):
            words.add(clause.i)
        for child in clause.children:
            if child in helping or child.dep == "compound:prt" or _is_left(child):
                words |= words_below(child)
            elif child.dep == "advmod" and _is_verbal_adverb(child, clause):
                words.add(child.i)
        head = clause.head
        if clause.dep != "xcomp" or head.child("obj", "iobj"):
            break
        words |= {
            x.i for x in head.children if x.dep == "advmod" and head.i < x.i < clause.i
        }
        words |= {x.i for x in clause.children if x.dep == "mark"}
        words.add(head.i)
        clause = head
    if clause.dep == "conj" and not helping:
        if clause.tag not in clause.lang.tags.finite:
            shared = [x for x in head.children if x.dep in _SHARED or is_denial(x)]
            words |= {x.i for x in shared}
    return words


def _is_left(word: Word) -> bool:
    """Tell whether "if", or "for" of "the book you asked for", belongs to the verb."""
    lang = word.lang
    is_doubt = word.lower in lang.conditional or word.lower in lang.replacing
    return (word.dep == "mark" and is_doubt) or is_stranded(word)


def is_denial(word: Word) -> bool:
    """Tell whether a word is an adverb that denies."""
    return word.dep == "advmod" and word.lower in word.lang.negations


def _is_verbal_adverb(adverb: Word, clause: Word) -> bool:
    """Tell whether an adverb belongs to the verb: "not", "perhaps", or one word between
    subject and verb."""
    lang = adverb.lang
    if is_outside(adverb, is_clause=True):
        return False
    if adverb.lower in lang.negations or adverb.lower in lang.doubting:
        return True
    is_alone = not adverb.children and adverb.tag not in lang.tags.asking
    subject = clause.child(*SUBJECTS)
    is_after = not subject or subject.i < adverb.i
    is_degree = adverb.i in degree_of(clause)
    return is_after and is_alone and adverb.i < clause.i and not is_degree


def degree_of(head: Word) -> Set[int]:
    """Give the words of an adverb right before an adjective: "slightly heavier"."""
    if head.pos != "ADJ" or not head.i:
        return set()
    before = head.sentence.words[head.i - 1]
    is_adverb = before.head is head and before.dep == "advmod"
    return words_below(before) if is_adverb and not is_denial(before) else set()


def words_of_noun(head: Word, clause: Word) -> Set[int]:
    """Give the words of a noun, before the relative clause that says the relation."""
    if clause.is_below(head):
        inner = words_within(head, OUT_OF_PREDICATE)
        return inner - words_below(child_above(clause, head))
    is_said = head.is_predicate and head.child("cop") is not None
    return words_within(head, OUT_OF_PREDICATE if is_said else OUT_OF_PHRASE)


def words_below(word: Word) -> Set[int]:
    """Give a word and all words below it."""
    words = {word.i}
    stack = [word]
    while stack:
        children = stack.pop().children
        words.update([x.i for x in children])
        stack += children
    return words


def words_within(head: Word, out: Tuple[str, ...]) -> Set[int]:
    """Give a word and the words below it, but for children with some deprels."""
    inner = {head.i}
    for child in head.children:
        if _is_part(child, out) and not is_outside(child, is_clause=head.is_predicate):
            inner |= words_below(child)
    return inner


def _is_part(word: Word, out: Tuple[str, ...]) -> bool:
    """Tell whether a word is a part of its phrase: unless its deprel is one of some,
    but with the clause of "what he had cooked", "anyone who came", "the first woman who
    flew"."""
    if word.dep not in out:
        return True
    if word.dep not in ASIDE[:2]:
        return False
    head = word.head
    tags = word.lang.tags
    is_free = head.tag in tags.asking or head.pos in ("PRON", "DET")
    first = word.sentence.words[word.first]
    return (is_free or is_chosen(head)) and first.text != tags.comma


def case_of(head: Word) -> Set[int]:
    """Give the words of the preposition of a phrase, or of its first conjunct."""
    while True:
        words: Set[int] = set()
        for child in head.children:
            if child.dep == "case" and child.i < head.i:
                words |= words_below(child)
        if words or head.dep != "conj":
            return words
        head = head.head


def denial_in(word: Word) -> Set[int]:
    """Give the "not" of an argument: "not quickly"."""
    return {x.i for x in word.children if x.lower in word.lang.negations}


def without_ends(words: Sequence[Word], places: Set[int]) -> Set[int]:
    """Give words without quotation marks, brackets and stops, and without marks at the
    ends."""
    kept = [words[i] for i in sorted(places)]
    kept = [x for x in kept if not x.token.is_space and x.tag not in x.lang.tags.silent]
    for place in (0, -1):
        while kept and is_mark(kept[place]):
            kept.pop(place)
    return {x.i for x in kept}


def written(words: Sequence[Word], places: Set[int]) -> str:
    """Write words in the order of the sentence. A word with a hyphen is one word, as in
    the text."""
    text = ""
    before = None
    for i in sorted(without_ends(words, places)):
        word = words[i]
        is_next = before is not None and before.i == i - 1
        is_hyphen = is_next and word.lang.tags.hyphen in (word.tag, before.tag)
        is_joined = is_hyphen and not before.token.whitespace_
        text += word.text if is_joined else f" {word.text}"
        before = word
    return text.strip()
