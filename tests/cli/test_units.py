"""`lal units`, through the application."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_lal.annotations import set_units

WORDS = "The man who slept left .".split()
ROWS = "1\tThe man\n2\twho slept\n1\tleft .\n"


@pytest.fixture
def docs(tmp_path):
    heads = [1, 4, 3, 1, 4, 4]
    deps = ["det", "nsubj", "nsubj", "acl:relcl", "ROOT", "punct"]
    doc = Doc(Vocab(), words=WORDS, heads=heads, deps=deps)
    set_units(doc, [(0, 2, 1), (2, 4, 2), (4, 6, 1)])
    DocBin(docs=[doc]).to_disk(tmp_path / "x.spacy")
    return tmp_path / "x.spacy"


def test_a_line_is_a_unit_with_its_number(lal, docs):
    result = lal("units", docs)
    assert result.exit_code == 0, result.output
    assert result.stdout == ROWS


def test_a_row_has_the_sentence(lal, docs):
    result = lal("units", docs, "-f", "csv")
    lines = result.stdout.splitlines()
    assert lines[0] == "id,sentence,text,number,unit"
    assert [line.split(",", 1)[1] for line in lines[1:]] == [
        "1,The man who slept left .,1,The man",
        "1,The man who slept left .,2,who slept",
        "1,The man who slept left .,1,left .",
    ]


def test_a_pipeline_without_units_is_refused(lal, tmp_path):
    nlp = spacy.blank("fr")
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "model")
    result = lal("units", "Il dort.", "-m", tmp_path / "model")
    assert result.exit_code == 2
    assert "units are annotated in English" in " ".join(result.stderr.split())
