"""The memory of the joint decoder: its input, and the content and layout of its two tables.

P and Q hold both the heads inside a span and the hooks to heads outside, by the head's position:
  P[i, k, h] = mul(i, k, h)  for h in i..k-1,   hook(i, k, h)  for h >= k
  Q[j, k, h] = mul(k, j, h)  for h in k..j-1,   hook(k, j, h)  for h < k
One sum thus serves splits left and right of the head. The rows of one i (or j) are contiguous. Rows of P begin at
h = i, rows of Q end before h = j plus padding: n^3 / 3 floats in each table.
"""

from .maxplus cimport MAXPLUS_PAD


cdef struct Node:
    int start
    int end
    int head
    bint must_label  # scored as `one` (else as `mul`)


cdef struct Sentence:
    # Input. Heads and dependents are words from 0; arcs from the root are separate.
    int n
    int n_labels
    const float* labels  # (n + 1, n + 1, n_labels)
    const float* arcs  # (n + 1, n + 1)
    const int* gold  # (n + 1, n + 1) or NULL
    float margin
    # The chart.
    float* P  # see row_p
    float* Q  # see row_q
    size_t* offset_p  # (n + 1,)
    size_t* offset_q  # (n + 1,)
    size_t stride  # of T
    float* T  # (n, stride): the arcs between words
    float* s1  # (n + 1, n + 1): best score of a label that is not empty
    float* s_mul  # (n + 1, n + 1): best score of any label
    float* cpl  # (stride,): of the current span
    float* best  # (stride,): B of the current span
    # The best tree.
    Node* stack  # (n + 1,)
    float* label_scores  # (2n,): of the nodes in pre-order
    float* arc_scores  # (2n,): for each inner node, of the arc between its children
    float* sums  # (n + 1,)


cdef inline int first_label(const Sentence* sent, int start, int end) noexcept nogil:
    # No <H> on leaves and root.
    return 2 if end - start == 1 or end - start == sent.n else 1


cdef inline size_t stride_p(const Sentence* sent, size_t i) noexcept nogil:
    return sent.n - i + MAXPLUS_PAD


cdef inline size_t stride_q(size_t j) noexcept nogil:
    return j + MAXPLUS_PAD


cdef inline float* row_p(const Sentence* sent, size_t i, size_t k) noexcept nogil:
    """P[i, k], from h = i on."""
    return sent.P + sent.offset_p[i] + (k - i - 1) * stride_p(sent, i)


cdef inline float* row_q(const Sentence* sent, size_t j, size_t k) noexcept nogil:
    """Q[j, k], from h = 0 on."""
    return sent.Q + sent.offset_q[j] + k * stride_q(j)


cdef inline int gold_at(const Sentence* sent, size_t cell) noexcept nogil:
    return -1 if sent.gold == NULL else sent.gold[cell]
