"""Runs one decoder over many sentences, on one thread or several."""

from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List, Optional, Sequence, TypeVar

ResultT = TypeVar("ResultT")

WORTH_A_THREAD = 200.0  # minimum work of a thread in microseconds; starting one takes about half as long


def run_batch(decode: Callable[[int], ResultT], costs: Sequence[float], n_threads: int) -> List[ResultT]:
    """Decode sentence 0, 1, ... of a batch.

    The threads take sentences from one list, longest first, so that a long sentence does not start last.

    decode (Callable[[int], ResultT]): Decodes the i-th sentence.
    costs (Sequence[float]): Estimated work of each sentence in microseconds.
    n_threads (int): Maximum number of threads, 1 or more; fewer run if there is too little work.
    RETURNS (List[ResultT]): The results, in the order of the sentences.
    RAISES (Exception): The error of `decode` for the first failing sentence, in the order of the batch.
    """
    n_workers = min(n_threads, len(costs), int(sum(costs) / WORTH_A_THREAD))
    if n_workers < 2:
        return [decode(i) for i in range(len(costs))]
    results: List[Optional[ResultT]] = [None] * len(costs)
    errors: List[Optional[Exception]] = [None] * len(costs)
    queue = iter(sorted(range(len(costs)), key=lambda i: -costs[i]))

    def work() -> None:
        for i in queue:  # next() on a list iterator is atomic
            try:
                results[i] = decode(i)
            except Exception as error:
                errors[i] = error

    with ThreadPoolExecutor(n_workers - 1) as pool:
        futures = [pool.submit(work) for _ in range(n_workers - 1)]
        work()
        for future in futures:
            future.result()
    for error in errors:
        if error is not None:
            raise error
    return results  # type: ignore[return-value]
