"""What the decoders of tags share: how a search ends, and the check of its scores."""

from libc.math cimport INFINITY, isnan


cdef enum Status:
    DONE
    NO_MEMORY
    BAD_SCORES
    NO_PATH


cdef inline Status check_scores(const float* scores, size_t n_scores) noexcept nogil:
    """BAD_SCORES for NaN and plus infinity, otherwise DONE."""
    cdef size_t i
    for i in range(n_scores):
        if isnan(scores[i]) or scores[i] == INFINITY:
            return BAD_SCORES
    return DONE
