"""A parser that listens to a transformer, in other pipelines than its own: it reads the vectors that it was trained on,
there too, and after saving."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import spacy
from small_blocks import parser_block
from spacy.util import load_model_from_config
from tiny_pipeline import TEXTS, counted, make_bert, make_examples, make_nlp, parses, train, transformer_config

from spacy_lal.models.replaced_listeners import replaced_listener


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "one")


@pytest.fixture(scope="module")
def other_bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "other", seed=1)


@pytest.fixture(scope="module")
def folder(bert, tmp_path_factory):
    """A trained pipeline on disk; the parser's listener is one of the two inputs of its network."""
    path = tmp_path_factory.mktemp("source") / "pipeline"
    train(make_nlp(bert, concatenated=True)).to_disk(path)
    return path


@pytest.fixture(scope="module")
def expected(folder):
    return parses(by_line(spacy.load(folder), TEXTS))


def by_line(nlp, texts):
    """Parse each text as one sentence, whatever splits sentences."""
    docs = []
    for text in texts:
        doc = nlp.make_doc(text)
        for token in doc:
            token.is_sent_start = token.i == 0
        docs.append(doc)
    return list(nlp.pipe(docs))


def with_other_transformer(bert):
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=transformer_config(bert))
    nlp.initialize()
    return nlp


def scores(parser, docs):
    with parser.encoded(docs):
        return [array for one in parser.model.predict(docs) for array in one[:3]]


def test_in_its_own_pipeline_every_doc_is_encoded_once(folder, expected, monkeypatch):
    nlp = spacy.load(folder)
    texts = counted(nlp.get_pipe("transformer"), monkeypatch)
    assert parses(by_line(nlp, TEXTS)) == expected
    assert sorted(texts) == sorted(TEXTS)


def test_alone(folder, expected):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser", source=spacy.load(folder))
    docs = by_line(nlp, TEXTS)
    assert parses(docs) == expected
    assert all(doc._.trf_data is None for doc in docs)
    assert [parses([nlp(text)]) for text in TEXTS[:2]] == [[one] for one in expected[:2]]
    assert parses(by_line(pickle.loads(pickle.dumps(nlp)), TEXTS)) == expected
    assert parses(nlp.pipe(TEXTS[:2] * 4, n_process=2, batch_size=3)) == expected[:2] * 4


def test_with_its_transformer(folder, expected, monkeypatch):
    source = spacy.load(folder)
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", source=source)
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser", source=source)
    texts = counted(source.get_pipe("transformer"), monkeypatch)
    assert parses(by_line(nlp, TEXTS)) == expected
    assert sorted(texts) == sorted(TEXTS)


def test_with_another_transformer(folder, other_bert, expected):
    nlp = with_other_transformer(other_bert)
    nlp.add_pipe("lal_parser", source=spacy.load(folder))
    assert parses(by_line(nlp, TEXTS)) == expected
    (doc,) = by_line(nlp, TEXTS[:1])
    others = nlp.get_pipe("transformer").predict([doc]).doc_data[0]
    assert np.array_equal(doc._.trf_data.model_output.last_hidden_state, others.model_output.last_hidden_state)


def test_the_vectors_of_another_transformer_would_matter(folder, other_bert):
    """Else the test above would pass on any vectors."""
    source, nlp = spacy.load(folder), with_other_transformer(other_bert)
    docs, parser = by_line(nlp, TEXTS[:1]), source.get_pipe("lal_parser")
    right, wrong = scores(parser, docs), [array for one in parser.model.predict(docs) for array in one[:3]]
    assert max(float(np.abs(a - b).max()) for a, b in zip(right, wrong, strict=True)) > 0.1


def test_sourced_by_config(folder, other_bert, expected):
    nlp = with_other_transformer(other_bert)
    config = nlp.config.copy()
    config["nlp"]["pipeline"] = ["transformer", "lal_parser"]
    config["components"]["lal_parser"] = {"source": str(folder)}
    assembled = load_model_from_config(config, auto_fill=True)
    assembled.get_pipe("transformer").from_bytes(nlp.get_pipe("transformer").to_bytes())
    assert parses(by_line(assembled, TEXTS)) == expected


