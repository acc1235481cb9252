"""NumPy's products on one thread."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from threadpoolctl import threadpool_info, threadpool_limits

from spacy_lal.models.weights.threads import ONE_BLAS_THREAD


def n_blas_threads():
    found = [
        one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"
    ]
    return max(found)


def test_products_run_on_one_thread_until_the_last_block_ends():
    both_are_in, first_is_out = Barrier(2), Barrier(2)

    def first():
        with ONE_BLAS_THREAD:
            both_are_in.wait(10)
        first_is_out.wait(10)

    def second():
        with ONE_BLAS_THREAD:
            both_are_in.wait(10)
            first_is_out.wait(10)
            return n_blas_threads()

    with threadpool_limits(2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        before = n_blas_threads()
        pool.submit(first)
        assert pool.submit(second).result(10) == 1
        assert n_blas_threads() == before


def test_an_error_ends_the_limit():
    before = n_blas_threads()
    try:
        with ONE_BLAS_THREAD:
            raise KeyError("within")
    except KeyError:
        pass
    assert n_blas_threads() == before
