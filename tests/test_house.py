"""The program that measures how the package reads: what it counts, and that it fails
beyond its limits."""

import ast
from pathlib import Path

import pytest
from benchmark_programs import program

SOURCE = '''"""A module."""
NAMES = {}


def outer(text):
    """One line.

    RETURNS (int): A number."""
    # a comment
    first, second = text, 1

    def inner():
        """Another."""
        return first

    return second
'''


@pytest.fixture(scope="module")
def house():
    with program("house") as module:
        yield module


@pytest.fixture
def source(house, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "some.py"
    path.write_text(SOURCE, encoding="utf8")
    monkeypatch.setattr(house, "ROOT", tmp_path)
    monkeypatch.setattr(house, "SOURCES", tmp_path)
    return house.Source(path)


def test_nodes_are_counted_without_docstrings(house):
    # a module, an assignment, its target and its value
    assert house.count_nodes(ast.parse("x = 1")) == 4
    assert house.count_nodes(ast.parse('"""What it is."""\nx = 1')) == 4


def test_a_function_within_another_is_part_of_it(source):
    (outer,) = source.functions()
    assert outer.name == "some.py:5 outer"
    assert outer.lines == 5
    # outer, its arguments, `text`; two tuples of two, their assignment; inner, its
    # arguments, a return, a name; a return, a name
    assert outer.nodes == 3 + 7 + 4 + 2


def test_what_is_not_good_style_is_found(house, source, monkeypatch):
    monkeypatch.setattr(house, "SHORTEST", 1)
    measures = house.measure([source])
    n_lines = len(SOURCE.splitlines())
    assert measures["assignments of several values in 1,000 lines"] == 1000 / n_lines
    assert measures["wide lines in 1,000"] == 0
    assert measures["RETURNS or RAISES within a line"] == 0
    assert house.is_within_a_line("    A number. RETURNS (int): It.")
    assert not house.is_within_a_line("    RETURNS (int): It.")


def test_names_that_say_nothing_and_names_that_stand_twice_are_counted(house):
    text = "def f(one, two):\n    rest = 1\n\n\nclass A: ...\n\n\nclass A: ...\n"
    nodes = list(ast.walk(ast.parse(text)))
    assert sorted(house.bindings(nodes)) == ["one", "rest", "two"]
    assert house.twice(nodes) == ["A"]


@pytest.mark.parametrize(
    "path, room",
    [
        ("files.py", "(top)"),
        ("lang/id/clauses.py", "lang/id"),
        ("lang/it.py", "lang"),
        ("discourse/units.py", "discourse"),
    ],
)
def test_nodes_are_counted_by_room(house, source, path, room, monkeypatch):
    monkeypatch.setattr(house, "SHORTEST", 1)
    source.path = source.path.parent / path
    assert source.room == room
    assert house.nodes_by_room([source]) == {room: house.count_nodes(source.tree)}
    measures = house.measure([source])
    of_room = measures.get(f"nodes of {room}", measures["nodes"])
    assert of_room == house.count_nodes(source.tree)


def test_measures_beyond_a_limit_fail(house, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["house.py", "--pipeline", "some"])
    monkeypatch.setattr(house, "ways", lambda pipeline: {"spacy.load": ["a.py"]})
    monkeypatch.setattr(house, "options", dict)
    monkeypatch.setattr(house, "LIMITS", dict.fromkeys(house.LIMITS, 1e9))
    assert house.main() == 0
    monkeypatch.setitem(house.LIMITS, "nodes", 1)
    assert house.main() == 1
    printed = capsys.readouterr().out
    assert "at most 1  BEYOND" in printed and "nodes: discourse" in printed
    assert "files: spacy.load" in printed


def test_a_way_through_no_file_fails(house):
    with pytest.raises(RuntimeError, match="no function of .*spacy_lal ran"):
        house.files_of(lambda: None)


def test_the_files_of_a_way_are_those_whose_functions_run(house):
    from spacy_lal.trees.brackets import parse_tree

    text = "(S (NP (DT The) (NN dog)))"
    files = house.files_of(lambda: parse_tree(text))
    assert files == ["files.py", "trees/brackets.py"]
