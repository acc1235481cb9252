"""The component `lal_parser`: constituency and dependency trees for the sentences of a
Doc. It handles sentences, annotations and losses. The config supplies the network and
the decoder."""

import logging
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import islice
from typing import Any, Dict, List, Optional, Set, Tuple, Union, get_args

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import is_package
from spacy.vocab import Vocab
from thinc.api import Config, Model

from ..annotations import (
    CONSTRAINTS_KEY,
    METHODS_KEY,
    ROOT_DEPREL,
    SPANS_KEY,
    WHITESPACE_DEPREL,
    ParseMethod,
    SentenceParse,
    Sentences,
    Signature,
    install_extensions,
    install_noun_chunks,
    sentence_words,
    set_parses,
    with_root_deprel,
)
from ..lang import DEFAULT_PACKAGES
from ..loss.parser import ParserLoss, gold_parses
from ..models.shim import MAKING
from ..scores import AnyScores, ParserScores
from ..trees import LabelVocab, split_chain
from .component import SMALL_TOK2VEC, SentencePipe, parser_names
from .confidence import ParserConfidences
from .constrained import parse_constrained, sentence_constraints
from .decoders import MAX_LENGTH, DecodedParse, Decoder, cut_sentence, join_pieces
from .guidelines import follow_guidelines
from .labels import VOCABULARIES, collect_labels

logger = logging.getLogger("spacy_lal")

DEFAULT_CONFIG_STR = f"""
[lal_parser.model]
@architectures = "spacy-lal.LALParser.v1"

[lal_parser.model.tok2vec]
{SMALL_TOK2VEC}

[lal_parser.model.label_attention]
@misc = "spacy-lal.LabelAttention.v1"

[lal_parser.model.span_scorer]
@misc = "spacy-lal.SpanScorer.v1"

[lal_parser.model.biaffine_scorer]
@misc = "spacy-lal.BiaffineScorer.v1"

[lal_parser.decoder]
@misc = "spacy-lal.joint_decoder.v1"
constituency_weight = 0.65
disagreement_cost = 1.0

[lal_parser.loss]
@misc = "spacy-lal.ParserLoss.v1"

[lal_parser.scorer]
@scorers = "spacy-lal.parser_scorer.v1"
"""


@Language.factory(
    "lal_parser",
    assigns=["token.dep", "token.head", "doc.spans"],
    requires=["token.is_sent_start"],
    default_config=Config().from_str("[lal_parser]\n" + DEFAULT_CONFIG_STR)[
        "lal_parser"
    ],
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
    model: Union[Model[List[Doc], List[ParserScores]], str],
    decoder: Decoder,
    loss: ParserLoss,
    scorer: Optional[Callable],
    overwrite: bool = True,
    dependencies: bool = True,
) -> "LALParser":
    """Make a `lal_parser` component. A component without weights takes those of its
    language's installed default package when it first parses.

    model (Model[List[Doc], List[ParserScores]]): Scores each sentence of the Docs, in
        order.
    decoder (Decoder): From scores to trees; see `spacy_lal.pipeline.decoders`.
    loss (ParserLoss): Weights of the losses.
    scorer (Optional[Callable]): From Examples to scores.
    overwrite (bool): Whether to replace heads and constituents that a Doc already has.
    dependencies (bool): Whether to set heads and deprels. If not, constituents are
        found by CKY alone, and the Doc's heads stay as they are. Training does not
        depend on it.
    """
    return LALParser(
        nlp.vocab,
        model,
        name,
        decoder=decoder,
        loss=loss,
        scorer=scorer,
        overwrite=overwrite,
        dependencies=dependencies,
        nlp=nlp,
    )


class _PipelineRef(weakref.ref):
    """A weak reference to a pipeline. In a copied or pickled pipeline, it refers to
    that pipeline."""

    def __reduce__(self) -> Tuple[Any, ...]:
        nlp = self()
        return (type(None), ()) if nlp is None else (_PipelineRef, (nlp,))


