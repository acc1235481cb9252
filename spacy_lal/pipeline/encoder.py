"""The transformer behind a parser's listeners, for Docs that it has not encoded.

A listener of spacy-transformers reads `doc._.trf_data`, whichever transformer set it, and reads zeros where it is not
set. A parser may be added to another pipeline than the one it was trained in. It therefore remembers its transformer,
recognises Docs with that transformer's vectors, and encodes the others. *Not* here: training, where spaCy links
listeners.
"""

from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple
from uuid import uuid4

import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Config, Model

from ..locks import MAKING

DATA = "trf_data"
TRANSFORMER_LISTENER = "transformer-listener"
WAYS_OUT = {
    "transformer": "save the pipeline that it comes from and load it again: a parser that was loaded brings it along",
    "tok2vec": "make one a part of it where it comes from, with replace_listeners",
}
OWN = " of its own"  # suffix of a listener's upstream name; no transformer of a pipeline has such a name


class SignedSetter:
    """An annotation setter that wraps another one and also signs the vectors of each Doc. The signature tells them from
    another transformer's vectors.

    setter (Callable): The component's own setter, called with the same arguments.
    signature (str): Differs for every transformer that is made; pickling keeps it.
    """

    def __init__(self, setter: Any) -> None:
        self.setter = setter
        self.signature = uuid4().hex

    def __call__(self, docs: List[Doc], outputs: Any) -> None:
        """Called by the transformer after it has set `doc._.trf_data`."""
        for doc in docs:
            doc._.get(DATA).signature = self._signature_of(doc)
        self.setter(docs, outputs)

    def has_signed(self, doc: Doc) -> bool:
        """Whether a Doc's vectors are this transformer's, for the Doc's present tokens."""
        return getattr(doc._.get(DATA), "signature", None) == self._signature_of(doc)

    def _signature_of(self, doc: Doc) -> Tuple[str, bytes]:
        # Tokens may be merged or split after the transformer has run.
        return self.signature, blake2b(doc.to_array("ORTH").tobytes(), digest_size=8).digest()


class Encoder:
    """A transformer component that a parser was trained on.

    pipe (Transformer): The component; shared with the pipeline that the parser was loaded in, or the parser's own.
    config (Mapping): The component's block in that pipeline's config.
    """

    def __init__(self, pipe: Any, config: Mapping[str, Any]) -> None:
        self.pipe = pipe
        self.config = config
        self._sign()

    @classmethod
    def from_config(cls, config: Dict[str, Any], vocab: Vocab) -> "Encoder":
        """Make an encoder whose weights are not loaded yet."""
        from spacy_transformers import Transformer

        settings = {key: value for key, value in config.items() if key != "factory"}
        return cls(Transformer(vocab, **registry.resolve({"encoder": settings})["encoder"]), config)

    def _sign(self) -> SignedSetter:
        """Ensure that the transformer signs, even if its annotation setter was replaced."""
        with MAKING:  # one signature, however many threads ask
            if not isinstance(self.pipe.set_extra_annotations, SignedSetter):
                self.pipe.set_extra_annotations = SignedSetter(self.pipe.set_extra_annotations)
            return self.pipe.set_extra_annotations

    @contextmanager
    def encoded(self, docs: Sequence[Doc]) -> Iterator[None]:
        """Within the block, all Docs have this encoder's vectors. Docs with other vectors get them back afterwards.

        docs (Sequence[Doc]): Docs that it has encoded already are not encoded again.
        """
        signer = self._sign()
        unseen = [doc for doc in docs if not signer.has_signed(doc)]
        before = [doc._.get(DATA) for doc in unseen]
        try:
            for _ in self.pipe.pipe(unseen, batch_size=max(1, len(unseen))):
                pass
            yield
        finally:
            for doc, data in zip(unseen, before, strict=True):
                doc._.set(DATA, data)

    @property
    def is_portable(self) -> bool:
        """Whether its config is self-contained, without variables that refer to a pipeline's config."""
        return "${" not in srsly.json_dumps(self.config)

    @property
    def portable_config(self) -> Dict[str, Any]:
        """Its config as stored with a parser.

        RAISES (ValueError): The config is not portable.
        """
        if not self.is_portable:
            raise ValueError(
                f"the transformer '{self.pipe.name}' can't be saved with the parser that was trained on it, since its "
                f"settings refer to other sections of the config it comes from: {srsly.json_dumps(self.config)}. Add "
                "it to the pipeline, before the parser, or write its settings out in that config"
            )
        return dict(self.config)

    def has_weights_of(self, other: "Encoder") -> bool:
        """Whether both transformers have bitwise equal weights."""
        mine, others = (one.pipe.model.transformer.state_dict() for one in (self, other))
        return mine.keys() == others.keys() and all(bool((mine[key] == others[key]).all()) for key in mine)

    def is_saved_beside(self, path: Path) -> bool:
        """Whether a pipeline that is being saved holds this very encoder.

        path (Path): The parser's folder in the pipeline's folder. The config and the components before the parser have
            already been written.
        """
        config, model = path.parent / "config.cfg", path.parent / self.pipe.name / "model"
        if not config.is_file() or not model.is_file():
            return False
        names = Config().from_disk(config, interpolate=False)["nlp"]["pipeline"]
        return self.pipe.name in names and model.read_bytes() == self.pipe.model.to_bytes()


