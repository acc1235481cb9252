"""ONNX Runtime beside torch, on a tiny BERT: the same numbers, or nearly; and where torch must run."""

import builtins
import multiprocessing
import threading

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc
from thinc.api import Adam
from tiny_pipeline import TEXTS, make_bert, transformer_config
from transformers import BertConfig, BertModel, DistilBertConfig, DistilBertModel

from spacy_lal.models.onnx_bert import bert_to_onnx
from spacy_lal.models.onnx_graph import quantise
from spacy_lal.models.runtimes import OnnxTransformer, open_session

LONG = " ".join(TEXTS) * 10


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "model")


@pytest.fixture(scope="module")
def transformer():
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=50,
        hidden_size=48,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=96,
        max_position_embeddings=40,
        initializer_range=0.2,
    )
    return BertModel(config).eval()


def inputs(n_rows=5, n_pieces=17, *, pad_left=False):
    generator = torch.Generator().manual_seed(n_rows)
    ids = torch.randint(0, 50, (n_rows, n_pieces), generator=generator)
    mask = torch.ones_like(ids)
    for row in range(1, n_rows):
        mask[row, slice(0, row) if pad_left else slice(n_pieces - row, None)] = 0
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": (ids > 30).long()}


@pytest.mark.parametrize("pad_left", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (5, 17), (2, 40)])
def test_single_precision_equals_torch(transformer, shape, pad_left):
    given = inputs(*shape, pad_left=pad_left)
    with torch.no_grad():
        expected = transformer(**given).last_hidden_state
    found = open_session(transformer, "onnx")(**given).last_hidden_state
    real = given["attention_mask"] > 0
    assert torch.allclose(found[real], expected[real], atol=1e-5)
    del given["token_type_ids"]
    with torch.no_grad():
        expected = transformer(**given).last_hidden_state
    assert torch.allclose(open_session(transformer, "onnx")(**given).last_hidden_state[real], expected[real], atol=1e-5)


def test_eight_bits_are_near(transformer):
    given = inputs()
    with torch.no_grad():
        expected = transformer(**given).last_hidden_state
    found = open_session(transformer, "onnx-int8")(**given).last_hidden_state
    real = given["attention_mask"] > 0
    error = (found - expected)[real].abs().mean() / expected[real].std()
    assert 1e-4 < error < 0.1


@pytest.mark.parametrize("runtime", ["onnx", "onnx-int8"])
def test_a_sequence_alone_is_the_sequence_in_any_batch(transformer, runtime):
    session, given = open_session(transformer, runtime), inputs()
    together = session(**given).last_hidden_state
    for row, n_pieces in enumerate(given["attention_mask"].sum(1).tolist()):
        alone = session(**{name: value[row : row + 1, :n_pieces] for name, value in given.items()})
        assert torch.allclose(alone.last_hidden_state[0], together[row, :n_pieces], atol=1e-5)


def test_quantised_weights():
    weight = numpy.random.default_rng(0).normal(size=(30, 7)).astype("float32")
    weight[:, 3] = 0.0
    integers, scales = quantise(weight)
    assert integers.dtype == numpy.int8 and scales.shape == (7,) and numpy.abs(integers).max() == 63
    assert (numpy.abs(integers * scales - weight) <= scales / 2 * 1.0001).all()
    # what a CPU without VNNI adds up in 16 bits
    assert 2 * 255 * int(numpy.abs(integers).max()) < 2**15


def make_nlp(bert, **settings):
    config = transformer_config(bert)
    config["model"] = {**config["model"], "@architectures": "spacy-lal.TransformerModel.v1", **settings}
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=config)
    nlp.initialize()
    return nlp


def vectors(nlp, texts=(LONG, *TEXTS, "")):
    found = [doc._.trf_data for doc in nlp.pipe(texts)]
    return [
        data.model_output.last_hidden_state[data.wordpieces.attention_mask > 0] if len(data.wordpieces) else None
        for data in found
    ]


def session_of(nlp):
    folded = nlp.get_pipe("transformer").model.layers[0].shims[0]._folded
    return None if folded is None else folded[0]


def assert_close(some, others, atol=1e-5):
    for one, other in zip(some, others, strict=True):
        assert (one is None and other is None) or numpy.allclose(one, other, atol=atol)


def test_a_pipeline_in_either_runtime(bert, tmp_path):
    plain, quick = make_nlp(bert), make_nlp(bert, runtime="onnx")
    quick.get_pipe("transformer").model.from_bytes(plain.get_pipe("transformer").model.to_bytes())
    expected = vectors(plain)
    assert_close(vectors(quick), expected)
    assert isinstance(session_of(quick), OnnxTransformer) and session_of(plain) is None
    # saved with the pipeline, chosen at load
    quick.to_disk(tmp_path / "quick")
    loaded = spacy.load(tmp_path / "quick")
    assert_close(vectors(loaded), expected)
    assert isinstance(session_of(loaded), OnnxTransformer)
    changed = spacy.load(tmp_path / "quick", config={"components": {"transformer": {"model": {"runtime": "torch"}}}})
    assert_close(vectors(changed), expected)
    assert session_of(changed) is None
    assert_close(vectors(quick.from_bytes(quick.to_bytes())), expected)


