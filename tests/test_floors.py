"""The house holds: imports point down the floors, never up or round; who may know torch
or spaCy; how long a file is.

Reads the sources (tests lie beside them in the repository), not the installed package:
nothing here is imported."""

import ast
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

PACKAGE = "spacy_lal"
SOURCE = Path(__file__).resolve().parent.parent / PACKAGE
# From the ground up. A room imports from its own floor and from those below.
FLOORS: List[str] = [
    "files lang trees decode scores role_scores",
    "layers complexity facts",
    "annotations export search tables loss treebanks models discourse",
    "pipeline checkpoint",
    "training evaluation interpret pictures distributed",
    "cli -",  # "-": spacy_lal/__init__.py, the door of the package
]
FLOOR: Dict[str, int] = {
    name: floor for floor, names in enumerate(FLOORS) for name in names.split()
}
# Modules that the files of a room never import, not even in a function.
FORBIDDEN: Dict[str, str] = {
    "lang trees decode scores role_scores complexity": "torch spacy thinc transformers",
    "evaluation pictures": "torch thinc transformers",
    "layers": "spacy thinc transformers",
    "loss": "thinc transformers spacy_lal.models",
    "treebanks": "torch thinc transformers spacy_lal.models spacy_lal.layers",
    "facts": "torch thinc transformers",
    "discourse": "torch transformers spacy_lal.layers",
    "annotations export search": "torch transformers spacy_lal.models spacy_lal.layers",
    "tables": "torch transformers spacy_lal.models spacy_lal.layers",
    "pipeline": "transformers spacy_lal.layers",
}
# Rooms that parse: torch is imported where something is trained or runs on a GPU,
# inside a function.
WITHOUT_TORCH = (
    "annotations cli decode discourse distributed evaluation export interpret models "
    "pictures pipeline treebanks trees"
)
TRAINS = "spacy_lal.models.torch.transformer"  # of these rooms, and does not parse
# The rule of CONTRIBUTING is the one place of both numbers. A function's lines are
# those of its body: arguments and docstring do not count.
RULES = (SOURCE.parent / "CONTRIBUTING.md").read_text(encoding="utf8")
MAX_FILE_LINES = int(re.findall(r"150 to (\d+) lines", RULES)[0])
MAX_FUNCTION_LINES = int(re.findall(r"body has at most\s+(\d+)", RULES)[0])
CYTHON_IMPORT = re.compile(
    r"^\s*(?:from\s+([\w.]+)\s+c?import|c?import\s+([\w.]+))", re.MULTILINE
)

FILES = sorted(
    [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.py[xi]"), *SOURCE.rglob("*.pxd")]
)
TREES = {
    path: ast.parse(path.read_text(encoding="utf8"))
    for path in FILES
    if path.suffix == ".py"
}


def module_of(path: Path) -> str:
    """`spacy_lal/trees/spans.py` -> `spacy_lal.trees.spans`; a folder's `__init__` ->
    the folder."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES}


def room_of(module: str) -> str:
    """The folder or file directly under the package to which a module of ours
    belongs."""
    return (module.split(".") + ["-"])[1]


def floor_of(module: str) -> int:
    """The floor of a module of ours."""
    return FLOOR[room_of(module)]


def imported(path: Path) -> Iterator[Tuple[str, int, bool]]:
    """Every module that a file imports, its line, and whether it is imported when the
    file is."""
    if path not in TREES:
        text = path.read_text(encoding="utf8")
        for match in CYTHON_IMPORT.finditer(text):
            yield (
                match.group(1) or match.group(2),
                text.count("\n", 0, match.start()) + 1,
                True,
            )
        return
    package = module_of(path).split(".")
    package = package if path.name == "__init__.py" else package[:-1]
    at_once = set(map(id, statements_at_import(TREES[path])))
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno, id(node) in at_once
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from .trees import spans` may import a module rather than a name
                name = f"{module}.{alias.name}"
                yield (
                    (name if name in MODULES else module),
                    node.lineno,
                    id(node) in at_once,
                )


def statements_at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of functions and of `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        is_later = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        if not is_later and not (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        ):
            yield node
            yield from statements_at_import(node)


def public_functions(tree: ast.AST) -> Iterator[Any]:
    """Functions and methods that others may call; not those inside a function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node)
        elif isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef)
        ) and not node.name.startswith("_"):
            yield node


