"""The component `lal_parser`: constituency and dependency trees for the sentences of a Doc.

It handles sentences, annotations and losses. The config supplies the network and the decoder.
"""

from functools import partial
from itertools import islice
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, get_args

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotations import (
    METHODS_KEY,
    ROOT_DEPREL,
    SPANS_KEY,
    WHITESPACE_DEPREL,
    ParseMethod,
    SentenceParse,
    Sentences,
    install_extensions,
    install_noun_chunks,
    sentence_words,
    set_parses,
    with_root_deprel,
)
from ..locks import MAKING
from ..loss.gold import gold_parses
from ..loss.parser import ParserLoss
from ..scores import AnyScores, ParserScores, ScoresGradient
from ..trees import LabelVocab, split_chain
from .coexistence import Coexistence
from .constrained import parse_constrained
from .decoders import DecodedParse, Decoder, constituents_alone, make_separate_decoder, takes_pruned
from .default_package import load_default_parser
from .encoder import Encoder
from .labels import VOCABULARIES, collect_labels
from .long_sentences import LongPolicy, LongSentences, join_pieces, parse_in_pieces
from .sentence_pipe import SentencePipe, runs_of_docs


class LALParser(SentencePipe):
    """Joint constituency and dependency parser (Mrini et al. 2020).

    It needs sentence boundaries, and sets `token.head`, `token.dep_` and `doc.spans["constituents"]`. Gold trees of an
    Example are `reference.spans["constituents"]`, gold arcs are the heads and deprels of `reference`. Either may be
    missing.
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
        dependencies: bool = True,
        long_policy: LongPolicy = "separate",
        split_length: Optional[int] = None,
        loss: Optional[ParserLoss] = None,
        coexistence: Optional[Coexistence] = None,
        upstream: Optional[Encoder] = None,
    ) -> None:
        """See `spacy_lal.pipeline.factory` for the arguments.

        loss (Optional[ParserLoss]): Weights of the losses. None: the defaults.
        coexistence (Optional[Coexistence]): Knows the pipeline. None: no warning of later parsers.
        upstream (Optional[Encoder]): The pipeline's transformer that the model listens to, if any.
        """
        super().__init__(vocab, model, name, upstream=upstream)
        self.decoder = decoder
        self.scorer = scorer
        self.overwrite = overwrite
        self.dependencies = dependencies
        self.coexistence = coexistence if coexistence is not None else Coexistence()
        self.long_sentences = LongSentences(long_policy, split_length)
        self.long_sentences.choose(decoder)  # raises if the decoder does not support the policy
        self.loss = loss if loss is not None else ParserLoss()
        self.cfg: Dict[str, Any] = {name: [] for name in VOCABULARIES}
        install_extensions()
        install_noun_chunks(vocab)

    # Labels

    @property
    def labels(self) -> Tuple[str, ...]:
        """Constituent labels (a unary chain as `S::VP`), then deprels."""
        return (*self.cfg["constituents"], *self.cfg["deprels"])

    def set_label_data(self, label_data: Mapping[str, Sequence[str]]) -> None:
        """Set the vocabularies and thereby the sizes of the network; weights of other sizes are dropped.

        label_data (Mapping[str, Sequence[str]]): In the form of the property `label_data`.
        RAISES (ValueError): It has unknown keys, neither constituents nor deprels, only deprels where `dependencies` is
            false, or not one count for each word.
        """
        unknown = set(label_data) - set(self.cfg)
        if unknown or not isinstance(label_data, Mapping):
            raise ValueError(f"labels are a dict with the keys {sorted(self.cfg)}, got also {sorted(unknown)}")
        self.cfg.update({key: list(label_data.get(key, ())) for key in self.cfg})
        for key, scores in (("constituents", "scores_constituents"), ("deprels", "scores_dependencies")):
            if not self.model.attrs.get(scores, True):  # the config has null in the place of the scorer
                self.cfg[key] = []
        constituents, deprels = self.cfg["constituents"], self.cfg["deprels"]
        if not constituents and not deprels:
            raise ValueError(
                f"'{self.name}' has nothing to learn: expected Examples whose reference has constituents "
                f'(reference.spans["{SPANS_KEY}"]) or heads and deprels, got neither'
            )
        if not constituents and not self.dependencies:
            raise ValueError(
                f"'{self.name}' has dependencies = false and a network that scores dependencies alone, so it would set "
                "nothing: expected one that scores constituents"
            )
        # Interned in advance: strings that a parse adds within `nlp.memory_zone()` are removed at its end. Default
        # weights may be loaded within one.
        chains = [*constituents, *(label for constituent in constituents for label in split_chain(constituent))]
        fixed = (SPANS_KEY, METHODS_KEY, *get_args(ParseMethod), ROOT_DEPREL, WHITESPACE_DEPREL)
        for string in (*chains, *deprels, *self.cfg["tags"], *fixed):
            self.vocab.strings.add(string, allow_transient=False)  # type: ignore[call-arg]  # spaCy's stub
        self._label_vocab = LabelVocab(constituents)
        self._deprel_ids = {deprel: i for i, deprel in enumerate(deprels)}
        self._set_vocabularies(n_labels=len(self._label_vocab) if constituents else 0, n_deprels=len(deprels))

    def _set_vocabularies(self, *, n_labels: int, n_deprels: int) -> None:
        words, counts = self.cfg["words"], self.cfg["word_counts"]
        if len(set(words)) != len(counts):
            raise ValueError(
                f"labels of '{self.name}': expected one count for each word, and different words; got {len(words)} "
                f"words, {len(set(words))} of them different, and {len(counts)} counts"
            )
        vocabularies: Dict[str, Any] = {"tags": self.cfg["tags"], "chars": self.cfg["chars"]}
        if words:
            vocabularies["words"] = dict(zip(words, counts, strict=True))
        self.model.attrs["set_vocabularies"](self.model, n_labels=n_labels, n_deprels=n_deprels, **vocabularies)

    # Parsing

    def predict(self, docs: Iterable[Doc]) -> List[List[DecodedParse]]:
        """Parse Docs without changing them.

        RETURNS (List[List[DecodedParse]]): For each Doc, one parse for each of its sentences.
        RAISES (ValueError): A Doc has no sentence boundaries; the component is untrained and its language has no
            default package; or no component provides the vectors that the model listens to.
        """
        docs = list(docs)
        parses: List[List[DecodedParse]] = [[] for _ in docs]
        longest = [max(map(len, sentence_words(doc)), default=0) for doc in docs]
        if any(map(len, docs)):
            self._take_default_weights()
        for run, of_run in runs_of_docs(docs):
            found = self._parse(of_run, max(longest[i] for i in run))
            for i, doc_parses in zip(run, found, strict=True):
                parses[i] = doc_parses
        return parses

    def _parse(self, docs: List[Doc], longest: int) -> List[List[DecodedParse]]:
        limit = self.long_sentences.limit(self.decoder)
        with self.encoded(docs):
            if limit is None or longest <= limit:
                parses = self._parse_sentences(docs)
            else:
                self.long_sentences.warn_once(self.name, limit)
                join = partial(join_pieces, labels=self._label_vocab, deprels=self._deprel_ids)
                piece_length = self.long_sentences.piece_length(self.decoder)
                parses = parse_in_pieces(docs, self._parse_sentences, limit, piece_length, join)
            labels = self._label_vocab.strings
            parse_constrained(docs, parses, self.iter_scores, self.decoder_in_use, labels, limit)
        return parses

    def _parse_sentences(
        self, docs: Sequence[Doc], sentences: Optional[Sequence[Sentences]] = None, rough: bool = False
    ) -> List[List[DecodedParse]]:
        """For each Doc, the parses of its sentences.

        sentences (Optional[Sequence[Sentences]]): For each Doc, the words of each stretch to parse. None: the Doc's own
            sentences.
        rough (bool): Whether quick parses suffice, whose trees need not agree.
        """
        found = [sentence_words(doc) for doc in docs] if sentences is None else sentences
        decode = self._for_trees(make_separate_decoder()) if rough else self.decoder_in_use
        parses: Dict[int, DecodedParse] = {}
        for indices, scores in self.iter_scores(list(docs), pruned=takes_pruned(decode), sentences=sentences):
            parses.update(zip(indices, decode(scores), strict=True))
        in_order = (parses[i] for i in range(len(parses)))
        return [list(islice(in_order, len(doc_sentences))) for doc_sentences in found]

    @property
    def decoder_in_use(self) -> Decoder:
        """The decoder of sentences that are parsed as a whole: `decoder` under the policy for long sentences, or CKY
        alone if `dependencies` are not set."""
        return self._for_trees(self.long_sentences.choose(self.decoder))

    def _for_trees(self, decoder: Decoder) -> Decoder:
        return decoder if self.dependencies else constituents_alone(decoder)

    def _take_default_weights(self) -> None:
        """Load default weights if the parser has no labels yet. Other threads wait until all is in place."""
        with MAKING:
            if not self.labels:
                default = load_default_parser(self.vocab.lang, self.name)
                self.use_model(default.model, default.model_config, default.encoder)
                self.set_label_data(default.label_data)

    def iter_scores(
        self, docs: List[Doc], *, pruned: bool, sentences: Optional[Sequence[Sentences]] = None
    ) -> Iterator[Tuple[Sequence[int], Sequence[AnyScores]]]:
        """Scores and the indices of their sentences, in sub-batches where the network offers them: charts are large,
        and a whole batch's charts need not be in memory together.

        sentences (Optional[Sequence[Sentences]]): As for `_parse_sentences`.
        RAISES (ValueError): The model scores only whole sentences, and `sentences` is given.
        """
        if "iter_scores" in self.model.attrs:
            yield from self.model.attrs["iter_scores"](self.model, docs, pruned=pruned, sentences=sentences)
        elif sentences is not None:
            raise ValueError(f"the model of '{self.name}' scores whole sentences alone: expected long_policy 'joint'")
        else:
            scores = self.model.predict(docs)
            yield range(len(scores)), scores

    def set_annotations(self, docs: Iterable[Doc], scores: List[List[DecodedParse]]) -> None:
        """Write parses onto Docs: heads, deprels, and `doc.spans["constituents"]`. Warns if heads of another scheme are
        replaced, here or by a later component.

        docs (Iterable[Doc]): Modified in place.
        scores (List[List[DecodedParse]]): As `predict` returned them.
        """
        docs = list(docs)
        install_noun_chunks(self.vocab, docs)
        if self.dependencies and self.cfg["deprels"]:
            self.coexistence.check_order(self.name, docs)
            if self.overwrite:
                self.coexistence.check_docs(self.name, docs, self.cfg["deprels"])
        for doc, parses in zip(docs, scores, strict=True):
            set_parses(doc, [self.to_strings(parse) for parse in parses], overwrite=self.overwrite)

    def to_strings(self, parse: DecodedParse) -> SentenceParse:
        """A parse with labels and deprels in place of their ids."""
        constituents = heads = deprels = None
        if self.cfg["constituents"]:
            strings = self._label_vocab.strings
            constituents = [(start, end, strings[label]) for start, end, label in parse.spans.tolist()]
        if self.cfg["deprels"] and self.dependencies:
            heads = parse.heads.tolist()
            deprels = [self.cfg["deprels"][i] for i in parse.deprels.tolist()]
            deprels = with_root_deprel(heads, deprels) if ROOT_DEPREL in self._deprel_ids else deprels
        return SentenceParse(constituents, heads, deprels, parse.method)

    # Training

    def _learn(self, examples: List[Example], docs: List[Doc]) -> float:
        with self.encoded(docs, is_train=True):
            scores, backprop = self.model.begin_update(docs)
        loss, d_scores = self.get_loss(examples, scores)
        backprop(d_scores)
        return loss

    def get_loss(self, examples: Iterable[Example], scores: List[ParserScores]) -> Tuple[float, List[ScoresGradient]]:
        """The loss of the scores of the Examples' sentences, and its gradient.

        RETURNS (Tuple[float, List[ScoresGradient]]): The summed loss, and the gradient for each sentence.
        RAISES (ValueError): The loss is not finite.
        """
        examples = list(examples)
        golds = [gold for eg in examples for gold in gold_parses(eg, self._label_vocab, self._deprel_ids)]
        losses, d_scores = self.loss(scores, golds)
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
        labels (Optional[Dict[str, List[str]]]): Stored `label_data`, for instance from `init labels`.
        RAISES (ValueError): The data has neither constituents nor heads.
        """
        validate_get_examples(get_examples, "LALParser.initialize")
        self.use_configured_model()
        if labels is None:
            attrs = self.model.attrs
            labels = collect_labels(get_examples(), alphabet=attrs.get("alphabet"), words=bool(attrs.get("has_words")))
        self.set_label_data(labels)
        self._initialize_model(get_examples)
