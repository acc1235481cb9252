"""The best trees of a sentence, with their scores.

*Not* here: the search (`ranked_trees.py`); labels of one span and margins (`alternatives.py`); probabilities
(`marginals.py`).
"""

from dataclasses import dataclass
from itertools import islice
from typing import Iterator, List, Optional, Set, Tuple, Union

import numpy as np
from nltk.tree import Tree
from numpy import ndarray
from spacy.tokens import Doc, Span

from ..annotations import MISSING_TAG, SentenceParse, sentence_words, set_sentence_parse
from ..annotations.span_groups import StaleParseError
from ..pipeline.constrained import AllowedCells, Charts, constraint_cells, make_charts
from ..pipeline.decoders import Decoder, JointDecoder, decoded_parse
from ..scores import ParserScores
from ..trees import spans_to_tree, write_brackets
from .ranked_trees import RankedTrees
from .sentences import Parser, Sentence, label_vocab, score_sentence, sentences_of


@dataclass(frozen=True)
class BestTree:
    """One of the best trees of a sentence of n words.

    score (float): Its score, the decoder's objective.
    gap (float): The score of the best tree minus this score, 0 or more.
    parse (SentenceParse): The tree in words of the sentence, as `annotations.set_parses` takes it.
    texts, tags (Tuple[str, ...]): The n words and their tags.
    sentence (Sentence): The sentence, in its Doc.
    """

    score: float
    gap: float
    parse: SentenceParse
    texts: Tuple[str, ...]
    tags: Tuple[str, ...]
    sentence: Sentence

    @property
    def constituents(self) -> List[Tuple[int, int, str]]:
        """The constituents in pre-order: half-open ranges of the Doc's tokens, each with its unary chain ("S::VP")."""
        return [(*self.sentence.tokens(start, end), label) for start, end, label in self.parse.constituents or ()]

    @property
    def heads(self) -> List[int]:
        """For each word, its head's index in the Doc; a root is its own head. Empty if no heads are scored."""
        words = self.sentence.words
        found = zip(words, self.parse.heads or (), strict=False)
        return [words[head - 1] if head else word for word, head in found]

    @property
    def deprels(self) -> List[str]:
        """For each word, its deprel. Empty if no heads are scored."""
        return list(self.parse.deprels or ())

    @property
    def tree(self) -> Tree:
        """The constituency tree."""
        return spans_to_tree(self.texts, self.tags, self.parse.constituents or ())

    @property
    def parse_string(self) -> str:
        """The constituency tree in brackets."""
        return write_brackets(self.tree, spaces=True)

    def to_doc(self) -> Doc:
        """A copy of the sentence's Doc in which the sentence has this tree. Other sentences stay as they are.

        RAISES (StaleParseError): The Doc's tokens or sentences have changed.
        """
        doc, words = self.sentence.doc, self.sentence.words
        fits = sentence_words(doc)[self.sentence.number : self.sentence.number + 1] == [words]
        if not fits or self.texts != tuple(doc[i].text for i in words):
            raise StaleParseError(f"the tokens or sentences of the Doc have changed: {' '.join(self.texts)[:40]!r}")
        copied = doc.copy()
        set_sentence_parse(copied, self.sentence.number, self.parse)
        return copied


def iter_best_trees(nlp: Parser, sentence: Union[Span, Doc]) -> Iterator[BestTree]:
    """The trees of a sentence, best first, each as soon as it is asked for.

    With the joint decoder, a tree is a pair of constituents and heads that agree, and its score is constituency_weight
    times the label scores plus (1 - constituency_weight) times the arc scores, summed over the best binarisation. With
    the separate decoder, used beyond max_length too, it is the sum of the label scores; every tree has the best heads.
    A parser with `dependencies = false` finds constituents alone: the score is this sum, and trees have no heads.
    Two derivations of the same constituents and heads are one tree. The first tree is the decoder's.

    Constituents that the heads contradict (`disagreement_cost`) are added to each tree, as in parsing. Scores do not
    count them: the decoder adds them to a tree that it has chosen without them. Of trees that look the same with them,
    the best is given.

    A Doc's constraints (`annotations.constrain`) hold for all trees.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    sentence (Union[Span, Doc]): A sentence or a part of one, or a Doc of one sentence. It needs no parse.
    RETURNS (Iterator[BestTree]): Every tree of the sentence. None for a sentence of whitespace alone.
    RAISES (ValueError): The parser scores no constituents, has an unsupported decoder, or parses the sentence in
        pieces; the pipeline has no parser; the Doc has several sentences, or the Span crosses a sentence boundary.
    RAISES (ContradictionError): No tree fulfils the Doc's constraints.
    """
    found = [one for one in sentences_of(nlp, sentence) if one.words]
    if len(found) > 1:
        raise ValueError(f"expected one sentence, got a Doc with {len(found)}: take one of list(doc.sents)")
    if not found:
        return iter(())
    parser = found[0].parser
    labels = label_vocab(parser).strings
    scores = score_sentence(found[0])
    decoder = parser.decoder_in_use
    charts = make_charts(decoder, scores)
    cells = constraint_cells(found[0].doc, found[0].words, scores, decoder, labels)
    return _iterate(found[0], decoder, scores, charts, cells)


def k_best(nlp: Parser, sentence: Union[Span, Doc], k: int = 5) -> List[BestTree]:
    """The k best trees of a sentence, best first; fewer if the sentence has fewer. See `iter_best_trees`.

    RAISES (ValueError): k is less than 1; or as `iter_best_trees`.
    """
    if k < 1:
        raise ValueError(f"k is how many trees to give: expected at least 1, got {k}")
    return list(islice(iter_best_trees(nlp, sentence), k))


def _iterate(
    sentence: Sentence, decoder: Decoder, scores: ParserScores, charts: Charts, cells: Optional[AllowedCells]
) -> Iterator[BestTree]:
    texts = tuple(sentence.doc[i].text for i in sentence.words)
    tags = tuple(sentence.doc[i].tag_ or sentence.doc[i].pos_ or MISSING_TAG for i in sentence.words)
    labels, heads = scores.labels, None
    if cells is not None:
        labels = np.where(cells.labels, labels, np.float32(-1.0))  # no constituents are added there
    if not charts.is_joint and charts.arcs is not None:
        heads = charts.find_heads((charts if cells is None else charts.restricted(cells)).arcs)  # type: ignore[arg-type]
    best: Optional[float] = None
    seen: Set[Tuple] = set()  # type: ignore[type-arg]
    for ranked in RankedTrees(charts, cells):
        nodes: ndarray = ranked.nodes
        if charts.is_joint and isinstance(decoder, JointDecoder):
            nodes, heads = decoder.with_disagreeing(labels, nodes), ranked.heads
        decoded = decoded_parse(scores, nodes, heads, "joint" if charts.is_joint else "separate")
        key = (decoded.spans.tobytes(), decoded.heads.tobytes())
        best = ranked.score if best is None else best
        if key not in seen:
            seen.add(key)
            parse = sentence.parser.to_strings(decoded)
            # The decoder's float32 may choose a tree that is worse by a rounding error than the second.
            yield BestTree(ranked.score, max(0.0, best - ranked.score), parse, texts, tags, sentence)
    if best is None:
        sentence.parser.predict([sentence.doc])  # raises, and names the contradiction
