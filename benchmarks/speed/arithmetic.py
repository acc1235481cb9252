"""The plain arithmetic of an encoder: what a batch is measured by. It does not change
with our graphs."""

import time
from functools import cache
from typing import Callable

import numpy as np

from spacy_lal.models.inference.graph import Graph, port, session

SIZE = 512
# 8-bit multiply-adds of the encoder of `en_lal_md` for 1,000 words of EWT.
MULTIPLY_ADDS = 36e9


@cache
def _product() -> Callable[[], object]:
    """A product of integers of 8 bits, SIZE x SIZE x SIZE."""
    rng = np.random.default_rng(0)
    graph = Graph()
    weight = graph.constant(rng.integers(-127, 128, (SIZE, SIZE)).astype("int8"))
    product = graph.node("MatMulInteger", ["rows", weight])
    shape = (SIZE, SIZE)
    rows = port("rows", shape, "uint8")
    model = graph.write([rows], {product: "product"}, shape, "int32")
    runs = session(model, graph.constants)
    rows = rng.integers(0, 256, shape).astype("uint8")
    return lambda: runs.run(None, {"rows": rows})


def seconds(n_words: int, clock: Callable[[], float] = time.process_time) -> float:
    """How long the arithmetic for some words takes: the median product of some."""
    run = _product()
    run()
    found = []
    for _ in range(40):
        start = clock()
        run()
        found.append(clock() - start)
    return float(np.median(found)) * MULTIPLY_ADDS / SIZE**3 * n_words / 1000
