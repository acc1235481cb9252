"""`spacy-lal.TransformerModel.v1` beside spacy-transformers' own, on a tiny BERT."""

import numpy
import pytest
import spacy
import torch
from thinc.api import Adam
from tiny_pipeline import TEXTS, make_bert, transformer_config

from spacy_lal.models.torch import transformer as transformer_module
from spacy_lal.models.windows import length_groups
from spacy_lal.training.optimizer import LayerwiseAdam

LONG = " ".join(TEXTS) * 20


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "model")


def make_nlp(bert, architecture="spacy-lal.TransformerModel.v1", **settings):
    config = transformer_config(bert)
    config["model"] = {**config["model"], "@architectures": architecture, **settings}
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=config)
    nlp.initialize()
    return nlp


def vectors(nlp, texts=(LONG, *TEXTS)):
    """The vectors of the pieces of each Doc, without those of padding; None for a Doc
    without pieces."""
    found = [doc._.trf_data for doc in nlp.pipe(texts)]
    return [
        data.model_output.last_hidden_state[data.wordpieces.attention_mask > 0]
        if len(data.wordpieces)
        else None
        for data in found
    ]


def assert_close(some, others, **tolerance):
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        assert (one is None and other is None) or numpy.allclose(
            one, other, **tolerance
        )


def runs_of(nlp, monkeypatch):
    """The number of sequences of each forward pass from now on."""
    network = nlp.get_pipe("transformer").model.transformer
    runs, forward = [], network.forward

    def count(*args, **kwargs):
        runs.append(len(kwargs["input_ids"]))
        return forward(*args, **kwargs)

    monkeypatch.setattr(network, "forward", count)
    return runs


@pytest.mark.parametrize("max_batch_pieces", [1, 500, 100_000])
@pytest.mark.parametrize("spare", [0, 64, 100_000])
def test_vectors_are_spacy_transformers_whatever_is_run_at_once(
    bert, max_batch_pieces, spare, monkeypatch
):
    monkeypatch.setitem(transformer_module._SPARE_PIECES, "cpu", spare)
    monkeypatch.setattr(transformer_module, "MAX_BATCH_PIECES", max_batch_pieces)
    nlp = make_nlp(bert)
    runs = runs_of(nlp, monkeypatch)
    assert_close(
        vectors(nlp),
        vectors(make_nlp(bert, "spacy-transformers.TransformerModel.v3")),
        atol=1e-5,
    )
    assert (len(runs) == 2) == (max_batch_pieces == spare == 100_000)
    assert max_batch_pieces > 1 or set(runs) == {1}


@pytest.mark.parametrize(
    "limit", [64, 256], ids=["the tokenizer's limit", "the transformer's limit"]
)
def test_a_span_of_more_pieces_than_the_limit_is_cut(bert, limit):
    words = ["abcdefghijklmnopqrst" * 2] * 14 + ["The", "cat", "sat", "a" * 90]
    settings = (
        {"tokenizer_config": {"model_max_length": 64, "use_fast": True}}
        if limit == 64
        else {}
    )
    nlp = make_nlp(bert, **settings)
    doc = nlp(" ".join(words))
    data = doc._.trf_data
    assert len(doc) == len(words) and data.wordpieces.input_ids.shape[1] <= limit
    assert all(data.align[i].lengths.sum() > 0 for i in range(len(doc)))
    spans = nlp.get_pipe("transformer").model.attrs["get_spans"]([doc])
    assert len(data.wordpieces) > len(spans[0])
    short = nlp("The cat sat on the mat.")
    assert len(short._.trf_data.wordpieces) == 1
    assert_close(
        vectors(nlp, [doc.text]), vectors(nlp, [*TEXTS, doc.text])[-1:], atol=1e-5
    )


@pytest.mark.parametrize("seed", range(5))
def test_groups_of_about_one_length(seed):
    rng = numpy.random.default_rng(seed)
    lengths = rng.integers(1, 200, 50).tolist()
    for spare, max_pieces in ((0, None), (64, None), (10**6, None), (64, 500), (64, 1)):
        groups = length_groups(lengths, spare, max_pieces)
        assert sorted(row for group in groups for row in group) == list(range(50))
        for group in groups:
            padded = len(group) * lengths[group[0]]
            assert padded - sum(lengths[row] for row in group) <= spare
            assert max_pieces is None or padded <= max_pieces or len(group) == 1
        assert spare < 10**6 or len(groups) == 1
    assert length_groups([], 64) == []


