"""Build the GENIA Treebank: abstracts on molecular biology, trees made by hand, no
dependencies.

    python scripts/build_genia.py assets/sources/genia.tar.gz assets/genia --craft
    assets/craft/train.ptb

SOURCE is the repository openbiocorpora/genia-treebank at commit bc5b7b24 as a .tar.gz
or a folder. An abstract is one of original-data/*.xml. With a fixed seed, 200 are for
tests and 100 for development. Where GENIA's habits differ by rule from EWT's and
CRAFT's, theirs are taken: tags, hyphens and slashes that are words (tagged as CRAFT
tags such words), `to` before a noun, bare conjuncts of one word, no bracket for a noun
phrase before a noun. The CoNLL-U has tags and spaces, and no heads."""

import random
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Annotated, Dict, Iterator, List, Sequence
from xml.etree import ElementTree

import typer
from nltk.tree import Tree
from treebank import (
    Sentence,
    preterminals,
    run,
    save,
    unpacked,
    without_doubles,
    without_heads,
)

from spacy_lal.trees import is_preterminal, read_brackets

ABSTRACTS = "original-data"
N_TEST, N_DEV, SEED = 200, 100, 7
TAGS = {
    "PRPP": "PRP$",
    "WPP": "WP$",
    "PERIOD": ".",
    "COMMA": ",",
    "COLON": ":",
    "LRB": "-LRB-",
    "RRB": "-RRB-",
    "LQT": "``",
    "RQT": "''",
}
SYMBOLS = frozenset("+/- --> < > = <= >= + *".split())
# what a hyphen joins to the word that follows
PREFIXES = frozenset(
    "anti auto bi bio co counter cross de di ex extra hemi hetero homo hyper hypo immuno "
    "inter intra iso macro mal mid micro mini mono multi naso neo non over pan para peri "
    "poly post pre pro proto pseudo psycho quasi re retro semi socio sub super supra "
    "trans tri ultra un under uni".split()
)
JOINED = re.compile(r"(?<=[\w)'+])([-/])(?=[\w('+])")  # between two words
NO_WORDS = re.compile(r"https?:|www\.|^\d+(\.\d+)?-fold$")
NUMBER = re.compile(r"[\d.,']+")
ADJECTIVE = re.compile(r"(ive|al|ic|ous|ent|ant|ar|ary|able|like|free|ate)$")
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
FLAT = frozenset({"NP", "NML", "NX", "WHNP", "QP", "UCP"})
Tagged = Dict[str, Counter]


class CraftTags:
    """How CRAFT tags words: before a hyphen or slash, after one, anywhere."""

    def __init__(self, path: Path) -> None:
        self.left: Tagged = defaultdict(Counter)
        self.right: Tagged = defaultdict(Counter)
        self.any: Tagged = defaultdict(Counter)
        with path.open(encoding="utf8") as lines:
            for tree in read_brackets(lines):
                leaves = [
                    (leaf[0].lower(), leaf.label()) for leaf in preterminals(tree)
                ]
                for k, (word, tag) in enumerate(leaves):
                    self.any[word][tag] += 1
                    if k + 1 < len(leaves) and leaves[k + 1][1] == "HYPH":
                        self.left[word][tag] += 1
                    if k and leaves[k - 1][1] == "HYPH":
                        self.right[word][tag] += 1

    def best(self, word: str, table: Tagged, allowed: Sequence[str], other: str) -> str:
        """The most frequent of the allowed tags."""
        if NUMBER.fullmatch(word):
            return "CD"
        for counts in (table, self.any):
            found = [
                (count, tag)
                for tag, count in counts.get(word.lower(), Counter()).items()
                if tag in allowed
            ]
            if found:
                return max(found)[1]
        return other


def parts_of(word: str, tag: str) -> List[str]:
    """The words of a token with hyphens or slashes, which are words themselves."""
    if (tag == "CC" and word != "and/or") or NO_WORDS.search(word):
        return [word]
    if not re.search(r"\w[-/]\w|\)-\w|\w/[-(]", word):
        return [word]
    pieces = JOINED.split(word)
    found = pieces[:1]
    for mark, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if mark == "-" and found[-1].lower() in PREFIXES:
            found[-1] += "-" + piece
        else:
            found += [mark, piece]
    return found


