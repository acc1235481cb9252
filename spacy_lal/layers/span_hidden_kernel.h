/* The kernel of span_hidden.h for one vector type: KERNEL, TARGET, LANES, VEC, LOAD, STORE, SET, ADD, SUB, MUL, MAX are
 * given (lanes.h). Included once for each type, hence without a guard.
 *
 * Three passes over a row, which lies in the first cache. Four sums side by side hide the time that an addition takes.
 */

TARGET static void KERNEL(float *out, const float *start, const float *end, const SpanNorm *norm) {
    const size_t width = norm->width, step = 4 * LANES, whole = width - width % step;
    const float *bias = norm->bias, *gain = norm->gain, *shift = norm->shift;
    VEC sums[4] = {SET(0.0f), SET(0.0f), SET(0.0f), SET(0.0f)}, center, scale, zero = SET(0.0f);
    float lanes[LANES], sum = 0.0f, mean, factor;
    size_t t;
    int v;
    for (t = 0; t < whole; t += step)
        for (v = 0; v < 4; v++) {
            const size_t k = t + v * LANES;
            const VEC d = ADD(SUB(LOAD(end + k), LOAD(start + k)), LOAD(bias + k));
            STORE(out + k, d);
            sums[v] = ADD(sums[v], d);
        }
    for (; t < width; t++) sum += out[t] = end[t] - start[t] + bias[t];
    STORE(lanes, ADD(ADD(sums[0], sums[1]), ADD(sums[2], sums[3])));
    for (v = 0; v < LANES; v++) sum += lanes[v];
    mean = sum / (float)width;
    center = SET(mean);
    sum = 0.0f;
    for (v = 0; v < 4; v++) sums[v] = zero;
    for (t = 0; t < whole; t += step)
        for (v = 0; v < 4; v++) {
            const size_t k = t + v * LANES;
            const VEC d = SUB(LOAD(out + k), center);
            STORE(out + k, d);
            sums[v] = ADD(sums[v], MUL(d, d));
        }
    for (; t < width; t++) {
        out[t] -= mean;
        sum += out[t] * out[t];
    }
    STORE(lanes, ADD(ADD(sums[0], sums[1]), ADD(sums[2], sums[3])));
    for (v = 0; v < LANES; v++) sum += lanes[v];
    factor = 1.0f / (sqrtf(sum / (float)(width - 1)) + norm->epsilon);
    scale = SET(factor);
    for (t = 0; t < whole; t += LANES)
        STORE(out + t, MAX(ADD(MUL(MUL(LOAD(out + t), scale), LOAD(gain + t)), LOAD(shift + t)), zero));
    for (; t < width; t++) {
        const float unit = out[t] * factor * gain[t] + shift[t];
        out[t] = unit > 0.0f ? unit : 0.0f;
    }
}
