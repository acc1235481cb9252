# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Projective dependency decoding, exact, in O(n^3) (Eisner 1996), with a single root.

The root is not a word of the chart: the best tree is found for every top word, then the root chooses one of them.
Hence exactly one word depends on it. Among trees with equal scores, the first splits win.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

import numpy as np

from .checks import check_arcs

from .maxplus cimport MaxPlus, maxplus_kernels

cdef MaxPlus KERNELS = maxplus_kernels()

cdef enum Status:
    DONE
    NO_MEMORY
    BAD_ARCS


cdef enum Kind:
    COMPLETE
    INCOMPLETE


cdef struct Item:
    Kind kind
    int head
    int far  # the other end, left or right of the head


cdef struct Sentence:
    # Words are numbered from 0. Each table is (n, n); a complete item is stored in two of them, so that both addends
    # of any split are contiguous.
    int n
    const float* arcs  # (n + 1, n + 1), [dependent, head], root first
    float* by_head  # complete(h, j) at [h, j]: h governs all words from h to j, on either side
    float* by_end  # complete(h, j) at [j, h]
    float* incomplete  # incomplete(h, d) at [h, d]: h governs d, and either governs each word between
    Item* stack  # (2n,)


def eisner(arcs):
    """The projective dependency tree with the greatest sum of arc scores and one dependent of the root (Eisner 1996).

    Given a list of arrays, decodes a batch.

    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head], float32; index 0 is the root. Row 0 and the diagonal are
        not read.
    RETURNS (ndarray): int32, shape (n + 1,): the head of each word, 0 for the root; heads[0] = 0. A list for a batch.
    RAISES (ValueError): On a wrong type, dtype or shape, or scores that are not finite.
    """
    if not isinstance(arcs, (list, tuple)):
        return _decode(arcs, "")
    return [_decode(one, f"[{i}]") for i, one in enumerate(arcs)]


def _decode(arcs, item):
    arcs = check_arcs(arcs, "arcs" + item)
    heads = np.zeros(arcs.shape[0], dtype=np.int32)
    cdef const float[:, ::1] arcs_view = arcs
    cdef int[::1] heads_view = heads
    cdef Sentence sent
    cdef Status status
    sent.n = arcs_view.shape[0] - 1
    if sent.n == 0:
        return heads
    sent.arcs = &arcs_view[0, 0]
    with nogil:
        status = decode_sentence(&sent, &heads_view[0])
    if status == NO_MEMORY:
        raise MemoryError(f"no memory for the chart of a sentence of {sent.n} tokens")
    elif status == BAD_ARCS:
        raise ValueError(f"arcs{item} must be finite")
    return heads


cdef Status decode_sentence(Sentence* sent, int* heads) noexcept nogil:
    cdef size_t n = sent.n
    cdef Status status = NO_MEMORY
    cdef float* chart = <float*>malloc(3 * n * n * sizeof(float))
    sent.stack = <Item*>malloc(2 * n * sizeof(Item))
    if chart != NULL and sent.stack != NULL:
        sent.by_head = chart
        sent.by_end = sent.by_head + n * n
        sent.incomplete = sent.by_end + n * n
        status = check_finite(sent)
        if status == DONE:
            fill_chart(sent)
            recover(sent, heads)
    free(chart)
    free(sent.stack)
    return status


cdef Status check_finite(const Sentence* sent) noexcept nogil:
    cdef int d, n = sent.n
    cdef const float* row
    cdef float unused, residue = 0.0
    for d in range(1, n + 1):
        row = sent.arcs + <size_t>d * (n + 1)
        residue += KERNELS.row_max(&unused, row, n + 1, 1, d)  # the diagonal is not an arc
        residue += KERNELS.row_max(&unused, row + d + 1, n + 1, 1, n - d)
    return DONE if residue == 0.0 else BAD_ARCS


cdef inline float arc(const Sentence* sent, int head, int dependent) noexcept nogil:
    return sent.arcs[<size_t>(dependent + 1) * (sent.n + 1) + head + 1]


cdef void fill_chart(Sentence* sent) noexcept nogil:
    """COMPLETE(h, h) = 0, and for i < j, i <= k < j (Eisner 1996; C = COMPLETE, I = INCOMPLETE):

    I(i, j) = max_k C(i, k) + C(j, k + 1) + arc(i -> j);   I(j, i) = the same sum + arc(j -> i)
    C(i, j) = max_{i < k <= j} I(i, k) + C(k, j);          C(j, i) = max_{i <= k < j} C(k, i) + I(j, k)
    """
    cdef size_t n = sent.n
    cdef size_t i, j, width
    cdef float both, value
    for i in range(n):
        sent.by_head[i * n + i] = 0.0
        sent.by_end[i * n + i] = 0.0
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            both = KERNELS.dot(sent.by_head + i * n + i, sent.by_head + j * n + i + 1, width)
            sent.incomplete[i * n + j] = both + arc(sent, i, j)
            sent.incomplete[j * n + i] = both + arc(sent, j, i)
            value = KERNELS.dot(sent.incomplete + i * n + i + 1, sent.by_end + j * n + i + 1, width)
            sent.by_head[i * n + j] = value
            sent.by_end[j * n + i] = value
            value = KERNELS.dot(sent.by_end + i * n + i, sent.incomplete + j * n + i, width)
            sent.by_head[j * n + i] = value
            sent.by_end[i * n + j] = value


cdef size_t find_split(const float* x, const float* y, size_t n) noexcept nogil:
    """The first k of max_k x[k] + y[k]."""
    cdef size_t k, best_k = 0
    cdef float value, best = -INFINITY
    for k in range(n):
        value = x[k] + y[k]
        if value > best:
            best = value
            best_k = k
    return best_k


cdef void recover(Sentence* sent, int* heads) noexcept nogil:
    """Walk the best tree from its root: max_h C(h, 0) + C(h, n - 1) + arc(root -> h)."""
    cdef size_t n = sent.n
    cdef int h, i, j, k, depth = 2, root = 0
    cdef float value, best = -INFINITY
    cdef Item item
    for h in range(sent.n):
        value = (sent.by_head[h * n] + sent.by_head[h * n + n - 1]) + sent.arcs[(h + 1) * (n + 1)]
        if value > best:
            best = value
            root = h
    heads[root + 1] = 0
    sent.stack[0] = Item(COMPLETE, root, 0)
    sent.stack[1] = Item(COMPLETE, root, sent.n - 1)
    while depth > 0:
        depth -= 1
        item = sent.stack[depth]
        if item.head == item.far:
            continue
        i, j = min(item.head, item.far), max(item.head, item.far)
        if item.kind == INCOMPLETE:
            heads[item.far + 1] = item.head + 1
            k = i + find_split(sent.by_head + i * n + i, sent.by_head + j * n + i + 1, j - i)
            sent.stack[depth] = Item(COMPLETE, i, k)
            sent.stack[depth + 1] = Item(COMPLETE, j, k + 1)
        elif item.head == i:
            k = i + 1 + find_split(sent.incomplete + i * n + i + 1, sent.by_end + j * n + i + 1, j - i)
            sent.stack[depth] = Item(INCOMPLETE, i, k)
            sent.stack[depth + 1] = Item(COMPLETE, k, j)
        else:
            k = i + find_split(sent.by_end + i * n + i, sent.incomplete + j * n + i, j - i)
            sent.stack[depth] = Item(COMPLETE, k, i)
            sent.stack[depth + 1] = Item(INCOMPLETE, j, k)
        depth += 2
