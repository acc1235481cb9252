"""Several tiny pipelines that parse together: alone each is itself, in any batch; whose labels, breaks and tags count;
their scores on a treebank; what members that do not go together are told."""

from pathlib import Path
from types import ModuleType
from typing import Any, Dict, List

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from tiny_pipeline import TEXTS, make_bert, make_examples, make_nlp, parses, train

from spacy_lal.metrics.docs import parse_golds, score_docs
from spacy_lal.metrics.evalb_params import language_params


@pytest.fixture(scope="module")
def pipelines(tmp_path_factory: pytest.TempPathFactory) -> List[Path]:
    """Two pipelines on encoders of their own; the second has its labels in another order."""
    folder = tmp_path_factory.mktemp("together")
    paths = [folder / "first", folder / "second"]
    first = train(make_nlp(make_bert(folder / "bert0", seed=0)))
    second = make_nlp(make_bert(folder / "bert1", seed=1))
    examples = make_examples(second)
    optimizer = second.initialize(lambda: examples)
    labels = {key: values[::-1] for key, values in first.get_pipe("lal_parser").label_data.items()}
    second.get_pipe("lal_parser").initialize(lambda: examples, nlp=second, labels=labels)
    for _ in range(12):
        second.update(examples, sgd=optimizer)
    for nlp, path in zip((first, second), paths, strict=True):
        nlp.to_disk(path)
    return paths


@pytest.fixture
def together(script) -> ModuleType:
    """The script as a module."""
    return script("parse_together")


def parse(together: ModuleType, tmp_path: Path, *names: Path, max_words: int = 80) -> List[Doc]:
    """The Docs that the script writes of the texts."""
    (tmp_path / "texts.txt").write_text("".join(f"{text}\n" for text in TEXTS), encoding="utf8")
    output = tmp_path / "parsed.spacy"
    together.main([str(tmp_path / "texts.txt"), str(output), *map(str, names), "--max-words", str(max_words)])
    return list(DocBin().from_disk(output).get_docs(spacy.blank("en").vocab))


def test_a_pipeline_with_itself_parses_as_by_itself(together, pipelines, tmp_path):
    nlp = spacy.load(pipelines[0])
    expected = [nlp(text) for text in TEXTS if text.strip()]
    found = parse(together, tmp_path, pipelines[0], pipelines[0])
    assert parses(found) == parses(expected)
    assert [[t.tag_ for t in doc] for doc in found] == [[t.tag_ for t in doc] for doc in expected]


def test_together_they_decode_the_mean_of_their_scores(together, pipelines, tmp_path):
    found = parse(together, tmp_path, *pipelines)
    by_itself = [parse(together, tmp_path, path, path) for path in pipelines]
    turned = parse(together, tmp_path, pipelines[1], pipelines[0])
    assert parses(found) == parses(turned), "whichever comes first, though its labels have another order"
    assert parses(found) not in [parses(docs) for docs in by_itself]


def test_a_pipeline_without_a_label_of_the_first_is_named(together, pipelines, tmp_path):
    nlp = spacy.load(pipelines[0])
    parser = nlp.get_pipe("lal_parser")
    labels = {**parser.label_data, "deprels": [*parser.label_data["deprels"], "vocative"]}
    parser.initialize(lambda: make_examples(nlp), nlp=nlp, labels=labels)
    nlp.to_disk(tmp_path / "more")
    with pytest.raises(
        ValueError, match=r"first: expected the deprels of the pipelines beside it, found no 'vocative'"
    ):
        parse(together, tmp_path, tmp_path / "more", pipelines[0])
    assert not (tmp_path / "parsed.spacy").exists()


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    """Gold Docs as a file."""
    golds = [example.reference for example in make_examples(spacy.blank("en"))]
    DocBin(docs=golds, store_user_data=True).to_disk(tmp_path / "gold.spacy")
    return tmp_path / "gold.spacy"


def evaluate(script, treebank: Path, *names: Path) -> Dict[str, Any]:
    """The scores that the script writes, without times."""
    output = treebank.with_name("scores.json")
    script("evaluate_together").main([str(treebank), *map(str, names), "--output", str(output)])
    return rounded(srsly.read_json(output))


def rounded(scores: Dict[str, Any]) -> Dict[str, float]:
    """The numbers of an evaluation without times, to the precision of JSON files."""
    numbers = {name: value for name, value in scores.items() if isinstance(value, (int, float))}
    return {name: round(value, 9) for name, value in numbers.items() if "second" not in name}


def test_a_pipeline_with_itself_has_its_own_scores(script, pipelines, treebank, capsys):
    nlp = spacy.load(pipelines[0])
    golds = list(DocBin().from_disk(treebank).get_docs(nlp.vocab))
    docs, seconds = parse_golds(nlp, golds)
    expected = rounded(score_docs(docs, golds, language_params("en"), seconds=seconds))
    assert expected["const_f"] > 0 and expected["dep_las"] > 0
    found = evaluate(script, treebank, pipelines[0], pipelines[0])
    assert found == expected
    assert "const_f" in capsys.readouterr().out
    assert evaluate(script, treebank, *pipelines) != found
