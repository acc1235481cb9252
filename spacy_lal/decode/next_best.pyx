# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The best tree that differs from a given tree: a step in the search for the k best (`interpret/ranked_trees.py`).

A tree is a set of labelled constituents, in joint decoding with the heads. Many binarised trees show the same tree, so
a list of the best derivations would repeat it. Here each chart item has two values: the best score of any derivation,
and the best score of a derivation that differs from the given tree. A derivation differs if it has an arc or a
constituent that the tree lacks, gives a constituent of the tree another label, or splits within a constituent of it.
Both values follow the recurrences of `cky.pyx` and `joint.pyx`: the search takes three times their additions, in
float64.

*Not* here: training, margins, batches.
"""

from libc.math cimport INFINITY

import numpy as np

cdef enum:
    ANY = 0
    DIFFERS = 1


cdef struct Item:
    int start
    int end
    int head
    bint must_label  # scored as `one` (else as `mul`)
    bint differs


cdef class _Chart:
    """The scores of one sentence and the tables of one search. A head-lexicalised item is stored at [tri(i, j), h]: for
    h within the span it has this head, for h outside its head is attached to h. Without heads, h is 0."""
    cdef int n
    cdef const double[:, :, ::1] one  # (2, n + 1, n + 1): any label; a label that differs from the tree
    cdef const double[:, :, ::1] mul  # the same, where a node may be empty
    cdef const double[:, ::1] arcs  # (n, n): between words, [dependent, head]
    cdef const double[::1] root  # (n,)
    cdef const int[::1] heads  # (n,): of the given tree, from 0; -1 is the root
    cdef const int[::1] low  # (n + 1,): the shortest constituent of the tree around each fencepost, -1 for none
    cdef const int[::1] high  # (n + 1,)
    cdef double[:, ::1] any  # (n (n + 1) / 2, n) or (..., 1)
    cdef double[:, ::1] diff
    cdef double[:, ::1] best  # (2, n): of the current span, before its label
    cdef double[:, ::1] cpl  # (2, n): and with it

    cdef inline bint splits_tree(self, int i, int j, int k) noexcept nogil:
        """Whether a constituent of the tree, within the span and shorter than it, has the split inside."""
        a, b = self.low[k], self.high[k]
        return a >= i and b <= j and b - a < j - i

    cdef void complete(self, int i, int j, int first, int width) noexcept nogil:
        """best(i, j, h) = max_k item(i, k, h) + item(k, j, h), cpl = best + one, for `width` heads from `first`."""
        cdef int k, h
        cdef double value, other, any_label, diff_label
        cdef double* best = &self.best[ANY, 0]
        cdef double* differing = &self.best[DIFFERS, 0]
        cdef const double* a
        cdef const double* b
        cdef const double* c
        cdef const double* d
        for h in range(width):
            best[h] = 0.0 if j - i == 1 else -INFINITY
            differing[h] = -INFINITY
        for k in range(i + 1, j):
            a, b = &self.any[tri(i, k), first], &self.any[tri(k, j), first]
            c, d = &self.diff[tri(i, k), first], &self.diff[tri(k, j), first]
            if self.splits_tree(i, j, k):
                for h in range(width):
                    value = a[h] + b[h]
                    best[h] = value if value > best[h] else best[h]
                    differing[h] = value if value > differing[h] else differing[h]
            else:
                for h in range(width):
                    value = a[h] + b[h]
                    best[h] = value if value > best[h] else best[h]
                    value, other = a[h] + d[h], c[h] + b[h]
                    value = value if value > other else other
                    differing[h] = value if value > differing[h] else differing[h]
        any_label, diff_label = self.one[ANY, i, j], self.one[DIFFERS, i, j]
        for h in range(width):
            self.cpl[ANY, h] = best[h] + any_label
            value, other = differing[h] + any_label, best[h] + diff_label
            self.cpl[DIFFERS, h] = value if value > other else other

    cdef void fill_heads(self) noexcept nogil:
        """All items of joint decoding. hook(i, j, h) = max_g cpl(i, j, g) + arc(g, h)."""
        cdef int i, j, g, h, governor
        cdef double value, other, previous
        cdef double* items
        cdef double* differing
        cdef const double* arc
        for j in range(1, self.n + 1):
            for i in range(j - 1, -1, -1):
                self.complete(i, j, i, j - i)
                items, differing = &self.any[tri(i, j), 0], &self.diff[tri(i, j), 0]
                for h in range(self.n):
                    items[h] = differing[h] = -INFINITY
                for g in range(i, j):
                    arc, governor = &self.arcs[g, 0], self.heads[g]
                    previous = differing[governor] if governor >= 0 else 0.0
                    for h in range(self.n):
                        value = self.cpl[ANY, g - i] + arc[h]
                        items[h] = value if value > items[h] else items[h]
                        differing[h] = value if value > differing[h] else differing[h]
                    if governor >= 0:  # the arc is the tree's: the part below it has to differ
                        value = self.cpl[DIFFERS, g - i] + arc[governor]
                        differing[governor] = value if value > previous else previous
                for h in range(i, j):
                    items[h] = self.best[ANY, h - i] + self.mul[ANY, i, j]
                    value = self.best[DIFFERS, h - i] + self.mul[ANY, i, j]
                    other = self.best[ANY, h - i] + self.mul[DIFFERS, i, j]
                    differing[h] = value if value > other else other

    cdef void fill_spans(self) noexcept nogil:
        """All items of decoding without heads."""
        cdef int i, j
        for j in range(1, self.n + 1):
            for i in range(j - 1, -1, -1):
                self.complete(i, j, 0, 1)
                self.any[tri(i, j), 0] = self.cpl[ANY, 0]
                self.diff[tri(i, j), 0] = self.cpl[DIFFERS, 0]

    cdef int find_dependent(self, int i, int j, int h, bint* differs) noexcept nogil:
        """The g of hook(i, j, h). differs: whether the hook does; then whether the item of g does."""
        cdef int g, best_g = i
        cdef bint below, wanted = differs[0]
        cdef double value, best = -INFINITY
        self.complete(i, j, i, j - i)
        for g in range(i, j):
            below = wanted and self.heads[g] == h
            value = self.cpl[below, g - i] + (self.root[g] if h < 0 else self.arcs[g, h])
            if value > best:
                best, best_g, differs[0] = value, g, below
        return best_g

    cdef int find_split(self, const Item* item, int h, bint differs, bint* left) noexcept nogil:
        """The k of best(i, j, h). left: whether the left part differs; the right does if `differs` and not `left`, or
        where the split itself differs, neither."""
        cdef int k, best_k = item.start + 1
        cdef double value, best = -INFINITY
        left[0] = False
        for k in range(item.start + 1, item.end):
            a, b = tri(item.start, k), tri(k, item.end)
            if not differs or self.splits_tree(item.start, item.end, k):
                value = self.any[a, h] + self.any[b, h]
                if value > best:
                    best, best_k, left[0] = value, k, False
                continue
            value = self.diff[a, h] + self.any[b, h]
            if value > best:
                best, best_k, left[0] = value, k, True
            value = self.any[a, h] + self.diff[b, h]
            if value > best:
                best, best_k, left[0] = value, k, False
        return best_k

    cdef void recover(self, int[:, ::1] nodes, int[::1] heads, bint with_heads) noexcept:
        """Walk the best differing tree from its root. nodes: start, end, must_label, whether its label differs."""
        cdef int h, k, i = 0
        cdef bint differs = True, left, right
        cdef double any_label, diff_label
        cdef Item item, first, second
        item = Item(0, self.n, 0, True, True)
        if with_heads:
            item.head = self.find_dependent(0, self.n, -1, &differs)
            heads[item.head] = -1
        item.differs = differs
        stack = [item]
        while stack:
            item = stack.pop()
            h = item.head
            self.complete(item.start, item.end, h, 1)
            differs = item.differs
            nodes[i, 0], nodes[i, 1], nodes[i, 2], nodes[i, 3] = item.start, item.end, item.must_label, 0
            if differs:
                any_label, diff_label = self.mul[ANY, item.start, item.end], self.mul[DIFFERS, item.start, item.end]
                if item.must_label:
                    any_label, diff_label = self.one[ANY, item.start, item.end], self.one[DIFFERS, item.start, item.end]
                if self.best[ANY, 0] + diff_label > self.best[DIFFERS, 0] + any_label:
                    nodes[i, 3] = 1
                    differs = False  # the parts are free
            i += 1
            if item.end - item.start == 1:
                continue
            k = self.find_split(&item, h, differs, &left)
            right = differs and not left and not self.splits_tree(item.start, item.end, k)
            first = Item(item.start, k, h, True, left)
            second = Item(k, item.end, h, True, right)
            if with_heads and h >= k:
                first.head = self.find_dependent(item.start, k, h, &left)
                first.differs, second.must_label = left, False
                heads[first.head] = h
            elif with_heads:
                second.head = self.find_dependent(k, item.end, h, &right)
                second.differs, first.must_label = right, False
                heads[second.head] = h
            stack.append(second)
            stack.append(first)


cdef inline size_t tri(size_t i, size_t j) noexcept nogil:
    return j * (j - 1) // 2 + i


def next_joint(labels, arcs, in_tree, heads):
    """The best pair of a constituency and a dependency tree that agree (see `joint`) and differ from a given pair.

    labels (ndarray): Shape: (n + 1, n + 1, 4), float64, n at least 1: for each span, the scores of the empty label, the
        sub-head label, the best other label, and the best but one. Minus infinity forbids a label. Where the given tree
        has a constituent, "the best" is its label.
    arcs (ndarray): Shape: (n + 1, n + 1), [dependent, head], float64. Minus infinity forbids an arc.
    in_tree (ndarray): Shape: (n + 1, n + 1), bool: the constituents of the given tree, which do not cross.
    heads (ndarray): Shape: (n + 1,), int32: its heads; 0 is the root.
    RETURNS (Optional[Tuple[float, ndarray, ndarray]]): As `joint`: the score, the nodes in pre-order, where a label is
        an index of the last axis of `labels`, and the heads. None if there is no other pair.
    RAISES (ValueError): A shape, a dtype, or a score that is NaN or infinite.
    """
    cdef _Chart chart
    cdef int n = _check(labels, in_tree)
    if arcs.shape != (n + 1, n + 1) or arcs.dtype != np.float64 or not (arcs[1:] < np.inf).all():
        raise ValueError(f"arcs are float64 below infinity of shape {(n + 1, n + 1)}, got {arcs.dtype} {arcs.shape}")
    if heads.shape != (n + 1,):
        raise ValueError(f"expected {n + 1} heads, got shape {heads.shape}")
    allowed = np.isfinite(labels)
    i, leaf = np.arange(n), np.arange(n) + 1
    allowed[i, leaf, 1] = allowed[0, n, 1] = False  # no sub-head on leaves and root
    must = allowed.copy()
    must[..., 0] = False
    must[i, leaf, 0] = allowed[i, leaf, 0]
    chart = _make(labels, must, allowed, in_tree, n)
    chart.arcs = np.ascontiguousarray(arcs[1:, 1:])
    chart.root = np.ascontiguousarray(arcs[1:, 0])
    chart.heads = heads[1:].astype(np.int32) - np.int32(1)
    with nogil:
        chart.fill_heads()
        chart.complete(0, n, 0, n)
    cdef int g
    best = -INFINITY
    for g in range(n):
        best = max(best, chart.cpl[chart.heads[g] < 0, g] + chart.root[g])
    if best == -INFINITY:
        return None
    nodes, found = np.zeros((2 * n - 1, 4), dtype=np.int32), np.zeros(n, dtype=np.int32)
    chart.recover(nodes, found, True)
    return best, _label(nodes, labels, must, allowed, in_tree), np.concatenate([[0], found + 1]).astype(np.int32)


def next_cky(labels, in_tree):
    """The best constituency tree (see `cky`) that differs from a given tree.

    labels, in_tree (ndarray): As for `next_joint`.
    RETURNS (Optional[Tuple[float, ndarray]]): The score and the nodes, as `next_joint`. None if there is no other tree.
    RAISES (ValueError): As `next_joint`.
    """
    cdef _Chart chart
    cdef int n = _check(labels, in_tree)
    allowed = np.isfinite(labels)
    allowed[0, n, 0] = False  # the root has a label
    chart = _make(labels, allowed, allowed, in_tree, n, n_heads=1)
    with nogil:
        chart.fill_spans()
    best = chart.diff[tri(0, n), 0]
    if best == -INFINITY:
        return None
    nodes = np.zeros((2 * n - 1, 4), dtype=np.int32)
    chart.recover(nodes, np.zeros(n, dtype=np.int32), False)
    return best, _label(nodes, labels, allowed, allowed, in_tree)


def _check(labels, in_tree):
    """n. RAISES (ValueError): Wrong shapes, dtypes or scores."""
    n = labels.shape[0] - 1
    if n < 1 or labels.shape != (n + 1, n + 1, 4) or labels.dtype != np.float64 or in_tree.shape != (n + 1, n + 1):
        raise ValueError(
            "expected float64 labels of shape (n + 1, n + 1, 4) and a tree of shape (n + 1, n + 1), n at least 1, got "
            f"{labels.dtype} {labels.shape} and {in_tree.shape}"
        )
    if not (labels[np.triu_indices(n + 1, 1)] < np.inf).all():
        raise ValueError("label scores are numbers below infinity, got NaN or infinity")
    return n


def _make(labels, must, may, in_tree, n, n_heads=None):
    cdef _Chart chart = _Chart()
    chart.n = n
    chart.one, chart.mul = _best_labels(labels, must, in_tree), _best_labels(labels, may, in_tree)
    low, high = np.full(n + 1, -1, dtype=np.int32), np.zeros(n + 1, dtype=np.int32)
    spans = np.argwhere(np.triu(in_tree, 1))
    for start, end in sorted(spans.tolist(), key=lambda span: span[0] - span[1]):  # the longest first
        low[start + 1 : end], high[start + 1 : end] = start, end
    chart.low, chart.high = low, high
    shape = (n * (n + 1) // 2, n if n_heads is None else n_heads)
    chart.any, chart.diff = np.empty(shape), np.empty(shape)
    chart.best, chart.cpl = np.empty((2, n)), np.empty((2, n))
    return chart


def _differing(in_tree):
    """Whether each of the four labels differs from the tree. Shape: (n + 1, n + 1, 4)."""
    outside = np.array([False, False, True, True])
    return np.where(in_tree[..., None], np.array([True, True, False, True]), outside)


def _best_labels(labels, allowed, in_tree):
    """The best scores of allowed labels, and of labels that differ from the tree. Shape: (2, n + 1, n + 1)."""
    scores = np.where(allowed, labels, -np.inf)
    return np.stack([scores.max(-1), np.where(_differing(in_tree), scores, -np.inf).max(-1)])


def _label(nodes, labels, must, may, in_tree):
    """Nodes with their labels. Shape: (2n - 1, 3)."""
    starts, ends, must_label, differs = nodes.T
    allowed = np.where(must_label[:, None] > 0, must[starts, ends], may[starts, ends])
    allowed &= (differs[:, None] == 0) | _differing(in_tree)[starts, ends]
    # Of equal scores, a constituent comes first, as in the decoders, but not on a leaf.
    chosen = np.where(allowed, labels[starts, ends], -np.inf).argmax(-1)
    return np.stack([starts, ends, chosen], axis=1).astype(np.int32)
