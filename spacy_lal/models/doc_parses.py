"""What a network of semantic roles reads of Docs: vectors, and their parses as heads
and as the arrays of `pair_features.ParseArrays`."""

from collections.abc import Sequence
from typing import Optional, cast

import numpy
from numpy import ndarray
from spacy.tokens import Doc
from thinc.api import Model

from ..annotations import (
    SPANS_KEY,
    Sentences,
    constituents_within,
    tokens_with_heads,
)
from ..layers.pair_features import ParseArrays
from ..layers.roles_configs import RolesNetworkConfig, SpanRoleScorerConfig
from ..scores import MISSING, GoldRoles
from .batches import RolesBatch, embed, get_config

COMMA = ","
# Deprels of a passive's subject and auxiliary: UD's nsubj:pass, aux:pass, csubj:pass;
# ClearNLP's nsubjpass, auxpass.
PASSIVE_ENDING = "pass"


def roles_batch(
    model: Model,
    docs: list[Doc],
    sentences: Sequence[Sentences],
    predicates: Optional[list[ndarray]] = None,
    threshold: float = 0.5,
) -> RolesBatch:
    """The input of a network to find roles. See `RolesBatch`.
    sentences (Sequence[Sentences]): For each Doc, the words of its sentences or
        parts."""
    batch, _ = embed(model, docs, is_train=False, sentences=sentences)
    reads_heads = get_config(model).syntax.heads == "doc"
    return RolesBatch(
        batch.vectors,  # type: ignore[arg-type]
        doc_heads(docs, sentences) if reads_heads else None,
        None,
        predicates,
        threshold,
        range_parses(model, docs, sentences),
    )


def range_parses(
    model: Model,
    docs: list[Doc],
    sentences: Sequence[Sentences],
    golds: Optional[Sequence[GoldRoles]] = None,
) -> Optional[list[ParseArrays]]:
    """The parses that a scorer of ranges reads. A Doc without gold predicates needs
    none.
    RAISES (ValueError): A Doc lacks constituents, heads, tags or lemmas."""
    config = get_config(model)
    if not isinstance(config.role_scorer, SpanRoleScorerConfig):
        return None
    parses: list[ParseArrays] = []
    for doc, words in zip(docs, sentences, strict=True):
        first = len(parses)
        last = first + len(words)
        if golds is None or any(len(gold.rows) for gold in golds[first:last]):
            parses += doc_parses(doc, config, words)
        else:
            parses += map(unknown_parse, words)
    return parses


def doc_heads(docs: Sequence[Doc], sentences: Sequence[Sentences]) -> list[ndarray]:
    """The heads that Docs have, a list over all sentences, or parts of them. A root is
    its own head; a missing head, a head outside of the sentence, or on white space, is
    -1. *Shapes:* (n,), int64."""
    of_sentences: list[ndarray] = []
    for doc, of_doc in zip(docs, sentences, strict=True):
        heads = numpy.arange(len(doc)) + doc.to_array("HEAD").astype("int64")
        heads[~tokens_with_heads(doc)] = MISSING
        for words in of_doc:
            place = {word: i for i, word in enumerate(words)}
            in_words = [place.get(head, MISSING) for head in heads[words].tolist()]
            of_sentences.append(numpy.array(in_words, dtype="int64"))
    return of_sentences


def lacking(doc: Doc, config: RolesNetworkConfig) -> str:
    """What a Doc lacks of its parse that a network reads, and the component that sets
    it, in words; empty where it has all."""
    words = numpy.flatnonzero(doc.to_array("IS_SPACE") == 0)
    scorer = config.role_scorer
    has_head = tokens_with_heads(doc)[words]
    lacks_heads = not has_head.all()
    if not isinstance(scorer, SpanRoleScorerConfig):
        reads_heads = config.syntax.heads == "doc"
        lacks_heads = reads_heads and len(words) > 1 and not has_head.any()
    missing = {}
    if lacks_heads:
        missing["heads"] = "lal_parser"
    if isinstance(scorer, SpanRoleScorerConfig) and len(words):
        if SPANS_KEY not in doc.spans:
            missing["constituents"] = "lal_parser"
        if not doc.has_annotation("TAG"):
            missing["tags"] = "tagger"
        if scorer.word_attr == "LEMMA" and not doc.has_annotation("LEMMA"):
            missing["lemmas"] = "a lemmatizer"
    if not missing:
        return ""
    sources = ", ".join(dict.fromkeys(missing.values()))
    return (
        f"no {' and no '.join(missing)}: expected {sources} before it in the pipeline"
        f"{' (not with dependencies = false)' if 'heads' in missing else ''}"
    )


def unknown_parse(words: Sequence[int]) -> ParseArrays:
    """The parse of a sentence without predicates, which nothing reads: each word is a
    root, without a constituent."""
    heads = numpy.arange(len(words))
    ids = numpy.zeros(len(words), dtype="uint64")
    nothing = numpy.zeros((0, 2), dtype="int64")
    is_none = heads < 0
    return ParseArrays(heads, ids, ids, ids, is_none, is_none, nothing, ids[:0])


def doc_parses(
    doc: Doc, config: RolesNetworkConfig, sentences: Sentences
) -> list[ParseArrays]:
    """The parses of a Doc's sentences or parts.

    RAISES (ValueError): It lacks constituents, heads, tags or lemmas."""
    if not any(sentences):
        return [unknown_parse(words) for words in sentences]
    if missing := lacking(doc, config):
        raise ValueError(
            f"the scorer of roles reads the parse of the Doc, and {doc.text[:40]!r} "
            f"has {missing} and, in training, in "
            "training.annotating_components"
        )
    scorer = cast(SpanRoleScorerConfig, config.role_scorer)
    arrays = doc.to_array(["DEP", "TAG", scorer.word_attr])
    is_passive = numpy.zeros(len(doc), dtype=bool)
    passives = [token.head.i for token in doc if token.dep_.endswith(PASSIVE_ENDING)]
    is_passive[passives] = True
    strings = doc.vocab.strings
    is_comma = doc.to_array("ORTH") == strings[COMMA]
    all_spans = constituents_within(doc, sentences)
    all_heads = doc_heads([doc], [sentences])
    parses = []
    for words, spans, heads in zip(sentences, all_spans, all_heads, strict=True):
        ranges = [(span.start, span.end) for span in spans]
        labels = [strings.add(span.label) for span in spans]
        deprels, tags, forms = arrays[words].T
        parses.append(
            ParseArrays(
                numpy.where(heads == MISSING, numpy.arange(len(words)), heads),
                deprels,
                tags,
                forms,
                is_passive[words],
                is_comma[words],
                numpy.array(ranges, dtype="int64").reshape(-1, 2),
                numpy.array(labels, dtype="uint64"),
            )
        )
    return parses
