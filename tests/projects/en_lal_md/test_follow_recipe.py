"""A recipe's steps: their commands, their order, what is done already, what a recipe that is wrong is told; and the
project's own recipes, whose every command and option exists."""

import re
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Dict, List

import pytest
import srsly
from spacy import util
from spacy.cli._util import app, parse_config_overrides
from spacy.util import registry
from typer.main import get_command

PROJECT = Path(__file__).resolve().parents[3] / "projects" / "en_lal_md"
RECIPES = sorted((PROJECT / "recipes").glob("*.yml"))
FILES = {"dev": "corpus/dev", "ewt": "corpus/ewt.spacy", "text": "{text}/a.txt"}
STEPS: List[Dict[str, Any]] = [
    {
        "train": "start",
        "read": ["ewt"],
        "seed": 0,
        "steps": 900,
        "schedule": 3700,
        "options": {"training.dropout": 0.3},
    },
    {"train": "one", "from": "start", "read": ["ewt", "ewt"], "seed": 1, "steps": 10},
    {
        "train": "two",
        "from": "start",
        "read": ["ewt"],
        "trees": ["ewt"],
        "seed": 2,
        "steps": 10,
        "rate": 0.1,
        "warmup": 3,
    },
    {"mean": "mean", "of": ["one", "two"]},
    {"parse": "alone", "text": "text", "by": ["mean"]},
    {"parse": "together", "text": "text", "by": ["mean", "start"]},
    {
        "train": "last",
        "from": "mean",
        "read": ["alone", "together"],
        "seed": 3,
        "steps": 5,
        "rough": [0.1, 0.2, 0.3, 0.4],
        "teachers": ["one", "mean"],
        "weight": 0.5,
    },
]


@pytest.fixture
def recipes(script) -> ModuleType:
    """The script as a module."""
    return script("follow_recipe")


@pytest.fixture
def follow(recipes, tmp_path: Path) -> Callable[..., None]:
    """Follow a recipe of these steps."""

    def with_options(*options: str, steps: Any = STEPS, files: Any = FILES) -> None:
        srsly.write_yaml(tmp_path / "recipe.yml", {"files": files, "steps": steps})
        settings = ["--set", "text=texts", "encoder=bert"]
        recipes.main([str(tmp_path / "recipe.yml"), str(tmp_path / "out"), *settings, *options])

    return with_options


@pytest.fixture
def ran(recipes, monkeypatch: pytest.MonkeyPatch) -> List[str]:
    """The outputs of the commands that were run, in place of running them; that of `fails` fails."""
    outputs: List[str] = []

    def run(command: List[str], check: bool) -> None:
        output = Path(command[command.index("--output") + 1] if "--output" in command else command[3])
        if output.name == "fails":
            raise subprocess.CalledProcessError(3, command)
        outputs.append(output.stem)

    monkeypatch.setattr(recipes.subprocess, "run", run)
    return outputs


def commands(follow, capsys) -> Dict[str, str]:
    capsys.readouterr()
    follow("--list")
    return dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())


def test_commands(follow, capsys, tmp_path):
    listed = commands(follow, capsys)
    out = tmp_path / "out"
    assert list(listed) == ["start", "one", "two", "mean", "alone", "together", "last"]
    assert listed["start"].startswith(
        f"python -m spacy lal train ../../configs/lal_trf.cfg --output {out}/start --gpu-id -1"
    )
    assert "--components.transformer.model.name bert" in listed["start"]
    assert "--training.max_steps 900" in listed["start"]
    assert "learn_rate.total_steps 3700" in listed["start"]
    assert listed["start"].endswith("--training.dropout 0.3")
    assert "lal train configs/lal_trf_branch.cfg --output" in listed["one"]
    assert f"--paths.base {out}/start/model-last" in listed["one"]
    assert """--paths.train '["corpus/ewt.spacy","corpus/ewt.spacy"]' --paths.dev corpus/dev""" in listed["one"]
    assert "trees_only" not in listed["one"]
    assert """--paths.trees_only '["corpus/ewt.spacy"]'""" in listed["two"]
    assert (
        "--training.optimizer.learn_rate.initial_rate 0.1 --training.optimizer.learn_rate.warmup_steps 3"
        in listed["two"]
    )
    assert listed["mean"].endswith(f"average.py {out}/one/model-last {out}/two/model-last --output {out}/mean")
    assert listed["alone"].startswith(f"python -m spacy lal parse texts/a.txt --model {out}/mean --format docbin")
    assert listed["together"].endswith(f"texts/a.txt {out}/together.spacy {out}/mean {out}/start/model-last")
    assert f'["{out}/alone.spacy","{out}/together.spacy"]' in listed["last"]
    assert f"""--training.before_update.pipelines '["{out}/one/model-last","{out}/mean"]'""" in listed["last"]
    assert "--training.before_update.weight 0.5" in listed["last"]
    assert "before_update" not in listed["two"]
    assert "augmenter.lower_case 0.1 --corpora.train.augmenter.upper_case 0.2" in listed["last"]


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_each_step_is_run_once_after_those_that_it_needs(follow, ran, jobs):
    follow("--jobs", jobs)
    assert sorted(ran) == sorted(step.get("train", step.get("mean", step.get("parse"))) for step in STEPS)
    assert ran[0] == "start"
    assert set(ran[1:3]) == {"one", "two"}
    assert ran[3] == "mean"
    assert ran[-1] == "last"
    follow()
    assert len(ran) == len(STEPS)


def test_what_failed_and_what_comes_after_it_is_run_the_next_time(follow, ran):
    broken = [*STEPS[:3], {"mean": "fails", "of": ["one"]}, *STEPS[3:]]
    with pytest.raises(SystemExit, match="out/fails failed with exit code 3"):
        follow(steps=broken)
    assert ran[:3] == ["start", "one", "two"]
    follow()
    assert sorted(ran) == sorted(set(ran))
    assert ran[-1] == "last"


def own_steps(recipes, path: Path) -> List[Any]:
    settings = {"text": "../../assets/text", "encoder": "bert", "start": "training/small", "large": "training/large"}
    return list(recipes.Recipe(path, Path("training") / path.stem, settings).steps.values())


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_options_of_the_projects_recipes_exist(recipes, path: Path):
    registry.cli.get_all()
    lal = get_command(app).commands["lal"].commands
    for step in own_steps(recipes, path):
        if step.command[1] != "-m":
            assert (PROJECT / step.command[1]).is_file()
            continue
        command = lal[step.command[4]]
        known = {option for param in command.params for option in param.opts}
        given = {word for word in step.command if re.match(r"--[\w-]+$", word)}
        assert given <= known, step.name
        if step.command[4] == "train":
            overrides = step.command[step.command.index("--paths.train") :]
            config = util.load_config(PROJECT / step.command[5], interpolate=False)
            for option in parse_config_overrides(overrides):
                section: Any = config
                for key in option.split("."):
                    assert key in section, f"{step.name}: {option}"
                    section = section[key]
