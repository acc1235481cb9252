"""The house holds: imports point down the floors, never up or round; who may know torch or spaCy; how long a file is.

Reads the sources (tests lie beside them in the repository), not the installed package: nothing here is imported.
"""

import ast
import re
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

import pytest

PACKAGE = "spacy_lal"
SOURCE = Path(__file__).resolve().parent.parent / PACKAGE
FLOORS: Dict[str, int] = {
    "": 0,  # spacy_lal/__init__.py: the version, nothing else
    "files": 0,
    "locks": 0,
    "lang": 0,
    "trees": 0,
    "decode": 0,
    "scores": 0,
    "role_scores": 0,
    "metrics": 1,
    "layers": 1,
    "annotations": 2,
    "export": 2,
    "search": 2,
    "loss": 2,
    "treebanks": 2,
    "models": 2,
    "pipeline": 3,
    "checkpoint": 3,
    "training": 4,
    "evaluation": 4,
    "interpret": 4,
    "pictures": 4,
    "distributed": 4,
    "cli": 5,
}
# What a part must not import: of ours, and of others.
FORBIDDEN: Dict[str, Set[str]] = {
    "lang": {"torch", "spacy", "thinc", "transformers"},
    "trees": {"torch", "spacy", "thinc", "transformers"},
    "decode": {"torch", "spacy", "thinc", "transformers"},
    "scores": {"torch", "spacy", "thinc", "transformers"},
    "role_scores": {"torch", "spacy", "thinc", "transformers"},
    "metrics": {"torch", "thinc", "transformers"},
    "layers": {"spacy", "thinc", "transformers"},
    "loss": {"torch", "thinc", "transformers", f"{PACKAGE}.models"},
    "treebanks": {"torch", "thinc", "transformers", f"{PACKAGE}.models", f"{PACKAGE}.layers"},
    "pipeline": {"torch", f"{PACKAGE}.models", f"{PACKAGE}.layers"},
    "evaluation": {"torch", f"{PACKAGE}.models", f"{PACKAGE}.layers"},
}
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
CYTHON_IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", re.MULTILINE)

PYTHON_FILES = sorted(path for path in SOURCE.rglob("*.py"))
ALL_FILES = sorted([*PYTHON_FILES, *SOURCE.rglob("*.py[xi]"), *SOURCE.rglob("*.pxd")])


