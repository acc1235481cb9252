"""`speed.py start`, and what a benchmark says when its extra is missing. No time counts."""

import json
import sys
from pathlib import Path

import pytest
from benchmark_programs import program


def test_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    calls = []

    def seconds_of(command, checkout):
        calls.append((command, checkout))
        return 4.0 if checkout else 2.0

    with program("speed") as speed:
        monkeypatch.setattr(sys.modules["speed.start"], "processor_seconds", seconds_of)
        output = tmp_path / "start.json"
        assert speed.main(["start", str(output), "--rounds", "2", "--beside", str(tmp_path)]) == 0
        assert len(calls) == 2 * 7
        rows = json.loads(output.read_text(encoding="utf8"))["rows"]
        assert [row["what"] for row in rows][-1] == "lal parse, one sentence"
        assert "| spacy.load | 2.00 (2.00) | 4.00 (4.00) | 2.00x | 2.0 |" in capsys.readouterr().out


def test_a_command_that_fails_is_an_error():
    with program("speed"), pytest.raises(RuntimeError, match="ended with 3"):
        sys.modules["speed.start"].processor_seconds([sys.executable, "-c", "raise SystemExit(3)"], None)


def test_another_checkout_is_imported_wherever_the_benchmark_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "some_module.py").write_text(f"WHERE = {name!r}")
    monkeypatch.chdir(tmp_path / "here")
    check = [sys.executable, "-c", "import some_module; raise SystemExit(some_module.WHERE != 'there')"]
    with program("speed"):
        assert sys.modules["speed.start"].processor_seconds(check, tmp_path / "there") > 0.0


def test_a_missing_extra_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with program("speed") as speed:
        timing = sys.modules["speed.timing"]
        monkeypatch.setattr(timing, "find_spec", lambda name: None)
        with pytest.raises(SystemExit, match=r"speed.py service: needs fastapi, uvicorn, which the extra serve brings"):
            speed.main(["service", str(tmp_path / "out.json"), "texts.txt"])
        with pytest.raises(SystemExit, match=r"pip install -c constraints.txt '.\[bench\]'"):
            speed.main(["plot", str(tmp_path), str(tmp_path / "none.json")])
