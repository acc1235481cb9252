"""Long sentences: cutting and joining, and the mark that tells which way a sentence was
parsed."""

import pickle

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from small_blocks import parser_block
from spacy.tokens import Doc, DocBin
from tiny_pipeline import train

from spacy_lal.annotations import SPANS_KEY, read_sentences, sentences
from spacy_lal.pipeline import lal_parser
from spacy_lal.pipeline.charts import DecodedParse
from spacy_lal.pipeline.decoders import make_joint_decoder
from spacy_lal.pipeline.long_sentences import join_pieces
from spacy_lal.scores import ParserScores
from spacy_lal.trees import Constituent, LabelVocab, nested_spans

LABELS = LabelVocab(["S", "NP", "S::VP", "FRAG::NP::X"])
WORDS = "She sees a dog in the park . 😀 ( هذا -LRB- select".split()
SMALL = {
    "hidden_width": 16,
    "n_layers": 1,
    "n_attn_heads": 2,
    "attn_width": 8,
    "ff_width": 16,
}


def decoded(n, seed=0):
    """A joint parse of n words from random scores."""
    rng = np.random.default_rng(seed)
    labels = rng.normal(size=(n + 1, n + 1, len(LABELS))).astype("f4")
    labels[:, :, 0] = 0.0
    arcs, deprels = (
        rng.normal(size=(n + 1, n + 1)).astype("f4"),
        rng.normal(size=(n + 1, n + 1, 3)).astype("f4"),
    )
    return make_joint_decoder()([ParserScores(labels, arcs, deprels)])[0]


def words_of(n):
    return [WORDS[(i * i + i // 7) % len(WORDS)] for i in range(n)]


def make_doc(nlp, *sentences):
    """A Doc of given sentences, each a list of words."""
    starts = [i == 0 for words in sentences for i in range(len(words))]
    return Doc(
        nlp.vocab,
        words=[word for words in sentences for word in words],
        sent_starts=starts,
    )


def make_nlp(**config):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    tok2vec = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        **{
            "width": 16,
            "depth": 1,
            "embed_size": 200,
            "window_size": 1,
            "maxout_pieces": 2,
        },
        **{"subword_features": True, "pretrained_vectors": None},
    }
    nlp.add_pipe(
        "lal_parser", config={"model": parser_block(tok2vec, **SMALL), **config}
    )
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return train(make_nlp(), steps=20)


@pytest.fixture
def short(monkeypatch):
    """Sentences of more than 8 words are cut."""
    for module in (lal_parser, sentences):
        monkeypatch.setattr(module, "MAX_LENGTH", 8)
    monkeypatch.setattr(sentences, "PIECE_LENGTH", 8)


def check_tree(doc, projective=True):
    """One root a sentence, no arc and no constituent across a sentence, none that
    cross, a top over all words."""
    for sent in doc.sents:
        words = [token.i for token in sent if not token.is_space]
        assert len([token for token in sent if token.head == token]) == 1
        assert all(
            token.head in sent and sent.root in [token, *token.ancestors]
            for token in sent
        )
        arcs = [
            sorted((words.index(i), words.index(doc[i].head.i)))
            for i in words
            if doc[i].head.i != i
        ]
        if projective:
            assert not [(a, b) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]]
        spans = [
            Constituent(
                words.index(span.start), words.index(span.end - 1) + 1, span.label_
            )
            for span in doc.spans[SPANS_KEY]
            if sent.start <= span.start < sent.end
        ]
        assert nested_spans(spans, len(words)) == spans
        assert len(words) < 2 or spans[0][:2] == (0, len(words))
        assert not words or sent._.tree.leaves() == [doc[i].text for i in words]


# Cutting


@pytest.mark.parametrize("length", [1, 500, 501, 700, 1999])
def test_pieces_cover_a_sentence_and_none_is_too_long(length):
    starts = [i == 0 for i in range(length)]
    doc = Doc(spacy.blank("en").vocab, words=words_of(length), sent_starts=starts)
    (pieces,) = read_sentences(doc).pieces
    assert [i for piece in pieces for i in piece] == list(range(length))
    assert len(pieces) == 1 if length <= 500 else max(map(len, pieces)) <= 100


@pytest.mark.parametrize(
    "marks, lengths",
    [
        ([], [100, 100, 100, 100, 100, 1]),
        ([60, 80, 150], [81, 70, 100, 100, 100, 50]),  # the last of 50 to 100
        ([48], [100, 100, 100, 100, 100, 1]),  # a mark in the first half
        ([49, 100], [50, 51, 100, 100, 100, 100]),
    ],
)
def test_a_piece_ends_at_the_last_mark_of_its_second_half(marks, lengths):
    words = ["," if i in marks else "a" for i in range(501)]
    starts = [i == 0 for i in range(501)]
    doc = Doc(spacy.blank("en").vocab, words=words, sent_starts=starts)
    (pieces,) = read_sentences(doc).pieces
    assert [len(piece) for piece in pieces] == lengths


# Joining


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=5), st.integers(0, 1000))
def test_joined_pieces_are_one_tree(lengths, seed):
    pieces = [decoded(n, seed + n) for n in lengths]
    joined = join_pieces(pieces, LABELS, {"ROOT": 0, "dep": 1, "parataxis": 2})
    n_words = sum(lengths)
    spans = [Constituent(*span) for span in joined.spans.tolist()]
    n_spans = sum(
        len(piece.spans) for piece in pieces
    )  # words by themselves may have none
    if n_spans:
        assert nested_spans(spans, n_words) == spans and spans[0][:2] == (0, n_words)
    assert len(spans) == n_spans + bool(n_spans)
    assert joined.method == "split" and len(joined.deprels) == n_words
    assert [array.dtype for array in joined[:3]] == [np.int32] * 3
    (root,) = np.flatnonzero(joined.heads == 0)
    assert root == np.flatnonzero(pieces[0].heads == 0)[0]
    arcs = [
        sorted((i, head - 1)) for i, head in enumerate(joined.heads.tolist()) if head
    ]
    assert not [(a, b) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]]
    offset = lengths[0]
    for piece in pieces[1:]:
        (other,) = np.flatnonzero(piece.heads == 0) + offset
        assert joined.heads[other] == root + 1 and joined.deprels[other] == 2
        offset += len(piece.heads)


