"""The base of `lal_parser` and `lal_srl`: components that predict and learn sentence by
sentence. Here are labels, batches, updates and storage. *Not* here: what a component
predicts."""

import gc
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import (
    Any,
    Optional,
    Union,
)

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.training.batchers import minibatch_by_words
from spacy.vocab import Vocab
from thinc.api import Model, NumpyOps, Optimizer, set_dropout_rate

from ..lang import DEFAULT_PIPELINE
from ..loss.gold import copy_sentence_starts
from ..models.torch import require_torch
from ..models.weights.threads import ONE_BLAS_THREAD, return_memory_of

FACTORY = "lal_parser"
ROLES_FACTORY = "lal_srl"
# Docs are read in runs of about this many tokens, whatever the batch size: their
# vectors are copied for the network.
MAX_TOKENS = 50_000
# The token vectors of the default configs: small, for a pipeline without a transformer.
SMALL_TOK2VEC = """
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 96
depth = 2
embed_size = 2000
window_size = 1
maxout_pieces = 3
subword_features = true
""".strip()


class SentencePipe(TrainablePipe):
    """The base of `lal_parser` and `lal_srl`. A subclass adds `labels` and these:
    _prepare(): Raises a ValueError if the component cannot predict.
    _predict(docs): As `predict`, for Docs with tokens and vectors.
    _learn(examples, docs): Adds the gradient of a batch's loss to the parameters'
        gradients, and returns the loss.
    added_by (str): The code that adds the component with trained weights."""

    def __init__(
        self,
        vocab: Vocab,
        model: Union[Model, str],
        name: str,
        scorer: Optional[Callable],
        vocabularies: Iterable[str],
    ) -> None:
        """Make a component.
        RAISES (ValueError): The model is a name, as with benepar."""
        if isinstance(model, str):
            raise ValueError(
                f"'{name}' expects the block of a network as its model, got {model!r}: "
                f"write {self.added_by}, or nlp = spacy.load({DEFAULT_PIPELINE!r})"
            )
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {key: [] for key in vocabularies}
        self._configured_model = model
        self._unknown: set[str] = set()  # gold labels that a warning has named

    # Labels

    @property
    def label_data(self) -> dict[str, list[Any]]:
        """The vocabularies that `initialize` collects from training data."""
        return {key: list(values) for key, values in self.cfg.items() if key != "model"}

    def set_label_data(self, label_data: Mapping[str, Sequence[Any]]) -> None:
        """Set the vocabularies, and so the sizes of the network.

        RAISES (ValueError): There are unknown keys."""
        known = set(self.cfg) - {"model"}
        if not isinstance(label_data, Mapping) or set(label_data) - known:
            raise ValueError(
                f"labels are a dict with the keys {sorted(known)}, got "
                f"{label_data!r:.200}"
            )
        self.cfg.update({key: list(label_data.get(key, ())) for key in known})

    def _intern(self, strings: Iterable[str]) -> None:
        """Add strings to the vocab for good: those added within `nlp.memory_zone()` are
        removed at its end."""
        for string in strings:
            self.vocab.strings.add(string, allow_transient=False)  # type: ignore[call-arg]  # spaCy's stub

    # Prediction

    def predict(self, docs: Iterable[Doc]) -> list[list[Any]]:
        """Predictions for each Doc and sentence, without changing the Docs.

        RAISES (ValueError): A Doc has no sentence boundaries, the component is
            untrained, or no component provides the vectors that the model listens to.
        """
        docs = list(docs)
        of_docs: list[list[Any]] = [[] for _ in docs]
        with_tokens = [i for i, doc in enumerate(docs) if len(doc)]
        if with_tokens:
            self._prepare()
        runs = minibatch_by_words(
            with_tokens, MAX_TOKENS, get_length=lambda i: len(docs[i])
        )
        for run in runs:  # not always in order
            together = [docs[i] for i in run]
            with ONE_BLAS_THREAD:
                predictions = self._predict(together)
            return_memory_of(together)
            for i, of_doc in zip(run, predictions, strict=True):
                of_docs[i] = of_doc
        return of_docs

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """See `TrainablePipe`. If a batch fails, an error handler that goes on gets
        only the Docs that fail alone."""
        handle = self.get_error_handler()
        for docs in util.minibatch(stream, size=batch_size):
            try:
                self.set_annotations(docs, self.predict(docs))
            except Exception as error:
                if len(docs) == 1 or handle is util.raise_error:
                    handle(self.name, self, docs, error)
                else:
                    yield from self.pipe(docs, batch_size=1)
            else:
                yield from docs

    # Training

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[dict[str, float]] = None,
    ) -> dict[str, float]:
        """Learn from a batch of Examples. A predicted Doc without sentence boundaries
        takes the reference's boundaries.
        drop (float): Dropout rate of the token vectors' layers; the config sets the
            network's own rates.
        RETURNS (Dict[str, float]): The losses, with this component's added.
        RAISES (ValueError): The component was never initialised, or the loss is not
            finite."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not any(len(eg.predicted) for eg in examples):
            return losses
        require_torch()
        if not self.labels:
            raise ValueError(
                f"'{self.name}' has no network to train yet: call nlp.initialize() "
                "first"
            )
        for eg in examples:
            copy_sentence_starts(eg)
        set_dropout_rate(self.model, drop)
        losses[self.name] += self._learn(examples, [eg.predicted for eg in examples])
        if sgd not in (None, False):
            self.finish_update(sgd)
        return losses

    def _warn_unknown(self, labels: set[str]) -> None:
        new = sorted(labels - self._unknown)
        if new:
            warnings.warn(
                f"'{self.name}' does not know gold labels and does not learn from "
                f"them, such as {', '.join(new[:5])}: labels are fixed when a "
                "component is initialised",
                stacklevel=4,
            )
            self._unknown.update(labels)

    def _initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        collect: Callable[[], Mapping[str, Sequence[Any]]],
    ) -> None:
        """Collect labels, when the component has its configured model, and make the
        network."""
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self.model = self._configured_model
        self.cfg.pop("model", None)
        self.set_label_data(collect())
        sample = []
        for eg in islice(get_examples(), 10):
            eg = Example(eg.predicted.copy(), eg.reference)
            copy_sentence_starts(eg)
            sample.append(eg.predicted)
        self.model.initialize(X=sample)

    # Storage. `cfg` has the label data, and the block "model" if the config does not
    # describe the model.

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "SentencePipe":
        """Load from bytes, in place."""
        readers: dict[str, Callable[[bytes], Any]] = {
            "cfg": lambda data: self._load_cfg(srsly.json_loads(data)),
            "vocab": lambda data: self.vocab.from_bytes(data, exclude=exclude),
            "model": self._load_model,
        }
        util.from_bytes(bytes_data, readers, exclude)
        return self

    def from_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> "SentencePipe":
        """Load from a directory, in place.

        RAISES (ValueError): Weights do not fit the config."""
        readers: dict[str, Callable[[Any], Any]] = {
            "cfg": self._read_cfg,
            "vocab": lambda folder: self.vocab.from_disk(folder, exclude=exclude),
            "model": lambda file: self._load_model(file.read_bytes()),
        }
        util.from_disk(path, readers, exclude)
        return self

    def _read_cfg(self, file: Path) -> None:
        # Of the lists in JSON few stay. Their number would make the garbage collector
        # go through all objects of the process.
        is_on = gc.isenabled()
        gc.disable()
        try:
            self._load_cfg(srsly.read_json(file))
        finally:
            if is_on:
                gc.enable()

    def _load_cfg(self, cfg: dict[str, Any]) -> None:
        self.model = self._configured_model
        self.cfg.pop("model", None)
        if "model" in cfg:
            self.model = util.registry.resolve({"model": cfg["model"]})["model"]
            self.cfg["model"] = cfg.pop("model")
        # Labels come first, since they determine the sizes of the network. A component
        # saved before its initialisation has neither.
        if any(cfg.values()):
            self.set_label_data(cfg)

    def _load_model(self, data: bytes) -> None:
        if self.labels:
            self.model.from_bytes(data)


def parser_names(nlp: Language) -> list[str]:
    """The names of a pipeline's `lal_parser` components, in order."""
    metas = {name: nlp.get_pipe_meta(name) for name in nlp.pipe_names}
    return [name for name, meta in metas.items() if meta.factory == FACTORY]


def sentence_splitters(nlp: Language, parsers: Collection[str]) -> list[str]:
    """The names of components that set sentence breaks; `parsers`, since spaCy's own
    also does, are left out."""
    metas = {name: nlp.get_pipe_meta(name) for name in nlp.pipe_names}
    return [
        name
        for name, meta in metas.items()
        if "token.is_sent_start" in meta.assigns and name not in parsers
    ]


def multiply_by_numpy() -> Callable[[Language], Language]:
    """Registered as `spacy-lal.multiply_by_numpy.v1`, for
    `[nlp.after_pipeline_creation]`: the layers of a pipeline multiply by NumPy. thinc's
    BLIS has no kernels of its own for many processors of AMD. It leaves a GPU's layers,
    and those of Apple's library, as they are."""
    ops = NumpyOps(use_blis=False)

    def use_numpy(nlp: Language) -> Language:
        for _, pipe in nlp.components:
            model = getattr(pipe, "model", None)
            nodes = model.walk() if isinstance(model, Model) else ()
            for node in nodes:
                if type(node.ops) is NumpyOps:
                    node.ops = ops
        return nlp

    return use_numpy
