"""Mend the closing brackets of a treebank, and what was made of them: CRAFT has 13 % of
its pairs "( ... )" with the ")" outside of the phrase of the "(", often at the
sentence's level.

`mended` moves ")" to the end of the phrase of "(", where that phrase ends right before
it, so that no bracket crosses another; the pair gets a PRN. `nested` puts what stands
before a PRN into a noun phrase of its own, as the Wall Street Journal, GUM and GENIA
have it. `mend_heads` gives ")" the head of "(", `mend_lemmas` gives words their own
digits."""

import re
from typing import Dict, List, Tuple

from nltk.tree import Tree
from treebank import without_doubles

from spacy_lal.trees import Parse, is_preterminal

NOUN_PHRASES = frozenset({"NP", "NML", "NX"})
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
NORMALISED = re.compile(r"#\w+#")  # a lemma such as #ord#


class Places:
    """The words of a tree; of each node its parent and its first and last word."""

    def __init__(self, tree: Tree) -> None:
        self.leaves: List[Tree] = []
        self.parents: Dict[int, Tree] = {}
        self.ends: Dict[int, int] = {}
        self._read(tree)

    def _read(self, node: Tree) -> None:
        if is_preterminal(node):
            self.leaves.append(node)
        else:
            for child in node:
                self.parents[id(child)] = node
                self._read(child)
        self.ends[id(node)] = len(self.leaves)

    def pairs(self) -> List[Tuple[int, int]]:
        """The words that open and close a pair, whatever their form, in the order of
        the second."""
        found, opened = [], []
        for word, leaf in enumerate(self.leaves):
            if leaf.label() == "-LRB-" and leaf[0] in OPENING:
                opened.append(word)
            elif leaf.label() == "-RRB-" and leaf[0] in CLOSING and opened:
                found.append((opened.pop(), word))
        return found


def mended(tree: Tree) -> Tree:
    """A tree whose pairs of brackets are each held by a phrase, where that crosses no
    other."""
    tree = tree.copy(deep=True)
    while True:
        places = Places(tree)
        for first, last in places.pairs():
            opening, closing = places.leaves[first], places.leaves[last]
            phrase = places.parents[id(opening)]
            outer = places.parents[id(closing)]
            if phrase is not outer and places.ends[id(phrase)] == last:
                _close(phrase, opening, closing)
                _remove(outer, closing)
                break
        else:
            return without_doubles(tree)


def _remove(phrase: Tree, leaf: Tree) -> None:
    """Take a leaf out, and a label that then stands twice."""
    phrase[:] = [child for child in phrase if child is not leaf]
    if len(phrase) == 1 and phrase[0].label() == phrase.label():
        if not is_preterminal(phrase[0]):
            phrase[:] = list(phrase[0])


def _close(phrase: Tree, opening: Tree, closing: Tree) -> None:
    """Put ")" at the end of the phrase that has "(", and the pair under a PRN."""
    place = next(k for k, child in enumerate(phrase) if child is opening)
    inner = list(phrase[place + 1 :])
    if place == 0:
        if phrase.label() not in NOUN_PHRASES:
            phrase.append(closing)
            return
        is_phrase = len(inner) == 1 and not is_preterminal(inner[0])
        within = inner if is_phrase else [Tree("NP", inner)]
        phrase[:] = [opening, *within, closing]
        phrase.set_label("PRN")
    else:
        if inner and all(map(is_preterminal, inner)):
            inner = [Tree("NP", inner)]
        phrase[place:] = [Tree("PRN", [opening, *inner, closing])]


def nested(tree: Tree) -> Tree:
    """A tree with `(NP (NP a b) (PRN ...))` for `(NP a b (PRN ...))`."""
    if is_preterminal(tree):
        return tree
    children = [nested(child) for child in tree]
    *before, last = children
    if tree.label() == "NP" and last.label() == "PRN":
        if any(map(is_preterminal, before)):
            children = [Tree("NP", before), last]
    return Tree(tree.label(), children)


def mend_heads(tree: Tree, sentence: Parse) -> None:
    """Give each ")" the head and deprel of its "(" where both are sisters in the tree,
    in place. One that has dependents keeps its own."""
    places = Places(tree)
    heads, deprels = list(sentence.heads or ()), list(sentence.deprels)
    for first, last in places.pairs():
        opening, closing = (places.leaves[word] for word in (first, last))
        are_sisters = places.parents[id(opening)] is places.parents[id(closing)]
        if are_sisters and heads[first] and last + 1 not in heads:
            heads[last], deprels[last] = heads[first], deprels[first]
    sentence.heads, sentence.deprels = heads, deprels


def mend_lemmas(sentence: Parse) -> None:
    """Give words whose lemma is normalised (0, #ord#, p0) the word itself, in place: in
    small letters unless it has a digit or is a name."""
    lemmas = list(sentence.lemmas)
    for word, (form, lemma) in enumerate(zip(sentence.words, lemmas, strict=True)):
        has_digit = re.search(r"\d", form) is not None
        is_masked = "0" in lemma and has_digit and lemma != form
        if NORMALISED.search(lemma) or is_masked or lemma == "0":
            is_name = sentence.tags[word].startswith("NNP")
            lemmas[word] = form if has_digit or is_name else form.lower()
    sentence.lemmas = lemmas
