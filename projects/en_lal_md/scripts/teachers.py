"""Pipelines that teach another pipeline the mean of their parsers' scores. Registered by `functions.py`.

Networks that were trained separately know more together than each alone. A parser that learns their scores learns more
from a text than from their best trees (docs/how_to/training.md, "A teacher").
"""

import math
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from distillation import add_gradients, distillation_loss
from ensemble import Ensemble, Member
from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import METHODS_KEY, same_tokens, sentence_bounds
from spacy_lal.pipeline.component import parser_names
from spacy_lal.pipeline.lal_parser import LALParser
from spacy_lal.scores import ParserScores, ScoresGradient


class Teacher:
    """Teaches a parser the scores of an ensemble on texts that a parser has parsed; see `make_teachers`.

    ensemble (Ensemble): In the labels of the parser that learns. weight (float): Of its loss, beside the loss of the
        parses.
    """

    def __init__(self, ensemble: Ensemble, weight: float) -> None:
        self.ensemble = ensemble
        self.weight = weight

    def __call__(
        self,
        examples: Sequence[Example],
        scores: Sequence[ParserScores],
        d_scores: List[ScoresGradient],
        **weights: float,
    ) -> float:
        """Add the gradient of the teacher's loss on some Examples, and return the loss.

        scores (Sequence[ParserScores]), d_scores (List[ScoresGradient]): The scores of each sentence of the Examples,
            and their gradients. The gradients are changed in place.
        weights (float): `span_weight`, `arc_weight`, `deprel_weight`.
        """
        taught: List[int] = []
        docs: List[Doc] = []
        first = 0
        for eg in examples:
            n_sents = len(sentence_bounds(eg.predicted))
            if eg.reference.spans.get(METHODS_KEY) and same_tokens(eg.predicted, eg.reference):
                docs.append(eg.predicted)
                taught.extend(range(first, first + n_sents))
            first += n_sents
        if not taught:
            return 0.0
        targets = list(self.ensemble.scores(docs))
        loss, gradients = distillation_loss(
            [scores[i] for i in taught],
            targets,
            **{name: self.weight * value for name, value in weights.items()},
        )
        for i, gradient in zip(taught, gradients, strict=True):
            d_scores[i] = add_gradients(d_scores[i], gradient)
        return loss


def teach(parser: LALParser, teacher: Teacher) -> None:
    """Let the parser's loss include the teacher's, until the pipeline is loaded anew."""
    own_loss = parser.get_loss

    def get_loss(examples: Iterable[Example], scores: List[ParserScores]) -> Tuple[float, List[ScoresGradient]]:
        examples = list(examples)
        loss, d_scores = own_loss(examples, scores)
        weights = {"arc_weight": parser.loss.arc_weight, "deprel_weight": parser.loss.deprel_weight}
        taught = teacher(examples, scores, d_scores, span_weight=1.0, **weights)
        if not math.isfinite(taught):
            raise ValueError(f"'{parser.name}': expected a finite loss against the teachers' scores, got {taught}")
        return loss + taught, d_scores

    parser.get_loss = get_loss  # type: ignore[method-assign]


@registry.callbacks("spacy-lal.teachers.v1")
def make_teachers(
    pipelines: Sequence[str] = (),
    weight: float = 1.0,
    also: Optional[Callable[[Language, Dict[str, Any]], None]] = None,
) -> Callable[[Language, Dict[str, Any]], None]:
    """Registered as `spacy-lal.teachers.v1`, for `[training.before_update]`. Besides the parses, the pipeline's parser
    learns the scores of other pipelines on each Doc that a parser of ours has parsed. Such Docs are plain text parsed
    by `lal parse --format docbin` or by projects/en_lal_md/scripts/parse_together.py. From other Docs, and Docs that an
    augmenter has changed, it learns as usual.

    pipelines (Sequence[str]): Packages or folders. Empty: the parser has no teacher.
    weight (float): Weight of the divergence from the teachers' scores, beside the loss of the parses.
    also (Optional[Callable]): Another such callback, called first.
    RETURNS (Callable[[Language, Dict[str, Any]], None]): The callback.
    RAISES (ValueError): The weight is negative. In the callback: a pipeline does not have exactly one `lal_parser`, or
        a teacher does not know one of the deprels.
    """
    if weight < 0:
        raise ValueError(f"expected a weight of 0 or more, got {weight}")
    seen: List[Language] = []

    def before_update(nlp: Language, info: Dict[str, Any]) -> None:
        if also is not None:
            also(nlp, info)
        if any(nlp is one for one in seen):
            return
        seen.append(nlp)
        names = parser_names(nlp)
        if not pipelines:
            return
        if len(names) != 1:
            raise ValueError(f"expected a pipeline with one lal_parser to teach, got {names or 'none'}")
        parser: LALParser = nlp.get_pipe(names[0])  # type: ignore[assignment]
        teach(parser, Teacher(Ensemble([Member(name) for name in pipelines], parser.label_data), weight))

    return before_update
