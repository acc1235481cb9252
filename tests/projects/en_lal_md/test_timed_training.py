"""`timed_training.py`: a pipeline from a config, and from a folder; what is frozen stays; sources by weight."""

import itertools
from collections import Counter
from pathlib import Path
from typing import List

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from tiny_pipeline import make_bert
from tiny_training import tiny_config, write_toy_corpora

WORDS = ["We", "saw", "mice"]


@pytest.fixture
def timed(script):
    return script("timed_training")


def weights(nlp: Language, name: str) -> List[bytes]:
    """All weights of a component, torch's among them."""
    model = nlp.get_pipe(name).model
    if name == "transformer":  # its bytes also have the path that it was loaded from
        return [weight.detach().numpy().tobytes() for weight in model.transformer.state_dict().values()]
    return [model.to_bytes()]


def test_from_a_config_and_on(timed, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write_toy_corpora(tmp_path)
    (tmp_path / "parsed").mkdir()
    config = tiny_config(tmp_path, transformer=make_bert(tmp_path / "bert"))
    del config["training"]["before_update"]
    config.to_disk(tmp_path / "tiny.cfg")
    sources = ["--read", f"{tmp_path}/train.spacy=0.7", "--parsed", f"{tmp_path}/parsed=1"]
    first = [f"{tmp_path}/tiny.cfg", f"{tmp_path}/first", "--minutes", "0.02", "--rough", *sources]
    assert timed.main([*first, "--trees", f"{tmp_path}/dev.spacy=0.3"]) == 0
    again = [f"{tmp_path}/first", f"{tmp_path}/second", "--minutes", "0.02", *sources]
    assert timed.main([*again, "--freeze", "transformer", "tagger"]) == 0
    before, after = spacy.load(tmp_path / "first"), spacy.load(tmp_path / "second")
    changed = {name for name in after.pipe_names if weights(before, name) != weights(after, name)}
    assert changed == {"senter", "lal_parser"}
    assert timed.main([*again[:1], f"{tmp_path}/third", *again[2:], "--freeze", "parser"]) == 1
    assert "expected names of transformer, senter, tagger, lal_parser, got 'parser'" in capsys.readouterr().err
    assert timed.main(again) == 1
    assert "second exists" in capsys.readouterr().err


def test_lemmatizer_goes_on_with_its_own_labels(timed, tmp_path: Path):
    nlp = spacy.blank("en")
    lemmatizer = nlp.add_pipe("trainable_lemmatizer", config={"min_tree_freq": 1})
    gold = Doc(nlp.vocab, words=WORDS, lemmas=["we", "see", "mouse"])
    nlp.initialize(lambda: [Example(Doc(nlp.vocab, words=WORDS), gold)] * 2)
    nlp.to_disk(tmp_path / "nlp")
    assert len(lemmatizer.tree2label) == 3
    assert timed.load(tmp_path / "nlp", None).get_pipe("trainable_lemmatizer").tree2label == lemmatizer.tree2label


def test_sources_by_weight(timed, tmp_path: Path):
    nlp = spacy.blank("en")
    for name in ("a", "b", "c"):
        DocBin(docs=[Doc(nlp.vocab, words=[name])]).to_disk(tmp_path / f"{name}.spacy")
    (tmp_path / "parsed").mkdir()
    parsed = (tmp_path / "parsed", 2.0)
    stream = timed.Mix([(tmp_path / "a.spacy", 3.0)], [(tmp_path / "b.spacy", 1.0)], parsed, None)(nlp)
    timed.fix_random_seed(0)
    counts = Counter(eg.reference[0].text for eg in itertools.islice(stream, timed.LOOK))
    assert counts["a"] + counts["b"] == timed.LOOK and 250 < counts["a"] < 350
    (tmp_path / "c.spacy").rename(tmp_path / "parsed" / "c.spacy")
    assert 90 < Counter(eg.reference[0].text for eg in itertools.islice(stream, timed.LOOK))["c"] < 180


@pytest.mark.parametrize("part, rate", [(0.0, 0.002), (0.025, 0.5), (0.05, 1.0), (0.525, 0.5), (1.0, 0.002)])
def test_rate(timed, part: float, rate: float):
    assert timed.rate_at(part) == pytest.approx(rate)


@pytest.mark.parametrize("text", ["a.spacy", "none.spacy=1", "{}=0", "{}=nan", "{}=x", "=1"])
def test_sources_are_paths_with_weights(timed, tmp_path: Path, text: str):
    with pytest.raises(timed.argparse.ArgumentTypeError, match="expected FILE=WEIGHT"):
        timed.source(text.format(tmp_path))
