"""What arithmetic alone would take: floating-point operations, and the most of them that this machine does a second."""

from typing import Any, Callable

import torch
from torch.utils.flop_counter import FlopCounterMode

from speed.timing import CLOCKS

GEMM_SIDE = 2000


def peak_gflops(clock: str = "cpu", rounds: int = 5, side: int = GEMM_SIDE) -> float:
    """Operations a second of a product of two square matrices in single precision, on torch's threads: the best of
    some rounds, in 10^9."""
    left, right = torch.randn(side, side), torch.randn(side, side)
    seconds = []
    for _ in range(rounds + 1):
        start = CLOCKS[clock]()
        torch.mm(left, right)
        seconds.append(CLOCKS[clock]() - start)
    return 2e-9 * side**3 / min(seconds[1:])


def gflop_of(call: Callable[[], Any]) -> float:
    """Operations of the matrix products that torch counts in a call, in 10^9. What other runtimes compute is not
    counted."""
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops() * 1e-9
