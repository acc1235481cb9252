"""Heads for a treebank of constituents alone."""

from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Span
from tiny_training import write_toy_corpora

from spacy_lal.annotations import SPANS_KEY, constituent_tokens
from spacy_lal.treebanks.corpora import TreebankCorpus


def test_trees_stay_and_get_heads(script, tmp_path: Path, capsys: Any):
    write_toy_corpora(tmp_path)
    trees, out = tmp_path / "train.spacy", tmp_path / "heads.spacy"
    assert script("add_heads").main(["en_lal_md", str(trees), str(out)]) == 0
    assert "0 Docs left out" in capsys.readouterr().out
    nlp = spacy.blank("en")
    read = [[eg.reference for eg in TreebankCorpus(path)(nlp)] for path in (trees, out)]
    for before, after in zip(*read, strict=True):
        assert constituent_tokens(before) == constituent_tokens(after)
        assert [x.tag_ for x in before] == [x.tag_ for x in after]
        assert [x.is_sent_start for x in before] == [x.is_sent_start for x in after]
        assert all(x.dep_ for x in after)


def test_trees_that_no_parse_has_are_left_out(script, tmp_path: Path, capsys: Any):
    write_toy_corpora(tmp_path)
    nlp = spacy.load("en_lal_md")
    (eg, *_) = TreebankCorpus(tmp_path / "train.spacy")(nlp)
    gold = eg.reference
    gold.spans[SPANS_KEY] = [Span(gold, 0, 3, label="UNKNOWN")]
    assert script("add_heads").with_heads(nlp, eg) is None
    assert script("add_heads").main(["en_lal_md", "none.spacy", "out.spacy"]) == 1
    assert "none.spacy" in capsys.readouterr().err
