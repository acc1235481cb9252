"""Scores by genre, with own sentence breaks and of raw text: Docs made by hand, figures
counted by hand."""

import re
from typing import List, Sequence, Tuple

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_lal.annotations import set_propositions
from spacy_lal.evaluation.docs import (
    join_documents,
    score_confusion,
    score_docs,
    score_genres,
)
from spacy_lal.evaluation.evalb_params import COLLINS
from spacy_lal.trees.roles import Proposition

VOCAB = spacy.blank("en").vocab
GENRE = re.compile(r"^(?:GUM_)?([a-z]+)[-_]")


def make_doc(
    words: Sequence[str],
    heads: Sequence[int],
    deprels: Sequence[str],
    constituents: Sequence[Tuple[int, int, str]],
    *,
    spaces: Sequence[bool],
    tags: Sequence[str],
    sent_ids: Sequence[str] = (),
) -> Doc:
    doc = Doc(
        VOCAB,
        words=list(words),
        spaces=list(spaces),
        tags=list(tags),
        heads=list(heads),
        deps=list(deprels),
    )
    doc.spans["constituents"] = [
        Span(doc, start, end, label) for start, end, label in constituents
    ]
    if sent_ids:
        doc.user_data["sent_ids"] = list(sent_ids)
    return doc


def cannot(sent_id: str, *, head_of_not: int = 2, label: str = "NP") -> Doc:
    return make_doc(
        ["I", "can", "not", "go", "."],
        [3, 3, head_of_not, 3, 3] if head_of_not != 2 else [3, 3, 3, 3, 3],
        ["nsubj", "aux", "advmod", "ROOT", "punct"],
        [(0, 5, "S"), (0, 1, label), (1, 4, "VP"), (3, 4, "VP")],
        spaces=[True, False, True, False, False],
        tags=["PRP", "MD", "RB", "VB", "."],
        sent_ids=[sent_id],
    )


def one_word_less() -> Doc:
    """The same text, "cannot" as one token."""
    return make_doc(
        ["I", "cannot", "go", "."],
        [2, 2, 2, 2],
        ["nsubj", "aux", "ROOT", "punct"],
        [(0, 4, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "VP")],
        spaces=[True, True, False, False],
        tags=["PRP", "MD", "VB", "."],
    )


@pytest.fixture
def golds() -> List[Doc]:
    return [cannot("email-x-1"), cannot("GUM_news_y-1"), cannot("email-x-2")]


def test_genres(golds: List[Doc]):
    docs = [cannot(""), cannot("", label="ADJP"), cannot("", head_of_not=1)]
    genres = score_genres(docs, golds, COLLINS, GENRE)
    assert list(genres) == ["email", "news"]
    assert (genres["email"]["n_sents"], genres["email"]["n_words"]) == (2, 10)
    assert (genres["news"]["n_sents"], genres["news"]["n_words"]) == (1, 5)
    assert genres["email"]["const_f"] == 1.0 and genres["email"][
        "dep_uas"
    ] == pytest.approx(7 / 8)
    assert (
        genres["news"]["const_f"] == pytest.approx(3 / 4)
        and genres["news"]["dep_las"] == 1.0
    )
    whole = score_docs(docs, golds, COLLINS)
    assert whole["dep_uas"] == pytest.approx(11 / 12) and whole["n_sents"] == 3


def test_a_sentence_of_no_genre(golds: List[Doc]):
    golds[1].user_data["sent_ids"] = ["1"]
    assert list(score_genres(golds, golds, COLLINS, GENRE)) == ["email", "other"]
    with pytest.raises(ValueError, match="'xyz' matches no sentence id"):
        score_genres(golds, golds, COLLINS, re.compile("xyz"))


def test_raw_text(golds: List[Doc]):
    """Other tokens: arcs count where one token stands for one, brackets by the
    characters."""
    perfect = score_docs([golds[0]], [golds[0]], COLLINS)
    names = ("const_f", "dep_uas", "dep_las", "tag_acc", "sents_f", "token_f")
    assert {perfect[name] for name in names} == {1.0}
    assert perfect["tag_acc"] == 1.0 and perfect["lemma_acc"] is None
    scores = score_docs([one_word_less()], [golds[0]], COLLINS)
    assert scores["token_f"] == pytest.approx(2 * 3 / (4 + 5))
    assert scores["sents_f"] == 1.0
    assert scores["const_f"] == 1.0  # all four brackets are over the same characters
    assert scores["dep_uas"] == pytest.approx(
        2 * 2 / (3 + 4)
    )  # "I" and "go" of three and of four words
    docs = [one_word_less()]
    docs[0].spans["constituents"] = [
        Span(docs[0], 0, 4, "S"),
        Span(docs[0], 0, 2, "NP"),
        Span(docs[0], 2, 3, "VP"),
    ]
    assert score_docs(docs, [golds[0]], COLLINS)["const_f"] == pytest.approx(
        2 * 2 / (4 + 3)
    )


