"""Vectors of tokens: side by side, by listeners, of words as treebanks escape them."""

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.ml.models import MultiHashEmbed
from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.tokens import Doc
from thinc.api import Model

from spacy_lal.models.vectors import (
    build_joined_tok2vec,
    plain_doc,
    plain_words,
    unescape_token,
    with_tokens,
)

DOCS = ["The old cat sleeps.", "Yes", ""]


@pytest.fixture
def docs():
    nlp = spacy.blank("en")
    return [nlp(text) for text in DOCS]


def embedding(attr, width):
    return MultiHashEmbed(width, [attr], [50], include_static_vectors=False)


def recorder(width):
    """A tok2vec of zeros that keeps the gradients it is given; an empty Doc has an
    array without width, as those of spacy-transformers have."""
    seen = []

    def forward(model, docs, is_train):
        return [
            model.ops.alloc2f(len(doc), width if len(doc) else 0) for doc in docs
        ], lambda d: seen.append(d) or docs

    return Model("recorder", forward), seen


def test_vectors_stand_side_by_side(docs):
    first, second = embedding("NORM", 8), embedding("SHAPE", 4)
    joined = build_joined_tok2vec(first, second)
    joined.initialize(X=docs)
    assert joined.get_dim("nO") == 12
    for whole, left, right in zip(
        joined.predict(docs), first.predict(docs), second.predict(docs), strict=True
    ):
        numpy.testing.assert_array_equal(
            whole, numpy.concatenate([left, right], axis=1)
        )


def test_each_part_gets_its_share_of_the_gradient(docs):
    (first, seen_first), (second, seen_second) = recorder(3), recorder(2)
    joined = build_joined_tok2vec(first, second)
    outputs, backprop = joined.begin_update(docs)
    gradients = [
        numpy.arange(array.size, dtype="float32").reshape(array.shape)
        for array in outputs
    ]
    assert backprop(gradients) == docs
    for gradient, left, right in zip(
        gradients, seen_first[0], seen_second[0], strict=True
    ):
        numpy.testing.assert_array_equal(left, gradient[:, :3])
        numpy.testing.assert_array_equal(right, gradient[:, 3:])


def listening(docs):
    joined = build_joined_tok2vec(Tok2VecListener("encoder", 4), embedding("SHAPE", 4))
    joined.initialize(X=docs)
    return joined


def test_a_listener_reads_the_tensors(docs):
    joined = listening(docs)
    assert joined.get_dim("nO") == 8
    assert not joined.predict(docs)[0][:, :4].any(), (
        "while a model is initialised, no encoder has run"
    )
    for doc in docs:
        doc.tensor = with_tokens(numpy.ones((len(doc), 4), dtype="float32"), doc)
    for doc, array in zip(docs, joined.predict(list(docs)), strict=True):
        assert (
            array.shape == (len(doc), 8)
            and array[:, :4].all()
            and type(array) is numpy.ndarray
        )


def test_without_the_encoder(docs):
    with pytest.raises(
        ValueError, match="'encoder' has not run on the Doc 'The old cat sleeps.'"
    ):
        listening(docs).predict(list(docs))


@pytest.mark.parametrize("n_merged", [0, 2, 3])
@pytest.mark.parametrize("n_split", [0, 2, 3])
def test_tokens_merged_or_split_after_the_encoder(docs, n_merged, n_split):
    """Their number may stay equal."""
    doc = docs[0]
    joined = listening(docs)
    doc.tensor = with_tokens(numpy.ones((len(doc), 4), dtype="float32"), doc)
    with doc.retokenize() as retokenizer:
        if n_merged:
            retokenizer.merge(doc[0:n_merged])
        if n_split:
            orths = ["s", "leeps"] if n_split == 2 else ["s", "lee", "ps"]
            retokenizer.split(doc[3], orths, heads=[doc[4]] * n_split)
    if n_merged or n_split:
        with pytest.raises(ValueError, match="had other tokens"):
            joined.predict([doc])
    else:
        assert len(joined.predict([doc])[0]) == 5


def test_vectors_that_forgot_their_tokens_are_counted(docs):
    """From a DocBin, for example."""
    joined = listening(docs)
    docs[0].tensor = numpy.ones((5, 4), dtype="float32")
    assert joined.predict(docs[:1])[0].shape == (5, 8)
    docs[0].tensor = numpy.ones((4, 4), dtype="float32")
    with pytest.raises(
        ValueError, match=r"had other tokens or spaces \(4 tokens, and it has 5\)"
    ):
        joined.predict(docs[:1])


PLAIN = {
    **{
        "-LRB-": "(",
        "-RRB-": ")",
        "-LSB-": "[",
        "-RSB-": "]",
        "-LCB-": "{",
        "-RCB-": "}",
        "/.": ".",
        "/?": "?",
    },
    **{"/!": "!", "/,": ",", "/:": ":"},
    **{"``": '"', "''": '"', "\\/": "/", "3\\/4": "3/4", "and\\/or": "and/or"},
}
SENTENCES = [
    "The man -LRB- he said -RRB- was tired /.",
    "Is it -LSB- really -RSB- true /?",
    "-LCB- a -RCB- is 3\\/4 of a set \\/ a group .",
    "He said , `` I know '' , and\\/or left .",
]


@pytest.mark.parametrize(
    ("escape", "word"), [*PLAIN.items(), ("and/or", "and/or"), ("-", "-"), ("/", "/")]
)
def test_unescape(escape: str, word: str) -> None:
    """Each escape, and words that are none."""
    assert unescape_token(escape) == word


def test_copies_only_docs_with_escapes() -> None:
    """A Doc without escapes is itself; a copy has words, norms and spaces."""
    nlp = spacy.blank("en")
    doc = nlp("I don't know (yet).")
    assert plain_doc(doc) is doc
    doc = Doc(nlp.vocab, ["-LRB-", "n't", "/."], [False, True, False])
    doc[1].norm_ = "not"
    copied = plain_doc(doc)
    assert [token.text_with_ws for token in copied] == ["(", "n't ", "."]
    assert [token.norm_ for token in copied] == ["(", "not", "."]
    assert [token.text for token in doc] == ["-LRB-", "n't", "/."]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_same_analysis_as_plain_words(en_lal_md: Language, sentence: str) -> None:
    """Tags, heads, deprels, trees, sentences and roles."""
    found = []
    for words in (
        sentence.split(),
        [PLAIN.get(word, word) for word in sentence.split()],
    ):
        doc = en_lal_md(Doc(en_lal_md.vocab, words))
        columns = [
            (token.tag_, token.pos_, token.head.i, token.dep_, token.is_sent_start)
            for token in doc
        ]
        constituents = [
            (span.start, span.end, span.label_) for span in doc.spans["constituents"]
        ]
        found.append((columns, constituents, doc._.srl))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "lang, text, words",
    [
        ("fr", "« Non ! » cria Paul.", '" Non ! " cria Paul .'),
        ("fr", "Un “mot”, un „mot“.", 'Un " mot " , un " mot " .'),
        ("is", "Hann sagði: „Já.“", "Hann sagði : ( Já . )"),
        ("en", "A “word”.", "A “ word ” ."),
    ],
)
def test_marks_that_a_treebank_has_not_are_read_as_its_own(lang, text, words):
    doc = spacy.blank(lang)(text)
    assert " ".join(plain_words(doc)) == words
    assert doc.text == text
