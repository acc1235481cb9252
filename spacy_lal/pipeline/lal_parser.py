"""The component `lal_parser`: constituency and dependency trees for the sentences of a
Doc. It handles sentences, annotations and losses. The config supplies the network and
the decoder."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Optional, Union, get_args

from spacy.language import Language
from spacy.tokens import Doc, Token
from spacy.training import Example
from thinc.api import Config, Model

from ..annotations import (
    CONSTRAINTS_KEY,
    MAX_LENGTH,
    METHODS_KEY,
    ROOT_DEPREL,
    SPANS_KEY,
    WHITESPACE_DEPREL,
    ParserSignature,
    Sentences,
    install_extensions,
    install_noun_chunks,
    noun_chunks,
    read_sentences,
    set_parses,
    with_notes,
    with_root_deprel,
)
from ..lang import conventions
from ..loss.gold import gold_parses
from ..loss.parser import ParserLoss
from ..models.batches import embed, get_config
from ..models.parser import set_vocabularies
from ..models.torch import network
from ..models.weights.threads import MAKING
from ..scores import ParserScores
from ..trees import Constituent, LabelVocab, Parse, ParseMethod, split_chain
from .charts import DecodedParse
from .component import SMALL_TOK2VEC, SentencePipe
from .confidence import (
    head_confidences,
    label_confidence,
    parse_confidence,
    tokens_confidence,
)
from .constrained import parse_constrained, sentence_constraints
from .damage import name_damaged_files
from .decoders import Decoder
from .default_parser import load_default_parser
from .guidelines import Terms
from .labels import VOCABULARIES, collect_labels
from .long_sentences import join_pieces

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
guidelines = true
deprel_weight = 2.0

[lal_parser.loss]
@misc = "spacy-lal.ParserLoss.v1"

[lal_parser.scorer]
@scorers = "spacy-lal.parser_scorer.v1"
"""


