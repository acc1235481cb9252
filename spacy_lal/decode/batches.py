"""One decoder over many sentences, on one thread or several."""

from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List, Optional, Sequence, TypeVar

ResultT = TypeVar("ResultT")

WORTH_A_THREAD = 200.0  # microseconds of work that a thread must find: it takes about half of that to start one


def run_batch(decode: Callable[[int], ResultT], costs: Sequence[float], n_threads: int) -> List[ResultT]:
    """Decode sentence 0, 1, ... of a batch.

    The threads take sentences from one list, longest first, so that a long one does not start last. They only gain
    where `decode` releases the interpreter lock.

    decode (Callable[[int], ResultT]): Decodes the i-th sentence.
    costs (Sequence[float]): For each sentence a guess of the work in microseconds.
    n_threads (int): Number of threads at most, 1 or more; fewer run where there is too little work for so many.
    RETURNS (List[ResultT]): The results, in the order of the sentences.
    RAISES (Exception): What `decode` raises for the first sentence, in their order, that it fails on.
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
