"""Several pipelines that score sentences together: the mean of their parsers' scores."""

from itertools import takewhile
from typing import Dict, Iterator, List, Optional, Sequence

import numpy as np
import spacy
from distillation import log_softmax
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.pipeline.component import parser_names, sentence_splitters
from spacy_lal.pipeline.lal_parser import LALParser
from spacy_lal.scores import AnyScores, ParserScores
from spacy_lal.treebanks.docs import copy_text
from spacy_lal.trees import SUB_HEAD

UNKNOWN = -30.0  # the score of a label that no pipeline knows


class Member:
    """One of several pipelines that score together.

    name (str): Its package or folder. nlp (Language): The pipeline. parser (LALParser): Its parser.
    RAISES (ValueError): It does not have exactly one `lal_parser`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.nlp: Language = spacy.load(name)
        names = parser_names(self.nlp)
        if len(names) != 1:
            raise ValueError(f"{name}: expected a pipeline with one lal_parser, got {names or 'none'}")
        self.parser: LALParser = self.nlp.get_pipe(names[0])  # type: ignore[assignment]

    def labels(self, wanted: Sequence[str]) -> List[int]:
        """The index of each of another parser's labels in this parser's scores, after the labels that all parsers
        share; -1 for unknown labels. Parsers of different treebanks have different unary chains."""
        n_fixed = SUB_HEAD + 1
        own = {label: i + n_fixed for i, label in enumerate(self.parser.label_data["constituents"])}
        return [*range(n_fixed), *(own.get(label, -1) for label in wanted)]

    def deprels(self, wanted: Sequence[str]) -> List[int]:
        """The index of each of another parser's deprels in this parser's scores.

        RAISES (ValueError): A deprel is missing: the parsers have learned different schemes.
        """
        own = {deprel: i for i, deprel in enumerate(self.parser.label_data["deprels"])}
        if missing := [deprel for deprel in wanted if deprel not in own]:
            raise ValueError(f"{self.name}: expected the deprels of the pipelines beside it, found no {missing[0]!r}")
        return [own[deprel] for deprel in wanted]

    @property
    def before(self) -> List[str]:
        """The names of the components before the parser. Those after it may read its parse."""
        return [name for name, _ in takewhile(lambda named: named[1] is not self.parser, self.nlp.pipeline)]

    def ready(self, docs: Sequence[Doc]) -> List[Doc]:
        """Docs of the same tokens and sentence breaks, annotated by the components before this pipeline's parser."""
        copies = [copy_text(doc, with_sentences=True, vocab=self.nlp.vocab) for doc in docs]
        splitters = sentence_splitters(self.nlp, parser_names(self.nlp))
        with self.nlp.select_pipes(enable=[name for name in self.before if name not in splitters]):
            return list(self.nlp.pipe(copies, batch_size=len(copies)))

    def scores(self, docs: Sequence[Doc]) -> List[ParserScores]:
        """The scores of each sentence of Docs from `ready`."""
        found: Dict[int, AnyScores] = {}
        for indices, scores in self.parser.iter_scores(list(docs), pruned=False):
            found.update(zip(indices, scores, strict=True))
        return [found[i] for i in range(len(found))]  # type: ignore[misc]  # not pruned


class Ensemble:
    """Pipelines that score sentences together, in the labels of one parser.

    members (Sequence[Member]): At least one. label_data (Dict[str, List[str]]): The label data of the parser that reads
        the scores.
    RAISES (ValueError): A member does not know one of the deprels.
    """

    def __init__(self, members: Sequence[Member], label_data: Dict[str, List[str]]) -> None:
        self.members = list(members)
        self._labels = [member.labels(label_data["constituents"]) for member in self.members]
        self._deprels = [member.deprels(label_data["deprels"]) for member in self.members]

    def scores(self, docs: Sequence[Doc], *, own: Optional[LALParser] = None) -> Iterator[ParserScores]:
        """The members' mean scores of each sentence: the mean of label scores, over the members that know the label,
        and the mean of log probabilities of heads and deprels.

        docs (Sequence[Doc]): With sentence breaks.
        own (Optional[LALParser]): A parser whose pipeline has processed the Docs already: its member reads them as
            given.
        """
        said = [member.scores(docs if member.parser is own else member.ready(docs)) for member in self.members]
        for of_one in zip(*said, strict=True):
            scores = [
                ParserScores(_in_order(one.labels, labels), one.arcs, one.deprels[..., deprels])
                for one, labels, deprels in zip(of_one, self._labels, self._deprels, strict=True)
            ]
            yield mean_scores(scores)


def mean_scores(all_scores: Sequence[ParserScores]) -> ParserScores:
    """The mean of several networks' scores of one sentence, in the same labels and deprels; NaN is left out."""
    total = np.sum([np.nan_to_num(scores.labels) for scores in all_scores], axis=0)
    known = np.sum([~np.isnan(scores.labels) for scores in all_scores], axis=0)
    labels = np.where(known, total / np.maximum(known, 1), UNKNOWN)
    arcs = np.mean([log_softmax(scores.arcs) for scores in all_scores], axis=0)
    deprels = np.mean([log_softmax(scores.deprels) for scores in all_scores], axis=0)
    return ParserScores(*(np.ascontiguousarray(array, dtype="f") for array in (labels, arcs, deprels)))


def _in_order(labels: np.ndarray, places: Sequence[int]) -> np.ndarray:
    """Label scores in another order; NaN for missing labels. *Shapes:* (..., n), (..., len(places))."""
    ordered = labels[..., np.maximum(places, 0)]
    ordered[..., np.asarray(places) < 0] = np.nan
    return ordered
