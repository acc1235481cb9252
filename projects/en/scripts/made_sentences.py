"""Make training sentences of kinds that treebanks have few of: exceptions, called
names, fronted phrases, appositions before a conjunct, possessors, subjects after their
verb, headlines, questions with a copula, quoted questions.

    python scripts/made_sentences.py scripts/made_sentences.txt corpus/made

The first file has a grammar: its head says how to read it. For each kind, made.ptb and
made.conllu get as many sentences, which `lal convert` joins. A kind is a name in small
letters. Lemmas, UPOS and features are hidden."""

import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from treebank import run

from spacy_lal.files import write_file
from spacy_lal.trees import Parse, format_conllu

NO_SPACE_BEFORE = frozenset({",", ".", "?", "'s"})
QUOTES = OPENING, CLOSING = "``", "''"  # tags
VOWELS = tuple("aeio")  # "a useful ..." stays


class Grammar(NamedTuple):
    """The lines of each name, and lists of words."""

    rules: Dict[str, List[str]]
    words: Dict[str, List[str]]

    @classmethod
    def read(cls, path: Path) -> "Grammar":
        """Read a file."""
        grammar = cls({}, {})
        for line in path.read_text(encoding="utf8").splitlines():
            if line.startswith("@"):
                name, *words = line[1:].split()
                grammar.words[name] = words
            elif line and not line.startswith("#"):
                name, _, expansion = line.partition(" = ")
                grammar.rules.setdefault(name, []).append(expansion)
        return grammar

    def kinds(self) -> List[str]:
        """The names of sentences."""
        return [name for name in self.rules if name.islower()]

    def draw(self, name: str, rng: random.Random) -> str:
        """A line of a name, with all other names and lists in it replaced."""
        drawn = rng.choice(self.rules[name])
        while names := re.search(r"\$([A-Z_]+)", drawn):
            chosen = rng.choice(self.rules[names[1]])
            drawn = drawn[: names.start()] + chosen + drawn[names.end() :]
        return re.sub(r"\{(\w+)\}", lambda one: rng.choice(self.words[one[1]]), drawn)


class Word(NamedTuple):
    """A word. head: The number of its head; 0 is the root."""

    form: str
    tag: str
    head: int
    deprel: str


class Reader:
    """Reads a sentence of the grammar: its bracketed tree, and its words."""

    def __init__(self, text: str) -> None:
        self.parts = re.findall(r"[^\s()]*\([A-Z]+|\)|[^\s()]+", text)
        self.forms: List[str] = []
        self.tags: List[str] = []
        self.arcs: Dict[int, Tuple[int, str]] = {}  # a word's head and deprel
        relations, self.tree = self.phrase(self.parts.pop(0))
        if [relation for relation, _ in relations] != ["root"]:
            raise ValueError(f"expected one root, got {relations} of {text!r}")
        self.arcs[relations[0][1]] = (-1, "root")

    def phrase(self, opening: str) -> Tuple[List[Tuple[str, int]], str]:
        """Read a phrase to its end.

        RETURNS (Tuple[List[Tuple[str, int]], str]): Relations with words that go out of
            it, that of its head first or alone, and its brackets.
        """
        relation, _, label = opening.rpartition("(")
        outer = "root" if not relation else relation.removesuffix(":")
        head: Optional[int] = None
        others: List[Tuple[str, int]] = []
        children: List[str] = []
        while (part := self.parts.pop(0)) != ")":
            if "(" in part:
                relations, brackets = self.phrase(part)
            else:
                relations, brackets = self.leaf(part)
            children.append(brackets)
            for name, word in relations:
                if name == "*":
                    head = word
                else:
                    others.append((name, word))
        brackets = f"({label} {' '.join(children)})"
        if head is None:
            return others, brackets
        for k, (name, word) in enumerate(others):
            self.arcs[word] = self.joined(others, k) or head, name
        return [(outer, head)], brackets

    def joined(self, others: List[Tuple[str, int]], k: int) -> int:
        """The head of a conjunction or comma: the conjunct or apposition that follows,
        else the apposition before it; of a quotation mark, what is quoted. 0: it has
        another."""
        name, word = others[k]
        if self.tags[word] in QUOTES:
            return dict(others)["ccomp"]
        if name == "cc" or self.forms[word] == ",":
            for relation, following in others[k + 1 : k + 3]:
                if relation in ("conj", "appos"):
                    return following
            if k and others[k - 1][0] == "appos":
                return others[k - 1][1]
        return 0

    def leaf(self, part: str) -> Tuple[List[Tuple[str, int]], str]:
        """Read RELATION:TAG=word, or *TAG=word."""
        name, _, form = part.partition("=")
        relation, tag = ("*", name[1:]) if name[0] == "*" else name.rsplit(":", 1)
        form = form[:-1].capitalize() if form.endswith("^") else form
        if self.forms and self.forms[-1] == "a" and form.startswith(VOWELS):
            self.forms[-1] = "an"
        self.forms.append(form)
        self.tags.append(tag)
        return [(relation, len(self.forms) - 1)], f"({tag} {{{len(self.forms) - 1}}})"

    def result(self) -> Tuple[str, List[Word]]:
        """The tree, and the words; the first has a capital."""
        forms = list(self.forms)
        first = next(k for k, tag in enumerate(self.tags) if tag not in QUOTES)
        forms[first] = forms[first][0].upper() + forms[first][1:]
        words = [
            Word(form, tag, self.arcs[k][0] + 1, self.arcs[k][1])
            for k, (form, tag) in enumerate(zip(forms, self.tags, strict=True))
        ]
        return f"(ROOT {self.tree.format(*forms)})", words


def to_conllu(words: Sequence[Word]) -> Parse:
    """A sentence without UPOS, lemmas and features."""
    spaces = [
        word.tag != OPENING
        and following.tag != CLOSING
        and following.form not in NO_SPACE_BEFORE
        for word, following in pairwise(words)
    ]
    return Parse(
        words=[word.form for word in words],
        tags=[word.tag for word in words],
        heads=[word.head for word in words],
        deprels=[word.deprel for word in words],
        spaces=[*spaces, False],
    )


def main(grammar: Path, output: Path, sentences: int = 250, seed: int = 0) -> None:
    """Read the command line, make, write."""
    rng = random.Random(seed)
    rules = Grammar.read(grammar)
    kinds = [kind for kind in rules.kinds() for _ in range(sentences)]
    made = [Reader(rules.draw(kind, rng)).result() for kind in kinds]
    rng.shuffle(made)
    trees, parses = zip(*made, strict=True)
    write_file(output / "made.ptb", "\n".join(trees) + "\n")
    text = "".join(format_conllu(to_conllu(words)) for words in parses)
    write_file(output / "made.conllu", text)


if __name__ == "__main__":
    run(main)
