"""What README.md and docs/ tell people to type works: the Python is run, the commands and the files exist."""

import re
import shlex
from pathlib import Path
from typing import Any, Dict, List, Set, Tuple

import pytest
import spacy
from spacy.cli._util import app
from spacy.language import Language
from spacy.util import registry
from typer.main import get_command

ROOT = Path(__file__).resolve().parent.parent
ALL_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
ELSEWHERE = ("distributed", "serve", "roles", "choose_an_encoder", "speed", "install")
PAGES = [path for path in ALL_PAGES if path.parent.name != "experiments" and path.stem not in ELSEWHERE]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")

NAMESPACES: Dict[Path, Dict[str, Any]] = {}


def blocks(path: Path, language: str) -> List[str]:
    return [code for kind, code in FENCE.findall(path.read_text(encoding="utf8")) if kind == language]


def commands(path: Path) -> List[List[str]]:
    lines = [line for code in blocks(path, "") for line in code.replace("\\\n", " ").splitlines()]
    found = [line.split(" | ")[-1] for line in lines if re.match(r"(make|python|cat .*\| python)\b", line)]
    return [shlex.split(line, comments=True) for line in found]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `training/toy/model-best` is a pipeline, as after `make parse` (but one trained on air)."""
    from spacy.tokens import Doc, Span
    from spacy.training import Example
    from spacy.util import fix_random_seed

    folder = tmp_path_factory.mktemp("readme")
    nlp: Language = spacy.blank("en")
    for name in ("sentencizer", "tagger", "lal_parser"):
        nlp.add_pipe(name)
    words = ["She", "sleeps", "."]
    gold = Doc(nlp.vocab, words=words, tags=["PRP", "VBZ", "."], heads=[1, 1, 1], deps=["nsubj", "ROOT", "punct"])
    gold.spans["constituents"] = [Span(gold, 0, 3, "S"), Span(gold, 0, 1, "NP"), Span(gold, 1, 2, "VP")]
    fix_random_seed(0)  # of random weights, some put another label on everything
    nlp.initialize(lambda: [Example(nlp.make_doc("She sleeps."), gold)])
    path = folder / "training" / "toy" / "model-best"
    path.mkdir(parents=True)
    nlp.to_disk(path)
    return folder


@pytest.mark.parametrize("path", [path for path in PAGES if blocks(path, "python")], ids=name_of)
def test_python_runs(path: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """All of a page's code, in the order in which it stands there."""
    monkeypatch.chdir(workplace)
    for code in blocks(path, "python"):
        exec(compile(code, str(path), "exec"), NAMESPACES.setdefault(path, {}))
    output = capsys.readouterr().out
    assert re.search(r"\((S|NP|VP|PRP) ", output), output


@pytest.mark.parametrize("path", ALL_PAGES, ids=name_of)
def test_links_lead_somewhere(path: Path):
    missing = [link for link in LINK.findall(path.read_text(encoding="utf8")) if not (path.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("path", ALL_PAGES, ids=name_of)
def test_commands_exist(path: Path):
    registry.cli.get_all()
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.MULTILINE))
    for words in commands(path):
        if words[0] == "make":
            assert words[1] in targets, words
        elif words[1] == "-m":
            assert words[2] == "spacy", words
            known, options = subcommand(words[3:])
            wrong = [word for word in words[3:] if re.match(r"--\w[\w-]*$", word) and word not in options]
            assert not wrong, f"{' '.join(words)}: {known} has no {wrong}"
        else:
            assert (ROOT / words[1]).is_file(), words


def subcommand(words: List[str]) -> Tuple[str, Set[str]]:
    """Which of spaCy's commands the words call, and its options; overrides with a dot are none."""
    command, path = get_command(app), []
    for word in words:
        if not hasattr(command, "commands") or word not in command.commands:
            break
        command = command.commands[word]
        path.append(word)
    assert path, f"spaCy has no command {words[0]!r}"
    assert not hasattr(command, "commands") or words[-1] == "--help", f"unfinished command: {' '.join(words)}"
    return " ".join(path), {"--help", *(option for param in command.params for option in param.opts)}
