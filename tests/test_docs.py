"""The pages of README.md and docs/ run, from top to bottom, on what a clone has: the
bundled pipeline and the toy treebank. Links lead somewhere, and commands have the
options that a page gives them."""

import json
import re
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

import pytest
import spacy
from documents import (
    ROOT,
    SAID,
    blocks,
    printed_by,
    run_command,
    run_python,
    says_the_same,
    split_command,
)
from spacy.cli._util import app
from spacy.language import Language
from spacy.util import registry
from typer.main import get_command

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
NOT_COMPARED = (
    PAGES[0],  # shows its output in parts, and has a test of its own
    ROOT / "docs/tutorial/train_your_own.md",  # is trained by fewer steps here
)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")
ELSEWHERE = tuple(
    f"docs/how_to/{name}.md"
    for name in ("knowledge_graph", "ner", "other_runtimes", "roles", "serve", "units")
)  # pages with tests of their own
NOT_RUN = {  # blocks and commands that want more than a clone has
    r"^(pip|git|cd) ": "install, in an empty environment",
    r"--gpu-id": "a GPU",
    r"^\.venv/": "the environment of `make dev`",
    r"^make ": "make an environment; the workflow of CI calls them",
    r"^import ray|import parse_spark": (
        "the extras ray and spark; tests/distributed -m cluster"
    ),
    r"^(lal app|(python|streamlit) .*page\.py)": "a server",
    r"^lal import-official": "the authors' checkpoint",
    r"^python -m spacy project": "treebanks from the net, or minutes",
    r"^(OMP_NUM_THREADS=1 )?python (benchmarks|projects)/": "treebanks",
    r"-o \w+\.png": "the extra display",
    r"^python docs/": "tests/pictures/test_groups.py",
}
SHORT = (
    "--training.max_steps",
    "2",
    "--training.eval_frequency",
    "1",
)  # follow every training
TEXTS = "The old cat sleeps on the mat.\nShe saw the dog (an old one) in the garden.\n"
GOLD = """(S (NP (DT The) (JJ old) (NN cat)) \
(VP (VBZ sleeps) (PP (IN on) (NP (DT the) (NN mat)))) (. .))
(S (NP (PRP She)) (VP (VBD saw) \
(NP (NP (DT the) (NN dog)) (PRN (-LRB- -LRB-) (NP (DT an) (JJ old) (NN one)) \
(-RRB- -RRB-))) (PP (IN in) (NP (DT the) (NN garden)))) (. .))
"""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def is_run(code: str) -> bool:
    return not any(re.search(pattern, code, re.MULTILINE) for pattern in NOT_RUN)


RUN = [
    path
    for path in PAGES
    if name_of(path) not in ELSEWHERE and path.parent.name != "experiments"
]
RUN = [path for path in RUN if any(is_run(block.code) for block in blocks(path))]


@pytest.fixture(scope="module")
def bundled(en_lal_md: Language) -> Iterator[Dict[str, Language]]:
    """`spacy.load("en_lal_md")` gives every page the same pipeline, until a page
    changes it."""
    load, loaded = spacy.load, {}

    def shared_load(name: Any, **settings: Any) -> Language:
        if str(name) != "en_lal_md" or settings:
            return load(name, **settings)
        if "nlp" not in loaded:
            loaded["nlp"] = load(name)
        return loaded["nlp"]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "load", shared_load)
        yield loaded


