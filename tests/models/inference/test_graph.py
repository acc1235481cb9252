"""Products in ONNX Runtime, in single precision and in 8 bits."""

import numpy
import pytest

from spacy_lal.models.inference.graph import Product, session
from spacy_lal.models.inference.onnx_encoder import encoder_graphs

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


def test_hidden_units_below_zero_keep_their_values_in_8_bits():
    """GELU is at least -0.17, and its rounded values begin there: units of -0.1699,
    which a map adds up, are worth as much as in single precision."""
    rng = numpy.random.default_rng(1)
    width, hidden = 8, 64
    sizes = {"hidden_size": width, "num_hidden_layers": 1, "num_attention_heads": 2}
    known = {"model_type": "bert", "hidden_act": "gelu", "is_decoder": False}
    config = {**sizes, **known, "add_cross_attention": False, "layer_norm_eps": 1e-6}
    layer = "encoder.layer.0"
    shapes = {
        "attention.self.query": (width, width),
        "attention.self.key": (width, width),
        "attention.self.value": (width, width),
        "attention.output.dense": (width, width),
        "intermediate.dense": (hidden, width),
        "output.dense": (width, hidden),
    }
    weights = {}
    for name, shape in shapes.items():
        weights[f"{layer}.{name}.weight"] = rng.normal(size=shape).astype("f4")
        weights[f"{layer}.{name}.bias"] = numpy.zeros(shape[0], dtype="f4")
    for norm in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        weights[f"{norm}.LayerNorm.weight"] = numpy.ones(width, dtype="f4")
        weights[f"{norm}.LayerNorm.bias"] = numpy.zeros(width, dtype="f4")
    lowest = -0.7518  # GELU(-0.7518) = -0.1700
    weights[f"{layer}.intermediate.dense.weight"] *= 0.0
    weights[f"{layer}.intermediate.dense.bias"] += lowest
    weights["embeddings.word_embeddings.weight"] = rng.normal(size=(5, width))
    feeds = {
        "states": rng.normal(size=(1, 3, width)).astype("f4"),
        "mask": numpy.ones((1, 3), dtype="int32"),
    }
    states = []
    for int8 in (False, True):
        ((model, constants),) = encoder_graphs(config, weights, int8=int8)
        states.append(session(model, constants).run(None, feeds)[0])
    numpy.testing.assert_allclose(states[1], states[0], atol=0.03)
