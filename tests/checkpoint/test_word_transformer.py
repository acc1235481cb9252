"""`spacy-lal.WordTransformer.v1` on a tiny real XLNet and a tiny BERT."""

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc
from thinc.api import Adam
from tiny_xlnet import needs_slow_tokenizers, tiny_bert, tiny_xlnet  # noqa: F401 (fixtures)

from spacy_lal.checkpoint.xlnet import build_word_transformer, clean_words, split_words

VOCAB = spacy.blank("en").vocab
SLOW = {"use_fast": False}


def make_doc(words, starts=(0,)):
    return Doc(VOCAB, words=words, sent_starts=[i in starts for i in range(len(words))])


def make_docs():
    first = make_doc(
        ["He", "did", "n't", "\n", "go", "-LRB-", "home", "-RRB-", ".", "\n"], {0, 4, 9}
    )
    return [first, Doc(VOCAB), make_doc(["The", "old", "garden"])]


def initialized(path, **settings):
    return build_word_transformer(str(path), **settings).initialize(X=make_docs())


def hf_objects(model):
    return model.layers[0].shims[0]._hfmodel


@pytest.mark.parametrize("settings", [{}, {"tokenizer_config": SLOW}])
def test_rows_are_those_of_the_last_pieces(tiny_xlnet, settings):  # noqa: F811
    model = initialized(tiny_xlnet, **settings)
    tokenizer, transformer = hf_objects(model).tokenizer, hf_objects(model).transformer
    rows = model.predict(make_docs())
    assert [one.shape for one in rows] == [(5, 16), (7, 16), (2, 16), (5, 16)]
    assert not rows[2].any()
    # By hand: the first sentence is cleaned to He, didn,
    # 't.
    ids, last = [tokenizer.cls_token_id], [0]
    for word in ("He", "didn", "'t"):
        ids += tokenizer.convert_tokens_to_ids(tokenizer.tokenize(word))
        last.append(len(ids) - 1)
    ids.append(tokenizer.sep_token_id)
    with torch.no_grad():
        expected = transformer.eval()(torch.tensor([ids])).last_hidden_state[
            0, [*last, len(ids) - 1]
        ]
    assert numpy.allclose(rows[0], expected.numpy(), atol=1e-5)


@pytest.mark.parametrize("pad_left", [False, True])
def test_a_sentence_alone_is_the_sentence_in_any_batch(
    tiny_xlnet,  # noqa: F811
    pad_left,
    monkeypatch,  # noqa: F811
):  # noqa: F811
    model = initialized(tiny_xlnet, pad_left=pad_left)
    alone = [one for doc in make_docs() for one in model.predict([doc])]
    for max_batch_pieces in (1, 4096):
        monkeypatch.setattr(
            "spacy_lal.checkpoint.xlnet.MAX_BATCH_PIECES", max_batch_pieces
        )
        for one, other in zip(model.predict(make_docs()), alone, strict=True):
            assert numpy.allclose(one, other, atol=1e-5)
    assert model.predict([]) == [] and model.predict([Doc(VOCAB)]) == []


def test_pad_left_is_another_order(tiny_xlnet):  # noqa: F811
    model = initialized(tiny_xlnet, pad_left=True)
    tokenizer, transformer = hf_objects(model).tokenizer, hf_objects(model).transformer
    pieces = [
        tokenizer.convert_tokens_to_ids(tokenizer.tokenize(word))
        for word in ("The", "old", "garden")
    ]
    ids = [*sum(pieces, []), tokenizer.sep_token_id, tokenizer.cls_token_id]
    last = [
        *(numpy.cumsum([len(one) for one in pieces]) - 1),
        len(ids) - 2,
        len(ids) - 1,
    ]
    with torch.no_grad():
        expected = transformer.eval()(torch.tensor([ids])).last_hidden_state[0, last]
    assert numpy.allclose(model.predict(make_docs())[-1], expected.numpy(), atol=1e-5)


def test_fine_tunes(tiny_xlnet, monkeypatch):  # noqa: F811
    docs = make_docs()
    model = initialized(tiny_xlnet)
    transformer = hf_objects(model).transformer
    for module in transformer.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    gradients = []
    for max_batch_pieces in (1, 4096):
        monkeypatch.setattr(
            "spacy_lal.checkpoint.xlnet.MAX_BATCH_PIECES", max_batch_pieces
        )
        rows, backprop = model.begin_update(docs)
        assert backprop([row * 0.1 for row in rows]) is docs
        gradients.append(
            [
                p.grad.numpy().copy()
                for p in transformer.parameters()
                if p.grad is not None
            ]
        )
        transformer.zero_grad()
    assert len(gradients[0]) > 10
    for one, other in zip(*gradients, strict=True):
        assert numpy.allclose(one, other, atol=1e-3, rtol=1e-3)
    before = sum(float((row**2).sum()) for row in model.predict(docs))
    for _ in range(5):
        rows, backprop = model.begin_update(docs)
        backprop([row * 0.1 for row in rows])
        model.finish_update(Adam(0.01))
    assert sum(float((row**2).sum()) for row in model.predict(docs)) < before


@pytest.mark.parametrize("settings", [{}, {"tokenizer_config": SLOW}])
def test_saved_whole(tiny_xlnet, tmp_path, settings):  # noqa: F811
    model = initialized(tiny_xlnet, **settings)
    expected = model.predict(make_docs())
    model.to_disk(tmp_path / "model")
    loaded = build_word_transformer("there-is-no-such-name", **settings).from_disk(
        tmp_path / "model"
    )
    loaded = build_word_transformer("nor-such-a-name", **settings).from_bytes(
        loaded.to_bytes()
    )
    assert type(hf_objects(loaded).tokenizer) is type(hf_objects(model).tokenizer)
    for one, other in zip(loaded.predict(make_docs()), expected, strict=True):
        assert numpy.array_equal(one, other)
    loaded.initialize(
        X=make_docs()
    )  # has its transformer: nothing is looked up by name


def test_cleaning():
    words = ["``", "Do", "n't", "-LRB-", "«", "–", "‘", "\\/", "''", "-RCB-"]
    assert clean_words(words, "lal") == [
        '"',
        "Don",
        "'t",
        "(",
        '"',
        "--",
        "'",
        "\\/",
        '"',
        "}",
    ]
    assert clean_words(words, "hpsg")[5] == "–"
    assert clean_words(["n't", "n't"], "lal") == ["n'tn", "'t"]


def test_words_without_pieces_are_unknown():
    class Tokenizer:
        unk_token_id = 0

        def __call__(self, words, **kwargs):
            return {
                "input_ids": [
                    [ord(char) for char in word if char != "\u200b"] for word in words
                ]
            }

    assert split_words(Tokenizer(), [["a", "\u200b"], [], ["ba"]]) == [
        [[97], [0]],
        [],
        [[98, 97]],
    ]
    assert split_words(Tokenizer(), [[]]) == [[]]
