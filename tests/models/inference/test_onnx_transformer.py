"""`spacy-lal.OnnxTransformer.v1` beside the `transformer` component that it was made
from."""

import json
import multiprocessing
import pickle
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy
import pytest
import spacy
import tokenizers
import torch
from thinc.api import reduce_mean
from tiny_pipeline import LETTERS, TEXTS, make_bert
from tokenizers import Tokenizer, pre_tokenizers
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertModel,
    MPNetConfig,
    MPNetModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
)

from spacy_lal.models.inference import onnx_transformer
from spacy_lal.models.inference.onnx_encoder import check_config, relative_bias
from spacy_lal.models.inference.onnx_transformer import (
    build_onnx_transformer,
    check_language,
    from_transformer,
    without_space,
)

SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": 0.5,
}
KINDS = {
    "bert": (BertConfig, BertModel, 256),
    "roberta": (RobertaConfig, RobertaModel, 257),
    "mpnet": (MPNetConfig, MPNetModel, 258),
}
ODD = [
    "  two  spaces\n\nand lines ",
    "\n",
    "a" * 500,
    "😀 (e.g.) naïve—it's",
    " ".join(TEXTS) * 9,
]


@pytest.fixture(scope="module", params=list(KINDS))
def trained(request, tmp_path_factory):
    """A pipeline with a `transformer`, untrained, and a listener to it."""
    folder = make_bert(tmp_path_factory.mktemp("bert") / "tiny")
    pieces = (folder / "vocab.txt").read_text(encoding="utf8").split("\n")
    pieces[1:2] = ["[unused]", pieces[1]]  # MPNet's position of piece 1 is padding's
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf8")
    make_config, make_model, n_positions = KINDS[request.param]
    n_pieces = len(AutoTokenizer.from_pretrained(folder))
    config = make_config(
        vocab_size=n_pieces,
        max_position_embeddings=n_positions,
        **SIZES,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    make_model(config).save_pretrained(folder)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {**settings, "tokenizer_class": "BertTokenizer", "model_max_length": 256}
        )
    )
    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy-lal.TransformerModel.v1",
        "name": str(folder),
        "get_spans": {"@span_getters": "spacy-lal.sentence_windows.v1"},
    }
    nlp.add_pipe("transformer", config={"model": model})
    nlp.initialize()
    return nlp


@pytest.fixture(scope="module")
def expected(trained):
    """Means over the pieces, as spacy-transformers' listener makes them."""
    build = spacy.registry.get(
        "architectures", "spacy-transformers.TransformerListener.v1"
    )
    listener = build(pooling=reduce_mean())
    listener.get_ref("listener").set_dim("nO", 16)
    return listener.predict(list(trained.pipe([*TEXTS, *ODD])))


def make_docs(nlp, texts=(*TEXTS, *ODD)):
    return [nlp.make_doc(text) for text in texts]


def assert_close(some, others, **tolerance):
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        assert len(one) == len(other)
        if len(one):
            numpy.testing.assert_allclose(one, other, **tolerance)


@pytest.mark.parametrize("runtime", ["onnx", "torch"])
def test_the_vectors_of_the_transformer(trained, expected, runtime):
    model = from_transformer(trained.get_pipe("transformer").model, runtime=runtime)
    assert_close(
        model.predict(make_docs(trained)), expected, atol=0.05
    )  # half precision
    for shim in model.shims:
        weights = trained.get_pipe("transformer").model.transformer.state_dict()
        shim.weights = {name: weights[name].numpy() for name in shim.weights}
        shim.to_device("cpu", 0)
    assert_close(model.predict(make_docs(trained)), expected, atol=2e-5)


@pytest.mark.parametrize("runtime", ["onnx", "onnx-int8"])
@pytest.mark.parametrize("bits", [16, 8])
def test_alone_as_in_any_batch(trained, runtime, bits, monkeypatch):
    model = from_transformer(
        trained.get_pipe("transformer").model, runtime=runtime, bits=bits
    )
    docs = make_docs(trained)
    alone = [model.predict([doc])[0] for doc in docs]
    for spare, most in ((0, 8192), (10**6, 10**6), (32, 1)):
        monkeypatch.setattr(onnx_transformer, "_SPARE_PIECES", spare)
        monkeypatch.setattr(onnx_transformer.OnnxRunner, "most_pieces", most)
        assert_close(model.predict(docs), alone, atol=1e-5)


def test_8_bits_are_close(trained, expected):
    for runtime, bits in (("onnx-int8", 16), ("onnx", 8), ("onnx-int8", 8)):
        model = from_transformer(
            trained.get_pipe("transformer").model, runtime=runtime, bits=bits
        )
        for one, other in zip(model.predict(make_docs(trained)), expected, strict=True):
            if one.any():
                assert numpy.corrcoef(one.ravel(), other.ravel())[0, 1] > 0.95


