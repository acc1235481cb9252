"""The Python interface of span_hidden.pyx."""

from numpy import ndarray

def span_hidden(
    start_rows: ndarray,
    end_rows: ndarray,
    starts: ndarray,
    ends: ndarray,
    bias: ndarray,
    gain: ndarray,
    shift: ndarray,
    epsilon: float,
    out: ndarray,
) -> None: ...
