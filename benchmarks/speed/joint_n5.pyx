# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The joint decoder as its recurrence is written (docs/explanation/parser.md, Decoding): O(n^5), five nested loops.

What `spacy_lal.decode.joint` is measured against, and nothing else: its scores must be equal, its trees may differ in
the binarisation of flat nodes. benchmarks/speed/decode.py compiles it.
"""

import numpy as np

from libc.math cimport INFINITY


def joint_n5(const float[:, :, ::1] labels, const float[:, ::1] arcs):
    """labels (n + 1, n + 1, n_labels), arcs (n + 1, n + 1) -> score, spans (2n - 1, 3), heads (n + 1,)."""
    cdef int n = labels.shape[0] - 1
    shape = (n + 1, n + 1, n + 1)
    one_array = np.full(shape, -np.inf, dtype=np.float32)
    mul_array = np.full(shape, -np.inf, dtype=np.float32)
    split_array = np.zeros(shape, dtype=np.int32)
    child_array = np.zeros(shape, dtype=np.int32)
    label_array = np.zeros((n + 1, n + 1, 2), dtype=np.int32)
    cdef float[:, :, ::1] one = one_array, mul = mul_array
    cdef int[:, :, ::1] split = split_array, child = child_array
    cdef int[:, :, ::1] label = label_array
    with nogil:
        fill(n, labels, arcs, one, mul, split, child, label)
    root_scores = one_array[0, n] + np.asarray(arcs)[:, 0]
    root = int(np.argmax(root_scores))
    score = float(root_scores[root])
    spans, heads, stack = [], np.zeros(n + 1, dtype=np.int32), [(0, n, root, 1)]
    while stack:
        i, j, h, kind = stack.pop()
        spans.append((i, j, label_array[i, j, 0 if j - i == 1 else kind]))
        if j - i > 1:
            k, g = split_array[i, j, h], child_array[i, j, h]
            heads[g] = h
            left, right = (g, h) if h > k else (h, g)
            stack += [(k, j, right, int(right == g)), (i, k, left, int(left == g))]
    return score, np.array(spans, dtype=np.int32), heads


cdef void fill(
    int n,
    const float[:, :, ::1] labels,
    const float[:, ::1] arcs,
    float[:, :, ::1] one,
    float[:, :, ::1] mul,
    int[:, :, ::1] split,
    int[:, :, ::1] child,
    int[:, :, ::1] label,
) noexcept nogil:
    cdef int m, i, j, h, k, g, y, y1, best_k, best_g
    cdef float s1, s0, value, best
    cdef int n_labels = labels.shape[2]
    for m in range(1, n + 1):
        for i in range(n - m + 1):
            j = i + m
            y1 = 2 if m == 1 or m == n else 1
            s1 = labels[i, j, y1]
            for y in range(y1 + 1, n_labels):
                if labels[i, j, y] > s1:
                    s1 = labels[i, j, y]
                    y1 = y
            s0 = labels[i, j, 0]
            label[i, j, 1] = y1
            if m == 1:
                label[i, j, 0] = y1 if s1 > s0 else 0
                one[i, j, j] = s1
                mul[i, j, j] = max(s1, s0)
                continue
            label[i, j, 0] = 0 if s1 < s0 else y1
            for h in range(i + 1, j + 1):
                best = -INFINITY
                best_k = best_g = 0
                for k in range(i + 1, h):
                    for g in range(i + 1, k + 1):
                        value = (mul[i, k, g] if k - i == 1 else one[i, k, g]) + mul[k, j, h] + arcs[g, h]
                        if value > best:
                            best = value
                            best_k = k
                            best_g = g
                for k in range(h, j):
                    for g in range(k + 1, j + 1):
                        value = (mul[k, j, g] if j - k == 1 else one[k, j, g]) + mul[i, k, h] + arcs[g, h]
                        if value > best:
                            best = value
                            best_k = k
                            best_g = g
                one[i, j, h] = best + s1
                mul[i, j, h] = best + max(s1, s0)
                split[i, j, h] = best_k
                child[i, j, h] = best_g
