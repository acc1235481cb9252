"""A training on a machine without spaCy: the arrays and losses are the library's, and
the weights come back."""

import random
from pathlib import Path
from typing import Any, List

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc
from tiny_pipeline import make_bert
from tiny_training import tiny_config, write_toy_corpora

from spacy_lal.decode import cky
from spacy_lal.loss.gold import gold_parses
from spacy_lal.treebanks.corpora import TreebankCorpus


def test_cky_on_tensors_finds_the_trees_of_the_decoder(script):
    rng, n = np.random.default_rng(0), torch.tensor([1, 2, 5, 7])
    charts = [
        rng.normal(size=(length + 1, length + 1, 4)).astype("f4")
        for length in n.tolist()
    ]
    for chart in charts:
        chart[..., 0] = 0.0
    scores = torch.zeros(len(charts), 9, 9)
    for k, chart in enumerate(charts):
        best = chart.max(-1)
        best[0, -1] = chart[0, -1, 1:].max()
        scores[k, : len(best), : len(best)] = torch.from_numpy(best)
    nodes = script("train_exported").best_nodes(scores, n)
    for chart, found, (_, spans) in zip(charts, nodes, cky(charts), strict=True):
        places = {(i, j) for i, j in found.nonzero().tolist()}
        assert {(i, j) for i, j, label in spans.tolist() if label} <= places and len(
            places
        ) == 2 * len(chart) - 3


