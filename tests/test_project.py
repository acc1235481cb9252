"""The projects, the root's and those in projects/: valid, their steps name commands and options that exist, and each
step finds what it needs. Paths in a project.yml are relative to its folder."""

import re
import shlex
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List, Set, Tuple

import pytest
import srsly
from spacy.cli._util import app
from spacy.util import load_config, registry
from typer.main import get_command
from weasel.cli.assets import convert_asset_url
from weasel.schemas import ProjectConfigSchema, validate
from weasel.util import load_project_config

ROOT = Path(__file__).resolve().parent.parent
MD = ROOT / "projects" / "en_lal_md"
TWO_SCREENS = 140  # lines


class Project:
    """A project.yml as weasel reads it.

    folder (Path): Where it lies, and where its steps run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name if folder != ROOT else "root"
        try:
            self.config: Dict[str, Any] = load_project_config(folder)
        except SystemExit as err:  # weasel leaves the interpreter, and pytest with it
            raise AssertionError(f"{folder}/project.yml is not valid: see what weasel printed") from err
        self.workflows: Dict[str, List[str]] = self.config["workflows"]
        self.commands: Dict[str, Dict[str, Any]] = {command["name"]: command for command in self.config["commands"]}
        self.fetched: Dict[str, Dict[str, Any]] = {asset["dest"]: asset for asset in self.config.get("assets", [])}

    @property
    def made(self) -> Set[str]:
        """What its steps write, as paths from its folder."""
        return {output for command in self.commands.values() for output in command.get("outputs", [])}


PROJECTS: Dict[str, Project] = {
    project.name: project
    for project in map(Project, (ROOT, *(path.parent for path in ROOT.glob("projects/*/project.yml"))))
}
STEPS = [
    (project, name, line)
    for project in PROJECTS.values()
    for name, command in project.commands.items()
    for line in command["script"]
]
WORKFLOWS = [(project, workflow) for project in PROJECTS.values() for workflow in project.workflows]
# Folders and files that the user provides; anything else is in the repository, fetched, or made by a step.
PROVIDED = ("ewt", "gum", "craft", "masc", "text", "checkpoint", "vectors")
TREEBANKS = PROJECTS["en_lal_md"]  # the project that fetches and builds them
BUILT = {output for name in TREEBANKS.workflows["build-treebanks"] for output in TREEBANKS.commands[name]["outputs"]}


def id_of(value: Any) -> str:
    return value.name if isinstance(value, Project) else str(value)


each_project = pytest.mark.parametrize("project", PROJECTS.values(), ids=id_of)
each_workflow = pytest.mark.parametrize("project, workflow", WORKFLOWS, ids=id_of)


@each_project
def test_it_is_valid(project: Project):
    assert validate(ProjectConfigSchema, project.config) == []


def test_what_users_start_from_is_there():
    root, benchmarks = PROJECTS["root"], PROJECTS["benchmarks"]
    wanted = {"check", "convert", "train", "evaluate", "evalb", "package", "import-official", "clean"}
    assert wanted <= set(root.commands)
    assert {"all", "toy", "official"} <= set(root.workflows)
    assert {"build-treebanks", "short", "pedigree"} <= set(TREEBANKS.workflows)
    assert {"parity", "decode", "speed", "accuracy"} <= set(benchmarks.commands)
    assert "benchmark" in benchmarks.workflows


def test_the_roots_project_fits_on_two_screens():
    lines = (ROOT / "project.yml").read_text(encoding="utf8").splitlines()
    assert len(lines) <= TWO_SCREENS
    assert max(map(len, lines)) <= 120


@each_workflow
def test_workflows_name_commands(project: Project, workflow: str):
    assert set(project.workflows[workflow]) <= set(project.commands)


@pytest.mark.parametrize(
    "project, name, line", STEPS, ids=[f"{p.name}-{name}-{i}" for i, (p, name, _) in enumerate(STEPS)]
)
def test_steps_name_real_commands(project: Project, name: str, line: str):
    words = shlex.split(line)
    assert words[0] == "python", line
    if words[1] != "-m":
        assert words[1] == "-c" or (project.folder / words[1]).is_file(), line
        return
    if words[2:4] == ["pip", "download"]:  # each package with its version
        assert all("==" in word for word in words[4:] if "pypi" in word), line
        return
    assert words[2] == "spacy", line
    known, options = subcommand(words[3:])
    given = [word for word in words[3:] if re.match(r"--\w[\w-]*$", word)]
    assert set(given) <= options, f"{known} has no {set(given) - options}"


def subcommand(words: List[str]) -> Tuple[str, Set[str]]:
    """Which of spaCy's commands the words call, and its options."""
    registry.cli.get_all()
    command, path = get_command(app), []
    while hasattr(command, "commands"):
        word = words[len(path)]
        assert word in command.commands, f"spaCy has no command {' '.join([*path, word])!r}"
        command = command.commands[word]
        path.append(word)
    options = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    return " ".join(path), options


TRAININGS = [(project, line) for project, _, line in STEPS if re.search(r"\btrain \S+\.cfg", line)]


@pytest.mark.parametrize("project, line", TRAININGS, ids=[f"{p.name}-{line.split()[5]}" for p, line in TRAININGS])
def test_trainings_override_keys_that_their_config_has(project: Project, line: str):
    words = shlex.split(line)
    path = next(word for word in words if word.endswith(".cfg"))
    config = load_config(project.folder / path, interpolate=False)
    overrides = [word[2:] for word in words if re.match(r"--\w+\.", word)]
    assert overrides
    for option in overrides:
        section: Any = config
        for key in option.split("."):
            assert key in section, f"{path} has no {option}"
            section = section[key]


