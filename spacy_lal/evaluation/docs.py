"""Scoring a pipeline on a treebank: gold Docs in, scores out, from 0 to 1 by name; None
where one side has no annotation. *Not* here: files and printing (`cli/evaluate.py`)."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from itertools import groupby
from typing import Any, Optional

from spacy.language import Language
from spacy.pipeline.senter import senter_score
from spacy.scorer import Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example

from ..annotations import (
    SENT_IDS,
    SPANS_KEY,
    has_propositions,
    has_sentences,
    read_parses,
    sentence_words,
)
from ..pipeline.component import parser_names, sentence_splitters
from ..treebanks.docs import copy_text
from .attachment import PunctuationRule
from .confusion import ConstituentConfusion, DeprelConfusion
from .evalb_params import EvalbParams
from .scorers import attachment, paired_trees, score_parses, score_roles

CONSTITUENTS = (
    "const_f",
    "const_p",
    "const_r",
    "const_cm",
    "const_cb",
    "const_0cb",
    "const_2cb",
)
SUMMARY = ("const_f", "dep_uas", "dep_las", "tag_acc")
OF_GENRE = (*SUMMARY, "n_sents", "n_words")
OTHER_GENRE = "other"
# Name of a score: the attribute of spaCy, and its value of a token; 0 or an empty
# string for an unset one. Features are compared as a whole, and a word without any has
# a value too.
WORDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "tag_acc": ("TAG", lambda token: token.tag_),
    "pos_acc": ("POS", lambda token: token.pos_),
    "morph_acc": ("MORPH", lambda token: token.morph.key),
    "lemma_acc": ("LEMMA", lambda token: token.lemma_),
}


def parse_golds(
    nlp: Language, golds: list[Doc], *, gold_sents: bool = True, batch_size: int = 256
) -> tuple[list[Doc], float]:
    """Parse the tokens of gold Docs with the pipeline's `lal_parser` or, without one,
    spaCy's parser; with `gold_sents`, in the gold sentences. Returns the parsed Docs,
    in order, and the time in seconds.

    RAISES (ValueError): A gold Doc has no sentence boundaries, or the pipeline sets
        none.
    """
    for number, gold in enumerate(golds, start=1):
        if not has_sentences(gold):
            raise ValueError(
                f"Doc {number} has no sentence boundaries: {gold.text[:40]!r}"
            )
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


def parse_texts(
    nlp: Language,
    golds: list[Doc],
    *,
    texts: Optional[Sequence[str]] = None,
    batch_size: int = 256,
) -> list[Doc]:
    """Parse the texts of gold Docs, with the pipeline's own tokens and sentences. See
    `check_texts`.

    texts (Optional[Sequence[str]]): The same texts with other whitespace.
    """
    check_texts(golds)
    return list(
        nlp.pipe(
            [gold.text for gold in golds] if texts is None else texts,
            batch_size=batch_size,
        )
    )


def join_documents(golds: list[Doc]) -> tuple[list[Doc], list[str]]:
    """Gold Docs joined to documents: neighbours whose sentence ids differ in the number
    at their end alone. Each Doc is a paragraph of its document's text.

    RETURNS (Tuple[List[Doc], List[str]]): The documents, and their texts with a blank
        line between paragraphs; empty if a Doc has no sentence ids.
    """
    sent_ids = [gold.user_data.get(SENT_IDS) or [""] for gold in golds]
    if not all(map(all, sent_ids)):
        return [], []
    names = iter([re.sub(r"\d+$", "", ids[0]) for ids in sent_ids])
    joined = []
    texts = []
    for _, group in groupby(golds, key=lambda _: next(names)):
        paragraphs = list(group)
        document = Doc.from_docs(paragraphs, exclude=["user_data"])  # type: ignore[call-arg]
        joined.append(document or paragraphs[0])
        texts.append("\n\n".join(gold.text.strip() for gold in paragraphs))
    return joined, texts


def check_texts(golds: list[Doc]) -> None:
    """Check that the text of each gold Doc is known.

    RAISES (ValueError): Its spaces are unknown: it was made from brackets alone.
    """
    for number, gold in enumerate(golds, start=1):
        if gold.has_unknown_spaces:
            raise ValueError(
                f"Doc {number} has words but no text, its spaces are not known: "
                f"{gold.text[:40]!r}"
            )


def score_docs(
    docs: list[Doc],
    golds: list[Doc],
    params: EvalbParams,
    *,
    seconds: float,
    gold_sents: bool = True,
) -> dict[str, Any]:
    """Compare parsed Docs with gold Docs of the same tokens; arguments and results of
    `parse_golds`.

    RETURNS (Dict[str, Any]): `CONSTITUENTS`; attachment by spaCy's punctuation rule and
        (with `_reference`) by the authors' rule; accuracies of `WORDS`, sizes, speed,
        signatures; `roles` if gold and parsed Docs have roles.
    """
    scores = _scores(docs, golds, params)
    if any(map(has_propositions, golds)) and any(map(has_propositions, docs)):
        scores["roles"] = score_roles(_examples(docs, golds))
    return {
        "signature": "|".join(
            (
                "tokens:gold",
                f"sents:{'gold' if gold_sents else 'own'}",
                f"n_sents:{scores['n_sents']}",
                f"v:{version('spacy-lal')}",
            )
        ),
        "params": params.signature,
        **scores,
        "seconds": round(seconds, 3),
        "sents_per_second": round(scores["n_sents"] / seconds, 1),
        "words_per_second": round(scores["n_words"] / seconds, 1),
    }


def score_genres(
    docs: list[Doc], golds: list[Doc], params: EvalbParams, pattern: "re.Pattern[str]"
) -> dict[str, dict[str, Any]]:
    """The scores of each genre: `SUMMARY`, `n_sents`, `n_words`, in alphabetical order.
    See `genres`."""
    found = {}
    for genre, places in sorted(genres(golds, pattern).items()):
        of_genre = [docs[i] for i in places]
        gold_of_genre = [golds[i] for i in places]
        scores = _scores(of_genre, gold_of_genre, params)
        found[genre] = {key: scores[key] for key in OF_GENRE}
    return found


def genres(golds: list[Doc], pattern: "re.Pattern[str]") -> dict[str, list[int]]:
    """The indices of Docs by genre: the first group of the pattern in the sentence ids
    that `lal convert` keeps, or else the whole match; "other" without a match.

    RAISES (ValueError): A Doc has no sentence ids, or has sentences of two genres; no
        sentence id matches.
    """
    by_genre: dict[str, list[int]] = {}
    for i, gold in enumerate(golds):
        matches = [
            pattern.search(sent_id) for sent_id in gold.user_data.get(SENT_IDS) or ()
        ]
        group = min(pattern.groups, 1)
        names = {(match and match[group]) or OTHER_GENRE for match in matches}
        if len(names) != 1:
            raise ValueError(
                f"the Doc that begins {gold.text[:40]!r} has "
                f"{'no sentence ids' if not names else sorted(names)}: "
                "expected Docs of one genre, as `lal convert --by-document` makes them "
                "of CoNLL-U"
            )
        by_genre.setdefault(names.pop(), []).append(i)
    if set(by_genre) <= {OTHER_GENRE}:
        example = golds[0].user_data[SENT_IDS][0]
        raise ValueError(
            f"{pattern.pattern!r} matches no sentence id, for example not {example!r}"
        )
    return by_genre


def score_sentence_breaks(
    docs: list[Doc], golds: list[Doc], params: EvalbParams
) -> dict[str, Any]:
    """Compare Docs with gold tokens but predicted sentence breaks: `sents_f`, spaCy's
    F1 of whole sentences, and `SUMMARY`, with brackets compared by characters."""
    scores = _scores(docs, golds, params)
    return {
        **{key: scores[key] for key in SUMMARY},
        "sents_f": senter_score(_examples(docs, golds))["sents_f"],
    }


def score_texts(
    docs: list[Doc], golds: list[Doc], params: EvalbParams
) -> dict[str, Any]:
    """Compare Docs made from the gold texts alone. Brackets and arguments are compared
    as ranges of characters without whitespace, arcs and `WORDS` over tokens aligned
    with one gold token; with gold tokens, `raw_const_f` equals EVALB's F1."""
    examples = _examples(docs, golds)
    tokens = Scorer.score_tokenization(
        _examples(*(map(_without_whitespace, some) for some in (docs, golds)))
    )
    parses = score_parses(examples, params)
    roles = score_roles(examples)
    return {
        **{key: tokens[key] for key in ("token_acc", "token_f")},
        "sents_f": senter_score(examples)["sents_f"],
        **{key: parses[key] for key in ("dep_uas", "dep_las")},
        **_words(examples),
        "raw_const_f": parses["const_f"],
        **{key: roles[key] for key in ("srl_f", "predicate_f", "roleset_acc")},
    }


