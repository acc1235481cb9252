"""`configs/srl.cfg`: read by spaCy, and trained for some steps with a small tok2vec and
flat parses in the place of the transformer and the parser's parses."""

from pathlib import Path
from typing import Dict, List

import spacy
import srsly
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config, registry
from typer.main import get_command

from spacy_lal.annotations import (
    get_propositions,
    sentence_words,
    set_constituents,
    set_propositions,
)
from spacy_lal.treebanks.corpora import PropBankCorpus
from spacy_lal.treebanks.docs import write_docs

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "srl.cfg"
CONLLU = """# sent_id = one
1	They	they	PRON	PRP	_	2	nsubj	_	_
2	saw	see	VERB	VBD	_	0	root	_	_
3	him	he	PRON	PRP	_	2	obj	_	_

"""
ROLES = """{"sent_id": "one", "words": 3, "predicates": [\
{"token": 1, "lemma": "see", "roleset": "see.01", "args": \
[[0, 1, "ARG0"], [1, 2, "V"], [2, 3, "ARG1"]]}]}
"""


@Language.component("flat_parse_of_words")
def flat_parse_of_words(doc: Doc) -> Doc:
    """In the place of tagger, lemmatizer and parser."""
    for token in doc:
        token.tag_, token.lemma_, token.dep_ = "NN", token.lower_, "dep"
        token.head = token.sent[0]
    set_constituents(
        doc,
        sentence_words(doc),
        [[(0, len(words), "S")] for words in sentence_words(doc)],
    )
    return doc


def small(tmp_path):
    """The config with a small encoder of its own, and without the bundled pipeline."""
    (tmp_path / "one.conllu").write_text(CONLLU, encoding="utf8")
    (tmp_path / "one.srl.jsonl").write_text(ROLES, encoding="utf8")
    config = load_config(CONFIG)
    config["nlp"].update(pipeline=["flat_parse_of_words", "lal_srl"], disabled=[])
    roles = config["components"]["lal_srl"]
    config["components"] = {
        "flat_parse_of_words": {"factory": "flat_parse_of_words"},
        "lal_srl": roles,
    }
    roles["model"]["tok2vec"] = {
        **{
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": 16,
            "attrs": ["NORM"],
            "rows": [100],
        },
        "include_static_vectors": False,
    }
    nlp = spacy.blank("en")
    (eg,) = PropBankCorpus(tmp_path / "one.conllu")(nlp)
    doc = flat_parse_of_words(eg.predicted)
    set_propositions(doc, get_propositions(eg.reference))
    write_docs([doc], tmp_path / "parses" / "0.spacy")
    config["paths"].update(
        train=str(tmp_path / "parses"), dev=str(tmp_path / "one.conllu")
    )
    frozen: Dict[str, List[str]] = {
        "frozen_components": [],
        "annotating_components": [],
    }
    config["training"].update(**frozen, max_steps=4, eval_frequency=2)
    config["training"]["optimizer"]["learn_rate"].update(total_steps=4, warmup_steps=1)
    return config


def test_it_trains_is_saved_and_loaded(tmp_path):
    nlp = init_nlp(small(tmp_path))
    (tmp_path / "out").mkdir()
    train(nlp, output_path=tmp_path / "out", use_gpu=-1)
    loaded = spacy.load(tmp_path / "out" / "model-last")
    assert loaded.get_pipe("lal_srl").labels == ("V", "ARG0", "ARG1")
    assert set(loaded.meta["performance"]) >= {"srl_f", "predicate_f", "roleset_acc"}


def test_init_labels_writes_a_file_that_initialize_reads(tmp_path):
    config = small(tmp_path)
    config.to_disk(tmp_path / "config.cfg")
    registry.cli.get_all()
    arguments = [
        "init",
        "labels",
        str(tmp_path / "config.cfg"),
        str(tmp_path / "labels"),
    ]
    get_command(app)(arguments, standalone_mode=False)
    written = srsly.read_json(tmp_path / "labels" / "lal_srl.json")
    assert written["roles"] == ["V", "ARG0", "ARG1"] and written["rolesets"] == [
        "see.01"
    ]
    block = {
        "@readers": "spacy.read_labels.v1",
        "path": str(tmp_path / "labels" / "lal_srl.json"),
    }
    config["initialize"]["components"]["lal_srl"] = {"labels": block}
    docs = [
        *DocBin()
        .from_disk(tmp_path / "parses" / "0.spacy")
        .get_docs(spacy.blank("en").vocab)
    ]
    set_propositions(docs[0], [])
    write_docs(docs, tmp_path / "parses" / "0.spacy")
    assert init_nlp(config).get_pipe("lal_srl").labels == ("V", "ARG0", "ARG1")