def test_raw_text_of_documents():
    """Docs of a document are paragraphs of one text; whitespace between them, and a
    token of it, do not count."""
    golds = [cannot("a-1"), cannot("a-2"), cannot("b-1")]
    for gold in golds:
        set_propositions(
            gold, [Proposition(3, "go.01", ((0, 1, "ARG0"), (3, 4, "V")), "go")]
        )
    documents, texts = join_documents(golds)
    assert texts == ["I cannot go.\n\nI cannot go.", "I cannot go."]
    assert [len(list(doc.sents)) for doc in documents] == [2, 1]
    columns = {
        "spaces": [True, False, True, False, False],
        "tags": ["PRP", "MD", "RB", "VB", "."],
    }
    doc = make_doc(
        ["I", "can", "not", "go", ".", "\n\n", "I", "can", "not", "go", "."],
        [3, 3, 3, 3, 3, 3, 9, 9, 9, 9, 9],
        [
            "nsubj",
            "aux",
            "advmod",
            "ROOT",
            "punct",
            "",
            "nsubj",
            "aux",
            "advmod",
            "ROOT",
            "punct",
        ],
        [
            (0, 5, "S"),
            (0, 1, "NP"),
            (1, 4, "VP"),
            (3, 4, "VP"),
            (6, 11, "S"),
            (6, 7, "NP"),
            (7, 10, "VP"),
        ],
        spaces=[*columns["spaces"], False, *columns["spaces"]],
        tags=[*columns["tags"], "_SP", *columns["tags"]],
    )
    set_propositions(
        doc, [Proposition(3, "go.02", ((0, 1, "ARG0"), (3, 4, "V")), "go")]
    )
    scores = score_docs([doc], documents[:1], COLLINS)
    assert [scores[name] for name in ("token_f", "sents_f", "dep_las", "tag_acc")] == [
        1.0
    ] * 4
    assert scores["const_f"] == pytest.approx(2 * 7 / (8 + 7))
    assert (
        scores["roles"]["srl_f"] == pytest.approx(2 * 1 / (2 + 1))
        and scores["roles"]["roleset_acc"] == 0.0
    )
    golds[2].user_data.clear()
    assert join_documents(golds) == ([], [])


def test_own_sentence_breaks():
    words, spaces, tags = (
        ["Go", ".", "She", "left", "."],
        [False, True, True, False, False],
        ["VB", ".", "PRP", "VBD", "."],
    )
    gold = make_doc(
        words,
        [0, 0, 3, 3, 3],
        ["ROOT", "punct", "nsubj", "ROOT", "punct"],
        [(0, 2, "S"), (2, 5, "S"), (2, 3, "NP")],
        spaces=spaces,
        tags=tags,
    )
    joined = make_doc(
        words,
        [0, 0, 3, 0, 3],
        ["ROOT", "punct", "nsubj", "parataxis", "punct"],
        [(0, 5, "S"), (2, 5, "S"), (2, 3, "NP")],
        spaces=spaces,
        tags=tags,
    )
    scores = score_docs([joined], [gold], COLLINS)
    assert scores["sents_f"] == 0.0
    assert scores["const_f"] == pytest.approx(4 / 6)
    assert scores["dep_uas"] == pytest.approx(2 / 3) and scores["tag_acc"] == 1.0


def test_confusion(golds: List[Doc]):
    docs = [cannot(""), cannot("", label="ADJP"), cannot("", head_of_not=1)]
    confusion = score_confusion(docs, golds, COLLINS)
    assert confusion["constituent_confusions"] == [("NP", "ADJP", 1)]
    assert (
        confusion["constituents"]["VP"]["gold"]
        == confusion["constituents"]["VP"]["correct"]
        == 6
    )
    assert confusion["deprels"]["advmod"]["correct"] == 3  # whatever its head
    assert confusion["deprel_confusions"] == []
    unannotated = [Doc(VOCAB, words=["a", "b"], sent_starts=[True, False])]
    assert score_confusion(unannotated, unannotated, COLLINS)["constituents"] == {}


def test_words():
    """UPOS, features and lemma, each by itself; no feature is a value."""
    columns = {
        "words": ["Dogs", "bark", "."],
        "pos": ["NOUN", "VERB", "PUNCT"],
        "morphs": ["Number=Plur", "Tense=Pres|VerbForm=Fin", ""],
        "lemmas": ["dog", "bark", "."],
        "tags": ["NNS", "VBP", "."],
        "sent_starts": [True, False, False],
    }
    gold = Doc(VOCAB, **columns)
    changed = {
        "pos": ["PROPN", "VERB", "PUNCT"],
        "morphs": ["Number=Plur", "VerbForm=Fin|Tense=Pres", "Foreign=Yes"],
        "lemmas": ["Dogs", "barks", "."],
    }
    scores = score_docs([Doc(VOCAB, **{**columns, **changed})], [gold], COLLINS)
    names = ("tag_acc", "pos_acc", "morph_acc", "lemma_acc")
    assert [scores[name] for name in names] == pytest.approx([1.0, 2 / 3, 2 / 3, 1 / 3])
    raw = score_docs([Doc(VOCAB, **{**columns, **changed})], [gold], COLLINS)
    assert [raw[name] for name in names[1:]] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    bare = Doc(VOCAB, words=columns["words"], sent_starts=columns["sent_starts"])
    assert [score_docs([bare], [gold], COLLINS)[name] for name in names] == [None] * 4
