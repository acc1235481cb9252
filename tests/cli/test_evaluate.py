"""`lal evaluate`, `evalb` and `srl-eval`."""

import gzip
import json
import re

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

GOLD_PROPS = "- (A0*)\nrun (V*)\n- (AM-TMP*)\n\n-\n\n"
PREDICTED_PROPS = "- (A0*)\nrun (V*)\n- *\n\n-\n\n"


@pytest.fixture(scope="module")
def nlp(pipeline):
    return spacy.load(pipeline)


@pytest.fixture
def evaluate(lal, pipeline):
    return lambda *args: lal("evaluate", "-m", pipeline, *args)


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
    text.spans["constituents"] = [
        Span(text, 0, 3, "S"),
        Span(text, 3, 6, "S"),
        Span(text, 3, 4, "NP"),
    ]
    text.user_data["sent_ids"] = ["email-1", "email-2"]
    other = text[3:6].as_doc()
    other.spans["constituents"] = [Span(other, 0, 3, "S"), Span(other, 0, 1, "NP")]
    other.user_data["sent_ids"] = ["GUM_news_x-1"]
    path = tmp_path_factory.mktemp("genres") / "dev.spacy"
    DocBin(docs=[text, other], store_user_data=True).to_disk(path)
    return path


def test_scores(evaluate, gold_file, tmp_path):
    output = tmp_path / "metrics.json"
    result = evaluate(gold_file, "--output", output)
    assert (
        result.exit_code == 0
        and result.stderr == f"Wrote {output}: scores of 3 sentences\n"
    )
    metrics = json.loads(output.read_text())
    assert (metrics["n_sents"], metrics["n_words"]) == (3, 11)
    assert metrics["signature"].startswith("tokens:gold|sents:gold|n_sents:3|v:")
    for name in (
        "const_f",
        "const_cm",
        "dep_uas",
        "dep_las_reference",
        "tag_acc",
    ):
        assert 0 <= metrics[name] <= 1
        assert f"  {name:<18}{100 * metrics[name]:6.2f}" in result.stdout
    for signature in (
        "evalb|params:COLLINS|tokens:gold",
        "attachment|punct:reference|",
        "words|tokens:gold",
    ):
        assert signature in result.stdout
    assert (
        "evalb|params:nk|tokens:gold|sents:own"
        in evaluate(gold_file, "--no-gold-sents", "--param", "nk").stdout
    )


def test_genres_confusion_and_raw_text(evaluate, genre_file, tmp_path):
    output = tmp_path / "metrics.json"
    result = evaluate(
        genre_file,
        "--by-genre",
        "^(?:GUM_)?([a-z]+)",
        "--confusion",
        "--raw",
        "-o",
        output,
    )
    assert result.exit_code == 0, result.output
    metrics = json.loads(output.read_text())
    assert {name: scores["n_sents"] for name, scores in metrics["genres"].items()} == {
        "email": 2,
        "news": 1,
    }
    assert metrics["confusion"]["constituents"]["S"]["gold"] == 3
    assert metrics["confusion"]["deprels"]["punct"]["gold"] == 3
    assert (
        metrics["own_sents"]["sents_f"] == metrics["raw"]["sents_f"] == 1.0
    )  # the sentencizer's dots
    assert metrics["raw"]["token_f"] == 1.0
    assert metrics["raw"]["const_f"] == pytest.approx(metrics["own_sents"]["const_f"])
    assert metrics["raw_documents"] == metrics["raw"]  # each Doc is a document
    for line in (
        f"{'  email':<20}{2:>11}",
        "raw text|tokens:gold",
        "raw text of documents|",
        "deprel  ",
        "constituent  ",
    ):
        assert line in result.stdout


def test_errors_come_before_the_parsing(
    lal, evaluate, gold_file, genre_file, tmp_path, monkeypatch
):
    monkeypatch.setattr("spacy_lal.evaluation.docs.parse_golds", None)
    DocBin().to_disk(tmp_path / "empty.spacy")
    (tmp_path / "text.spacy").write_text("no Docs")
    crossing = Doc(Vocab(), words=["Go", "on", "!"], sent_starts=[True, False, False])
    crossing.spans["constituents"] = [
        Span(crossing, 0, 2, "A"),
        Span(crossing, 1, 3, "B"),
    ]
    DocBin(docs=[crossing]).to_disk(tmp_path / "crossing.spacy")
    for args, message in (
        ((tmp_path / "nowhere",), "No such file"),
        ((tmp_path / "text.spacy",), "is no .spacy file"),
        ((tmp_path / "empty.spacy",), "holds no words"),
        (
            (tmp_path / "crossing.spacy",),
            "Doc 1: constituents must nest, got two that cross: (0, 2, 'A')",
        ),
        ((gold_file, "-o", gold_file), "would be read and written at once"),
        ((gold_file, "-o", "x.json", "--trees", "x.json"), "expected different files"),
        (
            (gold_file, "-p", tmp_path / "no.prm"),
            f"can't read or write {tmp_path / 'no.prm'}",
        ),
        ((gold_file, "--by-genre", "a"), "matches no sentence id"),
        ((genre_file, "--by-genre", "("), "is no regular expression"),
        ((genre_file, "--by-genre", "xyz"), "matches no sentence id"),
        ((gold_file, "--raw"), "its spaces are not known"),
        ((genre_file, "--confusion", "--no-gold-sents"), "go sentence by sentence"),
    ):
        result = evaluate(*args)
        assert result.exit_code == 2 and message in result.stderr, result.output
        assert "Traceback" not in result.output


