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
from ..models.batches import get_config, get_shim
from ..models.doc_parses import lacking, roles_batch
from ..models.roles import begin_update
from ..models.torch import network
from ..scores import RoleScores
from ..trees.frames import read_frames
from ..trees.roles import (
    Argument,
    Proposition,
    RoleTags,
    predicate_span,
    role_number,
)
from .component import SMALL_TOK2VEC, SentencePipe
from .labels import ROLE_VOCABULARIES, Rolesets, collect_aliases, collect_role_labels
from .long_sentences import cut_propositions
from .role_decoder import decode_roles, with_verb

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


class LALSemanticRoles(SentencePipe):
    """Semantic role labelling (LISA, Strubell et al. 2018).

    It needs sentence boundaries, with `heads = "doc"` heads too, and sets
    `doc.spans["srl"]`. An `obl:agent` of another role than ARG0 and ARG1 becomes an
    `obl`. Gold roles of an Example are `reference.spans["srl"]`, gold arcs are the
    heads and deprels of `reference`. Either may be missing.

    model (Model[List[Doc], List[RoleScores]]): Scores each sentence of the Docs, in
        order.
    loss (RolesLoss): Weights of the losses.
    scorer (Optional[Callable]): From Examples to scores.
    predicates (str): "own": the component finds predicates. "doc": it takes the
        predicates that the Doc has in `doc.spans["srl"]`, with their V, C-V and, where
        it is not empty, their roleset with its frame file, and finds their arguments.
    overwrite (bool): Whether to replace roles that a Doc already has.
    """

    added_by = ADDED_BY

    def __init__(
        self,
        nlp: Language,
        name: str,
        model: Union[Model[list[Doc], list[RoleScores]], str],
        loss: RolesLoss,
        scorer: Optional[Callable],
        predicates: PredicateSource = "own",
        overwrite: bool = True,
    ) -> None:
        super().__init__(nlp.vocab, model, name, scorer, ROLE_VOCABULARIES)
        self.loss = loss
        self.predicates = predicates
        self.overwrite = overwrite
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
        for kind in ("senses", "aliases"):
            # Tuples: Python's garbage collector passes by many thousand lists.
            self.cfg[kind] = [(words, tuple(names)) for words, names in self.cfg[kind]]
        if not self.cfg["roles"]:
            raise ValueError(
                f"'{self.name}' has nothing to learn: expected Examples whose "
                "reference has roles "
                f'(reference.spans["{ROLES_KEY}"]), got none; '
                "spacy-lal.PropBankCorpus.v1 reads them from files"
            )
        config = get_config(self.model)
        tags = RoleTags(self.cfg["roles"])
        rolesets = self.cfg["rolesets"]
        deprels = self.cfg["deprels"]
        # Labels of a predicate scorer: a tag, if it has tags, and whether it is a
        # predicate.
        with_tags = config.predicate_scorer.with_tags
        pairs = self.cfg["predicates"] if with_tags else [("", False), ("", True)]
        flags = [bool(flag) for _, flag in pairs]
        joint = {(tag, int(flag)): i for i, (tag, flag) in enumerate(pairs)}
        self._labels = RoleLabels(
            tags=tags,
            rolesets={roleset: i for i, roleset in enumerate(rolesets)},
            deprels={deprel: i for i, deprel in enumerate(deprels)},
            joint=joint if with_tags else None,
        )
        self._rolesets = Rolesets(
            rolesets,
            self.cfg["senses"],
            self.cfg["aliases"],
            conventions(self.vocab.lang).lemmas,
        )
        self._intern((ROLES_KEY, *self.cfg["roles"], *self._rolesets.rolesets))
        sizes = {
            "n_tags": len(tags),
            "n_predicate_labels": len(flags),
            "n_other_labels": flags.count(False),
            "n_rolesets": len(rolesets) if config.roleset_scorer is not None else 0,
            "n_deprels": len(deprels),
        }
        get_shim(self.model).set_sizes(sizes)

    # Finding roles

    def predict(self, docs: Iterable[Doc]) -> list[Optional[list[Any]]]:  # type: ignore[override]
        """See `SentencePipe`. None, with one warning, for a Doc that lacks what the
        network reads."""
        docs = list(docs)
        config = get_config(self.model)
        missing = [lacking(doc, config) for doc in docs]
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
        read = [read_sentences(doc) for doc in docs]
        pieces = [list(chain.from_iterable(sentences.pieces)) for sentences in read]
        owners = [
            (doc, words)
            for doc, of_doc in zip(docs, pieces, strict=True)
            for words in of_doc
        ]
        given = self._given(docs, read) if self.predicates == "doc" else None
        rows = None
        if given is not None:
            tokens = [[predicate.token for predicate in of] for of in given]
            rows = [numpy.array(of_words, dtype="int64") for of_words in tokens]
        propositions: list[list[Proposition]] = [[] for _ in owners]
        batch = roles_batch(self.model, docs, pieces, rows)
        for indices, scores in network.iter_scores(self.model.layers[-1], batch):
            args = decode_roles(scores, self._labels.tags)
            for i, of_words, of_predicates in zip(indices, scores, args, strict=True):
                predicates = None if given is None else given[i]
                propositions[i] = self._to_propositions(
                    *owners[i], of_words, of_predicates, predicates
                )
        in_order = iter(propositions)
        return [[(words, next(in_order)) for words in of_doc] for of_doc in pieces]

    def _to_propositions(
        self,
        doc: Doc,
        words: Sequence[int],
        scores: RoleScores,
        args: Sequence[tuple[Argument, ...]],
        given: Optional[Sequence[Proposition]],
    ) -> list[Proposition]:
        """The propositions of a sentence; given predicates keep their V, C-V and, where
        they have one, their roleset."""
        propositions = []
        for f, token in enumerate(scores.rows.tolist()):
            of_predicate = args[f]
            if given is not None:
                of_predicate = with_verb(of_predicate, given[f].args)
            if given is not None and given[f].roleset:
                frame = given[f].lemma or frame_of(given[f].roleset)
                propositions.append(given[f]._replace(args=of_predicate, lemma=frame))
                continue
            start, end = predicate_span(of_predicate)
            text = " ".join([doc[i].text for i in words[start:end]])
            row = None if scores.rolesets is None else scores.rolesets[f]
            roleset = self._rolesets.choose(text, doc[words[token]].lemma_, row)
            frame = frame_of(roleset)
            propositions.append(Proposition(token, roleset, of_predicate, frame))
        return propositions

    def _given(
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


make_lal_srl = Language.factory(
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
)(LALSemanticRoles)


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
