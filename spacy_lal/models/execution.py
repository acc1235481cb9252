"""How a parser's network runs: options that change speed and memory, and scores at most by rounding."""

from dataclasses import dataclass

from ..layers.checks import check_count, check_flags
from .runtimes import check_runtime


@dataclass(frozen=True)
class ExecutionConfig:
    """How the network runs.

    mixed_precision (bool): Multiply matrices in half precision: in parsing on devices with fast half precision (on a
        CPU, bfloat16), in training on a GPU.
    max_batch_cells (int): Most chart cells, (n + 1)^2 for each sentence, that are scored at once, padding included.
    runtime (str): What computes the network on a CPU. `onnx`: ONNX Runtime, the same scores but for rounding.
        `onnx-int8`: ONNX Runtime with 8-bit products. Both need the extra `fast`, otherwise torch runs and a warning
        says so; both know networks that read vectors alone and have no encoder layers. Never in training, nor after
        an update.
    RAISES (ValueError): An option is out of range, or `runtime` is set with `mixed_precision`.
    """

    mixed_precision: bool = False
    max_batch_cells: int = 65536
    runtime: str = "torch"

    def __post_init__(self) -> None:
        check_flags(mixed_precision=self.mixed_precision)
        check_count("max_batch_cells", self.max_batch_cells)
        check_runtime(self.runtime, mixed_precision=self.mixed_precision)