@pytest.fixture(scope="module")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that pages take for a reader's own: texts, and the toy treebank under
    the names of the pages."""
    folder = tmp_path_factory.mktemp("files")
    toy = ROOT / "assets" / "toy"
    texts = {
        "texts.txt": TEXTS,
        "letter.txt": "Select the person driving.",
        "gold.ptb": GOLD,
    }
    texts["comments.tsv"] = "id\ttext\n7\tThe old cat sleeps.\n"
    texts["comments.csv"] = (
        "id,comment,stars\nc1,The service was slow. My food arrived cold.,2\n"
    )
    texts["comments.jsonl"] = (
        json.dumps({"id": "7", "text": "The old cat sleeps."}) + "\n"
    )
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf8")
    for group in ("essays", "academic", "fiction"):
        (folder / group).mkdir()
        (folder / group / "one.txt").write_text(TEXTS, encoding="utf8")
    shutil.copy(toy / "dev.conllu", folder / "heads.conllu")
    for name in ("treebank", "one", "two"):
        shutil.copy(toy / "dev.ptb", folder / f"{name}.ptb")
    for name in ("train.ptb", "train.conllu", "dev.ptb", "dev.conllu"):
        shutil.copy(toy / name, folder)
    shutil.copytree(toy, folder / "assets" / "toy")
    shutil.copytree(ROOT / "configs", folder / "configs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for corpus in (
            "corpus/train.spacy",
            "corpus/dev.spacy",
            "corpus/dev/ewt.spacy",
        ):
            run_command(
                f"lal convert assets/toy/dev.ptb assets/toy/dev.conllu -o {corpus}"
            )
        for corpus in ("trees.spacy", "corpus/trees.spacy"):
            run_command(f"lal convert assets/toy/dev.ptb -o {corpus}")
    return folder


# The two pages that a newcomer reads first run in every test; the others in `make
# test-all`.
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path,
            id=name_of(path),
            marks=[] if path.stem in ("README", "first_parse") else pytest.mark.slow,
        )
        for path in RUN
    ],
)
def test_page_runs(
    path: Path,
    bundled: Dict[str, Language],
    example_files: Path,
    tmp_path: Path,
    monkeypatch: Any,
):
    """All of a page's code and commands, in the order in which they stand there. What
    the code prints stands below it, or beside it as a comment."""
    wrong: List[str] = []
    monkeypatch.chdir(shutil.copytree(example_files, tmp_path / "clone"))
    names: Dict[str, Any] = {"__name__": "page"}
    for block in blocks(path):
        if not is_run(block.code):
            continue
        if block.language == "python":
            printed = printed_by(block.code, path, names)
            is_said = path in NOT_COMPARED or (
                not block.shown and SAID.search(block.code)
            )
            if not is_said and not says_the_same(block.shown, printed):
                wrong.append(f"{block.code}\nprints\n{printed}\nnot\n{block.shown}")
        else:
            run_command(
                block.code,
                SHORT
                if re.search(r"^(lal|python -m spacy) train ", block.code)
                else (),
            )
    nlp = bundled.get("nlp")
    if nlp is not None and (
        nlp.pipe_names != nlp.meta["pipeline"] or nlp.max_length != 1_000_000
    ):
        bundled.clear()
    assert not wrong, "\n----\n".join(wrong)


def test_links_lead_somewhere():
    links = [
        (path, link)
        for path in PAGES
        for link in LINK.findall(path.read_text(encoding="utf8"))
    ]
    assert not [
        f"{name_of(path)}: {link}"
        for path, link in links
        if not (path.parent / link).exists()
    ]


def anchors(path: Path) -> Set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    text = re.sub(
        r"^```.*?^```", "", path.read_text(encoding="utf8"), flags=re.M | re.S
    )
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    shown = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in shown
    }


def test_links_and_anchors_of_pages_and_packages():
    """A package's links are whole addresses of files of this repository."""
    dead = []
    cards = sorted((ROOT / "packages").glob("*/README.md"))
    for path in [*PAGES, *cards]:
        text = path.read_text(encoding="utf8")
        places = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", text)
        for place, anchor in places:
            target = path.parent / place if place else path
            if target.suffix == ".md" and anchor not in anchors(target):
                dead.append(f"{name_of(path)}: {place}#{anchor}")
        for place, anchor in re.findall(r"/blob/main/([^)#]+)(?:#([^)]+))?\)", text):
            target = ROOT / place
            if not target.exists() or (anchor and anchor not in anchors(target)):
                dead.append(f"{name_of(path)}: {place}#{anchor}")
    assert dead == []


def test_commands_exist():
    registry.cli.get_all()
    targets = set(
        re.findall(
            r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf8"), re.MULTILINE
        )
    )
    commands = [
        (path, block.code)
        for path in PAGES
        for block in blocks(path)
        if block.language == "command"
    ]
    for path, words in [
        (path, words) for path, code in commands for words in split_command(code)[0]
    ]:
        where = f"{name_of(path)}: {' '.join(words)}"
        if words[0] == "make":
            assert words[1] in targets, where
        elif words[0] == "lal" or words[:2] == ["python", "-m"]:
            words = words if words[0] == "lal" else words[3:]
            known, options = subcommand(words)
            wrong = [
                word
                for word in words
                if re.match(r"--\w[\w-]*$", word) and word not in options
            ]
            assert not wrong, f"{where}: {known} has no {wrong}"
        elif (
            words[0] == "python" and path.parent.name != "experiments"
        ):  # which are records
            assert (ROOT / words[1]).is_file(), where


def subcommand(words: List[str]) -> Tuple[str, Set[str]]:
    """Which of spaCy's commands the words call, and its options; overrides with a dot
    are none."""
    command, path = get_command(app), []
    for word in words:
        if not hasattr(command, "commands") or word not in command.commands:
            break
        command = command.commands[word]
        path.append(word)
    assert path, f"spaCy has no command {words[0]!r}"
    assert not hasattr(command, "commands") or words[-1] == "--help", (
        f"unfinished command: {' '.join(words)}"
    )
    return " ".join(path), {
        "--help",
        *(option for param in command.params for option in param.opts),
    }


def test_readme_prints_what_it_shows(
    en_lal_md: Language, capsys: pytest.CaptureFixture
):
    """One program, and what it prints in captioned parts."""
    page = PAGES[0].read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    after = page.split(f"{code}```")[1].split("\n## ")[0]
    shown = "".join(re.findall(r"```\n(.*?)```", after, re.DOTALL))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "load", lambda name: en_lal_md)
        run_python(code, PAGES[0], {})
    assert shown
    assert capsys.readouterr().out == shown


def test_promises_name_tests_that_exist():
    named = re.findall(
        r"`(tests/[\w/]+\.py)::(\w+)`",
        (ROOT / "docs/explanation/robustness.md").read_text(encoding="utf8"),
    )
    assert len(named) > 20
    assert [
        (path, name)
        for path, name in named
        if f"def {name}(" not in (ROOT / path).read_text(encoding="utf8")
    ] == []
