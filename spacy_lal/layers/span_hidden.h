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

#include "../decode/lanes.h"

/* What is added to each difference, and the norm's parameters; width floats each. */
typedef struct {
    const float *bias, *gain, *shift;
    float epsilon;
    size_t width;
} SpanNorm;

typedef void (*SpanHidden)(float *out, const float *start, const float *end, const SpanNorm *norm);

#define KERNEL span_hidden_base
#include "../decode/lanes_base.h"
#include "span_hidden_kernel.h"
#include "../decode/lanes_end.h"

#if defined(LANES_HAS_AVX2)
#define KERNEL span_hidden_avx2
#include "../decode/lanes_avx2.h"
#include "span_hidden_kernel.h"
#include "../decode/lanes_end.h"
#endif

/* The fastest kernel that this machine can run. */
static SpanHidden span_hidden_kernel(void) {
#if defined(LANES_HAS_AVX2)
    if (lanes_use_avx2()) return span_hidden_avx2;
#endif
    return span_hidden_base;
}

#endif
