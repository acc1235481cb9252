"""`configs/srl.cfg`: read by spaCy, and trained for some steps on a small tok2vec in the place of the transformer."""

from pathlib import Path

import spacy
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "srl.cfg"
CONLLU = """# sent_id = one
1	They	they	PRON	PRP	_	2	nsubj	_	_
2	saw	see	VERB	VBD	_	0	root	_	_
3	him	he	PRON	PRP	_	2	obj	_	_

"""
ROLES = """{"sent_id": "one", "words": 3, "predicates": [{"token": 1, "lemma": "see", "roleset": "see.01", "args": \
[[0, 1, "ARG0"], [1, 2, "V"], [2, 3, "ARG1"]]}]}
"""


def small(tmp_path):
    """The config with a small encoder of its own, and without the bundled pipeline."""
    (tmp_path / "one.conllu").write_text(CONLLU, encoding="utf8")
    (tmp_path / "one.srl.jsonl").write_text(ROLES, encoding="utf8")
    config = load_config(CONFIG)
    config["nlp"].update(pipeline=["lal_srl"], disabled=[])
    config["components"] = {"lal_srl": config["components"]["lal_srl"]}
    words = config["components"]["lal_srl"]["model"]["tok2vec"]["*"]["words"]
    words["rows"] = [100, 100, 100]
    config["components"]["lal_srl"]["model"]["tok2vec"] = words
    config["paths"].update(train=str(tmp_path / "one.conllu"), dev=str(tmp_path / "one.conllu"))
    config["training"].update(frozen_components=[], annotating_components=[], max_steps=4, eval_frequency=2)
    config["training"]["optimizer"]["learn_rate"].update(total_steps=4, warmup_steps=1)
    return config


def test_it_trains_is_saved_and_loaded(tmp_path):
    nlp = init_nlp(small(tmp_path))
    (tmp_path / "out").mkdir()
    train(nlp, output_path=tmp_path / "out", use_gpu=-1)
    loaded = spacy.load(tmp_path / "out" / "model-last")
    assert loaded.get_pipe("lal_srl").labels == ("V", "ARG0", "ARG1")
    assert set(loaded.meta["performance"]) >= {"srl_f", "predicate_f", "roleset_acc"}


def test_the_whole_config_is_sound():
    config = load_config(CONFIG, interpolate=False)
    frozen = [name for name in config["nlp"]["pipeline"] if name != "lal_srl"]
    assert config["training"]["frozen_components"] == frozen
    assert config["training"]["annotating_components"] == ["transformer"]
    steps = config["training"]["optimizer"]["learn_rate"]["total_steps"]
    assert steps == config["training"]["max_steps"]
