"""`lal roles`, through the application."""

import json

import pytest
import role_examples
import spacy
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_lal.annotations import install_frames, set_propositions
from spacy_lal.trees.frames import Frame, FrameRole
from spacy_lal.trees.roles import Proposition

WORDS = "She has given him books . Yes !".split()
HAVE = Proposition(1, "have.01", ((1, 2, "V"),), "have")
GIVE = Proposition(
    2, "give.01", ((0, 1, "ARG0"), (2, 3, "V"), (3, 4, "ARG2"), (4, 5, "ARG1")), "give"
)


@Language.component("tests_roles")
def set_roles(doc: Doc) -> Doc:
    """In place of lal_srl: the second word is an auxiliary, the third has arguments."""
    if len(doc) > 4:
        set_propositions(doc, [HAVE, GIVE])
    else:
        set_propositions(doc, [])
    return doc


@pytest.fixture
def model(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("tests_roles")
    given = FrameRole("ppt", "thing given")
    install_frames(nlp.vocab, [Frame("give.01", "give", "transfer", {"1": given})])
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def docs(tmp_path):
    doc = Doc(
        Vocab(),
        words=WORDS,
        tags=["PRP", "VBZ", "VBN", "PRP", "NNS", ".", "UH", "."],
        heads=[2, 2, 2, 2, 2, 2, 6, 6],
        deps=["nsubj", "aux", "ROOT", "iobj", "obj", "punct", "ROOT", "punct"],
    )
    set_propositions(doc, [HAVE, GIVE])
    DocBin(docs=[doc]).to_disk(tmp_path / "x.spacy")
    return tmp_path / "x.spacy"


TABLE = """\
She has given him books .

has  have.01

given  give.01
  ARG0  She
  ARG2  him
  ARG1  books

Yes !

(no predicate)

"""


def test_table(lal, docs, model):
    result = lal("roles", docs)
    assert result.exit_code == 0 and result.stdout == TABLE
    text = "She has given him books. Yes!"
    described = TABLE.replace(" .", ".").replace(" !", "!")
    described = described.replace("give.01", "give.01  transfer")
    described = described.replace("books\n\n", "books  thing given\n\n")
    for words in ([text], ["--text", text]):
        assert lal("roles", *words, "--model", model).stdout == described
    without = lal("roles", docs, "--no-auxiliaries").stdout
    assert "has  have.01" not in without and "ARG1  books\n" in without


def test_other_formats(lal, docs, model):
    lines = [
        json.loads(line)
        for line in lal("roles", docs, "--format", "json").stdout.splitlines()
    ]
    assert [line["sent_id"] for line in lines] == ["1-1", "1-2"]
    assert lines[1]["predicates"] == [] and lines[1]["tokens"] == ["Yes", "!"]
    assert lines[0]["predicates"][1]["args"] == [
        [0, 1, "ARG0"],
        [2, 3, "V"],
        [3, 4, "ARG2"],
        [4, 5, "ARG1"],
    ]
    props = lal("roles", docs, "-f", "props").stdout
    assert props.startswith(
        "- * (ARG0*)\nhave (V*) *\ngive * (V*)\n"
    ) and props.endswith("\n\n-\n-\n\n")
    columns = lal("roles", docs, "-f", "conll").stdout.splitlines()
    assert (
        columns[0] == "#begin document (text/1); part 000"
        and columns[-1] == "#end document"
    )
    assert columns[3].split() == "text/1 0 2 given VBN * give 01 - - * * (V*) -".split()
    result = lal(
        "roles",
        "-",
        "-m",
        model,
        "-f",
        "json",
        stdin=b"Go.\n\nShe has given him books.\n",
    )
    assert [json.loads(line)["sent_id"] for line in result.stdout.splitlines()] == [
        "1-1",
        "2-1",
    ]


def test_the_output_names_its_format(lal, docs, tmp_path):
    for command, name, beginning in (
        ("roles", "x.json", '{"sent_id": "1-1"'),
        ("roles", "x.csv", "id,sentence,text,predicate,roleset,role,argument,"),
        ("roles", "x.props", "- * (ARG0*)"),
        ("roles", "x.txt", "She has given him books ."),
        ("relations", "x.edges", "She\tgiven\tbooks"),
        ("relations", "x.tsv", "id\tsentence\ttext\tsubject\tpredicate\tobject\t"),
        ("relations", "x.jsonl", '{"id": "1", "sentence": 1, "text": "She has'),
        ("relations", "x.json", '{"id": "1", "sentence": 1, "text": "She has'),
    ):
        assert lal(command, docs, "-o", tmp_path / name).exit_code == 0
        assert (tmp_path / name).read_text(encoding="utf8").startswith(beginning), name
    assert lal("roles", docs, "-o", tmp_path / "x.json", "-f", "table").exit_code == 0
    assert (tmp_path / "x.json").read_text(encoding="utf8").startswith("She has given")


def test_refused(lal, docs, pipeline, tmp_path):
    assert (
        "or a format of table, json, props, conll"
        in lal("roles", docs, "-f", "xml").stderr
    )
    result = lal("roles", "She left.", "-m", pipeline)
    assert (
        result.exit_code == 2
        and "sets no roles, only sentencizer, tagger, lal_parser" in result.stderr
    )
    assert (
        "a trained lal_srl" in result.stderr
        and "python -m spacy project run all projects/en" in result.stderr
    )
    DocBin(docs=[Doc(Vocab(), words=["a"])]).to_disk(tmp_path / "none.spacy")
    none = lal("roles", tmp_path / "none.spacy")
    assert "expected a Doc with roles, got none for 'a" in none.stderr
    (tmp_path / "no.spacy").write_bytes(b"no")
    assert "no .spacy file" in lal("roles", tmp_path / "no.spacy").stderr
    assert lal("roles", tmp_path / "nowhere.spacy").exit_code == 2


def test_a_pipeline_of_roles_alone(lal, docs, tmp_path):
    """`lal roles` and `lal evaluate` with lal_srl and without a parser; `spacy
    evaluate` prints the roles as spans."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lal_srl")
    golds = list(DocBin().from_disk(docs).get_docs(nlp.vocab))
    examples = [Example(nlp.make_doc("She has given him books. Yes!"), golds[0])]
    nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples)
    nlp.to_disk(tmp_path / "srl")
    table = lal("roles", "She has given him books.", "-m", tmp_path / "srl")
    assert (
        table.exit_code == 0
        and "given  give.01\n  ARG0  She\n  ARG2  him\n  ARG1  books\n" in table.stdout
    )
    result = lal("evaluate", docs, "-m", tmp_path / "srl")
    rows = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert result.exit_code == 0 and {
        "srl_f 100.00",
        "roleset_acc 100.00",
        "dep_uas -",
        "const_f -",
    } <= set(rows)
    printed = CliRunner().invoke(
        app, ["evaluate", str(tmp_path / "srl"), str(docs), "--spans-key", "srl"]
    )
    assert ["SPAN", "F", "100.00"] in [
        line.split() for line in printed.stdout.splitlines()
    ]
    assert ["ARG2", "100.00", "100.00", "100.00"] in [
        line.split() for line in printed.stdout.splitlines()
    ]


def test_a_command_that_parses_leaves_roles_out(lal, pipeline, tmp_path):
    nlp = spacy.load(pipeline)
    nlp.add_pipe("lal_srl", config=role_examples.config("none"))
    nlp.to_disk(tmp_path / "both")  # untrained: it would refuse to find roles
    result = lal("parse", "--model", tmp_path / "both", "--text", "She left.")
    assert (
        result.exit_code == 0
        and result.stdout == lal("parse", "-m", pipeline, "--text", "She left.").stdout
    )


def test_docs_of_a_parse_keep_its_roles(lal, pipeline, tmp_path):
    nlp = spacy.load(pipeline)
    nlp.add_pipe("tests_roles", name="lal_srl")
    nlp.to_disk(tmp_path / "both")
    text = "She has given him books."
    parsed = tmp_path / "parsed.spacy"
    assert lal("parse", text, "-m", tmp_path / "both", "-o", parsed).exit_code == 0
    table = lal("roles", parsed)
    assert table.exit_code == 0 and "given  give.01\n  ARG0  She" in table.stdout
    relations = lal("relations", parsed)
    assert (relations.exit_code, relations.stderr) == (0, "")
    assert lal("roles", text, "-m", tmp_path / "both", "-n", 2).stdout == table.stdout


def test_relations_of_heads_alone_are_said(lal, pipeline, tmp_path):
    parsed = tmp_path / "parsed.spacy"
    lal("parse", "The old cat sleeps.", "-m", pipeline, "-o", parsed)
    assert "expected a Doc with roles" in lal("roles", parsed).stderr
    for args in ((parsed,), ("The old cat sleeps.", "-m", pipeline)):
        result = lal("relations", *args)
        assert result.exit_code == 0
        assert "no roles" in result.stderr
        assert "their relations are made of heads alone" in result.stderr


def test_parse_leaves_a_component_out(lal, pipeline):
    args = ("parse", "The old cat sleeps.", "-m", pipeline, "-f", "json")
    assert json.loads(lal(*args).stdout)["tags"] != [""] * 5
    without = lal(*args, "--without", "tagger")
    assert without.exit_code == 0 and json.loads(without.stdout)["tags"] is None


def test_openie_has_the_texts_own_words_and_only_what_is_asserted(
    lal, en_lal_md, tmp_path
):
    path = tmp_path / "docs.spacy"
    text = "Anna, not Tom, became a judge of the court."
    DocBin(docs=[en_lal_md(text)], store_user_data=True).to_disk(path)
    args = ("relations", path, "--format", "openie")
    line = f"{text}\tAnna\tbecame\ta judge of the court\n"
    assert lal(*args).stdout == line
    assert (
        f"{text}\tTom\tnot became\ta judge of the court\n" in lal(*args, "--all").stdout
    )
    nested = lal(*args, "--nested").stdout
    assert f"{text}\tAnna\tbecame a judge of\tthe court\n" in nested
    *_, number = lal(*args, "--confidence").stdout.split("\t")
    assert 0 < float(number) < 1
    every = lal(*args, "--all", "--factuality").stdout.splitlines()
    assert [line.split("\t")[-1] for line in every] == ["asserted", "negated"]


def test_openie_shows_further_arguments_in_columns_of_their_own(
    lal, en_lal_md, tmp_path
):
    path = tmp_path / "docs.spacy"
    text = "Ada wrote a letter to Kim in 1990."
    DocBin(docs=[en_lal_md(text)], store_user_data=True).to_disk(path)
    args = ("relations", path, "--format", "openie")
    assert lal(*args).stdout.splitlines() == [
        f"{text}\tAda\twrote\ta letter",
        f"{text}\tAda\twrote a letter to\tKim",
        f"{text}\tAda\twrote a letter in\t1990",
    ]
    first, *_ = lal(*args, "--arguments").stdout.splitlines()
    assert first == f"{text}\tAda\twrote\ta letter\tto Kim\tin 1990"
