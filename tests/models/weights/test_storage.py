"""Weights as they are stored: safetensors, half precision, 8 bits by rows."""

import numpy
import pytest
import safetensors.numpy

from spacy_lal.models.weights.storage import (
    SCALE,
    is_safetensors,
    quantise,
    single_weights,
    stored_arrays,
    stored_weight,
    weight_of,
)


def test_stored_arrays_are_those_of_the_library():
    rng = numpy.random.default_rng(0)
    arrays = {
        name: (100 * rng.normal(size=(3, 5))).astype(name)
        for name in ("float64", "float32", "float16", "int8")
    }
    arrays["empty"] = numpy.zeros((0, 4), dtype="float32")
    data = safetensors.numpy.save(arrays, metadata={"written": "by a test"})
    found, metadata = stored_arrays(data)
    assert set(found) == set(arrays) and metadata == {"written": "by a test"}
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype and numpy.array_equal(
            found[name], array
        ), name
    with pytest.raises(ValueError):
        stored_arrays(data[:-1])
    assert is_safetensors(data) and not is_safetensors(data[8:])


def test_a_matrix_in_8_bits_has_a_scale_for_each_row():
    integers, scales = quantise(numpy.array([[0.0, -2.54, 1.27], [0.0, 0.0, 0.0]]))
    assert integers.dtype == numpy.int8
    assert integers.tolist() == [[0, -127, 64], [0, 0, 0]]
    assert scales.dtype == numpy.float32
    assert scales[0] == pytest.approx(0.02)


@pytest.mark.parametrize("shape", [(5, 9), (2, 5, 9)])
def test_a_stored_matrix_is_the_matrix_to_half_a_step(shape):
    weight = numpy.random.default_rng(0).normal(size=shape).astype("f4")
    stored = stored_weight("x", weight, 8)
    assert stored["x"].dtype == numpy.int8 and set(stored) == {"x", "x" + SCALE}
    found = single_weights(stored)
    assert list(found) == ["x"] and len(found) == 1
    error = numpy.abs(found["x"] - weight)
    assert (error <= 0.501 * stored["x" + SCALE][..., None]).all()
    assert numpy.array_equal(weight_of(stored, "x", slice(1, 2)), found["x"][1:2])


def test_all_else_is_stored_in_half_precision():
    weight = numpy.array([0.1, 65504.0], dtype="f4")
    for bits in (8, 16):
        assert stored_weight("x", weight, bits)["x"].tolist() == [
            0.0999755859375,
            65504,
        ]
    assert stored_weight("x", weight[None], 16)["x"].dtype == numpy.float16
    for wrong in (7e4, numpy.inf, numpy.nan):
        with pytest.raises(ValueError, match="up to 65504, and the name has"):
            stored_weight("the name", numpy.array([wrong]), 8)
