"""`python -m spacy lal evaluate`."""

import json

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_lal.cli.evaluate import read_docs
from spacy_lal.evaluation import parse_golds


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
    assert "words|tokens:gold" in result.stdout and metrics["lemma_acc"] is None


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


@pytest.fixture(scope="module")
def genre_file(nlp, tmp_path_factory):
    """Two Docs of texts with sentence ids."""
    text = Doc(
        nlp.vocab,
        words=["Go", "on", "!", "He", "left", "."],
        spaces=[True, False, True, True, False, False],
        tags=["VB", "RP", ".", "PRP", "VBD", "."],
        heads=[0, 0, 0, 4, 4, 4],
        deps=["ROOT", "prt", "punct", "nsubj", "ROOT", "punct"],
    )
    text.spans["constituents"] = [Span(text, 0, 3, "S"), Span(text, 3, 6, "S"), Span(text, 3, 4, "NP")]
    text.user_data["sent_ids"] = ["email-1", "email-2"]
    other = text[3:6].as_doc()
    other.spans["constituents"] = [Span(other, 0, 3, "S"), Span(other, 0, 1, "NP")]
    other.user_data["sent_ids"] = ["GUM_news_x-1"]
    path = tmp_path_factory.mktemp("genres") / "dev.spacy"
    DocBin(docs=[text, other], store_user_data=True).to_disk(path)
    return path


def test_genres_confusion_and_raw_text(lal, pipeline, genre_file, tmp_path):
    output = tmp_path / "metrics.json"
    options = ("--by-genre", "^(?:GUM_)?([a-z]+)", "--confusion", "--raw", "-o", output)
    result = lal("evaluate", pipeline, genre_file, *options)
    assert result.exit_code == 0, result.output
    metrics = json.loads(output.read_text())
    assert {name: scores["n_sents"] for name, scores in metrics["genres"].items()} == {"email": 2, "news": 1}
    assert metrics["confusion"]["constituents"]["S"]["gold"] == 3
    assert metrics["confusion"]["deprels"]["punct"]["gold"] == 3
    assert metrics["own_sents"]["sents_f"] == metrics["raw"]["sents_f"] == 1.0  # the sentencizer's dots
    assert metrics["raw"]["token_f"] == 1.0
    assert metrics["raw"]["raw_const_f"] == pytest.approx(metrics["own_sents"]["const_f"])
    for line in ("  email                      2", "raw text|tokens:gold", "deprel  ", "constituent  "):
        assert line in result.stdout


def test_bad_input_for_genres_and_raw_text(lal, pipeline, gold_file, genre_file):
    for args, message in (
        ((gold_file, "--by-genre", "a"), "no sentence ids"),
        ((genre_file, "--by-genre", "("), "is no regular expression"),
        ((genre_file, "--by-genre", "xyz"), "matches no sentence id"),
        ((gold_file, "--raw"), "its spaces are not known"),
        ((genre_file, "--confusion", "--no-gold-sents"), "does not go with --no-gold-sents"),
    ):
        result = lal("evaluate", pipeline, *args)
        assert result.exit_code == 1
        assert message in result.stderr
        assert "Traceback" not in result.output


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


@pytest.fixture
def unparsed(monkeypatch):
    """Parsing all gold Docs fails the test: a command must end before."""

    def parse(*_, **__):
        pytest.fail("parsed before the options were checked")

    monkeypatch.setattr("spacy_lal.evaluation.parse_golds", parse)


@pytest.mark.usefixtures("unparsed")
def test_bad_input_ends_before_the_parsing(lal, pipeline, gold_file, genre_file, tmp_path):
    unsplitting = tmp_path / "unsplitting"
    nlp = spacy.load(pipeline)
    nlp.remove_pipe("sentencizer")
    nlp.to_disk(unsplitting)
    for args, message in (
        ((pipeline, genre_file, "-o", tmp_path), "it is a folder"),
        ((pipeline, genre_file, "--trees", tmp_path), "it is a folder"),
        ((pipeline, gold_file, "--by-genre", "a"), "no sentence ids"),
        ((pipeline, genre_file, "--by-genre", "xyz"), "matches no sentence id"),
        ((pipeline, gold_file, "--raw"), "its spaces are not known"),
        ((unsplitting, genre_file, "--raw"), "no sentence boundaries"),
    ):
        result = lal("evaluate", *args)
        assert result.exit_code == 1, result.output
        assert message in result.stderr


def test_scores_are_printed_though_a_file_cannot_be_written(lal, pipeline, gold_file, tmp_path, monkeypatch):
    def write_json(*_):
        raise OSError(28, "No space left on device", str(tmp_path / "x.json"))

    monkeypatch.setattr("spacy_lal.cli.evaluate.write_json", write_json)
    result = lal("evaluate", pipeline, gold_file, "-o", tmp_path / "x.json")
    assert result.exit_code == 1
    assert "const_f" in result.stdout and "No space left" in result.stderr
