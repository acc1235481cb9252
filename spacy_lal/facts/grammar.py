"""Which words of a sentence are the subjects and objects of which. Heads with the
deprels of Universal Dependencies answer; words and tags are those of the language
(`lang/clause_words.py`)."""

from typing import List, Optional

from .sentence import VERBAL, Word

SUBJECTS = ("nsubj", "csubj", "nsubj:pass", "csubj:pass", "nsubj:outer", "csubj:outer")
INNER_SUBJECTS = SUBJECTS[:4]
OUTER_SUBJECTS = SUBJECTS[4:]
_OF_RELATIVES = ("xcomp", "conj", "nmod", "obl", "obj", *SUBJECTS)
_LENT = ("conj", "xcomp", "advcl")
_NOUNS = ("NOUN", "PROPN")
# What a verb of saying may have said before another clause stands beside it
_CONTENTS = ("obj", "obl", "discourse", "advmod", "ccomp", "xcomp")


def set_grammar(word: Word) -> None:
    """Find what a clause has from the clauses above, which were read before."""
    head = word.head
    deprels = " ".join([x.dep for x in word.children])
    verbs = [word, *[x for x in word.children if x.dep in VERBAL]]
    word.is_finite = any(x.tag in word.lang.finite for x in verbs)
    word.is_finite |= is_helped(word) and head.is_finite
    word.is_passive = ":pass" in deprels
    if word.tag == word.lang.participle and len(verbs) == 1:
        word.is_passive |= word.dep in ("acl", "advcl") or head.is_passive
    if _is_relative(word):
        word.relative = word
    elif word.dep in _OF_RELATIVES:
        word.relative = head.relative
    if word.is_predicate or word.is_auxiliary or word.dep == "xcomp":
        subject = word.child(*INNER_SUBJECTS)
        word.subject = antecedent(subject) if subject else _lent_subject(word)
    elif word.dep == "cop":
        outer = head.child(*OUTER_SUBJECTS)
        word.subject = outer if outer and word is head.child("cop") else head.subject


def is_helped(word: Word) -> bool:
    """Tell whether an auxiliary verb helps a verb: "going to leave"."""
    return word.dep == "xcomp" and word.head.is_auxiliary


def clause_of(word: Word) -> Word:
    """Give the head of a predicate's clause. A copula's clause is headed by the word
    that the copula joins to the subject."""
    return word.head if word.dep == "cop" else word


def _is_relative(word: Word) -> bool:
    """Tell whether a word heads a relative clause: with a relative word or without, the
    second half of "It was the driver who caused it", or "to win" of "the first woman to
    win"."""
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
    superlative = lang.superlative
    words = (noun, *noun.children)
    return any(x.lower in lang.inclusive or x.tag in superlative for x in words)


def is_relative_word(word: Word) -> bool:
    """Tell whether a word is "who", "which" or "that" of a relative clause."""
    return word.tag in word.lang.relative


def is_prepositional(word: Word) -> bool:
    """Tell whether a participle is a complement with a preposition or a particle: "kept
    him from leaving", "accused him of stealing", "gave up stealing"."""
    lang = word.lang
    head = word.head
    tags = [x.tag for x in (word, *word.children)]
    if word.dep != "advcl" or lang.gerund not in tags:
        return False
    link = head.child("compound:prt") or word.word(lang.complementing, "mark")
    return link is not None and head.i < word.i


def is_due(word: Word) -> bool:
    """Tell whether somebody is to do it: "was to sell the car"."""
    mark = word.word(word.lang.infinitive, "mark")
    verb = word.child(*VERBAL)
    return bool(mark and verb and verb.i < mark.i)


def is_means(word: Word) -> bool:
    """Tell whether a clause says by what something is done: "by heating sand"."""
    return word.word(word.lang.means, "mark") is not None


def is_contrast(word: Word) -> bool:
    """Tell whether a conjunct holds instead of the word before it: "Tom" of "not by
    Anna but by Tom", of "nobody but Tom"."""
    return word.word(word.lang.adversative, "cc", "case") is not None


def agent_of(word: Word) -> Optional[Word]:
    """Give who does it by roles."""
    return next((x for x, role in word.roles.items() if role == "ARG0"), None)


