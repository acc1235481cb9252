"""`benchmarks/speed.py`: each command runs on a tiny pipeline, and writes the figures
that it says. No time counts."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Dict, Iterator

import pytest
import spacy
import tiny_pipeline
from benchmark_programs import program
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

QUICK = ["--rounds", "1"]


@pytest.fixture(scope="module")
def speed() -> Iterator[ModuleType]:
    with program("speed") as module:
        yield module


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("speed")
    nlp = tiny_pipeline.train(
        tiny_pipeline.make_nlp(tiny_pipeline.make_bert(folder / "bert")), steps=2
    )
    nlp.to_disk(folder / "pipeline")
    config = folder / "pipeline" / "config.cfg"
    text = config.read_text(encoding="utf8")
    assert (
        "spacy-transformers.TransformerModel.v3" in text
    )  # not made for threads, see `pipeline/threads.py`
    text = text.replace(
        "spacy-transformers.TransformerModel.v3", "spacy-lal.TransformerModel.v1"
    )
    config.write_text(text, encoding="utf8")
    return folder / "pipeline"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "dev.spacy"
    sentences = [tiny_pipeline.SENTENCES[i % 2]["words"] for i in range(12)]
    words = [word for words in sentences for word in words]
    starts = [i == 0 for words in sentences for i in range(len(words))]
    DocBin(docs=[Doc(Vocab(), words=words, sent_starts=starts)]).to_disk(path)
    return path


def run(
    speed: ModuleType, tmp_path: Path, command: str, *arguments: str
) -> Dict[str, Any]:
    """The JSON of a command."""
    output = tmp_path / f"{command}.json"
    assert speed.main([command, str(output), *arguments, *QUICK]) == 0
    result = json.loads(output.read_text(encoding="utf8"))
    assert result["command"] == command and result["settings"]["rounds"] == 1
    assert {"machine", "cores", "load", "torch", "commit"} <= set(result["environment"])
    return result


def test_pipeline(
    speed: ModuleType,
    tmp_path: Path,
    pipeline: Path,
    source: Path,
    capsys: pytest.CaptureFixture,
):
    options = [
        "--pipeline",
        str(pipeline),
        "--threads",
        "1",
        "2",
        "--bucket-words",
        "20",
        "--batch-size",
        "2",
    ]
    result = run(speed, tmp_path, "pipeline", str(source), *options, "--n-sents", "3")
    assert (result["words"], result["sentences"], result["texts"]) == (78, 12, 4)
    assert [(row["input"], row["threads"]) for row in result["throughput"]] == [
        ("texts", 1),
        ("tokens", 1),
        ("texts", 2),
        ("tokens", 2),
    ]
    seconds = result["stages"]["seconds"]
    parts = ["predict", "set_annotations", "vectors and features", "network", "decoder"]
    wanted = {"tokenizer", "transformer", "senter", "tagger", "lal_parser"}
    assert set(seconds) == wanted | {f"lal_parser: {part}" for part in parts}
    assert seconds["lal_parser"]["median"] > seconds["lal_parser: predict"]["median"]
    stages = result["stages"]
    assert stages["times_arithmetic"] > 0
    rows = {row["words_each"]: row for row in result["lengths"]}
    assert list(rows) == [
        "<= 10",
        "<= 20",
        "<= 40",
        "<= 80",
    ]  # 78 words are too few for more
    assert (
        rows["<= 10"]["joined"] == 0
        and rows["<= 20"]["joined"] == rows["<= 20"]["sentences"] == 2
    )
    assert set(rows["<= 40"]) == {
        "words_each",
        "sentences",
        "joined",
        "words",
        "alone",
        "many",
    }
    assert "| lal_parser - network |" in capsys.readouterr().out


def test_a_gpu_is_taken_before_the_pipeline_is_loaded(
    speed: ModuleType,
    tmp_path: Path,
    pipeline: Path,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    done = []
    load = spacy.load

    def load_after(name: str) -> Any:
        done.append("load")
        return load(name)

    monkeypatch.setattr(spacy, "require_gpu", done.append)
    monkeypatch.setattr(spacy, "load", load_after)
    options = ["--pipeline", str(pipeline), "--threads", "1", "--bucket-words", "20"]
    result = run(speed, tmp_path, "pipeline", str(source), *options, "--gpu-id", "3")
    assert done == [3, "load"]
    assert result["settings"]["gpu_id"] == 3 and result["settings"]["clock"] == "wall"
    command = ["pipeline", str(tmp_path / "cpu.json"), str(source), *options]
    with pytest.raises(SystemExit, match="does not count a GPU's time"):
        speed.main([*command, "--gpu-id", "3", "--clock", "cpu"])


def test_without_a_gpu_the_missing_part_is_named(
    speed: ModuleType, tmp_path: Path, pipeline: Path, source: Path
):
    command = ["pipeline", str(tmp_path / "gpu.json"), str(source)]
    with pytest.raises(ValueError, match="GPU is not accessible|Cannot use GPU"):
        speed.main([*command, "--pipeline", str(pipeline), "--gpu-id", "0"])
    assert not (tmp_path / "gpu.json").exists()


def test_latency(
    speed: ModuleType, tmp_path: Path, pipeline: Path, capsys: pytest.CaptureFixture
):
    result = run(
        speed, tmp_path, "latency", "--pipeline", str(pipeline), "--tokens", "1", "8"
    )
    parts = [
        "all",
        "all but lal_srl",
        "transformer",
        "senter",
        "tagger",
        "lal_parser",
        "MiniLM-L6 in torch",
    ]
    assert [(row["tokens"], row["part"]) for row in result["rows"]] == [
        (n, part) for n in (1, 8) for part in parts
    ]
    for n in (1, 8):
        ms = {row["part"]: row["p50"] for row in result["rows"] if row["tokens"] == n}
        assert ms["all"] >= sum(ms[part] for part in parts[2:-1]) > 0
    assert all(row["least"] <= row["p50"] <= row["p95"] for row in result["rows"])
    assert "| ms, p50 / p95 | 1 tokens | 8 tokens |" in capsys.readouterr().out
    latency = sys.modules["speed.latency"]
    assert [len(latency.sentence(n)) for n in (1, 8, 40, 41, 100)] == [
        1,
        8,
        40,
        41,
        100,
    ]
