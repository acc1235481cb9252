# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Constituency decoding over label scores alone: CKY on the tree's binarisation, exact, in O(n^3) (Stern et al. 2017).

Used in training, with a margin, and in pipelines that decode the dependency tree separately. It is not a joint decoder:
`<H>` (label 1) is treated like any other label.
Ties are broken as in the LAL parser's decoder (docs/explanation/parser.md, Decoding).
"""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

import numpy as np

from .checks import check_batch, check_gold, check_labels

from .label_row cimport find_label, label_score
from .maxplus cimport MaxPlus, maxplus_kernels

cdef MaxPlus KERNELS = maxplus_kernels()

cdef enum Status:
    DONE
    NO_MEMORY
    BAD_LABELS
    BAD_GOLD


cdef struct Sentence:
    int n
    int n_labels
    const float* labels  # (n + 1, n + 1, n_labels)
    const int* gold  # (n + 1, n + 1) or NULL
    float margin
    # The chart, in one allocation: the same values twice, so that both addends of a split are contiguous.
    float* by_start  # (n + 1, n + 1): value(i, j) at [i, j]
    float* by_end  # (n + 1, n + 1): value(i, j) at [j, i]
    int* stack  # (n + 1, 2)
    float* sums  # (n + 1,)


def cky(labels, *, gold=None, margin=0.0):
    """The constituency tree with the greatest sum of label scores over its binarisation (Stern et al. 2017).

    Every node of the binarised tree has one label. Label 0 is the empty label, which the root must not have. Given a
    list of arrays, decodes a batch.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels), float32; `labels[i, j]` are the scores of tokens[i:j]. Only i < j
        is read. At least two labels: the empty label and one for the root.
    gold (Optional[ndarray]): Shape: (n + 1, n + 1), int32. Gold label ids, for cost-augmented decoding.
    margin (float): Added to the score of each node, empty or not, whose label differs from gold.
    RETURNS (Tuple[float, ndarray]): The score, margins included; the nodes in pre-order, including nodes with
        label 0 (int32, shape (2n - 1, 3): start, end, label). A list of such pairs for a batch.
    RAISES (ValueError): On wrong types, dtypes or shapes, scores that are not finite, gold labels out of range.
    """
    if not isinstance(labels, (list, tuple)):
        return _decode(labels, gold, margin, "")
    check_batch(len(labels), gold=gold)
    golds = [None] * len(labels) if gold is None else gold
    return [_decode(one, golds[i], margin, f"[{i}]") for i, one in enumerate(labels)]


def _decode(labels, gold, margin, item):
    labels = check_labels(labels, "labels" + item, 2)
    n = labels.shape[0] - 1
    gold = check_gold(gold, margin, "gold" + item, n)
    spans = np.empty((max(2 * n - 1, 0), 3), dtype=np.int32)
    if n == 0:
        return 0.0, spans
    cdef const float[:, :, ::1] labels_view = labels
    cdef const int[:, ::1] gold_view = gold
    cdef int[:, ::1] spans_view = spans
    cdef Sentence sent
    cdef float score = 0.0
    cdef Status status
    sent.n = n
    sent.n_labels = labels_view.shape[2]
    sent.labels = &labels_view[0, 0, 0]
    sent.gold = NULL
    if gold is not None:
        sent.gold = &gold_view[0, 0]
    sent.margin = margin
    with nogil:
        status = decode_sentence(&sent, &spans_view[0, 0], &score)
    if status == NO_MEMORY:
        raise MemoryError(f"no memory for the chart of a sentence of {n} tokens")
    elif status == BAD_LABELS:
        raise ValueError(f"labels{item} must be finite")
    elif status == BAD_GOLD:
        raise ValueError(f"gold{item} must be label ids 0 to {labels.shape[2] - 1}")
    return score, spans


cdef Status decode_sentence(Sentence* sent, int* spans, float* score) noexcept nogil:
    cdef size_t side = sent.n + 1
    cdef Status status = NO_MEMORY
    cdef float* chart = <float*>malloc((2 * side * side + side) * sizeof(float))
    sent.stack = <int*>malloc(2 * side * sizeof(int))
    if chart != NULL and sent.stack != NULL:
        sent.by_start = chart
        sent.by_end = sent.by_start + side * side
        sent.sums = sent.by_end + side * side
        status = read_labels(sent)
        if status == DONE:
            fill_chart(sent)
            recover(sent, spans)
            score[0] = sum_scores(sent, spans)
    free(chart)
    free(sent.stack)
    return status


cdef inline int first_label(const Sentence* sent, int start, int end) noexcept nogil:
    # The root has a label.
    return 1 if end - start == sent.n else 0


cdef inline int gold_at(const Sentence* sent, size_t cell) noexcept nogil:
    return -1 if sent.gold == NULL else sent.gold[cell]


cdef Status read_labels(Sentence* sent) noexcept nogil:
    """s*(i, j) = max_y L[i, j, y], stored at value(i, j)."""
    cdef int i, j, gold_label
    cdef size_t cell
    cdef const float* row
    cdef float best, residue = 0.0
    for i in range(sent.n):
        cell = <size_t>i * (sent.n + 1) + i + 1
        row = sent.labels + cell * sent.n_labels
        residue += KERNELS.row_max(sent.by_start + cell, row + 1, sent.n_labels, sent.n - i, sent.n_labels - 1)
        for j in range(i + 1, sent.n + 1):
            residue += row[0] - row[0]
            gold_label = gold_at(sent, cell)
            best = sent.by_start[cell]
            if sent.gold != NULL:
                if gold_label < 0 or gold_label >= sent.n_labels:
                    return BAD_GOLD
                if gold_label > 0 and row[gold_label] >= best:
                    find_label(row, 1, sent.n_labels, gold_label, sent.margin, &best)
                best += sent.margin
            if first_label(sent, i, j) == 0:
                best = max(best, label_score(row, 0, gold_label, sent.margin))
            sent.by_start[cell] = best
            cell += 1
            row += sent.n_labels
    return DONE if residue == 0.0 else BAD_LABELS


cdef void fill_chart(Sentence* sent) noexcept nogil:
    """value(i, j) = s*(i, j) + max_k value(i, k) + value(k, j);  value(i, i + 1) = s*(i, i + 1)."""
    cdef int i, j
    cdef size_t side = sent.n + 1
    cdef float value
    for j in range(1, sent.n + 1):
        for i in range(j - 1, -1, -1):
            value = sent.by_start[i * side + j]
            if j - i > 1:
                value += KERNELS.dot(sent.by_start + i * side + i + 1, sent.by_end + j * side + i + 1, j - i - 1)
            sent.by_start[i * side + j] = value
            sent.by_end[j * side + i] = value


cdef int find_split(const Sentence* sent, int i, int j) noexcept nogil:
    """The first k of max_k value(i, k) + value(k, j)."""
    cdef int k, best_k = i + 1
    cdef size_t side = sent.n + 1
    cdef float value, best = -INFINITY
    for k in range(i + 1, j):
        value = sent.by_start[i * side + k] + sent.by_end[j * side + k]
        if value > best:
            best = value
            best_k = k
    return best_k


cdef int choose_label(const Sentence* sent, int i, int j) noexcept nogil:
    """The lowest y of s*(i, j)."""
    cdef size_t cell = <size_t>i * (sent.n + 1) + j
    cdef const float* row = sent.labels + cell * sent.n_labels
    cdef float best
    return find_label(row, first_label(sent, i, j), sent.n_labels, gold_at(sent, cell), sent.margin, &best)


cdef void recover(Sentence* sent, int* spans) noexcept nogil:
    """Walk the best tree from its root, in pre-order."""
    cdef int start, end, k, i = 0, depth = 1
    sent.stack[0], sent.stack[1] = 0, sent.n
    while depth > 0:
        depth -= 1
        start, end = sent.stack[2 * depth], sent.stack[2 * depth + 1]
        spans[3 * i], spans[3 * i + 1], spans[3 * i + 2] = start, end, choose_label(sent, start, end)
        i += 1
        if end - start > 1:
            k = find_split(sent, start, end)
            sent.stack[2 * depth], sent.stack[2 * depth + 1] = k, end
            sent.stack[2 * depth + 2], sent.stack[2 * depth + 3] = start, k
            depth += 2


cdef float sum_scores(const Sentence* sent, const int* spans) noexcept nogil:
    """The score of the best tree, in float32 and in the order of the authors' decoder.

    The authors' decoder maximises value(i, k) + value(k, j) but then adds (s* + value(i, k)) + value(k, j), which may
    round differently. This sum along the tree has the same bits.
    """
    cdef int i, start, end, y, depth = 0
    cdef size_t cell
    cdef float value
    for i in range(2 * sent.n - 2, -1, -1):
        start, end, y = spans[3 * i], spans[3 * i + 1], spans[3 * i + 2]
        cell = <size_t>start * (sent.n + 1) + end
        value = label_score(sent.labels + cell * sent.n_labels, y, gold_at(sent, cell), sent.margin)
        if end - start == 1:
            depth += 1
        else:
            depth -= 1
            value = (value + sent.sums[depth]) + sent.sums[depth - 1]
        sent.sums[depth - 1] = value
    return sent.sums[0]
