"""Scoring a pipeline on a treebank: gold Docs in, scores out, from 0 to 1 by name; None
where one side has no annotation. *Not* here: files and printing (`cli/evaluate.py`)."""

import re
import time
from itertools import groupby
from typing import Any

from spacy.language import Language
from spacy.pipeline.lemmatizer import lemmatizer_score
from spacy.pipeline.morphologizer import morphologizer_score
from spacy.pipeline.senter import senter_score
from spacy.pipeline.tagger import tagger_score
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import (
    SENT_IDS,
    SPANS_KEY,
    has_propositions,
    read_parses,
    sentence_words,
)
from ..pipeline.component import parser_names, sentence_splitters
from ..treebanks.docs import copy_text
from .confusion import LabelPairs, constituent_pairs
from .evalb_params import EvalbParams
from .scorers import paired_trees, score_parses, score_roles, visible_characters

OF_GENRE = ("n_sents", "n_words", "const_f", "dep_uas", "dep_las", "tag_acc")
BATCH_SIZE = 256
OTHER_GENRE = "other"
# Scores of words: the attribute of spaCy, and its scorer. Features are compared as a
# whole, and a word without any has a value too.
WORDS = {
    "tag_acc": ("TAG", tagger_score),
    "pos_acc": ("POS", morphologizer_score),
    "morph_acc": ("MORPH", morphologizer_score),
    "lemma_acc": ("LEMMA", lemmatizer_score),
}


def parse_golds(
    nlp: Language,
    golds: list[Doc],
    *,
    gold_sents: bool = True,
    batch_size: int = BATCH_SIZE,
) -> tuple[list[Doc], float]:
    """Parse the tokens of gold Docs with the pipeline's `lal_parser` or, without one,
    spaCy's parser; with `gold_sents`, in the gold sentences. Returns the parsed Docs,
    in order, and the time in seconds.

    RAISES (ValueError): The pipeline sets no sentence boundaries.
    """
    parsers = parser_names(nlp) or [
        name
        for name in nlp.pipe_names
        if "token.head" in nlp.get_pipe_meta(name).assigns
    ]
    splitters = sentence_splitters(nlp, parsers) if gold_sents else []
    blanks = [
        copy_text(gold, with_sentences=gold_sents, vocab=nlp.vocab) for gold in golds
    ]
    with nlp.select_pipes(disable=splitters):
        start = time.perf_counter()
        docs = list(nlp.pipe(blanks, batch_size=batch_size))
        return docs, time.perf_counter() - start


def join_documents(golds: list[Doc]) -> tuple[list[Doc], list[str]]:
    """Gold Docs joined to documents: neighbours whose sentence ids differ in the number
    at their end alone. Each Doc is a paragraph of its document's text.

    RETURNS (Tuple[List[Doc], List[str]]): The documents, and their texts with a blank
        line between paragraphs; empty if a Doc has no sentence ids.
    """
    if not all(all(gold.user_data.get(SENT_IDS) or [""]) for gold in golds):
        return [], []
    documents = []
    texts = []
    for _, group in groupby(golds, key=_document_name):
        paragraphs = list(group)
        documents.append(Doc.from_docs(paragraphs, exclude=["user_data"]))  # type: ignore[call-arg]
        texts.append("\n\n".join(gold.text.strip() for gold in paragraphs))
    return documents, texts


def _document_name(gold: Doc) -> str:
    return re.sub(r"\d+$", "", gold.user_data[SENT_IDS][0])


