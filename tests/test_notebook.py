"""The notebook in docs/ runs, from top to bottom, and shows what it says."""

from pathlib import Path
from typing import Any, List

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = (
    Path(__file__).resolve().parent.parent / "docs" / "tutorial" / "explain.ipynb"
)
SAME = (
    "pretty_print",
    "predicate.description",
    "search_trees",
    "to_conllu",
)  # texts without numbers of a network


def shown(cell: nbformat.NotebookNode) -> List[Any]:
    """What a cell puts out, warnings aside."""
    return [one for one in cell.outputs if one.get("name") != "stderr"]


def texts(cell: nbformat.NotebookNode) -> str:
    """The part of it that is text."""
    return "".join(
        one.get("text", "") or one.get("data", {}).get("text/plain", "")
        for one in shown(cell)
    )


@pytest.mark.slow
def test_the_notebook(en_lal_md, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Run as a reader runs it: by a kernel of its own, in its own folder. Its outputs
    are kept in it."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    kept, fresh = (nbformat.read(NOTEBOOK, as_version=4) for _ in range(2))
    nbformat.validate(kept)
    resources = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(
        fresh, timeout=600, startup_timeout=600, resources=resources
    ).execute()
    for old, new in zip(kept.cells, fresh.cells, strict=True):
        if old.cell_type == "code":
            kinds = [
                {kind for one in shown(cell) for kind in one.get("data", {})}
                for cell in (old, new)
            ]
            assert kinds[0] == kinds[1], old.source
            if any(code in old.source for code in SAME):
                assert texts(old) == texts(new)
