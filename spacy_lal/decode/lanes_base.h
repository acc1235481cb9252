/* The baseline of the platform: SSE2 on x86-64, NEON on aarch64, else plain floats. See lanes.h. */
#define TARGET
#if defined(LANES_X86)
#define LANES 4
#define VEC __m128
#define LOAD(p) _mm_loadu_ps(p)
#define STORE(p, v) _mm_storeu_ps(p, v)
#define SET(c) _mm_set1_ps(c)
#define ADD(a, b) _mm_add_ps(a, b)
#define SUB(a, b) _mm_sub_ps(a, b)
#define MUL(a, b) _mm_mul_ps(a, b)
#define MAX(a, b) _mm_max_ps(a, b)
#elif defined(LANES_NEON)
#define LANES 4
#define VEC float32x4_t
#define LOAD(p) vld1q_f32(p)
#define STORE(p, v) vst1q_f32(p, v)
#define SET(c) vdupq_n_f32(c)
#define ADD(a, b) vaddq_f32(a, b)
#define SUB(a, b) vsubq_f32(a, b)
#define MUL(a, b) vmulq_f32(a, b)
#define MAX(a, b) vbslq_f32(vcgtq_f32(a, b), a, b)
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
