"""Base of components that predict and learn sentence by sentence. *Not* here: storage (`portable_pipe`), and the
annotation that a component predicts."""

from itertools import islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.training.batchers import minibatch_by_words
from spacy.util import minibatch, raise_error
from thinc.api import Optimizer, set_dropout_rate

from ..loss.gold import copy_sentence_starts
from .portable_pipe import PortablePipe

# Docs are read in runs of about this many tokens, whatever the batch size: their vectors are copied for the network.
MAX_TOKENS = 50_000


class SentencePipe(PortablePipe):
    """A subclass has `_learn`, besides the parts that `PortablePipe` needs."""

    @property
    def label_data(self) -> Dict[str, List[Any]]:
        """The vocabularies that `initialize` collects from training data."""
        return {key: list(values) for key, values in self.cfg.items()}

    def add_label(self, label: str) -> int:
        """Not supported, since labels determine the network's size. RAISES (ValueError): Always."""
        raise ValueError(
            f"labels of '{self.name}' come from the training data or from initialize(labels=...), got {label!r}"
        )

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """See `TrainablePipe`. If a batch fails, an error handler that goes on gets only the Docs that fail alone."""
        handle = self.get_error_handler()
        for docs in minibatch(stream, size=batch_size):
            try:
                self.set_annotations(docs, self.predict(docs))
            except Exception as error:
                if len(docs) == 1 or handle is raise_error:
                    handle(self.name, self, docs, error)
                else:
                    yield from self.pipe(docs, batch_size=1)
            else:
                yield from docs

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from a batch of Examples. A predicted Doc without sentence boundaries takes the reference's boundaries.
        The component's own transformer, if any, is not trained.

        drop (float): Dropout rate of the token vectors' layers; the config sets the network's own rates.
        RETURNS (Dict[str, float]): The losses, with this component's added.
        RAISES (ValueError): The component was never initialised, or the loss is not finite.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not any(len(eg.predicted) for eg in examples):
            return losses
        if not self.labels:
            raise ValueError(f"'{self.name}' has no network to train yet: call nlp.initialize() first")
        for eg in examples:
            copy_sentence_starts(eg)
        set_dropout_rate(self.model, drop)
        loss = self._learn(examples, [eg.predicted for eg in examples])
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def _learn(self, examples: List[Example], docs: List[Doc]) -> float:
        """Compute the loss of a batch, and add its gradient to the parameters' gradients.

        docs (List[Doc]): The predicted Docs of the Examples.
        RETURNS (float): The loss.
        """
        raise NotImplementedError(f"{type(self).__name__} does not learn")

    def _initialize_model(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        """Make the network, from a few Examples whose Docs stay as they are."""
        sample = []
        for eg in islice(get_examples(), 10):
            eg = Example(eg.predicted.copy(), eg.reference)
            copy_sentence_starts(eg)
            sample.append(eg.predicted)
        self.model.initialize(X=sample)


def runs_of_docs(docs: Sequence[Doc]) -> Iterator[Tuple[List[int], List[Doc]]]:
    """The Docs with tokens, in runs of at most `MAX_TOKENS` tokens, and their numbers. An empty Doc has no sentence,
    and its vectors from spacy-transformers have no width."""
    with_tokens = [i for i, doc in enumerate(docs) if len(doc)]
    for run in minibatch_by_words(with_tokens, MAX_TOKENS, get_length=lambda i: len(docs[i])):
        yield run, [docs[i] for i in run]
