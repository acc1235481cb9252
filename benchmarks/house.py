#!/usr/bin/env python
"""How the package reads, how many options its configs have, and through how many of its
files the data goes.

    python benchmarks/house.py [--pipeline en_lal_md] [--list]

The sources are those of this checkout, the files that run those of the package that
Python imports, installed or not. A node is a node of Python's syntax tree; docstrings,
and the marks of reading, writing and deleting a name, are left out. Nodes are counted
by room, a folder of the package; the rooms of `APART` have limits of their own and are
no part of the whole. A line of code belongs to a function and is neither blank, nor a
comment, nor part of a docstring. A binding is a parameter, or a name that is assigned.
A file counts on a way where one of its functions runs; importing it does not count.
Options are the parameters of all registered functions: factories (without `nlp` and
`name`), architectures, blocks, readers, scorers, callbacks, optimizers.

Exit code 1 where a measure is beyond its limit. A limit of nodes follows the count down
and is never raised."""

import argparse
import ast
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "spacy_lal"
WORDS = "She sees a dog in the park .".split()
WIDTH = 88
SHORTEST = 8  # lines of code of a function whose own density counts
APART = ("lang/id", "discourse")
MEANINGLESS = frozenset({"one", "found", "given", "rest"})
LIMITS = {
    "nodes": 138_000,
    **{f"nodes of {room}": 1_500 for room in APART},
    "nodes a line of code": 7.0,
    "nodes a line of the densest function": 11.0,
    "names that say nothing, of 100 bindings": 2.0,
    "class names that stand twice": 0,
    "wide lines in 1,000": 10.0,
    "assignments of several values in 1,000 lines": 2.0,
    "RETURNS or RAISES within a line": 0,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Density(NamedTuple):
    """The syntax of a function.

    name (str): File, line and name.
    nodes (int): Its nodes, those of functions within it included.
    lines (int): Its lines of code.
    """

    name: str
    nodes: int
    lines: int

    @property
    def nodes_per_line(self) -> float:
        return self.nodes / self.lines


class Source:
    """A file of the package, and its syntax tree.

    path (Path): The file."""

    def __init__(self, path: Path):
        self.path = path
        self.lines = path.read_text(encoding="utf8").splitlines()
        self.tree = ast.parse("\n".join(self.lines))

    @property
    def room(self) -> str:
        """The folder of the package that it lies in, or a room of `APART`."""
        inner = self.path.relative_to(SOURCES).as_posix()
        apart = (room for room in APART if inner.startswith(f"{room}/"))
        first, _, file = inner.partition("/")
        return next(apart, first if file else "(top)")

    def functions(self) -> Iterator[Density]:
        """All functions and methods; one within another counts as part of it."""
        within: set[ast.AST] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if node not in within:
                    within.update(ast.walk(node))
                    yield self.density(node)

    def density(self, function: Function) -> Density:
        """The syntax of a function."""
        explained = {
            number
            for node in docstrings(function)
            for number in range(node.lineno, node.end_lineno + 1)  # type: ignore[operator]
        }
        numbers = range(function.lineno, function.end_lineno + 1)  # type: ignore[operator]
        n_lines = sum(
            number not in explained and is_code(self.lines[number - 1])
            for number in numbers
        )
        place = f"{self.path.relative_to(ROOT)}:{function.lineno}"
        return Density(f"{place} {function.name}", count_nodes(function), n_lines)


def docstrings(tree: ast.AST) -> Iterator[ast.Expr]:
    """The docstrings of all modules, classes and functions of a tree."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, owners) and ast.get_docstring(node, clean=False):
            first = node.body[0]
            if isinstance(first, ast.Expr):
                yield first


def is_code(line: str) -> bool:
    """Whether a line is neither blank nor a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


def count_nodes(tree: ast.AST) -> int:
    """The nodes of a tree, without docstrings and without marks of a name's use."""
    left_out: set[ast.AST] = set()
    for node in docstrings(tree):
        left_out.update((node, node.value))
    marks = (ast.Load, ast.Store, ast.Del)
    return sum(
        node not in left_out and not isinstance(node, marks) for node in ast.walk(tree)
    )


def assigns_several(node: ast.AST) -> bool:
    """Whether a node is an assignment such as `a, b = 1, 2`."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Tuple)
    )


def is_within_a_line(line: str) -> bool:
    """Whether RETURNS or RAISES stands behind other words of a docstring."""
    headings = re.compile(r"\b(RETURNS|RAISES)\b")
    return bool(headings.search(line)) and not headings.match(line.lstrip())


def bindings(nodes: list[ast.AST]) -> list[str]:
    """All names that are assigned or are parameters, as often as they are."""
    parameters = [node.arg for node in nodes if isinstance(node, ast.arg)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    return parameters + [name.id for name in names if isinstance(name.ctx, ast.Store)]


def twice(nodes: list[ast.AST]) -> list[str]:
    """The names of several classes each."""
    names = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    return [name for name, number in names.items() if number > 1]


def nodes_by_room(sources: list[Source]) -> Counter[str]:
    """The nodes of each room."""
    counts: Counter[str] = Counter()
    for source in sources:
        counts[source.room] += count_nodes(source.tree)
    return counts


def densities(sources: list[Source]) -> list[Density]:
    """All functions of the package, the densest first."""
    functions = [function for source in sources for function in source.functions()]
    return sorted(functions, key=lambda function: -function.nodes_per_line)


def measure(sources: list[Source]) -> dict[str, float]:
    """How the package reads, by the names of `LIMITS`."""
    lines = [line for source in sources for line in source.lines]
    nodes = [node for source in sources for node in ast.walk(source.tree)]
    rooms = nodes_by_room(sources)
    functions = densities(sources)
    thousands = len(lines) / 1000
    n_nodes = sum(function.nodes for function in functions)
    n_code_lines = sum(function.lines for function in functions)
    densest = next(each for each in functions if each.lines >= SHORTEST)
    names = bindings(nodes)
    n_meaningless = sum(name in MEANINGLESS for name in names)
    apart = {room: rooms.pop(room, 0) for room in APART}
    return {
        "nodes": sum(rooms.values()),
        **{f"nodes of {room}": number for room, number in apart.items()},
        "nodes a line of code": n_nodes / n_code_lines,
        "nodes a line of the densest function": densest.nodes_per_line,
        "names that say nothing, of 100 bindings": 100 * n_meaningless / len(names),
        "class names that stand twice": len(twice(nodes)),
        "wide lines in 1,000": sum(len(line) > WIDTH for line in lines) / thousands,
        "assignments of several values in 1,000 lines": (
            sum(map(assigns_several, nodes)) / thousands
        ),
        "RETURNS or RAISES within a line": sum(map(is_within_a_line, lines)),
    }


def registered() -> Iterator[tuple[str, Any]]:
    """Names and functions of the entry points that a config may name."""
    parser = ConfigParser(delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(ROOT / "setup.cfg", encoding="utf8")
    for group, lines in parser["options.entry_points"].items():
        if group in ("spacy_cli", "spacy_displacy_colors"):
            continue
        for line in lines.strip().splitlines():
            name, _, place = (part.strip() for part in line.partition("="))
            module, _, function = place.partition(":")
            yield name, getattr(import_module(module), function)


def options() -> dict[str, int]:
    """The number of options of each registered function."""
    return {
        name: len(set(inspect.signature(function).parameters) - {"nlp", "name"})
        for name, function in registered()
    }


def files_of(run: Callable[[], Any]) -> list[str]:
    """The files of the package that have a function which runs in a call.

    RAISES (RuntimeError): If there is none, so that no way is measured as free."""
    import spacy_lal

    package = Path(spacy_lal.__file__).parent
    names: set[str] = set()

    def see(frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>":
            names.add(code.co_filename)

    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(None)
    ours = [Path(name) for name in names if Path(name).is_relative_to(package)]
    if not ours:
        raise RuntimeError(f"no function of {package} ran")
    return sorted(str(path.relative_to(package)) for path in ours)


def ways(pipeline: str) -> dict[str, list[str]]:
    """The files that the data goes through."""
    import spacy

    loaded: list[Any] = []
    files = {"spacy.load": files_of(lambda: loaded.append(spacy.load(pipeline)))}
    nlp = loaded[0]
    factories = {nlp.get_pipe_meta(name).factory: pipe for name, pipe in nlp.pipeline}
    parser = factories["lal_parser"]
    files["a Doc to its parse"] = files_of_parsing(nlp, parser)
    files["a gold tree to its loss"] = files_of_training(nlp, parser)
    roles = factories.get("lal_srl")
    if roles is not None:
        files["a Doc to its roles"] = files_of_parsing(nlp, roles)
        files["gold roles to their loss"] = files_of_training(nlp, roles)
    return files


def read(nlp: Any, until: Any = None) -> Any:
    """A Doc of `WORDS`, annotated by the components before one."""
    from spacy.tokens import Doc

    starts = [number == 0 for number in range(len(WORDS))]
    doc = Doc(nlp.vocab, words=WORDS, sent_starts=starts)
    for _, pipe in nlp.pipeline:
        if pipe is until:
            break
        doc = pipe(doc)
    return doc


def files_of_parsing(nlp: Any, pipe: Any) -> list[str]:
    """The files through which a Doc goes in a component."""
    pipe(read(nlp, pipe))  # what is made once, at first use
    doc = read(nlp, pipe)
    return files_of(lambda: pipe(doc))


def files_of_training(nlp: Any, pipe: Any) -> list[str]:
    """The files through which annotation goes to a component's loss."""
    from spacy.training import Example

    example = Example(read(nlp, pipe), read(nlp))
    for layer in pipe.model.walk():
        if hasattr(layer, "upstream_name"):  # a listener waits for this component
            nlp.get_pipe(layer.upstream_name).update([example])
    pipe.update([example], sgd=None)  # what is made once, at first use
    return files_of(lambda: pipe.update([example], sgd=None))


def print_list(
    sources: list[Source], files: dict[str, list[str]], counted: dict[str, int]
) -> None:
    """Print the densest functions, class names that stand twice, the files of each way,
    the options of each name."""
    print("\ndensest functions: nodes a line, lines, place")
    dense = [each for each in densities(sources) if each.lines >= SHORTEST]
    for function in dense[:15]:
        print(f"  {function.nodes_per_line:5.1f} {function.lines:4}  {function.name}")
    nodes = [node for source in sources for node in ast.walk(source.tree)]
    print("\n  ".join(["\nclass names that stand twice", *twice(nodes)]))
    for name, way in files.items():
        print("\n  ".join([f"\n{name}", *way]))
    print("\noptions")
    for name, number in sorted(counted.items(), key=lambda item: -item[1]):
        print(f"  {number:3}  {name}")


def main() -> int:
    """Print the measures and their limits.

    RETURNS (int): The exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pipeline", help="whose ways through the files are counted")
    parser.add_argument(
        "--list",
        action="store_true",
        help="print the densest functions, each way's files, each name's options",
    )
    args = parser.parse_args()
    sources = [Source(path) for path in sorted(SOURCES.rglob("*.py"))]
    measures = measure(sources)
    beyond = [name for name, limit in LIMITS.items() if measures[name] > limit]
    for name, limit in LIMITS.items():
        verdict = "BEYOND" if name in beyond else ""
        number = f"{measures[name]:,.1f}".removesuffix(".0")
        print(f"{name:45}{number:>9}   at most {limit:,}  {verdict}".rstrip())
    for room, number in nodes_by_room(sources).most_common():
        print(f"nodes: {room:38}{number:>9,}")
    files = ways(args.pipeline) if args.pipeline else {}
    for name, way in files.items():
        print(f"files: {name:38}{len(way):>9}")
    counted = options()
    print(f"{'options':45}{sum(counted.values()):>9}")
    if args.list:
        print_list(sources, files, counted)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
