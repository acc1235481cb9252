"""--gpu-id says what is missing and how to install it. No GPU is used: the libraries are stand-ins."""

import sys
from types import SimpleNamespace

import pytest
import torch

from spacy_lal.cli import gpu

COMMANDS = [
    ("parse", "-m", "{pipeline}", "--text", "Go on!"),
    ("explain", "-m", "{pipeline}", "--text", "Go on!"),
    ("evaluate", "-m", "{pipeline}", "{gold}"),
    ("label-heads", "-m", "{pipeline}", "{gold}"),
    ("complete", "-m", "{pipeline}", "{gold}", "{out}"),
    ("parse", "-m", "{pipeline}", "{folder}", "--engine", "local", "-o", "{out}"),
]


@pytest.fixture
def cupy(monkeypatch):
    """CuPy seems to be there, with one GPU."""
    module = SimpleNamespace(cuda=SimpleNamespace(runtime=SimpleNamespace(getDeviceCount=lambda: 1)))
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setattr(gpu, "find_spec", lambda name: name)
    monkeypatch.setattr("platform.system", lambda: "Linux")
    return module


@pytest.fixture
def no_cupy(monkeypatch):
    monkeypatch.setattr(gpu, "find_spec", lambda name: None)
    monkeypatch.setattr("platform.system", lambda: "Linux")


@pytest.mark.parametrize("args", COMMANDS, ids=lambda args: f"{args[0]}-{len(args)}")
def test_without_cupy(lal, pipeline, gold_file, tmp_path, no_cupy, args):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Go on!")
    names = {"pipeline": pipeline, "gold": gold_file, "out": tmp_path / "out", "folder": tmp_path / "in"}
    result = lal(*(arg.format(**names) for arg in args), "--gpu-id", 0)
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr == (
        "can't use --gpu-id 0: CuPy is not installed: pip install 'spacy[cuda12x]' (cuda11x for CUDA 11; `nvidia-smi` "
        "shows the version). Without --gpu-id, the command runs on the CPU\n"
    )
    assert not (tmp_path / "out").exists()


def test_no_gpu(cupy):
    def fail():
        raise RuntimeError("cudaErrorNoDevice")

    cupy.cuda.runtime.getDeviceCount = fail
    assert gpu.gpu_problem(0).startswith("CuPy finds no GPU (RuntimeError: cudaErrorNoDevice). Does `nvidia-smi` list")


def test_too_high_a_number(cupy):
    assert gpu.gpu_problem(1) == "expected a number below 1, the number of GPUs that CuPy finds"


def test_torch_for_the_cpu(cupy, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "build of PyTorch" in gpu.gpu_problem(0) and "pytorch.org" in gpu.gpu_problem(0)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert gpu.gpu_problem(0) is None


def test_the_gpu_is_required_of_spacy(cupy, monkeypatch, capsys):
    import spacy
    import typer

    asked = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(spacy, "require_gpu", asked.append)
    gpu.use_gpu(0)
    gpu.use_gpu(-1)
    assert asked == [0]

    def refuse(gpu_id):
        raise ValueError("out of memory")

    monkeypatch.setattr(spacy, "require_gpu", refuse)
    with pytest.raises(typer.Exit):
        gpu.use_gpu(0)
    assert "can't use --gpu-id 0: ValueError: out of memory" in capsys.readouterr().err


def test_numbers_below_the_cpu(lal, pipeline):
    result = lal("parse", "-m", pipeline, "--text", "Go on!", "--gpu-id", -2)
    assert result.exit_code == 2 and "--gpu-id" in result.stderr