@each_project
def test_every_dependency_is_in_the_repository_or_made_by_a_step(project: Project):
    provided = tuple(project.config["vars"][name] for name in PROVIDED if name in project.config["vars"])
    # a project may read what a step of another one writes
    made = {(other.folder / output).resolve() for other in PROJECTS.values() for output in other.made}
    for name, command in project.commands.items():
        for dep in command.get("deps", []):
            path = (project.folder / dep).resolve()
            known = path in made or dep in project.fetched or dep.startswith(provided) or path.exists()
            assert known, f"{name} depends on {dep}, which nothing makes"


@each_workflow
def test_steps_come_in_order(project: Project, workflow: str):
    """What a step of a workflow needs from another step was made before."""
    makers = {output: name for name, command in project.commands.items() for output in command.get("outputs", [])}
    done: Set[str] = set()
    for name in project.workflows[workflow]:
        needed = {makers[dep] for dep in project.commands[name].get("deps", []) if dep in makers}
        assert needed & set(project.workflows[workflow]) <= done
        done.add(name)


@pytest.mark.parametrize("folder", [".", "projects/en_lal_md"])
def test_variables_are_overridden_after_the_folder(folder: str):
    """The syntax that project.yml and the docs give: without the folder, weasel takes the option for it."""
    step = {".": "check", "projects/en_lal_md": "convert"}[folder]
    command = [sys.executable, "-m", "spacy", "project", "run", step, folder, "--dry", "--vars.ewt", "../treebanks/ewt"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "../treebanks/ewt/train.conllu" in result.stdout, result.stdout + result.stderr


def test_docs_put_variables_after_the_folder():
    pages = [
        "README.md",
        "assets/README.md",
        "benchmarks/README.md",
        *(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md")),
    ]
    pages += [f"{project.folder.relative_to(ROOT)}/project.yml" for project in PROJECTS.values()]
    for page in pages:
        for line in (ROOT / page).read_text(encoding="utf8").splitlines():
            assert not re.search(r"project run [\w-]+ --vars", line), f"{page}: {line}"


def test_docs_name_steps_that_exist():
    """`project run STEP [FOLDER]`, in pages and in project.yml: a step or workflow of that project."""
    pages = [
        *ROOT.glob("*.md"),
        *ROOT.glob("*/*.md"),
        *(project.folder / "project.yml" for project in PROJECTS.values()),
    ]
    found = [
        (page.relative_to(ROOT), step, folder or ".")
        for page in pages
        if page.name != "CHANGELOG.md"
        for step, folder in re.findall(r"project\s+run\s+([a-z][\w-]*)(?:\s+(projects/\w+))?", page.read_text("utf8"))
    ]
    assert len(found) > 5
    projects = {str(project.folder.relative_to(ROOT)): project for project in PROJECTS.values()}
    for page, step, folder in found:
        assert step in {*projects[folder].commands, *projects[folder].workflows}, f"{page}: {step} of {folder}"


@pytest.mark.parametrize("dest", TREEBANKS.fetched)
def test_assets_are_commits_that_a_script_is_written_for(dest: str):
    """A whole repository, or a file of one; only of a file is it certain that its bytes never change."""
    url = TREEBANKS.fetched[dest]["url"]
    assert convert_asset_url(url) == url, "weasel would fetch another address"
    commit = re.search(r"/([0-9a-f]{40})(/|$)", url)
    assert commit, url
    assert bool(re.fullmatch(r"[0-9a-f]{32}", TREEBANKS.fetched[dest].get("checksum", ""))) == bool(commit[2]), "MD5"
    source = {dest, str(PurePosixPath(dest).parent)}
    script = next(line.split()[1] for project, _, line in STEPS if project is TREEBANKS and source & set(line.split()))
    assert f"commit {commit[1][:8]}" in (MD / script).read_text(encoding="utf8")


def test_every_file_that_is_built_has_a_checksum():
    listed = {line.split()[1] for line in (MD / "scripts" / "treebanks.sha256").read_text("utf8").splitlines()}
    assert {f"../../assets/{file}" for file in listed} == BUILT


def test_treebanks_are_built_where_the_root_looks_for_them():
    for name in ("ewt", "gum"):
        assert ROOT / PROJECTS["root"].config["vars"][name] == (MD / TREEBANKS.config["vars"][name]).resolve()


def test_what_is_fetched_or_built_is_not_committed():
    ignored = (ROOT / ".gitignore").read_text("utf8").splitlines()
    for path in (*TREEBANKS.fetched, *BUILT):
        top = (MD / path).resolve().relative_to(ROOT).parts[:2]
        assert f"/{'/'.join(top)}/" in ignored, path


@each_project
def test_what_steps_make_is_not_committed(project: Project):
    outside = [output for output in project.made if output.split("/")[0] not in ("corpus", "training", "metrics", "..")]
    assert outside == []
    prefix = "" if project.folder == ROOT else "/projects/*"
    ignored = (ROOT / ".gitignore").read_text("utf8").splitlines()
    assert {f"{prefix}/{name}/" for name in ("corpus", "training", "metrics")} <= set(ignored)


@each_project
def test_variables_are_put_in_as_they_stand(project: Project):
    """The config system joins some items that hold two variables with their neighbours."""
    raw = srsly.read_yaml(project.folder / "project.yml")
    values = {**{f"vars.{key}": str(value) for key, value in raw["vars"].items()}}

    def put_in(text: str) -> str:
        return re.sub(r"\$\{([\w.]+)\}", lambda match: values[match[1]], text)

    for command in raw["commands"]:
        for key in ("script", "deps", "outputs", "outputs_no_cache"):
            expected = [put_in(item) for item in command.get(key, [])]
            assert [str(item) for item in project.commands[command["name"]].get(key, [])] == expected, (
                command["name"],
                key,
            )
