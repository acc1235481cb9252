/* Vectors of floats: the available types, and a test of which ones this machine can run.
 *
 * A kernel is written once, over LANES, VEC and a few operations, and included once for each type, between the header
 * that defines them (lanes_base.h, lanes_avx2.h) and lanes_end.h, which undefines them. TARGET precedes its functions.
 */
#ifndef SPACY_LAL_LANES_H
#define SPACY_LAL_LANES_H

#include <stdlib.h>

#if defined(__x86_64__) || defined(_M_X64)
#define LANES_X86 1
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define LANES_NEON 1
#include <arm_neon.h>
#endif

#if defined(LANES_X86) && (defined(__GNUC__) || defined(__clang__))
#define LANES_HAS_AVX2 1

/* If the environment variable SPACY_LAL_PLAIN_KERNELS is set, the baseline type runs: for tests and benchmarks. */
static int lanes_use_avx2(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && getenv("SPACY_LAL_PLAIN_KERNELS") == NULL;
}
#endif

#endif
