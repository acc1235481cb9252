/* Max-plus kernels: the inner loops of the decoders, nothing else.
 *
 * Each kernel is written once, as plain C that a compiler vectorises at -O3, and compiled twice where the machine may be
 * any x86-64: for the baseline (SSE2) and for AVX2, chosen when the module is loaded. Elsewhere (aarch64, MSVC) the one
 * plain version serves. There is no fast-math: every sum is the single float32 addition that is written here, so that both
 * versions give the same bits.
 *
 * The maxima are kept without their arguments. A decoder looks the arguments up again for the few cells of the best tree,
 * which leaves `max(a, b)` alone in the loop that runs n^4 times.
 */
#ifndef SPACY_LAL_MAXPLUS_H
#define SPACY_LAL_MAXPLUS_H

#include <math.h>
#include <stddef.h>

#define MAXPLUS_LANES 8 /* floats in an AVX2 register; rows must be readable and writable up to a multiple of this */

#if defined(__GNUC__) || defined(__clang__)
#define MAXPLUS_INLINE static inline __attribute__((always_inline))
#define MAXPLUS_RESTRICT __restrict__
#elif defined(_MSC_VER)
#define MAXPLUS_INLINE static __forceinline
#define MAXPLUS_RESTRICT __restrict
#else
#define MAXPLUS_INLINE static inline
#define MAXPLUS_RESTRICT
#endif

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define MAXPLUS_HAS_AVX2 1
#else
#define MAXPLUS_HAS_AVX2 0
#endif

/* `a > b ? a : b` and not fmaxf: this is what the max instruction of x86 computes, fmaxf is not. */
#define MAXPLUS_MAX(a, b) ((a) > (b) ? (a) : (b))

/* out[t] = max_k P[k * stride + t] + Q[k * stride + t], t < width. `width` is a constant after inlining. */
MAXPLUS_INLINE void maxplus_rows_block(float *MAXPLUS_RESTRICT out, const float *MAXPLUS_RESTRICT P,
                                       const float *MAXPLUS_RESTRICT Q, size_t stride, size_t n_rows, const size_t width) {
    float best[4 * MAXPLUS_LANES];
    for (size_t t = 0; t < width; t++) best[t] = -INFINITY;
    for (size_t k = 0; k < n_rows; k++) {
        for (size_t t = 0; t < width; t++) {
            const float value = P[t] + Q[t];
            best[t] = MAXPLUS_MAX(value, best[t]);
        }
        P += stride;
        Q += stride;
    }
    for (size_t t = 0; t < width; t++) out[t] = best[t];
}

MAXPLUS_INLINE void maxplus_rows_any(float *out, const float *P, const float *Q, size_t stride, size_t n_rows,
                                     size_t width) {
    size_t t = 0;
    for (; t + 3 * MAXPLUS_LANES < width; t += 4 * MAXPLUS_LANES)
        maxplus_rows_block(out + t, P + t, Q + t, stride, n_rows, 4 * MAXPLUS_LANES);
    if (t + 2 * MAXPLUS_LANES < width)
        maxplus_rows_block(out + t, P + t, Q + t, stride, n_rows, 3 * MAXPLUS_LANES);
    else if (t + MAXPLUS_LANES < width)
        maxplus_rows_block(out + t, P + t, Q + t, stride, n_rows, 2 * MAXPLUS_LANES);
    else if (t < width)
        maxplus_rows_block(out + t, P + t, Q + t, stride, n_rows, MAXPLUS_LANES);
}

/* out[t] = max_k x[k] + M[k * stride + t], t < width. */
MAXPLUS_INLINE void maxplus_product_block(float *MAXPLUS_RESTRICT out, const float *MAXPLUS_RESTRICT x,
                                          const float *MAXPLUS_RESTRICT M, size_t stride, size_t n_rows,
                                          const size_t width) {
    float best[4 * MAXPLUS_LANES];
    for (size_t t = 0; t < width; t++) best[t] = -INFINITY;
    for (size_t k = 0; k < n_rows; k++) {
        const float xk = x[k];
        for (size_t t = 0; t < width; t++) {
            const float value = xk + M[t];
            best[t] = MAXPLUS_MAX(value, best[t]);
        }
        M += stride;
    }
    for (size_t t = 0; t < width; t++) out[t] = best[t];
}

MAXPLUS_INLINE void maxplus_product_any(float *out, const float *x, const float *M, size_t stride, size_t n_rows,
                                        size_t width) {
    size_t t = 0;
    for (; t + 3 * MAXPLUS_LANES < width; t += 4 * MAXPLUS_LANES)
        maxplus_product_block(out + t, x, M + t, stride, n_rows, 4 * MAXPLUS_LANES);
    if (t + 2 * MAXPLUS_LANES < width)
        maxplus_product_block(out + t, x, M + t, stride, n_rows, 3 * MAXPLUS_LANES);
    else if (t + MAXPLUS_LANES < width)
        maxplus_product_block(out + t, x, M + t, stride, n_rows, 2 * MAXPLUS_LANES);
    else if (t < width)
        maxplus_product_block(out + t, x, M + t, stride, n_rows, MAXPLUS_LANES);
}

