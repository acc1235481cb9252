"""The component `lal_srl`: predicates, their arguments and rolesets, for the sentences
of a Doc. It handles sentences, annotations and losses. The config supplies the
network."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import (
    Any,
    Literal,
    Optional,
    Union,
)

import numpy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Config, Model

from ..annotations import (
    ROLES_KEY,
    DocSentences,
    copy_frames,
    frame_of,
    has_propositions,
    install_extensions,
    read_sentences,
    set_sentence_propositions,
)
from ..lang import DEFAULT_PIPELINE, conventions
from ..loss.gold import RoleLabels, gold_roles
from ..loss.roles import RolesLoss
from ..models.batches import get_config
from ..models.doc_parses import lacking
from ..models.roles import begin_update, iter_scores, set_sizes
from ..scores import RoleScores
from ..trees.frames import read_frames
from ..trees.roles import (
    PREDICATE_PART,
    Argument,
    Proposition,
    RoleTags,
    predicate_span,
    role_number,
)
from .component import SMALL_TOK2VEC, SentencePipe
from .labels import ROLE_VOCABULARIES, Rolesets, collect_aliases, collect_role_labels
from .long_sentences import cut_propositions
from .role_decoder import decode_roles

PredicateSource = Literal["own", "doc"]
# The Doc indices of some words, and their propositions over them.
RolesOfWords = tuple[list[int], list[Proposition]]
AGENT_DEPREL = "obl:agent"
ADDED_BY = (
    f'nlp.add_pipe("lal_srl", source=spacy.load("{DEFAULT_PIPELINE}")) after the '
    "components that it reads"
)
HOW_TO_GET = (
    f'{DEFAULT_PIPELINE} has one: spacy.load("{DEFAULT_PIPELINE}"), or {ADDED_BY}. '
    "To train one: python -m spacy project run all projects/en in a checkout of "
    "spacy_lal (docs/how_to/roles.md)"
)
DEFAULT_CONFIG_STR = f"""
[lal_srl.model]
@architectures = "spacy-lal.RolesModel.v1"

[lal_srl.model.tok2vec]
{SMALL_TOK2VEC}

[lal_srl.model.encoder]
@misc = "spacy-lal.RolesEncoder.v1"
timing = true

[lal_srl.model.syntax]
@misc = "spacy-lal.SyntaxAttention.v1"
heads = "own"

[lal_srl.model.predicate_scorer]
@misc = "spacy-lal.PredicateScorer.v1"

[lal_srl.model.role_scorer]
@misc = "spacy-lal.RoleScorer.v1"

[lal_srl.model.roleset_scorer]
@misc = "spacy-lal.RolesetScorer.v1"

[lal_srl.loss]
@misc = "spacy-lal.RolesLoss.v1"