def test_trees_score_as_the_docs_do(lal, evaluate, gold_file, nlp, tmp_path):
    """`lal evalb` reads what --trees and --gold-trees write."""
    found, gold = tmp_path / "found.ptb", tmp_path / "gold.ptb"
    result = evaluate(gold_file, "--trees", found, "--gold-trees", gold)
    assert result.exit_code == 0, result.output
    assert gold.read_text(encoding="utf8").startswith(
        "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps)) (. .))\n(S "
    )
    table = lal("evalb", gold, found)
    f_measure = re.search(r"Bracketing FMeasure *= *(-?[\d.]+|-?nan)", table.output)
    const_f = re.search(r"const_f *([\d.]+)", result.output)
    assert f_measure.group(1) in (const_f.group(1), "nan", "-nan")
    bare = Doc(
        nlp.vocab,
        words=["Go", "."],
        tags=["VB", "."],
        heads=[0, 0],
        deps=["ROOT", "punct"],
    )
    golds = list(DocBin().from_disk(gold_file).get_docs(nlp.vocab))
    DocBin(docs=[bare, *golds]).to_disk(tmp_path / "dev.spacy")
    evaluate(
        tmp_path / "dev.spacy", "--trees", found, "--gold-trees", gold
    )  # the same sentences in both
    assert [
        len(path.read_text(encoding="utf8").splitlines()) for path in (found, gold)
    ] == [3, 3]


# EVALB


def golden(data_dir, name):
    return gzip.decompress((data_dir / "evalb" / f"{name}.gz").read_bytes())


@pytest.fixture
def files(tmp_path, data_dir):
    for name in ("v1.gld", "v1.tst", "v2.gld", "v2.tst"):
        (tmp_path / name).write_bytes(golden(data_dir, name))
    return tmp_path


def test_evalb_is_the_programs_output(lal, files, data_dir):
    result = lal("evalb", files / "v2.gld", files / "v2.tst")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout_bytes == golden(data_dir, "v2.COLLINS.out")
    for param in (data_dir / "evalb" / "nk.prm", "nk"):
        result = lal("evalb", files / "v1.gld", files / "v1.tst", "--param", param)
        assert result.stdout_bytes == golden(data_dir, "v1.nk.out")
        assert (
            result.stderr.startswith("2 : Length unmatch (38|39)\n")
            and result.stderr.count("\n") == 15
        )
    lal(
        "evalb",
        files / "v2.gld",
        "-",
        "-o",
        files / "table",
        stdin=(files / "v2.tst").read_bytes(),
    )
    assert (files / "table").read_bytes() == golden(data_dir, "v2.COLLINS.out")


# srl-eval.pl


@pytest.fixture
def props(tmp_path):
    (tmp_path / "gold").write_text(GOLD_PROPS)
    (tmp_path / "pred").write_text(PREDICTED_PROPS)
    return tmp_path / "gold", tmp_path / "pred"


def test_srl_eval(lal, props):
    result = lal("srl-eval", *props)
    assert result.exit_code == 0
    lines = result.stdout.split("\n")
    assert (
        lines[0] == "Number of Sentences    :           2"
        and lines[2] == "Percentage of perfect props :   0.00"
    )
    assert lines[6] == "   Overall        1       0       1   100.00   50.00   66.67"
    with_matrix = lal("srl-eval", *props, "-C").stdout
    assert (
        with_matrix.startswith(result.stdout)
        and "---- Confusion Matrix: (one row" in with_matrix
    )


def test_srl_eval_of_bad_files(lal, props):
    gold, predicted = props
    predicted.write_text(PREDICTED_PROPS + "- (A0*\n")
    result = lal("srl-eval", gold, predicted)
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith(
        f"{predicted}:7: expected a column for each of the sentence's 0 predicates"
    )
    assert "No such file" in lal("srl-eval", gold, gold.with_name("nowhere")).stderr
