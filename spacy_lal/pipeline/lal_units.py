"""The component `lal_units`: the elementary discourse units of a Doc. A unit is a
clause by GUM's guidelines for eRST, which are those of RST (Carlson and Marcu 2001).
Others may interrupt it: then it has several parts."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Optional

import numpy
from numpy import ndarray
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc, Span
from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model
from thinc.types import Floats2d

from ..annotations import (
    NO_UNITS,
    UNITS_KEY,
    get_units,
    install_extensions,
    sentence_bounds,
    set_units,
)
from ..discourse.joining import number_units
from ..discourse.model import CONTINUATION, INSIDE, N_CLASSES, START
from .component import SMALL_TOK2VEC

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


@Language.factory(
    "lal_units",
    assigns=["doc.spans"],
    requires=["token.is_sent_start", "token.dep", "token.tag"],
    default_config=Config().from_str(DEFAULT_CONFIG_STR)["lal_units"],
    default_score_weights={
        f"spans_{UNITS_KEY}_f": 1.0,
        f"spans_{UNITS_KEY}_p": None,
        f"spans_{UNITS_KEY}_r": None,
    },
)
def make_lal_units(
    nlp: Language,
    name: str,
    model: Model[list[Doc], list[Floats2d]],
    scorer: Optional[Callable],
) -> "DiscourseUnits":
    """Make a `lal_units` component.

    model (Model[List[Doc], List[Floats2d]]): The probabilities of each token's classes.
    scorer (Optional[Callable]): From Examples to scores."""
    return DiscourseUnits(nlp.vocab, model, name, scorer=scorer)


class DiscourseUnits(TrainablePipe):
    """It needs sentences, heads and tags, and sets `doc.spans["units"]`. Gold units of
    an Example are `reference.spans["units"]`, over the tokens of the predicted Doc."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model[list[Doc], list[Floats2d]],
        name: str = "lal_units",
        *,
        scorer: Optional[Callable] = None,
    ) -> None:
        """See `make_lal_units`."""
        self.vocab = vocab
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
        return [_units(*pair) for pair in zip(docs, scores, strict=True)]

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


def _units(doc: Doc, scores: ndarray) -> list[Unit]:
    """The units of a Doc, sentence by sentence; none in a sentence of white space.

    scores (ndarray): Probabilities of classes. *Shape:* (n_tokens, N_CLASSES)"""
    is_start = scores[:, INSIDE] < 0.5
    goes_on = scores[:, CONTINUATION] > scores[:, START]
    units: list[Unit] = []
    n_units = 0
    for first, end in sentence_bounds(doc):
        words = (i for i in range(first, end) if not doc[i].is_space)
        inside = range(next(words, end) + 1, end)
        starts = [first, *(i for i in inside if is_start[i])]
        if len(inside) or not doc[first].is_space:
            numbers = _numbers(doc[first:end], starts, goes_on[starts].tolist())
            numbers = [n_units + number for number in numbers]
            units += zip(starts, [*starts[1:], end], numbers, strict=True)
            n_units = max(numbers)
    return units


def _numbers(
    sentence: Span, starts: Sequence[int], goes_on: Sequence[bool]
) -> list[int]:
    """The number of the unit of each part of a sentence, from 1."""
    if not any(goes_on):
        return list(range(1, len(starts) + 1))
    heads = [token.head.i - sentence.start for token in sentence]
    deprels = [token.dep_ for token in sentence]
    first = sentence.start
    return number_units(heads, deprels, [start - first for start in starts], goes_on)
