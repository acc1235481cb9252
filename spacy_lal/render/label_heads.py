"""Styles "attention" and "contributions": heat maps of the label heads. Both always show whole sentences.

Heads that are called by the labels of the parse stand first. Contributions of weak heads are one row.
"""

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING, List, Optional, Sequence

from spacy.language import Language
from spacy.tokens import Doc

from ..display.heatmap import N_SHOWN, heatmap
from ..display.markup import shorten
from ..export import Sentence
from .sentences import shown_sentences
from .styles import Item, Options, needed_pipeline

if TYPE_CHECKING:
    from ..interpret import Contributions

MAX_TEXT = 40  # characters of a constituent in a note
LEAST_SHOWN = 0.1  # share of the strongest contribution; heads that stay below it everywhere are one row
_ATTENTION = (
    "The heads called by labels of this parse stand first. The name of a head is a convention: how much it adds to its "
    "label, or takes from it, stands under contributions."
)
_OUTLINED = "Outlined: what a head adds to the label that it is called by."


def draw_attention(item: Item, options: Options, nlp: Optional[Language]) -> List[str]:
    """The attention of each label head to each word, one picture for each sentence with words.

    options (Dict[str, Any]): `n_shown`, the number of label heads shown at first.
    RAISES (ValueError): As `interpret.label_attention`; without `nlp`.
    """
    from ..interpret import label_attention  # imports torch

    nlp = needed_pipeline(nlp, "attention")
    found = label_attention(nlp, item) if isinstance(item, Doc) else [label_attention(nlp, item)]
    # A sentence of whitespace has START and STOP alone.
    found = [attention for attention in found if len(attention.tokens) > 2]
    pictures = []
    for attention, sentence in zip(found, _whole_sentences(item), strict=True):
        own = _heads_of(sentence, attention.heads)
        # An idle head may attend to START or STOP: rows are sorted by attention to words alone.
        strongest = attention.weights[:, 1:-1].max(axis=1).tolist()
        picture = heatmap(
            attention.weights.tolist(),
            attention.heads,
            attention.tokens,
            title="Share of its attention that a label head gives to each word",
            row_kind="label heads",
            n_shown=options.get("n_shown", len(own) or N_SHOWN),
            sort_by=strongest,
            first=own,
            note=_ATTENTION if own else "",
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
    sentences = _whole_sentences(item)
    of_all = constituent_contributions(nlp, item) if sentences else []  # in order of their starts
    pictures = []
    for sentence in sentences:
        first, last = sentence.tokens[0], sentence.tokens[-1]
        begin, end = (bisect_left(of_all, token, key=attrgetter("start")) for token in (first.i, last.i + 1))
        if found := of_all[begin:end]:
            pictures.append(_draw_contributions(found, first.doc, _heads_of(sentence, found[0].names), options))
        else:
            pictures.append("<p>This sentence has no constituent.</p>")
    return pictures


def _draw_contributions(found: Sequence["Contributions"], doc: Doc, own: Sequence[int], options: Options) -> str:
    names, values = found[0].names, [list(row) for row in zip(*(one.heads.tolist() for one in found), strict=True)]
    strengths = [max(map(abs, row)) for row in values]
    least = LEAST_SHOWN * max(strengths, default=0.0)
    shown = [i for i, strength in enumerate(strengths) if strength >= least or i in own]
    weak = [row for i, row in enumerate(values) if i not in set(shown)]
    totals = [
        ("score", [one.score for one in found]),
        ("label heads, sum", [float(one.heads.sum()) for one in found]),
        ("whole tokens", [one.tokens for one in found]),
        ("bias", [one.bias for one in found]),
    ]
    totals = [(name, row) for name, row in totals if name != "whole tokens" or any(row)]
    if weak:
        totals.append((f"{len(weak)} weak label heads, sum", [sum(column) for column in zip(*weak, strict=True)]))
    texts = [" ".join(doc[one.start : one.end].text.split()) for one in found]
    outlined = [(row, i) for row, head in enumerate(shown) for i, one in enumerate(found) if names[head] == one.label]
    against = [
        f"{one.label} ({values[shown[row]][i]:.1f} in \u201c{shorten(texts[i], MAX_TEXT)}\u201d)".replace("-", "\u2212")
        for (row, i), one in ((place, found[place[1]]) for place in outlined)
        if values[shown[row]][i] <= -least
    ]
    note = f" Heads that speak against that label here: {', '.join(against)}." if against else ""
    return heatmap(
        [values[i] for i in shown],
        [names[i] for i in shown],
        [f"{one.label}: {text}" for one, text in zip(found, texts, strict=True)],
        title="What each label head adds to the score of a constituent",
        row_kind="label heads",
        n_shown=options.get("n_shown", N_SHOWN),
        first=[shown.index(i) for i in own],
        outlined=outlined,
        note=_OUTLINED + note if outlined else "",
        totals=totals,
    )


def _whole_sentences(item: Item) -> List[Sentence]:
    """The sentences of an item, whole ones even where a Span is a part of one."""
    return shown_sentences(item if isinstance(item, Doc) else item.sent)


def _heads_of(sentence: Sentence, names: Sequence[str]) -> List[int]:
    """The numbers of the heads called by labels of the parse, in its order; none without a parse."""
    labels = dict.fromkeys(label for *_, label in sentence.constituents or [])
    return [names.index(label) for label in labels if label in names]
