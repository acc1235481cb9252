"""The batches of a training in spaCy's order, and how to return to a place among them without running the model."""

import random
import zlib
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

import numpy
from spacy.attrs import DEP, HEAD, ORTH, TAG
from spacy.errors import Errors
from spacy.language import Language
from spacy.training import Example

from .train_checkpoint import WAY_OUT, CheckpointError
from .train_state import get_data_random_state, set_data_random_state

Corpus = Callable[[Language], Iterable[Example]]
Batcher = Callable[[Iterable[Example]], Iterable[List[Example]]]


class Place(NamedTuple):
    """A place among the batches.

    n_batches (int): Batches taken, in all epochs together.
    random_state (Dict[str, Any]): The random state before the corpus is read.
    fingerprint (int): The `fingerprint` of a corpus that is read once; 0 for a streamed corpus.
    annotation (Optional[int]): Its `annotation_fingerprint`; None in checkpoints of earlier versions.
    """

    n_batches: int
    random_state: Dict[str, Any]
    fingerprint: int
    annotation: Optional[int] = None


class TrainBatches:
    """Batches of successive epochs, as spaCy's `create_train_batches` makes them: the corpus is read once and shuffled
    before each epoch, or streamed where `max_epochs` is -1.

    To return to a place, all batches before it are made again: batchers may have a schedule of sizes or hold Examples
    back, and each shuffle starts from the order of the epoch before. Corpora and batchers have their own random state,
    which draws of the models do not change. So the batches come out the same.

    nlp (Language): For the corpus.
    corpus (Corpus): Gives the Examples.
    batcher (Batcher): Cuts them into batches.
    max_epochs (int): 0: unlimited. -1: unlimited and streamed.
    place (Optional[Place]): The place to resume from; None to begin.
    """

    def __init__(
        self, nlp: Language, corpus: Corpus, batcher: Batcher, max_epochs: int, *, place: Optional[Place] = None
    ) -> None:
        self.nlp = nlp
        self.corpus = corpus
        self.batcher = batcher
        self.max_epochs = max_epochs
        self.place = place
        self._random_state: Tuple[Any, Any] = (None, None)

    def __iter__(self) -> Iterator[Tuple[int, List[Example]]]:
        """Yield epochs and batches. After each batch, `place` is the place after it.

        RAISES (ValueError): The corpus is empty.
        RAISES (CheckpointError): The corpus has changed since the place was recorded.
        """
        random_state = get_data_random_state() if self.place is None else self.place.random_state
        with _kept_random_state():
            set_data_random_state(random_state)
            examples = self._read()
            self._random_state = _raw_random_state()
        checksum, annotation = fingerprint(examples), annotation_fingerprint(examples)
        self._check_unchanged(checksum, annotation)
        batches = self._batches(examples)
        for _ in range(self.place.n_batches if self.place else 0):
            self._next(batches)
        n_batches = self.place.n_batches if self.place else 0
        while (item := self._next(batches)) is not None:
            n_batches += 1
            self.place = Place(n_batches, random_state, checksum, annotation)
            yield item

    def _check_unchanged(self, checksum: int, annotation: int) -> None:
        if self.place is None:
            return
        changed = "its sentences, or their order, have" if self.place.fingerprint != checksum else ""
        if not changed and self.place.annotation not in (None, annotation):
            changed = "the tags, arcs or spans of its sentences have"
        if changed:
            raise CheckpointError(
                f"the training data is not what it was at the checkpoint: {changed} changed. {WAY_OUT}"
            )

    def _read(self) -> List[Example]:
        if self.max_epochs < 0:
            return []
        examples = list(self.corpus(self.nlp))
        if not examples:
            raise ValueError(Errors.E986)
        return examples

    def _batches(self, examples: List[Example]) -> Iterator[Tuple[int, List[Example]]]:
        epoch = 0
        while self.max_epochs < 1 or epoch != self.max_epochs:
            if self.max_epochs >= 0:
                random.shuffle(examples)
            for batch in self.batcher(examples if self.max_epochs >= 0 else self.corpus(self.nlp)):
                yield epoch, batch
            epoch += 1

    def _next(self, batches: Iterator[Tuple[int, List[Example]]]) -> Optional[Tuple[int, List[Example]]]:
        """The next batch, drawn with the batches' own random state."""
        with _kept_random_state():
            _set_raw_random_state(self._random_state)
            item = next(batches, None)
            self._random_state = _raw_random_state()
        return item


def fingerprint(examples: List[Example]) -> int:
    """A checksum of the words of all Examples, in order."""
    checksum = 0
    for eg in examples:
        words = eg.reference.to_array([ORTH])
        checksum = zlib.crc32(words.tobytes(), zlib.crc32(len(words).to_bytes(4, "little"), checksum))
    return checksum


def annotation_fingerprint(examples: List[Example]) -> int:
    """A checksum of the tags, arcs and spans of all Examples, in order."""
    checksum = 0
    for eg in examples:
        checksum = zlib.crc32(eg.reference.to_array([HEAD, DEP, TAG]).tobytes(), checksum)
        for key, group in sorted(eg.reference.spans.items()):
            spans = "".join(f" {span.start} {span.end} {span.label_} {span.id_}" for span in group)
            checksum = zlib.crc32(f"{key}{spans}".encode("utf8", "surrogatepass"), checksum)
    return checksum


@contextmanager
def _kept_random_state() -> Iterator[None]:
    """Restore the random state after the block."""
    before = _raw_random_state()
    try:
        yield
    finally:
        _set_raw_random_state(before)


def _raw_random_state() -> Tuple[Any, Any]:
    return random.getstate(), numpy.random.get_state()


def _set_raw_random_state(state: Tuple[Any, Any]) -> None:
    random.setstate(state[0])
    numpy.random.set_state(state[1])