[lal_srl.scorer]
@scorers = "spacy-lal.roles_scorer.v1"
"""


@Language.factory(
    "lal_srl",
    assigns=["doc.spans", "token.dep"],
    requires=["token.is_sent_start"],
    default_config=Config().from_str("[lal_srl]\n" + DEFAULT_CONFIG_STR)["lal_srl"],
    default_score_weights={
        "srl_f": 1.0,
        "srl_p": None,
        "srl_r": None,
        "predicate_f": 0.0,
        "roleset_acc": 0.0,
        "srl_per_role": None,
    },
)
def make_lal_srl(
    nlp: Language,
    name: str,
    model: Union[Model[list[Doc], list[RoleScores]], str],
    loss: RolesLoss,
    scorer: Optional[Callable],
    predicates: PredicateSource = "own",
    overwrite: bool = True,
) -> "LALSemanticRoles":
    """Make a `lal_srl` component.

    model (Model[List[Doc], List[RoleScores]]): Scores each sentence of the Docs, in
        order.
    loss (RolesLoss): Weights of the losses.
    scorer (Optional[Callable]): From Examples to scores.
    predicates (str): "own": the component finds predicates. "doc": it takes the
        predicates that the Doc has in `doc.spans["srl"]`, with their V, C-V and, where
        it is not empty, their roleset with its frame file, and finds their arguments.
    overwrite (bool): Whether to replace roles that a Doc already has.
    """
    return LALSemanticRoles(
        nlp.vocab,
        model,
        name,
        loss=loss,
        scorer=scorer,
        predicates=predicates,
        overwrite=overwrite,
    )


class LALSemanticRoles(SentencePipe):
    """Semantic role labelling (LISA, Strubell et al. 2018).

    It needs sentence boundaries, with `heads = "doc"` heads too, and sets
    `doc.spans["srl"]`. An `obl:agent` of another role than ARG0 and ARG1 becomes an
    `obl`. Gold roles of an Example are `reference.spans["srl"]`, gold arcs are the
    heads and deprels of `reference`. Either may be missing."""

    added_by = ADDED_BY

    def __init__(
        self,
        vocab: Vocab,
        model: Union[Model[list[Doc], list[RoleScores]], str],
        name: str = "lal_srl",
        *,
        loss: Optional[RolesLoss] = None,
        scorer: Optional[Callable] = None,
        predicates: PredicateSource = "own",
        overwrite: bool = True,
    ) -> None:
        """See `make_lal_srl`."""
        super().__init__(vocab, model, name, scorer, ROLE_VOCABULARIES)
        self.loss = loss if loss is not None else RolesLoss()
        self.predicates = predicates
        self.overwrite = overwrite
        self._word_attr: Optional[str] = None  # what networks of ranges read of words
        install_extensions()

    # Labels

    @property
    def labels(self) -> tuple[str, ...]:
        """The roles, `V` among them."""
        return tuple(self.cfg["roles"])

    def set_label_data(self, label_data: Mapping[str, Sequence[Any]]) -> None:
        """See `SentencePipe`.

        RAISES (ValueError): The data have unknown keys, or no roles."""
        super().set_label_data(label_data)
        if not self.cfg["roles"]:
            raise ValueError(
                f"'{self.name}' has nothing to learn: expected Examples whose "
                "reference has roles "
                f'(reference.spans["{ROLES_KEY}"]), got none; '
                "spacy-lal.PropBankCorpus.v1 reads them from files"
            )
        config = get_config(self.model)
        self._word_attr = config.role_scorer.word_attr if config.with_spans else None
        tags = RoleTags(self.cfg["roles"])
        rolesets = self.cfg["rolesets"]
        deprels = self.cfg["deprels"]
        # Labels of a predicate scorer with tags: a tag, and whether it is a predicate.
        joint: Optional[dict[tuple[str, bool], int]] = None
        n_predicate_labels = 2
        n_other_labels = 1
        if config.predicate_scorer.with_tags:
            pairs = [(tag, bool(flag)) for tag, flag in self.cfg["predicates"]]
            joint = {pair: i for i, pair in enumerate(pairs)}
            n_predicate_labels = len(joint)
            n_other_labels = sum(not flag for _, flag in joint)
        self._labels = RoleLabels(
            tags=tags,
            rolesets={roleset: i for i, roleset in enumerate(rolesets)},
            deprels={deprel: i for i, deprel in enumerate(deprels)},
            joint=joint,
        )
        self._rolesets = Rolesets(
            rolesets,
            self.cfg["senses"],
            self.cfg["aliases"],
            conventions(self.vocab.lang).lemmas,
        )
        self._intern((ROLES_KEY, *self.cfg["roles"], *self._rolesets.rolesets))
        set_sizes(
            self.model,
            n_tags=len(tags),
            n_predicate_labels=n_predicate_labels,
            n_other_labels=n_other_labels,
            n_rolesets=len(rolesets) if config.roleset_scorer is not None else 0,
            n_deprels=len(deprels),
        )

    # Finding roles

    def predict(self, docs: Iterable[Doc]) -> list[Optional[list[Any]]]:  # type: ignore[override]
        """See `SentencePipe`. None, with one warning, for a Doc that lacks what the
        network reads."""
        docs = list(docs)
        missing = [""] * len(docs)
        if self._word_attr is not None:
            missing = [lacking(doc, self._word_attr) for doc in docs]
        complete = [doc for doc, lack in zip(docs, missing, strict=True) if not lack]
        predictions = iter(super().predict(complete))
        for lack in set(filter(None, missing)):
            warnings.warn(
                f"{self.name!r} finds no roles: the Doc has {lack}. Or exclude "
                f"{self.name!r}, too",
                stacklevel=2,
            )
        return [None if lack else next(predictions) for lack in missing]

    def _prepare(self) -> None:
        if not self.labels:
            raise ValueError(
                f"'{self.name}' was neither trained nor loaded: it cannot find roles. "
                f"{HOW_TO_GET}"
            )

    def _predict(self, docs: list[Doc]) -> list[list[RolesOfWords]]:
        """For each Doc and each of its sentences, or pieces of a long one, the Doc
        indices of its words, and its propositions over word positions."""
        self._check_heads(docs)
        read = [read_sentences(doc) for doc in docs]
        sentences = [list(chain.from_iterable(of_doc.pieces)) for of_doc in read]
        owners = [
            (doc, words)
            for doc, of_doc in zip(docs, sentences, strict=True)
            for words in of_doc
        ]
        known = self._known(docs, read) if self.predicates == "doc" else None
        rows = None
        if known is not None:
            rows = [
                numpy.array([predicate.token for predicate in of_words], dtype="int64")
                for of_words in known
            ]
        propositions: list[list[Proposition]] = [[] for _ in owners]
        for indices, scores in iter_scores(
            self.model, docs, predicates=rows, sentences=sentences
        ):
            verbs: Any = None
            if known is not None:
                verbs = [
                    [_verb(predicate.args) for predicate in known[i]] for i in indices
                ]
            args = decode_roles(scores, self._labels.tags, verbs)
            for i, of_words, roles in zip(indices, scores, args, strict=True):
                predicates = None if known is None else known[i]
                propositions[i] = self._to_propositions(
                    owners[i], of_words, roles, predicates
                )
        in_order = iter(propositions)
        return [list(zip(of_doc, in_order, strict=False)) for of_doc in sentences]

    def _check_heads(self, docs: list[Doc]) -> None:
        """Check that Docs have the heads that the network follows.
        RAISES (ValueError): One has none."""
        if get_config(self.model).syntax.heads != "doc":
            return
        for doc in docs:
            if len(doc) > 1 and not doc.has_annotation("DEP"):
                raise ValueError(
                    f"'{self.name}' follows the heads of the Doc (syntax.heads = "
                    f'"doc"), and the Doc {doc.text[:40]!r} has none: a component that '
                    "sets them is missing before it, for example "
                    f'nlp.add_pipe("lal_parser", before="{self.name}")'
                )

    def _to_propositions(
        self,
        sentence: tuple[Doc, Sequence[int]],
        scores: RoleScores,
        args: Sequence[tuple[tuple[int, int, str], ...]],
        known: Optional[Sequence[Proposition]],
    ) -> list[Proposition]:
        """The propositions of a sentence; known rolesets stay, with their frame
        files."""
        doc, words = sentence
        propositions = []
        for f, token in enumerate(scores.rows.tolist()):
            roleset = lemma = ""
            if known is not None:
                roleset = known[f].roleset
                lemma = known[f].lemma
            if not roleset:
                start, end = predicate_span(args[f])
                text = " ".join([doc[i].text for i in words[start:end]])
                row = None if scores.rolesets is None else scores.rolesets[f]
                roleset = self._rolesets.choose(text, doc[words[token]].lemma_, row)
                lemma = ""
            frame = lemma or frame_of(roleset)
            propositions.append(Proposition(token, roleset, args[f], frame))
        return propositions

    def _known(
        self, docs: Sequence[Doc], read: Sequence[DocSentences]
    ) -> list[list[Proposition]]:
        """The predicates of each sentence that the Docs have.

        RAISES (ValueError): A Doc has no roles."""
        for doc in docs:
            if not has_propositions(doc):
                raise ValueError(
                    f"'{self.name}' takes given predicates (predicates = \"doc\"), and "
                    f"the Doc {doc.text[:40]!r} has "
                    f'no doc.spans["{ROLES_KEY}"]: write predicates with '
                    "spacy_lal.annotations.set_propositions, or "
                    'let the component find them with predicates = "own"'
                )
        pieces = map(cut_propositions, docs, read)
        return list(chain.from_iterable(pieces))

    def set_annotations(
        self, docs: Iterable[Doc], scores: list[Optional[list[RolesOfWords]]]
    ) -> None:
        """Write roles, as `predict` returned them, onto Docs: `doc.spans["srl"]`. The
        Docs of another pipeline get the frames of the component's own, unless their
        vocab has some."""
        for doc, of_doc in zip(docs, scores, strict=True):
            if of_doc is None:
                continue
            if doc.vocab is not self.vocab:
                copy_frames(self.vocab, doc.vocab)
            if self.overwrite or self.predicates == "doc" or not has_propositions(doc):
                sentences = [words for words, _ in of_doc]
                propositions = [roles for _, roles in of_doc]
                set_sentence_propositions(doc, sentences, propositions)
                _correct_agents(doc, of_doc)

    # Training

    def _learn(self, examples: list[Example], docs: list[Doc]) -> float:
        unknown: set[str] = set()
        golds = [
            gold for eg in examples for gold in gold_roles(eg, self._labels, unknown)
        ]
        self._warn_unknown(unknown)
        scores, backprop = begin_update(self.model, docs, golds)
        losses, d_scores = self.loss(scores, golds)
        backprop(d_scores)
        return sum(losses.values())

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[dict[str, list[Any]]] = None,
        frames: Optional[Path] = None,
    ) -> None:
        """Collect labels, and make the network.
        get_examples (Callable[[], Iterable[Example]]): Gives a representative sample of
            the training data.
        labels (Optional[Dict[str, List[Any]]]): Stored `label_data`, for instance from
            `init labels`.
        frames (Optional[Path]): PropBank's frames, JSON lines: the rolesets of words
            that the training data lacks. Without it, `labels` may have them.
        RAISES (ValueError): The data has no roles, or no heads where the network is to
            have arcs of its own."""

        def collect() -> dict[str, list[Any]]:
            collected = dict(
                collect_role_labels(get_examples()) if labels is None else labels
            )
            if frames is not None:
                aliases = collect_aliases(read_frames(frames).values())
                collected["aliases"] = [list(alias) for alias in aliases]
            if get_config(self.model).syntax.heads != "own":  # no arcs are learnt
                collected["deprels"] = []
            return collected

        self._initialize(get_examples, collect)


def _correct_agents(doc: Doc, of_doc: list[RolesOfWords]) -> None:
    """Make a by-phrase that has another role than an agent's an `obl` ("killed by
    Friday")."""
    deprel = doc.vocab.strings.add(AGENT_DEPREL)
    agents = numpy.flatnonzero(doc.to_array("DEP") == deprel).tolist()
    for words, propositions in of_doc if agents else ():
        for predicate, _, args, _ in propositions:
            for start, end, role in args:
                if role_number(role) in ("0", "1"):
                    continue
                for i in set(agents).intersection(words[start:end]):
                    if doc[i].head.i == words[predicate]:
                        doc[i].dep_ = "obl"


def _verb(args: Sequence[Argument]) -> list[tuple[int, int]]:
    """The words of V, then of each C-V."""
    return [
        predicate_span(args),
        *(part[:2] for part in args if part[2] == PREDICATE_PART),
    ]
