"""`benchmarks/accuracy.py`: variants differ in what they should and in nothing else; a
run goes on where it stopped."""

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Iterator, List

import pytest
from benchmark_programs import program
from spacy.cli._util import app
from spacy.util import load_config
from tiny_xlnet import make_bert
from typer.testing import CliRunner

import spacy_lal.cli  # noqa: F401 (adds itself to spaCy's application)

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "configs" / "lal_trf.cfg"
WIDTHS = {
    "hidden_width": 16,
    "label_attention.attn_width": 4,
    "label_attention.proj_width": 4,
    "span_scorer.hidden_width": 32,
    "biaffine_scorer.arc_width": 32,
    "biaffine_scorer.deprel_width": 16,
}


@pytest.fixture(scope="module")
def accuracy() -> Iterator[ModuleType]:
    with program("accuracy") as module:
        yield module


@pytest.fixture(scope="module")
def comparison(accuracy: ModuleType) -> ModuleType:
    return import_module("accuracy.comparison")


@pytest.fixture(scope="module")
def variants(accuracy: ModuleType) -> ModuleType:
    return import_module("accuracy.variants")


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> List[str]:
    folder = tmp_path_factory.mktemp("accuracy")
    (folder / "bert").mkdir()
    for part in ("train", "dev"):
        files = [
            str(ROOT / "assets" / "toy" / f"{part}.{suffix}")
            for suffix in ("ptb", "conllu")
        ]
        result = CliRunner().invoke(
            app,
            [
                "lal",
                "convert",
                *files,
                "-o",
                str(folder / f"{part}.spacy"),
                "--n-sents",
                "8",
            ],
        )
        assert result.exit_code == 0, result.output
    sizes = [
        word
        for name, value in WIDTHS.items()
        for word in (f"--components.lal_parser.model.{name}", str(value))
    ]
    return [
        *[str(folder / "out" / "results.jsonl"), "--steps", "2", "--seeds", "3"],
        *[
            "--train",
            str(folder / "train.spacy"),
            "--dev",
            f"toy={folder / 'dev.spacy'}",
        ],
        *[
            "--components.transformer.model.name",
            str(make_bert(folder / "bert", max_pieces=1024)),
            "--system.gpu_allocator",
            "null",
            *sizes,
        ],
    ]


def test_it_trains_scores_and_goes_on(
    accuracy: ModuleType,
    comparison: ModuleType,
    arguments: List[str],
    capsys: pytest.CaptureFixture,
):
    output = Path(arguments[0])
    assert accuracy.main([*arguments, "--variants", "lal", "separate"]) == 0
    first = output.read_text(encoding="utf8")
    weights = output.parent / "results" / "lal-3" / "model-last"
    (weights / "config.cfg").rename(
        weights / "away"
    )  # whoever trains or loads it again fails or writes it anew
    assert (
        accuracy.main([*arguments, "--variants", "spacy", "lal", "separate", "plain"])
        == 0
    )
    assert not (weights / "config.cfg").exists()
    assert output.read_text(encoding="utf8").startswith(first)
    rows = {
        row["variant"]: row
        for row in map(json.loads, output.read_text(encoding="utf8").splitlines())
    }
    assert list(rows) == ["lal", "separate", "spacy", "plain"]
    assert {row["seed"] for row in rows.values()} == {3}
    scores = {name: row["dev"]["toy"] for name, row in rows.items()}
    assert scores["spacy"]["const_f"] is None and scores["spacy"]["dep_las"] is not None
    assert all(
        0 <= scores[name][key] <= 1
        for name in ("lal", "plain", "separate")
        for key in comparison.SCORES
    )
    assert rows["lal"]["parser_parameters"] == rows["separate"]["parser_parameters"]
    assert rows["plain"]["parser_parameters"] == pytest.approx(
        rows["lal"]["parser_parameters"], rel=0.05
    )  # widths are even
    config = load_config(output.parent / "results" / "spacy-3" / "config.cfg")
    assert config["nlp"]["pipeline"] == ["transformer", "tagger", "parser"]
    assert (
        config["training"]["optimizer"]["learn_rate"]["total_steps"]
        == config["training"]["max_steps"]
        == 2
    )

    table = capsys.readouterr().out.split("**toy dev**")[-1].strip().splitlines()
    assert [line.count("|") for line in table] == [9] * 6
    assert (
        f"| {100 * scores['lal']['dep_las']:.2f} |" in table[3] and "| - |" in table[2]
    )


@pytest.mark.parametrize("name, dropout", [("none", False), ("resdrop", True)])
def test_variants_of_the_papers_table_1(variants: ModuleType, name: str, dropout: bool):
    base = load_config(CONFIG)
    config = variants.pipeline_config(base, name, seed=5)
    model, unchanged = (
        dict(one["components"]["lal_parser"]["model"]) for one in (config, base)
    )
    attention, before = model.pop("label_attention"), unchanged.pop("label_attention")
    assert model == unchanged
    assert attention["residual_dropout"] == (
        attention["attention_dropout"] if dropout else 0.0
    )
    assert attention["attention_dropout"] > 0
    changed = {key for key in attention if attention[key] != before.get(key)}
    assert changed <= {"residual_dropout"}
    assert config["system"]["seed"] == 5 and "senter" not in config["components"]
    assert base == load_config(CONFIG)
