"""The kernels of maxplus.h as Cython sees them."""

cdef extern from "maxplus.h" nogil:
    enum:
        MAXPLUS_LANES

    ctypedef struct MaxPlus:
        # out[t] = max_k P[k * stride + t] + Q[k * stride + t], t < width
        void rows(float* out, const float* P, const float* Q, size_t stride, size_t n_rows, size_t width) noexcept nogil
        # out[t] = max_k x[k] + M[k * stride + t], t < width
        void product(float* out, const float* x, const float* M, size_t stride, size_t n_rows, size_t width) noexcept nogil
        # max_k x[k] + y[k]
        float dot(const float* x, const float* y, size_t n) noexcept nogil
        # max_k x[k]; the residue becomes NaN where an x[k] is not finite
        float max(const float* x, size_t n, float* residue) noexcept nogil

    MaxPlus maxplus_kernels(int baseline) noexcept nogil
