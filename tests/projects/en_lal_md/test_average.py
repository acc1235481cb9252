"""The mean of the weights, of all components; nothing for pipelines that do not go together."""

import sys
from pathlib import Path

import pytest
import spacy
import torch
from tiny_pipeline import make_bert, make_examples, make_nlp, train

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "projects" / "en_lal_md" / "scripts"))

from average import average_pipelines, main, named_weights  # noqa: E402


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "tiny")


@pytest.fixture(scope="module")
def branches(bert, tmp_path_factory):
    """A pipeline, and what became of it in two further trainings."""
    folder = tmp_path_factory.mktemp("branches")
    train(make_nlp(bert, concatenated=True)).to_disk(folder / "base")
    for name, drop in (("one", 0.0), ("other", 0.5)):
        nlp = spacy.load(folder / "base")
        optimizer = nlp.resume_training()
        for _ in range(3):
            nlp.update(make_examples(nlp), sgd=optimizer, drop=drop)
        nlp.to_disk(folder / name)
    return folder


def weights(path):
    """Every weight of a saved pipeline."""
    return {place: torch.as_tensor(weight) for place, weight in named_weights(spacy.load(path))}


def test_every_weight_is_the_mean(branches, tmp_path, capsys):
    main([str(branches / name) for name in ("base", "one", "other")] + ["-o", str(tmp_path / "mean")])
    assert "the mean of 3 pipelines: transformer, senter, tagger, lal_parser" in capsys.readouterr().out
    parts = [weights(branches / name) for name in ("base", "one", "other")]
    mean = weights(tmp_path / "mean")
    assert all(part.keys() == mean.keys() for part in parts)
    for place, weight in mean.items():
        if weight.is_floating_point():
            expected = torch.stack([part[place] for part in parts]).mean(0)
            assert torch.allclose(weight, expected, atol=1e-6), place
    moved = {place.split(",")[0] for place in mean if not torch.equal(mean[place], parts[0][place])}
    assert moved == {"transformer", "senter", "tagger", "lal_parser"}


def test_what_does_not_go_together_is_named(branches, bert, tmp_path):
    one = spacy.load(branches / "one")
    with pytest.raises(ValueError, match="expected two pipelines or more, got 1"):
        average_pipelines([one])
    with pytest.raises(ValueError, match="pipeline 2 has the components transformer .*; the first has transformer"):
        average_pipelines([one, spacy.load(branches / "other", exclude=["senter"])])
    other = spacy.load(branches / "other")
    other.get_pipe("lal_parser").cfg["deprels"].append("dep")
    with pytest.raises(ValueError, match="pipeline 2 has other labels"):
        average_pipelines([one, other])
    with pytest.raises(ValueError, match="pipeline 2 has .* where the first has .*: expected pipelines of the same"):
        average_pipelines([one, train(make_nlp(bert), steps=1)])
    for name in ("mean", "."):  # a pipeline that is missing; a folder that holds other things
        (tmp_path / "x").touch()
        with pytest.raises(SystemExit):
            main([str(branches / "one"), str(tmp_path / "nothing"), "-o", str(tmp_path / name)])
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
