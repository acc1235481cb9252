# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The best disjoint spans with roles: BIO tags with a bonus for each span, exact, in O(n^2 n_roles).

A semi-Markov model (Sarawagi and Cohen 2004) over prefixes of the sentence. A span has the sum of its tags' scores and
its own bonus, for example for a constituent of a parse. Without bonuses it finds what `viterbi` finds without
transition scores. Roles that may occur once are treated as in `viterbi`.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

import numpy as np

from .batches import run_batch
from .checks import check_batch, check_threads
from .tag_checks import check_predicate, check_span_bonus, check_tag_ids, check_tag_scores, raise_bad_tags
from .tag_counts import MAX_ONCE, decode_counting

from .prefix_spans cimport Prefixes, add_span, free_prefixes, make_prefixes, read_spans
from .tag_status cimport BAD_SCORES, DONE, NO_MEMORY, NO_PATH, Status, check_scores


cdef struct Sentence:
    int n_roles
    const float* scores  # (n, 1 + 2 n_roles): O, then B- and I- of each role
    const float* bonus  # (n + 1, n + 1), [start, end], or NULL
    int predicate  # this token lies in a span with the role `verb`; -1 for none
    int verb  # spans of this role have no bonus
    double* running  # (n_roles,): of the span from the current start
    Prefixes prefixes


def role_spans(scores, bonus=None, *, once=None, predicates=None, verb=-1, n_threads=1):
    """The disjoint spans with the greatest sum of tag scores and bonuses. Given a list of arrays, decodes a batch.

    scores (ndarray): Shape: (n, 1 + 2 n_roles), float32: O, then B- and I- of each role; minus infinity forbids a tag.
    bonus (Optional[ndarray]): Added for each span, [start, end], half-open. Shape: (n + 1, n + 1), float32. A list for
        a batch.
    once (Optional[ndarray]): 0, 1, ... for roles that may occur once, -1 for others. Shape: (n_roles,), integers.
    predicates (Optional[Union[int, Sequence[int]]]): The token that lies in a span with the role `verb`, or -1.
    verb (int): The role of the predicate; its spans have no bonus.
    n_threads (int): Number of threads for a batch.
    RETURNS (Tuple[List[Tuple[int, int, int]], float]): Start, end and role of each span in text order, and the score. A
        list for a batch.
    RAISES (ValueError): On a wrong type, dtype or shape, scores that are NaN or plus infinity, or no legal spans.
    """
    if not isinstance(scores, (list, tuple)):
        check_threads(n_threads)
        return _decode(scores, bonus, "", once, -1 if predicates is None else predicates, verb)
    check_batch(n_threads, len(scores), bonus=bonus, predicates=predicates)

    def decode(i):
        predicate = -1 if predicates is None else predicates[i]
        return _decode(scores[i], None if bonus is None else bonus[i], f"[{i}]", once, predicate, verb)

    costs = [2.0 + 0.001 * getattr(item, "size", 0) * len(item) for item in scores]
    return run_batch(decode, costs, n_threads)


def _decode(scores, bonus, item, once, predicate, verb):
    scores = check_tag_scores(scores, "scores" + item)
    once = check_tag_ids(once, "once", (scores.shape[1] - 1) // 2, MAX_ONCE)

    def decode(counted):
        return _decode_once(scores, bonus, item, counted, predicate, verb)

    return decode_counting(once, decode, lambda found: once[[role for _, _, role in found[0]]])


def _decode_once(scores, bonus, item, once, predicate, verb):
    n, n_tags = scores.shape
    n_roles = (n_tags - 1) // 2
    if n_tags % 2 == 0 or n_roles < 1:
        raise ValueError(f"scores{item} must have O, then B- and I- of each role, got {n_tags} tags")
    check_predicate(predicate, verb, n, n_roles, item)
    bonus = check_span_bonus(bonus, "bonus" + item, n)
    if n == 0:
        return [], 0.0
    cdef const float[:, ::1] scores_view = scores
    cdef const float[:, ::1] bonus_view
    cdef const int[::1] once_view = once
    cdef Sentence sent
    cdef Status status
    spans = np.zeros((n, 3), dtype=np.int32)
    cdef int[:, ::1] spans_view = spans
    cdef int n_spans = 0
    cdef double score = 0.0
    sent.prefixes.n, sent.prefixes.n_sets = scores_view.shape[0], 1 << (int(once.max()) + 1)
    sent.prefixes.once = &once_view[0]
    sent.n_roles = n_roles
    sent.scores = &scores_view[0, 0]
    sent.bonus = NULL
    if bonus is not None:
        bonus_view = bonus
        sent.bonus = &bonus_view[0, 0]
    sent.predicate, sent.verb = predicate, verb
    with nogil:
        status = decode_sentence(&sent, &spans_view[0, 0], &n_spans, &score)
    if status == NO_MEMORY:
        raise MemoryError(f"no memory for the spans of a sentence of {n} tokens")
    elif status == BAD_SCORES:
        raise_bad_tags(scores, "scores" + item)
    elif status == NO_PATH:
        raise ValueError(f"scores{item}: no legal spans have a score above minus infinity")
    return [tuple(span) for span in spans[:n_spans][::-1].tolist()], score


cdef Status decode_sentence(Sentence* sent, int* spans, int* n_spans, double* score) noexcept nogil:
    cdef Prefixes* prefixes = &sent.prefixes
    cdef Status status = NO_MEMORY
    cdef int start
    sent.running = <double*>malloc(sent.n_roles * sizeof(double))
    if make_prefixes(prefixes) and sent.running != NULL:
        status = check_scores(sent.scores, <size_t>prefixes.n * (1 + 2 * sent.n_roles))
        if status == DONE:
            for start in range(prefixes.n):
                extend(sent, start)
            status = read_spans(prefixes, spans, n_spans, score)
    free_prefixes(prefixes)
    free(sent.running)
    return status


cdef void extend(Sentence* sent, int start) noexcept nogil:
    """Everything that begins at a token, after the best spans before it."""
    cdef Prefixes* prefixes = &sent.prefixes
    cdef size_t n_tags = 1 + 2 * sent.n_roles
    cdef const float* first = sent.scores + start * n_tags
    cdef const float* last
    cdef int end, role, free_role
    cdef double value, free_value
    cdef bint holds_predicate
    if start != sent.predicate:
        add_span(prefixes, start, start + 1, -1, first[0])
    for end in range(start + 1, prefixes.n + 1):
        last = sent.scores + (end - 1) * n_tags
        holds_predicate = start <= sent.predicate < end
        free_role, free_value = -1, -INFINITY
        for role in range(sent.n_roles):
            if end == start + 1:
                sent.running[role] = first[1 + 2 * role]
            else:
                sent.running[role] += last[2 + 2 * role]
            if holds_predicate and role != sent.verb:
                continue
            value = sent.running[role]
            if sent.bonus != NULL and role != sent.verb:
                value += sent.bonus[<size_t>start * (prefixes.n + 1) + end]
            if prefixes.once[role] >= 0:
                add_span(prefixes, start, end, role, value)
            elif value > free_value:
                free_role, free_value = role, value
        if free_role >= 0:
            add_span(prefixes, start, end, free_role, free_value)
