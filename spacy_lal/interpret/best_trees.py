"""The best trees of a sentence, in the order of the decoder's objective."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import (
    TYPE_CHECKING,
    Optional,
)

import numpy as np
from spacy.tokens import Doc

from ..annotations import (
    Item,
    read_sentences,
    set_sentence_parse,
    with_notes,
)
from ..pipeline.charts import DecodedParse
from ..pipeline.constrained import constraint_cells, sentence_constraints
from ..pipeline.lal_parser import LALParser
from ..pipeline.scoring import (
    PipelineOrParser,
    check_count,
    find_parser,
    label_strings,
    score,
    sentences_of,
)
from ..trees import Parse

if TYPE_CHECKING:
    from nltk.tree import Tree

MAX_TREES = 10_000  # in a list


@dataclass(frozen=True)
class BestTree:
    """One of the best trees of a sentence of n words.
    score (float): Its score, the decoder's objective.
    gap (float): The score of the best tree minus this score, 0 or more.
    parse (Parse): The tree in words of the sentence."""

    score: float
    gap: float
    parse: Parse

    @property
    def constituents(self) -> list[tuple[int, int, str]]:
        """The constituents in pre-order: half-open ranges of the Doc's tokens, each
        with its unary chain ("S::VP")."""
        return [
            (
                *self.parse.token_range(constituent.start, constituent.end),
                constituent.label,
            )
            for constituent in self.parse.constituents or ()
        ]

    @property
    def heads(self) -> list[int]:
        """For each word, its head's index in the Doc; a root is its own head. Empty if
        no heads are scored."""
        words = self.parse.tokens
        heads = zip(words, self.parse.heads or (), strict=False)
        return [words[head - 1] if head else word for word, head in heads]

    @property
    def deprels(self) -> list[str]:
        """For each word, its deprel. Empty if no heads are scored."""
        return list(self.parse.deprels)

    @property
    def tree(self) -> "Tree":
        """The constituency tree."""
        return self.parse.to_tree()

    @property
    def parse_string(self) -> str:
        """The constituency tree in brackets."""
        return self.parse.to_brackets()

    def to_doc(self) -> Doc:
        """A copy of the sentence's Doc in which the sentence has this tree. Other
        sentences stay as they are.

        RAISES (ValueError): The Doc's tokens or sentences have changed."""
        number = self.parse.number
        sentences = read_sentences(self.parse.doc)
        here = sentences.read[number : number + 1]
        words = [self.parse.doc[i].text for i in self.parse.tokens if here]
        if here != [self.parse.tokens] or words != self.parse.words:
            raise ValueError(
                "the tokens or sentences of the Doc have changed: "
                f"{' '.join(self.parse.words)[:40]!r}"
            )
        copied = self.parse.doc.copy()
        parse = self.parse
        if len(sentences.words[number]) > len(parse.words):
            parse = with_notes(copied, sentences.words[number], parse)
        set_sentence_parse(copied, number, parse)
        return copied


def iter_best_trees(nlp: PipelineOrParser, sentence: Item) -> Iterator[BestTree]:
    """The trees of a sentence, best first, each as soon as it is asked for.

    The score is the decoder's (`ChartDecoder.ranked`). A parser with `dependencies =
    false` finds constituents alone: the score is the sum of their label scores, and
    trees have no heads. Two derivations of the same constituents and heads are one
    tree. The first tree is the decoder's.

    Constituents that the heads contradict (`disagreement_cost`) are added to each tree,
    as in parsing. Scores do not count them: the decoder adds them to a tree that it has
    chosen without them. Of trees that look the same with them, the best is given.

    A Doc's constraints (`annotations.constrain`) hold for all trees.
    sentence (Union[Span, Doc]): A sentence or a part of one, or a Doc of one sentence.
        It needs no parse.
    RETURNS (Iterator[BestTree]): Every tree of the sentence. None for a sentence of
        whitespace alone.
    RAISES (ValueError): The parser scores no constituents; the sentence is too long;
        the Doc has several sentences.
    RAISES (ContradictionError): No tree fulfils the Doc's constraints."""
    parser = find_parser(nlp)
    with_words = [one for one in sentences_of(sentence) if one.words]
    if len(with_words) > 1:
        raise ValueError(
            f"expected one sentence, got a Doc with {len(with_words)}: take one of "
            "list(doc.sents)"
        )
    if not with_words:
        return iter(())
    label_strings(parser)  # raises without constituents
    return _iterate(parser, with_words[0])


def k_best(nlp: PipelineOrParser, sentence: Item, k: int = 5) -> list[BestTree]:
    """The k best trees of a sentence, best first; fewer if the sentence has fewer. See
    `iter_best_trees`.

    RAISES (ValueError): k is no integer from 1 to 10,000; or as `iter_best_trees`."""
    check_count(k)
    if k > MAX_TREES:
        raise ValueError(
            f"k: expected at most {MAX_TREES:,}, got {k}: iter_best_trees gives any "
            "number, one by one"
        )
    return list(islice(iter_best_trees(nlp, sentence), k))


def _iterate(parser: LALParser, sentence: Parse) -> Iterator[BestTree]:
    best: Optional[float] = None
    seen: set[tuple[bytes, bytes]] = set()
    for decoded in _ranked_parses(parser, sentence):
        if decoded.score == -np.inf:
            parser.predict([sentence.doc])  # raises, and names the contradiction
        best = decoded.score if best is None else best
        key = (decoded.spans.tobytes(), decoded.heads.tobytes())
        if key not in seen:
            seen.add(key)
            # The decoder's float32 may choose a tree that is worse by a rounding error
            # than the second.
            gap = max(0.0, best - decoded.score)
            parse = parser.to_strings(decoded, sentence.doc, sentence.tokens)
            parse.tags = sentence.tags
            parse.number = sentence.number
            yield BestTree(decoded.score, gap, parse)


def _ranked_parses(parser: LALParser, sentence: Parse) -> Iterator[DecodedParse]:
    """The parses, best first; they may look the same."""
    scores = score(parser, sentence)
    (constraints,) = sentence_constraints(sentence.doc, [sentence.tokens])
    labels = label_strings(parser)
    allowed = constraint_cells(sentence.doc, constraints, scores, labels)
    words = [sentence.doc[i] for i in sentence.tokens]
    for parse in parser.decoder.ranked(scores, allowed):
        if allowed is None:
            parse = parser.revise(words, parse, scores)
        yield parse
