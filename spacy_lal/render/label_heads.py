"""Styles "attention" and "contributions": heat maps of the label heads. Both always show whole sentences."""

from typing import List, Optional

from spacy.language import Language
from spacy.tokens import Doc

from ..display.heatmap import N_SHOWN, heatmap
from .sentences import shown_sentences
from .styles import Item, Options, needed_pipeline


def draw_attention(item: Item, options: Options, nlp: Optional[Language]) -> List[str]:
    """The attention of each label head to each word, one picture for each sentence with words.

    options (Dict[str, Any]): `n_shown`, the number of label heads shown at first.
    RAISES (ValueError): As `interpret.label_attention`; without `nlp`.
    """
    from ..interpret import label_attention  # imports torch

    nlp = needed_pipeline(nlp, "attention")
    found = label_attention(nlp, item) if isinstance(item, Doc) else [label_attention(nlp, item)]
    pictures = []
    for attention in found:
        if len(attention.tokens) < 3:  # a sentence of whitespace: START and STOP alone
            continue
        # An idle head may attend to START or STOP: rows are sorted by attention to words alone.
        strongest = attention.weights[:, 1:-1].max(axis=1).tolist()
        picture = heatmap(
            attention.weights.tolist(),
            attention.heads,
            attention.tokens,
            title="Share of its attention that a label head gives to each word",
            row_kind="label heads",
            n_shown=options.get("n_shown", N_SHOWN),
            sort_by=strongest,
        )
        pictures.append(picture)
    return pictures


def draw_contributions(item: Item, options: Options, nlp: Optional[Language]) -> List[str]:
    """The contribution of each label head to the score of each constituent, one picture for each sentence with words.

    options (Dict[str, Any]): `n_shown`, the number of label heads shown at first.
    RAISES (ValueError): As `interpret.constituent_contributions`; without `nlp`.
    """
    from ..interpret import constituent_contributions  # imports torch

    nlp = needed_pipeline(nlp, "contributions")
    pictures = []
    for sentence in shown_sentences(item):
        span = sentence.tokens[0].doc[sentence.tokens[0].i : sentence.tokens[-1].i + 1]
        found = constituent_contributions(nlp, span)
        if not found:
            pictures.append("<p>This sentence has no constituent.</p>")
            continue
        totals = [
            ("score", [one.score for one in found]),
            ("label heads, sum", [float(one.heads.sum()) for one in found]),
            ("whole tokens", [one.tokens for one in found]),
            ("bias", [one.bias for one in found]),
        ]
        doc = span.doc
        picture = heatmap(
            [list(row) for row in zip(*(one.heads.tolist() for one in found), strict=True)],
            found[0].names,
            [f"{one.label}: {' '.join(doc[one.start : one.end].text.split())}" for one in found],
            title="What each label head adds to the score of a constituent",
            row_kind="label heads",
            n_shown=options.get("n_shown", N_SHOWN),
            totals=[(name, row) for name, row in totals if name != "whole tokens" or any(row)],
        )
        pictures.append(picture)
    return pictures
