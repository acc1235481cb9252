"""Completes Docs of a treebank that has only heads or only constituents: the parser
adds the other tree. The known tree is a constraint on the joint decoder, which searches
pairs of trees that agree: the other tree is the best that agrees with it."""

from dataclasses import replace
from itertools import islice, takewhile
from typing import Any, Iterable, Iterator, Literal, Optional, Sequence

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from ..annotations import SPANS_KEY, get_constituents, sentence_words, set_parses
from ..annotations.constraints import HeadConstraint, SpanConstraint
from ..pipeline.charts import AllowedCells, DecodedParse
from ..pipeline.component import parser_names, sentence_splitters
from ..pipeline.constrained import allowed_cells
from ..pipeline.decoders import MAX_JOINT_LENGTH, make_joint_decoder
from ..pipeline.lal_parser import LALParser
from ..scores import ParserScores
from ..treebanks.docs import copy_text
from ..trees import SUB_HEAD, Constituent, Parse

Lacking = Literal["heads", "constituents"]


def complete(
    nlp: Language, parser: LALParser, docs: Iterable[Doc], *, batch_size: int = 64
) -> Iterator[Doc]:
    """Copies of gold Docs: those with constituents alone get heads and deprels, those
    with heads alone get constituents. Others, and Docs with a sentence that is too long
    for the joint decoder, are copied unchanged.

    RAISES (ValueError): The parser has one kind of tree alone; a Doc has no sentence
        boundaries."""
    _check_trees(parser)
    remaining = iter(docs)
    while golds := list(islice(remaining, batch_size)):
        fitting = [doc for doc in golds if lacks(doc) and _fits(doc)]
        parses = iter(_parse(nlp, parser, fitting))
        for doc in golds:
            copied = doc.copy()
            if doc in fitting:
                kept: dict[str, Any] = {"constituents": None}
                if lacks(doc) == "constituents":
                    kept = {"heads": None, "deprels": ()}
                set_parses(copied, [replace(parse, **kept) for parse in next(parses)])
            yield copied


def _fits(doc: Doc) -> bool:
    return all(len(words) <= MAX_JOINT_LENGTH for words in sentence_words(doc))


def lacks(doc: Doc) -> Optional[Lacking]:
    """The tree that a Doc lacks where it has the other; None where it has both or
    neither."""
    has_heads = doc.has_annotation("DEP")
    has_constituents = bool(doc.spans.get(SPANS_KEY))
    if has_heads == has_constituents:
        return None
    return "constituents" if has_heads else "heads"


def _check_trees(parser: LALParser) -> None:
    for kind in ("constituents", "deprels"):
        if not parser.label_data[kind]:
            raise ValueError(
                f"'{parser.name}' has learned no {kind}: expected a parser trained on "
                "both trees"
            )


def _best_parse(
    parser: LALParser, scores: ParserScores, allowed: AllowedCells
) -> DecodedParse:
    """The parse of fewest other cells, by a decoder whose trees agree."""
    parse = next(parser.decoder.ranked(scores, allowed))
    if parse.method != "joint":
        parse = next(make_joint_decoder().ranked(scores, allowed))
    return parse


def _parse(nlp: Language, parser: LALParser, golds: Sequence[Doc]) -> list[list[Parse]]:
    if not golds:
        return []
    docs = _read(nlp, parser, golds)
    tokens = [(doc, words) for doc in docs for words in sentence_words(doc)]
    constituents = [sentence for gold in golds for sentence in get_constituents(gold)]
    heads = [sentence for gold in golds for sentence in _known_heads(gold)]
    parses: dict[int, Parse] = {}
    for indices, scores in parser.iter_scores(docs, pruned=False):
        for i, of_sentence in zip(indices, scores, strict=True):
            allowed = known_cells(of_sentence, constituents[i], heads[i])  # type: ignore[arg-type]
            decoded = _best_parse(parser, of_sentence, allowed)  # type: ignore[arg-type]
            parses[i] = replace(parser.to_strings(decoded, *tokens[i]), method=None)
    in_order = (parses[i] for i in range(len(parses)))
    return [list(islice(in_order, len(sentence_words(gold)))) for gold in golds]


def _known_heads(gold: Doc) -> Iterator[list[Optional[int]]]:
    """For each sentence, the heads of its words; a root's is itself, None is
    unknown."""
    for words in sentence_words(gold):
        place = {word: position for position, word in enumerate(words)}
        tokens = [gold[i] for i in words]
        yield [place.get(t.head.i) if t.has_head() else None for t in tokens]


def known_cells(
    scores: ParserScores,
    constituents: Sequence[Constituent],
    heads: Sequence[Optional[int]],
) -> AllowedCells:
    """The cells of a parse that has the known constituents and no others, whatever
    their labels, and the known heads. Without constituents, the tree is unknown."""
    n_labels = scores.labels.shape[-1]
    spans = [SpanConstraint(span.start, span.end) for span in constituents]
    arcs = [HeadConstraint(i, h) for i, h in enumerate(heads) if h is not None]
    allowed = allowed_cells([*spans, *arcs], scores.n_tokens, [""] * n_labels)
    if spans:
        is_known = np.zeros(allowed.labels.shape[:2], dtype=bool)
        for span in spans:
            is_known[span.start, span.end] = True
        allowed.labels[~is_known, SUB_HEAD + 1 :] = False
    return allowed


def _read(nlp: Language, parser: LALParser, golds: Sequence[Doc]) -> list[Doc]:
    """Docs of the same tokens and sentences, with the gold tags, annotated by the
    components before the parser."""
    before = takewhile(lambda named: named[1] is not parser, nlp.pipeline)
    splitters = sentence_splitters(nlp, parser_names(nlp))
    docs = [copy_text(gold, with_sentences=True, vocab=nlp.vocab) for gold in golds]
    enabled = [name for name, _ in before if name not in splitters]
    with nlp.select_pipes(enable=enabled):
        docs = list(nlp.pipe(docs, batch_size=len(docs)))
    for doc, gold in zip(docs, golds, strict=True):
        if gold.has_annotation("TAG"):
            doc.from_array(["TAG"], gold.to_array(["TAG"]))  # type: ignore[arg-type]
    return docs
