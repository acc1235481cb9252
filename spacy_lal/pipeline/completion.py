"""Heads for trees, trees for heads: Docs of a treebank that has only one of the two get the other.

The joint decoder searches pairs of trees that agree. What is known of one tree is bound: it scores so much more than
all else that the best pair has it, and the other tree is the best of those that go with it.
"""

from dataclasses import replace
from itertools import islice
from typing import Dict, Iterable, Iterator, List, Literal, NamedTuple, Optional, Sequence

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..annotations import (
    SPANS_KEY,
    CollapsedSpan,
    SentenceParse,
    get_constituents,
    sentence_words,
    set_parses,
)
from ..scores import ParserScores
from ..training.doc_copies import copy_text
from ..trees import SUB_HEAD
from .decoders import JointDecoder, make_joint_decoder
from .lal_parser import LALParser

Lacking = Literal["heads", "constituents"]

BOND = 8.0  # what is bound is worth as many times the greatest score: more than a sentence's other nodes can gain by it


def complete(nlp: Language, parser: LALParser, docs: Iterable[Doc], *, batch_size: int = 64) -> Iterator[Doc]:
    """Copies of gold Docs, in which those with constituents and no heads have heads and deprels, and those with heads
    and no constituents have constituents. What they had, they keep; the others come back as they are, and so do Docs
    with a sentence that is too long for the joint decoder (its `max_length`).

    nlp (Language): The pipeline that the parser is in; the components before it are run.
    parser (LALParser): One that was trained on both trees.
    docs (Iterable[Doc]): With sentence boundaries.
    batch_size (int): Docs that are read together.
    RAISES (ValueError): The parser was trained on one kind of tree, or its decoder looks at one alone; a Doc has no
        sentence boundaries.
    """
    decoder = _joint_decoder(parser)
    remaining = iter(docs)
    while golds := list(islice(remaining, batch_size)):
        chosen = [i for i, doc in enumerate(golds) if lacks(doc) and _short_enough(doc, decoder)]
        parses = dict(zip(chosen, _parse(nlp, parser, decoder, [golds[i] for i in chosen]), strict=True))
        for i, doc in enumerate(golds):
            copied = doc.copy()
            if i in parses:
                set_parses(copied, parses[i])
            yield copied


def lacks(doc: Doc) -> Optional[Lacking]:
    """Which tree a Doc has not, where it has the other; None where it has both or neither."""
    has_heads, has_constituents = doc.has_annotation("DEP"), bool(doc.spans.get(SPANS_KEY))
    if has_heads == has_constituents:
        return None
    return "constituents" if has_heads else "heads"


def bind_constituents(scores: ParserScores, spans: Sequence[CollapsedSpan], bond: float) -> ParserScores:
    """Scores by which the best tree has these constituents and no others, whatever their labels.

    spans (Sequence[Tuple[int, int, str]]): Half-open spans of word positions. bond (float): What each is worth.
    """
    labels = scores.labels.copy()
    labels[..., SUB_HEAD + 1 :] -= np.float32(bond)
    for start, end, _ in spans:
        labels[start, end, SUB_HEAD + 1 :] += np.float32(2.0 * bond)
    return scores._replace(labels=labels)


def bind_heads(scores: ParserScores, heads: Sequence[Optional[int]], bond: float) -> ParserScores:
    """Scores by which the best tree has these heads. Where arcs cross, no tree of the joint decoder has them all.

    heads (Sequence[Optional[int]]): For each word its head, counted from 1; 0 is the root, None is unknown.
    bond (float): What each is worth.
    """
    arcs = scores.arcs.copy()
    for dependent, head in enumerate(heads, start=1):
        if head is not None:
            arcs[dependent, head] += np.float32(bond)
    return scores._replace(arcs=arcs)


def _joint_decoder(parser: LALParser) -> JointDecoder:
    missing = [kind for kind in ("constituents", "deprels") if not parser.label_data[kind]]
    if missing:
        raise ValueError(f"'{parser.name}' has learned no {missing[0]}: expected a parser trained on both trees")
    decoder = parser.decoder if isinstance(parser.decoder, JointDecoder) else make_joint_decoder()
    if not 0.0 < decoder.constituency_weight < 1.0:
        raise ValueError(
            "expected a decoder that looks at both trees, with a constituency_weight between 0 and 1, got "
            f"{decoder.constituency_weight}"
        )
    return replace(decoder, warned=True)


def _short_enough(doc: Doc, decoder: JointDecoder) -> bool:
    longest = max(map(len, sentence_words(doc)), default=0)
    return decoder.max_length is None or longest <= decoder.max_length


class _Known(NamedTuple):
    """What a gold Doc tells of a sentence, and which of the two it lacks."""

    lacking: Lacking
    constituents: List[CollapsedSpan]
    heads: List[Optional[int]]


def _known(gold: Doc, lacking: Lacking) -> List[_Known]:
    found = []
    for words, constituents in zip(sentence_words(gold), get_constituents(gold), strict=True):
        place = {word: position for position, word in enumerate(words, start=1)}
        tokens = [gold[i] for i in words]
        heads = [(0 if t.head.i == t.i else place.get(t.head.i)) if t.has_head() else None for t in tokens]
        found.append(_Known(lacking, constituents, heads))
    return found


def _parse(nlp: Language, parser: LALParser, decoder: JointDecoder, golds: Sequence[Doc]) -> List[List[SentenceParse]]:
    """For each Doc, the part of its sentences' parses that it lacks."""
    docs = _read(nlp, parser, golds) if golds else []
    known = [_known(gold, lacks(gold) or "heads") for gold in golds]
    sentences = [sentence for found in known for sentence in found]
    parses: Dict[int, SentenceParse] = {}
    with parser.encoded(docs):
        for indices, scores in parser.iter_scores(docs, pruned=False) if docs else ():
            bound = [_bound(one, sentences[i], decoder) for i, one in zip(indices, scores, strict=True)]  # type: ignore[arg-type]
            for i, parse in zip(indices, decoder(bound), strict=True):
                strings = parser.to_strings(parse)
                if sentences[i].lacking == "heads":
                    parses[i] = SentenceParse(None, strings.heads, strings.deprels)
                else:
                    parses[i] = SentenceParse(strings.constituents, None, None)
    in_order = (parses[i] for i in range(len(parses)))
    return [list(islice(in_order, len(found))) for found in known]


def _bound(scores: ParserScores, known: _Known, decoder: JointDecoder) -> ParserScores:
    largest = max(float(np.abs(chart).max()) for chart in (scores.labels, scores.arcs))
    if known.lacking == "heads" and not known.constituents:
        return scores  # its tree is unknown, too
    if known.lacking == "heads":
        return bind_constituents(scores, known.constituents, BOND * largest / decoder.constituency_weight)
    return bind_heads(scores, known.heads, BOND * largest / (1.0 - decoder.constituency_weight))


def _read(nlp: Language, parser: LALParser, golds: Sequence[Doc]) -> List[Doc]:
    """Docs of the same tokens and sentences, with what the components before the parser say, and the gold tags."""
    docs = [copy_text(gold, with_sentences=True, vocab=nlp.vocab) for gold in golds]
    for _, pipe in nlp.pipeline:
        if pipe is parser:
            break
        docs = list(pipe.pipe(docs, batch_size=len(docs))) if hasattr(pipe, "pipe") else [pipe(doc) for doc in docs]
    for doc, gold in zip(docs, golds, strict=True):
        if gold.has_annotation("TAG"):
            doc.from_array(["TAG"], gold.to_array(["TAG"]))  # type: ignore[arg-type]
    return docs