LONE = [
    ["The", "cat", ",", "it", "slept", "."],
    ["a" * 200, "😀", " ", "[PAD]", "[SEP]", "é"],
    ["[PAD]"],
    [" "],
    ["sleep"] * 300,  # more windows than one
    [],
]


@pytest.mark.parametrize("words", LONE, ids=lambda words: str(len(words)))
def test_a_lone_doc_has_the_output_of_spacy_transformers_own_steps(bert, words, monkeypatch):
    nlp = make_nlp(bert, runtime="onnx")
    pipe, doc = nlp.get_pipe("transformer"), Doc(nlp.vocab, words=words)
    short = pipe.predict([doc])
    monkeypatch.setattr("spacy_lal.models.transformer.encode_alone", lambda *_: None)
    full = pipe.predict([doc])
    assert (short.cached_doc_data is not None) == (len(words) < 100)
    (one,), (other,) = short.doc_data, full.doc_data
    assert (one.wordpieces.strings, one.wordpieces.lengths) == (other.wordpieces.strings, other.wordpieces.lengths)
    for name in ("input_ids", "attention_mask", "token_type_ids"):
        check_same_arrays(getattr(one.wordpieces, name), getattr(other.wordpieces, name))
    check_same_arrays(one.align.data, other.align.data)
    check_same_arrays(one.align.lengths, other.align.lengths)
    assert list(one.model_output) == list(other.model_output)
    for key, states in one.model_output.items():
        check_same_arrays(states, other.model_output[key])


def check_same_arrays(one, other):
    assert (one is None) == (other is None)
    if one is not None:
        assert one.dtype == other.dtype
        numpy.testing.assert_array_equal(one, other)


def test_worker_processes_and_threads(bert):
    nlp = make_nlp(bert, runtime="onnx")
    expected = vectors(nlp)
    texts = [LONG, *TEXTS, ""]
    if "fork" in multiprocessing.get_all_start_methods():
        sizes = [len(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=1)]
        assert sizes == [len(doc) for doc in nlp.pipe(texts)]
    found = {}
    threads = [threading.Thread(target=lambda i=i: found.update({i: vectors(nlp)})) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i in range(4):
        assert_close(found[i], expected)


def test_never_after_an_update(bert):
    nlp = make_nlp(bert, runtime="onnx-int8")
    before = vectors(nlp)
    assert session_of(nlp) is not None
    pipe = nlp.get_pipe("transformer")
    output, backprop = pipe.model.begin_update([nlp.make_doc(TEXTS[0])])
    assert session_of(nlp) is None
    for one in output.doc_data:
        one.model_output.last_hidden_state[:] = 0.1
    pipe.model.finish_update(Adam(0.01))
    plain = make_nlp(bert)
    plain.get_pipe("transformer").model.from_bytes(pipe.model.to_bytes())
    assert_close(vectors(nlp), vectors(plain), atol=1e-6)
    assert session_of(nlp) is None and before[0].shape == vectors(nlp)[0].shape


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_a_missing_package_is_told_once_and_torch_runs(bert, package, monkeypatch, recwarn):
    plain, quick = make_nlp(bert), make_nlp(bert, runtime="onnx")
    quick.get_pipe("transformer").model.from_bytes(plain.get_pipe("transformer").model.to_bytes())
    import_module = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == package:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return import_module(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    recwarn.clear()
    assert_close(vectors(quick), vectors(plain))
    vectors(quick)
    told = [str(w.message) for w in recwarn if "spacy-lal[fast]" in str(w.message)]
    assert len(told) == 1 and f"the package {package} is not installed" in told[0]


def test_contradictions_and_unknown_runtimes(bert, transformer):
    with pytest.raises(ValueError, match="runtime to be one of torch, onnx, onnx-int8, got 'tensorrt'"):
        make_nlp(bert, runtime="tensorrt")
    with pytest.raises(ValueError, match="expected mixed_precision = false, got true"):
        make_nlp(bert, runtime="onnx", mixed_precision=True)
    other = DistilBertModel(DistilBertConfig(vocab_size=20, dim=8, n_layers=1, n_heads=2, hidden_dim=16))
    with pytest.raises(ValueError, match="model_type = 'bert', and this one has 'distilbert'"):
        bert_to_onnx(other)
    with pytest.raises(ValueError, match="got also position_ids"):
        open_session(transformer, "onnx")(**inputs(), position_ids=torch.zeros(5, 17))
    transformer.config.output_hidden_states = True
    try:
        with pytest.raises(ValueError, match="expected output_hidden_states = false"):
            open_session(transformer, "onnx")
    finally:
        transformer.config.output_hidden_states = False