/* max_k x[k] + y[k], k < n; -inf where n is 0. */
MAXPLUS_INLINE float maxplus_dot_any(const float *MAXPLUS_RESTRICT x, const float *MAXPLUS_RESTRICT y, size_t n) {
    float best[2 * MAXPLUS_LANES];
    float result = -INFINITY;
    size_t k = 0;
    for (size_t t = 0; t < 2 * MAXPLUS_LANES; t++) best[t] = -INFINITY;
    for (; k + 2 * MAXPLUS_LANES <= n; k += 2 * MAXPLUS_LANES) {
        for (size_t t = 0; t < 2 * MAXPLUS_LANES; t++) {
            const float value = x[k + t] + y[k + t];
            best[t] = MAXPLUS_MAX(value, best[t]);
        }
    }
    for (; k < n; k++) {
        const float value = x[k] + y[k];
        result = MAXPLUS_MAX(value, result);
    }
    for (size_t t = 0; t < 2 * MAXPLUS_LANES; t++) result = MAXPLUS_MAX(best[t], result);
    return result;
}

/* max_k x[k], k < n; -inf where n is 0. `*residue` becomes NaN if any x[k] is NaN or infinite, else it keeps its value:
 * x - x is 0 for a finite x only. */
MAXPLUS_INLINE float maxplus_max_any(const float *MAXPLUS_RESTRICT x, size_t n, float *MAXPLUS_RESTRICT residue) {
    float best[2 * MAXPLUS_LANES], rest[2 * MAXPLUS_LANES];
    float result = -INFINITY, sum = 0.0f;
    size_t k = 0;
    for (size_t t = 0; t < 2 * MAXPLUS_LANES; t++) {
        best[t] = -INFINITY;
        rest[t] = 0.0f;
    }
    for (; k + 2 * MAXPLUS_LANES <= n; k += 2 * MAXPLUS_LANES) {
        for (size_t t = 0; t < 2 * MAXPLUS_LANES; t++) {
            const float value = x[k + t];
            best[t] = MAXPLUS_MAX(value, best[t]);
            rest[t] += value - value;
        }
    }
    for (; k < n; k++) {
        result = MAXPLUS_MAX(x[k], result);
        sum += x[k] - x[k];
    }
    for (size_t t = 0; t < 2 * MAXPLUS_LANES; t++) {
        result = MAXPLUS_MAX(best[t], result);
        sum += rest[t];
    }
    *residue += sum;
    return result;
}

/* The baseline versions. */
static void maxplus_rows_base(float *out, const float *P, const float *Q, size_t stride, size_t n_rows, size_t width) {
    maxplus_rows_any(out, P, Q, stride, n_rows, width);
}
static void maxplus_product_base(float *out, const float *x, const float *M, size_t stride, size_t n_rows, size_t width) {
    maxplus_product_any(out, x, M, stride, n_rows, width);
}
static float maxplus_dot_base(const float *x, const float *y, size_t n) { return maxplus_dot_any(x, y, n); }
static float maxplus_max_base(const float *x, size_t n, float *residue) { return maxplus_max_any(x, n, residue); }

/* The AVX2 versions: the same text, inlined where the compiler may use the wider registers. */
#if MAXPLUS_HAS_AVX2
#define MAXPLUS_AVX2 __attribute__((target("avx2")))
MAXPLUS_AVX2 static void maxplus_rows_avx2(float *out, const float *P, const float *Q, size_t stride, size_t n_rows,
                                           size_t width) {
    maxplus_rows_any(out, P, Q, stride, n_rows, width);
}
MAXPLUS_AVX2 static void maxplus_product_avx2(float *out, const float *x, const float *M, size_t stride, size_t n_rows,
                                              size_t width) {
    maxplus_product_any(out, x, M, stride, n_rows, width);
}
MAXPLUS_AVX2 static float maxplus_dot_avx2(const float *x, const float *y, size_t n) { return maxplus_dot_any(x, y, n); }
MAXPLUS_AVX2 static float maxplus_max_avx2(const float *x, size_t n, float *residue) {
    return maxplus_max_any(x, n, residue);
}
#endif

typedef struct {
    void (*rows)(float *out, const float *P, const float *Q, size_t stride, size_t n_rows, size_t width);
    void (*product)(float *out, const float *x, const float *M, size_t stride, size_t n_rows, size_t width);
    float (*dot)(const float *x, const float *y, size_t n);
    float (*max)(const float *x, size_t n, float *residue);
} MaxPlus;

/* The fastest kernels that this machine can run; `baseline` asks for the plain ones (for tests). */
static MaxPlus maxplus_kernels(int baseline) {
    const MaxPlus base = {maxplus_rows_base, maxplus_product_base, maxplus_dot_base, maxplus_max_base};
#if MAXPLUS_HAS_AVX2
    const MaxPlus avx2 = {maxplus_rows_avx2, maxplus_product_avx2, maxplus_dot_avx2, maxplus_max_avx2};
    __builtin_cpu_init();
    if (!baseline && __builtin_cpu_supports("avx2")) return avx2;
#endif
    (void)baseline;
    return base;
}

#endif