@pytest.mark.parametrize("neighbour", ["none", "its own", "another", "another, after use"])
def test_saved(folder, other_bert, expected, tmp_path, neighbour):
    """Before its first use too: what is saved is whole."""
    source = spacy.load(folder)
    nlp = with_other_transformer(other_bert) if neighbour.startswith("another") else spacy.blank("en")
    if neighbour == "its own":
        nlp.add_pipe("transformer", source=source)
    nlp.add_pipe("lal_parser", source=source)
    if neighbour.endswith("after use"):
        by_line(nlp, TEXTS)
    nlp.to_disk(tmp_path / "saved")
    assert (tmp_path / "saved" / "lal_parser" / "encoder").exists() == (neighbour != "its own")
    loaded = spacy.load(tmp_path / "saved")
    assert parses(by_line(loaded, TEXTS)) == expected
    loaded.to_disk(tmp_path / "again")
    again = spacy.load(tmp_path / "again")
    assert parses(by_line(again, TEXTS)) == expected
    assert parses(by_line(pickle.loads(pickle.dumps(again)), TEXTS)) == expected
    copy = spacy.load(tmp_path / "saved").from_bytes(nlp.to_bytes())
    assert parses(by_line(copy, TEXTS)) == expected
    config = spacy.util.load_config(tmp_path / "saved" / "config.cfg")
    fresh = load_model_from_config(config).from_bytes(nlp.to_bytes())
    assert parses(by_line(fresh, TEXTS)) == expected


def test_a_pipeline_is_saved_with_one_copy_of_its_transformer(folder, tmp_path, expected, monkeypatch):
    nlp = spacy.load(folder)
    nlp.to_disk(tmp_path)
    assert not (tmp_path / "lal_parser" / "encoder").exists()
    # As bytes a parser cannot know who else is saved; it shares the transformer again when it is loaded.
    copy = load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    texts = counted(copy.get_pipe("transformer"), monkeypatch)
    assert parses(by_line(copy, TEXTS)) == expected
    assert sorted(texts) == sorted(TEXTS)


def test_settings_that_are_elsewhere_cannot_be_saved_with_it(folder, tmp_path):
    source = spacy.load(folder)
    source.get_pipe_config("transformer")["model"]["name"] = "${paths.train}"
    source.to_disk(tmp_path / "whole")
    source.to_bytes()
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", source=source)
    with pytest.raises(ValueError, match="'transformer' can't be saved with the parser .* Add it to the pipeline"):
        nlp.to_disk(tmp_path / "alone")


def test_another_annotation_setter(folder, expected, monkeypatch):
    """A user may set one at any time; the parser then encodes what it cannot recognise, and says nothing wrong."""
    nlp = spacy.load(folder)
    seen = []
    nlp.get_pipe("transformer").set_extra_annotations = lambda docs, outputs: seen.extend(docs)
    assert parses(by_line(nlp, TEXTS)) == expected
    n_seen = len(seen)
    texts = counted(nlp.get_pipe("transformer"), monkeypatch)
    assert parses(by_line(nlp, TEXTS)) == expected
    assert sorted(texts) == sorted(TEXTS) and len(seen) - n_seen == len(TEXTS)


def test_replaced_listeners(bert, tmp_path):
    """spaCy's own way to make a transformer a part of the parser."""
    source = train(make_nlp(bert))
    expected = parses(by_line(source, TEXTS))
    source.to_disk(tmp_path / "source")
    source = spacy.load(tmp_path / "source")
    source.replace_listeners("transformer", "lal_parser", ["model.tok2vec"])
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", source=source)
    assert nlp.get_pipe("lal_parser").encoder is None
    nlp.to_disk(tmp_path / "alone")
    assert parses(by_line(spacy.load(tmp_path / "alone"), TEXTS)) == expected


def with_our_transformer(bert, listeners):
    """A trained pipeline on our own transformer; the listeners are inputs of a JoinedTok2Vec, or the tok2vec itself."""
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "pooling": {"@layers": "reduce_mean.v1"},
        "grad_factor": 0.5,
    }
    parts = {f"part{i}": dict(listener) for i in range(listeners)}
    nlp = make_nlp(bert)
    for name in ("lal_parser", "transformer"):
        nlp.remove_pipe(name)
    config = transformer_config(bert)
    config["model"].update({"@architectures": "spacy-lal.TransformerModel.v1", "max_batch_pieces": 500})
    nlp.add_pipe("transformer", first=True, config=config)
    tok2vec = {"@architectures": "spacy-lal.JoinedTok2Vec.v1", "*": parts} if listeners else listener
    sizes = {"hidden_width": 16, "n_attn_heads": 2, "attn_width": 8, "ff_width": 16, "n_layers": 1, "use_chars": False}
    nlp.add_pipe("lal_parser", config={"model": parser_block(tok2vec, **sizes)})
    return train(nlp, steps=4)