def test_training_in_groups_is_training_at_once(bert, monkeypatch):
    gradients = []
    for spare in (0, 10**6):
        monkeypatch.setitem(transformer_module._SPARE_PIECES, "cpu", spare)
        nlp = make_nlp(
            bert,
            transformer_config={
                "hidden_dropout_prob": 0.0,
                "attention_probs_dropout_prob": 0.0,
            },
        )
        model = nlp.get_pipe("transformer").model
        output, backprop = model.begin_update(
            [nlp.make_doc(text) for text in (LONG, *TEXTS) if text]
        )
        ones = []
        for data in output.doc_data:
            mask = numpy.asarray(data.wordpieces.attention_mask, dtype="f4")[..., None]
            ones.append([model.ops.asarray(mask * data.model_output.last_hidden_state)])
        backprop(output.unsplit_by_doc(ones))
        gradients.append([one.grad for one in model.transformer.parameters()])
    for some, others in zip(*gradients, strict=True):
        assert (some is None) == (others is None)
        assert some is None or torch.allclose(some, others, rtol=1e-4, atol=1e-4)
    assert sum(one is not None and bool(one.any()) for one in gradients[0]) > 10


def test_each_architecture_loads_what_the_other_saved(bert):
    ours, theirs = (
        make_nlp(bert),
        make_nlp(bert, "spacy-transformers.TransformerModel.v3"),
    )
    expected = vectors(ours)
    for one, other in ((ours, theirs), (theirs, ours)):
        with torch.no_grad():
            next(other.get_pipe("transformer").model.transformer.parameters()).zero_()
        assert not numpy.allclose(vectors(other)[0], expected[0])
        other.get_pipe("transformer").from_bytes(one.get_pipe("transformer").to_bytes())
        assert_close(vectors(other), expected, atol=1e-5)


def test_no_gradient_of_what_the_optimizer_leaves_as_it_is(bert):
    nlp = make_nlp(bert)
    model = nlp.get_pipe("transformer").model
    shim = model.layers[0].shims[0]
    words = shim._model.embeddings.word_embeddings.weight
    layer = shim._model.encoder.layer[0].output.dense.weight

    def update(optimizer):
        before = words.detach().clone(), layer.detach().clone()
        output, backprop = model.begin_update([nlp.make_doc(TEXTS[0])])
        backprop(
            output.unsplit_by_doc(
                [[data.model_output.last_hidden_state] for data in output.doc_data]
            )
        )
        model.finish_update(optimizer)
        return not torch.equal(words, before[0]), not torch.equal(layer, before[1])

    freezing = LayerwiseAdam(0.01, rate_factors={"embeddings.": 0.0})
    assert update(freezing) == (False, True)
    assert not words.requires_grad and words.grad is None and layer.requires_grad
    assert update(freezing) == (False, True)
    update(Adam(0.01))  # which the embeddings have no gradient for yet
    assert words.requires_grad
    assert update(Adam(0.01)) == (True, True)


def test_the_space_before_a_word_is_none_of_its_pieces(bert):
    """Some tokenizers count it to the word's first piece, and spacy-transformers to the
    word before."""
    nlp = make_nlp(bert)
    model = nlp.get_pipe("transformer").model
    expected = nlp("The old dog sleeps.")._.trf_data.align

    class WithSpaces(type(model.tokenizer)):
        def __call__(self, texts, **settings):
            found = super().__call__(texts, **settings)
            for row, text in zip(found.get("offset_mapping", ()), texts, strict=False):
                row[:, 0] -= [
                    begin < end and begin > 0 and text[begin - 1] == " "
                    for begin, end in row
                ]
            return found

    model.tokenizer.__class__ = WithSpaces
    align = nlp("The old dog sleeps.")._.trf_data.align
    assert (
        align.lengths.tolist() == expected.lengths.tolist()
        and align.dataXd.tolist() == expected.dataXd.tolist()
    )
