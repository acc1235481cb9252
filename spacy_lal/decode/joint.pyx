# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Joint decoding of a constituency and a dependency tree: head-lexicalised CKY (Zhou & Zhao 2019), exact, in O(n^4).

The authors' decoder takes O(n^5). The hook trick (Eisner & Satta 1999) attaches a dependent span to its head before it
looks for the head's own span: the choices of the dependent and of the split are separate.
Ties are broken as in the authors' decoder (docs/explanation/parser.md, Decoding).

Training does not use this decoder but `cky`, on labels alone.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from .checks import check_arcs, check_batch, check_gold, check_labels

from .joint_chart cimport Node, Sentence, first_label, gold_at, row_p, row_q, stride_p, stride_q
from .label_row cimport find_label, label_score
from .maxplus cimport MAXPLUS_PAD, MaxPlus, maxplus_kernels

cdef MaxPlus KERNELS = maxplus_kernels()

cdef enum Status:
    DONE
    NO_MEMORY
    BAD_LABELS
    BAD_ARCS
    BAD_GOLD


def joint(labels, arcs, *, gold=None, margin=0.0):
    """The best pair of a constituency tree and a dependency tree that agree (Zhou & Zhao 2019; Eisner & Satta 1999).

    Every constituent has a head word, and a dependency tree follows from the heads: projective, with a single root. The
    score of the pair is the sum of its label scores and its arc scores. Nodes on the path to a head, and leaves, may be
    empty (label 0); every other node has a label. Label 1, which only binds a head to its dependents, is for nodes
    between leaves and root. Given a list of arrays for each argument, decodes a batch.

    labels (ndarray): Shape: (n + 1, n + 1, n_labels), float32; `labels[i, j]` are the scores of tokens[i:j]. Only i < j
        is read. At least three labels: the empty label, label 1 and one for leaves and the root.
    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head], float32; index 0 is the root. Row 0 and the diagonal are
        not read.
    gold (Optional[ndarray]): Shape: (n + 1, n + 1), int32. Gold label ids, for cost-augmented decoding.
    margin (float): Added to the score of each node whose label differs from gold.
    RETURNS (Tuple[float, ndarray, ndarray]): The score, margins included; the nodes of the binarised tree in pre-order,
        including nodes with label 0 (int32, shape (2n - 1, 3): start, end, label); the heads (int32, shape (n + 1,),
        heads[0] = 0, where 0 is the root). A list of such tuples for a batch. With n = 1, as in the authors' decoder,
        the score counts the best non-empty label even if the node is empty.
    RAISES (ValueError): On wrong types, dtypes or shapes, scores that are not finite, gold labels out of range.
    """
    if not isinstance(labels, (list, tuple)):
        return _decode(labels, arcs, gold, margin, "")
    check_batch(len(labels), arcs=arcs, gold=gold)
    golds = [None] * len(labels) if gold is None else gold
    return [_decode(one, arcs[i], golds[i], margin, f"[{i}]") for i, one in enumerate(labels)]


def _decode(labels, arcs, gold, margin, item):
    labels = check_labels(labels, "labels" + item, 3)
    n = labels.shape[0] - 1
    arcs = check_arcs(arcs, "arcs" + item, n)
    gold = check_gold(gold, margin, "gold" + item, n)
    heads = np.zeros(n + 1, dtype=np.int32)
    spans = np.empty((max(2 * n - 1, 0), 3), dtype=np.int32)
    if n == 0:
        return 0.0, spans, heads
    cdef const float[:, :, ::1] labels_view = labels
    cdef const float[:, ::1] arcs_view = arcs
    cdef const int[:, ::1] gold_view = gold
    cdef int[:, ::1] spans_view = spans
    cdef int[::1] heads_view = heads
    cdef Sentence sent
    cdef float score = 0.0
    cdef Status status
    sent.n = n
    sent.n_labels = labels_view.shape[2]
    sent.labels = &labels_view[0, 0, 0]
    sent.arcs = &arcs_view[0, 0]
    sent.gold = NULL
    if gold is not None:
        sent.gold = &gold_view[0, 0]
    sent.margin = margin
    with nogil:
        status = decode_sentence(&sent, &spans_view[0, 0], &heads_view[0], &score)
    if status == NO_MEMORY:
        raise MemoryError(f"no memory for the chart of a sentence of {n} tokens")
    elif status == BAD_LABELS:
        raise ValueError(f"labels{item} must be finite")
    elif status == BAD_ARCS:
        raise ValueError(f"arcs{item} must be finite")
    elif status == BAD_GOLD:
        raise ValueError(f"gold{item} must be label ids 0 to {labels.shape[2] - 1}")
    return score, spans, heads


