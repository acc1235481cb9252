/* AVX2, for machines that have it. See lanes.h. */
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
