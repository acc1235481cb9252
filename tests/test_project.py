"""`project.yml`: valid, its steps name commands and options that exist, and each step finds what it needs."""

import re
import shlex
import subprocess
import sys
from pathlib import Path, PurePosixPath
from typing import Any, Dict, List, Set, Tuple

import pytest
import srsly
from spacy.cli._util import app
from spacy.util import registry
from typer.main import get_command
from weasel.cli.assets import convert_asset_url
from weasel.schemas import ProjectConfigSchema, validate
from weasel.util import load_project_config

ROOT = Path(__file__).resolve().parent.parent
try:
    PROJECT: Dict[str, Any] = load_project_config(ROOT)
except SystemExit as err:  # weasel leaves the interpreter, and pytest with it
    raise AssertionError("project.yml is not valid: see what weasel printed") from err
COMMANDS: Dict[str, Dict[str, Any]] = {command["name"]: command for command in PROJECT["commands"]}
STEPS = [(name, line) for name, command in COMMANDS.items() for line in command["script"]]
# Folders and files that the user provides (vars of project.yml); anything else is in the repository or made by a step.
PROVIDED = tuple(PROJECT["vars"][name] for name in ("ewt", "gum", "craft", "masc", "text", "checkpoint", "vectors"))
FETCHED: Dict[str, Dict[str, Any]] = {asset["dest"]: asset for asset in PROJECT["assets"]}


def test_it_is_valid():
    assert validate(ProjectConfigSchema, PROJECT) == []
    wanted = {
        "check",
        "convert",
        "train",
        "evaluate",
        "evalb",
        "package",
        "import-official",
        "parity",
        "clean",
    }
    assert wanted <= set(COMMANDS)
    assert {"build-treebanks", "all", "en_lal_md", "toy", "official", "benchmark"} <= set(PROJECT["workflows"])


@pytest.mark.parametrize("workflow", PROJECT["workflows"])
def test_workflows_name_commands(workflow: str):
    assert set(PROJECT["workflows"][workflow]) <= set(COMMANDS)


@pytest.mark.parametrize("name, line", STEPS, ids=[f"{name}-{i}" for i, (name, _) in enumerate(STEPS)])
def test_steps_name_real_commands(name: str, line: str):
    words = shlex.split(line)
    assert words[0] == "python", line
    if words[1] != "-m":
        assert words[1] == "-c" or (ROOT / words[1]).is_file(), line
        return
    assert words[2] == "spacy", line
    known, options, n_arguments = subcommand(words[3:])
    given = [word for word in words[3:] if re.match(r"--\w[\w-]*$", word)]
    assert set(given) <= options, f"{known} has no {set(given) - options}"
    assert n_arguments > 0 or not given


def subcommand(words: List[str]) -> Tuple[str, Set[str], int]:
    """Which of spaCy's commands the words call, its options, and how many arguments it takes."""
    registry.cli.get_all()
    command, path = get_command(app), []
    while hasattr(command, "commands"):
        word = words[len(path)]
        assert word in command.commands, f"spaCy has no command {' '.join([*path, word])!r}"
        command = command.commands[word]
        path.append(word)
    options = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    return " ".join(path), options, sum(param.param_type_name == "argument" for param in command.params)


def test_every_dependency_is_in_the_repository_or_made_by_a_step():
    made = {output for command in COMMANDS.values() for output in command.get("outputs", [])}
    for name, command in COMMANDS.items():
        for dep in command.get("deps", []):
            known = dep in made or dep in FETCHED or dep.startswith(PROVIDED) or (ROOT / dep).exists()
            assert known, f"{name} depends on {dep}, which nothing makes"


@pytest.mark.parametrize("workflow", PROJECT["workflows"])
def test_steps_come_in_order(workflow: str):
    """What a step of a workflow needs from another step was made before."""
    makers = {output: name for name, command in COMMANDS.items() for output in command.get("outputs", [])}
    done: Set[str] = set()
    for name in PROJECT["workflows"][workflow]:
        needed = {makers[dep] for dep in COMMANDS[name].get("deps", []) if dep in makers}
        assert needed & set(PROJECT["workflows"][workflow]) <= done
        done.add(name)


def test_variables_are_overridden_after_the_folder():
    """The syntax that project.yml and the docs give: without the dot, weasel takes the option for the folder."""
    command = [sys.executable, "-m", "spacy", "project", "run", "check", ".", "--dry", "--vars.ewt", "../treebanks/ewt"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "../treebanks/ewt/train.conllu" in result.stdout, result.stdout + result.stderr
    for page in ("README.md", "project.yml", "docs/training.md"):
        for line in (ROOT / page).read_text(encoding="utf8").splitlines():
            assert not re.search(r"project run [\w-]+ --vars", line), f"{page}: {line}"


@pytest.mark.parametrize("dest", FETCHED)
def test_assets_are_commits_that_a_script_is_written_for(dest: str):
    """A whole repository, or a file of one; only of a file is it certain that its bytes never change."""
    url = FETCHED[dest]["url"]
    assert convert_asset_url(url) == url, "weasel would fetch another address"
    commit = re.search(r"/([0-9a-f]{40})(/|$)", url)
    assert commit, url
    assert bool(re.fullmatch(r"[0-9a-f]{32}", FETCHED[dest].get("checksum", ""))) == bool(commit[2]), "MD5 of a file"
    source = {dest, str(PurePosixPath(dest).parent)}
    script = next(line.split()[1] for _, line in STEPS if source & set(line.split()))
    assert f"commit {commit[1][:8]}" in (ROOT / script).read_text(encoding="utf8")


def test_every_file_that_is_built_has_a_checksum():
    listed = {line.split()[1] for line in (ROOT / "scripts" / "treebanks.sha256").read_text("utf8").splitlines()}
    built = {output for name in PROJECT["workflows"]["build-treebanks"] for output in COMMANDS[name]["outputs"]}
    assert built == {f"assets/{file}" for file in listed}


def test_what_is_fetched_or_built_is_not_committed():
    ignored = (ROOT / ".gitignore").read_text("utf8").splitlines()
    built = {output for name in PROJECT["workflows"]["build-treebanks"] for output in COMMANDS[name]["outputs"]}
    for path in (*FETCHED, *built):
        assert f"/{'/'.join(PurePosixPath(path).parts[:2])}/" in ignored, path


def test_variables_are_put_in_as_they_stand():
    """The config system joins some items that hold two variables with their neighbours."""
    raw = srsly.read_yaml(ROOT / "project.yml")
    values = {**{f"vars.{key}": str(value) for key, value in raw["vars"].items()}}

    def put_in(text: str) -> str:
        return re.sub(r"\$\{([\w.]+)\}", lambda match: values[match[1]], text)

    for command in raw["commands"]:
        for key in ("script", "deps", "outputs"):
            expected = [put_in(item) for item in command.get(key, [])]
            assert [str(item) for item in COMMANDS[command["name"]].get(key, [])] == expected, (command["name"], key)
