"""Patterns of tgrep: against a slow evaluation from the definitions, against nltk.tgrep
where it is right; errors."""

import random
from itertools import product
from typing import Any, Callable, Dict, List, Tuple

import pytest
from nltk.tree import Tree

from spacy_lal.trees import parse_tree
from spacy_lal.trees.tgrep import Pattern
from spacy_lal.trees.tree_index import PatternError

MAT = (
    "(S (NP (NP (DT the) (NN cat)) (PP (IN on) (NP (DT the) (NN mat)))) (VP (VBZ "
    "sleeps)) (. .))"
)
Path = Tuple[int, ...]


class Slow:
    """A tree as a set of paths; every relation as its definition says, over all pairs
    of nodes."""

    def __init__(self, tree: Tree) -> None:
        self.paths: List[Path] = [tuple(path) for path in tree.treepositions()]
        self.text = {path: self._text(tree[path]) for path in self.paths}
        words = sorted(path for path in self.paths if not isinstance(tree[path], Tree))
        self.span = {
            path: [i for i, word in enumerate(words) if word[: len(path)] == path]
            for path in self.paths
        }
        self.n_children = {
            path: sum(p[:-1] == path and p != () for p in self.paths)
            for path in self.paths
        }

    @staticmethod
    def _text(node: Any) -> str:
        return node.label() if isinstance(node, Tree) else node

    def is_parent(self, a: Path, b: Path) -> bool:
        return len(b) == len(a) + 1 and b[:-1] == a

    def dominates(self, a: Path, b: Path) -> bool:
        return len(b) > len(a) and b[: len(a)] == a

    def is_last(self, path: Path) -> bool:
        return path[-1] == self.n_children[path[:-1]] - 1

    def holds(self, relation: str, a: Path, b: Path) -> bool:
        if relation[0] == ">":
            return self.holds(relation.replace(">", "<"), b, a)
        flipped = {",": ".", ",,": "..", "$,": "$.", "$,,": "$.."}
        if relation in flipped:
            return self.holds(flipped[relation], b, a)
        below = [
            b[:i] for i in range(len(a) + 1, len(b) + 1)
        ]  # from a's daughter down to b
        tests: Dict[str, Callable[[], bool]] = {
            "<": lambda: self.is_parent(a, b),
            "<:": lambda: self.is_parent(a, b) and self.n_children[a] == 1,
            "<<": lambda: self.dominates(a, b),
            "<<,": lambda: (
                self.dominates(a, b) and all(path[-1] == 0 for path in below)
            ),
            "<<'": lambda: (
                self.dominates(a, b) and all(self.is_last(path) for path in below)
            ),
            "<<:": lambda: (
                self.dominates(a, b)
                and all(self.n_children[path[:-1]] == 1 for path in below)
            ),
            ".": lambda: self.span[a][-1] + 1 == self.span[b][0],
            "..": lambda: self.span[a][-1] < self.span[b][0],
            "$": lambda: a != b and () not in (a, b) and a[:-1] == b[:-1],
            "$.": lambda: () not in (a, b) and a[:-1] == b[:-1] and a[-1] + 1 == b[-1],
            "$..": lambda: () not in (a, b) and a[:-1] == b[:-1] and a[-1] < b[-1],
        }
        if relation in tests:
            return tests[relation]()
        place = int(relation[1:])
        wanted = place - 1 if place > 0 else self.n_children[a] + place
        return self.is_parent(a, b) and b[-1] == wanted


RELATIONS = (
    "< <: << <<, <<' <<: > >: >> >>, >>' >>: . .. , ,, $ $. $.. $, $,, "
    "<1 <2 <-1 <-2 >1 >2 >-1 >-3"
).split()


def random_tree(rng: random.Random, depth: int = 4) -> Tree:
    """Few labels and words, so that equal subtrees stand in several places."""
    children: List[Any] = []
    for _ in range(rng.choice([1, 1, 2, 3])):
        deeper = depth > 0 and rng.random() < 0.75
        children.append(
            random_tree(rng, depth - 1) if deeper else rng.choice(["a", "b", "A"])
        )
    return Tree(rng.choice(["A", "B", "C"]), children)


