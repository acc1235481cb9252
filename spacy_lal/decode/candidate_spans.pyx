# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The best disjoint ones of given candidate spans, each with a role: exact, in O(n + n_candidates * n_roles) without
roles that may occur once.

A semi-Markov model (Sarawagi and Cohen 2004) over prefixes of the sentence, whose spans are few and
have a score for each role, not a sum over their tokens. Roles that may occur once are treated as in `viterbi`.
"""

import numpy as np

from .checks import MAX_ONCE, check_candidates, check_tag_ids, check_tag_scores, decode_counting

from .prefix_spans cimport Prefixes, add_span, free_prefixes, make_prefixes, read_spans
from .tag_status cimport NO_MEMORY, Status


cdef struct Sentence:
    int n_candidates
    int n_roles
    const float* gains  # (n_candidates, n_roles)
    const int* ranges  # (n_candidates, 2), by ascending start
    Prefixes prefixes


def candidate_spans(gains, ranges, n_tokens, *, once=None):
    """The disjoint candidates with the greatest sum of gains. A token without a span costs nothing, so that only
    positive gains are taken. Given lists, decodes a batch.

    gains (ndarray): The gain of each candidate with each role over none. Shape: (n_candidates, n_roles), float32; minus
        infinity forbids a role.
    ranges (ndarray): Start and end, half-open, by ascending start. Shape: (n_candidates, 2), integers.
    n_tokens (int): Length of the sentence.
    once (Optional[ndarray]): 0, 1, ... for roles that may occur once, -1 for others. Shape: (n_roles,), integers.
    RETURNS (Tuple[List[Tuple[int, int, int]], float]): Start, end and role of each span in text order, and the score. A
        list for a batch.
    RAISES (ValueError): On a wrong type, dtype, shape or range, or gains that are NaN or plus infinity.
    """
    if not isinstance(gains, (list, tuple)):
        return _decode(gains, ranges, n_tokens, "", once)
    if not len(gains) == len(ranges) == len(n_tokens):
        lengths = f"{len(gains)}, {len(ranges)}, {len(n_tokens)}"
        raise ValueError(f"expected as many ranges and lengths as gains, got {lengths}")
    return [_decode(one, ranges[i], n_tokens[i], f"[{i}]", once) for i, one in enumerate(gains)]


def _decode(gains, ranges, n_tokens, item, once):
    gains = check_tag_scores(gains, "gains" + item)
    ranges = check_candidates(ranges, "ranges" + item, len(gains), n_tokens)
    once = check_tag_ids(once, "once", gains.shape[1], MAX_ONCE)
    if np.isnan(gains).any() or (gains == np.inf).any():
        raise ValueError(f"gains{item} must be finite or minus infinity")
    useful = (gains > 0.0).any(axis=1)
    gains, ranges = np.ascontiguousarray(gains[useful]), np.ascontiguousarray(ranges[useful])
    if not len(gains):
        return [], 0.0

    def decode(counted):
        return _decode_once(gains, ranges, n_tokens, counted)

    return decode_counting(once, decode, lambda found: once[[role for _, _, role in found[0]]])


def _decode_once(gains, ranges, n_tokens, once):
    cdef const float[:, ::1] gains_view = gains
    cdef const int[:, ::1] ranges_view = ranges
    cdef const int[::1] once_view = once
    cdef Sentence sent
    cdef Status status
    spans = np.zeros((n_tokens, 3), dtype=np.int32)
    cdef int[:, ::1] spans_view = spans
    cdef int n_spans = 0
    cdef double score = 0.0
    sent.prefixes.n, sent.prefixes.n_sets = n_tokens, 1 << (int(once.max()) + 1)
    sent.prefixes.once = &once_view[0]
    sent.n_candidates, sent.n_roles = gains_view.shape[0], gains_view.shape[1]
    sent.gains, sent.ranges = &gains_view[0, 0], &ranges_view[0, 0]
    with nogil:
        status = decode_sentence(&sent, &spans_view[0, 0], &n_spans, &score)
    if status == NO_MEMORY:
        raise MemoryError(f"no memory for the spans of a sentence of {n_tokens} tokens")
    return [tuple(span) for span in spans[:n_spans][::-1].tolist()], score


cdef Status decode_sentence(Sentence* sent, int* spans, int* n_spans, double* score) noexcept nogil:
    cdef Prefixes* prefixes = &sent.prefixes
    cdef Status status = NO_MEMORY
    cdef int start, first = 0
    if make_prefixes(prefixes):
        for start in range(prefixes.n):
            first = extend(sent, start, first)
        status = read_spans(prefixes, spans, n_spans, score)
    free_prefixes(prefixes)
    return status


cdef int extend(Sentence* sent, int start, int first) noexcept nogil:
    """Everything that begins at a token. Returns the number of the first candidate that begins later."""
    cdef Prefixes* prefixes = &sent.prefixes
    cdef const float* gains
    cdef int k = first, role, free_role, end
    cdef float free_gain
    add_span(prefixes, start, start + 1, -1, 0.0)
    while k < sent.n_candidates and sent.ranges[2 * k] == start:
        gains, end = sent.gains + <size_t>k * sent.n_roles, sent.ranges[2 * k + 1]
        free_role, free_gain = -1, 0.0
        for role in range(sent.n_roles):
            if gains[role] > 0.0 and prefixes.once[role] >= 0:
                add_span(prefixes, start, end, role, gains[role])
            elif gains[role] > free_gain:
                free_role, free_gain = role, gains[role]
        if free_role >= 0:
            add_span(prefixes, start, end, free_role, free_gain)
        k += 1
    return k