def score_confusion(
    docs: list[Doc], golds: list[Doc], params: EvalbParams
) -> dict[str, Any]:
    """Count confusions by label (`confusion.py`) in Docs with the same tokens and
    sentences, the most frequent ones as (gold, predicted, count); missing annotation is
    not counted."""
    constituents = ConstituentConfusion()
    deprels = DeprelConfusion()
    for doc, gold in zip(docs, golds, strict=True):
        if SPANS_KEY in doc.spans:
            for pair in paired_trees(gold, doc):
                constituents.add(*pair, params)
        for ours, theirs in zip(read_parses(gold), read_parses(doc), strict=True):
            deprels.add(ours, theirs)
    return {
        "constituents": constituents.labels(),
        "constituent_confusions": constituents.confusions(),
        "deprels": deprels.labels(),
        "deprel_confusions": deprels.confusions(),
    }


def _examples(docs: Iterable[Doc], golds: Iterable[Doc]) -> list[Example]:
    return [Example(doc, gold) for doc, gold in zip(docs, golds, strict=True)]


def _without_whitespace(doc: Doc) -> Doc:
    words = ["".join(token.text.split()) for token in doc if not token.is_space]
    return Doc(doc.vocab, words=words, spaces=[False] * len(words))


def _scores(docs: list[Doc], golds: list[Doc], params: EvalbParams) -> dict[str, Any]:
    examples = _examples(docs, golds)
    constituents = (
        score_parses(examples, params)
        if any(SPANS_KEY in doc.spans for doc in docs)
        else {}
    )
    sentences = [words for gold in golds for words in sentence_words(gold) if words]
    return {
        **{key: constituents.get(key) for key in CONSTITUENTS},
        **_attachment(examples, "spacy", ""),
        **_attachment(examples, "reference", "_reference"),
        **_words(examples),
        "n_sents": len(sentences),
        "n_words": sum(map(len, sentences)),
    }


def _words(examples: list[Example]) -> dict[str, Optional[float]]:
    """Accuracies of `WORDS`, punctuation included, over gold words that have a value
    and one predicted token."""
    found = {}
    for name, (attribute, value) in WORDS.items():
        annotated = [eg for eg in examples if eg.predicted.has_annotation(attribute)]

        def get(token: Token, _: str, value: Callable[[Token], Any] = value) -> Any:
            return "" if token.is_space else value(token)

        score = Scorer.score_token_attr(annotated, attribute, getter=get)
        found[name] = score[f"{attribute}_acc"]
    return found


def _attachment(
    examples: list[Example], punctuation: PunctuationRule, suffix: str
) -> dict[str, Optional[float]]:
    """UAS, LAS and complete matches; None if no gold Doc, or no parsed one, has
    heads."""
    counts = attachment(examples, punctuation)
    return {
        f"{name}{suffix}": value if counts.n_sentences else None
        for name, value in counts.scores().items()
    }
