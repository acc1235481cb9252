"""The batches of a training in spaCy's order, and how to find a place among them again without running the model."""

import random
import zlib
from itertools import islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from spacy.attrs import ORTH
from spacy.errors import Errors
from spacy.language import Language
from spacy.training import Example

from .train_checkpoint import WAY_OUT, CheckpointError
from .train_state import get_data_random_state, set_data_random_state

Corpus = Callable[[Language], Iterable[Example]]
Batcher = Callable[[Iterable[Example]], Iterable[List[Example]]]


class Place(NamedTuple):
    """A place among the batches.

    random_states (List[Dict[str, Any]]): Random numbers before the corpus was read, and at the beginning of each epoch.
    n_taken (int): Batches taken in the last of these epochs.
    fingerprint (Optional[int]): Of a corpus that is read once, see `fingerprint`.
    """

    random_states: List[Dict[str, Any]]
    n_taken: int
    fingerprint: Optional[int]


class TrainBatches:
    """Batches, epoch after epoch, as spaCy's `create_train_batches` makes them: the corpus is read once and shuffled
    before each epoch, or streamed where `max_epochs` is -1.

    To come to a place, the corpus is read again, and every epoch shuffled and batched again: batchers may have a
    schedule of sizes, and shuffling goes on from the order of the epoch before.

    nlp (Language): For the corpus.
    corpus (Corpus): Gives the Examples.
    batcher (Batcher): Cuts them into batches.
    max_epochs (int): 0: without end. -1: without end, and streamed.
    place (Optional[Place]): Where to go on; None to begin.
    on_place (Callable[[], None]): Called when the place is reached, before the next batch is made: the moment to set
        all random generators.
    """

    def __init__(
        self,
        nlp: Language,
        corpus: Corpus,
        batcher: Batcher,
        max_epochs: int,
        *,
        place: Optional[Place] = None,
        on_place: Callable[[], None] = lambda: None,
    ) -> None:
        self.nlp = nlp
        self.corpus = corpus
        self.batcher = batcher
        self.max_epochs = max_epochs
        self.place = place
        self.on_place = on_place

    def __iter__(self) -> Iterator[Tuple[int, List[Example]]]:
        """Epoch and batch, one after the other; `place` is kept after the batch that was given last.

        RAISES (ValueError): Where the corpus is empty.
        RAISES (CheckpointError): Where it has changed since the place was noted.
        """
        start = self.place
        if start is not None:
            set_data_random_state(start.random_states[0])
        random_states = [get_data_random_state()] if start is None else list(start.random_states)
        examples = [] if self.max_epochs < 0 else self._read()
        checksum = None if self.max_epochs < 0 else fingerprint(examples)
        if start is not None and start.fingerprint != checksum:
            raise CheckpointError(
                "the training data is not what it was at the checkpoint: its sentences, or their order, have changed. "
                f"{WAY_OUT}"
            )
        n_begun = 0 if start is None else len(start.random_states) - 1
        epoch = 0
        while self.max_epochs < 1 or epoch != self.max_epochs:
            if epoch < n_begun:
                set_data_random_state(random_states[epoch + 1])
            else:
                random_states.append(get_data_random_state())
            if self.max_epochs >= 0:
                random.shuffle(examples)
            batches = iter(self.batcher(examples if self.max_epochs >= 0 else self.corpus(self.nlp)))
            n_taken = 0
            if start is not None and epoch < n_begun:
                last = epoch == n_begun - 1
                n_taken = sum(1 for _ in (islice(batches, start.n_taken) if last else batches))
                if last:
                    self.on_place()
            for batch in batches:
                n_taken += 1
                self.place = Place(random_states, n_taken, checksum)
                yield epoch, batch
            epoch += 1

    def _read(self) -> List[Example]:
        examples = list(self.corpus(self.nlp))
        if not examples:
            raise ValueError(Errors.E986)
        return examples


def fingerprint(examples: List[Example]) -> int:
    """A checksum of the words of all Examples, in order."""
    checksum = 0
    for eg in examples:
        words = eg.reference.to_array([ORTH])
        checksum = zlib.crc32(words.tobytes(), zlib.crc32(len(words).to_bytes(4, "little"), checksum))
    return checksum
