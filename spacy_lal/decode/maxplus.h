/* Max-plus kernels: the inner loops of the decoders, nothing else.
 *
 * The maxima are kept without their arguments. A decoder looks the arguments up again for the few cells of the best tree,
 * which leaves one addition and one max instruction in the loop that runs n^4 times.
 *
 * maxplus_kernels.h writes each kernel once, over the five operations of a vector type. It is compiled for what every
 * machine of the platform has (SSE2 on x86-64, NEON on aarch64, else plain floats) and, on x86-64, for AVX2 as well; which
 * of the two runs is decided when the module is loaded. A build needs no flag for that, only -O3.
 * (Plain loops over small arrays of lanes were tried: GCC 12 unrolls some of them to scalar code before it vectorises.)
 *
 * max(a, b) is `a > b ? a : b` in all of them, every sum is one float32 addition: all give the same bits.
 */
#ifndef SPACY_LAL_MAXPLUS_H
#define SPACY_LAL_MAXPLUS_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define MAXPLUS_PAD 8 /* kernels may read and write a row up to a multiple of this many floats past its start */

#if defined(__x86_64__) || defined(_M_X64)
#define MAXPLUS_X86 1
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define MAXPLUS_NEON 1
#include <arm_neon.h>
#endif

#if defined(MAXPLUS_X86) && (defined(__GNUC__) || defined(__clang__))
#define MAXPLUS_HAS_AVX2 1
#endif

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

/* What every machine of the platform has. */
#define KERNEL(name) maxplus_##name##_base
#define TARGET
#if defined(MAXPLUS_X86)
#define LANES 4
#define VEC __m128
#define LOAD(p) _mm_loadu_ps(p)
#define STORE(p, v) _mm_storeu_ps(p, v)
#define SET(c) _mm_set1_ps(c)
#define ADD(a, b) _mm_add_ps(a, b)
#define SUB(a, b) _mm_sub_ps(a, b)
#define MAX(a, b) _mm_max_ps(a, b)
#elif defined(MAXPLUS_NEON)
#define LANES 4
#define VEC float32x4_t
#define LOAD(p) vld1q_f32(p)
#define STORE(p, v) vst1q_f32(p, v)
#define SET(c) vdupq_n_f32(c)
#define ADD(a, b) vaddq_f32(a, b)
#define SUB(a, b) vsubq_f32(a, b)
#define MAX(a, b) vbslq_f32(vcgtq_f32(a, b), a, b)
#else
#define LANES 1
#define VEC float
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define SET(c) (c)
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#include "maxplus_kernels.h"

#if defined(MAXPLUS_HAS_AVX2)
#define KERNEL(name) maxplus_##name##_avx2
#define TARGET __attribute__((target("avx2")))
#define LANES 8
#define VEC __m256
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define SET(c) _mm256_set1_ps(c)
#define ADD(a, b) _mm256_add_ps(a, b)
#define SUB(a, b) _mm256_sub_ps(a, b)
#define MAX(a, b) _mm256_max_ps(a, b)
#include "maxplus_kernels.h"
#endif

/* The fastest kernels that this machine can run. The environment variable SPACY_LAL_PLAIN_KERNELS, where it is set, asks
 * for what every machine has: for tests and benchmarks. */
static MaxPlus maxplus_kernels(void) {
    const MaxPlus base = {maxplus_rows_base, maxplus_product_base, maxplus_shift_base, maxplus_dot_base,
                          maxplus_row_max_base};
#if defined(MAXPLUS_HAS_AVX2)
    const MaxPlus avx2 = {maxplus_rows_avx2, maxplus_product_avx2, maxplus_shift_avx2, maxplus_dot_avx2,
                          maxplus_row_max_avx2};
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && getenv("SPACY_LAL_PLAIN_KERNELS") == NULL) return avx2;
#endif
    return base;
}

#endif
