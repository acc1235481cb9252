"""What Python sees of span_hidden.pyx."""

from numpy import ndarray

def span_hidden(
    rows: ndarray,
    starts: ndarray,
    ends: ndarray,
    bias: ndarray,
    gain: ndarray,
    shift: ndarray,
    epsilon: float,
    out: ndarray,
) -> None: ...
