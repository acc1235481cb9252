"""The component `lal_units`: the elementary discourse units of a Doc. A unit is a
clause by GUM's guidelines for eRST, which are those of RST (Carlson and Marcu 2001).
Others may interrupt it: then it has several parts."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional

import numpy
from numpy import ndarray
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Config
from thinc.types import Floats2d

from ..annotations import (
    NO_UNITS,
    UNITS_KEY,
    get_units,
    install_extensions,
    sentence_bounds,
    set_units,
)
from ..discourse.model import CONTINUATION, INSIDE, N_CLASSES, START
from ..models.vectors import Tok2Vec
from .component import SMALL_TOK2VEC

# A word of such a deprel may lie in a unit of its own, beside that of its head.
LOOSE_DEPRELS = frozenset({"advcl", "parataxis", "punct"})
Unit = tuple[int, int, int]  # a half-open range of tokens, and the number of its unit
DEFAULT_CONFIG_STR = f"""
[lal_units]

[lal_units.model]
@architectures = "spacy-lal.UnitsModel.v1"

[lal_units.model.tok2vec]
{SMALL_TOK2VEC}

[lal_units.scorer]
@scorers = "spacy.spancat_scorer.v1"
"""


class DiscourseUnits(TrainablePipe):
    """A component that needs sentences, heads and tags, and sets `doc.spans["units"]`.
    Gold units of an Example are `reference.spans["units"]`, over the tokens of the
    predicted Doc.

    model (Model[List[Doc], List[Floats2d]]): The probabilities of each token's classes.
    scorer (Optional[Callable]): From Examples to scores."""

    def __init__(
        self, nlp: Language, name: str, model: Tok2Vec, scorer: Optional[Callable]
    ) -> None:
        self.vocab = nlp.vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {"spans_key": UNITS_KEY}  # of the scorer
        install_extensions()

    def predict(self, docs: Iterable[Doc]) -> list[list[Unit]]:
        """The units of each Doc.

        RAISES (ValueError): The component was neither trained nor loaded; a Doc has no
            sentences, heads or tags."""
        docs = list(docs)
        if not any(map(len, docs)):
            return [[] for _ in docs]
        if not self.model.get_ref("output").has_param("W"):
            raise ValueError(
                f"'{self.name}' was neither trained nor loaded: {NO_UNITS}"
            )
        scores = self.model.predict(docs)
        bounds = map(sentence_bounds, docs)
        return list(map(_units, docs, bounds, scores))

    def set_annotations(self, docs: Iterable[Doc], units: Iterable[list[Unit]]) -> None:
        """Write units, as `predict` returned them, to `doc.spans["units"]`."""
        for doc, of_doc in zip(docs, units, strict=True):
            set_units(doc, of_doc)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
    ) -> None:
        """Make the network.

        get_examples (Callable[[], Iterable[Example]]): Gives the training data."""
        validate_get_examples(get_examples, "DiscourseUnits.initialize")
        self.model.initialize(X=[next(iter(get_examples())).predicted])

    def get_loss(
        self, examples: Iterable[Example], scores: list[ndarray]
    ) -> tuple[float, list[ndarray]]:
        """The cross-entropy of the classes, and its gradient.

        RAISES (ValueError): A reference has no units, or other tokens."""
        loss = 0.0
        gradients = []
        for eg, found in zip(examples, scores, strict=True):
            gold = numpy.eye(N_CLASSES, dtype="f")[_gold_classes(eg.reference)]
            loss -= float(numpy.log(found[gold == 1] + 1e-8).sum())
            gradients.append(found - gold)
        return loss, gradients


def _gold_classes(doc: Doc) -> ndarray:
    """The class of each token. *Shape:* (n_tokens,)"""
    classes = numpy.full(len(doc), INSIDE)
    seen = set()
    for unit in get_units(doc):
        classes[unit.start] = CONTINUATION if unit.id in seen else START
        seen.add(unit.id)
    return classes


make_lal_units = Language.factory(
    "lal_units",
    assigns=["doc.spans"],
    requires=["token.is_sent_start", "token.dep", "token.tag"],
    default_config=Config().from_str(DEFAULT_CONFIG_STR)["lal_units"],
    default_score_weights={
        f"spans_{UNITS_KEY}_f": 1.0,
        f"spans_{UNITS_KEY}_p": None,
        f"spans_{UNITS_KEY}_r": None,
    },
)(DiscourseUnits)


def _units(
    doc: Doc, sentences: Sequence[tuple[int, int]], scores: Floats2d
) -> list[Unit]:
    """The units of a Doc; none in a sentence of white space.

    sentences (Sequence[Tuple[int, int]]): Half-open ranges of tokens.
    scores (Floats2d): Probabilities of classes. *Shape:* (n_tokens, N_CLASSES)"""
    is_space, offsets = doc.to_array(["IS_SPACE", "HEAD"]).T
    is_start = scores[:, INSIDE] < 0.5
    parts: list[tuple[int, int]] = []
    for first, end in sentences:
        words = first + numpy.flatnonzero(is_space[first:end] == 0)
        if len(words):
            later = words[1:]
            firsts = [first, *later[is_start[later]].tolist()]
            parts += zip(firsts, [*firsts[1:], end], strict=True)
    if not parts:
        return []
    starts, ends = zip(*parts, strict=True)
    goes_on = scores[:, CONTINUATION] > scores[:, START]
    heads = numpy.arange(len(doc)) + offsets.astype("int64")
    deprels = [token.dep_ for token in doc]
    numbers = number_units(heads, deprels, starts, goes_on[list(starts)])
    return list(zip(starts, ends, numbers, strict=True))


def number_units(
    heads: ndarray, deprels: Sequence[str], starts: Sequence[int], goes_on: Iterable
) -> list[int]:
    """The number of the unit of each unit or part, from 1. A part that goes on belongs
    to the nearest one before it, the last left out, that has a dependent of it, or else
    its head; without either it is a unit of its own.

    heads (ndarray): Of each word; a root is its own. *Shape:* (n_words,)
    starts (Sequence[int]): The first word of each unit or part.
    goes_on (Iterable): Whether it goes on after another unit."""
    owners = numpy.searchsorted(starts, numpy.arange(len(heads)), side="right") - 1
    of_heads = owners[heads]
    earlier = numpy.minimum(owners, of_heads).tolist()
    later = numpy.maximum(owners, of_heads).tolist()
    has_dependent: dict[int, int] = {}
    has_head: dict[int, int] = {}
    for word in numpy.flatnonzero(abs(owners - of_heads) > 1).tolist():
        is_loose = deprels[word].partition(":")[0] in LOOSE_DEPRELS
        is_dependent = owners[word] < of_heads[word]
        if not (is_dependent and is_loose):
            joined = has_dependent if is_dependent else has_head
            nearest = joined.get(later[word], 0)
            joined[later[word]] = max(earlier[word], nearest)
    numbers: list[int] = []
    n_units = 0
    for part, is_later in enumerate(goes_on):
        joined_to = has_dependent.get(part, has_head.get(part))
        if is_later and joined_to is not None:
            numbers.append(numbers[joined_to])
        else:
            n_units += 1
            numbers.append(n_units)
    return numbers
