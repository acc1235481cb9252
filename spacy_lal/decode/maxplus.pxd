"""Cython interface of maxplus.h, which says what each kernel computes."""

cdef extern from "maxplus.h" nogil:
    enum:
        MAXPLUS_PAD

    ctypedef struct MaxPlus:
        void (*rows)(
            float* out, const float* P, size_t p_stride, const float* Q, size_t q_stride, size_t n_rows, size_t width
        ) noexcept nogil
        void (*product)(
            float* out, const float* x, const float* M, size_t stride, size_t n_rows, size_t width
        ) noexcept nogil
        void (*shift)(float* out, const float* x, float c, size_t width) noexcept nogil
        float (*dot)(const float* x, const float* y, size_t n) noexcept nogil
        float (*row_max)(float* out, const float* X, size_t stride, size_t n_rows, size_t width) noexcept nogil

    MaxPlus maxplus_kernels() noexcept nogil
