/* Max-plus kernels: the inner loops of the decoders, nothing else.
 *
 * Only maxima are stored, not their arguments. A decoder finds the arguments again for the few cells of the
 * best tree, which leaves one addition and one max instruction in the loop that runs n^4 times.
 *
 * maxplus_kernels.h writes each kernel once, over the five operations of a vector type. It is compiled for the
 * baseline of the platform (SSE2 on x86-64, NEON on aarch64, else plain floats) and, on x86-64, also for AVX2. The
 * choice between the two is made when the module is loaded. A build needs only the flag -O3.
 * (GCC 12 unrolls some plain loops over small arrays of lanes to scalar code before it vectorises.)
 *
 * max(a, b) is `a > b ? a : b` in all of them, every sum is one float32 addition: all give the same bits.
 */
#ifndef SPACY_LAL_MAXPLUS_H
#define SPACY_LAL_MAXPLUS_H

#include <math.h>
#include <stddef.h>

#define MAXPLUS_PAD 8 /* kernels may read and write a row up to a multiple of this many floats past its start */

#include "lanes.h"

#if defined(_MSC_VER) && !defined(__clang__)
#define MAXPLUS_RESTRICT __restrict
#define MAXPLUS_INLINE static __forceinline
#else
#define MAXPLUS_RESTRICT __restrict__
#define MAXPLUS_INLINE static inline __attribute__((always_inline))
#endif

typedef struct {
    /* out[t] = max_k P[k * p_stride + t] + Q[k * q_stride + t], t < width */
    void (*rows)(float *out, const float *P, size_t p_stride, const float *Q, size_t q_stride, size_t n_rows,
                 size_t width);
    /* out[t] = max_k x[k] + M[k * stride + t], t < width */
    void (*product)(float *out, const float *x, const float *M, size_t stride, size_t n_rows, size_t width);
    /* out[t] = x[t] + c, t < width */
    void (*shift)(float *out, const float *x, float c, size_t width);
    /* max_k x[k] + y[k], k < n; -inf where n is 0 */
    float (*dot)(const float *x, const float *y, size_t n);
    /* out[i] = max_t X[i * stride + t], t < width; -inf where width is 0. Returns 0, or NaN if any X is not finite. */
    float (*row_max)(float *out, const float *X, size_t stride, size_t n_rows, size_t width);
} MaxPlus;

/* The baseline of the platform. */
#define KERNEL(name) maxplus_##name##_base
#include "lanes_base.h"
#include "maxplus_kernels.h"
#include "lanes_end.h"

#if defined(LANES_HAS_AVX2)
#define KERNEL(name) maxplus_##name##_avx2
#include "lanes_avx2.h"
#include "maxplus_kernels.h"
#include "lanes_end.h"
#endif

/* The fastest kernels that this machine can run. */
static MaxPlus maxplus_kernels(void) {
    const MaxPlus base = {maxplus_rows_base, maxplus_product_base, maxplus_shift_base, maxplus_dot_base,
                          maxplus_row_max_base};
#if defined(LANES_HAS_AVX2)
    const MaxPlus avx2 = {maxplus_rows_avx2, maxplus_product_avx2, maxplus_shift_avx2, maxplus_dot_avx2,
                          maxplus_row_max_avx2};
    if (lanes_use_avx2()) return avx2;
#endif
    return base;
}

#endif