cdef Status decode_sentence(Sentence* sent, int* spans, int* heads, float* score) noexcept nogil:
    cdef size_t n = sent.n
    cdef size_t i, n_p = 0, n_q = 0
    cdef size_t cells = (n + 1) * (n + 1)
    cdef Status status = NO_MEMORY
    cdef float* chart = NULL
    sent.stride = n + MAXPLUS_PAD
    sent.stack = <Node*>malloc((n + 1) * sizeof(Node))
    sent.offset_p = <size_t*>malloc(2 * (n + 1) * sizeof(size_t))
    if sent.offset_p != NULL:
        sent.offset_q = sent.offset_p + n + 1
        for i in range(n + 1):
            sent.offset_p[i], sent.offset_q[i] = n_p, n_q
            n_p += (n - i) * stride_p(sent, i)
            n_q += i * stride_q(i)
        chart = <float*>malloc((n_p + n_q + (n + 2) * sent.stride + 2 * cells + 5 * (n + 1)) * sizeof(float))
    if chart != NULL and sent.stack != NULL:
        sent.P = chart
        sent.Q = sent.P + n_p
        sent.T = sent.Q + n_q
        sent.cpl = sent.T + n * sent.stride
        sent.best = sent.cpl + sent.stride
        sent.s1 = sent.best + sent.stride
        sent.s_mul = sent.s1 + cells
        sent.label_scores = sent.s_mul + cells
        sent.arc_scores = sent.label_scores + 2 * (n + 1)
        sent.sums = sent.arc_scores + 2 * (n + 1)
        status = read_labels(sent)
        if status == DONE:
            status = read_arcs(sent)
        if status == DONE:
            fill_chart(sent)
            recover(sent, spans, heads)
            score[0] = sum_scores(sent, spans, heads)
    free(chart)
    free(sent.offset_p)
    free(sent.stack)
    return status


cdef Status read_labels(Sentence* sent) noexcept nogil:
    """s1(i, j) = max_y L[i, j, y];  s_mul(i, j) = max(s1(i, j), L[i, j, 0])."""
    cdef int i, j, gold_label = -1, n = sent.n
    cdef size_t cell
    cdef const float* row
    cdef float s0, s1, residue = 0.0
    for i in range(n):
        cell = <size_t>i * (n + 1) + i + 1
        row = sent.labels + cell * sent.n_labels
        residue += KERNELS.row_max(sent.s1 + cell, row + 2, sent.n_labels, n - i, sent.n_labels - 2)
        for j in range(i + 1, n + 1):
            residue += (row[0] - row[0]) + (row[1] - row[1])
            s0, s1 = row[0], sent.s1[cell]
            if sent.gold != NULL:
                gold_label = sent.gold[cell]
                if gold_label < 0 or gold_label >= sent.n_labels:
                    return BAD_GOLD
                if gold_label > 1 and row[gold_label] >= s1:
                    find_label(row, 2, sent.n_labels, gold_label, sent.margin, &s1)
                s0, s1 = label_score(row, 0, gold_label, sent.margin), s1 + sent.margin
            if first_label(sent, i, j) == 1:
                s1 = max(s1, label_score(row, 1, gold_label, sent.margin))
            sent.s1[cell] = s1
            sent.s_mul[cell] = max(s1, s0)
            cell += 1
            row += sent.n_labels
    return DONE if residue == 0.0 else BAD_LABELS