class LALParser(SentencePipe):
    """Joint constituency and dependency parser (Mrini et al. 2020). A component without
    weights takes those of its language's installed default package when it first
    parses.

    It needs sentence boundaries, and sets `token.head`, `token.dep_` and
    `doc.spans["constituents"]`. Gold trees of an Example are
    `reference.spans["constituents"]`, gold arcs are the heads and deprels of
    `reference`. Either may be missing.

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

    added_by = (
        'nlp.add_pipe("lal_parser"), which takes the weights of the language\'s package'
    )

    def __init__(
        self,
        nlp: Language,
        name: str,
        model: Union[Model[list[Doc], list[ParserScores]], str],
        decoder: Decoder,
        loss: ParserLoss,
        scorer: Optional[Callable],
        overwrite: bool = True,
        dependencies: bool = True,
    ) -> None:
        super().__init__(nlp.vocab, model, name, scorer, VOCABULARIES)
        self.decoder = decoder
        self.dependencies = dependencies
        self.overwrite = overwrite
        self.loss = loss
        self.nlp = nlp  # the pipeline that it was made for
        name_damaged_files(nlp)
        install_extensions()
        install_noun_chunks(nlp.vocab)

    # How probably parts of its parses are right: it is its own `Confidences`.
    of_heads = head_confidences
    of_constituent = label_confidence
    of_sentence = parse_confidence
    of_relation = tokens_confidence

    # Labels

    @property
    def labels(self) -> tuple[str, ...]:
        """Constituent labels (a unary chain as `S::VP`), then deprels."""
        return (*self.cfg["constituents"], *self.cfg["deprels"])

    def set_label_data(self, label_data: Mapping[str, Sequence[str]]) -> None:
        """See `SentencePipe`.
        RAISES (ValueError): There is nothing to learn, or not one count for each
            word."""
        super().set_label_data(label_data)
        config = get_config(self.model)
        if config.span_scorer is None:
            self.cfg["constituents"] = []
        if config.biaffine_scorer is None:
            self.cfg["deprels"] = []
        constituents = self.cfg["constituents"]
        deprels = self.cfg["deprels"]
        if not constituents and not (deprels and self.dependencies):
            raise ValueError(
                f"'{self.name}' has nothing to learn: expected Examples whose "
                f'reference has constituents (reference.spans["{SPANS_KEY}"]), or '
                "heads and deprels with dependencies = true, got neither"
            )
        self._label_vocab = LabelVocab(constituents)
        self._deprel_ids = {deprel: i for i, deprel in enumerate(deprels)}
        strings = self._label_vocab.strings
        self._terms = Terms(strings, deprels, conventions(self.vocab.lang))
        self._intern_labels()
        counts = zip(self.cfg["words"], self.cfg["word_counts"], strict=True)
        set_vocabularies(
            self.model,
            n_labels=len(self._label_vocab) if constituents else 0,
            n_deprels=len(deprels),
            tags=self.cfg["tags"],
            chars=self.cfg["chars"],
            words=dict(counts),
        )

    def _intern_labels(self) -> None:
        """Add all strings that a parse may write to the vocab."""
        for constituent in self.cfg["constituents"]:
            self._intern((constituent, *split_chain(constituent)))
        self._intern((*self.cfg["deprels"], *self.cfg["tags"]))
        self._intern((SPANS_KEY, METHODS_KEY, *get_args(ParseMethod)))
        self._intern((ROOT_DEPREL, WHITESPACE_DEPREL))

    # Parsing

    def _prepare(self) -> None:
        """Take the weights of the default package if the parser has none. Other threads
        wait.
        RAISES (ValueError): The parser is frozen in training, or there is no such
            package."""
        with MAKING:
            if self.labels:
                return
            training = self.nlp.config["training"]
            if self.name in training.get("frozen_components", ()):
                raise ValueError(
                    f"'{self.name}' is frozen and untrained: expected source = ... in "
                    "its config"
                )
            parser, model_config = load_default_parser(self.vocab.lang, self.name)
            self.model = parser.model
            self.cfg["model"] = model_config
            self.set_label_data(parser.label_data)

    def _predict(self, docs: list[Doc]) -> list[list[Parse]]:
        read = [read_sentences(doc) for doc in docs]
        pieces = [list(chain.from_iterable(sentences.pieces)) for sentences in read]
        decoded = iter(self._parse(docs, pieces))
        parses = []
        for doc, sentences in zip(docs, read, strict=True):
            joined = []
            for of_sentence in sentences.pieces:
                parse, *others = islice(decoded, len(of_sentence))
                if others:
                    parts = [parse, *others]
                    parse = join_pieces(parts, self._label_vocab, self._deprel_ids)
                joined.append(parse)
            if CONSTRAINTS_KEY in doc.spans:
                self._constrain(doc, sentences.read, joined)
            of_doc = []
            places = zip(joined, sentences.read, sentences.words, strict=True)
            for ids, words, all_words in places:
                of_words = self.to_strings(ids, doc, words)
                if len(words) < len(all_words):
                    of_words = with_notes(doc, all_words, of_words)
                of_doc.append(of_words)
            parses.append(of_doc)
        return parses

    def _parse(
        self, docs: list[Doc], pieces: Sequence[Sentences]
    ) -> list[DecodedParse]:
        """The parses of the pieces of all sentences, Doc by Doc."""
        owners = [
            (doc, words)
            for doc, of_doc in zip(docs, pieces, strict=True)
            for words in of_doc
        ]
        parses: dict[int, DecodedParse] = {}
        for indices, scores in self.iter_scores(docs, pruned=True, sentences=pieces):
            decoded = zip(indices, scores, self.decoder(scores), strict=True)
            for i, of_sentence, parse in decoded:
                doc, words = owners[i]
                parses[i] = self.revise([doc[k] for k in words], parse, of_sentence)
        return [parses[i] for i in range(len(owners))]

    def revise(
        self, words: Sequence[Token], parse: DecodedParse, scores: ParserScores
    ) -> DecodedParse:
        """A sentence's parse as treebanks have it; see `Decoder.revise`."""
        return self.decoder.revise(parse, scores, words, self._terms)

    def _constrain(
        self, doc: Doc, sentences: Sentences, parses: list[DecodedParse]
    ) -> None:
        for i, constraints in enumerate(sentence_constraints(doc, sentences)):
            n_words = len(sentences[i])
            if not constraints:
                continue
            if n_words > MAX_LENGTH:
                raise ValueError(
                    f"a sentence of {n_words} words has constraints, and sentences of "
                    f"more than {MAX_LENGTH} words are parsed in pieces, which cannot "
                    "fulfil them"
                )
            alone = [[sentences[i]]]
            ((_, (scores,)),) = self.iter_scores([doc], pruned=False, sentences=alone)
            parses[i] = parse_constrained(
                doc, constraints, scores, self.decoder, self._terms.labels
            )

    def iter_scores(
        self,
        docs: list[Doc],
        *,
        pruned: bool,
        sentences: Optional[Sequence[Sentences]] = None,
    ) -> Iterator[tuple[Sequence[int], Sequence[ParserScores]]]:
        """Numbers of sentences, over all Docs, and their scores, in sub-batches;
        without heads, unless they are set.
        pruned (bool): Whether pruned labels suffice. A network that runs in torch
            gives all of them all the same.
        sentences (Optional[Sequence[Sentences]]): For each Doc, the words of its
            sentences or parts. None: its sentences."""
        batch, _ = embed(self.model, docs, False, sentences)
        batch = batch._replace(pruned=pruned)
        for places, scores in network.iter_scores(self.model.layers[-1], batch):
            if not self.dependencies:
                scores = [of_sentence.without_heads() for of_sentence in scores]
            yield places, scores

    def set_annotations(self, docs: Iterable[Doc], scores: list[list[Parse]]) -> None:
        """Write parses, as `predict` returned them, onto Docs: heads, deprels, and
        `doc.spans["constituents"]`."""
        docs = list(docs)
        if {doc.noun_chunks_iterator for doc in docs} != {noun_chunks}:  # type: ignore[attr-defined]
            install_noun_chunks(self.vocab, docs)
        for doc, parses in zip(docs, scores, strict=True):
            set_parses(
                doc, parses, overwrite=self.overwrite, signature=ParserSignature(self)
            )

    def to_strings(self, parse: DecodedParse, doc: Doc, tokens: Sequence[int]) -> Parse:
        """A sentence's parse with labels and deprels in place of their ids.
        tokens (Sequence[int]): The Doc indices of its words."""
        has_heads = bool(self.cfg["deprels"]) and self.dependencies
        labels, strings, _ = self._terms
        constituents = heads = None
        deprels: Sequence[str] = ()
        if self.cfg["constituents"]:
            constituents = [
                Constituent(start, end, labels[label])
                for start, end, label in parse.spans.tolist()
            ]
        if has_heads:
            heads = parse.heads.tolist()
            deprels = [strings[i] for i in parse.deprels.tolist()]
            if ROOT_DEPREL in self._deprel_ids:
                deprels = with_root_deprel(heads, deprels)
        return Parse(
            [doc[i].text for i in tokens],
            constituents=constituents,
            heads=heads,
            deprels=deprels,
            method=parse.method,
            doc=doc,
            tokens=tokens,
        )

    # Training

    def _learn(self, examples: list[Example], docs: list[Doc]) -> float:
        scores, backprop = self.model.begin_update(docs)
        unknown: set[str] = set()
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
        labels: Optional[dict[str, list[str]]] = None,
    ) -> None:
        """Collect labels, and make the network.
        get_examples (Callable[[], Iterable[Example]]): Gives a representative sample of
            the training data.
        labels (Optional[Dict[str, List[str]]]): Stored `label_data`, for instance from
            `init labels`.
        RAISES (ValueError): The data has neither constituents nor heads."""

        def collect() -> dict[str, list[Any]]:
            inputs = get_config(self.model).inputs
            return collect_labels(
                get_examples(), alphabet=inputs.alphabet, words=inputs.reads("words")
            )

        self._initialize(get_examples, collect if labels is None else lambda: labels)


make_lal_parser = Language.factory(
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
)(LALParser)
