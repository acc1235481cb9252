# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Non-projective dependency trees: the maximum spanning arborescence with a single root, exact, in O(n^2).

Edmonds (1967), in the order of Tarjan (1977) and Gabow et al. (1986): a path of best arcs grows backwards until it
reaches the root or itself; a cycle is contracted to one vertex and the path continues from there.
Departure: exactly one word depends on the root. Scores are compared as pairs (arcs from the root, score), fewer
arcs first; the algorithm allows this, since such pairs add and compare like numbers. An arc from the root is never on a
cycle, so a vertex chooses it only if no other arc enters. No large constant or second run is needed.
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


cdef struct Sentence:
    # Vertices: 0 the root, 1..n the words, above them the contracted cycles, at most n - 1. A cycle takes over the row
    # of its first member.
    int n
    const float* arcs  # (n + 1, n + 1), [dependent, head]
    double* scores  # (n + 1, n + 1): of arcs that enter a vertex, by head, less the arcs that they replace
    int* entries  # (n + 1, n + 1): the word that each of these arcs enters
    int* row  # (2n + 1,): the row of a vertex
    int* parent  # (2n + 1,): the cycle that a vertex is part of, or the vertex itself
    int* top  # (n + 1,): the outermost cycle around a word
    int* head  # (2n + 1,): the head of the arc that enters a vertex
    int* entry  # (2n + 1,): the word that it enters
    int* state  # (2n + 1,)
    int* path  # (2n + 1,)


cdef enum State:
    NEW
    ON_PATH
    SETTLED


def mst(arcs):
    """The dependency tree with the greatest sum of arc scores and one dependent of the root, projective or not.

    Edmonds (1967), see the module. Given a list of arrays, decodes a batch.

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
        raise MemoryError(f"no memory for the arcs of a sentence of {sent.n} tokens")
    elif status == BAD_ARCS:
        raise ValueError(f"arcs{item} must be finite")
    return heads


cdef Status decode_sentence(Sentence* sent, int* heads) noexcept nogil:
    cdef size_t side = sent.n + 1
    cdef size_t n_vertices = 2 * side
    cdef Status status = NO_MEMORY
    cdef int n_cycles
    sent.scores = <double*>malloc(side * side * sizeof(double))
    sent.entries = <int*>malloc((side * side + 6 * n_vertices + side) * sizeof(int))
    if sent.scores != NULL and sent.entries != NULL:
        sent.row = sent.entries + side * side
        sent.parent = sent.row + n_vertices
        sent.head = sent.parent + n_vertices
        sent.entry = sent.head + n_vertices
        sent.state = sent.entry + n_vertices
        sent.path = sent.state + n_vertices
        sent.top = sent.path + n_vertices
        status = read_arcs(sent)
        if status == DONE:
            n_cycles = contract(sent)
            expand(sent, n_cycles, heads)
    free(sent.scores)
    free(sent.entries)
    return status


cdef Status read_arcs(Sentence* sent) noexcept nogil:
    cdef size_t d, h, side = sent.n + 1
    cdef const float* row
    cdef float unused, residue = 0.0
    for d in range(1, side):
        row = sent.arcs + d * side
        residue += KERNELS.row_max(&unused, row, side, 1, d)  # the diagonal is not an arc
        residue += KERNELS.row_max(&unused, row + d + 1, side, 1, side - d - 1)
        for h in range(side):
            sent.scores[d * side + h] = row[h]
            sent.entries[d * side + h] = d
    for d in range(side):
        sent.row[d] = d
        sent.parent[d] = d
        sent.top[d] = d
        sent.state[d] = NEW
    sent.state[0] = SETTLED
    return DONE if residue == 0.0 else BAD_ARCS


cdef void choose_arc(Sentence* sent, int vertex) noexcept nogil:
    """in(v) = argmax_h score(v, h) over heads outside v; the root only if no other head is left."""
    cdef size_t side = sent.n + 1
    cdef size_t start = sent.row[vertex] * side
    cdef int h, best_h = 0
    cdef double best = -INFINITY
    for h in range(1, sent.n + 1):
        if sent.top[h] != vertex and sent.scores[start + h] > best:
            best = sent.scores[start + h]
            best_h = h
    sent.head[vertex] = best_h
    sent.entry[vertex] = sent.entries[start + best_h]


cdef void merge(Sentence* sent, int cycle, const int* members, int n_members) noexcept nogil:
    """score(C, h) = max_{v in C} score(v, h) - score(v, in(v))."""
    cdef size_t side = sent.n + 1
    cdef size_t target = sent.row[members[0]] * side
    cdef size_t source
    cdef int i, h
    cdef double freed, value
    for i in range(n_members):
        source = sent.row[members[i]] * side
        freed = sent.scores[source + sent.head[members[i]]]
        for h in range(sent.n + 1):
            value = sent.scores[source + h] - freed
            if i == 0 or value > sent.scores[target + h]:
                sent.scores[target + h] = value
                sent.entries[target + h] = sent.entries[source + h]
        sent.parent[members[i]] = cycle
    sent.row[cycle] = sent.row[members[0]]
    sent.parent[cycle] = cycle
    for h in range(1, sent.n + 1):
        if sent.parent[sent.top[h]] == cycle:
            sent.top[h] = cycle


cdef int contract(Sentence* sent) noexcept nogil:
    """Give every vertex its arc and contract cycles. Returns the number of cycles."""
    cdef int word, vertex, before, i, n_cycles = 0, length = 0
    for word in range(1, sent.n + 1):
        if sent.state[sent.top[word]] == SETTLED:
            continue
        vertex = sent.top[word]
        while True:
            sent.state[vertex] = ON_PATH
            sent.path[length] = vertex
            length += 1
            choose_arc(sent, vertex)
            before = sent.top[sent.head[vertex]]
            while sent.state[before] == ON_PATH:
                i = length - 1
                while sent.path[i] != before:
                    i -= 1
                vertex = sent.n + 1 + n_cycles
                n_cycles += 1
                merge(sent, vertex, sent.path + i, length - i)
                sent.path[i] = vertex
                sent.state[vertex] = ON_PATH
                length = i + 1
                choose_arc(sent, vertex)
                before = sent.top[sent.head[vertex]]
            if sent.state[before] == SETTLED:
                break
            vertex = before
        for i in range(length):
            sent.state[sent.path[i]] = SETTLED
        length = 0
    return n_cycles


cdef void expand(Sentence* sent, int n_cycles, int* heads) noexcept nogil:
    """Open the cycles, outermost first: the arc into a cycle replaces the arc into the member that it enters."""
    cdef int cycle, vertex, word
    for cycle in range(sent.n + n_cycles, sent.n, -1):
        vertex = sent.entry[cycle]
        while sent.parent[vertex] != cycle:
            vertex = sent.parent[vertex]
        sent.head[vertex] = sent.head[cycle]
        sent.entry[vertex] = sent.entry[cycle]
    for word in range(1, sent.n + 1):
        heads[word] = sent.head[word]
