"""`parse_with_errors.py`: the bundled pipeline's parses of some sentences, with and without dropout of its vectors."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import DocBin
from spacy.util import is_package

from spacy_lal.annotations import get_constituents, get_propositions
from spacy_lal.treebanks.corpora import PropBankCorpus

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "srl" / "scripts"
WORDS = "The old man that she had met in the park on Sunday gave up his house by the sea .".split()


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "parse_with_errors", raising=False)
    import parse_with_errors

    return parse_with_errors


@pytest.fixture
def conllu(tmp_path):
    rows = [f"{i}\t{word}\t_\t_\t_\t_\t{0 if i == 1 else 1}\tdep\t_\t_" for i, word in enumerate(WORDS, start=1)]
    lines = [["# sent_id = one", *rows, ""], ["# sent_id = two", *rows, ""]]
    (tmp_path / "x.conllu").write_text("\n".join(line for one in lines for line in one) + "\n", encoding="utf8")
    predicate = {"token": 12, "lemma": "give", "roleset": "give_up.06", "args": [[0, 12, "ARG0"], [12, 13, "V"]]}
    roles = [{"sent_id": name, "words": len(WORDS), "predicates": [predicate]} for name in ("one", "two")]
    (tmp_path / "x.srl.jsonl").write_text("".join(json.dumps(one) + "\n" for one in roles), encoding="utf8")
    return tmp_path / "x.conllu"


@pytest.mark.skipif(not is_package("en_lal_md"), reason="en_lal_md is not installed")
def test_parses_with_and_without_errors(script, conllu, tmp_path, monkeypatch, capsys):
    arguments = ["parse_with_errors.py", "en_lal_md", str(conllu), str(tmp_path / "out"), "--dropout", "0", "0.9"]
    monkeypatch.setattr(sys, "argv", arguments)
    script.main()
    assert capsys.readouterr().out.count("% of arcs are right") == 2
    nlp = spacy.load("en_lal_md")
    (eg,) = PropBankCorpus(conllu, n_sents=8)(nlp)
    with nlp.select_pipes(disable=[name for name in nlp.pipe_names if name == "lal_srl"]):
        expected = nlp(eg.predicted.copy())
    whole, noisy = (
        next(iter(DocBin().from_disk(tmp_path / "out" / f"{number}.spacy").get_docs(nlp.vocab))) for number in (0, 1)
    )
    assert [token.head.i for token in whole] == [token.head.i for token in expected]
    assert list(get_constituents(whole)) == list(get_constituents(expected))
    assert [token.head.i for token in noisy] != [token.head.i for token in expected]
    for doc in (whole, noisy):
        assert [token.tag_ for token in doc] == [token.tag_ for token in expected]
        assert [token.lemma_ for token in doc] == [token.lemma_ for token in expected]
        assert get_propositions(doc) == get_propositions(eg.reference) and len(list(doc.sents)) == 2


def test_dropout_keeps_the_mean(script):
    hidden = np.ones((200, 300), dtype=np.float32)
    found = script.dropped(hidden, 0.75, np.random.default_rng(0))
    assert found.dtype == np.float32 and set(np.unique(found)) == {0.0, 4.0}
    assert abs(float(found.mean()) - 1.0) < 0.05
    assert (script.dropped(hidden, 0.0, np.random.default_rng(0)) == hidden).all()