cdef Status read_arcs(Sentence* sent) noexcept nogil:
    """Copy the arcs between words to padded rows, since a kernel may read past their end."""
    cdef int d, n = sent.n
    cdef const float* row
    cdef float unused, residue = 0.0
    for d in range(n):
        row = sent.arcs + <size_t>(d + 1) * (n + 1)
        residue += KERNELS.row_max(&unused, row, n + 1, 1, d + 1)  # the diagonal is not an arc
        residue += KERNELS.row_max(&unused, row + d + 2, n + 1, 1, n - d - 1)
        memcpy(sent.T + d * sent.stride, row + 1, n * sizeof(float))
        memset(sent.T + d * sent.stride + n, 0, MAXPLUS_PAD * sizeof(float))
    return DONE if residue == 0.0 else BAD_ARCS


cdef inline void complete(Sentence* sent, int i, int j) noexcept nogil:
    """B(i, j, h) = max_k P[i, k, h] + Q[j, k, h];  cpl(i, j, h) = B(i, j, h) + s1(i, j), or s_mul for a leaf."""
    cdef size_t cell = <size_t>i * (sent.n + 1) + j
    cdef float s1 = sent.s1[cell]
    if j - i == 1:
        sent.cpl[0] = sent.s_mul[cell]
        return
    KERNELS.rows(
        sent.best, row_p(sent, i, i + 1), stride_p(sent, i), row_q(sent, j, i + 1) + i, stride_q(j), j - i - 1, j - i
    )
    KERNELS.shift(sent.cpl, sent.best, s1, j - i)


cdef void fill_chart(Sentence* sent) noexcept nogil:
    cdef int i, j, width, n = sent.n
    cdef size_t S = sent.stride
    cdef float* p
    cdef float* q
    cdef float s_mul
    # By end, then from the shortest: consecutive spans read the same rows of Q from the cache.
    for j in range(1, n + 1):
        for i in range(j - 1, -1 if j < n else 0, -1):
            width = j - i
            p = row_p(sent, i, j)
            q = row_q(sent, j, i)
            complete(sent, i, j)
            # hook(i, j, h) = max_g cpl(i, j, g) + T[g, h]
            KERNELS.product(q, sent.cpl, sent.T + i * S, S, width, i)
            memset(p + n - i, 0, MAXPLUS_PAD * sizeof(float))
            KERNELS.product(p + width, sent.cpl, sent.T + i * S + j, S, width, n - j)
            # mul(i, j, h) = B(i, j, h) + s_mul(i, j)
            s_mul = sent.s_mul[<size_t>i * (n + 1) + j]
            if width == 1:
                p[0] = q[i] = s_mul
            else:
                KERNELS.shift(q + i, sent.best, s_mul, width)
                memcpy(p, q + i, width * sizeof(float))
            memset(q + j, 0, MAXPLUS_PAD * sizeof(float))


cdef int find_split(const Sentence* sent, int i, int j, int h) noexcept nogil:
    """The first k of max_k P[i, k, h] + Q[j, k, h]."""
    cdef int k, best_k = i + 1
    cdef const float* p = row_p(sent, i, i + 1) + h - i
    cdef const float* q = row_q(sent, j, i + 1) + h
    cdef float value, best = -INFINITY
    for k in range(i + 1, j):
        value = p[0] + q[0]
        if value > best:
            best = value
            best_k = k
        p += stride_p(sent, i)
        q += stride_q(j)
    return best_k


cdef int find_dependent(Sentence* sent, int i, int j, int h) noexcept nogil:
    """The first g of hook(i, j, h) = max_g cpl(i, j, g) + T[g, h]."""
    cdef int g, best_g = i
    cdef float value, best = -INFINITY
    complete(sent, i, j)
    for g in range(i, j):
        value = sent.cpl[g - i] + sent.T[g * sent.stride + h]
        if value > best:
            best = value
            best_g = g
    return best_g