class LALParser(SentencePipe):
    """Joint constituency and dependency parser (Mrini et al. 2020).

    It needs sentence boundaries, and sets `token.head`, `token.dep_` and
    `doc.spans["constituents"]`. Gold trees of an Example are
    `reference.spans["constituents"]`, gold arcs are the heads and deprels of
    `reference`. Either may be missing."""

    added_by = (
        'nlp.add_pipe("lal_parser"), which takes the weights of the language\'s package'
    )

    def __init__(
        self,
        vocab: Vocab,
        model: Union[Model[List[Doc], List[ParserScores]], str],
        name: str = "lal_parser",
        *,
        decoder: Decoder,
        scorer: Optional[Callable] = None,
        overwrite: bool = True,
        dependencies: bool = True,
        loss: Optional[ParserLoss] = None,
        nlp: Optional[Language] = None,
    ) -> None:
        """See `make_lal_parser`."""
        super().__init__(vocab, model, name, scorer, VOCABULARIES)
        self.decoder = decoder if dependencies else replace(decoder, dependencies=False)
        self.overwrite = overwrite
        self.loss = loss if loss is not None else ParserLoss()
        self._nlp = None if nlp is None else _PipelineRef(nlp)
        install_extensions()
        install_noun_chunks(vocab)

    @property
    def nlp(self) -> Optional[Language]:
        """The pipeline that the component was made for, where it still exists in this
        process."""
        return None if self._nlp is None else self._nlp()

    @property
    def confidences(self) -> ParserConfidences:
        """How probably parts of its parses are right."""
        return ParserConfidences(self)

    @property
    def dependencies(self) -> bool:
        """Whether heads and deprels are set."""
        return self.decoder.dependencies

    @dependencies.setter
    def dependencies(self, value: bool) -> None:
        """Set heads and deprels, or leave them as they are."""
        self.decoder = replace(self.decoder, dependencies=value)

    # Labels

    @property
    def labels(self) -> Tuple[str, ...]:
        """Constituent labels (a unary chain as `S::VP`), then deprels."""
        return (*self.cfg["constituents"], *self.cfg["deprels"])

    def set_label_data(self, label_data: Mapping[str, Sequence[str]]) -> None:
        """See `SentencePipe`.
        RAISES (ValueError): There is nothing to learn, or not
        one count for each word."""
        super().set_label_data(label_data)
        for key, scores in (
            ("constituents", "scores_constituents"),
            ("deprels", "scores_dependencies"),
        ):
            if not self.model.attrs.get(
                scores, True
            ):  # the config has null in the place of the scorer
                self.cfg[key] = []
        constituents, deprels = self.cfg["constituents"], self.cfg["deprels"]
        if not constituents and not (deprels and self.dependencies):
            raise ValueError(
                f"'{self.name}' has nothing to learn: expected Examples whose reference has constituents "
                f'(reference.spans["{SPANS_KEY}"]), or heads and deprels with dependencies = true, got neither'
            )
        chains = [
            *constituents,
            *(
                label
                for constituent in constituents
                for label in split_chain(constituent)
            ),
        ]
        fixed = (
            SPANS_KEY,
            METHODS_KEY,
            *get_args(ParseMethod),
            ROOT_DEPREL,
            WHITESPACE_DEPREL,
        )
        self._intern((*chains, *deprels, *self.cfg["tags"], *fixed))
        self._label_vocab = LabelVocab(constituents)
        self._deprel_ids = {deprel: i for i, deprel in enumerate(deprels)}
        words, counts = self.cfg["words"], self.cfg["word_counts"]
        if len(set(words)) != len(counts):
            raise ValueError(
                f"labels of '{self.name}': expected one count for each word, and different words; got {len(words)} "
                f"words, {len(set(words))} of them different, and {len(counts)} counts"
            )
        vocabularies: Dict[str, Any] = {
            "tags": self.cfg["tags"],
            "chars": self.cfg["chars"],
        }
        if words:
            vocabularies["words"] = dict(zip(words, counts, strict=True))
        n_labels = len(self._label_vocab) if constituents else 0
        self.model.attrs["set_vocabularies"](
            self.model, n_labels=n_labels, n_deprels=len(deprels), **vocabularies
        )

    # Parsing

    def _prepare(self) -> None:
        """Take the weights of the default package if the parser has none. Other threads
        wait.
        RAISES (ValueError): The parser is frozen in training, or there is no such
        package."""
        with MAKING:
            if not self.labels:
                if (
                    self.nlp is not None
                    and self.name in self.nlp.config["training"]["frozen_components"]
                ):
                    raise ValueError(
                        f"'{self.name}' is frozen and untrained: expected source = ... in its config"
                    )
                found, model_config = load_default_parser(self.vocab.lang, self.name)
                self.model, self.cfg["model"] = found.model, model_config
                self.set_label_data(found.label_data)

    def _predict(self, docs: List[Doc]) -> List[List[DecodedParse]]:
        sentences = [sentence_words(doc) for doc in docs]
        pieces = [
            [cut_sentence(doc, words) for words in ws]
            for doc, ws in zip(docs, sentences, strict=True)
        ]
        flat = self._parse(
            docs,
            [
                [one for of_sentence in of_doc for one in of_sentence]
                for of_doc in pieces
            ],
        )
        parses = []
        for of_doc, found in zip(pieces, map(iter, flat), strict=True):
            joined = (list(islice(found, len(of_sentence))) for of_sentence in of_doc)
            parses.append(
                [
                    join_pieces(some, self._label_vocab, self._deprel_ids)
                    for some in joined
                ]
            )
        for doc, words, parsed in zip(docs, sentences, parses, strict=True):
            if CONSTRAINTS_KEY in doc.spans:
                self._constrain(doc, words, parsed)
        return parses

    def _parse(
        self, docs: List[Doc], sentences: Sequence[Sentences]
    ) -> List[List[DecodedParse]]:
        parses: Dict[int, DecodedParse] = {}
        owners = [
            (doc, words)
            for doc, of_doc in zip(docs, sentences, strict=True)
            for words in of_doc
        ]
        strings = (self._label_vocab.strings, self.cfg["deprels"])
        for indices, scores in self.iter_scores(docs, pruned=True, sentences=sentences):
            for i, one, parse in zip(
                indices, scores, self.decoder(scores), strict=True
            ):
                if self.decoder.disagreement_cost is not None:
                    doc, words = owners[i]
                    parse = follow_guidelines(
                        [doc[k] for k in words], parse, one, *strings
                    )
                parses[i] = parse
        in_order = (parses[i] for i in range(len(owners)))
        return [list(islice(in_order, len(of_doc))) for of_doc in sentences]

    def _constrain(
        self, doc: Doc, sentences: Sentences, parses: List[DecodedParse]
    ) -> None:
        constraints = sentence_constraints(doc, sentences)
        chosen = [i for i, of_sentence in enumerate(constraints) if of_sentence]
        longest = max((len(sentences[i]) for i in chosen), default=0)
        if longest > MAX_LENGTH:
            raise ValueError(
                f"a sentence of {longest} words has constraints, and sentences of more than {MAX_LENGTH} words are "
                "parsed in pieces, which cannot fulfil them"
            )
        strings = self._label_vocab.strings
        for k, scores in self.iter_scores(
            [doc], pruned=False, sentences=[[sentences[i] for i in chosen]]
        ):
            for i, one in zip((chosen[j] for j in k), scores, strict=True):
                parses[i] = parse_constrained(
                    doc, constraints[i], one, self.decoder, strings
                )  # type: ignore[arg-type]

    def iter_scores(
        self,
        docs: List[Doc],
        *,
        pruned: bool,
        sentences: Optional[Sequence[Sentences]] = None,
    ) -> Iterator[Tuple[Sequence[int], Sequence[AnyScores]]]:
        """See `models.parser.iter_scores`."""
        yield from self.model.attrs["iter_scores"](
            self.model, docs, pruned=pruned, sentences=sentences
        )

    def set_annotations(
        self, docs: Iterable[Doc], scores: List[List[DecodedParse]]
    ) -> None:
        """Write parses, as `predict` returned them, onto Docs: heads, deprels, and
        `doc.spans["constituents"]`."""
        docs = list(docs)
        install_noun_chunks(self.vocab, docs)
        for doc, parses in zip(docs, scores, strict=True):
            set_parses(
                doc,
                [self.to_strings(parse) for parse in parses],
                overwrite=self.overwrite,
                signature=Signature(self),
            )

    def to_strings(self, parse: DecodedParse) -> SentenceParse:
        """A parse with labels and deprels in place of their ids."""
        constituents = heads = deprels = None
        if self.cfg["constituents"]:
            strings = self._label_vocab.strings
            constituents = [
                (start, end, strings[label])
                for start, end, label in parse.spans.tolist()
            ]
        if self.cfg["deprels"] and self.dependencies:
            heads = parse.heads.tolist()
            deprels = [self.cfg["deprels"][i] for i in parse.deprels.tolist()]
            deprels = (
                with_root_deprel(heads, deprels)
                if ROOT_DEPREL in self._deprel_ids
                else deprels
            )
        return SentenceParse(constituents, heads, deprels, parse.method)

    # Training

    def _learn(self, examples: List[Example], docs: List[Doc]) -> float:
        scores, backprop = self.model.begin_update(docs)
        unknown: Set[str] = set()
        golds = [
            gold
            for eg in examples
            for gold in gold_parses(eg, self._label_vocab, self._deprel_ids, unknown)
        ]
        self._warn_unknown(unknown)
        losses, d_scores = self.loss(scores, golds)
        backprop(d_scores)
        return sum(losses.values())

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[Dict[str, List[str]]] = None,
    ) -> None:
        """Collect labels, and make the network. get_examples: Gives a representative
        sample of the training data. labels: Stored `label_data`, for instance from
        `init labels`.
        RAISES (ValueError): The data has neither constituents nor
        heads."""

        def collect() -> Dict[str, List[Any]]:
            attrs = self.model.attrs
            return collect_labels(
                get_examples(),
                alphabet=attrs.get("alphabet"),
                words=bool(attrs.get("has_words")),
            )

        self._initialize(get_examples, collect if labels is None else lambda: labels)