def test_bytes_copies_pickles(trained):
    model = from_transformer(trained.get_pipe("transformer").model, bits=8)
    docs = make_docs(trained)
    found = model.predict(docs)
    loaded = build_onnx_transformer().from_bytes(model.to_bytes())
    assert loaded.get_dim("nO") == 16 and loaded.to_bytes() == model.to_bytes()
    for other in (loaded, model.copy(), pickle.loads(pickle.dumps(model))):
        assert_close(other.predict(docs), found, rtol=0)
    assert model.copy().shims[0].weights is model.shims[0].weights
    with pytest.raises(ValueError, match="no weights"):
        build_onnx_transformer().initialize(X=docs)


def test_threads_share_it(trained):
    model = from_transformer(trained.get_pipe("transformer").model)
    docs = make_docs(trained)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: model.predict(docs), range(8)))
    for one in found[1:]:
        assert_close(one, found[0], rtol=0)


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_forked_process_makes_a_session_of_its_own(trained, monkeypatch):
    """It keeps the session of before: closing one waits for its threads, which the fork
    left behind."""
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    model = from_transformer(trained.get_pipe("transformer").model)
    docs = make_docs(trained, TEXTS)
    found = model.predict(docs)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(
        target=lambda: queue.put(model.predict(docs)), daemon=True
    )
    process.start()
    assert_close(queue.get(timeout=60), found, rtol=0)
    process.join()


def test_long_windows_are_cut(trained):
    """A window of more pieces than the transformer reads is cut; a single token loses
    its last pieces."""
    model = from_transformer(trained.get_pipe("transformer").model)
    assert model.shims[0].config["max_pieces"] == 256
    words = ["abcdefghijklmnopqrst" * 2] * 14 + ["The", "cat", "sat", "a" * 900]
    (vectors,) = model.predict([spacy.tokens.Doc(trained.vocab, words)])
    assert abs(vectors).max(axis=1).min() > 0


def test_listeners_training_and_disk(trained, tmp_path):
    """The component is spaCy's own: it sets `doc.tensor`, a tagger is trained on top,
    and it can be sourced."""
    source = spacy.blank("en")
    encoder = source.add_pipe("tok2vec", name="encoder", config={"model": ONNX})
    encoder.model = from_transformer(trained.get_pipe("transformer").model)
    nlp = spacy.blank("en")
    nlp.add_pipe("encoder", source=source)
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": 16,
        "upstream": "encoder",
    }
    nlp.add_pipe(
        "tagger",
        config={"model": {"@architectures": "spacy.Tagger.v2", "tok2vec": listener}},
    )
    words, tags = ["She", "sees", "a", "dog"], ["PRP", "VBZ", "DT", "NN"]
    examples = [
        spacy.training.Example.from_dict(
            nlp.make_doc(" ".join(words)), {"words": words, "tags": tags}
        )
        for _ in "ab"
    ]
    weights = encoder.model.to_bytes()
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(200):
        nlp.update(examples, sgd=optimizer)
    assert [token.tag_ for token in nlp("She sees a dog")] == tags
    assert nlp.get_pipe("encoder").model.to_bytes() == weights
    nlp.to_disk(tmp_path / "nlp")
    loaded = spacy.load(tmp_path / "nlp")
    nlp.replace_listeners("encoder", "tagger", ["model.tok2vec"])
    nlp.remove_pipe("encoder")
    nlp.to_disk(tmp_path / "alone")
    for other in (
        loaded,
        spacy.load(tmp_path / "alone"),
        spacy.blank("en").from_bytes(loaded.to_bytes()),
    ):
        if not other.pipe_names:
            continue
        with other.memory_zone():
            docs = list(other.pipe(["She sees a dog", "", " "]))
            assert [token.tag_ for token in docs[0]] == tags
            if "encoder" in other.pipe_names:
                assert [doc.tensor.shape for doc in docs] == [(4, 16), (0, 16), (1, 16)]


ONNX = {"@architectures": "spacy-lal.OnnxTransformer.v1"}


def test_it_can_be_trained_further(trained, expected, tmp_path):
    """A training config names the pipeline that the encoder is from."""
    source = spacy.blank("en")
    source.add_pipe(
        "tok2vec", name="encoder", config={"model": ONNX}
    ).model = from_transformer(trained.get_pipe("transformer").model)
    source.to_disk(tmp_path / "source")
    config = {"model": trained.get_pipe_config("transformer")["model"]}
    config["model"] = {
        **config["model"],
        "name": str(tmp_path / "source"),
        "transformer_config": {"hidden_dropout_prob": 0.3},
    }
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=config)
    nlp.initialize()
    model = nlp.get_pipe("transformer").model
    assert model.transformer.config.hidden_dropout_prob == 0.3
    output, backprop = model.begin_update(make_docs(nlp, TEXTS[:2]))
    backprop(
        output.unsplit_by_doc(
            [[data.model_output.last_hidden_state] for data in output.doc_data]
        )
    )
    assert any(one.grad is not None for one in model.transformer.parameters())
    nlp.to_disk(tmp_path / "nlp")
    again = from_transformer(spacy.load(tmp_path / "nlp").get_pipe("transformer").model)
    assert_close(again.predict(make_docs(trained)), expected, atol=0.05)


