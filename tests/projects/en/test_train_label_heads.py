"""The training of label heads: the gradient of its loss, and what it changes in a
pipeline."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from tiny_training import write_toy_corpora

from spacy_lal.layers.configs import FIRST_LABEL
from spacy_lal.models.batches import get_shim
from spacy_lal.treebanks.corpora import TreebankCorpus


def test_the_gradient_is_that_of_the_loss(script):
    program = script("train_label_heads")
    rng, gold = np.random.default_rng(0), np.zeros((5, 5), dtype=int)
    gold[0, 4], gold[1, 3], gold[3, 4] = (
        2,
        4,
        1,
    )  # the last is a part of a binary tree: no label
    ties, weights = rng.normal(size=(5, 3)), np.array([1.0, 9.0, 3.0])
    loss, gradient = program.own_head_loss(ties, gold, weights, 2.0)
    expected = 0.0
    for start, end, head in ((0, 4, 0), (1, 3, 2)):
        expected += weights[head] * np.log1p(
            np.exp(2.0 - ties[end, head] + ties[start, head])
        )
    assert loss == pytest.approx(expected)
    for place in np.ndindex(5, 3):
        moved = ties.copy()
        moved[place] += 1e-5
        slope = (program.own_head_loss(moved, gold, weights, 2.0)[0] - loss) / 1e-5
        assert slope == pytest.approx(gradient[place], abs=1e-3)


def test_label_attention_and_span_scorer_alone_change(
    script, tmp_path: Path, capsys: Any
):
    write_toy_corpora(tmp_path)
    out, options = (
        tmp_path / "out",
        ["--read", f"{tmp_path / 'train.spacy'}=1", "--steps", "2", "--words", "60"],
    )
    assert script("train_label_heads").main(["en_lal_md", str(out), *options]) == 0
    assert "Wrote" in capsys.readouterr().out
    before, after = (spacy.load(name) for name in ("en_lal_md", out))
    old, new = (
        get_shim(nlp.get_pipe("lal_parser").model).weights for nlp in (before, after)
    )
    changed = {
        name.partition(".")[0]
        for name in old
        if not np.allclose(old[name], new[name], atol=1e-6)
    }
    assert changed == {"label_attention", "span_scorer"}
    tagger, learned = (
        nlp.get_pipe("tagger").model.to_bytes() for nlp in (before, after)
    )
    assert tagger == learned
    text = "The old man saw a dog."
    assert after(text)[:]._.parse_string == before(text)[:]._.parse_string


def test_a_head_that_speaks_against_its_label_is_turned_round(script, tmp_path: Path):
    write_toy_corpora(tmp_path)
    nlp = spacy.load("en_lal_md")
    parser: Any = nlp.get_pipe("lal_parser")
    head = parser._label_vocab.ids["NP"] - FIRST_LABEL
    ties = get_shim(parser.model).network.span_scorer.ties.weight
    ties.data[head] *= -1
    before = ties.detach().clone()
    batches = [list(TreebankCorpus(tmp_path / "train.spacy")(nlp))]
    assert head in (turned := script("train_label_heads").turn_heads(nlp, batches))
    before[turned] *= -1
    assert (ties == before).all()
    assert script("train_label_heads").turn_heads(nlp, batches) == []
