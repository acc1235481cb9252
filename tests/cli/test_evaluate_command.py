"""`python -m spacy lal evaluate`."""

import json

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_lal.cli.evaluate import parse_golds, read_docs


@pytest.fixture(scope="module")
def nlp(pipeline):
    return spacy.load(pipeline)


def test_scores(lal, pipeline, gold_file, tmp_path):
    output = tmp_path / "metrics.json"
    result = lal("evaluate", pipeline, gold_file, "--output", output)
    assert result.exit_code == 0
    metrics = json.loads(output.read_text())
    assert (metrics["n_sents"], metrics["n_words"]) == (3, 11)
    assert metrics["signature"].startswith("tokens:gold|sents:gold|n_sents:3|v:")
    for name in ("const_f", "const_cm", "dep_uas", "dep_las_reference", "dep_lcm", "tag_acc"):
        assert 0 <= metrics[name] <= 1
        assert f"  {name:<18}{100 * metrics[name]:6.2f}" in result.stdout
    assert "evalb|params:COLLINS|tokens:gold" in result.stdout
    assert "attachment|punct:reference|" in result.stdout


def test_gold_sentences_are_kept(nlp, pipeline, gold_file):
    golds = read_docs(gold_file, nlp)
    joined = Doc(nlp.vocab, words=["Go", "on", "!", "He", "left", "."], sent_starts=[True] + [False] * 5)
    docs, _ = parse_golds(nlp, [*golds, joined], gold_sents=True)
    assert [len(list(doc.sents)) for doc in docs] == [1, 2, 1]
    docs, seconds = parse_golds(nlp, [*golds, joined], gold_sents=False)
    assert [len(list(doc.sents)) for doc in docs] == [1, 2, 2]
    assert seconds > 0
    assert all(doc[0].tag_ for doc in docs)


def test_options(lal, pipeline, gold_file):
    result = lal("evaluate", pipeline, gold_file, "--no-gold-sents", "--param", "nk")
    assert result.exit_code == 0
    assert "evalb|params:nk|tokens:gold|sents:own" in result.stdout


def test_trees_alone(lal, pipeline, gold_file, nlp, tmp_path):
    docs = read_docs(gold_file, nlp)
    bare = []
    for doc in docs:
        new = Doc(nlp.vocab, words=[t.text for t in doc], sent_starts=[t.is_sent_start for t in doc])
        new.spans["constituents"] = [new[s.start : s.end] for s in doc.spans["constituents"]]
        bare.append(new)
    path = tmp_path / "trees.spacy"
    DocBin(docs=bare).to_disk(path)
    output = tmp_path / "metrics.json"
    assert lal("evaluate", pipeline, path, "-o", output).exit_code == 0
    metrics = json.loads(output.read_text())
    assert metrics["const_f"] is not None
    assert metrics["dep_uas"] is metrics["dep_las_reference"] is metrics["tag_acc"] is None


def test_bad_input(lal, pipeline, gold_file, tmp_path):
    text = tmp_path / "text.spacy"
    text.write_text("no Docs")
    empty = tmp_path / "empty.spacy"
    DocBin().to_disk(empty)
    unsplit = tmp_path / "unsplit.spacy"
    DocBin(docs=[Doc(spacy.blank("en").vocab, words=["a", "b"])]).to_disk(unsplit)
    for args, message in (
        ((pipeline, tmp_path / "nowhere"), "can't find the file"),
        ((pipeline, text), "is no .spacy file"),
        ((pipeline, empty), "holds no words"),
        ((pipeline, unsplit), "no sentence boundaries"),
        ((pipeline, gold_file, "-o", tmp_path / "no" / "file"), "can't write"),
        ((pipeline, gold_file, "-p", tmp_path / "no.prm"), "Can't open parameter file"),
        ((tmp_path, gold_file), "can't load the pipeline"),
    ):
        result = lal("evaluate", *args)
        assert result.exit_code == 1
        assert message in result.stderr
        assert "Traceback" not in result.output
