"""The component `lal_srl`: predicates, their arguments and rolesets, for the sentences of a Doc.

It handles sentences, annotations and losses. The config supplies the network and the decoder.
"""

from itertools import islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Literal, Mapping, NamedTuple, Optional, Sequence, Set, Tuple

import numpy
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model

from ..annotations import (
    ROLES_KEY,
    SPANS_KEY,
    copy_frames,
    frame_of,
    get_constituents,
    get_sentence_propositions,
    has_propositions,
    install_extensions,
    sentence_words,
    set_sentence_propositions,
)
from ..lang import DEFAULT_PIPELINE
from ..locks import MAKING
from ..loss.roles import RoleLabels, RolesLoss, gold_roles
from ..role_scores import RoleScores
from ..trees.frames import read_frames
from ..trees.propositions import Proposition, predicate_span
from ..trees.role_tags import RoleTags
from .encoder import Encoder
from .role_decoder import PART, Range, RolesDecoder, Verb, transition_scores
from .role_labels import (
    ALIASES,
    DEPRELS,
    PREDICATES,
    ROLE_VOCABULARIES,
    ROLES,
    ROLESETS,
    SENSES,
    TRANSITIONS,
    collect_role_labels,
)
from .rolesets import Rolesets, collect_aliases
from .sentence_pipe import SentencePipe, runs_of_docs

PredicateSource = Literal["own", "doc"]
HOW_TO_GET = (
    f'The English pipeline has one: spacy.load("{DEFAULT_PIPELINE}"), or nlp.add_pipe("lal_srl", '
    f'source=spacy.load("{DEFAULT_PIPELINE}")) after the components that it reads. To train one: python -m spacy '
    "project run srl projects/srl in a checkout of spacy_lal (docs/how_to/roles.md)"
)


class _Given(NamedTuple):
    """Predicates that are given: for each sentence, their words, ascending, the words of their V and C-V, and all."""

    rows: List[ndarray]
    verbs: List[List[Verb]]
    propositions: List[List[Proposition]]


