"""NumPy's products on one thread."""

from threadpoolctl import threadpool_info, threadpool_limits

from spacy_lal.models.weights.threads import ONE_BLAS_THREAD


def n_blas_threads():
    """Those of NumPy's library; others may be loaded later."""
    (threads,) = [
        library["num_threads"]
        for library in threadpool_info()
        if library["user_api"] == "blas" and "numpy" in library["filepath"]
    ]
    return threads


def test_products_run_on_one_thread_until_the_last_block_ends():
    with threadpool_limits(2, user_api="blas"):
        before = n_blas_threads()
        with ONE_BLAS_THREAD:
            with ONE_BLAS_THREAD:
                assert n_blas_threads() == 1
            assert n_blas_threads() == 1
        assert n_blas_threads() == before == 2


def test_an_error_ends_the_limit():
    before = n_blas_threads()
    try:
        with ONE_BLAS_THREAD:
            raise KeyError("within")
    except KeyError:
        pass
    assert n_blas_threads() == before
