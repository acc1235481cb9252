"""The label scores of one span, with or without a margin, for `cky` and `joint`.

The margin is first subtracted from the gold label, then added to every label: in this order, for the rounding of the
authors' decoder.
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
    """The score of a node with label y."""
    return (row[y] - margin if y == gold_label else row[y]) + margin
