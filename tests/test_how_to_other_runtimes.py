"""docs/how_to/other_runtimes.md: the graphs that it writes give the numbers of the
encoder, in Python and, where node has onnxruntime-node, in JavaScript."""

import json
import os
import re
import shutil
import subprocess

import numpy
import onnxruntime
import pytest
from documents import ROOT

PAGE = (ROOT / "docs/how_to/other_runtimes.md").read_text(encoding="utf8")


def block(language):
    (code,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return code


def has_runtime():
    if shutil.which("node") is None:
        return False
    command = ["node", "-e", "require('onnxruntime-node')"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder in which the page's program has run, and its names."""
    folder = tmp_path_factory.mktemp("other_runtimes")
    before = os.getcwd()
    os.chdir(folder)
    try:
        names = {}
        exec(compile(block("python"), "other_runtimes.md", "exec"), names)
    finally:
        os.chdir(before)
    return folder, names


def test_files_hold_the_graphs(written):
    folder, names = written
    about = json.loads((folder / "encoder/about.json").read_text())
    dtypes = {"states": "float32", "mask": "int32", "bias": "float32"}
    feeds = {
        name: numpy.fromfile(folder / "encoder" / name, dtype).reshape(shape)
        for (name, dtype), shape in zip(
            dtypes.items(), about["shapes"].values(), strict=True
        )
    }
    for layer in about["layers"]:
        run = onnxruntime.InferenceSession(folder / layer / "model.onnx")
        assert [port.name for port in run.get_inputs()] == list(dtypes)
        feeds["states"] = run.run(["vectors"], feeds)[0]
    numpy.testing.assert_allclose(feeds["states"], names["vectors"], atol=1e-4)


@pytest.mark.skipif(not has_runtime(), reason="node has no onnxruntime-node")
def test_javascript_prints_the_same_numbers(written):
    folder, names = written
    (folder / "encoder.js").write_text(block("javascript"))
    command = ["node", "encoder.js"]
    printed = subprocess.run(
        command, cwd=folder, capture_output=True, check=True
    ).stdout
    numbers = [float(number) for number in printed.split()]
    numpy.testing.assert_allclose(numbers, names["vectors"][0, 1, :4], atol=2e-3)
