# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The hidden units of spans on a CPU, in one pass over memory; `parser_scorers.py` uses torch on other devices."""

from libc.stdint cimport int64_t


cdef extern from "span_hidden.h" nogil:
    ctypedef struct SpanNorm:
        const float* bias
        const float* gain
        const float* shift
        float epsilon
        size_t width

    ctypedef void (*SpanHidden)(float* out, const float* start, const float* end, const SpanNorm* norm) noexcept nogil

    SpanHidden span_hidden_kernel() noexcept nogil


cdef SpanHidden KERNEL = span_hidden_kernel()


def span_hidden(
    const float[:, :] start_rows,
    const float[:, :] end_rows,
    const int64_t[:] starts,
    const int64_t[:] ends,
    const float[::1] bias,
    const float[::1] gain,
    const float[::1] shift,
    float epsilon,
    float[:, ::1] out,
):
    """Write relu(norm(end_rows[end] - start_rows[start] + bias)) of each span.

    start_rows, end_rows (ndarray): The hidden layer's products with fenceposts as starts and as ends; may be the same
        array. Shape: (n_rows, width); a row's numbers are contiguous.
    starts, ends (ndarray): Rows of each span's fenceposts. Shape: (n_spans,), int64.
    bias, gain, shift (ndarray): Of the layer and of its norm. Shape: (width,).
    epsilon (float): Added to the standard deviation (unbiased).
    out (ndarray): Shape: (n_spans, width). Written to.
    RAISES (ValueError): Shapes do not match, the width is below 2, or a row does not exist.
    """
    cdef size_t width = start_rows.shape[1]
    cdef Py_ssize_t n_rows = start_rows.shape[0]
    cdef Py_ssize_t n_spans = starts.shape[0], i
    cdef SpanNorm norm
    if end_rows.shape[0] != n_rows or <size_t>end_rows.shape[1] != width:
        raise ValueError(f"expected end_rows of the shape of start_rows, ({n_rows}, {width})")
    if width < 2 or start_rows.strides[1] != sizeof(float) or end_rows.strides[1] != sizeof(float):
        raise ValueError(f"expected contiguous rows of two numbers or more, got {width}")
    if not (width == <size_t>bias.shape[0] == <size_t>gain.shape[0] == <size_t>shift.shape[0] == <size_t>out.shape[1]):
        raise ValueError(f"expected rows, bias, gain, shift and out of one width, got {width} and others")
    if not n_spans == ends.shape[0] == out.shape[0]:
        raise ValueError(f"expected as many ends and rows of out as starts ({n_spans})")
    for i in range(n_spans):
        if not (0 <= starts[i] < n_rows and 0 <= ends[i] < n_rows):
            raise ValueError(f"span {i}: expected rows below {n_rows}, got {starts[i]} and {ends[i]}")
    if n_spans == 0:
        return
    norm.bias, norm.gain, norm.shift, norm.epsilon, norm.width = &bias[0], &gain[0], &shift[0], epsilon, width
    with nogil:
        for i in range(n_spans):
            KERNEL(&out[i, 0], &start_rows[starts[i], 0], &end_rows[ends[i], 0], &norm)
