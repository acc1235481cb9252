"""Progress of long work: on stderr, if it is a terminal, and never in the output."""

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Optional, TypeVar

from spacy.language import Language

from spacy_lal.cli.outputs import is_stdout
from spacy_lal.cli.texts import TextReader

Item = TypeVar("Item")


def progress(items: Iterable[Item], *, total: Optional[int] = None, unit: str = "sentences") -> Iterable[Item]:
    """The same items, with a bar that counts them at a terminal.

    total (Optional[int]): Their number, if it is known.
    unit (str): The name of the items, in the plural.
    """
    from tqdm import tqdm

    return tqdm(items, total=total, unit=f" {unit}", file=sys.stderr, disable=None, leave=False)


@contextmanager
def pipe_progress(nlp: Language, total: int) -> Iterator[None]:
    """For a block that calls `nlp.pipe`, once or more: a bar counts the Docs of all calls.

    total (int): The number of Docs in all calls.
    """
    from tqdm import tqdm

    pipe = nlp.pipe
    with tqdm(total=total, unit=" Docs", file=sys.stderr, disable=None, leave=False) as bar:

        def counted(*args: Any, **settings: Any) -> Iterator[Any]:
            for doc in pipe(*args, **settings):
                bar.update()
                yield doc

        setattr(nlp, "pipe", counted)  # noqa: B010  (a method of this one object)
        try:
            yield
        finally:
            delattr(nlp, "pipe")


@contextmanager
def reading_progress(reader: Optional[TextReader], output: Optional[Path]) -> Iterator[Callable[[int], Any]]:
    """A bar for a file that is read, if stderr is a terminal that the output does not go to. It counts bytes if the
    size of the file is known, otherwise sentences.

    reader (Optional[TextReader]): The reader of the file; None shows nothing.
    output (Optional[Path]): Where the output goes.
    YIELDS (Callable[[int], Any]): To be called with the number of sentences parsed since the last call.
    """
    shown = sys.stderr is not None and sys.stderr.isatty() and (not is_stdout(output) or not sys.stdout.isatty())
    if reader is None or not shown:
        yield lambda n_sentences: None
        return
    from tqdm import tqdm

    total = reader.n_bytes
    unit = "B" if total is not None else " sentences"
    n_done = 0
    with tqdm(total=total, unit=unit, unit_scale=total is not None, file=sys.stderr) as bar:

        def advance(n_sentences: int) -> None:
            nonlocal n_done
            n_done += n_sentences
            if total is None:
                bar.update(n_sentences)
            else:
                bar.set_postfix(sentences=n_done, refresh=False)
                bar.update(reader.bytes_read - bar.n)

        yield advance
