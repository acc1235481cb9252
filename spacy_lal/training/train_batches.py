"""The batches of a training in spaCy's order, and how to find a place among them again without running the model."""

import random
import zlib
from itertools import islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from spacy.attrs import ORTH
from spacy.errors import Errors
from spacy.language import Language
from spacy.training import Example

from .train_state import get_data_random_state, set_data_random_state

Corpus = Callable[[Language], Iterable[Example]]
Batcher = Callable[[Iterable[Example]], Iterable[List[Example]]]


class TrainBatches:
    """Batches, epoch after epoch, as spaCy's `create_train_batches` makes them: the corpus is read once and shuffled
    before each epoch, or streamed where `max_epochs` is -1.

    A place among them is the random numbers before the corpus was read and at the beginning of each epoch, and the
    number of batches taken since. To go there, the corpus is read, and every epoch shuffled and batched again: batchers
    may have a schedule of sizes, and shuffling goes on from the order of the epoch before.

    nlp (Language): For the corpus.
    corpus (Corpus): Gives the Examples.
    batcher (Batcher): Cuts them into batches.
    max_epochs (int): 0: without end. -1: without end, and streamed.
    """

    def __init__(self, nlp: Language, corpus: Corpus, batcher: Batcher, max_epochs: int) -> None:
        self.nlp = nlp
        self.corpus = corpus
        self.batcher = batcher
        self.max_epochs = max_epochs
        self.n_taken = 0
        self.random_states: List[Dict[str, Any]] = []
        self.fingerprint: Optional[int] = None

    def get_state(self) -> Dict[str, Any]:
        """The place after the batch that was given last."""
        return {"n_taken": self.n_taken, "random_states": self.random_states, "fingerprint": self.fingerprint}

    def iterate(
        self, state: Optional[Dict[str, Any]] = None, on_found: Callable[[], None] = lambda: None
    ) -> Iterator[Tuple[int, List[Example]]]:
        """Epoch and batch, one after the other.

        state (Optional[Dict[str, Any]]): A place to go on from, as `get_state` gave it; None to begin.
        on_found (Callable[[], None]): Called when that place is found, before the next batch is made: the moment to set
            all random generators.
        RAISES (ValueError): Where the corpus is empty, or is not the one of the state.
        """
        past = state["random_states"] if state else []
        self.random_states = list(past) or [get_data_random_state()]
        set_data_random_state(self.random_states[0])
        examples = self._read(state)
        epoch = 0
        while self.max_epochs < 1 or epoch != self.max_epochs:
            n_known = len(past) - 1  # epochs that had begun
            if epoch < n_known:
                set_data_random_state(past[epoch + 1])
            else:
                self.random_states.append(get_data_random_state())
                self.n_taken = 0
            if self.max_epochs >= 0:
                random.shuffle(examples)
            batches = iter(self.batcher(examples if self.max_epochs >= 0 else self.corpus(self.nlp)))
            if state and epoch < n_known:
                whole = epoch < n_known - 1
                self.n_taken = sum(1 for _ in (batches if whole else islice(batches, state["n_taken"])))
                if not whole:
                    on_found()
            for batch in batches:
                self.n_taken += 1
                yield epoch, batch
            epoch += 1

    def _read(self, state: Optional[Dict[str, Any]]) -> List[Example]:
        """The Examples of a corpus that is read once; none of one that is streamed."""
        if self.max_epochs < 0:
            return []
        examples = list(self.corpus(self.nlp))
        if not examples:
            raise ValueError(Errors.E986)
        self.fingerprint = fingerprint(examples)
        if state and state["fingerprint"] != self.fingerprint:
            raise ValueError("the training data is not what it was: its sentences, or their order, have changed")
        return examples


def fingerprint(examples: List[Example]) -> int:
    """A checksum of the words of all Examples, in order."""
    value = 0
    for eg in examples:
        value = zlib.crc32(eg.reference.to_array([ORTH]).tobytes(), value)  # type: ignore[union-attr]
        value = zlib.crc32(b"\n", value)
    return value
