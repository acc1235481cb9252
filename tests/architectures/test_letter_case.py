"""`case_types`: an uncased transformer that is told which pieces have upper case."""

import numpy
import pytest
import spacy
import torch
from tiny_pipeline import TEXTS, make_bert, transformer_config
from transformers import DistilBertConfig, DistilBertModel

from spacy_lal.architectures.letter_case import N_CASE_TYPES, add_case_types, case_types


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "model")


def make_nlp(bert, architecture="spacy-lal.TransformerModel.v1", **settings):
    """A pipeline whose BERT reads lower case only."""
    config = transformer_config(bert)
    settings = {"tokenizer_config": {"do_lower_case": True, "use_fast": True}, **settings}
    config["model"] = {**config["model"], "@architectures": architecture, **settings}
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=config)
    nlp.initialize()
    return nlp


def learn(nlp):
    """Vectors of the three types that differ."""
    with torch.no_grad():
        types = nlp.get_pipe("transformer").model.transformer.embeddings.token_type_embeddings
        types.weight += torch.arange(N_CASE_TYPES)[:, None] * torch.linspace(-1, 1, types.embedding_dim)
    return nlp


def vectors(nlp, text):
    return nlp(text)._.trf_data.model_output.last_hidden_state


PIECES = {"bush": 0, "Bush": 1, "iPhone": 1, "A": 1, "USA": 2, "U.S.": 2, "12": 0, "": 0, "ß": 0, "ÉT": 2}


@pytest.mark.parametrize("piece, expected", PIECES.items())
def test_types_of_pieces(piece, expected):
    text = f"Ab {piece} CD"
    offsets = numpy.array([[(0, 0), (0, 2), (3, 3 + len(piece)), (4 + len(piece), len(text)), (0, 0)]])
    assert case_types([text], offsets).tolist() == [[0, 1, expected, 2, 0]]


def test_types_of_texts_with_padding():
    offsets = numpy.array([[(0, 1), (1, 2)], [(0, 2), (0, 0)], [(0, 0), (0, 0)]])
    assert case_types(["Ab", "ab", ""], offsets).tolist() == [[1, 0], [0, 0], [0, 0]]


def test_vectors_begin_as_they_were(bert):
    plain = make_nlp(bert, "spacy-transformers.TransformerModel.v3")
    told = make_nlp(bert, case_types=True)
    for text in (*TEXTS, TEXTS[0].upper(), ""):
        assert numpy.allclose(vectors(plain, text), vectors(told, text), atol=1e-5) if text else not len(told(text))


def test_case_counts_once_learned(bert):
    told = learn(make_nlp(bert, case_types=True))
    lower, title, upper = (vectors(told, text) for text in ("the cat", "The cat", "THE cat"))
    assert not numpy.allclose(lower, title, atol=1e-3)
    assert not numpy.allclose(title, upper, atol=1e-3)


def test_alone_as_in_a_batch_and_in_long_docs(bert):
    nlp = learn(make_nlp(bert, case_types=True))
    texts = ["The CAT sat.", "a", " ".join(["On THE mat, Sir,"] * 30)]
    together = [doc._.trf_data.model_output.last_hidden_state for doc in nlp.pipe(texts)]
    for text, vector in zip(texts, together, strict=True):
        alone = vectors(nlp, text)
        assert numpy.allclose(alone, vector[:, : alone.shape[1]], atol=1e-5)


def test_types_learn(bert):
    nlp = make_nlp(bert, case_types=True)
    model = nlp.get_pipe("transformer").model
    types = model.transformer.embeddings.token_type_embeddings.weight
    output, backprop = model.begin_update([nlp.make_doc("The CAT sat")])
    backprop(output.unsplit_by_doc([[data.model_output.last_hidden_state] for data in output.doc_data]))
    # the pieces of this BERT are single letters: none is upper case throughout
    assert (types.grad.abs().sum(1) > 0).tolist() == [True, True, False]


def test_saved_and_loaded(bert, tmp_path):
    nlp = learn(make_nlp(bert, case_types=True))
    nlp.to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")
    assert numpy.array_equal(vectors(again, "The CAT sat"), vectors(nlp, "The CAT sat"))


def test_what_was_saved_without_types_is_given_them(bert):
    without, told = make_nlp(bert), make_nlp(bert, case_types=True)
    told.get_pipe("transformer").from_bytes(without.get_pipe("transformer").to_bytes())
    assert told.get_pipe("transformer").model.transformer.config.type_vocab_size == N_CASE_TYPES
    assert numpy.allclose(vectors(told, "The CAT"), vectors(without, "The CAT"), atol=1e-5)


def test_a_copy_knows_case_too(bert):
    nlp = learn(make_nlp(bert, case_types=True))
    model = nlp.get_pipe("transformer").model
    docs = [nlp.make_doc("The CAT"), nlp.make_doc("the cat")]
    ours, copied = (one.predict(docs).model_output.last_hidden_state for one in (model, model.copy()))
    assert numpy.allclose(ours, copied, atol=1e-6)
    assert not numpy.allclose(copied[0], copied[1], atol=1e-3)


def test_a_transformer_without_types():
    sizes = {"vocab_size": 9, "dim": 8, "n_layers": 1, "n_heads": 1, "hidden_dim": 8}
    with pytest.raises(ValueError, match="expected a transformer .* token types, .* got DistilBertModel"):
        add_case_types(DistilBertModel(DistilBertConfig(**sizes)))


def test_a_slow_tokenizer(bert):
    with pytest.raises(ValueError, match="expected a fast tokenizer, got BertTokenizer"):
        make_nlp(bert, case_types=True, tokenizer_config={"do_lower_case": True, "use_fast": False})