def tags_of(parts: Sequence[str], tag: str, craft: CraftTags) -> List[str]:
    """The tags of the words of a token."""
    tags = []
    for k, part in enumerate(parts):
        is_last = k == len(parts) - 1
        if k % 2:
            tags.append("HYPH")
        elif tag in ("CC", "FW", "CD", "LS", "SYM", "NNP", "NNPS"):
            plain = "NNP" if tag == "NNPS" and not is_last else tag
            tags.append("CD" if NUMBER.fullmatch(part) else plain)
        elif not is_last:
            allowed = ["NN", "JJ", "RB", "CD"]
            allowed += ["NNS", "VBN", "VB", "NNP"] if tag[0] == "J" else []
            allowed += ["FW"] if tag[0] not in "JV" else []
            found = craft.best(part, craft.left, allowed, "NN")
            is_list = tag == "NNS" and parts[k + 1] == "/" and part.endswith("s")
            tags.append("NNS" if is_list else found)
        elif tag == "JJ":
            other = "VBG" if part.endswith("ing") else "NN"
            other = "JJ" if ADJECTIVE.search(part) else other
            allowed = ["JJ", "VBN", "VBG", "NN", "CD"]
            found = craft.best(part, craft.right, allowed, other)
            tags.append("VBN" if part.endswith("ed") else found)
        else:
            is_number = tag in ("NN", "NNS") and NUMBER.fullmatch(part)
            tags.append("CD" if is_number else tag)
    return tags


def read_node(element: ElementTree.Element) -> List[Tree]:
    """The trees of an element: none for a trace, several for a token with spaces or a
    node without a label."""
    label = element.get("cat", "")
    if element.tag == "tok":
        words = "".join(element.itertext()).split()
        tag = TAGS.get(label, label)
        if words and words[0] in SYMBOLS:
            tag = "SYM"
        elif words == [","] and tag == ".":
            tag = ","
        elif words == ['"'] and tag not in ("``", "''"):
            tag = "''"
        brackets = {"(": "-LRB-", "[": "-LRB-", ")": "-RRB-", "]": "-RRB-"}
        return [Tree(brackets.get(word, tag), [word]) for word in words]
    children = [tree for child in element for tree in read_node(child)]
    if element.tag != "cons" or not label or not children:
        return children if element.tag == "cons" else []
    return [Tree(label, children)]


def with_parts(tree: Tree, craft: CraftTags) -> Tree:
    """A tree whose tokens with hyphens and slashes are several words: flat where the
    token is alone or the head of its phrase, in a phrase of their own before a head."""
    if is_preterminal(tree):
        return tree
    label = tree.label()
    nouns = [
        k
        for k, child in enumerate(tree)
        if is_preterminal(child) and child.label() in NOUNS
    ]
    children: List[Tree] = []
    for k, child in enumerate(tree):
        if not is_preterminal(child):
            children.append(with_parts(child, craft))
            continue
        tag = child.label()
        parts = parts_of(child[0], tag)
        tags = tags_of(parts, tag, craft) if len(parts) > 1 else [tag]
        leaves = [Tree(own, [part]) for own, part in zip(tags, parts, strict=True)]
        is_head = len(tree) == 1 or k in nouns[-1:]
        is_flat = is_head or label not in FLAT or tag[0] == "V" or len(parts) == 1
        if is_flat or tag in ("CC", "CD", "LS", "FW"):
            children += leaves
        else:
            of_adjective = tags[-1] in ("JJ", "VBN", "VBG", "JJR", "JJS")
            children.append(Tree("ADJP" if of_adjective else "NML", leaves))
    return Tree(label, children)


