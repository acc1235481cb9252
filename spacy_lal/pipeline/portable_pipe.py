"""Base of trainable components that can move to another pipeline: saving, loading, and the transformer that goes along.
The network may differ from the config's network. *Not* here: the purpose of the network."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any, Callable, ContextManager, Dict, Iterable, List, Mapping, Optional, Sequence, Union

import srsly
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.util import from_bytes, from_disk, registry, to_bytes, to_disk
from spacy.vocab import Vocab
from thinc.api import Config, Model

from .checksums import check_checksums, check_finite_layers, write_checksums
from .encoder import Encoder, has_transformer_listener, relink, require_vectors, unlink
from .storage import read_cfg, readable_weights, with_format, without_format
from .threads import ThreadWatch

# A part of the architectures in the place of listeners, spacy-transformers' own or ours; and the name of the layer of
# `spacy-lal.JoinedTok2Vec.v1`.
_REPLACED, _JOINED = "Tok2VecTransformer", "joined_tok2vec"


class PortablePipe(TrainablePipe):
    """The base of our components.

    A subclass has `labels`, the dict of lists `cfg`, and `set_label_data`, which sets the sizes of the network.
    """

    cfg: Dict[str, Any]

    def __init__(self, vocab: Vocab, model: Model, name: str, *, upstream: Optional[Encoder] = None) -> None:
        """Hold a model.

        model (Model): The model that the config describes.
        upstream (Optional[Encoder]): The pipeline's transformer that the model listens to, if any.
        """
        self.vocab = vocab
        self.model = model
        self.name = name
        self._configured_model = model
        self._model_config: Optional[Dict[str, Any]] = None  # None for the configured model
        self._own_encoder: Optional[Encoder] = None
        self._upstream = upstream
        self._threads = ThreadWatch()

    def set_label_data(self, label_data: Mapping[str, Sequence[str]]) -> None:
        """Set the labels and thereby the sizes of the network."""
        raise NotImplementedError(f"{type(self).__name__} sets no labels")

    # The network, and the transformer that it was trained on

    @property
    def encoder(self) -> Optional[Encoder]:
        """The transformer that the model was trained on, if it listens to one: the component's own, or the transformer
        of the pipeline in which it was loaded. None after further training, where the pipeline's transformer is trained
        with it."""
        return (self._own_encoder or self._upstream) if has_transformer_listener(self.model) else None

    def use_model(self, model: Model, config: Dict[str, Any], encoder: Optional[Encoder]) -> None:
        """Replace the configured model.

        config (Dict[str, Any]): The config of the model; saved with it.
        encoder (Optional[Encoder]): The transformer that it listens to; becomes the component's own.
        """
        self._use(model, config, encoder)

    @property
    def has_configured_model(self) -> bool:
        """Whether the component's config describes its model."""
        return self.model is self._configured_model

    def use_configured_model(self) -> None:
        """Return to the model of the config, to train it from the start with the pipeline's transformer."""
        self._use(self._configured_model, None, None)
        self._upstream = None

    def encoded(self, docs: List[Doc], *, is_train: bool = False) -> ContextManager[None]:
        """Within the block, all Docs have the vectors that the model listens to.

        is_train (bool): Whether it is for an update: spaCy has sent the vectors, unless the transformer is the
            component's own.
        RAISES (ValueError): No component provides the vectors.
        """
        if is_train:
            # The component may be trained with another transformer than the one it was loaded with.
            self._upstream = None
        encoder = self.encoder  # looks through the model
        if not is_train:
            self._threads.see(self.name, self.model, encoder)
        if encoder is not None:
            return encoder.encoded(docs)
        if not is_train:
            require_vectors(self.name, self.model, docs)
        return nullcontext()

    def _use(self, model: Model, config: Optional[Dict[str, Any]], encoder: Optional[Encoder]) -> None:
        self.model, self._model_config, self._own_encoder = model, config, encoder
        self._threads = ThreadWatch()
        if encoder is None:
            relink(model)
        else:
            encoder.pipe.vocab = self.vocab
            unlink(model)

    # Storage

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialise to bytes. `exclude` names parts to leave out (cfg, vocab, model, or encoder, the model's
        transformer)."""
        encoder = self.encoder if self.labels else None
        if encoder is self._upstream and encoder is not None and not encoder.is_portable:
            encoder = None  # it is most likely in the same pipeline, so this need not be an error
        writers: Dict[str, Callable[[], bytes]] = {
            "cfg": lambda: srsly.json_dumps(self._stored_cfg(encoder)),
            "vocab": lambda: self.vocab.to_bytes(exclude=exclude),
            "model": self.model.to_bytes,
        }
        if encoder is not None:
            writers["encoder"] = lambda: encoder.pipe.to_bytes(exclude=["vocab"])
        return to_bytes(writers, exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "PortablePipe":
        """Load from bytes, in place."""
        readers: Dict[str, Callable[[bytes], Any]] = {
            "cfg": lambda b: self._load_cfg(srsly.json_loads(b)),
            "vocab": lambda b: self.vocab.from_bytes(b, exclude=exclude),
            "encoder": lambda b: self._load_encoder(lambda pipe: pipe.from_bytes(b, exclude=["vocab"]), b),
            "model": lambda b: self._load_model(self.model.from_bytes, b),
        }
        from_bytes(bytes_data, readers, exclude)
        return self

    def to_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> None:
        """Save to a directory; `exclude` as for `to_bytes`. The transformer that the model listens to is saved too,
        unless the pipeline being saved holds it.

        RAISES (ValueError): The config of the pipeline being saved does not describe the model.
        """
        path = Path(path)
        self._check_described(path)
        encoder = self.encoder if self.labels else None
        if encoder is not None and encoder is self._upstream and encoder.is_saved_beside(path):
            encoder = None
        writers: Dict[str, Callable[[Path], Any]] = {
            "cfg": lambda p: srsly.write_json(p, self._stored_cfg(encoder)),
            "vocab": lambda p: self.vocab.to_disk(p, exclude=exclude),
            "model": lambda p: self.model.to_disk(p),
        }
        if encoder is not None:
            writers["encoder"] = lambda p: encoder.pipe.to_disk(p, exclude=["vocab"])
        to_disk(path, writers, exclude)
        write_checksums(path, [part for part in writers if part not in ("vocab", *exclude)])

    def from_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> "PortablePipe":
        """Load from a directory, in place.

        RAISES (ValueError): A file cannot be read, or has changed since it was saved; the message names it.
        """
        path = Path(path)
        readers: Dict[str, Callable[[Path], Any]] = {
            "cfg": lambda p: self._load_cfg(read_cfg(p, self.name), path),
            "vocab": lambda p: self.vocab.from_disk(p, exclude=exclude),
            "encoder": lambda p: self._load_encoder(lambda pipe: pipe.from_disk(p, exclude=["vocab"]), p / "model"),
            "model": lambda p: self._load_model(self.model.from_disk, p),
        }
        from_disk(path, readers, exclude)
        check_checksums(path, "..")
        return self

    def _check_described(self, path: Path) -> None:
        """Check that listeners were not replaced by a path that is no listener's, in the config beside the folder."""
        file = path.parent / "config.cfg"
        if self._model_config is not None or not file.is_file():
            return
        built: Any = Config().from_disk(file, interpolate=False)
        for key in ("components", path.name, "model", "tok2vec", "@architectures"):
            built = built.get(key) if isinstance(built, dict) else None  # None: no tok2vec
        if _REPLACED in str(built) and any(node.name == _JOINED for node in self.model.walk()):
            raise ValueError(
                f"the model of '{self.name}' joins several tok2vecs, and its config has {built} in the place of all: "
                'nlp.replace_listeners expects the path of each listener, such as "model.tok2vec.*.transformer", and '
                'got "model.tok2vec". Load the pipeline again, and replace them by these paths'
            )

    def _stored_cfg(self, encoder: Optional[Encoder]) -> Dict[str, Any]:
        cfg = with_format(self.cfg)
        if self._model_config is not None:
            cfg["model"] = self._model_config
        if encoder is not None:
            cfg["encoder"] = encoder.portable_config
        return cfg

    def _load_cfg(self, stored: Dict[str, Any], folder: Optional[Path] = None) -> None:
        cfg = without_format(stored, self.name)
        if folder is not None:
            check_checksums(folder, "cfg")
        model_config, encoder_config = cfg.pop("model", None), cfg.pop("encoder", None)
        model = registry.resolve({"model": model_config})["model"] if model_config else self._configured_model
        encoder = Encoder.from_config(encoder_config, self.vocab) if encoder_config else None
        self._use(model, model_config, encoder)
        # Labels come first, since they determine the sizes of the network. A component saved before its
        # initialisation has neither.
        if any(cfg.values()):
            self.set_label_data(cfg)

    def _load_encoder(self, load: Callable[[Any], Any], source: Union[Path, bytes]) -> None:
        if self._own_encoder is None:
            return
        with readable_weights(self.name, source):
            if isinstance(source, Path):
                check_checksums(source.parents[1], "encoder")
            load(self._own_encoder.pipe)
        if self._upstream is not None and self._upstream.has_weights_of(self._own_encoder):
            self._use(self.model, self._model_config, None)  # the pipeline holds it too: one is enough

    def _load_model(self, load: Callable[[Any], Any], source: Any) -> None:
        if self.labels:
            with readable_weights(self.name, source):
                if isinstance(source, Path):
                    check_checksums(source.parent, "model")
                load(source)
                check_finite_layers(self.model)
