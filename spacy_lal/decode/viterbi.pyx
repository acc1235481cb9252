# cython: infer_types=True, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Viterbi decoding of BIO tags: the legal sequence with the greatest sum of scores, exact.

Viterbi (1967), with the ties of docs/explanation/roles.md: the lowest tag at the last token and in
each back-pointer. Illegal I- tags are minus infinity, also at the start (Strubell et al. 2018 only
discourage them). Tags that may occur once are part of the state: a state is a tag and the set of
such tags used so far, so that the search stays exact. A sentence is first decoded without this;
tags that occur twice join the state until none does. The best sequence of fewer constraints that
keeps all of them is the best one. Without transition scores a step takes O(n_tags), since every tag
but I- has the same best predecessor."""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc

import numpy as np

from .checks import (
    MAX_ONCE,
    check_batch,
    check_predicate,
    check_tag_ids,
    check_tag_scores,
    check_transitions,
    decode_counting,
)

from .tag_status cimport BAD_SCORES, DONE, NO_MEMORY, NO_PATH, Status, check_scores


cdef struct Sentence:
    int n
    int n_tags
    int n_sets  # of tags used so far
    const float* scores  # (n, n_tags)
    const float* transitions  # (n_tags, n_tags), [from, to], or NULL
    const int* openers  # (n_tags,): the B- tag of an I- tag, -1 for other tags
    const int* once  # (n_tags,): number of a tag that occurs once, or -1
    int predicate  # this token has the tag `verb` or its I- tag; -1 for none
    int verb
    double* best  # (2, n_sets, n_tags)
    double* row_best  # (n_sets,)
    int* row_tag  # (n_sets,)
    int* back  # (n, n_sets, n_tags): the tag before


def viterbi(scores, openers=None, *, transitions=None, once=None, predicates=None, verb=-1):
    """The tags with the greatest sum of scores. Given a list of arrays, decodes a batch.

    scores (ndarray): Shape: (n, n_tags), float32; minus infinity forbids a tag.
    openers (Optional[ndarray]): For each I- tag, the B- tag that opens its span; -1 for other tags. None: all sequences
        are legal. Shape: (n_tags,), integers.
    transitions (Optional[ndarray]): Score of each pair of neighbours, [from, to]. Shape: (n_tags, n_tags), float32.
    once (Optional[ndarray]): 0, 1, ... for tags that may occur once (several tags may share a number), -1 for others.
        Shape: (n_tags,), integers.
    predicates (Optional[Union[int, Sequence[int]]]): The token that must be tagged `verb` or its I- tag, or -1; one for
        each array of a batch.
    verb (int): The B- tag of the predicate.
    RETURNS (Tuple[ndarray, float]): The tags, shape (n,), int32, and their score. A list for a batch.
    RAISES (ValueError): On a wrong type, dtype or shape, scores that are NaN or plus infinity, or no legal sequence.
    """
    if not isinstance(scores, (list, tuple)):
        return _decode(scores, "", openers, transitions, once, -1 if predicates is None else predicates, verb)
    check_batch(len(scores), predicates=predicates)
    of_each = [-1] * len(scores) if predicates is None else predicates
    return [
        _decode(one, f"[{i}]", openers, transitions, once, of_each[i], verb) for i, one in enumerate(scores)
    ]


def _decode(scores, item, openers, transitions, once, predicate, verb):
    scores = check_tag_scores(scores, "scores" + item)
    once = check_tag_ids(once, "once", scores.shape[1], MAX_ONCE)

    def decode(counted):
        return _decode_once(scores, item, openers, transitions, counted, predicate, verb)

    return decode_counting(once, decode, lambda found: once[found[0]])


def _decode_once(scores, item, openers, transitions, once, predicate, verb):
    n, n_tags = scores.shape
    openers = check_tag_ids(openers, "openers", n_tags, n_tags)
    transitions = check_transitions(transitions, n_tags)
    check_predicate(predicate, verb, n, n_tags, item)
    tags = np.zeros(n, dtype=np.int32)
    if n == 0:
        return tags, 0.0
    cdef const float[:, ::1] scores_view = scores
    cdef const float[:, ::1] transitions_view
    cdef const int[::1] openers_view = openers
    cdef const int[::1] once_view = once
    cdef int[::1] tags_view = tags
    cdef Sentence sent
    cdef Status status
    cdef double score = 0.0
    sent.n, sent.n_tags = scores_view.shape[0], scores_view.shape[1]
    sent.n_sets = 1 << (int(once.max()) + 1)
    sent.scores = &scores_view[0, 0]
    sent.openers = &openers_view[0]
    sent.once = &once_view[0]
    sent.transitions = NULL
    if transitions is not None:
        transitions_view = transitions
        sent.transitions = &transitions_view[0, 0]
    sent.predicate, sent.verb = predicate, verb
    with nogil:
        status = decode_sentence(&sent, &tags_view[0], &score)
    if status == NO_MEMORY:
        raise MemoryError(f"no memory for the tags of a sentence of {n} tokens")
    elif status == BAD_SCORES:
        raise ValueError(f"scores{item} must be finite or minus infinity")
    elif status == NO_PATH:
        raise ValueError(f"scores{item}: no legal sequence of tags has a score above minus infinity")
    return tags, score


cdef Status decode_sentence(Sentence* sent, int* tags, double* score) noexcept nogil:
    cdef size_t n_states = <size_t>sent.n_sets * sent.n_tags
    cdef Status status = NO_MEMORY
    cdef int t
    sent.best = <double*>malloc((2 * n_states + sent.n_sets) * sizeof(double))
    sent.back = <int*>malloc((sent.n * n_states + sent.n_sets) * sizeof(int))
    if sent.best != NULL and sent.back != NULL:
        sent.row_best = sent.best + 2 * n_states
        sent.row_tag = sent.back + sent.n * n_states
        status = check_scores(sent.scores, <size_t>sent.n * sent.n_tags)
        if status == DONE:
            for t in range(sent.n):
                step(sent, t)
            status = read_path(sent, tags, score)
    free(sent.best)
    free(sent.back)
    return status


cdef bint is_allowed(Sentence* sent, int t, int tag) noexcept nogil:
    return t != sent.predicate or tag == sent.verb or sent.openers[tag] == sent.verb


cdef void step(Sentence* sent, int t) noexcept nogil:
    """best(t, used, tag) = score(t, tag) + max over legal states before."""
    cdef size_t n_states = <size_t>sent.n_sets * sent.n_tags
    cdef double* here = sent.best + (t % 2) * n_states
    cdef double* before = sent.best + ((t + 1) % 2) * n_states
    cdef int* back = sent.back + t * n_states
    cdef const float* scores = sent.scores + <size_t>t * sent.n_tags
    cdef int used, used_before, tag, previous, bit
    cdef double best
    if t > 0 and sent.transitions == NULL:
        for used in range(sent.n_sets):
            best_of_row(sent, before + used * sent.n_tags, used)
    for used in range(sent.n_sets):
        for tag in range(sent.n_tags):
            best = -INFINITY
            previous = -1
            bit = 0 if sent.once[tag] < 0 else 1 << sent.once[tag]
            if is_allowed(sent, t, tag) and (bit == 0 or used & bit):
                used_before = used ^ bit
                if t > 0:
                    best = best_before(sent, before + used_before * sent.n_tags, used_before, tag, &previous)
                elif used_before == 0 and sent.openers[tag] < 0:
                    best = 0.0
            here[used * sent.n_tags + tag] = best + scores[tag] if best > -INFINITY else -INFINITY
            back[used * sent.n_tags + tag] = previous


cdef void best_of_row(Sentence* sent, const double* row, int used) noexcept nogil:
    cdef int tag
    sent.row_best[used] = -INFINITY
    sent.row_tag[used] = -1
    for tag in range(sent.n_tags):
        if row[tag] > sent.row_best[used]:
            sent.row_best[used] = row[tag]
            sent.row_tag[used] = tag


cdef double best_before(Sentence* sent, const double* row, int used, int tag, int* previous) noexcept nogil:
    """The best legal predecessor of a tag among the states with the tags `used`; the lowest one on ties."""
    cdef int opener = sent.openers[tag]
    cdef int other
    cdef double value, best = -INFINITY
    if opener < 0 and sent.transitions == NULL:
        previous[0] = sent.row_tag[used]
        return sent.row_best[used]
    for other in range(sent.n_tags):
        if opener >= 0 and other != opener and other != tag:
            continue
        value = row[other]
        if sent.transitions != NULL:
            value += sent.transitions[<size_t>other * sent.n_tags + tag]
        if value > best:
            best = value
            previous[0] = other
    return best


cdef Status read_path(Sentence* sent, int* tags, double* score) noexcept nogil:
    cdef size_t n_states = <size_t>sent.n_sets * sent.n_tags
    cdef const double* last = sent.best + ((sent.n - 1) % 2) * n_states
    cdef int used = 0, tag = -1, u, y, t
    cdef double best = -INFINITY
    for y in range(sent.n_tags):
        for u in range(sent.n_sets):
            if last[u * sent.n_tags + y] > best:
                best = last[u * sent.n_tags + y]
                used, tag = u, y
    if tag < 0:
        return NO_PATH
    score[0] = best
    for t in range(sent.n - 1, -1, -1):
        tags[t] = tag
        y = sent.back[t * n_states + used * sent.n_tags + tag]
        if sent.once[tag] >= 0:
            used ^= 1 << sent.once[tag]
        tag = y
    return DONE
