/* The kernels of maxplus.h for one vector type: KERNEL, TARGET, LANES, VEC, LOAD, STORE, SET, ADD, SUB, MAX are given
 * (lanes.h). Included once for each type, hence without a guard.
 *
 * LANES divides MAXPLUS_PAD.
 */

/* `n_vectors` is a constant wherever these are inlined: their loops over v vanish, and `best` stays in registers. */
TARGET MAXPLUS_INLINE void KERNEL(rows_block)(float *MAXPLUS_RESTRICT out, const float *MAXPLUS_RESTRICT P,
                                              size_t p_stride, const float *MAXPLUS_RESTRICT Q, size_t q_stride,
                                              size_t n_rows, const int n_vectors) {
    VEC best[4];
    int v;
    for (v = 0; v < n_vectors; v++) best[v] = SET(-INFINITY);
    for (size_t k = 0; k < n_rows; k++, P += p_stride, Q += q_stride)
        for (v = 0; v < n_vectors; v++) best[v] = MAX(ADD(LOAD(P + v * LANES), LOAD(Q + v * LANES)), best[v]);
    for (v = 0; v < n_vectors; v++) STORE(out + v * LANES, best[v]);
}

TARGET static void KERNEL(rows)(float *out, const float *P, size_t p_stride, const float *Q, size_t q_stride,
                                size_t n_rows, size_t width) {
    size_t t = 0;
    for (; t + 3 * LANES < width; t += 4 * LANES) KERNEL(rows_block)(out + t, P + t, p_stride, Q + t, q_stride, n_rows, 4);
    if (t + 2 * LANES < width)
        KERNEL(rows_block)(out + t, P + t, p_stride, Q + t, q_stride, n_rows, 3);
    else if (t + LANES < width)
        KERNEL(rows_block)(out + t, P + t, p_stride, Q + t, q_stride, n_rows, 2);
    else if (t < width)
        KERNEL(rows_block)(out + t, P + t, p_stride, Q + t, q_stride, n_rows, 1);
}

TARGET MAXPLUS_INLINE void KERNEL(product_block)(float *MAXPLUS_RESTRICT out, const float *MAXPLUS_RESTRICT x,
                                                 const float *MAXPLUS_RESTRICT M, size_t stride, size_t n_rows,
                                                 const int n_vectors) {
    VEC best[4];
    int v;
    for (v = 0; v < n_vectors; v++) best[v] = SET(-INFINITY);
    for (size_t k = 0; k < n_rows; k++, M += stride) {
        const VEC xk = SET(x[k]);
        for (v = 0; v < n_vectors; v++) best[v] = MAX(ADD(xk, LOAD(M + v * LANES)), best[v]);
    }
    for (v = 0; v < n_vectors; v++) STORE(out + v * LANES, best[v]);
}

TARGET static void KERNEL(product)(float *out, const float *x, const float *M, size_t stride, size_t n_rows,
                                   size_t width) {
    size_t t = 0;
    for (; t + 3 * LANES < width; t += 4 * LANES) KERNEL(product_block)(out + t, x, M + t, stride, n_rows, 4);
    if (t + 2 * LANES < width)
        KERNEL(product_block)(out + t, x, M + t, stride, n_rows, 3);
    else if (t + LANES < width)
        KERNEL(product_block)(out + t, x, M + t, stride, n_rows, 2);
    else if (t < width)
        KERNEL(product_block)(out + t, x, M + t, stride, n_rows, 1);
}

TARGET static void KERNEL(shift)(float *MAXPLUS_RESTRICT out, const float *MAXPLUS_RESTRICT x, float c, size_t width) {
    const VEC all = SET(c);
    for (size_t t = 0; t < width; t += LANES) STORE(out + t, ADD(LOAD(x + t), all));
}

TARGET static inline float KERNEL(across)(VEC v) {
    float lanes[LANES];
    float best;
    STORE(lanes, v);
    best = lanes[0];
    for (int t = 1; t < LANES; t++) best = lanes[t] > best ? lanes[t] : best;
    return best;
}

TARGET static float KERNEL(dot)(const float *x, const float *y, size_t n) {
    float best = -INFINITY;
    size_t k = 0;
    if (n >= LANES) {
        VEC a = SET(-INFINITY), b = a;
        for (; k + 2 * LANES <= n; k += 2 * LANES) {
            a = MAX(ADD(LOAD(x + k), LOAD(y + k)), a);
            b = MAX(ADD(LOAD(x + k + LANES), LOAD(y + k + LANES)), b);
        }
        if (k + LANES <= n) a = MAX(ADD(LOAD(x + k), LOAD(y + k)), a);
        /* The last vector may overlap the one before. */
        b = MAX(ADD(LOAD(x + n - LANES), LOAD(y + n - LANES)), b);
        return KERNEL(across)(MAX(a, b));
    }
    for (; k < n; k++) {
        const float value = x[k] + y[k];
        best = value > best ? value : best;
    }
    return best;
}

TARGET static float KERNEL(row_max)(float *out, const float *X, size_t stride, size_t n_rows, size_t width) {
    /* x - x is 0 for a finite x only. */
    VEC rest = SET(0.0f), rest2 = rest;
    float lanes[LANES];
    float sum = 0.0f;
    for (size_t i = 0; i < n_rows; i++, X += stride) {
        size_t k = 0;
        if (width >= LANES) {
            VEC a = SET(-INFINITY), b = a, v;
            for (; k + 2 * LANES <= width; k += 2 * LANES) {
                v = LOAD(X + k);
                a = MAX(v, a);
                rest = ADD(SUB(v, v), rest);
                v = LOAD(X + k + LANES);
                b = MAX(v, b);
                rest2 = ADD(SUB(v, v), rest2);
            }
            if (k + LANES <= width) {
                v = LOAD(X + k);
                a = MAX(v, a);
                rest = ADD(SUB(v, v), rest);
            }
            v = LOAD(X + width - LANES); /* may overlap the one before */
            b = MAX(v, b);
            rest2 = ADD(SUB(v, v), rest2);
            out[i] = KERNEL(across)(MAX(a, b));
        } else {
            float best = -INFINITY;
            for (; k < width; k++) {
                best = X[k] > best ? X[k] : best;
                sum += X[k] - X[k];
            }
            out[i] = best;
        }
    }
    STORE(lanes, ADD(rest, rest2));
    for (int t = 0; t < LANES; t++) sum += lanes[t];
    return sum;
}