def test_relative_bias_is_the_librarys(trained):
    network = trained.get_pipe("transformer").model.transformer
    if network.config.model_type != "mpnet":
        pytest.skip("BERT has none")
    weights = {name: value.numpy() for name, value in network.state_dict().items()}
    theirs = (
        network.encoder.compute_position_bias(torch.zeros(1, 200, 16)).detach().numpy()
    )
    places = numpy.arange(200)
    found = relative_bias(network.config.to_dict(), weights)[places - places[:, None]]
    numpy.testing.assert_array_equal(found.transpose(2, 0, 1), theirs[0])


@pytest.mark.parametrize(
    "change",
    [
        {"model_type": "xlnet"},
        {"hidden_act": "relu"},
        {"position_embedding_type": "relative_key"},
    ],
)
def test_another_transformer_is_refused(change):
    with pytest.raises(ValueError, match=f"has {next(iter(change))} = "):
        check_config({**BertConfig().to_dict(), **change})


def unigram(before):
    pieces = [
        ("[UNK]", 0.0),
        ("\u2581", -5.0),
        *((mark + one, -3.0) for mark in ("", "\u2581") for one in LETTERS),
    ]
    tokenizer = Tokenizer(tokenizers.models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = before
    return tokenizer


def byte_level(trim_offsets):
    pieces = ["[UNK]", "\u0120", *LETTERS, *(f"\u0120{one}" for one in LETTERS)]
    merges = [("\u0120", one) for one in LETTERS]
    model = tokenizers.models.BPE(
        {one: i for i, one in enumerate(pieces)}, merges, unk_token="[UNK]"
    )
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.post_processor = tokenizers.processors.ByteLevel(
        trim_offsets=trim_offsets
    )
    return tokenizer


# Whether the offsets of a piece include the space before its word.
TOKENIZERS = {
    "Unigram, no space": unigram(
        pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
    ),
    "Unigram, space": unigram(pre_tokenizers.Metaspace()),
    "Unigram, not split": unigram(pre_tokenizers.Metaspace(split=False)),
    "BPE, no space": byte_level(True),
    "BPE, space": byte_level(False),
}


@pytest.mark.parametrize("name", TOKENIZERS)
def test_a_word_reads_its_own_pieces_whatever_the_offsets(tmp_path, name):
    """A space in the offsets let each word read the next one's first piece."""
    folder, tokenizer = make_bert(tmp_path / "tiny"), TOKENIZERS[name]
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[UNK]",
        model_max_length=256,
    ).save_pretrained(folder)
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-lal.TransformerModel.v1", "name": str(folder)}
    model["get_spans"] = {"@span_getters": "spacy-lal.sentence_windows.v1"}
    nlp.add_pipe("transformer", config={"model": model})
    nlp.initialize()
    doc = nlp("The old cat  sat on\n a mat .")
    data, encoder = doc._.trf_data, from_transformer(nlp.get_pipe("transformer").model)
    encoder.predict([doc])
    shim = encoder.shims[0]
    (window,) = shim.read(0, doc, shim.ready()[1])
    pieces = [tokenizer.id_to_token(i).lstrip("\u2581\u0120") for i in window.pieces]
    for token in doc:
        in_training = data.align[token.i].dataXd.ravel().tolist()
        in_onnx = window.means[token.i].nonzero()[0].tolist()
        for found in (in_training, in_onnx):
            assert "".join(pieces[i] for i in found) == token.text.strip(), token


def test_the_space_before_a_word_is_none_of_its_piece():
    assert without_space("a  b c", [(0, 0), (0, 1), (1, 4), (4, 6), (0, 0)]) == [
        0,
        0,
        3,
        5,
        0,
    ]


def test_sentences_alone(trained):
    """With a window of 1, a sentence has the same vectors in any Doc."""
    model = from_transformer(trained.get_pipe("transformer").model)
    model.shims[0].window = 1
    first, second, both = model.predict(
        make_docs(trained, [*TEXTS[:2], " ".join(TEXTS[:2])])
    )
    assert_close([both], [numpy.concatenate([first, second])])
    assert build_onnx_transformer(window=1).copy().shims[0].window == 1


def test_unknown_words_are_said(trained):
    russian, chinese, emoji = (
        "\u041c\u0430\u043c\u0430 \u043c\u044b\u043b\u0430",
        "\u6211\u7231\u5317",
        "\U0001f600",
    )
    model = from_transformer(trained.get_pipe("transformer").model)
    for text in (russian, chinese):
        with pytest.warns(UserWarning, match="does not know most words"):
            model.predict(make_docs(trained, [text]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(make_docs(trained, [emoji * 9, f"{russian[:4]} {emoji}"]))


def test_words_that_fall_into_letters_are_unknown():
    pieces = {
        "[UNK]": 0,
        "\u043c": 1,
        "##\u0430": 2,
        "##\u043c": 3,
        "\u0440\u0430\u043c\u0430": 4,
    }
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(pieces, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    mother, frame = "\u043c\u0430\u043c\u0430", "\u0440\u0430\u043c\u0430"
    with pytest.warns(UserWarning, match="does not know most words"):
        check_language(text := f"{mother} {mother} {frame}", tokenizer.encode(text), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_language(text := f"{mother} {frame} {frame}", tokenizer.encode(text), 0)
