"""Gold trees and a parser that has read their sentences once, and parses them again
without some of its label heads.

The span scorer reads the vector f_end - f_start of a span, in which each label head has
a block of features. Removing a head puts zeros in place of its block; a block that
every fencepost shares, such as the corpus mean, has the same effect. All later steps
are recomputed: the scorer's norm rescales the remaining features to the range that its
second layer expects. Arcs are scored with all heads, so a removed head still shapes the
joint decoder's trees through them."""

from collections import Counter
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

import numpy as np
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import get_constituents
from spacy_lal.evaluation.docs import parse_golds
from spacy_lal.interpret.contributions import SpanScores
from spacy_lal.pipeline.decoders import Decoder
from spacy_lal.pipeline.scoring import (
    MAX_LENGTH,
    encode,
    find_parser,
    label_strings,
    score,
    sentences_of,
)
from spacy_lal.scores import ParserScores
from spacy_lal.trees import EMPTY

from .label_heads import Counts, all_scores

LabelledSpan = Tuple[int, int, int, str]  # the place of a sentence, start, end, label


class AblatedTreebank:
    """See the module.

    nlp (Language): A pipeline with one `lal_parser`. It gets the gold tokens and
        sentence breaks.
    golds (Sequence[Doc]): Docs with gold constituents.
    decoder (Optional[Decoder]): Finds the trees; None for the parser's own.
    """

    def __init__(
        self, nlp: Language, golds: Sequence[Doc], decoder: Optional[Decoder] = None
    ) -> None:
        self.parser = find_parser(nlp)
        self.scorer, self.labels = SpanScores(self.parser), label_strings(self.parser)
        self.names = self.scorer.names
        self._decode = self.parser.decoder if decoder is None else decoder
        self.trees: List[Set[Tuple[int, int, str]]] = []
        self._fenceposts: List[ndarray] = []
        self._scores: List[ParserScores] = []
        docs, _ = parse_golds(nlp, list(golds), gold_sents=True)
        for gold, doc in zip(golds, docs, strict=True):
            pairs = zip(sentences_of(doc), get_constituents(gold), strict=True)
            kept = [
                (one, set(tree))
                for one, tree in pairs
                if tree and len(one.words) <= MAX_LENGTH
            ]
            for (sentence, tree), encoded in zip(
                kept, encode(self.parser, [one for one, _ in kept]), strict=True
            ):
                self.trees.append(tree)
                self._fenceposts.append(encoded.fenceposts)
                scores = score(self.parser, sentence)
                nothing = np.zeros((0, 0, 0), dtype="f4")
                self._scores.append(scores._replace(labels=nothing))

    def parse(self, heads: Iterable[int] = ()) -> List[List[Tuple[int, int, str]]]:
        """The constituents of all sentences when some heads are removed."""
        found = []
        for scores, fenceposts in zip(self._scores, self._fenceposts, strict=True):
            n = len(fenceposts)
            spans = np.stack(np.triu_indices(n, 1), axis=1)
            labels = np.zeros((n, n, len(self.labels)), dtype="f4")
            labels[tuple(spans.T)] = all_scores(
                self.scorer, self._without(fenceposts, heads), spans, len(self.labels)
            )
            (parse,) = self._decode([scores._replace(labels=labels)])
            found.append(
                [
                    (start, end, self.labels[label])
                    for start, end, label in parse.spans.tolist()
                ]
            )
        return found

    def count(self, heads: Iterable[int] = ()) -> Dict[str, Counts]:
        """Counts by label when some heads are removed; labels with the most gold spans
        first."""
        gold: Counter[str] = Counter()
        predicted: Counter[str] = Counter()
        correct: Counter[str] = Counter()
        for tree, spans in zip(self.trees, self.parse(heads), strict=True):
            gold.update(label for *_, label in tree)
            predicted.update(label for *_, label in spans)
            correct.update(label for *_, label in tree.intersection(spans))
        labels = sorted(
            {*gold, *predicted},
            key=lambda label: (-gold[label], -predicted[label], label),
        )
        return {
            label: Counts(gold[label], predicted[label], correct[label])
            for label in labels
        }

    def margins(
        self, spans: Sequence[LabelledSpan], heads: Iterable[int] = ()
    ) -> ndarray:
        """The scores of labelled spans minus those of their best rivals when some heads
        are removed. Shape: (n,)."""
        found = []
        for i, start, end, label in spans:
            fenceposts = self._without(self._fenceposts[i], heads)
            (rivals,) = all_scores(
                self.scorer, fenceposts, np.array([[start, end]]), len(self.labels)
            )
            own = rivals[self.labels.index(label)]
            rivals[self.labels.index(label)] = -np.inf
            if end - start == len(fenceposts) - 1:  # no tree has an empty root
                rivals[EMPTY] = -np.inf
            found.append(own - rivals.max())
        return np.array(found)

    def _without(self, fenceposts: ndarray, heads: Iterable[int]) -> ndarray:
        columns = self.scorer.columns[sorted(heads)].ravel()
        fenceposts = fenceposts.copy()
        fenceposts[:, columns.astype(np.int64)] = 0.0
        return fenceposts