def _lent_subject(word: Word) -> Optional[Word]:
    """Give the subject of the clause that controls a word."""
    head = word.head
    lang = word.lang
    agent = agent_of(word)
    if word.relative is word:
        return named(head)
    if agent and not word.is_passive:
        return antecedent(agent)  # "trained them to see it": the roles know
    if word.dep not in _LENT:
        return None
    is_asked = word.dep == "xcomp" and head.lemma not in lang.subject_control
    if is_asked or (is_prepositional(word) and head.lemma in lang.of_gerunds):
        return head.child("obj", "iobj") or head.subject
    is_idle = is_means(word) and head.is_passive
    return None if is_idle or word.word(lang.loose, "mark") else head.subject


def antecedent(word: Word) -> Word:
    """Give the noun for a relative word; any other word stands for itself."""
    verb = word.head.relative
    is_free = word.child("acl:relcl") is not None
    return verb.head if verb and is_relative_word(word) and not is_free else word


def named(noun: Word) -> Word:
    """Give the noun for "what" and "all" if a copula says it: "the price" of "What
    surprised me was the price"."""
    above = noun.head
    is_open = is_relative_word(noun) or noun.lower in noun.lang.amounts
    is_said = noun.dep == "nsubj" and above.pos in _NOUNS and above.child("cop")
    return above if is_open and is_said and not above.denial else noun


def object_of(word: Word) -> Optional[Word]:
    """Give the object of an active verb: a thing, a clause, an antecedent, or "the
    fish" of "cooked and ate the fish" for both verbs."""
    thing = word.child("obj") or word.child("ccomp") or word.child("xcomp")
    if thing and not is_beside(thing):
        return thing
    head = word.head
    if word.dep == "acl:relcl" and word.child(*SUBJECTS):
        before = word.words[word.first : word.i]
        is_own = head.lemma not in word.lang.adverbial_nouns
        if is_own and not any(map(is_relative_word, before)):
            return head
    verb = word.child("conj")
    is_next = verb is not None and verb.i == word.i + 2 and verb.child("cc")
    is_lacking = is_next and word.lemma not in word.lang.intransitive
    return verb.child("obj") if verb and is_lacking else None


def is_beside(clause: Word) -> bool:
    """Tell whether a clause after another one only stands beside it, though it hangs on
    its verb: "She wrote a letter; he ate the soup"."""
    head = clause.head
    inner = clause.words[head.i + 1 : clause.i]
    marks = {x.tag for x in inner if x.dep == "punct"}
    if not marks or marks & clause.lang.opening or not clause.child(*SUBJECTS):
        return False
    said = [x for x in inner if x.head is head or x is inner[0]]
    return any(x.dep in _CONTENTS for x in said)


def is_stranded(word: Word) -> bool:
    """Tell whether a preposition after a verb has no noun: "the book you asked for"."""
    is_next = word.i == word.head.i + 1 and word.dep == "obl"
    return is_next and word.tag in word.lang.prepositions


def is_goal(word: Word) -> bool:
    """Tell whether a phrase is the goal of a verb of motion: "ran to the bus"."""
    is_moving = word.head.lemma in word.lang.motion
    return is_moving and word.word(word.lang.directions, "case") is not None


def conjuncts(head: Word) -> List[Word]:
    """Give the words that are coordinated with a word before them, "Tom" of "Anna, not
    Tom" and "tanks instead of tractors" too, but no "etc."."""
    words = [head]
    for word in words:  # which grows
        later = [x for x in word.children if x.dep == "conj" or is_denied_noun(x)]
        words += [x for x in later if x.i > word.i and x.lower not in head.lang.others]
    return words[1:]


def is_denied_noun(word: Word) -> bool:
    """Tell whether a noun below another says who it was not: "Anna, not Tom", "Anna
    instead of Tom"."""
    is_replaced = word.word(word.lang.substituting, "case") is not None
    return is_replaced or (word.dep == "appos" and word.denial is not None)


def is_limited(word: Word) -> bool:
    """Tell whether a word does not deny: "not" of "not only"."""
    following = word.words[word.i + 1 : word.i + 2]
    return any(x.lower in word.lang.limiting for x in following)
