"""`python -m spacy lal label-heads`."""

import json

import pytest
import spacy
from small_blocks import parser_block
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from typer.main import get_command

from spacy_lal.cli import lal_cli
from spacy_lal.cli.evaluate import read_docs
from spacy_lal.cli.heads import heads_lines
from spacy_lal.interpret import head_report

from .conftest import gold_docs


@pytest.fixture(scope="module")
def headless(tmp_path_factory):
    """A pipeline whose parser has no label attention."""
    nlp = spacy.blank("en")
    model = parser_block(hidden_width=16, label_attention=False)
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_parser", config={"model": model})
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold) for gold in gold_docs(nlp.vocab)])
    path = tmp_path_factory.mktemp("headless") / "model"
    nlp.to_disk(path)
    return path


def test_report(lal, pipeline, gold_file, tmp_path):
    output = tmp_path / "report.json"
    result = lal("label-heads", pipeline, gold_file, "-o", output, "--top", "2")
    assert result.exit_code == 0
    records = json.loads(output.read_text(encoding="utf8"))
    assert records["n_sentences"] == 3
    gold = {row["label"]: row["gold"] for row in records["labels"]}
    assert gold["S"] == 3 and gold["NP"] == 2
    assert all(len(head["words"]) == 2 for head in records["heads"])
    nlp = spacy.load(pipeline)
    lines = heads_lines(head_report(nlp, read_docs(gold_file, nlp), k=2))
    assert result.stdout.splitlines() == lines
    assert lines[0] == f"3 sentences, {len(gold)} labels, {len(records['heads'])} label heads"
    assert lines[-1].startswith("% of labels with the head of their name") or lines[-1] == "no label is ever right"
    for label, n in gold.items():
        assert any(line.split()[:2] == [label, str(n)] for line in lines)


@pytest.mark.parametrize("name", ["headless", "pipeline"])
def test_bad_calls(lal, name, request, gold_file, tmp_path):
    model = request.getfixturevalue(name)
    bare = tmp_path / "bare.spacy"
    DocBin(docs=[Doc(spacy.blank("en").vocab, words=["Go", "!"], sent_starts=[True, False])]).to_disk(bare)
    path, message = {
        "headless": (gold_file, "is a model without label attention"),
        "pipeline": (bare, "expected Docs with gold constituents"),
    }[name]
    result = lal("label-heads", model, path)
    assert result.exit_code == 1
    assert message in result.stderr and str(path) in result.stderr
    assert result.stdout == ""


def test_bad_paths(lal, pipeline, gold_file, tmp_path):
    for arguments, message in (
        ((pipeline, tmp_path / "none.spacy"), "can't find the file"),
        ((pipeline, gold_file, "-o", tmp_path / "none" / "x.json"), "can't write"),
        (("nowhere", gold_file), "can't load the pipeline 'nowhere'"),
    ):
        result = lal("label-heads", *arguments)
        assert result.exit_code == 1 and message in result.stderr


def test_its_former_name_stays():
    commands = get_command(lal_cli).commands
    assert commands["heads"].hidden and not commands["label-heads"].hidden
    assert commands["heads"].callback.__name__ == commands["label-heads"].callback.__name__ == "heads_cli"
