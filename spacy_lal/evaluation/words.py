"""Scores of single words: fine tag, UPOS, features, lemma. *Not* here: scores of trees (`scores.py`)."""

from typing import Any, Callable, Dict, List, Optional, Tuple

from spacy.scorer import Scorer
from spacy.tokens import Token
from spacy.training import Example

# Name of a score: the attribute of spaCy, and its value of a token; 0 or an empty string for an unset one. Features are
# compared as a whole, and a word without any has a value too.
ATTRIBUTES: Dict[str, Tuple[str, Callable[[Token], Any]]] = {
    "tag_acc": ("TAG", lambda token: token.tag_),
    "pos_acc": ("POS", lambda token: token.pos_),
    "morph_acc": ("MORPH", lambda token: _morph_key(token)),
    "lemma_acc": ("LEMMA", lambda token: token.lemma_),
}
SPACY_NAMES = {"tag_acc": "tag", "pos_acc": "pos", "morph_acc": "morph", "lemma_acc": "lemma"}


def word_accuracies(examples: List[Example]) -> Dict[str, Optional[float]]:
    """The share of words with the gold value, punctuation included, for Docs of the same tokens.

    RETURNS (Dict[str, Optional[float]]): `tag_acc`, `pos_acc` (UPOS), `morph_acc` (all features), `lemma_acc`; None
        where one side has no such annotation.
    """
    return {name: _accuracy(examples, *attribute) for name, attribute in ATTRIBUTES.items()}


def _accuracy(examples: List[Example], attribute: str, value: Callable[[Token], Any]) -> Optional[float]:
    n_words = n_correct = 0
    for eg in examples:
        if eg.predicted.has_annotation(attribute):
            for gold, test in zip(eg.reference, eg.predicted, strict=True):
                if value(gold) and not gold.is_space:
                    n_words += 1
                    n_correct += value(gold) == value(test)
    return n_correct / n_words if n_words else None


def aligned_accuracies(examples: List[Example]) -> Dict[str, Optional[float]]:
    """As `word_accuracies`, for Docs of other tokens, by spaCy's scorer: over tokens aligned with one gold token. None
    where the gold Docs have no such annotation."""
    scores: Dict[str, Optional[float]] = {}
    for name, attribute in SPACY_NAMES.items():
        getter = _morph_key if attribute == "morph" else getattr
        scores[name] = Scorer.score_token_attr(examples, attribute, getter=getter)[f"{attribute}_acc"]
    return scores


def _morph_key(token: Token, attribute: str = "MORPH") -> int:
    return token.morph.key  # type: ignore[attr-defined]
