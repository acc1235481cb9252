"""The models that the README names have the numbers of their `meta.json`."""

import json
import os
import re
import subprocess
import sysconfig
import venv
from pathlib import Path
from typing import List, Tuple

import pytest

ROOT = Path(__file__).parents[1]
METAS = sorted(ROOT.glob("packages/*/meta.json"))


def table(path: Path, heading: str) -> List[List[str]]:
    """The rows of the table below a heading, without its head."""
    section = path.read_text(encoding="utf8").split(f"# {heading}\n", 1)[1]
    lines = [line for line in section.split("\n#")[0].splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def score(path: Path) -> Tuple[str, str]:
    """The name and version of a pipeline, and its F1 of brackets on its dev set."""
    meta = json.loads(path.read_text(encoding="utf8"))
    found = meta["performance"]
    best = next(found[name] for name in ("ewt", "icon", "dev") if name in found)
    name = f"`{meta['lang']}_{meta['name']}` {meta['version']}"
    return name, f"{100 * best['const_f']:.2f}"


@pytest.mark.skipif(not METAS, reason="a clone without packages/")
def test_models_have_the_numbers_of_their_packages():
    rows = table(ROOT / "README.md", "Models")
    assert {name: const_f for name, _, const_f, *_ in rows} == dict(map(score, METAS))
    # Language, size, speed and licence are those of the generated page.
    costs = table(ROOT / "docs" / "reference" / "models.md", "Models")
    wanted = {
        name: [language, megabytes, speed, licence]
        for name, language, megabytes, speed, _, _, licence, _ in costs
    }
    shown = {
        name: [language, megabytes, speed, licence]
        for name, language, _, megabytes, speed, licence in rows
    }
    assert shown == wanted


BUILDS = "'setuptools>=77' 'cython>=3.0,<4.0'"


@pytest.mark.slow
def test_the_shell_lines_run_one_after_another(tmp_path: Path):
    """In a clone, and in an environment that has only what the lines install, with what
    builds it; what they require comes from the environment of the tests."""
    subprocess.run(
        ["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True
    )
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    (packages,) = environment.glob("lib/*/site-packages")
    (packages / "tests.pth").write_text(sysconfig.get_path("purelib"))
    page = (ROOT / "README.md").read_text(encoding="utf8")
    lines = [
        line
        for block in re.findall(
            r"^```(?:bash)?\n((?:pip|lal) .*?)^```$", page, re.M | re.S
        )
        for line in block.splitlines()
        if not line.startswith("lal app")  # a server
    ]
    assert [line.split()[0] for line in lines][:3] == ["pip", "cd", "lal"]
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path}
    settings.pop("PYTHONPATH", None)
    script = "\n".join(["set -e", *lines])
    script = script.replace("pip install", "pip install --no-build-isolation")
    script = script.replace("set -e", f"set -e\npip install {BUILDS}")
    subprocess.run(
        ["bash", "-c", script], cwd=tmp_path / "clone", env=settings, check=True
    )
