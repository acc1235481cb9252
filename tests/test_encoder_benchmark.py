"""`benchmarks/accuracy/encoders.py`: its networks differ as the tables say; a run goes on where it stopped."""

import json
import shutil
from importlib import import_module
from pathlib import Path

import numpy
import pytest
import spacy
from benchmark_programs import program
from tiny_pipeline import WIDTH, make_bert, transformer_config

TOY = Path(__file__).resolve().parent.parent / "assets" / "toy"
OPTIONS = ["--sentences", "8", "--dev-sentences", "3", "--epochs", "1", "--seeds", "0"]


@pytest.fixture(scope="module")
def encoders():
    with program("accuracy/encoders") as module:
        yield module


@pytest.fixture(scope="module")
def rows(encoders):
    return import_module("accuracy.encoder_rows")


@pytest.fixture
def treebank(tmp_path):
    folder = tmp_path / "toy"
    folder.mkdir()
    for part in ("train", "dev"):
        shutil.copy(TOY / f"{part}.ptb", folder / f"{part}.nonml.ptb")
        shutil.copy(TOY / f"{part}.conllu", folder)
    return folder


def layers_of(rows, name, **sizes):
    nlp = spacy.blank("en")
    model = rows.model_block(rows.ROWS[name], rows.Size(**sizes))
    parser = nlp.add_pipe("lal_parser", config={"model": model})
    return parser.model.layers[-1].shims[0].config


def test_every_network_is_a_config(rows):
    assert {name for names in rows.TABLES.values() for name in names} == set(rows.ROWS)
    configs = {name: layers_of(rows, name) for name in rows.ROWS}
    assert len({repr(config) for config in configs.values()}) == len(configs)  # no two are the same
    kinds = {
        name: [layer.selector and layer.selector.mode for layer in one.encoder.layers] for name, one in configs.items()
    }
    assert kinds["hard2"] == [None, None, "hard", None] and kinds["soft0"] == ["soft", None, None, None]
    assert sum(layer.repeat for layer in configs["plain+heads"].encoder.layers) == len(kinds["hard0"])


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    """A pipeline with a transformer alone: embeddings and one layer."""
    folder = tmp_path_factory.mktemp("vectors")
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=transformer_config(make_bert(folder / "bert")))
    nlp.initialize()
    nlp.to_disk(folder / "pipeline")
    return str(folder / "pipeline")


def test_frozen_vectors_are_the_means_of_pieces_in_each_layer(encoders, pipeline):
    make = import_module("accuracy.frozen_vectors").frozen_transformer
    nlp = spacy.load(pipeline)
    docs = [nlp.make_doc("She sees a dog in the park ."), nlp.make_doc(""), nlp.make_doc("Yes")]
    both, last = (make(pipeline, n).predict(docs) for n in (2, 1))
    assert [array.shape for array in both] == [(8, 2 * WIDTH), (0, 0), (1, 2 * WIDTH)]
    for doc, layers, top in zip(docs, both, last, strict=True):
        assert numpy.array_equal(layers[:, len(layers[:1].T) // 2 :], top)
        if len(doc):
            data = nlp(doc)._.trf_data
            pieces = data.model_output.last_hidden_state.reshape(-1, WIDTH)
            means = [pieces[data.align[i].data.ravel()].mean(0) for i in range(len(doc))]
            assert numpy.allclose(top, means, atol=0.005)  # half precision
    with pytest.raises(ValueError, match="n_layers: expected at most 2, the embeddings counted, got 3"):
        make(pipeline, 3).predict(docs)


def test_a_network_learns_from_frozen_vectors(encoders, rows, pipeline, treebank, tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "PIPELINE", pipeline)
    command = [str(tmp_path), "--treebank", str(treebank), "--tables", "encoders", "--rows", "vectors_last", *OPTIONS]
    assert encoders.main(command) == 0
    result = json.loads((tmp_path / "vectors_last-0.json").read_text(encoding="utf8"))
    assert 0 <= result["scores"]["const_f"] <= 100 and result["seconds"] > 0
    kept = import_module("accuracy.frozen_vectors")._layers_of(pipeline).kept
    assert len(kept) > 8 and {array.shape[1:] for array in kept.values()} == {(2, WIDTH)}


def test_limits_of_the_tables(rows):
    limits = rows.limits_of_tables(8)
    assert limits["content_first_half"]["layers"] == [4, 5, 6, 7] and limits["content_last_most"]["layers"] == [0, 1]
    assert sum("window" in options for options in limits.values()) == 12


def test_an_interrupted_run_goes_on(encoders, treebank, tmp_path, capsys, monkeypatch):
    out, names = tmp_path / "out", ["factored", "hard0"]
    command = [str(out), "--treebank", str(treebank), "--tables", "encoders", "selectors", "--rows", *names, *OPTIONS]
    train, trained = encoders.train, []

    def counted(*args):
        trained.append(1)
        return train(*args)

    monkeypatch.setattr(encoders, "train", counted)
    assert encoders.main(command) == 0 and len(trained) == 2
    results = {name: json.loads((out / f"{name}-0.json").read_text(encoding="utf8")) for name in names}
    assert results["factored"]["n_encoder_parameters"] < results["hard0"]["n_encoder_parameters"]
    assert results["factored"]["limited"].keys() == set(import_module("accuracy.encoder_rows").limits_of_tables(4))
    assert all(0 <= one["scores"]["const_f"] <= 100 for one in results.values())
    (out / "hard0-0.json").unlink()
    assert encoders.main(command) == 0 and len(trained) == 3
    again = json.loads((out / "hard0-0.json").read_text(encoding="utf8"))
    assert again["scores"] == results["hard0"]["scores"]  # the seed decides
    assert encoders.main([*command[:-3], "2", "--seeds", "0"]) == 0 and len(trained) == 5  # other epochs: other results
    capsys.readouterr()
    assert encoders.main([str(out), "--report", "--plot", str(tmp_path / "plot.svg")]) == 0
    text = capsys.readouterr().out
    assert "| `factored` | 1 |" in text and "| `window5_relaxed` |" in text and "93.15" in text
    assert (tmp_path / "plot.svg").read_text(encoding="utf8").startswith("<?xml")
