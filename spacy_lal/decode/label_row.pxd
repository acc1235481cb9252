"""The label scores of one span, with or without a margin: what `cky` and `joint` share.

With a margin, the gold label first loses it, then every label gains it: in this order, as the authors' decoder rounds.
Without gold, `gold_label` is -1 and the margin 0.
"""

from libc.math cimport INFINITY


cdef inline int find_label(
    const float* row, int low, int n_labels, int gold_label, float margin, float* best
) noexcept nogil:
    """The lowest y of max_{low <= y < n_labels} row[y] - (margin if y is gold), and that maximum."""
    cdef int y, best_y = low
    cdef float value
    best[0] = -INFINITY
    for y in range(low, n_labels):
        value = row[y] - margin if y == gold_label else row[y]
        if value > best[0]:
            best[0] = value
            best_y = y
    return best_y


cdef inline float label_score(const float* row, int y, int gold_label, float margin) noexcept nogil:
    """What a node scores with label y."""
    return (row[y] - margin if y == gold_label else row[y]) + margin