def module_of(path: Path) -> str:
    """`spacy_lal/trees/spans.py` -> `spacy_lal.trees.spans`; a folder's `__init__` -> the folder."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in ALL_FILES}


def part_of(module: str) -> str:
    """The folder or file directly under the package to which a module of ours belongs."""
    return (module.split(".") + [""])[1]


def imported(path: Path, at_load: bool = False) -> Iterator[Tuple[str, int]]:
    """Every module that a file imports, in functions and under TYPE_CHECKING too, with its line. at_load (bool): Only
    what it imports when it is loaded: a config block imports the torch module that it builds in `build`."""
    text = path.read_text(encoding="utf8")
    if path.suffix in (".pyx", ".pxd"):
        for match in CYTHON_IMPORT.finditer(text):
            yield match.group(1) or match.group(2), text.count("\n", 0, match.start()) + 1
        return
    package = module_of(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    tree = ast.parse(text)
    for node in tree.body if at_load else ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from .trees import spans` may import a module rather than a name
                name = f"{module}.{alias.name}"
                yield (name if name in MODULES else module), node.lineno


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node  # type: ignore[misc]


def public_functions(path: Path) -> Iterator[ast.FunctionDef]:
    """Functions and methods that others may call; not those inside a function."""
    owners: List[ast.AST] = [ast.parse(path.read_text(encoding="utf8"))]
    while owners:
        for node in ast.iter_child_nodes(owners.pop()):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                owners.append(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
                yield node  # type: ignore[misc]


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE.parent))


def test_every_part_has_a_floor():
    parts = {part_of(module) for module in MODULES}
    assert parts <= set(FLOORS), f"no floor is known for {sorted(parts - set(FLOORS))}"


@pytest.mark.parametrize("path", ALL_FILES, ids=name_of)
def test_imports_point_down(path: Path):
    mine = part_of(module_of(path))
    wrong = [
        f"{name_of(path)}:{line} imports {module}"
        for module, line in imported(path)
        if module.split(".")[0] == PACKAGE and FLOORS[part_of(module)] > FLOORS[mine]
    ]
    assert not wrong


@pytest.mark.parametrize("path", ALL_FILES, ids=name_of)
def test_nobody_knows_too_much(path: Path):
    forbidden = FORBIDDEN.get(part_of(module_of(path)), set())
    wrong = [
        f"{name_of(path)}:{line} imports {module}"
        for module, line in imported(path)
        if any(module == name or module.startswith(name + ".") for name in forbidden)
    ]
    assert not wrong


def test_no_import_goes_round():
    graph: Dict[str, Set[str]] = {}
    for path in ALL_FILES:
        me = module_of(path)
        ours = {module for module, _ in imported(path, at_load=True) if module in MODULES and module != me}
        graph.setdefault(me, set()).update(ours)
    done: Set[str] = set()

    def visit(module: str, trail: List[str]) -> None:
        assert module not in trail, " -> ".join([*trail[trail.index(module) :], module])
        if module not in done:
            for below in sorted(graph.get(module, ())):
                visit(below, [*trail, module])
            done.add(module)

    for module in sorted(graph):
        visit(module, [])


@pytest.mark.parametrize("path", ALL_FILES, ids=name_of)
def test_files_and_functions_stay_short(path: Path):
    assert len(path.read_text(encoding="utf8").splitlines()) <= MAX_FILE_LINES
    if path.suffix == ".py":
        long = [
            f"{name_of(path)}:{node.lineno} {node.name}: {node.end_lineno - node.lineno + 1} lines"
            for node in functions(path)
            if node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES
        ]
        assert not long


@pytest.mark.parametrize("path", PYTHON_FILES, ids=name_of)
def test_public_functions_are_typed_and_explained(path: Path):
    module = ast.parse(path.read_text(encoding="utf8"))
    wrong = [f"{name_of(path)}: no docstring"] if module.body and not ast.get_docstring(module) else []
    for node in public_functions(path):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        untyped = [arg.arg for arg in arguments if arg.annotation is None and arg.arg not in ("self", "cls")]
        if untyped or node.returns is None:
            wrong.append(f"{name_of(path)}:{node.lineno} {node.name}: {untyped or 'result'} without a type")
        if ast.get_docstring(node) is None and node.name != "forward":  # a module's forward is told by its class
            wrong.append(f"{name_of(path)}:{node.lineno} {node.name}: no docstring")
    assert not wrong


@pytest.mark.parametrize("path", PYTHON_FILES, ids=name_of)
def test_library_neither_prints_nor_asserts(path: Path):
    wrong = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        printing = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        if isinstance(node, ast.Assert) or printing:
            wrong.append(f"{name_of(path)}:{node.lineno}")
    assert not wrong


def test_no_drawer_for_odds_and_ends():
    assert not [name_of(path) for path in ALL_FILES if path.stem in ("util", "utils", "base", "errors", "helpers")]


@pytest.mark.parametrize(
    "part, line, caught",
    [
        ("trees", "from ..pipeline import lal_parser", "points_down"),
        ("trees", "import torch.nn", "too_much"),
        ("layers", "def f() -> None:\n    from spacy.tokens import Doc", "too_much"),
        ("pipeline", "from spacy_lal.layers.encoders.encoder import Encoder", "too_much"),
    ],
)
def test_these_tests_catch(part: str, line: str, caught: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A planted mistake is found: otherwise the tests above would pass on anything."""
    source = tmp_path / PACKAGE
    path = source / part / "planted.py"
    path.parent.mkdir(parents=True)
    path.write_text(line, encoding="utf8")
    monkeypatch.setitem(globals(), "SOURCE", source)
    check = test_imports_point_down if caught == "points_down" else test_nobody_knows_too_much
    with pytest.raises(AssertionError):
        check(path)


def test_a_circle_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / PACKAGE / "trees"
    folder.mkdir(parents=True)
    (folder / "one.py").write_text("from .two import f")
    (folder / "two.py").write_text("from spacy_lal.trees import one")
    monkeypatch.setitem(globals(), "SOURCE", folder.parent)
    monkeypatch.setitem(globals(), "ALL_FILES", [folder / "one.py", folder / "two.py"])
    monkeypatch.setitem(globals(), "MODULES", {f"{PACKAGE}.trees.one", f"{PACKAGE}.trees.two"})
    with pytest.raises(AssertionError, match="one -> .*two -> .*one"):
        test_no_import_goes_round()