class LALSemanticRoles(SentencePipe):
    """Semantic role labelling (LISA, Strubell et al. 2018).

    It needs sentence boundaries, with `heads = "doc"` heads too, and sets `doc.spans["srl"]`. Gold roles of an Example
    are `reference.spans["srl"]`, gold arcs are the heads and deprels of `reference`. Either may be missing.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[List[Doc], List[RoleScores]],
        name: str = "lal_srl",
        *,
        decoder: Optional[RolesDecoder] = None,
        loss: Optional[RolesLoss] = None,
        scorer: Optional[Callable] = None,
        predicates: PredicateSource = "own",
        predicate_threshold: float = 0.5,
        overwrite: bool = True,
        upstream: Optional[Encoder] = None,
    ) -> None:
        """See `spacy_lal.pipeline.srl_factory` for the arguments.

        upstream (Optional[Encoder]): The pipeline's transformer that the model listens to, if any.
        RAISES (ValueError): An option is out of range.
        """
        super().__init__(vocab, model, name, upstream=upstream)
        if predicates not in ("own", "doc"):
            raise ValueError(f"predicates: expected 'own' or 'doc', got {predicates!r}")
        if isinstance(predicate_threshold, bool) or not 0.0 <= predicate_threshold <= 1.0:
            raise ValueError(f"predicate_threshold: expected a number in [0, 1], got {predicate_threshold!r}")
        self.decoder = decoder if decoder is not None else RolesDecoder()
        if model.attrs["config"].with_spans and (self.decoder.transition_weight or self.decoder.constituent_bonus):
            raise ValueError(
                "decoder: transition_weight and constituent_bonus are of scores of tags, and role_scorer scores "
                f"ranges: expected 0 for both, got {self.decoder}"
            )
        self.loss = loss if loss is not None else RolesLoss()
        self.scorer = scorer
        self.predicates, self.predicate_threshold, self.overwrite = predicates, predicate_threshold, overwrite
        self.cfg: Dict[str, Any] = {key: [] for key in ROLE_VOCABULARIES}
        install_extensions()

    # Labels

    @property
    def labels(self) -> Tuple[str, ...]:
        """The roles, `V` among them."""
        return tuple(self.cfg[ROLES])

    def set_label_data(self, label_data: Mapping[str, Sequence[Any]]) -> None:
        """Set the vocabularies and thereby the sizes of the network; weights of other sizes are dropped.

        label_data (Mapping[str, Sequence[Any]]): In the form of the property `label_data`.
        RAISES (ValueError): It has unknown keys, or no roles.
        """
        if not isinstance(label_data, Mapping) or set(label_data) - set(self.cfg):
            raise ValueError(f"labels are a dict with the keys {sorted(self.cfg)}, got {label_data!r:.200}")
        self.cfg.update({key: list(label_data.get(key, ())) for key in self.cfg})
        if not self.cfg[ROLES]:
            raise ValueError(
                f"'{self.name}' has nothing to learn: expected Examples whose reference has roles "
                f'(reference.spans["{ROLES_KEY}"]), got none; spacy-lal.PropBankCorpus.v1 reads them from files'
            )
        config = self.model.attrs["config"]
        tags = RoleTags(self.cfg[ROLES])
        joint = {(tag, bool(flag)): i for i, (tag, flag) in enumerate(self.cfg[PREDICATES])}
        self._labels = RoleLabels(
            tags=tags,
            rolesets={roleset: i for i, roleset in enumerate(self.cfg[ROLESETS])},
            deprels={deprel: i for i, deprel in enumerate(self.cfg[DEPRELS])},
            joint=joint if config.with_tags else None,
        )
        senses, aliases = ([(words, found) for words, found in self.cfg[key]] for key in (SENSES, ALIASES))
        self._rolesets = Rolesets(self.cfg[ROLESETS], senses, aliases)
        self._transitions: Optional[ndarray] = None
        if self.decoder.transition_weight:
            self._transitions = transition_scores(self.cfg[TRANSITIONS], tags)
        # Interned in advance: strings that are added within `nlp.memory_zone()` are removed at its end.
        for string in (ROLES_KEY, *self.cfg[ROLES], *self._rolesets.rolesets):
            self.vocab.strings.add(string, allow_transient=False)  # type: ignore[call-arg]  # spaCy's stub
        n_others = sum(not flag for _, flag in joint)
        self.model.attrs["set_sizes"](
            self.model,
            n_tags=len(tags),
            n_predicate_labels=len(joint) if config.with_tags else 2,
            n_other_labels=n_others if config.with_tags else 1,
            n_rolesets=len(self.cfg[ROLESETS]) if config.with_rolesets else 0,
            n_deprels=len(self.cfg[DEPRELS]),
        )

    # Finding roles

    def predict(self, docs: Iterable[Doc]) -> List[List[List[Proposition]]]:
        """Find roles without changing the Docs.

        RETURNS (List[List[List[Proposition]]]): For each Doc and each of its sentences, its propositions over word
            positions.
        RAISES (ValueError): A Doc has no sentence boundaries, or with `heads = "doc"` no heads; the component is
            untrained; or no component provides the vectors that the model listens to.
        """
        docs = list(docs)
        found: List[List[List[Proposition]]] = [[[] for _ in sentence_words(doc)] for doc in docs]
        if any(map(len, docs)) and not self.labels:
            raise ValueError(f"'{self.name}' was neither trained nor loaded: it cannot find roles. {HOW_TO_GET}")
        if self.model.attrs["config"].heads == "doc":
            self._check_heads(docs)
        for run, of_run in runs_of_docs(docs):
            for i, propositions in zip(run, self._find(of_run), strict=True):
                found[i] = propositions
        return found

    def _check_heads(self, docs: Sequence[Doc]) -> None:
        for doc in docs:
            if len(doc) > 1 and not doc.has_annotation("DEP"):
                raise ValueError(
                    f"'{self.name}' follows the heads of the Doc (syntax.heads = \"doc\"), and the Doc "
                    f"{doc.text[:40]!r} has none: a component that sets them is missing before it, for example "
                    f'nlp.add_pipe("lal_parser", before="{self.name}")'
                )

    def _find(self, docs: List[Doc]) -> List[List[List[Proposition]]]:
        sentences = [sentence_words(doc) for doc in docs]
        given = self._given(docs) if self.predicates == "doc" else None
        constituents = self._constituents(docs) if self.decoder.constituent_bonus else None
        owners = [(doc, words) for doc, of_doc in zip(docs, sentences, strict=True) for words in of_doc]
        propositions: List[List[Proposition]] = [[] for _ in owners]
        with self.encoded(docs):
            rows = None if given is None else given.rows
            options = {"predicates": rows, "threshold": self.predicate_threshold}
            for indices, scores in self.model.attrs["iter_scores"](self.model, docs, **options):
                verbs = None if given is None else [given.verbs[i] for i in indices]
                args = self.decoder(
                    scores,
                    self._labels.tags,
                    transitions=self._transitions,
                    verbs=verbs,
                    constituents=None if constituents is None else [constituents[i] for i in indices],
                )
                for i, one, of_sentence in zip(indices, scores, args, strict=True):
                    known = None if given is None else given.propositions[i]
                    propositions[i] = self._to_propositions(owners[i], one, of_sentence, known)
        in_order = iter(propositions)
        return [list(islice(in_order, len(of_doc))) for of_doc in sentences]

    def _to_propositions(
        self,
        sentence: Tuple[Doc, Sequence[int]],
        scores: RoleScores,
        args: Sequence[Tuple[Tuple[int, int, str], ...]],
        given: Optional[Sequence[Proposition]],
    ) -> List[Proposition]:
        """The propositions of a sentence, a Doc with some of its tokens; rolesets that are given stay, with their frame
        files."""
        doc, words = sentence
        found = []
        for f, token in enumerate(scores.rows.tolist()):
            start, end = predicate_span(args[f])
            text = " ".join(doc[words[i]].text for i in range(start, end))
            roleset, lemma = (given[f].roleset, given[f].lemma) if given is not None else ("", "")
            if not roleset:
                row = None if scores.rolesets is None else scores.rolesets[f]
                roleset, lemma = self._rolesets.choose(text, doc[words[token]].lemma_, row), ""
            found.append(Proposition(token, roleset, args[f], lemma or frame_of(roleset)))
        return found

    def _constituents(self, docs: Sequence[Doc]) -> List[Set[Range]]:
        """The constituents of each sentence, over words.

        RAISES (ValueError): A Doc has none.
        """
        found: List[Set[Range]] = []
        for doc in docs:
            if SPANS_KEY not in doc.spans and any(sentence_words(doc)):
                raise ValueError(
                    f"'{self.name}' reads constituents (decoder.constituent_bonus), and the Doc {doc.text[:40]!r} has "
                    f'no doc.spans["{SPANS_KEY}"]: a component that sets them is missing before it, for example '
                    f'nlp.add_pipe("lal_parser", before="{self.name}")'
                )
            found.extend({(start, end) for start, end, _ in spans} for spans in get_constituents(doc))
        return found

    def _given(self, docs: Sequence[Doc]) -> _Given:
        """The predicates that the Docs have, with `predicates = "doc"`.

        RAISES (ValueError): A Doc has no roles.
        """
        given = _Given([], [], [])
        for doc in docs:
            if not has_propositions(doc):
                raise ValueError(
                    f"'{self.name}' takes given predicates (predicates = \"doc\"), and the Doc {doc.text[:40]!r} has "
                    f'no doc.spans["{ROLES_KEY}"]: write predicates with spacy_lal.annotations.set_propositions, or '
                    'let the component find them with predicates = "own"'
                )
            for of_sentence in get_sentence_propositions(doc):
                given.rows.append(numpy.array([one.token for one in of_sentence], dtype="int64"))
                given.verbs.append([_verb_of(one) for one in of_sentence])
                given.propositions.append(of_sentence)
        return given

    def set_annotations(self, docs: Iterable[Doc], scores: List[List[List[Proposition]]]) -> None:
        """Write roles onto Docs: `doc.spans["srl"]`. The Docs of another pipeline get the frames of the component's
        own, unless their vocab has some.

        docs (Iterable[Doc]): Modified in place.
        scores (List[List[List[Proposition]]]): As `predict` returned them.
        """
        for doc, propositions in zip(docs, scores, strict=True):
            if doc.vocab is not self.vocab:
                with MAKING:
                    copy_frames(self.vocab, doc.vocab)
            if self.overwrite or self.predicates == "doc" or not has_propositions(doc):
                set_sentence_propositions(doc, sentence_words(doc), propositions)

    # Training

    def _learn(self, examples: List[Example], docs: List[Doc]) -> float:
        golds = [gold for eg in examples for gold in gold_roles(eg, self._labels)]
        with self.encoded(docs, is_train=True):
            scores, backprop = self.model.attrs["begin_update"](self.model, docs, golds)
        found, d_scores = self.loss(scores, golds)
        backprop(d_scores)
        return sum(found.values())

    def get_loss(self, examples: Iterable[Example], scores: List[RoleScores]) -> Tuple[float, List[RoleScores]]:
        """The loss of the scores of the Examples' sentences for gold predicates, and its gradient.

        RETURNS (Tuple[float, List[RoleScores]]): The loss, and the gradient for each sentence.
        RAISES (ValueError): The loss is not finite, or scores are of other predicates than the gold ones.
        """
        golds = [gold for eg in examples for gold in gold_roles(eg, self._labels)]
        losses, d_scores = self.loss(scores, golds)
        return sum(losses.values()), d_scores

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[Dict[str, List[Any]]] = None,
        frames: Optional[Path] = None,
    ) -> None:
        """Collect labels, and make the network.

        get_examples (Callable): Gives a representative sample of the training data.
        labels (Optional[Dict[str, List[Any]]]): Stored `label_data`, for instance from `init labels`.
        frames (Optional[Path]): PropBank's frames, JSON lines: the rolesets of words that the training data lacks.
            Without it, `labels` may have them.
        RAISES (ValueError): The data has no roles, or no heads where the network is to have arcs of its own.
        """
        validate_get_examples(get_examples, "LALSemanticRoles.initialize")
        self.use_configured_model()
        found = dict(labels) if labels is not None else collect_role_labels(get_examples())
        if frames is not None:
            found[ALIASES] = [list(alias) for alias in collect_aliases(read_frames(frames).values())]
        if self.model.attrs["config"].heads != "own":  # no arcs are learnt
            found[DEPRELS] = []
        self.set_label_data(found)
        self._initialize_model(get_examples)


def _verb_of(proposition: Proposition) -> Verb:
    """The words of a given V, then of each C-V."""
    parts = [(start, end) for start, end, role in proposition.args if role == PART]
    return [predicate_span(proposition.args), *parts]
