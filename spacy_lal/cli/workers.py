"""Parsing in this process, or in workers, which end when the command does, however it
ends. In `nlp.pipe(n_process=2)` spaCy waits for its workers when something raises, and
they wait for spaCy."""

import os
import pickle
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from multiprocessing import Pipe, Process, parent_process
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Optional,
)

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from spacy_lal.cli.texts import Origin

# Texts per memory zone: at its end spaCy forgets the words that it has met.
ZONE_SIZE = 4096
AHEAD = 4  # batches for each worker that may wait for a slower one


class Batch(NamedTuple):
    """Texts and where they come from; their Docs as bytes, up to an error."""

    texts: "list[tuple[str, Origin]]"
    docs: list[bytes]
    error: Optional[Exception] = None


def parse_texts(
    nlp: "Language",
    texts: "Iterable[tuple[str, Origin]]",
    *,
    batch_size: int,
    n_process: int = 1,
) -> "Iterator[tuple[Doc, Origin]]":
    """Parse a stream. New words are regularly forgotten (`nlp.memory_zone`), so that
    memory does not grow with the text: each Doc is valid until the next one is
    requested. An error of a component or of the texts is raised after the Docs before
    it.

    YIELDS (Tuple[Doc, Origin]): Each Doc, in order, with the origin of its text.
    RAISES (ChildProcessError): A worker was killed.
    """
    if n_process > 1:
        yield from _parse_in_workers(nlp, texts, batch_size, n_process)
        return
    texts = iter(texts)
    for first in texts:
        with nlp.memory_zone():
            zone = chain([first], islice(texts, ZONE_SIZE - 1))
            yield from nlp.pipe(zone, as_tuples=True, batch_size=batch_size)


def _parse_in_workers(
    nlp: "Language",
    texts: "Iterable[tuple[str, Origin]]",
    batch_size: int,
    n_workers: int,
) -> "Iterator[tuple[Doc, Origin]]":
    from spacy.tokens import Doc

    workers: dict[Connection, Process] = {}
    try:
        for _ in range(n_workers):
            connection, process = _start(nlp)
            workers[connection] = process
        for batch in _in_order(_batches(texts, batch_size), list(workers)):
            with nlp.memory_zone():
                for data, (_, origin) in zip(batch.docs, batch.texts, strict=False):
                    yield Doc(nlp.vocab).from_bytes(data), origin
            if batch.error is not None:
                raise batch.error
    finally:
        for process in workers.values():
            process.kill()


def _start(nlp: "Language") -> tuple[Connection, Process]:
    from spacy.tokens.underscore import Underscore

    ours, theirs = Pipe()
    arguments = (nlp, Underscore.get_state(), theirs)
    process = Process(target=_work, args=arguments, daemon=True)
    process.start()
    theirs.close()  # so that the end of the process ends the connection
    return ours, process


def _batches(texts: "Iterable[tuple[str, Origin]]", batch_size: int) -> Iterator[Batch]:
    """Batches to parse; an error of the texts is a batch of its own."""
    from spacy.util import minibatch

    try:
        for batch in minibatch(texts, batch_size):
            yield Batch(batch, [])
    except Exception as error:
        yield Batch([], [], error)


def _in_order(batches: Iterator[Batch], workers: list[Connection]) -> Iterator[Batch]:
    """The batches with their Docs. A worker has one batch at a time: it never waits to
    send while its reader waits to send, too."""
    idle: SimpleQueue[Connection] = SimpleQueue()
    for connection in workers:
        idle.put(connection)
    threads = ThreadPoolExecutor(len(workers))
    asked: deque[Future[Batch]] = deque()
    try:
        for batch in batches:
            asked.append(threads.submit(_parsed, batch, idle))
            while asked and (asked[0].done() or len(asked) > AHEAD * len(workers)):
                yield asked.popleft().result()
        for future in asked:
            yield future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def _parsed(batch: Batch, idle: "SimpleQueue[Connection]") -> Batch:
    if batch.error is not None:
        return batch
    connection = idle.get()
    try:
        connection.send([text for text, _ in batch.texts])
        docs, error = connection.recv()
    except (EOFError, ConnectionError):
        raise ChildProcessError(
            "a worker process was killed: is there enough memory for --n-process?"
        ) from None
    finally:
        idle.put(connection)  # also that of an ended worker: nobody waits for it
    return Batch(batch.texts, docs, error)


def _work(nlp: "Language", extensions: Any, connection: Connection) -> None:
    """A worker process: parses batches until the command ends it, or has ended."""
    from spacy.tokens.underscore import Underscore

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal; the command's
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    Underscore.load_state(extensions)
    with suppress(EOFError, ConnectionError):
        while True:
            connection.send(_parse(nlp, connection.recv()))


def _end_with_parent() -> None:
    """End this process when the command is gone, even if it was killed."""
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _parse(
    nlp: "Language", texts: list[str]
) -> tuple[list[bytes], Optional[Exception]]:
    docs: list[bytes] = []
    try:
        with nlp.memory_zone():
            for doc in nlp.pipe(texts, batch_size=len(texts)):
                docs.append(doc.to_bytes())
    except Exception as error:
        return docs, _sendable(error)
    return docs, None


def _sendable(error: Exception) -> Exception:
    """The error, or its name and message where pickle cannot copy it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
