"""The component `lal_parser`: constituency and dependency trees for the sentences of a Doc.

It is spaCy's side only: sentences in, annotations out, losses between. The network and the decoder come from the
config; neither is imported here.
"""

from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

import srsly
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import from_bytes, from_disk
from spacy.vocab import Vocab
from thinc.api import Config, Model, Optimizer, set_dropout_rate

from ..annotations import (
    ROOT_DEPREL,
    SPANS_KEY,
    WHITESPACE_DEPREL,
    SentenceParse,
    get_constituents,
    has_sentences,
    install_extensions,
    sentence_words,
    set_parses,
)
from ..scores import ParserScores
from ..training.gold import copy_sentence_starts, gold_parses
from ..training.loss import parser_loss
from ..trees import LabelVocab, split_chain
from .decoders import DecodedParse, Decoder

DEFAULT_CONFIG_STR = """
[lal_parser]

[lal_parser.model]
@architectures = "spacy-lal.LALParser.v1"

[lal_parser.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 96
depth = 2
embed_size = 2000
window_size = 1
maxout_pieces = 3
subword_features = true

[lal_parser.decoder]
@misc = "spacy-lal.joint_decoder.v1"
constituency_weight = 0.5
max_length = 200

[lal_parser.scorer]
@scorers = "spacy-lal.parser_scorer.v1"
"""
DEFAULT_CONFIG = Config().from_str(DEFAULT_CONFIG_STR)["lal_parser"]
MIN_CHAR_COUNT = 2  # rarer characters share the vector of unknown ones, which is thereby trained


