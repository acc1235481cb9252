"""The reader of training Examples."""

import random
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_lal.annotations import SPANS_KEY, get_constituents
from spacy_lal.files import TreebankError
from spacy_lal.treebanks.corpora import TreebankCorpus
from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.treebanks.reader import read_treebank

TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


@pytest.fixture(scope="module")
def folder(nlp, tmp_path_factory):
    """dev.spacy with 4 sentences a Doc, train/0.spacy and 1.spacy with one."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, n_sents, path in [
        ("dev", 4, folder / "dev.spacy"),
        ("train", 1, folder / "train" / "0.spacy"),
    ]:
        sentences = read_treebank(TOY / f"{name}.ptb", TOY / f"{name}.conllu")
        docs = list(make_docs(sentences, nlp.vocab, n_sents=n_sents))
        write_docs(docs[:50], path)
        if docs[50:]:
            write_docs(docs[50:], path.with_name("1.spacy"))
    return folder


def test_predicted_docs_have_gold_tokens_and_boundaries_only(nlp, folder):
    examples = list(TreebankCorpus(folder / "dev.spacy")(nlp))
    assert len(examples) == 4
    for eg in examples:
        assert [t.text_with_ws for t in eg.predicted] == [
            t.text_with_ws for t in eg.reference
        ]
        assert [sent.start for sent in eg.predicted.sents] == [
            sent.start for sent in eg.reference.sents
        ]
        assert len(list(eg.predicted.sents)) == 4
        assert not eg.predicted.has_annotation(
            "DEP"
        ) and not eg.predicted.has_annotation("TAG")
        assert SPANS_KEY not in eg.predicted.spans and eg.reference.spans[SPANS_KEY]
        assert eg.predicted.vocab is nlp.vocab


def test_predicted_docs_are_fresh_at_each_call_and_references_are_kept(nlp, folder):
    corpus = TreebankCorpus(folder / "dev.spacy")
    first, second = list(corpus(nlp)), list(corpus(nlp))
    first[0].predicted[0].tag_ = "XX"
    assert (
        second[0].predicted[0].tag_ == "" and next(corpus(nlp)).predicted[0].tag_ == ""
    )
    assert all(a.reference is b.reference for a, b in zip(first, second, strict=True))
    other = spacy.blank("en")
    assert next(corpus(other)).reference.vocab is other.vocab


def test_folder_list_of_paths(nlp, folder):
    assert len(list(TreebankCorpus(folder / "train")(nlp))) == 79
    assert len(list(TreebankCorpus(str(folder))(nlp))) == 83
    assert (
        len(list(TreebankCorpus([folder / "dev.spacy", str(folder / "train")])(nlp)))
        == 83
    )


def test_trees_only_has_no_arcs(nlp, folder):
    examples = list(
        TreebankCorpus(folder / "train", trees_only=folder / "dev.spacy")(nlp)
    )
    with_arcs, without = examples[:79], examples[79:]
    assert all(eg.reference.has_annotation("DEP") for eg in with_arcs)
    originals = list(TreebankCorpus(folder / "dev.spacy")(nlp))
    for eg, original in zip(without, originals, strict=True):
        assert not eg.reference.has_annotation("DEP")
        assert get_constituents(eg.reference) == get_constituents(original.reference)
        assert [t.tag_ for t in eg.reference] == [t.tag_ for t in original.reference]
        assert eg.reference.text == original.reference.text
        assert len(list(eg.predicted.sents)) == 4


def test_docs_of_long_sentences_are_left_out_with_one_warning(nlp, folder):
    def texts(corpus):
        return [eg.reference.text for eg in corpus(nlp)]

    docs = [eg.reference for eg in TreebankCorpus(folder / "dev.spacy")(nlp)]
    short = [doc.text for doc in docs if max(map(len, doc.sents)) <= 9]
    assert 0 < len(short) < len(docs)
    message = f"left out {len(docs) - len(short)} Docs .* 9 tokens .first .*dev.spacy"
    corpus = TreebankCorpus(folder / "dev.spacy", max_length=9)
    with pytest.warns(UserWarning, match=message) as warned:
        assert texts(corpus) == texts(corpus) == short
    assert len(warned) == 1


def test_shuffle_follows_the_seed(nlp, folder):
    def texts(seed):
        random.seed(seed)
        return [
            eg.reference.text
            for eg in TreebankCorpus(folder / "train", shuffle=True)(nlp)
        ]

    plain = [eg.reference.text for eg in TreebankCorpus(folder / "train")(nlp)]
    assert texts(1) == texts(1) != texts(2)
    assert sorted(texts(1)) == sorted(plain)


def test_bad_paths(nlp, tmp_path):
    with pytest.raises(ValueError, match="no path"):
        TreebankCorpus(None)
    with pytest.raises(ValueError, match=r"gone\.spacy: expected a \.spacy file"):
        list(TreebankCorpus(tmp_path / "gone.spacy")(nlp))
    with pytest.raises(ValueError, match="or a folder with some"):
        list(TreebankCorpus(tmp_path)(nlp))


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        (
            [(0, 3, "A"), (1, 4, "B")],
            r"two that cross: \(0, 3, 'A'\) and \(1, 4, 'B'\), in 'Dogs bark at cats",
        ),
        (
            [(0, 4, "A"), (1, 2, "")],
            "expected labels without white space and brackets, got '', in 'Dogs",
        ),
        ([(0, 4, "S::")], "got 'S::', in"),
        ([(0, 4, "S (")], r"got 'S \(', in"),
    ],
)
def test_gold_that_is_no_tree(nlp, tmp_path, spans, message):
    doc = Doc(
        nlp.vocab,
        words=["Dogs", "bark", "at", "cats"],
        sent_starts=[True, False, False, False],
    )
    fine = doc.copy()
    doc.spans[SPANS_KEY] = [Span(doc, *span) for span in spans]
    write_docs([fine, doc], tmp_path / "x.spacy")
    with pytest.raises(TreebankError, match=rf"x\.spacy, Doc 2: .*{message}"):
        list(TreebankCorpus(tmp_path / "x.spacy")(nlp))


def test_a_corpus_without_words_is_an_error(tmp_path):
    vocab = Vocab()
    for number, docs in enumerate(([], [Doc(vocab), Doc(vocab)])):
        path = tmp_path / f"{number}.spacy"
        DocBin(docs=docs).to_disk(path)
        for corpus in (TreebankCorpus(path), TreebankCorpus(None, trees_only=path)):
            with pytest.raises(ValueError, match=rf"words in .*{number}.spacy, got no"):
                list(corpus(spacy.blank("en")))
