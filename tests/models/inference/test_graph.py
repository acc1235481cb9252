"""Products in ONNX Runtime, in single precision and in 8 bits."""

import numpy
import pytest

from spacy_lal.models.inference.graph import Product

# Integers of at most 127 with a scale for each row: stored in 8 bits without loss.
RNG = numpy.random.default_rng(0)
INTEGERS = RNG.integers(-127, 128, size=(5, 64))
INTEGERS[:, 0] = 127
WEIGHT = (INTEGERS * numpy.array([[1.0], [0.5], [0.01], [3.0], [0.2]])).astype("f4")
BIAS = numpy.arange(5, dtype="f4")
ROWS = RNG.normal(size=(7, 64)).astype("f4")
# Half a step of the inputs: of 127 steps up to the largest, or of 127 * 254.
HALF_STEPS = {8: 0.5 / 127, 15: 0.5 / 127 / 254}


@pytest.mark.parametrize("bits", HALF_STEPS)
def test_inputs_are_off_by_half_a_step_at_most(bits):
    product = Product(WEIGHT, BIAS, bits)
    expected = ROWS.astype("f8") @ WEIGHT.T + BIAS
    largest = numpy.abs(ROWS).max(axis=1, keepdims=True)
    bound = HALF_STEPS[bits] * largest * numpy.abs(WEIGHT).sum(axis=1)
    off = numpy.abs(product(ROWS) - expected)
    assert (off <= bound * 1.01).all() and off.max() > bound.max() / 1000


def test_whole_numbers_are_exact_in_8_bits():
    rows = RNG.integers(-127, 128, size=(3, 64)).astype("f4")
    rows[:, 1] = 127
    for bits in (8, 15, 32):
        product = Product(WEIGHT, BIAS, bits)
        numpy.testing.assert_allclose(product(rows), rows @ WEIGHT.T + BIAS, rtol=1e-4)


def test_a_row_of_zeros_gives_the_bias():
    for bits in (8, 15, 32):
        product = Product(WEIGHT, BIAS, bits)
        found = product(numpy.zeros((1, 64), dtype="f4"))
        numpy.testing.assert_array_equal(found[0], BIAS)


def test_a_row_is_the_same_alone_and_among_others():
    rows = numpy.concatenate([ROWS, 100 * ROWS])
    for bits in HALF_STEPS:
        product = Product(WEIGHT, BIAS, bits)
        numpy.testing.assert_array_equal(product(rows)[2], product(rows[2:3])[0])


def test_a_node_that_nobody_reads_is_seen(dead_nodes):
    nodes = [
        {"inputs": ["x"], "outputs": ["a"]},
        {"inputs": ["a"], "outputs": ["unread"]},
        {"inputs": ["a"], "outputs": ["y"]},
    ]
    assert dead_nodes(nodes, {"y"}) == nodes[1:2]
    assert dead_nodes([nodes[0], nodes[2]], {"y"}) == []
