"""The best disjoint spans of each prefix of a sentence, for `candidate_spans`.

A semi-Markov model (Sarawagi and Cohen 2004). A state is the length of a prefix and the set of roles used so far, of
those that may occur once.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

from .tag_status cimport DONE, NO_PATH, Status


cdef struct Prefixes:
    int n  # words of the sentence
    int n_sets  # of roles used so far
    const int* once  # (n_roles,): number of a role that occurs once, or -1
    double* best  # (n + 1, n_sets)
    int* start  # (n + 1, n_sets): where the last span of a prefix starts, or its last word
    int* role  # (n + 1, n_sets): its role; -1 for a word without a span


cdef inline bint make_prefixes(Prefixes* prefixes) noexcept nogil:
    """Allocate the states, of which only the empty prefix is reached. False if there is no memory."""
    cdef size_t n_states = <size_t>(prefixes.n + 1) * prefixes.n_sets
    cdef size_t i
    prefixes.best = <double*>malloc(n_states * sizeof(double))
    prefixes.start = <int*>malloc(2 * n_states * sizeof(int))
    if prefixes.best == NULL or prefixes.start == NULL:
        return False
    prefixes.role = prefixes.start + n_states
    for i in range(n_states):
        prefixes.best[i] = -INFINITY
    prefixes.best[0] = 0.0
    return True


cdef inline void free_prefixes(Prefixes* prefixes) noexcept nogil:
    free(prefixes.best)
    free(prefixes.start)


cdef inline void add_span(Prefixes* prefixes, int start, int end, int role, double value) noexcept nogil:
    """Follow the best prefixes that end at `start` by a span, or by a word without a span (role -1)."""
    cdef const double* before = prefixes.best + <size_t>start * prefixes.n_sets
    cdef int bit = 0 if role < 0 or prefixes.once[role] < 0 else 1 << prefixes.once[role]
    cdef int used
    cdef size_t state
    for used in range(prefixes.n_sets):
        state = <size_t>end * prefixes.n_sets + (used | bit)
        if not used & bit and before[used] + value > prefixes.best[state]:
            prefixes.best[state] = before[used] + value
            prefixes.start[state] = start
            prefixes.role[state] = role


cdef inline Status read_spans(const Prefixes* prefixes, int* spans, int* n_spans, double* score) noexcept nogil:
    """Start, end and role of each span of the whole sentence, from the last to the first, and the score. NO_PATH if no
    score is above minus infinity."""
    cdef int end = prefixes.n, used, best_used = -1, role
    cdef const double* whole = prefixes.best + <size_t>end * prefixes.n_sets
    cdef size_t state
    score[0] = -INFINITY
    for used in range(prefixes.n_sets):
        if whole[used] > score[0]:
            score[0], best_used = whole[used], used
    if best_used < 0:
        return NO_PATH
    used = best_used
    while end > 0:
        state = <size_t>end * prefixes.n_sets + used
        role = prefixes.role[state]
        if role >= 0:
            spans[3 * n_spans[0]] = prefixes.start[state]
            spans[3 * n_spans[0] + 1] = end
            spans[3 * n_spans[0] + 2] = role
            n_spans[0] += 1
            if prefixes.once[role] >= 0:
                used ^= 1 << prefixes.once[role]
        end = prefixes.start[state]
    return DONE