@Language.factory(
    "lal_parser",
    assigns=["token.dep", "token.head", "doc.spans"],
    requires=["token.is_sent_start"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={
        "const_f": 0.5,
        "const_p": None,
        "const_r": None,
        "const_cm": None,
        "dep_uas": 0.0,
        "dep_las": 0.5,
        "dep_las_per_type": None,
    },
)
def make_lal_parser(
    nlp: Language,
    name: str,
    model: Model[List[Doc], List[ParserScores]],
    decoder: Decoder,
    scorer: Optional[Callable],
    overwrite: bool = True,
    margin: float = 1.0,
    span_weight: float = 1.0,
    arc_weight: float = 0.5,
    deprel_weight: float = 0.5,
) -> "LALParser":
    """Make a `lal_parser` component.

    model (Model[List[Doc], List[ParserScores]]): Scores each sentence of the Docs, in order.
    decoder (Decoder): From scores to trees; see `spacy_lal.pipeline.decoders`.
    scorer (Optional[Callable]): From Examples to scores.
    overwrite (bool): Whether heads and constituents that a Doc already has are replaced.
    margin (float): What each wrong node of a tree costs in the margin loss (Hamming distance).
    span_weight, arc_weight, deprel_weight (float): Weights of the three losses.
    """
    return LALParser(
        nlp.vocab,
        model,
        name,
        decoder=decoder,
        scorer=scorer,
        overwrite=overwrite,
        margin=margin,
        span_weight=span_weight,
        arc_weight=arc_weight,
        deprel_weight=deprel_weight,
    )


class LALParser(TrainablePipe):
    """Joint constituency and dependency parser (Mrini et al. 2020).

    It needs sentence boundaries, and sets `token.head`, `token.dep_` and `doc.spans["constituents"]`. Gold trees of an
    Example are `reference.spans["constituents"]`, gold arcs are `reference`'s heads and deprels; either may be missing.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[List[Doc], List[ParserScores]],
        name: str = "lal_parser",
        *,
        decoder: Decoder,
        scorer: Optional[Callable] = None,
        overwrite: bool = True,
        margin: float = 1.0,
        span_weight: float = 1.0,
        arc_weight: float = 0.5,
        deprel_weight: float = 0.5,
    ) -> None:
        """See `make_lal_parser` for the arguments."""
        self.vocab = vocab
        self.model = model
        self.name = name
        self.decoder = decoder
        self.scorer = scorer
        self.overwrite = overwrite
        self.loss_config: Dict[str, Any] = {
            "margin": margin,
            "span_weight": span_weight,
            "arc_weight": arc_weight,
            "deprel_weight": deprel_weight,
        }
        self.cfg: Dict[str, Any] = {"constituents": [], "deprels": [], "tags": [], "chars": []}
        install_extensions()

    # Labels

    @property
    def labels(self) -> Tuple[str, ...]:
        """Constituent labels (a unary chain as `S::VP`), then deprels."""
        return (*self.cfg["constituents"], *self.cfg["deprels"])

    @property
    def label_data(self) -> Dict[str, List[str]]:
        """All that `initialize` would collect from the training data: constituents, deprels, tags, chars."""
        return {key: list(values) for key, values in self.cfg.items()}

    def add_label(self, label: str) -> int:
        """RAISES (ValueError): Always: a label is a constituent's or a deprel, and the network's size follows it."""
        raise ValueError(
            f"labels of '{self.name}' come from the training data or from initialize(labels=...), got {label!r}"
        )

    def _set_labels(self, label_data: Mapping[str, Sequence[str]]) -> None:
        unknown = set(label_data) - set(self.cfg)
        if unknown or not isinstance(label_data, Mapping):
            raise ValueError(f"labels are a dict with the keys {sorted(self.cfg)}, got also {sorted(unknown)}")
        self.cfg.update({key: list(label_data.get(key, ())) for key in self.cfg})
        constituents, deprels = self.cfg["constituents"], self.cfg["deprels"]
        if not constituents and not deprels:
            raise ValueError(
                f"'{self.name}' has nothing to learn: expected Examples whose reference has constituents "
                f'(reference.spans["{SPANS_KEY}"]) or heads and deprels, got neither'
            )
        # Interned once and for all, so that a parse within `nlp.memory_zone()` does not take them away again.
        for constituent in constituents:
            self.vocab.strings.add(constituent)
            for label in split_chain(constituent):
                self.vocab.strings.add(label)
        for string in (*deprels, *self.cfg["tags"], SPANS_KEY, ROOT_DEPREL, WHITESPACE_DEPREL):
            self.vocab.strings.add(string)
        self._label_vocab = LabelVocab(constituents)
        self._deprel_ids = {deprel: i for i, deprel in enumerate(deprels)}
        self.model.attrs["set_vocabularies"](
            self.model,
            n_labels=len(self._label_vocab) if constituents else 0,
            n_deprels=len(deprels),
            tags=self.cfg["tags"],
            chars=self.cfg["chars"],
        )

    # Parsing

    def predict(self, docs: Iterable[Doc]) -> List[List[DecodedParse]]:
        """Parse Docs without changing them.

        RETURNS (List[List[DecodedParse]]): For each Doc, one parse for each of its sentences.
        RAISES (ValueError): Where a Doc has no sentence boundaries, or the component was never initialised.
        """
        docs = list(docs)
        n_sentences = [len(sentence_words(doc)) for doc in docs]
        if not sum(n_sentences):
            return [[] for _ in docs]
        self._require_labels()
        parses: Dict[int, DecodedParse] = {}
        for indices, scores in self._iter_scores(docs):
            parses.update(zip(indices, self.decoder(scores), strict=True))
        remaining = (parses[i] for i in range(sum(n_sentences)))
        return [list(islice(remaining, n)) for n in n_sentences]

    def _iter_scores(self, docs: List[Doc]) -> Iterator[Tuple[Sequence[int], List[ParserScores]]]:
        """Scores and the sentences they belong to, in sub-batches where the network offers them: charts are large, and
        those of a whole batch of Docs need not be in memory together."""
        if "iter_scores" in self.model.attrs:
            yield from self.model.attrs["iter_scores"](self.model, docs)
        else:
            scores = self.model.predict(docs)
            yield range(len(scores)), scores

    def _require_labels(self) -> None:
        if not self.labels:
            raise ValueError(
                f"'{self.name}' was neither trained nor loaded: call nlp.initialize() and train it, or load a trained "
                "pipeline with spacy.load()"
            )

    def set_annotations(self, docs: Iterable[Doc], scores: List[List[DecodedParse]]) -> None:
        """Write parses onto Docs: heads, deprels, and `doc.spans["constituents"]`.

        docs (Iterable[Doc]): Modified in place.
        scores (List[List[DecodedParse]]): As `predict` returned them.
        """
        for doc, parses in zip(docs, scores, strict=True):
            set_parses(doc, [self._to_strings(parse) for parse in parses], overwrite=self.overwrite)

    def _to_strings(self, parse: DecodedParse) -> SentenceParse:
        constituents = heads = deprels = None
        if self.cfg["constituents"]:
            strings = self._label_vocab.strings
            constituents = [(start, end, strings[label]) for start, end, label in parse.spans.tolist()]
        if self.cfg["deprels"]:
            heads = parse.heads.tolist()
            deprels = [self.cfg["deprels"][i] for i in parse.deprels.tolist()]
        return SentenceParse(constituents, heads, deprels)

    # Training

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from a batch of Examples. A predicted Doc without sentence boundaries takes those of its reference.

        drop (float): Dropout rate of the token vectors' layers; the network's own rates are in the config.
        RETURNS (Dict[str, float]): The losses, with this component's added.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "LALParser.update")
        if not any(len(eg.predicted) for eg in examples):
            return losses
        self._require_labels()
        for eg in examples:
            copy_sentence_starts(eg)
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update([eg.predicted for eg in examples])
        loss, d_scores = self.get_loss(examples, scores)
        backprop(d_scores)
        if sgd not in (None, False):
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(self, examples: Iterable[Example], scores: List[ParserScores]) -> Tuple[float, List[ParserScores]]:
        """The loss of the scores of the Examples' sentences, and its gradient.

        RETURNS (Tuple[float, List[ParserScores]]): The loss, summed; for each sentence the gradient.
        RAISES (ValueError): Where the loss is not finite.
        """
        golds = [gold for eg in examples for gold in gold_parses(eg, self._label_vocab, self._deprel_ids)]
        losses, d_scores = parser_loss(scores, golds, **self.loss_config)
        return sum(losses.values()), d_scores

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[Dict[str, List[str]]] = None,
    ) -> None:
        """Collect labels, and make the network.

        get_examples (Callable): Gives a representative sample of the training data.
        labels (Optional[Dict[str, List[str]]]): What `label_data` returned once, for instance by `init labels`.
        RAISES (ValueError): Where the data has neither constituents nor heads.
        """
        validate_get_examples(get_examples, "LALParser.initialize")
        self._set_labels(labels if labels is not None else collect_labels(get_examples()))
        sample = []
        for eg in islice(get_examples(), 10):
            eg = Example(eg.predicted.copy(), eg.reference)
            copy_sentence_starts(eg)
            sample.append(eg.predicted)
        self.model.initialize(X=sample)

    # Storage

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialise to bytes; `exclude` names parts (cfg, vocab, model) to leave out."""
        return super().to_bytes(exclude=exclude)

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> "LALParser":
        """Load from bytes, in place."""
        readers = {
            "cfg": lambda b: self._load_cfg(srsly.json_loads(b)),
            "vocab": lambda b: self.vocab.from_bytes(b, exclude=exclude),
            "model": self._load_model(self.model.from_bytes),
        }
        from_bytes(bytes_data, readers, exclude)
        return self

    def from_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> "LALParser":
        """Load from a directory, in place."""
        readers: Dict[str, Callable[[Path], Any]] = {
            "cfg": lambda p: self._load_cfg(srsly.read_json(p)),
            "vocab": lambda p: self.vocab.from_disk(p, exclude=exclude),
            "model": self._load_model(self.model.from_disk),
        }
        from_disk(path, readers, exclude)
        return self

    def _load_cfg(self, cfg: Dict[str, Any]) -> None:
        # The sizes of the network follow the labels, so they come first; a component saved before its
        # initialisation has neither.
        if any(cfg.values()):
            self._set_labels(cfg)

    def _load_model(self, load: Callable) -> Callable:
        return lambda source: load(source) if self.labels else None


def collect_labels(examples: Iterable[Example]) -> Dict[str, List[str]]:
    """The vocabularies of the references: constituents (unary chains), deprels, tags, chars; each from the most
    frequent to the least."""
    constituents: Counter[str] = Counter()
    deprels: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    chars: Counter[str] = Counter()
    for eg in examples:
        doc = eg.reference
        if not has_sentences(doc):
            eg = Example(doc.copy(), doc)
            copy_sentence_starts(eg)
            doc = eg.predicted
        constituents.update(label for spans in get_constituents(doc) for _, _, label in spans)
        for token in doc:
            if not token.is_space:
                deprels[token.dep_] += 1
                tags[token.tag_] += 1
                chars.update(token.text)
    counts = {"constituents": constituents, "deprels": deprels, "tags": tags}
    data = {key: [value for value, _ in _by_frequency(counter) if value] for key, counter in counts.items()}
    data["chars"] = [char for char, n in _by_frequency(chars) if n >= MIN_CHAR_COUNT]
    return data


def _by_frequency(counter: Counter) -> List[Tuple[str, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))