def load_default_parser(lang: str, name: str) -> Tuple[LALParser, Dict[str, Any]]:
    """The parser of a language's default package, with copies of the components that it
    listens to, and the block
    `model` of its config, for the component `name`. Logs a warning.
    RAISES
    (ValueError): There is no such package installed."""
    package = DEFAULT_PACKAGES.get(lang)
    if package is None or not is_package(package):
        has = (
            f"the package {package} is not installed"
            if package
            else f"no package has weights for {lang!r}"
        )
        raise ValueError(
            f"'{name}' was neither trained nor loaded, and {has}: install one (pip install ./packages/... in a "
            "checkout of spacy_lal), train it (nlp.initialize() and nlp.update(), or spacy train), or load a trained "
            "pipeline"
        )
    nlp = spacy.load(package)
    found = parser_names(nlp)[0]
    parts = nlp.config["components"][found]["model"]["tok2vec"].get("*", {})
    inner = [
        f"model.tok2vec.*.{part}"
        for part, block in parts.items()
        if "Listener" in str(block["@architectures"])
    ]
    for upstream, pipe in nlp.pipeline:
        if found in getattr(pipe, "listening_components", ()):
            nlp.replace_listeners(upstream, found, inner or ["model.tok2vec"])
    logger.warning(  # appears even where logging is not configured
        "'%s' was neither trained nor loaded: it takes the weights of %s %s. To train it, call nlp.initialize() first",
        name,
        package,
        version(package),
    )
    return nlp.get_pipe(found), nlp.config.interpolate()["components"][found]["model"]  # type: ignore[return-value]
