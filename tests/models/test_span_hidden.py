"""The compiled hidden units of spans against the layers that they stand for."""

import os
import subprocess
import sys

import numpy
import pytest
import torch

from spacy_lal.layers.basics import EPSILON, std_norm
from spacy_lal.layers.span_hidden import span_hidden

SCRIPT = """
import sys, numpy
from spacy_lal.layers.span_hidden import span_hidden
arrays = numpy.load(sys.argv[1])
out = numpy.empty((len(arrays["starts"]), arrays["start_rows"].shape[1]), "f4")
names = "start_rows", "end_rows", "starts", "ends", "bias", "gain", "shift"
span_hidden(*(arrays[name] for name in names), 1e-3, out)
numpy.save(sys.argv[2], out)
"""


def make(width, n_rows=9, n_spans=40, seed=0):
    rng = numpy.random.default_rng(seed)
    starts, ends = rng.integers(0, n_rows, (2, n_spans))
    start_rows, end_rows = rng.normal(size=(2, n_rows, width)).astype("f4")
    bias, gain, shift = rng.normal(size=(3, width)).astype("f4")
    rows = {"start_rows": start_rows, "end_rows": end_rows}
    return {
        **rows,
        "starts": starts,
        "ends": ends,
        "bias": bias,
        "gain": gain,
        "shift": shift,
    }


def units(arrays, **changed):
    arrays = {**arrays, **changed}
    out = numpy.full(
        (len(arrays["starts"]), arrays["start_rows"].shape[1]), numpy.nan, dtype="f4"
    )
    span_hidden(*arrays.values(), EPSILON, out)
    return out


def expected(arrays):
    start_rows, end_rows, starts, ends, bias, gain, shift = (
        torch.from_numpy(array) for array in arrays.values()
    )
    return (
        std_norm(end_rows[ends] - start_rows[starts] + bias, gain, shift).relu().numpy()
    )


@pytest.mark.parametrize("width", [2, 3, 7, 8, 31, 32, 33, 64, 100, 512])
def test_as_torch_has_them(width):
    arrays = make(width)
    assert numpy.allclose(units(arrays), expected(arrays), atol=2e-5)


def test_a_span_that_is_the_same_everywhere():
    arrays = make(16)
    flat = {
        **arrays,
        "end_rows": arrays["start_rows"],
        "ends": arrays["starts"],
        "bias": numpy.full(16, 3, "f4"),
    }
    assert numpy.allclose(units(flat), numpy.maximum(arrays["shift"], 0), atol=1e-6)


def test_a_span_depends_on_no_other():
    arrays = make(40)
    one = {**arrays, "starts": arrays["starts"][7:8], "ends": arrays["ends"][7:8]}
    assert numpy.array_equal(units(arrays)[7:8], units(one))


def test_what_every_machine_has(tmp_path):
    arrays = make(53)
    numpy.savez(tmp_path / "arrays.npz", **arrays)
    plain = {**os.environ, "SPACY_LAL_PLAIN_KERNELS": "1"}
    command = [
        sys.executable,
        "-c",
        SCRIPT,
        str(tmp_path / "arrays.npz"),
        str(tmp_path / "out.npy"),
    ]
    subprocess.run(command, env=plain, check=True)
    assert numpy.allclose(numpy.load(tmp_path / "out.npy"), units(arrays), atol=2e-5)


@pytest.mark.parametrize(
    "changed, message",
    [
        (
            dict.fromkeys(("start_rows", "end_rows"), numpy.zeros((9, 1), "f4")),
            "two numbers or more, got 1",
        ),
        (
            {"start_rows": numpy.zeros((9, 16), "f4")[:, ::2]},
            "expected contiguous rows",
        ),
        ({"end_rows": numpy.zeros((9, 16), "f4")[:, ::2]}, "expected contiguous rows"),
        (
            {"end_rows": numpy.zeros((9, 7), "f4")},
            r"end_rows of the shape of start_rows, \(9, 8\)",
        ),
        (
            {"end_rows": numpy.zeros((8, 8), "f4")},
            r"end_rows of the shape of start_rows, \(9, 8\)",
        ),
        ({"gain": numpy.zeros(7, "f4")}, "of one width, got 8 and others"),
        ({"ends": numpy.zeros(3, "i8")}, "as many ends and rows of out as starts"),
        ({"ends": numpy.full(40, 9)}, "span 0: expected rows below 9"),
        ({"starts": numpy.full(40, -1)}, "span 0: expected rows below 9, got -1"),
        ({"end_rows": numpy.zeros((9, 8))}, "dtype mismatch"),
    ],
)
def test_bad_input(changed, message):
    with pytest.raises(ValueError, match=message):
        units(make(8), **changed)