def found(pattern: str, tree: Tree) -> List[Tuple[str, int, int]]:
    return [
        (match.label, match.start, match.end) for match in Pattern(pattern).search(tree)
    ]


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_relation_against_its_definition(relation: str):
    rng = random.Random(relation)
    for _ in range(12):
        tree = random_tree(rng, 3)
        slow = Slow(tree)
        for one, other in product(["A", "b", "*"], ["B", "a", "*"]):
            for negated in (False, True):
                pattern = f"{one} {'!' if negated else ''}{relation} {other}"
                expected = [
                    path
                    for path in sorted(slow.paths)
                    if one in ("*", slow.text[path])
                    and negated
                    != any(
                        other in ("*", slow.text[b]) and slow.holds(relation, path, b)
                        for b in slow.paths
                    )
                ]
                assert as_paths(pattern, tree) == expected, (pattern, str(tree))


def as_paths(pattern: str, tree: Tree) -> List[Path]:
    """The matches as paths: each node of the searched tree has a label or word of its
    own object."""
    places: Dict[int, Path] = {}
    copy = tree.copy(deep=True)
    for path in tree.treepositions():
        if not isinstance(copy[path], Tree):
            copy[path] = _Word(copy[path])
        places[id(copy[path])] = tuple(path)
    return [places[id(match.node)] for match in Pattern(pattern).search(copy)]


class _Word(str):
    """A word that is no other word's object."""


def test_labels_are_tried_in_all_ways():
    """nltk.tgrep keeps the first binding, and misses what only a later one fulfils."""
    tree = parse_tree("(S (NP (DT a)) (NP (NN b)) (VP (VB c)))")
    assert found("S < (NP=x < NN) < (NP=y $. =x)", tree) == [("S", 0, 3)]
    assert found("S < (NP=x < DT) < (NP=y $. =x)", tree) == []
    rng = random.Random(3)
    for _ in range(40):
        tree = random_tree(rng, 3)
        slow = Slow(tree)
        pairs = [
            (x, y)
            for x, y in product(slow.paths, repeat=2)
            if slow.text[x] == "A" and slow.text[y] == "B" and slow.holds("..", x, y)
        ]
        pairs = [
            (x, y)
            for x, y in pairs
            if not any(
                slow.holds("<", x, z) and slow.text[z] == "C" for z in slow.paths
            )
        ]
        both = [
            {a for a in slow.paths if slow.holds("<<", a, x) and slow.holds("<<", a, y)}
            for x, y in pairs
        ]
        expected = sorted(set().union(*both))
        assert as_paths("* << B=y << (A=x .. =y !< C)", tree) == expected


def test_faults_of_nltk_are_not_ours():
    tree = parse_tree("(S (A x) (A x) (B y))")
    assert found("x > A", tree) == [("", 0, 1), ("", 1, 2)]  # words have parents
    assert found("* !>> S", tree) == [("S", 0, 3)]
    assert found("x . y", tree) == [("", 1, 2)]
    assert found("A >>, S", tree) == [("A", 0, 1)]  # the same node, not an equal one
    assert found("x >>' A", tree) == [("", 0, 1), ("", 1, 2)]
    assert found(r"A|B < i@/^\S$/", tree) == [
        ("A", 0, 1),
        ("A", 1, 2),
        ("B", 2, 3),
    ]  # `\S` is not `\s`
    assert found("S < 'B", tree) == [("B", 2, 3)]  # the node after the quote is printed
    assert found("B=b > (S < =b)", tree) == [
        ("B", 2, 3)
    ]  # a name without quotes can be bound
    assert found("y $, *", tree) == [] and found("A $. A", tree) == [("A", 0, 1)]


