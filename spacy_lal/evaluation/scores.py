"""Scores of parsed Docs against gold Docs, from 0 to 1 by name; None where one side has no annotation."""

import re
from typing import Any, Dict, List, Optional, Sequence

from spacy.pipeline.senter import senter_score
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example

from .. import __version__
from ..annotations import SPANS_KEY, has_propositions, sentence_words
from ..lang import conventions
from ..metrics.attachment import AttachmentCounts, PunctuationRule, score_attachments
from ..metrics.evalb_params import EvalbParams
from ..pipeline.scorers import score_parses, score_roles
from ..treebanks.docs import SENT_IDS
from .words import aligned_accuracies, word_accuracies

CONSTITUENTS = ("const_f", "const_p", "const_r", "const_cm", "const_cb", "const_0cb", "const_2cb")
ATTACHMENT = ("dep_uas", "dep_las", "dep_ucm", "dep_lcm")
SUMMARY = ("const_f", "dep_uas", "dep_las", "tag_acc")
OTHER_GENRE = "other"


def score_docs(
    docs: List[Doc], golds: List[Doc], params: EvalbParams, *, seconds: float, gold_sents: bool = True
) -> Dict[str, Any]:
    """Compare parsed Docs with gold Docs of the same tokens.

    docs, golds (List[Doc]): Results and arguments of `parsing.parse_golds`.
    params (EvalbParams): EVALB's parameters.
    seconds (float): The parsing time.
    gold_sents (bool): Whether the gold sentence breaks were given, for the signature.
    RETURNS (Dict[str, Any]): `CONSTITUENTS`; `ATTACHMENT` by spaCy's punctuation rule and (with `_reference`) by the
        authors' rule; `word_accuracies`, sizes, speed, signatures; `roles`, the scores of `score_roles`, if gold and
        parsed Docs have roles.
    """
    scores = _scores(docs, golds, params)
    if any(map(has_propositions, golds)) and any(map(has_propositions, docs)):
        scores["roles"] = score_roles(_examples(docs, golds))
    return {
        "signature": f"tokens:gold|sents:{'gold' if gold_sents else 'own'}|n_sents:{scores['n_sents']}|v:{__version__}",
        "params": params.signature,
        **scores,
        "seconds": round(seconds, 3),
        "sents_per_second": round(scores["n_sents"] / seconds, 1),
        "words_per_second": round(scores["n_words"] / seconds, 1),
    }


def score_genres(
    docs: List[Doc], golds: List[Doc], params: EvalbParams, pattern: "re.Pattern[str]"
) -> Dict[str, Dict[str, Any]]:
    """The scores of each genre.

    pattern (re.Pattern): Searched in the sentence ids that `lal convert` keeps; its first group, or else the whole
        match, is the genre. Sentences without a match have the genre "other".
    RETURNS (Dict[str, Dict[str, Any]]): `SUMMARY`, `n_sents`, `n_words` by genre, in alphabetical order.
    RAISES (ValueError): A Doc has no sentence ids, or has sentences of two genres; no sentence id matches.
    """
    by_genre = _by_genre(golds, pattern)
    genres = {}
    for genre in sorted(by_genre):
        scores = _scores([docs[i] for i in by_genre[genre]], [golds[i] for i in by_genre[genre]], params)
        genres[genre] = {key: scores[key] for key in (*SUMMARY, "n_sents", "n_words")}
    return genres


def check_genres(golds: List[Doc], pattern: "re.Pattern[str]") -> None:
    """Check that `score_genres` can divide gold Docs.

    RAISES (ValueError): See `score_genres`.
    """
    _by_genre(golds, pattern)


def score_sentence_breaks(docs: List[Doc], golds: List[Doc], params: EvalbParams) -> Dict[str, Any]:
    """Compare Docs with gold tokens but predicted sentence breaks: `sents_f`, spaCy's F1 of whole sentences, and
    `SUMMARY`, with brackets compared by characters."""
    scores = _scores(docs, golds, params)
    return {**{key: scores[key] for key in SUMMARY}, "sents_f": _sentences(_examples(docs, golds))}