def score_docs(
    docs: list[Doc], golds: list[Doc], params: EvalbParams
) -> dict[str, Any]:
    """Compare Docs with gold Docs of the same text. With other tokens, brackets and
    arguments are compared as ranges of characters without white space, arcs and words
    where a token is aligned with one gold token.

    RETURNS (Dict[str, Any]): The scores of `score_parses`, but for those of each
        deprel, and of `WORDS`; `token_f` and `sents_f`, F1 of tokens and of whole
        sentences; sizes; `roles` if gold and parsed Docs have roles.
    """
    examples = [Example(doc, gold) for doc, gold in zip(docs, golds, strict=True)]
    has_trees = any(SPANS_KEY in doc.spans for doc in docs)
    has_heads = any(doc.has_annotation("DEP") for doc in docs)
    scores = {
        name: value if (has_trees if name.startswith("const_") else has_heads) else None
        for name, value in score_parses(examples, params).items()
        if name != "dep_las_per_type"
    }
    for name, (attribute, score) in WORDS.items():
        annotated = [eg for eg in examples if eg.predicted.has_annotation(attribute)]
        scores[name] = score(annotated)[name]
    tokens = PRFScore()
    for doc, gold in zip(docs, golds, strict=True):
        tokens.score_set(_token_places(doc), _token_places(gold))
    sentences = [words for gold in golds for words in sentence_words(gold) if words]
    scores["sents_f"] = senter_score(examples)["sents_f"]
    scores["token_f"] = tokens.fscore
    scores["n_sents"] = len(sentences)
    scores["n_words"] = sum(map(len, sentences))
    if any(map(has_propositions, golds)) and any(map(has_propositions, docs)):
        scores["roles"] = score_roles(examples)
    return scores


def _token_places(doc: Doc) -> set[tuple[int, int]]:
    """The ranges of the tokens over characters without white space."""
    places = visible_characters(doc)
    return {
        (places[token.idx], places[token.idx + len(token)])
        for token in doc
        if not token.is_space
    }


def score_genres(
    docs: list[Doc], golds: list[Doc], params: EvalbParams, pattern: "re.Pattern[str]"
) -> dict[str, dict[str, Any]]:
    """The scores `OF_GENRE` of each genre, in alphabetical order. See `genres`."""
    of_genres = {}
    for genre, places in sorted(genres(golds, pattern).items()):
        scores = score_docs(
            [docs[i] for i in places], [golds[i] for i in places], params
        )
        of_genres[genre] = {key: scores[key] for key in OF_GENRE}
    return of_genres


def genres(golds: list[Doc], pattern: "re.Pattern[str]") -> dict[str, list[int]]:
    """The indices of Docs by genre: the first group of the pattern in the first
    sentence id that `lal convert` keeps, or else the whole match; "other" without a
    match.

    RAISES (ValueError): No sentence id matches.
    """
    by_genre: dict[str, list[int]] = {}
    group = min(pattern.groups, 1)
    for i, gold in enumerate(golds):
        first, *_ = gold.user_data.get(SENT_IDS) or [""]
        match = pattern.search(first)
        genre = (match and match[group]) or OTHER_GENRE
        by_genre.setdefault(genre, []).append(i)
    if set(by_genre) <= {OTHER_GENRE}:
        raise ValueError(
            f"{pattern.pattern!r} matches no sentence id, such as {first!r}"
        )
    return by_genre


def score_confusion(
    docs: list[Doc], golds: list[Doc], params: EvalbParams
) -> dict[str, Any]:
    """Count which label is taken for which in Docs with the same tokens and sentences:
    of constituents over the same words, and of words, whatever their heads; the most
    frequent ones as (gold, predicted, count). Missing annotation is not counted."""
    constituents = LabelPairs()
    deprels = LabelPairs()
    for doc, gold in zip(docs, golds, strict=True):
        if SPANS_KEY in doc.spans:
            for pair in paired_trees(gold, doc):
                constituents.update(constituent_pairs(*pair, params))
        for ours, theirs in zip(read_parses(gold), read_parses(doc), strict=True):
            pairs = zip(ours.deprels, theirs.deprels, strict=True)
            deprels.update(pair for pair in pairs if pair[0])
    return {
        "constituents": constituents.table(),
        "constituent_confusions": constituents.confusions(),
        "deprels": deprels.table(),
        "deprel_confusions": deprels.confusions(),
    }
