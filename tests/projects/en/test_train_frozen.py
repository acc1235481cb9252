"""The training on a frozen encoder: what is masked, and what it changes in a
pipeline."""

from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.tokens import Span
from spacy.training import Example
from tiny_training import write_toy_corpora

from spacy_lal.models.batches import get_shim
from spacy_lal.scores import MISSING, GoldRoles


def test_words_that_are_no_verbs_are_masked(script):
    empty = np.zeros(0, dtype=np.int32)
    gold = GoldRoles(
        predicates=np.array([0, 1, 0, 1, 0], dtype=np.int32),
        rows=np.array([1, 3]),
        tags=empty,
        rolesets=empty,
        heads=empty,
        deprels=empty,
    )
    # a noun with roles stays; "was" is a verb without roles
    script("train_frozen").mask_other_words(gold, ["NNP", "VBD", "NN", "NN", "VBD"])
    assert gold.predicates.tolist() == [MISSING, 1, MISSING, 1, 0]


def test_the_span_scorer_alone_changes(script, tmp_path: Path, capsys: Any):
    write_toy_corpora(tmp_path)
    out = tmp_path / "out"
    read = ["--read", f"{tmp_path / 'train.spacy'}=1", "--steps", "2", "--words", "60"]
    assert script("train_frozen").main(["spans", "en_lal_md", str(out), *read]) == 0
    assert "Wrote" in capsys.readouterr().out
    before, after = (spacy.load(name) for name in ("en_lal_md", out))
    old, new = (
        get_shim(nlp.get_pipe("lal_parser").model).weights for nlp in (before, after)
    )
    changed = {name for name in old if not np.allclose(old[name], new[name], atol=1e-6)}
    assert {name.partition(".")[0] for name in changed} == {"span_scorer"}
    assert "span_scorer.ties.weight" not in changed


def test_sentences_of_one_word_are_read(script):
    nlp = spacy.load("en_lal_md", exclude=["lal_srl"])
    doc = nlp("Introduction")
    doc.spans["constituents"] = [Span(doc, 0, 1, label="NP")]
    training = script("train_frozen")
    (item,) = training.read_spans(nlp, [Example(nlp.make_doc(doc.text), doc)])
    scorer = get_shim(nlp.get_pipe("lal_parser").model).network.span_scorer
    assert item.size == 1 and training.learn_spans(scorer, [item.content]) >= 0
