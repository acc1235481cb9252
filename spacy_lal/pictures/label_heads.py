"""Styles "attention" and "contributions": heat maps of the label heads. Both always show whole sentences.

Heads that are called by the labels of the parse stand first.
"""

from typing import TYPE_CHECKING, Any, Dict, List, Sequence

from spacy.language import Language
from spacy.tokens import Doc

from ..export import Sentence
from .heatmap import N_SHOWN, heatmap

if TYPE_CHECKING:
    from ..interpret import Contributions

_ATTENTION = "The heads called by labels of this parse stand first. The name of a head is a convention."
_OUTLINED = "Outlined: what a head adds to the label that it is called by."


def draw_attention(doc: Doc, sentences: Sequence[Sentence], options: Dict[str, Any], nlp: Language) -> List[str]:
    """The attention of each label head to each word, one picture a sentence. See `interpret.label_attention`."""
    from ..interpret import label_attention

    pictures = []
    for sentence in sentences:
        attention = label_attention(nlp, sentence.tokens[0].sent)
        own = _heads_of(sentence, attention.heads)
        picture = heatmap(
            attention.weights.tolist(),
            attention.heads,
            attention.tokens,
            title="Share of its attention that a label head gives to each word",
            row_kind="label heads",
            n_shown=options.get("n_shown", len(own) or N_SHOWN),
            sort_by=attention.weights[:, 1:-1].max(axis=1).tolist(),  # an idle head may attend to START or STOP
            first=own,
            note=_ATTENTION if own else "",
        )
        pictures.append(picture)
    return pictures


def draw_contributions(doc: Doc, sentences: Sequence[Sentence], options: Dict[str, Any], nlp: Language) -> List[str]:
    """What each label head adds to the score of each constituent, one picture a sentence. See
    `interpret.constituent_contributions`."""
    from ..interpret import constituent_contributions

    of_all = constituent_contributions(nlp, doc if len(sentences) > 1 else sentences[0].tokens[0].sent)
    pictures = []
    for sentence in sentences:
        first, last = sentence.tokens[0].i, sentence.tokens[-1].i
        found = [one for one in of_all if first <= one.start <= last]
        none = "<p>This sentence has no constituent.</p>"
        pictures.append(_draw_contributions(found, sentence, options) if found else none)
    return pictures


def _draw_contributions(found: Sequence["Contributions"], sentence: Sentence, options: Dict[str, Any]) -> str:
    doc, names = sentence.tokens[0].doc, found[0].names
    values = [list(row) for row in zip(*(one.heads.tolist() for one in found), strict=True)]
    totals = [
        ("score", [one.score for one in found]),
        ("label heads, sum", [float(one.heads.sum()) for one in found]),
        *([("whole tokens", [one.tokens for one in found])] if any(one.tokens for one in found) else []),
        ("bias", [one.bias for one in found]),
    ]
    texts = [" ".join(doc[one.start : one.end].text.split()) for one in found]
    outlined = [(names.index(one.label), i) for i, one in enumerate(found) if one.label in names]
    return heatmap(
        values,
        names,
        [f"{one.label}: {text}" for one, text in zip(found, texts, strict=True)],
        title="What each label head adds to the score of a constituent",
        row_kind="label heads",
        n_shown=options.get("n_shown", N_SHOWN),
        first=_heads_of(sentence, names),
        outlined=outlined,
        note=_OUTLINED if outlined else "",
        totals=totals,
    )


def _heads_of(sentence: Sentence, names: Sequence[str]) -> List[int]:
    """The numbers of the heads called by labels of the parse, in its order; none without a parse."""
    labels = dict.fromkeys(label for *_, label in sentence.constituents or [])
    return [names.index(label) for label in labels if label in names]