def test_names():
    tree = parse_tree(
        '(S (`` ``) (PRP$ my) (NP=2 (NN "a/b")) (. .) (X |))', strip_functions=False
    )
    assert found('"PRP$"', tree) == [("PRP$", 1, 2)]
    assert found('"."', tree) == [(".", 3, 4), ("", 3, 4)]
    assert found("``", tree) == [("``", 0, 1), ("", 0, 1)]
    assert found(r'"\"a/b\""', tree) == found(r"/a\/b/", tree) == [("", 2, 3)]
    assert found('"NP=2"', tree) == [("NP=2", 2, 3)]
    assert found('i@"MY" > i@/prp/', tree) == [("", 1, 2)]
    assert found('"|"', tree) == [("", 4, 5)]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("", "expected a node, such as NP.* at character 1, at the end: ''"),
        ("NP <<5 X", "unknown relation '<<5' at character 4, before '<<5 X'"),
        ("NP <0 X", "unknown relation '<0'"),
        ("(NP", r"expected a relation or '\)' at character 4, at the end"),
        (
            "NP)",
            r"expected a relation such as < or .., or the end at character 3, before "
            r"'\)'",
        ),
        ("NP < =x", "the label 'x' is not bound before at character 7"),
        ("NP [< A=x | < B] < =x", "the label 'x' is not bound before"),
        ("NP=x|VP < =x", "the label 'x' is not bound before"),
        ("NP < A=x < B=x", "the label 'x' is bound twice at character 14"),
        ("/a", "the regular expression is not closed, it begins at character 1"),
        ('NP < "a', "the string is not closed, it begins at character 6"),
        ("NP < /(/", "no regular expression .*at character 6"),
        ("NP < 'A < 'B", "a second at character 11"),
        ("NP !< 'A", "can't stand in a negated relation"),
        ("NP\n < [ VP", "at character 7, before '. VP'"),
        ("NP < A & & < B", "expected a relation"),
    ],
)
def test_errors_name_the_place(pattern: str, message: str):
    with pytest.raises(PatternError, match=message):
        Pattern(pattern)


def test_any_text_is_a_pattern_or_an_error():
    rng = random.Random(5)
    pieces = ["NP", "x", *"<$!()|&= '/#", "<<", "..", "[", "]", '"', ":", ";", "@"]
    tree = parse_tree(MAT)
    n_right = 0
    for _ in range(5000):
        text = "".join(rng.choice(pieces) for _ in range(rng.randint(1, 9)))
        try:
            Pattern(text).search(tree)
            n_right += 1
        except PatternError as error:
            assert repr(text) in str(error)
    assert n_right > 50


def test_limits_can_be_reached():
    tree = parse_tree(MAT)
    assert found("(" * 50 + "NN" + ")" * 50, tree) == [("NN", 1, 2), ("NN", 4, 5)]
    assert found("S" + " < NP" * 100, tree) == [("S", 0, 7)]
    deep = Tree("X", ["x"])
    for _ in range(1000):
        deep = Tree("X", [deep])
    assert len(Pattern("X << x").search(deep)) == 1001
    assert len(Pattern("X >> X").search(deep)) == 1000


BOMBS = {
    "nesting": "(" * 5000 + "NP" + ")" * 5000,
    "relations": "NP" + " < NP" * 5000,
    "digits": "NP <" + "9" * 5000 + " NP",
    "repeats in a regex": "/a{" + "9" * 5000 + "}/",
    "regex in a regex": "/(a+)+$/",
    "alternatives in a regex": "/^(a|aa)+$/",
    "many repeats": "/" + "a*" * 30 + "b/",
    "bindings": "S << (*=a .. (*=b .. (*=c .. (*=d .. (*=e .. (*=f .. (=a < b))))))))",
}


@pytest.mark.parametrize("pattern", BOMBS.values(), ids=BOMBS.keys())
def test_searches_end(pattern: str):
    tree = Tree("S", [Tree("NP", [Tree("NN", ["a" * 40 + "!"])]) for _ in range(60)])
    try:
        assert Pattern(pattern).search(tree) == []
    except PatternError as error:
        assert len(str(error)) < 400


def test_unused_bindings_cost_nothing():
    tree = Tree("S", [Tree("NP", [Tree("NN", ["dog"])]) for _ in range(100)])
    assert Pattern("S << *=a << *=b << *=c << *=d << cat").search(tree) == []
    assert len(Pattern("/^N.*/ < /^(.*-)?d.+g$/").search(tree)) == 100