@pytest.mark.parametrize("listeners", [0, 1, 2])
def test_replaced_listeners_of_our_transformer(bert, tmp_path, listeners):
    nlp = with_our_transformer(bert, listeners)
    expected = parses(by_line(nlp, TEXTS))
    paths = [f"model.tok2vec.*.part{i}" for i in range(listeners)] or ["model.tok2vec"]
    if listeners == 1:
        nlp.to_disk(tmp_path / "listening")
        wrong = spacy.load(tmp_path / "listening")
        wrong.replace_listeners("transformer", "lal_parser", ["model.tok2vec"])
        with pytest.raises(ValueError, match="joins several tok2vecs.*the path of each listener"):
            wrong.to_disk(tmp_path / "wrong")
    nlp.replace_listeners("transformer", "lal_parser", paths)
    tok2vec = nlp.config["components"]["lal_parser"]["model"]["tok2vec"]
    for block in tok2vec["*"].values() if listeners else [tok2vec]:
        assert (block["@architectures"], block["grad_factor"]) == ("spacy-lal.Tok2VecTransformer.v1", 0.5)
        assert block["max_batch_pieces"] == 500
    nlp.to_disk(tmp_path / "replaced")
    again = spacy.load(tmp_path / "replaced", exclude=["transformer", "senter", "tagger"])
    assert parses(by_line(nlp, TEXTS)) == parses(by_line(again, TEXTS)) == expected
    examples = make_examples(again)
    again.update(examples, sgd=again.resume_training())
    assert "Tok2VecTransformer" in again.config.to_str()


def test_replaced_listeners_that_pool_differently_are_refused():
    listener = {"@architectures": "spacy-transformers.TransformerListener.v1", "pooling": {"@layers": "reduce_mean.v1"}}
    other = {**listener, "pooling": {"@layers": "reduce_max.v1"}}
    block = {"@architectures": "spacy-lal.TransformerModel.v1", "name": "x"}
    with pytest.raises(ValueError, match="which listener.*the same pooling.*reduce_max"):
        replaced_listener(block, {"@architectures": "spacy-lal.JoinedTok2Vec.v1", "*": {"a": listener, "b": other}})
    assert replaced_listener(block, {"@architectures": "spacy.HashEmbedCNN.v2", "width": 8}) == block


def test_nobody_made_the_vectors(bert):
    """A parser that was trained in this process follows whatever transformer trains with it, and has none elsewhere."""
    source = train(make_nlp(bert), steps=1)
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", source=source)
    with pytest.raises(ValueError, match=r"listens to a transformer \('transformer'\), .* load it again"):
        by_line(nlp, TEXTS)
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96, "upstream": "tok2vec"}
    source = spacy.blank("en")
    source.add_pipe("tok2vec")
    source.add_pipe("lal_parser", config={"model": parser_block(listener)})
    train(source, steps=1)
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", source=source)
    with pytest.raises(ValueError, match=r"listens to a tok2vec \('tok2vec'\), .* replace_listeners"):
        by_line(nlp, TEXTS)


def test_trained_with_another_transformer_it_follows_that_one(folder, other_bert, tmp_path):
    nlp = with_other_transformer(other_bert)
    nlp.add_pipe("lal_parser", source=spacy.load(folder))
    nlp.update(make_examples(nlp), sgd=nlp.resume_training())
    trained = parses(by_line(nlp, TEXTS))
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.get_pipe("lal_parser").encoder.pipe is loaded.get_pipe("transformer")
    assert parses(by_line(loaded, TEXTS)) == trained


def test_a_transformer_of_its_own_stays_as_it_is(folder, other_bert, tmp_path):
    """Trained further, the parser learns and its transformer does not; that of the pipeline sends it nothing."""
    alone = with_other_transformer(other_bert)
    alone.add_pipe("lal_parser", source=spacy.load(folder))
    alone.to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    parser = nlp.get_pipe("lal_parser")
    assert nlp.get_pipe("transformer").listeners == []
    before = {key: value.clone() for key, value in parser.encoder.pipe.model.transformer.state_dict().items()}
    examples = make_examples(nlp)
    optimizer = nlp.resume_training()
    losses = [nlp.update(examples, sgd=optimizer)["lal_parser"] for _ in range(30)]
    assert losses[-1] < losses[0]
    after = parser.encoder.pipe.model.transformer.state_dict()
    assert all(bool((after[key] == value).all()) for key, value in before.items())


def test_initialized_anew_it_takes_the_transformer_of_the_pipeline(folder, other_bert, tmp_path):
    alone = with_other_transformer(other_bert)
    alone.add_pipe("lal_parser", source=spacy.load(folder))
    alone.to_disk(tmp_path)
    nlp = train(spacy.load(tmp_path), steps=1)
    assert len(nlp.get_pipe("transformer").listeners) == 1
    assert nlp.get_pipe("lal_parser").encoder is None
    assert all(token.dep_ for doc in by_line(nlp, TEXTS) for token in doc)


def test_paths_may_be_strings(folder, tmp_path):
    parser = spacy.load(folder).get_pipe("lal_parser")
    parser.to_disk(str(tmp_path / "parser"))
    assert (Path(tmp_path) / "parser" / "encoder" / "model").is_file()