def score_texts(docs: List[Doc], golds: List[Doc], params: EvalbParams) -> Dict[str, Any]:
    """Compare Docs made from the gold texts alone.

    RETURNS (Dict[str, Any]): `token_acc`, `token_f` and `sents_f` by spaCy's scorer; `dep_uas`, `dep_las` and
        `aligned_accuracies` over tokens aligned with one gold token; `raw_const_f`, F1 of labelled brackets under
        EVALB's parameters. Brackets are compared as ranges of characters, without whitespace and deleted gold words.
        With gold tokens, `raw_const_f` equals EVALB's F1.
    """
    examples = _examples(docs, golds)
    tokens, parses = Scorer.score_tokenization(examples), score_parses(examples, params)
    return {
        **{key: tokens[key] for key in ("token_acc", "token_f")},
        "sents_f": _sentences(examples),
        **{key: parses[key] for key in ("dep_uas", "dep_las")},
        **aligned_accuracies(examples),
        "raw_const_f": parses["const_f"],
    }


def _examples(docs: List[Doc], golds: List[Doc]) -> List[Example]:
    return [Example(doc, gold) for doc, gold in zip(docs, golds, strict=True)]


def _sentences(examples: List[Example]) -> Optional[float]:
    return senter_score(examples)["sents_f"]


def _scores(docs: List[Doc], golds: List[Doc], params: EvalbParams) -> Dict[str, Any]:
    """All scores of Docs with the gold tokens, and sizes."""
    examples = _examples(docs, golds)
    constituents = score_parses(examples, params) if any(SPANS_KEY in doc.spans for doc in docs) else {}
    sentences = [words for gold in golds for words in sentence_words(gold) if words]
    return {
        **{key: constituents.get(key) for key in CONSTITUENTS},
        **_attachment(examples, "spacy", ""),
        **_attachment(examples, "reference", "_reference"),
        **word_accuracies(examples),
        "n_sents": len(sentences),
        "n_words": sum(map(len, sentences)),
    }


def _by_genre(golds: List[Doc], pattern: "re.Pattern[str]") -> Dict[str, List[int]]:
    by_genre: Dict[str, List[int]] = {}
    for i, gold in enumerate(golds):
        by_genre.setdefault(_genre(gold, pattern), []).append(i)
    if set(by_genre) <= {OTHER_GENRE}:
        example = golds[0].user_data[SENT_IDS][0]
        raise ValueError(f"{pattern.pattern!r} matches no sentence id, for example not {example!r}")
    return by_genre


def _genre(gold: Doc, pattern: "re.Pattern[str]") -> str:
    if not gold.user_data.get(SENT_IDS):
        raise ValueError(f"no sentence ids on {gold.text[:40]!r}: expected Docs that `lal convert` made of CoNLL-U")
    matches = [pattern.search(sent_id) for sent_id in gold.user_data[SENT_IDS]]
    genres = {OTHER_GENRE if m is None else m.group(1 if pattern.groups else 0) for m in matches}
    if len(genres) > 1:
        raise ValueError(
            f"the Doc that begins {gold.text[:40]!r} is of the genres {sorted(map(str, genres))}: "
            "expected Docs of one, as `lal convert --by-document` makes them"
        )
    return genres.pop() or OTHER_GENRE


def _attachment(examples: Sequence[Example], punctuation: PunctuationRule, suffix: str) -> Dict[str, Optional[float]]:
    """UAS, LAS and complete matches over the gold sentences; None if no gold Doc, or no parsed one, has heads. Both
    sides have the same tokens, so heads are compared by their index in the Doc."""
    counts = AttachmentCounts()
    examples = list(examples) if any(eg.predicted.has_annotation("DEP") for eg in examples) else []
    for eg in examples:
        gold, test = eg.reference, eg.predicted
        if not gold.has_annotation("DEP"):
            continue
        for words in sentence_words(gold):
            if words:
                counts += score_attachments(
                    [gold[i].head.i for i in words],
                    [gold[i].dep_ for i in words],
                    [test[i].head.i for i in words],
                    [test[i].dep_ for i in words],
                    punctuation=punctuation,
                    tags=[gold[i].tag_ for i in words],
                    punctuation_tags=conventions(gold.vocab.lang).punctuation_tags,
                )
    return {f"{name}{suffix}": value if counts.n_sentences else None for name, value in counts.scores().items()}
