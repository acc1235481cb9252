"""What knows a language lies in `spacy_lal/lang`: no other module names a Penn tag, a
word of English, or a language's folder."""

import ast
import re
from pathlib import Path
from typing import Dict, Iterator, List, Set

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "spacy_lal"
# Tags and labels of the Penn Treebank that mean nothing else in code ("POS", "S", "X"
# do).
TAGS = frozenset(
    """
    CC CD DT EX IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT PRP PRP$ RB RBR RBS RP TO UH VB
    VBD VBG VBN VBP VBZ WDT WP WP$ WRB HYPH NFP
    ADJP ADVP FRAG INTJ NML NP PP PRN PRT QP SBAR SBARQ SINV SQ UCP VP WHADJP WHADVP
    WHNP WHPP
    """.split()
)
WORDS = frozenset(
    """
    although and because been but by can could did does for from going had has have he
    her him himself his if is it let might must my not of on our shall she should
    than that the their them there these they this those to unless until was were when
    where whether which while who whom whose will with would you your
    """.split()
)
# Modules that follow a paper or a format that has these labels.
ALLOWED: Dict[str, str] = {
    "annotations/noun_chunks.py": "NP, spaCy's label of every noun chunk",
    "complexity/measures.py": "VP, a measure of Lu (2010)",
    "evaluation/evalb_params.py": "the parameter files of EVALB",
    "trees/head_child.py": "the head rules of Collins (1999)",
}
MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if not path.relative_to(PACKAGE).as_posix().startswith("lang/")
]


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """The strings of a module that are no docstrings and no parts of messages."""
    left_out: Set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            left_out.add(node.value)
        if isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
        is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_string and node not in left_out:
            yield node


def words_of(text: str, is_table: bool) -> Set[str]:
    """The words that a string is, or that the alternatives of a pattern or the entries
    of a table are."""
    if is_table:
        return set(text.split())
    if "|" in text:
        return set(re.findall(r"[A-Za-z$]+", text))
    return {text}


def named_english(source: str) -> List[str]:
    """The lines of a module that name English, each with what it names."""
    tree = ast.parse(source)
    tables = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "split"
    }
    found = [
        f"{node.lineno}: {word}"
        for node in strings(tree)
        for word in words_of(node.value, id(node) in tables)
        if word in TAGS or word in WORDS
    ]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            if re.search(r"\blang\.(en|fr|id|is_)\b", node.module or ""):
                found.append(f"{node.lineno}: {node.module}")
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_module_outside_names_english(path: Path) -> None:
    name = path.relative_to(PACKAGE).as_posix()
    found = named_english(path.read_text(encoding="utf8"))
    assert bool(found) == (name in ALLOWED), found


@pytest.mark.parametrize(
    "source",
    [
        'TAGS = ("VBD", "VBN")',
        'is_noun = token.tag_ == "NN"',
        'WORDS = "of the by".split()',
        'PATTERN = re.compile("(?:she|he) (?:s|ll)")',
        "from ..lang.en import WORDS",
    ],
)
def test_the_search_finds_what_it_looks_for(source: str) -> None:
    assert named_english(source)


def test_the_search_leaves_out_docstrings_and_messages() -> None:
    source = 'def f():\n    """The NP."""\n    raise ValueError(f"of {x} the NP")'
    assert not named_english(source)
