"""Confusions of constituent labels and deprels, over Docs with the gold tokens and sentence breaks."""

from typing import Any, Dict, List, Optional

from spacy.tokens import Doc

from ..annotations import SPANS_KEY, get_constituents, sentence_words
from ..metrics.confusion import ConstituentConfusion, DeprelConfusion
from ..metrics.evalb_params import EvalbParams


def score_confusion(
    docs: List[Doc], golds: List[Doc], params: EvalbParams, *, top: Optional[int] = 30
) -> Dict[str, Any]:
    """Count confusions by label.

    docs, golds (List[Doc]): Docs with the same tokens and sentences; missing annotation is not counted. A gold
        sentence without constituents is skipped, as in `score_parses`.
    params (EvalbParams): EVALB's parameters, which exclude words and brackets.
    top (Optional[int]): The number of confusions of each kind, None for all.
    RETURNS (Dict[str, Any]): `constituents` and `deprels`, by label, see `metrics.confusion`;
        `constituent_confusions` and `deprel_confusions`, lists of (gold, predicted, count).
    """
    constituents, deprels = ConstituentConfusion(), DeprelConfusion()
    for doc, gold in zip(docs, golds, strict=True):
        sentences = sentence_words(gold)
        if gold.spans.get(SPANS_KEY) and SPANS_KEY in doc.spans:
            for words, ours, theirs in zip(sentences, get_constituents(gold), get_constituents(doc), strict=True):
                if ours:
                    texts, tags = [gold[i].text for i in words], [gold[i].tag_ for i in words]
                    constituents.add((texts, tags, ours), (texts, tags, theirs), params)
        if gold.has_annotation("DEP"):
            for words in sentences:
                deprels.add(
                    [gold[i].head.i for i in words],
                    [gold[i].dep_ for i in words],
                    [doc[i].head.i for i in words],
                    [doc[i].dep_ for i in words],
                )
    return {
        "constituents": constituents.labels(),
        "constituent_confusions": constituents.confusions(top),
        "deprels": deprels.labels(),
        "deprel_confusions": deprels.confusions(top),
    }