cdef int choose_label(const Sentence* sent, int i, int j, bint must_label) noexcept nogil:
    """The lowest label of s1 (or of s_mul, if the node may be empty)."""
    cdef size_t cell = <size_t>i * (sent.n + 1) + j
    cdef const float* row = sent.labels + cell * sent.n_labels
    cdef int gold_label = gold_at(sent, cell)
    cdef float s0, s1
    cdef int y = find_label(row, first_label(sent, i, j), sent.n_labels, gold_label, sent.margin, &s1)
    if must_label and j - i > 1:
        return y
    s0 = row[0] - sent.margin if gold_label == 0 else row[0]
    # On a tie a leaf is empty, a longer span is not.
    return 0 if s1 < s0 or (s1 == s0 and j - i == 1) else y


cdef void recover(Sentence* sent, int* spans, int* heads) noexcept nogil:
    """Walk the best tree from its root: max_h one(0, n, h) + T[h, root]."""
    cdef int h, k, g, y, i = 0, n = sent.n, depth = 1
    cdef Node node = Node(0, n, 0, True)
    cdef size_t cell
    cdef const float* row
    cdef float value, best = -INFINITY
    complete(sent, 0, n)
    for h in range(n):
        value = sent.cpl[h] + sent.arcs[<size_t>(h + 1) * (n + 1)]
        if value > best:
            best = value
            node.head = h
    heads[node.head + 1] = 0
    sent.stack[0] = node
    while depth > 0:
        depth -= 1
        node = sent.stack[depth]
        y = choose_label(sent, node.start, node.end, node.must_label)
        spans[3 * i], spans[3 * i + 1], spans[3 * i + 2] = node.start, node.end, y
        # A sentence of one word is scored with a label even if its leaf is empty.
        cell = <size_t>node.start * (n + 1) + node.end
        row = sent.labels + cell * sent.n_labels
        sent.label_scores[i] = sent.s1[1] if n == 1 else label_score(row, y, gold_at(sent, cell), sent.margin)
        if node.end - node.start > 1:
            h = node.head
            k = find_split(sent, node.start, node.end, h)
            if h >= k:
                g = find_dependent(sent, node.start, k, h)
                sent.stack[depth] = Node(k, node.end, h, False)
                sent.stack[depth + 1] = Node(node.start, k, g, True)
            else:
                g = find_dependent(sent, k, node.end, h)
                sent.stack[depth] = Node(k, node.end, g, True)
                sent.stack[depth + 1] = Node(node.start, k, h, False)
            heads[g + 1] = h + 1
            sent.arc_scores[i] = sent.T[g * sent.stride + h]
            depth += 2
        i += 1


cdef float sum_scores(const Sentence* sent, const int* spans, const int* heads) noexcept nogil:
    """The score of the best tree, in float32 and in the order of the authors' O(n^5) recurrence.

    one(i, j, h) = ((cpl(i, k, g) + mul(k, j, h)) + T[g, h]) + s1. The hook trick adds the arc first, which may round
    differently; this sum has the authors' bits.
    """
    cdef int i, h, root = 0, depth = 0
    cdef float value
    for i in range(2 * sent.n - 2, -1, -1):
        if spans[3 * i + 1] - spans[3 * i] == 1:
            sent.sums[depth] = sent.label_scores[i]
            depth += 1
        else:
            depth -= 1
            value = (sent.sums[depth] + sent.sums[depth - 1]) + sent.arc_scores[i]
            sent.sums[depth - 1] = value + sent.label_scores[i]
    for h in range(1, sent.n + 1):
        if heads[h] == 0:
            root = h
    return sent.sums[0] + sent.arcs[<size_t>root * (sent.n + 1)]