def at(path: Path, line: int) -> str:
    return f"{path.relative_to(SOURCE.parent)}:{line}"


def test_imports_point_down():
    assert not {room_of(module) for module in MODULES} - set(FLOOR), (
        "a room without a floor"
    )
    wrong = [
        f"{at(path, line)} imports {module}"
        for path in FILES
        for module, line, _ in imported(path)
        if module.split(".")[0] == PACKAGE
        and floor_of(module) > floor_of(module_of(path))
    ]
    assert not wrong


def test_no_import_by_string():
    """Which module a string names, no test of arrows can see."""
    wrong = [
        f"{at(path, node.lineno)} calls {name}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for name in [getattr(node.func, "attr", getattr(node.func, "id", ""))]
        if name in ("import_module", "__import__", "resolve_name")
    ]
    assert not wrong


def test_no_circle_of_rooms():
    """Of all imports, those in functions too. Each edge goes from a room to another."""
    graph: Dict[str, Set[str]] = {}
    for path in FILES:
        room = room_of(module_of(path))
        graph.setdefault(room, set()).update(
            room_of(module)
            for module, _, _ in imported(path)
            if module.split(".")[0] == PACKAGE and room_of(module) != room
        )
    check_no_circle(graph)


def test_no_circle_of_files():
    """Of all imports, those in functions too; but for names that only annotations need
    (`if TYPE_CHECKING`), which may be defined above."""
    graph: Dict[str, Set[str]] = {}
    for path in FILES:
        of_types = lines_of_types(TREES[path]) if path in TREES else set()
        ours = {
            module
            for module, line, _ in imported(path)
            if module in MODULES and line not in of_types
        } - {module_of(path)}
        graph.setdefault(module_of(path), set()).update(ours)
    check_no_circle(graph)


def lines_of_types(tree: ast.AST) -> Set[int]:
    """The lines of `if TYPE_CHECKING`."""
    blocks = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    return {
        line for block in blocks for line in range(block.lineno, block.end_lineno + 1)
    }


def check_no_circle(graph: Dict[str, Set[str]]) -> None:
    done: Set[str] = set()

    def visit(node: str, trail: List[str]) -> None:
        assert node not in trail, " -> ".join([*trail[trail.index(node) :], node])
        if node not in done:
            for below in sorted(graph.get(node, ())):
                visit(below, [*trail, node])
            done.add(node)

    for node in sorted(graph):
        visit(node, [])


def test_nobody_knows_too_much():
    forbidden = {
        room: names.split()
        for rooms, names in FORBIDDEN.items()
        for room in rooms.split()
    }
    wrong = []
    for path in FILES:
        room = room_of(module_of(path))
        for module, line, at_once in imported(path):
            too_much = any(
                module == name or module.startswith(f"{name}.")
                for name in forbidden.get(room, ())
            )
            too_soon = (
                at_once
                and module.split(".")[0] == "torch"
                and room in WITHOUT_TORCH.split()
                and module_of(path) != TRAINS
            )
            if too_much or too_soon:
                wrong.append(f"{at(path, line)} imports {module}")
    assert not wrong


def test_files_and_functions_stay_short():
    wrong = [
        at(path, 1)
        for path in FILES
        if len(path.read_text(encoding="utf8").splitlines()) > MAX_FILE_LINES
    ]
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if lines_of_body(node) > MAX_FUNCTION_LINES:
                    wrong.append(f"{at(path, node.lineno)} {node.name}")
    assert not wrong


def lines_of_body(function: Any) -> int:
    """The lines from the first statement after the docstring to the last one."""
    has_docstring = ast.get_docstring(function, clean=False) is not None
    statements = function.body[1:] if has_docstring else function.body
    return function.end_lineno - statements[0].lineno + 1 if statements else 0
