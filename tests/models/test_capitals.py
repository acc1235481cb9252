"""Sentences in capitals are read as they are written elsewhere."""

import pytest
import spacy
from spacy.util import is_package

from spacy_lal.models.vectors import plain_doc, plain_words
from spacy_lal.pipeline.tokenizer import make_web_tokenizer

NLP = spacy.blank("en")
NLP.tokenizer = make_web_tokenizer()(NLP)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("THEY WERE HERE. I DON'T KNOW.", "They were here . I do n't know ."),
        ("HE'S NOT HERE! But she is.", "He 's not here ! But she is ."),
        ("The NATO, the UN and the EU met.", "The NATO , the UN and the EU met ."),
        ("GREAT FOOD!", "GREAT FOOD !"),
        ("I SAW A CAT.\nIt ran.", "I saw a cat . \n It ran ."),
        ('"WHERE ARE YOU?"', '" Where are you ? "'),
        ("WE SAID -LRB- SO -RRB- .", "We said ( so ) ."),
        ("ÉTÉ ÀPRE ET LONG.", "Été àpre et long ."),
    ],
)
def test_words_that_are_read(text: str, expected: str):
    assert " ".join(plain_words(NLP.make_doc(text))) == expected


def test_a_doc_in_capitals_keeps_its_spaces():
    assert plain_doc(NLP.make_doc("I WON'T GO THERE.")).text == "I won't go there."


SENTENCES = """
They were here before we came.
He did not know what she does.
I am glad that you have been there.
The children are playing with their dogs in the garden.
We've seen it, and they'll see it too.
She bought two books and gave them to her brothers.
Nobody could have done these things better than us.
""".strip().splitlines()


def test_tags_heads_and_lemmas_are_those_of_small_letters():
    if not is_package("en_lal_md"):
        pytest.skip("en_lal_md is not installed")
    nlp = spacy.load("en_lal_md", exclude=["lal_srl"])
    for sentence in SENTENCES:
        small = nlp(sentence)
        capital = nlp(sentence.upper())
        assert [(one.tag_, one.head.i, one.dep_, one.lemma_) for one in capital] == [
            (one.tag_, one.head.i, one.dep_, one.lemma_) for one in small
        ]


def test_lemmas_of_single_words_in_capitals():
    if not is_package("en_lal_md"):
        pytest.skip("en_lal_md is not installed")
    nlp = spacy.load("en_lal_md", exclude=["lal_srl"])
    doc = nlp("They WERE here, and HE had BEEN with THEM, but I DID NOT see US.")
    found = {word.text: word.lemma_ for word in doc if word.is_upper and len(word) > 1}
    assert found == {
        "WERE": "be",
        "HE": "he",
        "BEEN": "be",
        "THEM": "they",
        "DID": "do",
        "NOT": "not",
        "US": "we",
    }
