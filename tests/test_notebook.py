"""The notebook in docs/ runs, from top to bottom, and shows what it says. A checkout without packages/en_lal_md-* has
nothing to test here."""

import re
from pathlib import Path
from typing import Any, Dict, List

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "docs" / "tutorial" / "explain.ipynb"
__test__ = any((ROOT / "packages").glob("en_lal_md-*"))  # what pytest asks a module


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Dict[str, List[NotebookNode]]:
    """What each cell put out, by its code, run as a reader runs it: by a kernel of its own, in its own folder."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        # A kernel's start is slow where the machine is busy.
        resources = {"metadata": {"path": str(NOTEBOOK.parent)}}
        NotebookClient(notebook, timeout=600, startup_timeout=600, resources=resources).execute()
    return {cell.source: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}


def shown(outputs: Dict[str, List[NotebookNode]], code: str, kind: str = "text/html") -> str:
    """What the cell with this code in it displays."""
    (found,) = [those for source, those in outputs.items() if code in source]
    return "".join(one.data.get(kind, "") if "data" in one else one.text for one in found)


def test_pictures_are_displayed(outputs: Any):
    assert 'aria-label="Constituency tree: She saw' in shown(outputs, "render(doc)")
    assert 'class="lal-roles"' in shown(outputs, 'style="roles"')
    assert 'aria-label="Dependency arcs: She saw' in shown(outputs, 'style="dep"')
    assert 'aria-label="Constituents: She saw' in shown(outputs, 'style="spans"')
    for style in ("attention", "contributions"):
        assert "<table>" in shown(outputs, f'style="{style}"')


def test_numbers_are_printed(outputs: Any):
    assert "(S (NP (PRP She)) (VP" in shown(outputs, "pretty_print")
    assert "'<STOP>')" in shown(outputs, "attention.weights.shape", "text/plain")
    numbers = [float(one) for one in re.findall(r"-?\d+\.\d+", shown(outputs, "interpret.contributions("))]
    assert len(numbers) >= 4 and numbers[0] == pytest.approx(sum(numbers[1:4]), abs=0.002)
    margins = re.findall(r"^ *(\d+\.\d\d|inf)  ", shown(outputs, "interpret.arc_margins("), re.MULTILINE)
    assert len(margins) > 8 + 4
    assert len(re.findall(r"\d%  '", shown(outputs, "span_marginals"))) == 4


def test_other_programs_are_served(outputs: Any):
    assert "# tree = (S" in shown(outputs, "to_conllu(doc)")
    assert shown(outputs, "Tree.fromstring", "text/plain") == "True"


def test_roles_search_and_tables(outputs: Any):
    roles = shown(outputs, "predicate.description")
    assert "saw see.01 view\n    ARG0 She (viewer)\n    ARG1 the man with the telescope (thing viewed)" in roles
    assert "NP < DT | ['the man', 'the telescope']" in shown(outputs, "search_trees(doc, pattern)")
    gaps = [float(line.split()[0]) for line in shown(outputs, "interpret.k_best").splitlines()]
    assert len(gaps) == 3 and gaps == sorted(gaps) and gaps[0] == 0
    tokens = shown(outputs, 'columns=["token"', "text/plain")
    assert re.search(r"She +PRP +nsubj +saw +S\n", tokens) and tokens.count("\n") == 8
    assert "the man with the telescope" in shown(outputs, 'columns=["label"', "text/plain")


def test_it_is_kept_with_its_outputs(outputs: Any):
    """A reader without Python sees them; those that are text are the same when it is run."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert NOTEBOOK.stat().st_size < 300_000
    kept = {cell.source: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}
    assert set(kept) == set(outputs)
    for source, fresh in outputs.items():
        assert bool(kept[source]) == any(one.get("name") != "stderr" for one in fresh), source
    for code in ("pretty_print", "predicate.description", "search_trees(doc, pattern)", "to_conllu(doc)"):
        assert shown(kept, code) == shown(outputs, code)


def test_its_links_lead_somewhere():
    text = "".join(cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells if cell.cell_type == "markdown")
    links = re.findall(r"\]\(([^):]+)\)", text)
    assert links and all((NOTEBOOK.parent / link).exists() for link in links)
