"""The component `lal_lemmas`: corrects the lemmas of another component by the rules or
the table of the language (`lang/<code>/`)."""

from collections.abc import Callable
from functools import partial

from spacy.language import Language
from spacy.tokens import Doc, Token

from ..lang import LANGUAGES, conventions
from ..lang.conventions import LemmaRule
from ..models.vectors import plain_words


def correct_lemmas(doc: Doc, lemma_of: LemmaRule) -> Doc:
    """Correct the lemmas of a Doc, in place, with its tags and UPOS. Tokens without a
    lemma are left out. A treebank escape gets the lemma of its mark, and a word of a
    sentence in capitals the lemma of the word in lower case. A mark that is read as
    another keeps its own.

    lemma_of (LemmaRule): Of the language.
    RETURNS (Doc): The same Doc."""
    marks = conventions(doc.vocab.lang).read_as
    for token, word in zip(doc, plain_words(doc), strict=True):
        if token.lemma and token.text not in marks:
            answer = token.lemma_
            default = answer
            if word != token.text:
                default = _default_lemma(word, token)
                answer = "" if word.lower() == token.lower_ else word
            lemma = lemma_of(word, token.tag_, token.pos_, answer) or default
            if lemma != token.lemma_:
                token.lemma_ = lemma
    return doc


def _default_lemma(word: str, token: Token) -> str:
    """A word of a sentence in capitals, as it is written in the middle of others; the
    mark of an escape."""
    if word.lower() != token.lower_:
        return word
    return word.capitalize() if token.pos_ == "PROPN" else word.lower()


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