def test_the_label_of_the_top_and_the_deprel_of_the_other_roots():
    def piece(top):
        spans = np.array([[0, 2, top]] if top else np.zeros((0, 3)), dtype="i4")
        return DecodedParse(
            spans, np.array([0, 1], "i4"), np.array([0, 1], "i4"), "joint"
        )

    def top(*tops):
        return join_pieces([piece(top) for top in tops], LABELS, {}).spans.tolist()[0]

    assert top(3, 2, 2) == [0, 6, 2]  # most have S
    assert top(4, 4, 3) == [0, 6, 2]  # S::VP: its outermost label
    assert top(5, 5, 3) == [0, 6, 3]  # FRAG is no label by itself
    assert top(5, 5) == [0, 4, 5]
    assert top(0, 0, 3) == [0, 6, 3]
    assert len(join_pieces([piece(0), piece(0)], LABELS, {}).spans) == 0
    for deprels, expected in (
        ({"dep": 7}, 7),
        ({"dep": 7, "parataxis": 8}, 8),
        ({}, 0),
    ):
        assert join_pieces([piece(2), piece(2)], LABELS, deprels).deprels.tolist() == [
            0,
            1,
            expected,
            1,
        ]


# The component


@pytest.mark.parametrize("length", [1, 7, 8, 9, 17, 100, 301])
def test_split_at_any_length(nlp, short, length):
    words = words_of(length)
    docs = [nlp(make_doc(nlp, words, ["Go"], words)), nlp(make_doc(nlp, words))]
    for doc in docs:
        check_tree(doc)
    expected = "split" if length > 8 else "joint"
    assert [sent._.parse_method for sent in docs[0].sents] == [
        expected,
        "joint",
        expected,
    ]


@pytest.mark.parametrize(
    "spaces", [{0}, {5}, {0, 1, 8, 9, 10, 24}, set(range(25)), set(range(24))]
)
def test_whitespace_in_a_split_sentence(nlp, short, spaces):
    words = ["\n" if i in spaces else word for i, word in enumerate(words_of(25))]
    doc = nlp(make_doc(nlp, words))
    check_tree(doc)
    n_words = 25 - len(spaces)
    assert doc[:]._.parse_method == (
        None if not n_words else "split" if n_words > 8 else "joint"
    )


def test_the_mark_survives(nlp, short):
    doc = nlp(make_doc(nlp, ["Go"], words_of(30), [" "], words_of(8)))

    def marks(doc):
        return [sent._.parse_method for sent in doc.sents]

    assert marks(doc) == ["joint", "split", None, "joint"]
    copies = [
        Doc(doc.vocab).from_bytes(doc.to_bytes()),
        next(
            DocBin(docs=[doc], store_user_data=False).get_docs(spacy.blank("en").vocab)
        ),
        pickle.loads(pickle.dumps(doc)),
        doc.copy(),
        *nlp.pipe(
            [make_doc(nlp, ["Go"], words_of(30), [" "], words_of(8)) for _ in range(2)],
            n_process=2,
        ),
    ]
    for copy in copies:
        assert marks(copy) == marks(doc)
    assert marks(Doc.from_docs([doc, doc])) == marks(doc) * 2
    assert doc[3:5]._.parse_method == "split" and doc[0:2]._.parse_method is None
