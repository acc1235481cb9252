"""The component `lal_lemmas`: corrects the lemmas of another component by the rules or
the table of the language (`lang/<code>/`)."""

from functools import partial
from typing import Callable

from spacy.language import Language
from spacy.tokens import Doc

from ..lang import LANGUAGES, conventions
from ..lang.conventions import LemmaRule
from ..models.vectors import unescape_token


def correct_lemmas(doc: Doc, lemma_of: LemmaRule) -> Doc:
    """Correct the lemmas of a Doc, in place, with its tags and UPOS. Tokens without a
    lemma are left out. A treebank escape gets the lemma of the mark that it stands for.

    lemma_of (LemmaRule): Of the language.
    RETURNS (Doc): The same Doc."""
    for token in doc:
        if token.lemma:
            word = unescape_token(token.text)
            answer = token.lemma_ if word == token.text else word
            lemma = lemma_of(word, token.tag_, token.pos_, answer)
            if lemma != token.lemma_:
                token.lemma_ = lemma
    return doc


@Language.factory(
    "lal_lemmas",
    assigns=["token.lemma"],
    requires=["token.lemma", "token.tag", "token.pos"],
)
def make_lal_lemmas(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Make a `lal_lemmas` component. It goes after the lemmatizer, tagger and
    morphologizer of a pipeline.

    RAISES (ValueError): The pipeline's language has no rules for lemmas."""
    lemma_of = conventions(nlp.lang or "").lemmas
    if lemma_of is None:
        known = ", ".join(code for code, one in LANGUAGES.items() if one.lemmas)
        raise ValueError(
            f"expected a language with rules for lemmas ({known}), got {nlp.lang!r}"
        )
    return partial(correct_lemmas, lemma_of=lemma_of)
