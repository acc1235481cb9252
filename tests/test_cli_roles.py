"""`spacy lal check` and `spacy lal convert` with semantic roles, as a user calls them."""

import json

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_lal.annotations import get_constituents, get_propositions
from spacy_lal.cli import lal_cli

CONLLU = """\
# sent_id = 1
1\tShe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\twent\t_\tVERB\tVBD\t_\t0\troot\t_\t_

"""
ROLES = {
    "sent_id": "1",
    "words": 2,
    "predicates": [{"token": 1, "lemma": "go", "roleset": "go.02", "args": [[0, 1, "ARG1"], [1, 2, "V"]]}],
}
COLUMNS = "#begin document (d); part 0\nd 0 0 Go VB (S(VP*)) go 02 - - * (V*) -\n#end document\n"


def run(*args):
    return CliRunner().invoke(lal_cli, [str(arg) for arg in args])


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.conllu").write_text(CONLLU)
    (tmp_path / "x.srl.jsonl").write_text(json.dumps(ROLES) + "\n")
    (tmp_path / "x_gold_conll").write_text(COLUMNS)
    return tmp_path


def rows(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_check(folder):
    result = run("check", folder / "x.conllu", folder / "x.srl.jsonl")
    assert result.exit_code == 0
    for row in ("arcs 2", "predicates 1", "arguments 1", "that are subtrees 100.00%", "2 roles:", "go.02 1"):
        assert row in rows(result.stdout)
    alone = run("check", folder / "x.srl.jsonl")
    assert alone.exit_code == 0 and "arcs" not in alone.stdout and "predicates 1" in rows(alone.stdout)
    report = json.loads(run("check", "--json", folder / "x.conllu", folder / "x.srl.jsonl").stdout)
    assert report["arcs"] == 2 and report["roles"]["predicates"] == 1
    columns = run("check", folder / "x_gold_conll")
    assert columns.exit_code == 0 and {"constituents 2", "predicates 1"} <= set(rows(columns.stdout))


def test_check_of_problems(folder):
    path = folder / "x.srl.jsonl"
    path.write_text(json.dumps({**ROLES, "words": 3}) + "\n")
    result = run("check", folder / "x.conllu", path)
    assert result.exit_code == 1
    assert f"{path}:1 and {folder / 'x.conllu'}:2: 3 words in the roles and 2 in the CoNLL-U" in result.stderr
    (folder / "x_gold_conll").write_text(COLUMNS.replace("(V*)", "(V*"))
    result = run("check", folder / "x_gold_conll")
    assert result.exit_code == 1 and result.stderr.count("is not closed") == 1


def test_convert(folder):
    output = folder / "x.spacy"
    result = run("convert", folder / "x.conllu", folder / "x.srl.jsonl", output)
    assert result.exit_code == 0, result.stderr
    (doc,) = DocBin().from_disk(output).get_docs(Vocab())
    assert [one.roleset for one in get_propositions(doc)] == ["go.02"] and doc[0].head.i == 1
    assert run("convert", folder / "x_gold_conll", output).exit_code == 0
    (doc,) = DocBin().from_disk(output).get_docs(Vocab())
    assert [one.roleset for one in get_propositions(doc)] == ["go.02"]
    assert get_constituents(doc) == [[(0, 1, "S::VP")]] and list(doc.user_data["sent_ids"]) == ["d/0-1"]


def test_convert_refuses(folder):
    result = run("convert", folder / "x.conllu", folder / "x.srl.jsonl")
    assert result.exit_code == 1 and "the last argument is the .spacy file" in result.stderr
    assert (folder / "x.srl.jsonl").read_text() == json.dumps(ROLES) + "\n"
    result = run("convert", folder / "x.srl.jsonl", folder / "x.spacy")
    assert result.exit_code == 1 and "roles have no words" in result.stderr and not (folder / "x.spacy").exists()
