"""The projects, the root's and those in projects/: valid, their steps name commands and
options that exist, and each step finds what it needs. Paths in a project.yml are
relative to its folder."""

import re
import shlex
from pathlib import Path
from typing import Any, Dict, List, Set, Tuple

import pytest
import srsly
from spacy.cli._util import app
from spacy.util import load_config, registry
from typer.main import get_command
from weasel.schemas import ProjectConfigSchema, validate
from weasel.util import load_project_config

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT, *(path.parent for path in ROOT.glob("projects/*/project.yml"))]
# Folders and files that the user provides; anything else is in the repository, fetched,
# or made by a step.
PROVIDED = (
    "ewt",
    "gum",
    "craft",
    "masc",
    "text",
    "checkpoint",
    "vectors",
    "french",
)


def load(folder: Path) -> Dict[str, Any]:
    directories = srsly.read_yaml(folder / "project.yml")["directories"]
    for name in directories:  # weasel fails where another process is making one
        (folder / name).mkdir(parents=True, exist_ok=True)
    try:
        config: Dict[str, Any] = load_project_config(folder)
    except SystemExit as err:  # weasel leaves the interpreter, and pytest with it
        raise AssertionError(
            f"{folder}/project.yml is not valid: see what weasel printed"
        ) from err
    return {
        **config,
        "commands": {command["name"]: command for command in config["commands"]},
    }


PROJECTS: Dict[str, Dict[str, Any]] = {
    str(folder.relative_to(ROOT)): load(folder) for folder in FOLDERS
}
STEPS = [
    (folder, name, line)
    for folder, project in PROJECTS.items()
    for name, command in project["commands"].items()
    for line in command["script"]
]
each_project = pytest.mark.parametrize("folder", PROJECTS)


def subcommand(words: List[str]) -> Tuple[str, Set[str]]:
    """Which of spaCy's commands the words call, and its options."""
    registry.cli.get_all()
    command, path = get_command(app), []
    while hasattr(command, "commands"):
        word = words[len(path)]
        assert word in command.commands, (
            f"spaCy has no command {' '.join([*path, word])!r}"
        )
        command = command.commands[word]
        path.append(word)
    return " ".join(path), {
        option
        for param in command.params
        for option in (*param.opts, *param.secondary_opts)
    }


@each_project
def test_it_is_valid_and_its_workflows_are_in_order(folder: str):
    """What a step of a workflow needs from another step was made before."""
    project = PROJECTS[folder]
    assert (
        validate(
            ProjectConfigSchema,
            {**project, "commands": [*project["commands"].values()]},
        )
        == []
    )
    makers = {
        output: name
        for name, step in project["commands"].items()
        for output in step.get("outputs", [])
    }
    for workflow in project["workflows"].values():
        done: Set[str] = set()
        for name in workflow:
            needed = {
                makers[dep]
                for dep in project["commands"][name].get("deps", [])
                if dep in makers
            }
            assert needed & set(workflow) <= done
            done.add(name)


@pytest.mark.parametrize(
    "folder, name, line",
    STEPS,
    ids=[f"{one[0]}-{one[1]}-{i}" for i, one in enumerate(STEPS)],
)
def test_steps_name_real_commands_and_keys(folder: str, name: str, line: str):
    words = shlex.split(line)
    assert words[0] == "python", line
    if words[1] != "-m":
        assert words[1] == "-c" or (ROOT / folder / words[1]).is_file(), line
        return
    if words[2:4] == ["pip", "download"]:  # each package with its version
        assert all("==" in word for word in words[4:] if "pypi" in word), line
        return
    if words[2] in ("nltk.downloader", "tarfile", "zipfile"):
        return
    assert words[2] == "spacy", line
    known, options = subcommand(words[3:])
    given = {word for word in words[3:] if re.match(r"--\w[\w-]*$", word)}
    assert given <= options, f"{known} has no {given - options}"
    overrides = [word[2:] for word in words if re.match(r"--\w+\.", word)]
    if overrides:
        config = load_config(
            ROOT / folder / next(word for word in words if word.endswith(".cfg")),
            interpolate=False,
        )
        for option in overrides:
            section: Any = config
            for key in option.split("."):
                assert key in section, f"{line}: no {option}"
                section = section[key]


@each_project
def test_every_dependency_is_in_the_repository_or_made_by_a_step(folder: str):
    project = PROJECTS[folder]
    provided = tuple(
        project["vars"][name] for name in PROVIDED if name in project["vars"]
    )
    fetched = {asset["dest"] for asset in project.get("assets", [])}
    # a project may read what a step of another one writes
    made = {
        (ROOT / other / output).resolve()
        for other, one in PROJECTS.items()
        for step in one["commands"].values()
        for output in step.get("outputs", [])
    }
    for name, step in project["commands"].items():
        for dep in step.get("deps", []):
            path = (ROOT / folder / dep).resolve()
            known = (
                path in made
                or dep in fetched
                or dep.startswith(provided)
                or path.exists()
            )
            assert known, f"{name} depends on {dep}, which nothing makes"


def test_docs_name_steps_that_exist():
    """`project run STEP [FOLDER] [--vars]`, in pages and in project.yml: a step or
    workflow of that project."""
    pages = [
        *ROOT.glob("*.md"),
        *ROOT.glob("*/*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.rglob("project.yml"),
    ]
    pages = [
        page
        for page in pages
        if page.name != "CHANGELOG.md" and page.parent.name != "experiments"
    ]
    texts = {page: page.read_text(encoding="utf8") for page in pages}
    step_of = re.compile(r"project\s+run\s+([a-z][\w-]*)(?:\s+(projects/\w+))?")
    found = [
        (page, *match)
        for page, text in texts.items()
        for match in step_of.findall(text)
    ]
    assert len(found) > 5
    for page, step, folder in found:
        project = PROJECTS[folder or "."]
        assert step in {*project["commands"], *project["workflows"]}, (
            f"{page}: {step} of {folder}"
        )
    # weasel takes an option that comes at once for the folder
    assert not [
        page
        for page, text in texts.items()
        if re.search(r"project run [\w-]+ --vars", text)
    ]


def test_treebanks_are_of_fixed_commits_with_checksums():
    """Their builders are written for these commits; the root's project looks for them
    where they are built."""
    folder = "projects/en"
    project, scripts = PROJECTS[folder], ROOT / folder / "scripts"
    texts = "".join(path.read_text(encoding="utf8") for path in scripts.glob("*.py"))
    for asset in project["assets"]:
        commit = re.search(r"/([0-9a-f]{40})(/|$)", asset["url"])
        assert commit and re.search(rf"commit\s+{commit[1][:8]}", texts), asset["url"]
        assert bool(asset.get("checksum")) == bool(commit[2]), (
            "of a file, not of a repository"
        )
    listed = {
        line.split()[1]
        for path in scripts.glob("*.sha256")
        for line in path.read_text("utf8").splitlines()
    }
    steps = [project["commands"][name] for name in project["workflows"]["build"]]
    assert {f"../../assets/{file}" for file in listed} == {
        output for step in steps for output in step["outputs"]
    }
    for name in ("ewt", "gum"):
        assert (
            ROOT / PROJECTS["."]["vars"][name]
            == (ROOT / folder / project["vars"][name]).resolve()
        )
