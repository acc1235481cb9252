"""`lal evaluate --trees --gold-trees`: what it writes is what `lal evalb` reads, and the scores are the same."""

import re
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from typer.testing import CliRunner

from spacy_lal.cli import lal_cli

SENTENCES = [
    (["She", "sleeps", "."], ["PRP", "VBZ", "."], [1, 1, 1], [(0, 3, "S"), (0, 1, "NP"), (1, 2, "VP")]),
    (["We", "saw", "her", "."], ["PRP", "VBD", "PRP", "."], [1, 1, 1, 1], [(0, 4, "S"), (0, 1, "NP"), (1, 3, "VP")]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a pipeline that has learnt next to nothing, and two gold sentences in one Doc."""
    path = tmp_path_factory.mktemp("evaluate")
    nlp = spacy.blank("en")
    for name in ("sentencizer", "tagger", "lal_parser"):
        nlp.add_pipe(name)
    golds = []
    for words, tags, heads, spans in SENTENCES:
        gold = Doc(
            nlp.vocab,
            words=words,
            tags=tags,
            heads=heads,
            deps=["dep" if h != i else "ROOT" for i, h in enumerate(heads)],
        )
        gold.spans["constituents"] = [Span(gold, start, end, label) for start, end, label in spans]
        golds.append(gold)
    nlp.initialize(lambda: [Example(nlp.make_doc(gold.text), gold) for gold in golds])
    nlp.to_disk(path / "model")
    DocBin(docs=golds).to_disk(path / "dev.spacy")
    return path


def test_trees_score_as_the_docs_do(folder: Path):
    runner = CliRunner()
    found, gold = folder / "found.ptb", folder / "gold.ptb"
    arguments = ["evaluate", str(folder / "model"), str(folder / "dev.spacy")]
    result = runner.invoke(lal_cli, [*arguments, "--trees", str(found), "--gold-trees", str(gold)])
    assert result.exit_code == 0, result.output
    assert gold.read_text(encoding="utf8").splitlines() == [
        "(S (NP (PRP She)) (VP (VBZ sleeps)) (. .))",
        "(S (NP (PRP We)) (VP (VBD saw) (PRP her)) (. .))",
    ]
    assert len(found.read_text(encoding="utf8").splitlines()) == len(SENTENCES)
    table = runner.invoke(lal_cli, ["evalb", str(gold), str(found)])
    assert table.exit_code == 0, table.output
    f_measure = re.search(r"Bracketing FMeasure *= *(-?[\d.]+|-?nan)", table.output)
    const_f = re.search(r"const_f *([\d.]+)", result.output)
    assert f_measure is not None and const_f is not None
    assert f_measure.group(1) in (const_f.group(1), "nan", "-nan")


def test_no_folder_to_write_to(folder: Path):
    arguments = [
        "evaluate",
        str(folder / "model"),
        str(folder / "dev.spacy"),
        "--trees",
        str(folder / "none" / "x.ptb"),
    ]
    result = CliRunner().invoke(lal_cli, arguments)
    assert result.exit_code == 1
    assert "no folder" in result.output


def test_files_of_trees_have_the_same_sentences(folder: Path, tmp_path: Path):
    nlp = spacy.load(folder / "model")
    golds = list(DocBin().from_disk(folder / "dev.spacy").get_docs(nlp.vocab))
    bare = Doc(nlp.vocab, words=["Go", "."], tags=["VB", "."], heads=[0, 0], deps=["ROOT", "punct"])
    DocBin(docs=[bare, *golds]).to_disk(tmp_path / "dev.spacy")
    found, gold = tmp_path / "found.ptb", tmp_path / "gold.ptb"
    arguments = ["evaluate", str(folder / "model"), str(tmp_path / "dev.spacy"), "--trees", str(found)]
    both = [*arguments, "--gold-trees", str(gold)]
    result = CliRunner().invoke(lal_cli, both)
    assert result.exit_code == 0, result.output
    assert [len(path.read_text(encoding="utf8").splitlines()) for path in (found, gold)] == [2, 2]
    assert CliRunner().invoke(lal_cli, arguments).exit_code == 0
    assert len(found.read_text(encoding="utf8").splitlines()) == 3
    result = CliRunner().invoke(lal_cli, [*both, "--no-gold-sents"])
    assert result.exit_code == 1 and "--no-gold-sents" in result.output