def harmonised(tree: Tree) -> Tree:
    """A tree with `to` before a noun as a preposition, and single words as conjuncts
    without brackets of their own."""
    if is_preterminal(tree):
        return tree
    children = [harmonised(child) for child in tree]
    label = tree.label()
    if label == "PP" and children[0].label() == "TO":
        if len(children) < 2 or children[1].label() != "VP":
            children[0] = Tree("IN", list(children[0]))
    phrases = [child for child in children if not is_preterminal(child)]
    same = {label, "NP"} if label == "NML" else {label}
    if label in ("NP", "NML", "ADJP", "ADVP") and len(phrases) > 1:
        are_words = all(
            one.label() in same and len(one) == 1 and is_preterminal(one[0])
            for one in phrases
        )
        if are_words and any(child.label() == "CC" for child in children):
            children = [
                child if is_preterminal(child) else child[0] for child in children
            ]
    return Tree(label, children)


def with_nml(tree: Tree) -> Tree:
    """A tree in which a noun phrase before a noun is NML."""
    if is_preterminal(tree):
        return tree
    children = [with_nml(child) for child in tree]
    if tree.label() in ("NP", "NML", "WHNP"):
        for k, child in enumerate(children):
            if child.label() == "NP" and not is_preterminal(child):
                if preterminals(child)[-1].label() != "POS":
                    if _comes_before_noun(children[k + 1 :]):
                        children[k] = _as_nml(child)
    return Tree(tree.label(), children)


def _comes_before_noun(sisters: Sequence[Tree]) -> bool:
    for sister in sisters:
        is_leaf = is_preterminal(sister)
        if sister.label() in (",", "CC", ":", "-LRB-"):
            return False
        if not is_leaf and sister.label() not in ("ADJP", "NP", "NML"):
            return False
        if is_leaf and sister.label() in NOUNS:
            return True
    return False


def _as_nml(tree: Tree) -> Tree:
    is_noun_phrase = not is_preterminal(tree) and tree.label() == "NP"
    return Tree("NML", [_as_nml(child) for child in tree]) if is_noun_phrase else tree


def spaces_of(words: Sequence[str], text: str) -> List[bool]:
    """Whether a space follows each word of a text."""
    spaces, place = [], 0
    for word in words:
        place = text.index(word, place) + len(word)
        spaces.append(text[place : place + 1] in ("", " "))
    return spaces


def read_abstract(path: Path, craft: CraftTags) -> Iterator[Sentence]:
    """The sentences of an abstract."""
    for number, element in enumerate(ElementTree.parse(path).iter("sentence")):
        children = [tree for child in element for tree in read_node(child)]
        if not children:
            continue
        tops = [child for child in children if not is_preterminal(child)]
        if len(tops) == 1 and len(children) > 1:  # a full stop goes into the sentence
            place = children.index(tops[0])
            inner = [*children[:place], *tops[0], *children[place + 1 :]]
            children = [Tree(tops[0].label(), inner)]
        elif len(tops) < len(children):
            children = [Tree("FRAG", children)]
        tree = with_parts(Tree("ROOT", children), craft)
        tree = without_doubles(harmonised(with_nml(tree)))
        words = [leaf[0] for leaf in preterminals(tree)]
        text = " ".join("".join(element.itertext()).split())
        metadata = {"sent_id": f"GENIA-{path.stem}-{number}"}
        yield without_heads(tree, words, spaces_of(words, text), metadata)


def read_splits(
    folder: Path, craft: CraftTags, test: bool
) -> Dict[str, Iterator[Sentence]]:
    """The sentences of train and dev, or of the test."""
    paths = sorted(folder.glob("*.xml"))
    random.Random(SEED).shuffle(paths)
    bounds = {"test": (0, N_TEST), "dev": (N_TEST, N_TEST + N_DEV)}
    bounds["train"] = (N_TEST + N_DEV, len(paths))
    return {
        split: (
            sentence
            for path in sorted(paths[first:last])
            for sentence in read_abstract(path, craft)
        )
        for split, (first, last) in bounds.items()
        if (split == "test") == test
    }


def main(
    source: Path,
    output: Path,
    craft: Annotated[Path, typer.Option()],
    test: bool = False,
) -> None:
    """Read the command line, build, write."""
    tags = CraftTags(craft)
    with unpacked(source, ABSTRACTS) as genia:
        splits = read_splits(genia / ABSTRACTS, tags, test)
        save("genia", splits, output, flat=True)


if __name__ == "__main__":
    run(main)
