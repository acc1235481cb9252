"""A parser that listens to a transformer, in other pipelines than its own, by spaCy's
means."""

import pickle

import pytest
import spacy
from small_blocks import parser_block
from spacy.util import load_model_from_config
from tiny_pipeline import (
    TEXTS,
    counted,
    make_bert,
    make_examples,
    make_nlp,
    parses,
    train,
    transformer_config,
)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "one")


@pytest.fixture(scope="module")
def folder(bert, tmp_path_factory):
    """A trained pipeline on disk; the parser's listener is one of the two inputs of its
    network."""
    path = tmp_path_factory.mktemp("source") / "pipeline"
    train(make_nlp(bert, concatenated=True)).to_disk(path)
    return path


@pytest.fixture(scope="module")
def expected(folder):
    return parses(
        by_line(spacy.load(folder, exclude=["tagger"]), TEXTS)
    )  # tags say what is punctuation


def by_line(nlp, texts):
    """Parse each text as one sentence, whatever splits sentences."""
    docs = []
    for text in texts:
        doc = nlp.make_doc(text)
        for token in doc:
            token.is_sent_start = token.i == 0
        docs.append(doc)
    return list(nlp.pipe(docs))


def test_in_its_own_pipeline_every_doc_is_encoded_once(folder, expected, monkeypatch):
    nlp = spacy.load(folder, exclude=["tagger"])
    texts = counted(nlp.get_pipe("transformer"), monkeypatch)
    assert parses(by_line(nlp, TEXTS)) == expected
    assert sorted(texts) == sorted(TEXTS)


def test_with_its_transformer(folder, expected, tmp_path):
    source = spacy.load(folder)
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", source=source)
    nlp.add_pipe("lal_parser", source=source)
    assert parses(by_line(nlp, TEXTS)) == expected
    nlp.to_disk(tmp_path)
    assert parses(by_line(spacy.load(tmp_path), TEXTS)) == expected


def test_sourced_by_config(folder, expected):
    config = spacy.blank("en").config
    config["nlp"]["pipeline"] = ["lal_parser"]
    listeners = ["model.tok2vec.*.transformer"]
    config["components"]["lal_parser"] = {
        "source": str(folder),
        "replace_listeners": listeners,
    }
    assert (
        parses(by_line(load_model_from_config(config, auto_fill=True), TEXTS))
        == expected
    )


def test_replaced_listeners(folder, expected, tmp_path):
    source = spacy.load(folder)
    source.replace_listeners(
        "transformer", "lal_parser", ["model.tok2vec.*.transformer"]
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", source=source)
    assert parses(by_line(nlp, TEXTS)) == expected
    nlp.to_disk(tmp_path / "alone")
    loaded = spacy.load(tmp_path / "alone")
    assert parses(by_line(loaded, TEXTS)) == expected
    assert parses(by_line(pickle.loads(pickle.dumps(loaded)), TEXTS)) == expected
    assert (
        parses(nlp.pipe(by_line(nlp, TEXTS[:2]) * 4, n_process=2, batch_size=3))
        == expected[:2] * 4
    )
    copy = load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert parses(by_line(copy, TEXTS)) == expected


@pytest.mark.parametrize("listeners", [0, 1])
def test_replaced_listeners_of_our_transformer(bert, tmp_path, listeners):
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "pooling": {"@layers": "reduce_mean.v1"},
        "grad_factor": 0.5,
    }
    parts = {f"part{i}": dict(listener) for i in range(listeners)}
    nlp = make_nlp(bert)
    for name in ("lal_parser", "transformer", "tagger"):
        nlp.remove_pipe(name)
    config = transformer_config(bert)
    config["model"]["@architectures"] = "spacy-lal.TransformerModel.v1"
    nlp.add_pipe("transformer", first=True, config=config)
    tok2vec = (
        {"@architectures": "spacy-lal.JoinedTok2Vec.v1", "*": parts}
        if listeners
        else listener
    )
    sizes = {
        "hidden_width": 16,
        "n_attn_heads": 2,
        "attn_width": 8,
        "ff_width": 16,
        "n_layers": 1,
        "use_chars": False,
    }
    nlp.add_pipe("lal_parser", config={"model": parser_block(tok2vec, **sizes)})
    train(nlp, steps=4)
    expected = parses(by_line(nlp, TEXTS))
    nlp.replace_listeners(
        "transformer",
        "lal_parser",
        [f"model.tok2vec.*.part{i}" for i in range(listeners)] or ["model.tok2vec"],
    )
    tok2vec = nlp.config["components"]["lal_parser"]["model"]["tok2vec"]
    for block in tok2vec["*"].values() if listeners else [tok2vec]:
        assert (block["@architectures"], block["grad_factor"]) == (
            "spacy-transformers.Tok2VecTransformer.v3",
            0.5,
        )
    nlp.to_disk(tmp_path / "replaced")
    again = spacy.load(tmp_path / "replaced", exclude=["transformer", "senter"])
    assert parses(by_line(nlp, TEXTS)) == parses(by_line(again, TEXTS)) == expected
    again.update(make_examples(again), sgd=again.resume_training())


def test_nobody_made_the_vectors(bert, folder):
    """Listeners would answer by zeros."""
    for source in (spacy.load(folder), train(make_nlp(bert), steps=1)):
        nlp = spacy.blank("en")
        nlp.add_pipe("lal_parser", source=source)
        with pytest.raises(
            ValueError,
            match="'transformer' has not run on the Doc 'She sees .*replace_listeners",
        ):
            by_line(nlp, TEXTS)
    listener = {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": 96,
        "upstream": "tok2vec",
    }
    source = spacy.blank("en")
    source.add_pipe("tok2vec")
    source.add_pipe("lal_parser", config={"model": parser_block(listener)})
    train(source, steps=1)
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", source=source)
    with pytest.raises(ValueError, match="'tok2vec' has not run on the Doc"):
        by_line(nlp, TEXTS)


def test_weights_that_cannot_be_read(folder, tmp_path):
    spacy.load(folder).to_disk(tmp_path)
    path = tmp_path / "lal_parser" / "model"
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(ValueError, match="damaged: lal_parser/model cannot be read"):
        spacy.load(tmp_path)