def stop_in_the_third_step(training: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a training save each step, and stop once, before it makes its third."""
    losses, training.steps_made = training.losses, []

    def stopping(*args: Any) -> Any:
        if len(training.steps_made) == 2 and not stopped:
            stopped.append(True)
            raise KeyboardInterrupt
        training.steps_made.append(args)
        return losses(*args)

    stopped: List[bool] = []
    monkeypatch.setattr(training, "losses", stopping)
    monkeypatch.setattr(training, "SAVE_EVERY", 0)


def test_losses_are_the_librarys_and_weights_come_back(
    script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
):
    write_toy_corpora(tmp_path)
    start, folder, corpus = (
        tmp_path / "start",
        tmp_path / "exported",
        tmp_path / "train.spacy",
    )
    config = tiny_config(tmp_path, transformer=make_bert(tmp_path / "bert"))
    del config["training"]["before_update"]
    config.to_disk(tmp_path / "tiny.cfg")
    export, training = script("export_training"), script("train_exported")
    assert (
        export.main(
            [
                *("start", str(tmp_path / "tiny.cfg"), str(start)),
                *("--read", f"{corpus}=1", "--training.max_steps", "7"),
            ]
        )
        == 0
    )
    names = [str(start), str(folder)]
    assert export.main(["out", *names, "--read", f"{corpus}=1", "--rough"]) == 0
    # weights as the library's, not in 8 bits
    nlp = spacy.load(start)
    assert nlp.config["training"]["max_steps"] == 7
    assert export.main(["back", str(start), str(folder), str(tmp_path / "same")]) == 0
    parser: Any = spacy.load(tmp_path / "same").get_pipe("lal_parser")
    examples = list(TreebankCorpus(corpus)(nlp))
    docs = [eg.predicted for eg in examples]
    transformer_pipe: Any = spacy.load(tmp_path / "same").get_pipe("transformer")
    transformer_pipe.set_annotations(docs, transformer_pipe.predict(docs))
    golds = [
        gold
        for eg in examples
        for gold in gold_parses(eg, parser._label_vocab, parser._deprel_ids)
    ]
    expected, _ = parser.loss(parser.model.predict(docs), golds)
    pipeline = training.Pipeline(folder).eval()
    arrays = training.read_docs(folder / "train.pickle.gz")
    assert len(arrays) > len(examples)  # rough ones follow
    batch = training.collate(arrays[: len(examples)])
    scores = training.parser_scores(
        pipeline.parts["lal_parser"], pipeline.vectors(batch), batch
    )
    scores = [one._replace(label_heads=None) for one in scores]  # as in parsing
    found = training.parser_loss(scores, batch).item()
    margins = 0
    for of_group, group in zip(scores, batch["sentences"], strict=True):
        nodes, labels = training.best_labels(of_group.labels, group)
        gold = torch.zeros_like(labels)
        gold[tuple(group["cells"].T[:3])] = group["cells"].T[3]
        margins += int((nodes & (labels != gold)).sum())
    assert found + margins == pytest.approx(sum(expected.values()), rel=1e-3)
    earlier = {
        **training.read_weights(folder / "weights"),
        "tagger.output.bias": np.zeros(1),
    }
    training.write_weights(training.pack(earlier), tmp_path / "earlier" / "weights")
    options = [
        "--learned",
        str(tmp_path / "earlier"),
        "--minutes",
        "1",
        "--steps",
        "3",
        "--workers",
        "0",
    ]
    run = [str(folder), str(tmp_path / "out"), *options]
    stop_in_the_third_step(training, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        training.main(run)
    assert training.main(run) == 0  # goes on
    assert len(training.steps_made) == 3
    assert not (tmp_path / "out" / training.PROGRESS).exists()
    assert (
        export.main(
            ["back", str(start), str(tmp_path / "out"), str(tmp_path / "learned")]
        )
        == 0
    )
    printed = capfd.readouterr().out
    assert "of another shape, not taken: tagger.output.bias\n" in printed
    assert "step 3, " in printed
    before, after = (
        spacy.load(path).get_pipe("tagger").model.to_bytes()
        for path in (start, tmp_path / "learned")
    )
    assert before != after
    other = {
        **training.read_weights(folder / "weights"),
        "transformer.encoder.layer.9.output.dense.bias": np.zeros(8),
    }
    training.write_weights(training.pack(other), tmp_path / "other" / "weights")
    assert (
        export.main(
            ["back", str(start), str(tmp_path / "other"), str(tmp_path / "wrong")]
        )
        == 1
    )
    assert "expected the layers of" in capfd.readouterr().err


@pytest.mark.parametrize(
    "text", ["a.spacy", "none.spacy=1", "{}=0", "{}=nan", "{}=x", "=1"]
)
def test_sources_are_paths_with_weights(script, tmp_path: Path, text: str):
    export = script("export_training")
    with pytest.raises(export.argparse.ArgumentTypeError, match="expected FILE=WEIGHT"):
        export.source(text.format(tmp_path))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy treebank, written as a published pipeline reads it."""
    folder = tmp_path_factory.mktemp("published")
    write_toy_corpora(folder)
    return folder


def test_a_package_goes_on_learning(script, published: Path, tmp_path: Path):
    export, training = script("export_training"), script("train_exported")
    folder, train = tmp_path / "exported", f"{published / 'dev.spacy'}=1"
    dev = published / "dev.spacy"
    out = ["out", "en_lal_md", str(folder), "--read", train]
    assert export.main(out) == 0
    back = ["back", "en_lal_md", str(folder), str(tmp_path / "same")]
    assert export.main(back) == 0
    package, same = spacy.load("en_lal_md"), spacy.load(tmp_path / "same")
    docs = [eg.predicted for eg in TreebankCorpus(dev)(package)]
    texts = [doc.text for doc in docs]
    for one, other in zip(package.pipe(texts), same.pipe(texts), strict=True):
        assert one._.parse_string == other._.parse_string
        assert [x.head.i for x in one] == [x.head.i for x in other]
    # pieces belong to the tokens that the package's encoder gives them to
    encoder: Any = package.get_pipe("encoder")
    expected = np.concatenate(encoder.predict(docs))
    batch = training.collate(training.read_docs(folder / "train.pickle.gz"))
    with torch.no_grad():
        found = training.Pipeline(folder).eval().vectors(batch).numpy()
    norms = np.linalg.norm(found, axis=1) * np.linalg.norm(expected, axis=1)
    assert found.shape == expected.shape
    assert ((found * expected).sum(1) / norms).min() > 0.98


def test_the_loss_of_own_heads(script):
    """A label that is rarer than the mean label counts more, and a term of its own that
    is above the margin costs little."""
    training = script("train_exported")
    cells = np.array([[0, 0, 2, 2], [0, 1, 2, 2], [0, 0, 3, 2], [0, 2, 3, 3]])
    own = training.OwnHeads(cells[:, 3], 2, 0.1, torch.device("cpu"))
    assert own.weights.tolist() == pytest.approx([0.1, 0.1 * 2**0.5])
    ties = torch.zeros(1, 4, 2)
    ties[0, :, 0] = torch.tensor([0.0, 0.0, 9.0, 9.0])
    found = own.loss(ties, torch.from_numpy(cells))
    above, below = np.log1p(np.exp(2.0 - 9.0)), np.log1p(np.exp(2.0))
    expected = 0.1 * (3 * above + 2**0.5 * below)
    assert found.item() == pytest.approx(expected, rel=1e-4)


def test_a_bare_word_is_no_tree(script):
    has_labels = script("export_training").has_labels
    chart = np.zeros((2, 2), dtype="i8")
    assert not has_labels(None) and not has_labels(chart)
    chart[0, 1] = 1  # a word that no constituent holds
    assert not has_labels(chart)
    chart[0, 1] = 2
    assert has_labels(chart)


def test_copies_have_other_names_and_the_same_sentences(script):
    words = "Jón sá Gunnu . Hún sá Jón .".split()
    starts = [True, False, False, False, True, False, False, False]
    doc = Doc(spacy.blank("is").vocab, words=words, sent_starts=starts)
    with_other_names = script("export_training").with_other_names
    copies = list(with_other_names([doc] * 50, random.Random(0)))
    assert {copy[4].text for copy in copies} == {"Hún", "Gunnu", "Jón"}
    for copy in copies:
        assert [token.is_sent_start for token in copy] == starts
        assert [copy[i].text for i in (1, 3, 5, 7)] == ["sá", ".", "sá", "."]


def test_one_last_layer_learns_alone(script):
    training = script("train_exported")
    pipeline = torch.nn.Module()
    layers = {"hashed": torch.nn.Linear(1, 1), "output": torch.nn.Linear(1, 1)}
    parts = {"senter": torch.nn.ModuleDict(layers), "tagger": torch.nn.Linear(1, 1)}
    pipeline.parts = torch.nn.ModuleDict(parts)
    training.make_optimizer(pipeline, 0.1, 0.1, "senter")
    learning = [name for name, x in pipeline.named_parameters() if x.requires_grad]
    assert learning == ["parts.senter.output.weight", "parts.senter.output.bias"]