def find_encoder(nlp: Language, model: Model) -> Optional[Encoder]:
    """The transformer that a model listens to, among the components added to a pipeline so far; None for a model
    without such a listener."""
    names = {node.upstream_name for node in _transformer_listeners(model)}
    if not names:
        return None
    from spacy_transformers import Transformer

    for name, pipe in reversed(nlp.components):
        if isinstance(pipe, Transformer) and names & {name, "*"}:
            return Encoder(pipe, nlp.get_pipe_config(name))
    return None


def has_transformer_listener(model: Model) -> bool:
    """Whether a model listens to a transformer component."""
    return any(_is_transformer_listener(node) for node in model.walk())


def unlink(model: Model) -> None:
    """Stop a pipeline's transformers from sending vectors to a model that has its own encoder."""
    for node in _transformer_listeners(model):
        node.upstream_name = node.upstream_name.removesuffix(OWN) + OWN


def relink(model: Model) -> None:
    """Undo `unlink`."""
    for node in _transformer_listeners(model):
        node.upstream_name = node.upstream_name.removesuffix(OWN)


def require_vectors(name: str, model: Model, docs: Sequence[Doc]) -> None:
    """Check that a model's listeners have vectors to read: without vectors, they read zeros.

    name (str): The component's name, for the message.
    RAISES (ValueError): A Doc lacks vectors of the kind that the model listens to, or its tokens have changed since.
    """
    for node in _listeners(model):
        kind = "transformer" if node.name == TRANSFORMER_LISTENER else "tok2vec"
        has_vectors = _has_transformer_data if kind == "transformer" else _has_tensor
        if not all(has_vectors(doc) for doc in docs if len(doc)):
            raise ValueError(
                f"'{name}' listens to a {kind} ('{node.upstream_name}'), and the Doc has no vectors of one: either put "
                f'the one that it was trained with before it, nlp.add_pipe("{kind}", source=..., before="{name}"), or '
                f"{WAYS_OUT[kind]}"
            )
        if kind == "transformer":
            for doc in docs:
                n_rows = len(doc._.get(DATA).align.lengths) if len(doc) else 0
                if n_rows != len(doc):
                    raise ValueError(
                        f"'{name}' listens to a transformer ('{node.upstream_name}'), which has run when the Doc "
                        f"{doc.text[:40]!r} had {n_rows} tokens, and it has {len(doc)}: merge or split tokens before "
                        f"the transformer, or after '{name}'"
                    )


def _listeners(model: Model) -> List[Any]:
    """All listeners in a model, spacy-transformers' and spaCy's."""
    return [node for node in model.walk() if hasattr(node, "upstream_name")]


def _transformer_listeners(model: Model) -> List[Any]:
    return [node for node in model.walk() if _is_transformer_listener(node)]


def _is_transformer_listener(node: Model) -> bool:
    return node.name == TRANSFORMER_LISTENER and hasattr(node, "upstream_name")


def _has_transformer_data(doc: Doc) -> bool:
    return doc.has_extension(DATA) and doc._.get(DATA) is not None


def _has_tensor(doc: Doc) -> bool:
    return len(doc.tensor) == len(doc)
