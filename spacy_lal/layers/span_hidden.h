/* The hidden units of spans in one pass over memory: relu(gain * (d - mean(d)) / (std(d) + epsilon) + shift) with
 * d = end - start + bias. Done by torch, each step of it reads and writes the whole of a tensor of n^2 rows.
 *
 * span_hidden_kernel.h writes the kernel once, over a few operations of a vector type; it is compiled for what every
 * machine of the platform has (SSE2, NEON, else plain floats) and, on x86-64, for AVX2 as well. Which of them runs is
 * decided when the module is loaded. A row's numbers depend on nothing but the row.
 */
#ifndef SPACY_LAL_SPAN_HIDDEN_H
#define SPACY_LAL_SPAN_HIDDEN_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__x86_64__) || defined(_M_X64)
#define SPAN_HIDDEN_X86 1
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define SPAN_HIDDEN_NEON 1
#include <arm_neon.h>
#endif

#if defined(SPAN_HIDDEN_X86) && (defined(__GNUC__) || defined(__clang__))
#define SPAN_HIDDEN_HAS_AVX2 1
#endif

/* What is added to each difference, and the norm's parameters; width floats each. */
typedef struct {
    const float *bias, *gain, *shift;
    float epsilon;
    size_t width;
} SpanNorm;

typedef void (*SpanHidden)(float *out, const float *start, const float *end, const SpanNorm *norm);

#define KERNEL span_hidden_base
#define TARGET
#if defined(SPAN_HIDDEN_X86)
#define LANES 4
#define VEC __m128
#define LOAD(p) _mm_loadu_ps(p)
#define STORE(p, v) _mm_storeu_ps(p, v)
#define SET(c) _mm_set1_ps(c)
#define ADD(a, b) _mm_add_ps(a, b)
#define SUB(a, b) _mm_sub_ps(a, b)
#define MUL(a, b) _mm_mul_ps(a, b)
#define MAX(a, b) _mm_max_ps(a, b)
#elif defined(SPAN_HIDDEN_NEON)
#define LANES 4
#define VEC float32x4_t
#define LOAD(p) vld1q_f32(p)
#define STORE(p, v) vst1q_f32(p, v)
#define SET(c) vdupq_n_f32(c)
#define ADD(a, b) vaddq_f32(a, b)
#define SUB(a, b) vsubq_f32(a, b)
#define MUL(a, b) vmulq_f32(a, b)
#define MAX(a, b) vmaxq_f32(a, b)
#else
#define LANES 1
#define VEC float
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define SET(c) (c)
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#include "span_hidden_kernel.h"

#if defined(SPAN_HIDDEN_HAS_AVX2)
#define KERNEL span_hidden_avx2
#define TARGET __attribute__((target("avx2")))
#define LANES 8
#define VEC __m256
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, v) _mm256_storeu_ps(p, v)
#define SET(c) _mm256_set1_ps(c)
#define ADD(a, b) _mm256_add_ps(a, b)
#define SUB(a, b) _mm256_sub_ps(a, b)
#define MUL(a, b) _mm256_mul_ps(a, b)
#define MAX(a, b) _mm256_max_ps(a, b)
#include "span_hidden_kernel.h"
#endif

/* The fastest kernel that this machine can run; SPACY_LAL_PLAIN_KERNELS, where it is set, asks for the other. */
static SpanHidden span_hidden_kernel(void) {
#if defined(SPAN_HIDDEN_HAS_AVX2)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && getenv("SPACY_LAL_PLAIN_KERNELS") == NULL) return span_hidden_avx2;
#endif
    return span_hidden_base;
}

#endif
