"""A treebank parsed without some label heads, counted label by label.

A label is a whole unary chain ("S::VP"), as the network scores it; punctuation counts. EVALB counts single brackets
instead: see `metrics/confusion.py`.
"""

from collections import Counter
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Union

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ..annotations import SPANS_KEY, CollapsedSpan, get_constituents
from ..evaluation import parse_golds
from ..pipeline.decoders import Decoder
from ..pipeline.parser_names import parser_names
from .ablation import AblatedParser, Fill
from .sentences import find_parser


class LabelCounts(NamedTuple):
    """The number of spans with one label in the gold trees, in the predicted trees, and in both."""

    gold: int
    predicted: int
    correct: int

    @property
    def f(self) -> float:
        """F1, between 0 and 1; 0 if neither side has such spans."""
        return 2.0 * self.correct / max(1, self.gold + self.predicted)


class AblatedTreebank:
    """Gold trees, and a parser that has read their sentences and parses them without some label heads.

    nlp (Language): A pipeline with one `lal_parser`. It gets the gold tokens and sentence breaks.
    golds (Sequence[Doc]): Docs with gold constituents.
    fill, decoder, batch_size: As for `AblatedParser`.
    RAISES (ValueError): As `AblatedParser`; no sentence that the parser reads as a whole has gold constituents.
    """

    def __init__(
        self,
        nlp: Language,
        golds: Sequence[Doc],
        *,
        fill: Fill = "zero",
        decoder: Optional[Decoder] = None,
        batch_size: int = 64,
    ) -> None:
        with_trees = [gold for gold in golds if gold.spans.get(SPANS_KEY)]
        docs = _blanks(nlp, with_trees, batch_size)
        self.parser = AblatedParser(nlp, docs, fill=fill, decoder=decoder, batch_size=batch_size)
        trees = [get_constituents(gold) for gold in with_trees]
        self.trees: List[Set[CollapsedSpan]] = [set(trees[one.doc][one.number]) for one in self.parser.sentences]
        if not any(self.trees):
            raise ValueError(
                f"expected Docs with gold constituents (doc.spans[{SPANS_KEY!r}]), got {len(golds)} Docs without any "
                "that the parser reads as a whole"
            )

    def count(self, heads: Iterable[Union[int, str]] = ()) -> Dict[str, LabelCounts]:
        """Counts by label when some heads are removed; labels with the most gold spans first.

        heads (Iterable[Union[int, str]]): As for `AblatedParser.parse`.
        """
        return count_labels(self.trees, self.parser.parse(heads))


def count_labels(
    trees: Iterable[Set[CollapsedSpan]], found: Iterable[Sequence[CollapsedSpan]]
) -> Dict[str, LabelCounts]:
    """Counts by label. A sentence without a gold tree is left out.

    trees (Iterable[Set[Tuple[int, int, str]]]): The gold constituents of each sentence.
    found (Iterable[Sequence[Tuple[int, int, str]]]): The predicted constituents of each sentence.
    RETURNS (Dict[str, LabelCounts]): The counts; labels with the most gold spans first.
    """
    gold: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for tree, spans in zip(trees, found, strict=True):
        if tree:
            gold.update(label for *_, label in tree)
            predicted.update(label for *_, label in spans)
            correct.update(label for *_, label in tree.intersection(spans))
    labels = sorted({*gold, *predicted}, key=lambda label: (-gold[label], -predicted[label], label))
    return {label: LabelCounts(gold[label], predicted[label], correct[label]) for label in labels}


def _blanks(nlp: Language, golds: Sequence[Doc], batch_size: int) -> Iterator[Doc]:
    """Docs with the gold tokens and sentence breaks, annotated by the components before the parser."""
    find_parser(nlp)  # raises if the pipeline has no parser, or several
    first = nlp.pipe_names.index(parser_names(nlp)[0])
    for some in minibatch(golds, batch_size):
        with nlp.select_pipes(disable=nlp.pipe_names[first:]):
            docs, _ = parse_golds(nlp, list(some), gold_sents=True, batch_size=batch_size)
        yield from docs
